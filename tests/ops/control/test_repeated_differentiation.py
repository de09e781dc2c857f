"""Gradients of the second and third order through loops whose number of iterations only the run
knows, against PyTorch.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper, parser

import popir
from tests.models import Array, floats, step, training_session

HEADER = '<ir_version: 10, opset_import: ["": 22, "ai.onnx.preview.training": 1]>'
TRIPS = {
    "constant": ("", "t = Constant<value_int = 5>()"),
    "bounded": (", int64 n", "most = Constant<value_int = 6>() t = Min(n, most)"),
    "bounded by more than any memory holds": (
        ", int64 n",
        f"most = Constant<value_int = {1 << 40}>() t = Min(n, most)",
    ),
    "unbounded": (", int64 n", "t = Identity(n)"),
    "of one dimension": (", int64[1] n", "t = Identity(n)"),
}
"""For each: a further input of the model, and what the trip count is."""
CONDITIONS = {
    "always": "d = Identity(c)",
    "small": "z = ReduceL1<keepdims = 0>(k) d = Less(z, four)",
}


def penalty(order: int, given: str, trip: str, condition: str) -> onnx.ModelProto:
    """A loop, whose iterations differ; and the squares of its gradient with respect to x, whose
    gradient with respect to w is of order 2. For order 3 that of the squares of this takes part.
    """
    text = f"""{HEADER}
    g (double[3] x{given}) => (double loss) <double[3] w> {{
        {trip} true = Constant<value = bool {{1}}>() four = Constant<value = double {{4.0}}>()
        half = Constant<value = double {{0.5}}>() m = Mul(x, w)
        y = Loop<body = b (int64 i, bool c, double[3] h) => (bool d, double[3] k) {{
            j = Cast<to = 11>(i) r = Mul(j, half) a = Mul(h, m) p = Tanh(a) q = Mul(p, r)
            u = Sin(q) k = Add(u, p) {condition} }}>(t, true, m)
        loss_1 = ReduceSum<keepdims = 0>(y)
        """
    for n in range(1, order):
        text += f"""x_{n} = ai.onnx.preview.training.Gradient<xs = ["x"], y = "loss_{n}">(x)
            squares_{n} = Mul(x_{n}, x_{n}) loss_{n + 1} = ReduceSum<keepdims = 0>(squares_{n})
            """
    return parser.parse_model(f"{text} loss = Identity(loss_{order}) }}")


def by_torch(order: int, count: int, stops: bool, x: Array, w: Array) -> tuple[float, Array, int]:
    """The loss, its gradient with respect to w, and the number of iterations."""
    a, b = (torch.tensor(each, requires_grad=True) for each in (x, w))
    h = m = a * b
    done = 0
    for i in range(count):
        p = torch.tanh(h * m)
        h, done = torch.sin(p * (i * 0.5)) + p, done + 1
        if stops and float(h.detach().abs().sum()) >= 4.0:
            break
    loss = h.sum()
    for _ in range(1, order):
        (g,) = torch.autograd.grad(loss, a, create_graph=True, materialize_grads=True)
        loss = (g * g).sum() + 0 * b.sum()
    loss.backward()
    assert b.grad is not None
    return float(loss.detach()), b.grad.numpy(), done


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("trip", TRIPS)
def test_a_loop(trip: str, condition: str) -> None:
    given, made = TRIPS[trip]
    counts = set()
    for order in (2, 3):
        model = penalty(order, given, made, CONDITIONS[condition])
        scale = 1.9 if condition == "small" else 1.0
        x = scale * floats(3, seed=3).astype(np.float64)
        w = floats(3, seed=4).astype(np.float64)
        model.graph.initializer.append(numpy_helper.from_array(w, "w"))
        anchors = ["loss", "Gradient___w"]
        session = training_session(model, "loss", anchors, popir.ConstSGD(0.1))
        for n in (0, 1, 2, 5) if given else (5,):
            shape = [1] if "[1]" in given else []
            session.weightsFromHost()
            found = step(session, {"x": x, **({"n": np.full(shape, n)} if given else {})})
            loss, gradient, count = by_torch(order, n, condition == "small", x, w)
            counts.add(count)
            np.testing.assert_allclose(found["loss"], loss, 1e-9, 1e-12)
            np.testing.assert_allclose(found["Gradient___w"], gradient, 1e-9, 1e-12)
    assert max(counts) > 1
