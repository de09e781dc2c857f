"""The operator Gradient: derivatives by the names of tensors, against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from onnx import ModelProto, parser

import popir
from popir.errors import OperatorAttributeError, PopirError
from tests.models import Array, run, step, training_session

T = "ai.onnx.preview.training"


def model(text: str) -> ModelProto:
    return parser.parse_model(f'<ir_version: 10, opset_import: ["": 21, "{T}": 1]> {text}')


def outputs(text: str, *names: str, **inputs: Any) -> list[Array]:
    arrays = {name: np.asarray(value, np.float32) for name, value in inputs.items()}
    found = run(model(text).SerializeToString(), arrays, list(names))
    return [found[name] for name in names]


RNG = np.random.default_rng(3)
X, W = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 4))
LAYER = """
    h = MatMul (x, w)
    y = Tanh (h)
"""


def by_torch(x: Array, w: Array) -> list[Array]:
    a, b = (torch.tensor(v, dtype=torch.float32, requires_grad=True) for v in (x, w))
    torch.tanh(a @ b).sum().backward()
    return [a.grad.numpy(), b.grad.numpy()]


def test_a_tensor_of_several_elements_counts_as_their_sum() -> None:
    text = f"""m (float[2, 3] x, float[3, 4] w) => (float[2, 3] dx, float[3, 4] dw) {{
        dx, dw = {T}.Gradient <xs = ["x", "w"], y = "y"> (x, w) {LAYER} }}"""
    for found, want in zip(outputs(text, "dx", "dw", x=X, w=W), by_torch(X, W), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


def test_other_values_may_be_given_and_outputs_left_out() -> None:
    text = f"""m (float[2, 3] x, float[3, 4] w, float[2, 3] other) =>
        (float[3, 4] dw, float[3, 4] here) {{ {LAYER}
        unused, dw = {T}.Gradient <xs = ["x", "w"], y = "y"> (other, w)
        here = {T}.Gradient <xs = ["w"], zs = ["x"], y = "y"> (w, x) }}"""
    found = outputs(text, "dw", "here", x=X, w=W, other=X[::-1] * 2)
    np.testing.assert_allclose(found[0], by_torch(X[::-1] * 2, W)[1], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], by_torch(X, W)[1], rtol=1e-5, atol=1e-6)


def test_a_tensor_in_the_middle() -> None:
    text = f"""m (float[2, 3] x, float[3, 4] w) => (float[2, 4] dh) {{ {LAYER}
        dh = {T}.Gradient <xs = ["h"], y = "y"> (h) }}"""
    (found,) = outputs(text, "dh", x=X, w=W)
    np.testing.assert_allclose(found, 1 - np.tanh(X @ W) ** 2, rtol=1e-4, atol=1e-6)


def test_what_does_not_depend_has_zeros() -> None:
    text = f"""m (float[2, 3] x, float[3, 4] w, float[2] z) => (float[2] dz) {{ {LAYER}
        dz = {T}.Gradient <xs = ["z"], zs = ["x"], y = "y"> (z, x) }}"""
    np.testing.assert_array_equal(outputs(text, "dz", x=X, w=W, z=[1, 2])[0], [0, 0])


def test_derivatives_of_derivatives() -> None:
    text = f"""m (float[3] x) => (float[3] dd, float[3] ddd) {{
        s = Mul (x, x)
        y = Mul (s, x)
        d = {T}.Gradient <xs = ["x"], y = "y"> (x)
        dd = {T}.Gradient <xs = ["x"], y = "d"> (x)
        ddd = {T}.Gradient <xs = ["x"], y = "dd"> (x) }}"""
    second, third = outputs(text, "dd", "ddd", x=[1, -2, 0.5])
    np.testing.assert_allclose(second, [6, -12, 3], rtol=1e-6)
    np.testing.assert_allclose(third, [6, 6, 6], rtol=1e-6)


def test_derivatives_of_maxima() -> None:
    """The places of the largest stay."""
    text = f"""m (float[1, 1, 1, 4] x) => (float[1, 1, 1, 4] dd, float[1, 1, 1, 4] ddd) {{
        s = Mul (x, x)
        r = Constant <value = float[1, 5] {{0, 0, 0, 3, 0}}> ()
        p = MaxRoiPool <pooled_shape = [1, 2]> (s, r)
        y = Mul (p, p)
        d = {T}.Gradient <xs = ["x"], y = "y"> (x)
        dd = {T}.Gradient <xs = ["x"], y = "d"> (x)
        ddd = {T}.Gradient <xs = ["x"], y = "dd"> (x) }}"""
    second, third = outputs(text, "dd", "ddd", x=[[[[1, -2, 0.5, 3]]]])
    np.testing.assert_allclose(second.reshape(-1), [0, 48, 0, 108], rtol=1e-6)
    np.testing.assert_allclose(third.reshape(-1), [0, -48, 0, 72], rtol=1e-6)


def test_with_initializers_and_training() -> None:
    text = f"""m (float[2] x) => (float y) <float[2] w = {{3.0, 4.0}}> {{
        s = Mul (x, w)
        y = ReduceSum <keepdims = 0> (s)
        dw = {T}.Gradient <xs = ["w"], y = "y"> (w)
        d = Sub (w, dw)
        square = Mul (d, d)
        loss = ReduceSum <keepdims = 0> (square) }}"""
    session = popir.TrainingSession(
        model(text),
        popir.DataFlow(1, ["loss", "dw"]),
        "loss",
        popir.ConstSGD(0.5),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for loss in (4.0 + 4.0, 0.0):
        session.run(popir.PyStepIO({"x": np.float32([1, 2])}, anchors))
        np.testing.assert_allclose(anchors["loss"], loss, atol=1e-6)
        np.testing.assert_allclose(anchors["dw"], [1, 2])


STEP = f"""b (int64 i, bool c, float[3] h) => (bool d, float[3] k) {{
        d = Identity (c)
        p = Mul (h, w)
        s = Sin (p)
        slope, own = {T}.Gradient <xs = ["h", "w"], y = "s"> (h, w)
        both = Add (slope, own)
        k = Sub (h, both) }}"""
"""An iteration that goes down a slope, by gradients of its own value and of a tensor around."""


def stepped(x: torch.Tensor, w: torch.Tensor, count: int) -> torch.Tensor:
    for _ in range(count):
        own = w * 1  # Not the tensor that x depends on.
        slopes = torch.autograd.grad(torch.sin(x * own).sum(), [x, own], create_graph=True)
        x = x - slopes[0] - slopes[1]
    return x


@pytest.mark.parametrize("count", ["constant", "run"])
def test_in_the_body_of_a_loop_and_again_around_it(count: str) -> None:
    given = ", int64 n" if count == "run" else ""
    for n in (1, 3):
        known = "" if given else f"n = Constant <value_int = {n}> ()"
        text = f"""m (float[3] x{given}) => (float loss) <float[3] w = {{0.9, 1.1, 0.7}}> {{
            {known}
            y = Loop <body = {STEP}> (n, , x)
            q = Mul (y, y)
            loss = ReduceSum <keepdims = 0> (q) }}"""
        session = training_session(model(text), "loss", ["loss", "Gradient___w"])
        x = np.float32([0.3, -0.5, 0.8])
        found = step(session, {"x": x, **({"n": np.array(n)} if given else {})})
        a = torch.tensor(x, requires_grad=True)
        b = torch.tensor([0.9, 1.1, 0.7], requires_grad=True)
        loss = (stepped(a, b, n) ** 2).sum()
        loss.backward()
        assert b.grad is not None
        np.testing.assert_allclose(found["loss"], loss.item(), rtol=1e-5)
        np.testing.assert_allclose(found["Gradient___w"], b.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_in_a_branch() -> None:
    """One whose condition the run knows, and one that becomes part of the model."""
    for flag, known in (("f", ""), ("true", "true = Constant <value = bool {1}> ()")):
        given = "" if known else ", bool f"
        branches = f"""then_branch = a () => (float[3] r) {{
                t = Sin (x)
                r = {T}.Gradient <xs = ["x"], y = "t"> (x) }},
            else_branch = b () => (float[3] r) {{ r = Neg (x) }}"""
        text = f"""m (float[3] x{given}) => (float[3] y) {{ {known}
            y = If <{branches}> ({flag}) }}"""
        x = np.float32([0.3, -0.5, 0.8])
        inputs = {"x": x} if known else {"x": x, "f": np.array(True)}
        found = run(model(text).SerializeToString(), inputs, ["y"])["y"]
        np.testing.assert_allclose(found, np.cos(x), rtol=1e-6)


@pytest.mark.parametrize(
    ("node", "error", "said"),
    [
        ('xs = ["x"], y = "nope"> (x)', OperatorAttributeError, "it names 'nope', which is no"),
        ('xs = ["nope"], y = "y"> (x)', OperatorAttributeError, "it names 'nope', which is no"),
        ('xs = ["x", "x"], y = "y"> (x, x)', OperatorAttributeError, "each must be there once"),
        ('xs = ["x", "h"], y = "y"> (x)', PopirError, "'xs' and 'zs' name 2 tensors"),
        ('xs = ["h"], y = "y"> (x)', OperatorAttributeError, "'h', which it stands for, is FLOAT"),
        ('xs = ["x"], y = "d"> (x)', PopirError, "differentiates its own result"),
    ],
)
def test_what_does_not_fit(node: str, error: type[Exception], said: str) -> None:
    text = f"""m (float[2, 3] x, float[3, 4] w) => (float[N, M] d) {{ {LAYER}
        d = {T}.Gradient <{node} }}"""
    with pytest.raises(error, match=said):
        outputs(text, "d", x=X, w=W)
