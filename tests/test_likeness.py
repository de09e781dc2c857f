"""Numbers of operators: the same for those that are alike, others for those that differ at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir._device.popart import Likeness
from popir.ir import Op

NODES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "class": ("Sigmoid", ["x"], {}),
    "attribute": ("LeakyRelu", ["x"], {"alpha": 0.2}),
    "attribute's sign": ("LeakyRelu", ["x"], {"alpha": -0.2}),
    "shape": ("Relu", ["turned"], {}),
    "type": ("Relu", ["half"], {}),
    "kind of tensor": ("Relu", ["w"], {}),
    "inputs": ("Clip", ["x", "low"], {}),
    "place of an input": ("Clip", ["x", "", "low"], {}),
    "constant": ("Clip", ["x", "high"], {}),
    "constant's sign": ("Clip", ["x", "zero"], {}),
    "constant's other sign": ("Clip", ["x", "negative"], {}),
    "list": ("Transpose", ["cube"], {"perm": [0, 2, 1]}),
    "another list": ("Transpose", ["cube"], {"perm": [2, 1, 0]}),
}


@pytest.fixture
def ops() -> dict[str, list[Op]]:
    """Each of the operators three times, under different names and with other outputs."""
    values = {"low": 0.1, "high": 0.7, "zero": 0.0, "negative": -0.0}
    constants = [helper.make_node("Constant", [], [id], value_float=v) for id, v in values.items()]
    weights = [numpy_helper.from_array(np.ones([2, 3], np.float32), "w")]
    shapes = {"x": [2, 3], "turned": [3, 2], "cube": [2, 2, 2]}
    inputs = [helper.make_tensor_value_info(id, TensorProto.FLOAT, s) for id, s in shapes.items()]
    inputs.append(helper.make_tensor_value_info("half", TensorProto.FLOAT16, [2, 3]))
    made = {
        f"{what} {n}": helper.make_node(type, given, [f"{what} {n}"], name=f"{what}/{n}", **notes)
        for n in range(3)
        for what, (type, given, notes) in NODES.items()
    }
    outputs = [helper.make_empty_tensor_value_info(id) for id in made]
    graph = helper.make_graph([*constants, *made.values()], "alike", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = popir.InferenceSession(
        model.SerializeToString(),
        popir.DataFlow(1, list(made)),
        popir.DeviceManager().createCpuDevice(),
        patterns=popir.Patterns([]).enableRuntimeAsserts(False),
    )
    found = {t.id: op for op in session.graph.ops.values() for t in op.output.values()}
    return {what: [found[f"{what} {n}"] for n in range(3)] for what in NODES}


def test_what_differs_has_another_number(ops: dict[str, list[Op]]) -> None:
    likeness = Likeness()
    numbers = {what: {likeness.of(op) for op in alike} for what, alike in ops.items()}
    assert all(len(found) == 1 for found in numbers.values()), numbers
    assert len({*map(min, numbers.values())}) == len(NODES), numbers


def test_annotations_count(ops: dict[str, list[Op]]) -> None:
    for n, op in enumerate(ops["class"]):
        op.settings.nodeAttributes["note"] = [n // 2]
    likeness = Likeness()
    first, second, third = map(likeness.of, ops["class"])
    assert first == second != third


def test_a_member_counts_whatever_it_holds(ops: dict[str, list[Op]]) -> None:
    a, b, c = ops["class"]
    likeness = Likeness()
    for same, other in [
        (1, 2),
        (1, True),
        (1, 1.0),
        (2**70, 2**71),
        ("a", "b"),
        ("", None),
        ([1], (1,)),
        ([1, [2]], [1, 2]),
        ({"a": 1}, {"a": 2}),
        (popir.TensorInfo("FLOAT", [2]), popir.TensorInfo("FLOAT", [3])),
    ]:
        for op, value in (a, same), (b, same), (c, other):
            vars(op)["member"] = value
        assert likeness.of(a) == likeness.of(b), same
        assert likeness.of(a) != likeness.of(c), (same, other)
