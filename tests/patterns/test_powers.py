"""PowerToProduct: squares and cubes that are written as powers become products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import popir
from tests.models import floats
from tests.patterns.graphs import compiled, plain

Array = np.ndarray[Any, Any]
NAME = "PowerToProduct"
X = np.array([[-2.5, -1, -0.0, 0.0], [0.3, 1, np.inf, -np.inf], [np.nan, 1e-30, 3e20, -7]], "f")


def power(exponent: Any, kind: str = "FLOAT", shape: tuple[int, ...] = X.shape) -> Any:
    """A model of one Pow by a constant."""

    def build(b: popir.Builder) -> list[str]:
        x = b.addInputTensor(kind, list(shape), "x")
        return [b.aiOnnx.pow([x, b.aiOnnx.constant(np.asarray(exponent))])]

    return build


@pytest.mark.parametrize("exponent", [2, 3])
@pytest.mark.parametrize("given", [np.float32, np.int64, np.float16])
def test_a_power_becomes_products(exponent: int, given: type[np.generic]) -> None:
    """Signed zeros, infinities and NaN included; the result is PyTorch's, bit for bit."""
    found = compiled(NAME, power(given(exponent)), {"x": X})
    assert (found.types, found.done) == (["Mul"] * (exponent - 1), 1)
    (value,) = found.values.values()
    wanted = torch.tensor(X).pow(exponent).numpy()
    np.testing.assert_array_equal(value, wanted)
    np.testing.assert_array_equal(np.signbit(value[0]), np.signbit(wanted[0]))


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16", "DOUBLE", "INT32", "INT64"])
@pytest.mark.parametrize("exponent", [2, 3])
def test_every_type(kind: str, exponent: int) -> None:
    type = popir.DataType.of(kind)
    x = np.array([-3, -1.25, 0, 0.7, 5]).astype(type.numpy)
    found = compiled(NAME, power(np.float32(exponent), kind, x.shape), {"x": x})
    assert found.types == ["Mul"] * (exponent - 1)
    (value,) = found.values.values()
    bound = {"FLOAT16": 2e-3, "BFLOAT16": 2e-2, "DOUBLE": 1e-15}.get(kind, 0)
    wanted = x.astype(np.float64) ** exponent
    np.testing.assert_allclose(value.astype(np.float64), wanted, rtol=bound)


@pytest.mark.parametrize("exponent", [2, 3])
def test_gradients_are_those_of_the_power(exponent: int) -> None:
    x = floats(3, 4)

    def build(b: popir.Builder) -> list[str]:
        w = b.addInitializedInputTensor(x, "w")
        y = b.aiOnnx.pow([w, b.aiOnnx.constant(np.float32(exponent))])
        return [b.aiGraphcore.l1loss([y], 1.0), "Gradient___w"]

    found, power = compiled(NAME, build, {}, training=True), plain(build, {}, training=True)
    assert "Pow" in power.types and "Pow" not in found.types
    t = torch.tensor(x, requires_grad=True)
    t.pow(exponent).abs().mean().backward()
    assert t.grad is not None
    for each in (found, power):
        value = each.values["Gradient___w"]
        np.testing.assert_allclose(value, t.grad.numpy(), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("exponent", [0.5, 1, -2, 4, np.nan, [2.0, 2.0, 2.0, 2.0]])
def test_other_exponents_stay(exponent: Any) -> None:
    found = compiled(NAME, power(np.float32(exponent)), {"x": X})
    assert (found.types, found.reasons) == (["Pow"], [])


def test_an_exponent_that_adds_dimensions_stays() -> None:
    found = compiled(NAME, power(np.full((1, 1, 1), 2, np.float32)), {"x": X})
    assert found.types == ["Pow"]
    assert found.reasons == ["the exponent's shape makes the result's another one than the base's"]


def test_an_exponent_that_changes_stays() -> None:
    """Its gradient is asked for, or the host gives it."""

    def trained(b: popir.Builder) -> list[str]:
        e = b.addInitializedInputTensor(np.float32(2), "e")
        y = b.aiOnnx.pow([b.addInputTensor("FLOAT", [2], "x"), e])
        return [b.aiGraphcore.l1loss([y], 1.0), "Gradient___e"]

    def given(b: popir.Builder) -> list[str]:
        e = b.addInputTensor("FLOAT", [], "e")
        return [b.aiOnnx.pow([b.addInputTensor("FLOAT", [2], "x"), e])]

    x = np.array([0.5, 3], np.float32)
    found = compiled(NAME, trained, {"x": x}, training=True)
    wanted = (x**2 * np.log(x)).mean()
    np.testing.assert_allclose(found.values["Gradient___e"], wanted, rtol=1e-6)
    found = compiled(NAME, given, {"x": x, "e": np.array(2, np.float32)})
    np.testing.assert_allclose(*found.values.values(), x**2, rtol=1e-6)


def test_an_initializer_is_compiled_in() -> None:
    """As exporters write exponents; the host may not set it to another number."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [2], "x")
    y = builder.aiOnnx.pow([x, builder.addInitializedInputTensor(np.float32(2), "e")])
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    assert [op.opid.type for op in session.graph.schedule()] == ["Mul"]
    with pytest.raises(popir.popart_exception, match="PowerToProduct"):
        session.writeWeights(popir.PyWeightsIO({"e": np.array(3, np.float32)}))
