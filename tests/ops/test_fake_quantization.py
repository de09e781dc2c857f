"""The gradient of QuantizeLinear and DequantizeLinear one after the other, against PyTorch's
fake_quantize.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch

import popir
from popir.errors import PopirError
from tests.models import floats, run
from tests.ops.control.models import gradients, parsed

X = floats(3, 4) * 8


def quantized(
    kind: str, zero: int, scale: str = "s", between: str = "", more: str = ""
) -> onnx.ModelProto:
    """x, quantized to a type and dequantized with `scale`."""
    return parsed(f"""g (float[3, 4] x) => (float[3, 4] y) {{
        s = Constant<value = float {{0.05}}>() other = Constant<value = float {{0.06}}>()
        z = Constant<value = {kind} {{{zero}}}>() q = QuantizeLinear{more}(x, s, z)
        {between or "p = Identity(q)"} y = DequantizeLinear{more}(p, {scale}, z) }}""")


def by_torch(zero: int, low: int, high: int, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = torch.tensor(X, requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.05, zero, low, high)
    (y * torch.from_numpy(factors)).sum().backward()
    assert x.grad is not None
    return y.detach().numpy(), x.grad.numpy()


@pytest.mark.parametrize(
    ("kind", "zero", "low", "high", "between"),
    [
        ("int8", 3, -128, 127, ""),
        ("uint8", 100, 0, 255, ""),
        ("int16", -5, -(1 << 15), (1 << 15) - 1, ""),
        ("uint8", 60, 0, 127, 'm = Constant<value = uint8 {127}>() p = Clip(q, "", m)'),
    ],
)
def test_one_scale(kind: str, zero: int, low: int, high: int, between: str) -> None:
    model, factors = quantized(kind, zero, between=between), floats(3, 4, seed=2)
    want, slope = by_torch(zero, low, high, factors)
    np.testing.assert_allclose(run(model, {"x": X}, ["y"])["y"], want, 1e-6)
    found = gradients(model, {"x": X}, {"y": factors}, ["x"])
    np.testing.assert_array_equal(found["x"], slope)
    if kind != "int16":
        assert 0 < (slope == 0).sum() < slope.size


@pytest.mark.parametrize("axis", [0, 1])
def test_a_scale_for_each_channel(axis: int) -> None:
    count, factors = X.shape[axis], floats(3, 4, seed=2)
    scales = np.linspace(0.02, 0.1, count).astype(np.float32)
    zeros = np.arange(count).astype(np.int8)
    model = parsed(
        f"""g (float[3, 4] x) => (float[3, 4] y) {{ q = QuantizeLinear<axis = {axis}>(x, s, z)
        y = DequantizeLinear<axis = {axis}>(q, s, z) }}""",
        s=scales,
        z=zeros,
    )
    x = torch.tensor(X, requires_grad=True)
    given = torch.tensor(scales), torch.tensor(zeros, dtype=torch.int32)
    y = torch.fake_quantize_per_channel_affine(x, *given, axis, -128, 127)
    (y * torch.from_numpy(factors)).sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(run(model, {"x": X}, ["y"])["y"], y.detach().numpy(), 1e-6)
    found = gradients(model, {"x": X}, {"y": factors}, ["x"])
    np.testing.assert_array_equal(found["x"], x.grad.numpy())


def test_blocks_and_half() -> None:
    model = parsed(
        """g (float[3, 4] x) => (float[3, 4] y) { h = Cast<to = 10>(x)
        q = QuantizeLinear<axis = 1, block_size = 2>(h, s, z)
        p = DequantizeLinear<axis = 1, block_size = 2>(q, s, z) y = Cast<to = 1>(p) }""",
        s=np.full((3, 2), 0.0625, np.float16),
        z=np.zeros((3, 2), np.int8),
    )
    found = gradients(model, {"x": X}, {"y": np.ones((3, 4), np.float32)}, ["x"])["x"]
    rounded = np.rint(X.astype(np.float16).astype(np.float32) / 0.0625)
    np.testing.assert_array_equal(found, (rounded >= -128) & (rounded <= 127))


def test_another_scale_passes_nothing() -> None:
    with pytest.raises(PopirError, match="Gradient___x"):
        gradients(quantized("int8", 0, "other"), {"x": X}, {"y": floats(3, 4)}, ["x"])


def test_without_gradients_nothing_is_added() -> None:
    session = popir.InferenceSession(
        quantized("int8", 3), popir.DataFlow(1, ["y"]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    kinds = {op.opid.type for op in session.graph.ops.values()}
    assert not kinds & {"StraightThrough", "Where", "And", "GreaterOrEqual"}
