"""Nodes like an earlier one become copies of its operator; others do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir import registry
from popir.onnxio.importer import import_model
from popir.ops.reduction.softmax import SoftmaxOp
from tests.models import floats, run

SHAPE = [4, 6]


def model(nodes: list[Any], constants: dict[str, Any], output: str, opset: int = 17) -> bytes:
    graph = helper.make_graph(
        nodes,
        "alike",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_empty_tensor_value_info(output)],
        [numpy_helper.from_array(np.asarray(value), id) for id, value in constants.items()],
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("test.alike", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


def test_shapes_are_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inferred: list[str] = []
    setup = SoftmaxOp.setup

    def counted(op: SoftmaxOp) -> None:
        inferred.append(op.name())
        setup(op)

    monkeypatch.setattr(SoftmaxOp, "setup", counted)
    axes = [-1, -1, 0, -1, 0]
    ids = ["x", "a", "b", "c", "d", "e"]
    nodes = [
        helper.make_node("Softmax", [read], [made], name=f"node {made}", axis=axis)
        for axis, read, made in zip(axes, ids, ids[1:], strict=False)
    ]
    graph = import_model(model(nodes, {}, "e"))
    assert inferred == ["node a", "node b", "node c"]  # The first reads an input of the model.
    ops = list(graph.ops.values())
    assert [op.name() for op in ops] == [f"node {id}" for id in ids[1:]]
    assert [op.attributes["axis"] for op in ops] == axes
    assert len({op.id for op in ops}) == len(ops)
    assert [(op.inId(0), op.outId(0)) for op in ops] == list(zip(ids, ids[1:], strict=False))
    assert all(op.outShape(0) == SHAPE for op in ops)


def test_what_differs_is_not_repeated() -> None:
    """Constants, attributes, shapes, optional inputs and outputs, against onnxruntime."""
    constants = {
        "to24": np.array([24], np.int64),
        "to46": np.array(SHAPE, np.int64),
        "to64": np.array([6, 4], np.int64),
        "least": np.float32(-0.1),
        "most": np.float32(0.1),
    }
    nodes = [
        helper.make_node("Reshape", ["x", "to24"], ["flat"]),
        helper.make_node("Reshape", ["flat", "to64"], ["tall"]),
        helper.make_node("Reshape", ["flat", "to46"], ["wide"]),
        helper.make_node("Transpose", ["tall"], ["back"], perm=[1, 0]),
        helper.make_node("Transpose", ["wide"], ["same"], perm=[0, 1]),
        helper.make_node("Clip", ["back", "least"], ["from"]),
        helper.make_node("Clip", ["same", "", "most"], ["until"]),
        helper.make_node("Clip", ["from", "least", "most"], ["both"]),
        helper.make_node("Add", ["both", "until"], ["sum"]),
        helper.make_node("Add", ["sum", "least"], ["shifted"]),
        helper.make_node("ReduceSum", ["shifted"], ["total"], keepdims=1),
        helper.make_node("ReduceSum", ["sum"], ["scalar"], keepdims=0),
        helper.make_node("Add", ["total", "scalar"], ["y"]),
    ]
    made = model(nodes, constants, "y")
    x = floats(*SHAPE)
    expected: Any = onnxruntime.InferenceSession(made).run(None, {"x": x})[0]
    np.testing.assert_allclose(run(made, {"x": x}, ["y"])["y"], expected, rtol=1e-5)


def test_integers_computed_at_run_time_are_not_compared() -> None:
    """Each slice has starts of its own origin, which its size depends on."""
    nodes: list[Any] = [
        helper.make_node("Cast", ["x"], ["numbers"], to=TensorProto.INT64),
        helper.make_node("Slice", ["numbers", "zero", "one", "axis"], ["row"]),
        helper.make_node("ReduceMax", ["row"], ["i"], keepdims=0),
        helper.make_node("Unsqueeze", ["i", "zero"], ["start"]),
    ]
    for size in ("one", "two"):
        nodes += [
            helper.make_node("Add", ["start", size], [f"end {size}"]),
            helper.make_node("Slice", ["x", "start", f"end {size}", "axis"], [f"cut {size}"]),
            helper.make_node("ReduceSum", [f"cut {size}"], [f"sum {size}"], keepdims=0),
        ]
    nodes.append(helper.make_node("Sub", ["sum two", "sum one"], ["y"]))
    numbers = {name: np.array([i], np.int64) for i, name in enumerate(["zero", "one", "two"])}
    made = model(nodes, numbers | {"axis": np.array([0], np.int64)}, "y")
    x = np.ones(SHAPE, np.float32)
    expected: Any = onnxruntime.InferenceSession(made).run(None, {"x": x})[0]
    np.testing.assert_allclose(run(made, {"x": x}, ["y"])["y"], expected)


def test_operators_of_users_are_made_each_time() -> None:
    made: list[str] = []

    class CountedOp(popir.Op):
        def setup(self) -> None:
            made.append(self.name())
            self.setOutInfo(0, self.inInfo(0))

    with registry.scoped():
        popir.OpCreator(CountedOp, popir.OperatorIdentifier("test.alike", "Counted", 1))
        ids = ["x", "a", "b", "c"]
        nodes = [
            helper.make_node("Counted", [read], [id], name=id, domain="test.alike")
            for read, id in zip(ids, ids[1:], strict=False)
        ]
        import_model(model(nodes, {}, "c"))
    assert made == ids[1:]


def test_an_output_that_exists_is_refused() -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Relu", ["x"], ["y"])]
    with pytest.raises(popir.ModelError, match="defines 'y', which the model has already"):
        import_model(model(nodes, {}, "y"))
