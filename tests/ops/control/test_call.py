"""PopART's Call of a graph in a model."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

from popir.errors import popart_exception
from popir.onnxio.importer import import_model
from tests.models import floats
from tests.ops.control.models import gradients, results


def called(inputs: int = 1) -> onnx.ModelProto:
    """y = exp(x) w, in a graph that is called; w is read around it."""
    empty = onnx.ValueInfoProto
    inside = [
        helper.make_node("Exp", ["a"], ["e"]),
        helper.make_node("MatMul", ["e", "w"], ["r"]),
    ]
    callee = helper.make_graph(inside, "callee", [empty(name="a")], [empty(name="r")])
    call = helper.make_node("Call", ["x"] * inputs, ["y"], domain="ai.graphcore", callee=callee)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 3])
    w = numpy_helper.from_array(floats(3, 3, seed=1), "w")
    graph = helper.make_graph([call], "g", [x], [empty(name="y")], [w])
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("ai.graphcore", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def test_forward_and_gradient() -> None:
    x, w, factor = floats(2, 3), floats(3, 3, seed=1), floats(2, 3, seed=2)
    (found,) = results(called(), {"x": x})
    np.testing.assert_allclose(found, np.exp(x) @ w, 1e-5, 1e-6)
    given = gradients(called(), {"x": x}, {"y": factor}, ["x", "w"])
    tensors = {"x": torch.tensor(x, requires_grad=True), "w": torch.tensor(w, requires_grad=True)}
    ((tensors["x"].exp() @ tensors["w"]) * torch.tensor(factor)).sum().backward()
    for id, tensor in tensors.items():
        assert tensor.grad is not None
        np.testing.assert_allclose(given[id], tensor.grad.numpy(), 1e-5, 1e-6)


def test_another_number_of_inputs() -> None:
    with pytest.raises(popart_exception, match="the graph has 1 inputs and 1 outputs, the node 2"):
        import_model(called(2).SerializeToString())
