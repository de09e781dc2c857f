"""prune, from text to text."""

from __future__ import annotations

from popir.ir import verify
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
