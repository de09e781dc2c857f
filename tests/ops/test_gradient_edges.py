"""Gradients where a derivative does not exist or divides by 0, beside PyTorch's choice.

A row either agrees with PyTorch or says what is chosen here; docs/losses.md has these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, ValueInfoProto, helper

from tests.models import step, training_session

INF, NAN = float("inf"), float("nan")
Rows = Sequence[Any]


@dataclass(frozen=True)
class Edge:
    """An operator at points where its gradient is a matter of choice."""

    type: str
    inputs: Sequence[Rows]
    torch: Callable[..., torch.Tensor]
    """The same function."""
    chosen: Sequence[Rows | None] = ()
    """The gradient of each input where it is not PyTorch's; None where it is."""
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = ""
    opset: int = 20


_AXES: dict[str, Any] = {"attributes": {"axes": [1]}, "opset": 13}
_SATURATED = [[[-INF, -INF], [3, -INF], [500, -500]]]
_GRAPHCORE: dict[str, Any] = {"domain": "ai.graphcore"}
EDGES = [
    Edge("Pow", [[0, 0, 0, 0, 2], [0, 1, 2, 0.5, 0]], torch.pow),
    # Towards the exponent of a base that is not positive: 0, where PyTorch has NaN and -infinity.
    Edge("Pow", [[-2, -2, 0], [2, 3, -1]], torch.pow, [None, [0, 0, 0]]),
    Edge("Sqrt", [[0, 1, -1]], torch.sqrt),
    Edge("Div", [[0, 1, 0, 1e-30], [0, 0, 1, 1e-30]], torch.div),
    Edge("Div", [[1e30, 1], [1e30, 1e25]], torch.div),
    Edge("Reciprocal", [[0, 1e-30]], torch.reciprocal),
    Edge("Log", [[0, -1]], torch.log),
    Edge("Abs", [[0, -0.0, NAN]], torch.abs),
    Edge("Relu", [[0, -0.0]], torch.relu),
    Edge("PRelu", [[[0, -0.0, 1, -1]], [0.25] * 4], torch.nn.functional.prelu),
    Edge("LeakyRelu", [[0, -1, 1]], torch.nn.functional.leaky_relu, chosen=[[1, 0.01, 1]]),
    Edge("Softplus", [[0, 200, -200]], torch.nn.functional.softplus),
    Edge("Elu", [[0, 200, -200]], torch.nn.functional.elu),
    Edge("Gelu", [[0, 50, -50, 1e20]], torch.nn.functional.gelu),
    Edge("Max", [[1, 2], [1, 1]], torch.maximum),
    Edge("Min", [[1, 2], [1, 1]], torch.minimum),
    Edge("Max", [[3, 5, 5, 4]] * 5, lambda *xs: torch.stack(xs).amax(0)),
    Edge("Max", [[[3, 5], [3, 6]], [[3], [7]], [3, 5]],
         lambda *xs: torch.stack(torch.broadcast_tensors(*xs)).amax(0)),
    Edge("Min", [[3, 5, 0, -INF], [3, 7, -0.0, -INF], [3, 5, -1, 2]],
         lambda *xs: torch.stack(xs).amin(0)),
    Edge("Clip", [[-1, 0, 1, 2, 3]], lambda x: x.clamp(0, 2), attributes={"min": 0.0, "max": 2.0},
         opset=6),
    Edge("Atan2", [[0, 0, 1], [0, 1, 0]], torch.atan2, **_GRAPHCORE),
    Edge("Log1p", [[-1, 0]], torch.log1p, **_GRAPHCORE),
    Edge("Swish", [[0, -200, 200]], torch.nn.functional.silu, **_GRAPHCORE),
    Edge("ReduceL2", [[[0, 0], [3, 4]]], lambda x: torch.linalg.vector_norm(x, dim=1), **_AXES),
    Edge("ReduceL1", [[[0, 0], [3, -4]]], lambda x: x.norm(1, 1), **_AXES),
    Edge("ReduceLogSum", [[[0, 0], [3, 4]]], lambda x: x.sum(1).log(), **_AXES),
    Edge("ReduceLogSumExp", _SATURATED, lambda x: x.logsumexp(1), **_AXES),
    Edge("ReduceMax", [[[1, 1, 0], [3, 4, -INF]]], lambda x: x.amax(1), **_AXES),
    Edge("ReduceMin", [[[1, 1, 1], [3, 4, 3]]], lambda x: x.amin(1), **_AXES),
    Edge("ReduceMax", [[[1, 2, 2], [2, -INF, 2]]], torch.amax, opset=13),
    Edge("ReduceMin", [[[1, 2, 2], [2, -INF, -INF]]], lambda x: x.amin(0),
         attributes={"axes": [0], "keepdims": 0}, opset=13),
    Edge("Softmax", _SATURATED, lambda x: x.softmax(1)),
    Edge("LogSoftmax", _SATURATED, lambda x: x.log_softmax(1)),
]  # fmt: skip


def gradients(edge: Edge, dtype: Any = np.float32) -> list[np.ndarray[Any, Any]]:
    """Of the sum of all results, with respect to each input."""
    arrays = {f"x{i}": np.array(given, dtype) for i, given in enumerate(edge.inputs)}
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    nodes = [
        helper.make_node(edge.type, list(arrays), ["y"], domain=edge.domain, **edge.attributes),
        helper.make_node("IdentityLoss", ["y"], ["loss"], domain="ai.graphcore", reduction="Sum"),
    ]
    inputs = [helper.make_tensor_value_info(id, kind, a.shape) for id, a in arrays.items()]
    inputs.append(helper.make_tensor_value_info("none", TensorProto.FLOAT, [1]))
    graph = helper.make_graph(nodes, "edge", inputs, [ValueInfoProto(name="loss")])
    imports = [helper.make_opsetid("", edge.opset), helper.make_opsetid("ai.graphcore", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    anchors = [f"Gradient___{id}" for id in arrays]
    session = training_session(model, "loss", anchors)
    found = step(session, arrays)
    return [found[id] for id in anchors]


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.type)
def test_a_gradient_is_pytorchs_or_says_so(edge: Edge) -> None:
    tensors = [torch.tensor(np.array(x, np.float32), requires_grad=True) for x in edge.inputs]
    edge.torch(*tensors).sum().backward()
    found = gradients(edge)
    for own, chosen, tensor in itertools.zip_longest(found, edge.chosen, tensors):
        theirs = tensor.grad.numpy()
        np.testing.assert_allclose(own, theirs if chosen is None else chosen, rtol=1e-5)
        if chosen is not None:
            assert not np.array_equal(theirs, chosen), "there is no difference to be named"


_ZEROS = np.array([[[2, 0, 3], [1, 4, 5]], [[0, 0, 7], [-2, 0, 1]]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [1, 2], [0, 1, 2]], ids=str)
def test_the_gradient_of_a_product_with_zeros(axes: list[int], keepdims: int, dtype: Any) -> None:
    attributes = {"axes": axes, "keepdims": keepdims}
    (found,) = gradients(
        Edge("ReduceProd", [_ZEROS], torch.prod, attributes=attributes, opset=13), dtype
    )
    x = torch.tensor(_ZEROS.astype(np.float64), requires_grad=True)
    product = x
    for axis in reversed(axes):
        product = product.prod(axis)
    product.sum().backward()
    np.testing.assert_allclose(found, x.grad.numpy(), rtol=1e-3 if dtype is np.float16 else 1e-6)


def test_the_gradient_of_a_product_of_many_in_half() -> None:
    """Products of some of the elements are beyond half; those that are asked for are not."""
    x = np.array([[8.0] * 8 + [0.125] * 8])
    (found,) = gradients(Edge("ReduceProd", [x], torch.prod, **_AXES), np.float16)
    np.testing.assert_allclose(found, 1 / x, rtol=1e-3)


def test_a_sum_of_gradients_without_elements() -> None:
    """The first of them is a view of one number, which the sum is written over."""
    body = "a = Abs(t) b = Mul(a, u) c = ReduceSum<keepdims = 0>(a) d = ReduceSum<keepdims = 0>(b)"
    text = f"g (float[0] t, float[0] u) => (float loss) {{ {body} loss = Add(c, d) }}"
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 20]> {text}')
    session = training_session(model, "loss", ["loss", "Gradient___t"])
    empty = np.zeros(0, np.float32)
    found = step(session, {"t": empty, "u": empty})
    assert found["loss"] == 0 and found["Gradient___t"].shape == (0,)
