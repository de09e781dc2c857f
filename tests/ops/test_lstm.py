"""What an LSTM refuses."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import helper, numpy_helper

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.onnxio.importer import import_model
from tests.models import floats

T, N, INPUTS, H = 4, 2, 3, 5


def model_of(weights: list[int], recurrent: list[int], **attributes: Any) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [T, N, INPUTS])
    tensors = [
        numpy_helper.from_array(floats(*shape), name)
        for name, shape in (("w", weights), ("r", recurrent))
    ]
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], **attributes)
    graph = helper.make_graph([node], "lstm", [x], [onnx.ValueInfoProto(name="y")], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"direction": "sideways"}, "'sideways'.*forward, reverse, bidirectional"),
        ({"hidden_size": 7}, "hidden_size is 7, R has 5 units"),
        ({"activations": ["Sigmoid", "Tanh"]}, "three for each of the 1 directions"),
        ({"activations": ["Sigmoid", "Tanh", "Step"]}, "'Step' is not known; known are sigmoid"),
    ],
)
def test_attributes_that_do_not_fit(attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(OperatorAttributeError, match=words):
        import_model(model_of([1, 4 * H, INPUTS], [1, 4 * H, H], **attributes))


@pytest.mark.parametrize(
    ("weights", "recurrent", "words"),
    [
        ([1, 4 * H, INPUTS + 1], [1, 4 * H, H], r"input 1 has shape \[1, 20, 4\].*\[1, 20, 3\]"),
        ([1, 4 * H, INPUTS], [1, 3 * H, H], r"input 2 has shape \[1, 15, 5\].*\[1, 20, 5\]"),
        ([1, 4 * H, INPUTS], [4 * H, H], r"R \[20, 5\]; both must have three dimensions"),
    ],
)
def test_shapes_that_do_not_fit(weights: list[int], recurrent: list[int], words: str) -> None:
    with pytest.raises(OperatorInputError, match=words):
        import_model(model_of(weights, recurrent))
