"""prune, from text to text."""

from __future__ import annotations

import pytest

from popir.ir import Op, OperatorIdentifier, verify
from popir.ir.parser import parse_graph
from popir.ir.text import print_graph
from popir.transforms.prune import prune

MODEL = """graph "main" {
  opset ai.onnx 13
  stream %x: FLOAT[4]
  stream %unused: FLOAT[4]
  variable %w: FLOAT[4] = [1.0, 2.0, 3.0, 4.0]
  0: %a: FLOAT[4] = ai.onnx.Mul:13(%x, %w)
  1: %b: FLOAT[4] = ai.onnx.Exp:13(%a)
  2: %c: FLOAT[4] = ai.onnx.Neg:13(%a)
  3: %d: FLOAT[4] = ai.onnx.Add:13(%c, %w)
  inputs %x, %unused
  outputs %b, %d
}
"""


def pruned(*kept: str) -> str:
    graph = parse_graph(MODEL)
    prune(graph, kept)
    verify(graph)
    return print_graph(graph)


def without(*lines: str) -> str:
    return "".join(line for line in MODEL.splitlines(True) if line.strip()[:2] not in lines)


def test_what_leads_to_no_kept_tensor_goes_and_inputs_and_weights_stay() -> None:
    assert pruned("b") == without("2:", "3:").replace("outputs %b, %d", "outputs %b")


def test_a_kept_tensor_inside_keeps_what_is_before_it() -> None:
    assert pruned("c") == without("1:", "3:").replace("  outputs %b, %d\n", "")


def test_all_kept_changes_nothing() -> None:
    assert pruned("b", "d") == MODEL


class Bump(Op):
    """Writes its input, and shows it."""

    opid = OperatorIdentifier("test", "Bump", 1)

    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))

    def modifies(self, inIndex: int) -> bool:
        return inIndex == 0

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        return inIndex == 0


@pytest.mark.parametrize(("written", "stays"), [("w", True), ("shown", True), ("x", False)])
def test_what_writes_a_weight_stays_though_nobody_reads_it(written: str, stays: bool) -> None:
    graph = parse_graph(MODEL)

    def bump(read: str, to: str) -> Op:
        make = lambda: Bump(Bump.opid, Op.Settings(graph), {})  # noqa: E731
        return graph.createConnectedOp(make, {0: read}, {0: to})

    first, second = bump("w", "shown"), bump(written, "out")
    prune(graph, ["b"])
    verify(graph)
    assert first.id in graph.ops
    assert (second.id in graph.ops) == stays
