"""A few of the cases of `python -m tests.fuzz graphs`, and whether it would notice."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from popir import registry
from tests.fuzz import graphs, oracle
from tests.fuzz.generator import BFLOAT16
from tests.fuzz.graphs import OTHER_WAYS, Way, judge, make
from tests.fuzz.operators import OPERATORS
from tests.fuzz.programs import Program
from tests.fuzz.runner import fuzz


def test_random_graphs() -> None:
    totals = fuzz("graphs", range(80), "suite", 60, 2)
    assert totals.cases == 80
    assert not totals.findings
    assert sum(n for what, n in totals.outcomes.items() if "equal" in what) > 70


def test_every_operator_is_made() -> None:
    """But for CopyVarUpdate, which writes a variable."""
    built_in = {
        (entry.opid.domain, entry.opid.type)
        for entry in registry.entries()
        if entry.source == registry.BUILT_IN and entry.isPublic
    }
    assert sorted(built_in - set(OPERATORS)) == [("ai.graphcore", "CopyVarUpdate")]
    made = Counter(node.op_type for n in range(600) for node in make("made", n)[0].nodes)
    assert sorted({type for _, type in OPERATORS} - set(made)) == []


def test_the_models_are_valid_and_various() -> None:
    types, ranks, sizes = set(), set(), set()
    for n in range(300):
        program, _ = make("valid", n)
        if n < 100 and not any(node.domain for node in program.nodes):
            onnx.checker.check_model(program.model(), full_check=True)
        for value in program.values.values():
            types.add(value.dtype)
            ranks.add(len(value.shape))
            sizes.update(value.shape)
    assert types > {np.dtype(t) for t in ("f2", "f4", "f8", "i1", "i8", "u2", "u4", "?")} | {
        BFLOAT16
    }
    assert ranks > {0, 1, 2, 3, 4, 5}
    assert sizes > {0, 1, 2, 3, 5, 17, 33}


def test_a_case_is_the_same_each_time() -> None:
    (first, way), (again, sameWay), (other, _) = (make("same", n) for n in (1, 1, 2))
    assert first.text() == again.text() != other.text()
    assert way == sameWay


def of_type(type: str) -> tuple[int, Program]:
    """The first case of several nodes with one of that type in float."""
    for n in range(10_000):
        program, way = make("suite", n)
        nodes = [node for node in program.nodes if node.op_type == type]
        if len(program.nodes) > 3 and nodes and judge(program, way).outcome.endswith("equal"):
            value = program.values[nodes[0].output[0]]
            if (
                value.dtype == np.float32
                and value.size
                and np.isfinite(run(program, value.name)).all()
            ):
                return n, program
    raise AssertionError


def run(program: Program, name: str) -> np.ndarray:
    return program.evaluated()[name]


@pytest.mark.parametrize("fault", ["wrong", "type", "threads", "error"])
def test_faults_are_noticed_and_reduced_to_their_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    number, program = of_type("Exp")
    right = Way.run

    def faulty(self: Way, given: Program) -> dict[str, np.ndarray]:
        outputs = right(self, given)
        for node in given.nodes:
            if node.op_type == "Exp" and node.output[0] in outputs:
                if fault == "error":
                    raise KeyError("Exp")
                name = node.output[0]
                if fault == "wrong":
                    outputs[name] = outputs[name] * np.float32(1.00002)
                elif fault == "type":
                    outputs[name] = outputs[name].astype(np.float64)
                elif self != Way():
                    outputs[name] = np.nextafter(outputs[name], np.float32(9e9))
        return outputs

    monkeypatch.setattr(Way, "run", faulty)
    everything = Program(
        program.opset,
        program.nodes,
        program.values,
        program.inputs,
        program.initializers,
        [name for node in program.nodes for name in node.output if name],
    )
    monkeypatch.setattr(graphs, "make", lambda *_: (everything, OTHER_WAYS[0]))
    found = graphs.run(tmp_path / "case", "suite", number)
    assert found["outcome"] == ("error" if fault == "error" else "differs")
    assert found["signature"].endswith("| Exp | float32")
    small = onnx.load(tmp_path / "case" / "model.onnx")
    assert [node.op_type for node in small.graph.node] == ["Exp"]
    assert "Exp" in found["finding"]


@pytest.mark.parametrize("values", [[9, 9, 8, 8, 8, 7, 7], [-7, -9, -2, -9], [4], [300, 5, -9]])
def test_the_oracle_sums_exponentials_of_integers_as_reals(values: list[int]) -> None:
    node = helper.make_node("ReduceLogSumExp", ["x"], ["y"], keepdims=0)
    (found,) = oracle.apply(node, 18, [np.array(values, np.int32)])
    top = max(values)
    assert found == int(top + math.log(math.fsum(math.exp(v - top) for v in values)))


def test_the_oracle_adds_squares_beyond_their_type() -> None:
    node = helper.make_node("ReduceL2", ["x"], ["y"], axes=[1], keepdims=1)
    x = np.array([[70_000, 80_000], [3, 4]], np.uint32)
    (found,) = oracle.apply(node, 13, [x])
    want = [[math.isqrt(sum(int(v) ** 2 for v in row))] for row in x]
    assert found.dtype == np.uint32 and found.tolist() == want
    with pytest.raises(oracle.Unspecified, match="overflow"):
        oracle.apply(node, 13, [np.full((1, 2), 2**32 - 5, np.uint32)])
    with pytest.raises(oracle.Unspecified, match="rounding decides"):
        oracle.apply(node, 13, [np.full((1, 4), 2**30, np.uint32)])


def test_the_oracle_has_the_types_of_the_schema() -> None:
    x = np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3)
    node = helper.make_node("Pow", ["x", "y"], ["z"])
    assert oracle.apply(node, 15, [x, x.astype(BFLOAT16)])[0].dtype == np.float32
    assert oracle.apply(node, 15, [x.astype(BFLOAT16), x])[0].dtype == BFLOAT16
    node = helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "scale"])
    empty = np.zeros((4, 0), np.float16)
    found = oracle.apply(node, 17, [empty, np.zeros(0, np.float16)])
    assert [a.dtype for a in found] == [np.float16, np.float32, np.float32]


def test_the_oracle_leaves_open_what_padding_times_infinity_is_and_no_more() -> None:
    x, w = np.ones((1, 1, 3, 3), np.float32), np.full((1, 1, 2, 2), np.inf, np.float32)
    plain = helper.make_node("Conv", ["x", "w"], ["y"])
    assert np.isinf(oracle.apply(plain, 11, [x, w])[0]).all()
    for given in ({"pads": [0, 0, 1, 0]}, {"auto_pad": "SAME_UPPER"}):
        node = helper.make_node("Conv", ["x", "w"], ["y"], **given)
        with pytest.raises(oracle.Unspecified, match="padding"):
            oracle.apply(node, 11, [x, w])
        assert np.isinf(oracle.apply(node, 11, [x * np.inf, np.ones_like(w)])[0]).all()
