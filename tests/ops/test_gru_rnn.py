"""GRU and RNN: what they refuse, and layers of PyTorch."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.onnxio.importer import import_model
from tests.models import floats, run
from tests.ops.control.models import gradients

T, N, INPUTS, H = 4, 2, 3, 5
GATES = {"GRU": 3, "RNN": 1}


def model_of(
    type: str,
    weights: list[int] | None = None,
    recurrent: list[int] | None = None,
    more: dict[str, Any] | None = None,
    time: int = T,
    dtype: Any = np.float32,
    **attributes: Any,
) -> onnx.ModelProto:
    gates = GATES[type] * H
    code = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    x = helper.make_tensor_value_info("x", code, [time, N, INPUTS])
    tensors = {
        "w": floats(*(weights or [1, gates, INPUTS]), seed=1).astype(dtype),
        "r": floats(*(recurrent or [1, gates, H]), seed=2).astype(dtype),
        **(more or {}),
    }
    names = ["x", "w", "r"]
    names += [name if name in tensors else "" for name in ("b", "lengths", "h")]
    node = helper.make_node(type, names, ["y", "last"], **attributes)
    outputs = [onnx.ValueInfoProto(name=name) for name in ("y", "last")]
    initializers = [numpy_helper.from_array(value, name) for name, value in tensors.items()]
    graph = helper.make_graph([node], type, [x], outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=10)


@pytest.mark.parametrize("type", ["GRU", "RNN"])
@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"direction": "sideways"}, "'sideways'.*forward, reverse, bidirectional"),
        ({"hidden_size": 7}, "hidden_size is 7, which does not match R, of 5 units"),
        ({"activations": ["Tanh"] * 5}, "there must be . for each of the 1 directions"),
        ({"activations": ["Step", "Tanh"]}, "'Step' is not known|must be 1 for each of the 1"),
        ({"clip": -1.0}, "'clip' is -1.0; it must be above 0"),
        ({"activation_alpha": [0.5]}, r"'activation_alpha' has 1 numbers, \[0.5\]"),
    ],
)
def test_attributes_that_do_not_fit(type: str, attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(OperatorAttributeError, match=words):
        import_model(model_of(type, **attributes).SerializeToString())


@pytest.mark.parametrize("type", ["GRU", "RNN"])
@pytest.mark.parametrize(
    ("shapes", "more", "words"),
    [
        (([2, 15, 3], None), {}, r"W has shape \[2, 15, 3\]; for X \[4, 2, 3\] and 5 hidden units"),
        ((None, [1, 14, 5]), {}, r"R has shape \[1, 14, 5\]"),
        ((None, [15, 5]), {}, r"R \[15, 5\]; both must have three dimensions"),
        ((None, None), {"b": floats(1, 7)}, r"B has shape \[1, 7\]"),
        ((None, None), {"h": floats(2, 5)}, r"initial_h has shape \[2, 5\].*\[1, 2, 5\]"),
        ((None, None), {"lengths": np.int32([1])}, r"sequence_lens has shape \[1\].*\[2\]"),
    ],
)
def test_shapes_that_do_not_fit(type: str, shapes: Any, more: Any, words: str) -> None:
    with pytest.raises(OperatorInputError, match=words):
        import_model(model_of(type, *shapes, more).SerializeToString())


@pytest.mark.parametrize("type", ["GRU", "RNN"])
def test_no_time_steps(type: str) -> None:
    model = model_of(type, more={"h": floats(1, N, H)}, time=0)
    found = run(
        model.SerializeToString(), {"x": np.zeros((0, N, INPUTS), np.float32)}, ["y", "last"]
    )
    assert found["y"].shape == (0, 1, N, H)
    np.testing.assert_array_equal(found["last"], floats(1, N, H))


@pytest.mark.parametrize("type", ["GRU", "RNN"])
def test_half_is_computed_in_float(type: str) -> None:
    """The result differs from that in float, of the same numbers, by one rounding."""
    x = floats(T, N, INPUTS, seed=3).astype(np.float16)
    half = run(model_of(type, dtype=np.float16).SerializeToString(), {"x": x}, ["y"])["y"]
    wide = model_of(type)
    for tensor in wide.graph.initializer:
        rounded = numpy_helper.to_array(tensor).astype(np.float16).astype(np.float32)
        tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    whole = run(wide.SerializeToString(), {"x": x.astype(np.float32)}, ["y"])["y"]
    assert half.dtype == np.float16
    np.testing.assert_allclose(half.astype(np.float32), whole, 2.0**-11, 1e-7)


@pytest.mark.parametrize("layer", [torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.filterwarnings("ignore")
def test_layers_of_pytorch(layer: Any, both: bool) -> None:
    torch.manual_seed(0)
    module = layer(INPUTS, H, num_layers=2, bidirectional=both)
    x = torch.tensor(floats(T, N, INPUTS, seed=3), requires_grad=True)
    file = io.BytesIO()
    torch.onnx.export(
        module, (x,), file, input_names=["x"], output_names=["y", "last"], dynamo=False
    )
    model = onnx.load_from_string(file.getvalue())
    y, last = module(x)
    given = {"x": floats(T, N, INPUTS, seed=3)}
    found = run(model.SerializeToString(), given, ["y", "last"])
    np.testing.assert_allclose(found["y"], y.detach().numpy(), 1e-5, 1e-6)
    np.testing.assert_allclose(found["last"], last.detach().numpy(), 1e-5, 1e-6)
    factors = {"y": floats(*y.shape, seed=4), "last": floats(*last.shape, seed=5)}
    sum((t * torch.tensor(factors[id])).sum() for id, t in (("y", y), ("last", last))).backward()
    assert x.grad is not None
    gradient = gradients(model, given, factors, ["x"])["x"]
    np.testing.assert_allclose(gradient, x.grad.numpy(), 1e-4, 1e-5)
