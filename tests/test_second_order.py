"""Gradients of gradients, against PyTorch: the penalty of a gradient, as training uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from onnx import numpy_helper, parser

import popir

Array = np.ndarray[Any, Any]
Case = tuple[list[int], dict[str, list[int]], str, Callable[..., torch.Tensor]]


def _until_small(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for _ in range(6):
        x = torch.tanh(x @ w)
        if float(x.detach().abs().sum()) <= 1.0:
            break
    return x


INDICES = torch.tensor([0, 2, 4, 2])
CASES: dict[str, Case] = {
    "a network of two layers": (
        [3, 4],
        {"w": [4, 5], "b": [5], "v": [5, 1]},
        "h = MatMul(x, w) a = Add(h, b) t = Tanh(a) y = MatMul(t, v) l = ReduceSum<keepdims=0>(y)",
        lambda x, w, b, v: (torch.tanh(x @ w + b) @ v).sum(),
    ),
    "Gemm": (
        [3, 4],
        {"w": [5, 4], "b": [5]},
        "a = Gemm<transB=1, alpha=0.5, beta=2.0>(x, w, b) t = Softplus(a) "
        "l = ReduceMean<keepdims=0>(t)",
        lambda x, w, b: F.softplus(0.5 * x @ w.T + 2 * b).mean(),
    ),
    "Softmax": (
        [3, 4],
        {"w": [4, 5]},
        "h = MatMul(x, w) p = Softmax<axis=-1>(h) q = Mul(p, p) l = ReduceSum<keepdims=0>(q)",
        lambda x, w: (torch.softmax(x @ w, -1) ** 2).sum(),
    ),
    "LogSoftmax": (
        [3, 4],
        {"w": [4, 5]},
        "h = MatMul(x, w) p = LogSoftmax<axis=-1>(h) q = Mul(p, h) l = ReduceSum<keepdims=0>(q)",
        lambda x, w: (torch.log_softmax(x @ w, -1) * (x @ w)).sum(),
    ),
    "Conv": (
        [2, 4, 7, 6],
        {"w": [6, 2, 3, 2], "b": [6]},
        "h = Conv<group=2, strides=[2, 1], dilations=[1, 2], pads=[1, 0, 2, 1]>(x, w, b) "
        "t = Sigmoid(h) l = ReduceSum<keepdims=0>(t)",
        lambda x, w, b: torch.sigmoid(
            F.conv2d(F.pad(x, (0, 1, 1, 2)), w, b, stride=(2, 1), dilation=(1, 2), groups=2)
        ).sum(),
    ),
    "LayerNormalization": (
        [3, 5],
        {"w": [5], "b": [5]},
        "h = LayerNormalization<epsilon=0.25>(x, w, b) t = Tanh(h) l = ReduceSum<keepdims=0>(t)",
        lambda x, w, b: torch.tanh(F.layer_norm(x, (5,), w, b, 0.25)).sum(),
    ),
    "views": (
        [3, 4],
        {"w": [2, 6]},
        """s = Constant<value_ints=[2, 6]>() r = Reshape(x, s) m = Mul(r, w) t = Transpose(m)
        b = Constant<value_ints=[1]>() e = Constant<value_ints=[6]>()
        a = Constant<value_ints=[0]>() p = Constant<value_ints=[2]>() c = Slice(t, b, e, a, p)
        d = Concat<axis=1>(c, c) f = Exp(d) l = ReduceSum<keepdims=0>(f)""",
        lambda x, w: torch.exp(torch.cat([(x.reshape(2, 6) * w).T[1:6:2]] * 2, 1)).sum(),
    ),
    "Gather": (
        [5, 3],
        {"w": [4, 3]},
        "i = Constant<value_ints=[0, 2, -1, 2]>() r = Gather<axis=0>(x, i) m = Mul(r, w) "
        "t = Sin(m) l = ReduceSum<keepdims=0>(t)",
        lambda x, w: torch.sin(x[INDICES] * w).sum(),
    ),
    "reductions": (
        [3, 4],
        {"w": [3, 4]},
        "m = Mul(x, w) a = Constant<value_ints=[1]>() n = ReduceL2<keepdims=1>(m, a) "
        "q = ReduceLogSumExp<keepdims=1>(m, a) z = Mul(n, q) l = ReduceSum<keepdims=0>(z)",
        lambda x, w: ((x * w).norm(dim=1) * torch.logsumexp(x * w, 1)).sum(),
    ),
    "functions": (
        [3, 4],
        {"w": [4]},
        """c = Constant<value = double {3.0}>() p = Pow(x, c) h = Exp(w) q = Div(p, h) e = Erf(q)
        g = Sigmoid(e) l = ReduceSum<keepdims=0>(g)""",
        lambda x, w: torch.sigmoid(torch.erf(x**3 / torch.exp(w))).sum(),
    ),
    "Split and Expand": (
        [1, 4],
        {"w": [3, 4]},
        "s = Constant<value_ints=[3, 4]>() e = Expand(x, s) m = Mul(e, w) "
        "a, b = Split<axis=1, num_outputs=2>(m) q = Mul(a, b) t = Exp(q) "
        "l = ReduceSum<keepdims=0>(t)",
        lambda x, w: torch.exp((x.expand(3, 4) * w)[:, :2] * (x.expand(3, 4) * w)[:, 2:]).sum(),
    ),
    "Loop with a bound": (
        [2, 3],
        {"w": [3, 3]},
        """n = Constant<value_int=6>() t = Constant<value = bool {1}>()
        r = Loop<body = b (int64 i, bool c, double[2, 3] h) => (bool d, double[2, 3] k) {
            p = MatMul(h, w) k = Tanh(p) a = Abs(k) s = ReduceSum<keepdims=0>(a)
            limit = Constant<value = double {1.0}>() d = Greater(s, limit) }>(n, t, x)
        q = Exp(r) l = ReduceSum<keepdims=0>(q)""",
        lambda x, w: _until_small(x, w).exp().sum(),
    ),
}

PENALTY = """dx = ai.onnx.preview.training.Gradient<xs=["x"], y="l">(x)
    squared = Mul(dx, dx) penalty = ReduceSum<keepdims=0>(squared)"""


@pytest.mark.parametrize("name", CASES)
def test_the_penalty_of_a_gradient(name: str) -> None:
    shape, weights, body, function = CASES[name]
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape) * 0.7
    values = {each: rng.standard_normal(dims) * 0.7 for each, dims in weights.items()}
    dims = ",".join(map(str, shape))
    text = f"""<ir_version: 10, opset_import: ["": 21, "ai.onnx.preview.training": 1]>
    g (double[{dims}] x) => (double l, double penalty) {{ {body} {PENALTY} }}"""
    proto = parser.parse_model(text)
    proto.graph.initializer.extend(numpy_helper.from_array(v, each) for each, v in values.items())

    tensors = {each: torch.tensor(v, requires_grad=True) for each, v in values.items()}
    given = torch.tensor(x, requires_grad=True)
    (slope,) = torch.autograd.grad(function(given, **tensors), given, create_graph=True)
    penalty = (slope**2).sum()
    expected = torch.autograd.grad(penalty, list(tensors.values()), allow_unused=True)

    session = popir.TrainingSession(
        proto,
        popir.DataFlow(1, ["penalty"]),
        "penalty",
        popir.ConstSGD(1.0),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": x}, anchors))
    np.testing.assert_allclose(anchors["penalty"], penalty.item(), rtol=1e-9)
    session.weightsToHost()
    trained = {each: np.empty_like(v) for each, v in values.items()}
    session.readWeights(popir.PyWeightsIO(trained))
    for (each, before), gradient in zip(values.items(), expected, strict=True):
        change = 0 if gradient is None else gradient.numpy()
        np.testing.assert_allclose(before - trained[each], change, rtol=1e-7, atol=1e-9)
