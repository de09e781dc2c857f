"""A few of the cases of `python -m tests.fuzz gradients`, and whether it would notice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from popir import registry
from tests.fuzz import gradients, oracle, torch_ops
from tests.fuzz.gradients import LOSS, by_torch, in_turn, make
from tests.fuzz.graphs import Way
from tests.fuzz.programs import Program
from tests.fuzz.runner import fuzz

_OTHERS = {"ai.onnx.ml", "com.microsoft", "ai.graphcore.tensorflow", "ai.habana", "org.openxla"}


def test_random_training_graphs() -> None:
    totals = fuzz("gradients", range(40), "suite", 60, 1)
    assert totals.cases == 40
    assert not totals.findings
    assert sum(n for what, n in totals.outcomes.items() if "equal" in what) > 35


def test_gradients_that_nearly_cancel_are_compared_within_their_roundings() -> None:
    # A normalisation behind another leaves the first one's variance a millionth of the terms.
    program, other = make("128001", 1259)
    assert [n.op_type for n in program.nodes].count("BatchNormalization") == 2
    assert gradients.judge(program, other).outcome == "equal"


def test_every_operator_with_a_gradient_has_a_counterpart() -> None:
    """But for casts and ai.onnx.ml, which change the precision, for what draws random numbers or
    prints, for remainders by attributes, for operators with a graph, for those without doubles,
    for onnxruntime's operators, which consist of those that have one, for those of libraries,
    which `tests/foreign` differentiates, and for collectives, which `tests/replicas` does.
    """
    known = {
        (entry.opid.domain, entry.opid.type)
        for entry in registry.entries()
        if entry.source == registry.BUILT_IN and entry.isPublic and entry.hasGradOps
        if entry.opid.domain not in _OTHERS
    }
    compared = {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor"}
    bits = {f"Bitwise{name}" for name in ("And", "Or", "Xor", "Xnor", "Not")}
    none = {"Cast", "CastLike", "Dropout", "Not", "IsNaN", "IsInf", *compared, *bits}
    none |= {"BitShift", "DequantizeLinear", "ShapedDropout", "PrintTensor", "PackedDataBlock"}
    none |= {"IncrementMod", "NormalizeImage", "SplineBasis", "SplineWeighting", "Ctc"}
    none |= {"RandomNormalLike", "RandomUniformLike"}
    none |= {f"Replicated{what}" for what in ("AllGather", "AllReduce", "ReduceScatter")}
    assert sorted(k for k in known - set(torch_ops.OPERATORS) if k[1] not in none) == []


def test_pytorch_computes_what_onnxruntime_does() -> None:
    """The counterparts are checked by the forward pass."""
    compared = 0
    for n in range(60):
        program, _ = make("counterparts", n)
        try:
            loss = by_torch(program)[LOSS]
            want = program.evaluated()[LOSS]
        except (torch_ops.Unknown, oracle.Refused):
            continue
        np.testing.assert_allclose(loss, want, rtol=1e-6, atol=1e-6)
        compared += 1
    assert compared > 30


def test_layers_share_statistics_in_turn() -> None:
    """Also behind an identity; but not what is read as something else too, which becomes a
    statistic of its own; and one layer may not update one statistic twice.
    """

    def layer(n: int, mean: str, variance: str) -> onnx.NodeProto:
        outputs = [f"y{n}", f"mean{n}", f"variance{n}"]
        ins = ["x", "scale", "bias", mean, variance]
        return helper.make_node("BatchNormalization", ins, outputs, training_mode=1)

    def read(*nodes: onnx.NodeProto) -> list[list[str]]:
        found, twice = in_turn(nodes, 15, {"m", "v", "w"})
        assert not twice
        return [list(node.input[3:]) for node in found if node.op_type != "Identity"]

    one, other = (helper.make_node("Identity", ["m"], [name]) for name in ("one", "other"))
    assert read(
        one, layer(0, "one", "v"), other, layer(1, "other", "w"), layer(2, "mean0", "v")
    ) == [
        ["one", "v"],
        ["mean0", "w"],
        ["mean0", "variance0"],
    ]
    assert read(layer(0, "m", "v"), other, layer(1, "other", "v")) == [
        ["m", "v"],
        ["other", "variance0"],
    ]
    assert read(layer(0, "m", "m"), other) == [["m", "m"]]
    assert in_turn([layer(0, "m", "v"), layer(1, "variance0", "v")], 15, {"m", "v"})[1] == {"v"}


@pytest.mark.parametrize("fault", ["wrong", "way"])
def test_a_wrong_gradient_is_noticed_and_reduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def has_tanh(program: Program) -> bool:
        types = [node.op_type for node in program.nodes]
        return "Tanh" in types and len(types) > 8

    number = next(n for n in range(10_000) if has_tanh(make("suite", n)[0]))
    right = gradients.by_popir

    def faulty(program: Program, names: Sequence[str], way: Way) -> dict[str, np.ndarray]:
        found = right(program, names, way)
        for node in program.nodes:
            if node.op_type == "Tanh" and (fault == "wrong" or way != Way()):
                for name in names:
                    found[name] = found[name] * (1 + 1e-8)
        return found

    monkeypatch.setattr(gradients, "by_popir", faulty)
    found = gradients.run(tmp_path / "case", "suite", number)
    assert found["outcome"] == "differs"
    small = onnx.load(tmp_path / "case" / "model.onnx")
    types = {node.op_type for node in small.graph.node}
    # What it takes, and at most a node that shapes what Tanh is given.
    assert types >= {"Tanh", "Mul", "ReduceSum", "Sum"}
    assert len(types) < 6
    assert ("popir has" if fault == "wrong" else "depends on") in found["finding"]
