"""Constant folding: what is known when a model is imported is computed then."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import popir
from popir import registry
from popir.errors import OperatorInputError, popart_exception
from popir.ir import Graph, TensorType
from popir.onnxio.importer import import_model
from popir.types import TensorInfo
from tests.models import floats, run

Array = np.ndarray[Any, Any]


def model_of(nodes: list[onnx.NodeProto], opset: int = 17, **initializers: Any) -> onnx.ModelProto:
    """From the input x, FLOAT [2, 3, 4], to y."""
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3, 4])
    tensors = [numpy_helper.from_array(np.asarray(a), name) for name, a in initializers.items()]
    y = onnx.ValueInfoProto(name="y")
    graph = helper.make_graph(nodes, "folded", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(type: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(type, inputs.split(), [output], **attributes)


def types(graph: Graph) -> list[str]:
    return [op.opid.type for op in graph.ops.values()]


FLATTENING = [
    node("Shape", "x", "shape"),
    node("Slice", "shape zero one", "first"),
    node("Gather", "shape one", "rest"),
    node("Cast", "rest", "float", to=onnx.TensorProto.FLOAT),
    node("Mul", "float four", "product"),
    node("Cast", "product", "integer", to=onnx.TensorProto.INT64),
    node("Mod", "integer large", "same"),
    node("Div", "same sign", "positive"),
    node("Concat", "first positive", "target", axis=0),
    node("Reshape", "x target", "y"),
]
NUMBERS = {"zero": [0], "one": [1], "large": [13], "sign": [1]}


def test_the_shape_arithmetic_of_exporters_is_gone() -> None:
    four = helper.make_node("Constant", [], ["four"], value_floats=[4.0])
    model = model_of([four, *FLATTENING], **{k: np.array(v) for k, v in NUMBERS.items()})
    graph = import_model(model)
    assert types(graph) == ["Reshape"]
    assert graph.tensors["target"].tensorType is TensorType.Const
    x = floats(2, 3, 4)
    np.testing.assert_array_equal(run(model, {"x": x}, ["y"])["y"], x.reshape(2, 12))


@pytest.mark.parametrize("value", [-7, 7, 2**60 + 1])
@pytest.mark.parametrize("divisor", [-2, 2])
def test_integers_divide_as_on_the_device(value: int, divisor: int) -> None:
    a, b = np.array([value]), np.array([divisor])
    folded = import_model(model_of([node("Div", "a b", "y")], a=a, b=b))
    exact = abs(value) // 2 * (1 if (value < 0) == (divisor < 0) else -1)
    assert folded.tensors["y"].data == [exact]


def test_weights_are_no_constants() -> None:
    graph = import_model(model_of([node("Mul", "w w", "y")], w=floats(3)))
    assert types(graph) == ["Mul"]


def test_large_results_are_left_to_the_device_and_views_are_not() -> None:
    shape = np.array([1000, 100000])
    nodes = [
        node("ConstantOfShape", "shape", "ones", value=numpy_helper.from_array(np.ones(1, "f"))),
        node("Transpose", "ones", "turned"),
        node("Neg", "turned", "y"),
    ]
    graph = import_model(model_of(nodes, shape=shape))
    assert types(graph) == ["Neg"]
    turned = graph.tensors["turned"].data
    assert turned is not None and turned.shape == (100000, 1000) and turned.strides == (0, 0)


def test_numbers_that_do_not_fit_are_left_to_the_device() -> None:
    large = helper.make_node("Constant", [], ["large"], value_floats=[1e30])
    graph = import_model(model_of([large, node("Cast", "large", "y", to=onnx.TensorProto.INT32)]))
    assert types(graph) == ["Cast"]


def test_an_output_that_was_folded_is_returned() -> None:
    model = model_of([node("Shape", "x", "y")])
    np.testing.assert_array_equal(run(model, {"x": floats(2, 3, 4)}, ["y"])["y"], [2, 3, 4])


class BrokenOp(popir.Op):
    def setup(self) -> None:
        self.setOutInfo(0, TensorInfo("FLOAT", [1]))

    def evaluate(self, inputs: Any) -> list[Array] | None:
        raise ZeroDivisionError("no way")


def test_an_evaluate_that_fails_is_named() -> None:
    model = model_of([helper.make_node("Broken", ["x"], ["y"], domain="com.acme")])
    model.opset_import.append(helper.make_opsetid("com.acme", 1))
    with registry.scoped():
        popir.OpCreator(BrokenOp, [popir.OperatorIdentifier("com.acme", "Broken", 1)])
        with pytest.raises(popart_exception, match=r"BrokenOp.evaluate\(\) failed.*no way"):
            import_model(model)


@pytest.mark.parametrize(
    ("made", "initializers", "words"),
    [
        (node("Gather", "shape i", "y"), {"i": [3]}, "index of 3 to 3 is outside.*0 of \\[3\\]"),
        (node("Range", "zero i zero", "y"), {"i": 3, "zero": 0}, "delta is 0"),
        (node("Range", "i i i", "y"), {"i": [1, 2]}, r"input 0 has shape \[2\].*three scalars"),
        (node("ConstantOfShape", "i", "y"), {"i": [2, -1]}, r"\[2, -1\] has a negative dim"),
        (node("Tile", "x i", "y"), {"i": [1, 2]}, r"repeats are \[1, 2\].*\[2, 3, 4\]"),
        (node("Expand", "x i", "y"), {"i": [5]}, r"\[2, 3, 4\], \[5\] do not broadcast"),
        (node("Trilu", "i", "y"), {"i": [5]}, r"shape \[1\]; Trilu takes matrices"),
    ],
)
def test_what_does_not_fit(made: onnx.NodeProto, initializers: Any, words: str) -> None:
    arrays = {name: np.array(value) for name, value in initializers.items()}
    with pytest.raises(OperatorInputError, match=words):
        import_model(model_of([node("Shape", "x", "shape"), made], **arrays))


def test_a_folded_scalar_is_an_array() -> None:
    """Of which a copy can be made a constant of another graph, as outlining does."""
    nodes = [node("Gather", "list which", "one"), node("Cast", "x", "xs", to=7)]
    nodes.append(node("Mul", "xs one", "y"))
    initializers = {"list": np.array([3, 5]), "which": np.array(1)}
    graph = import_model(model_of(nodes, **initializers))
    found = graph.getTensor("one").data
    assert isinstance(found, np.ndarray)
    assert found.shape == ()
    assert found == 5
