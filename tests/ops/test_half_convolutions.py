"""Convolutions of 16-bit floats with what follows in one step: a result is rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper

import popir

DTYPES: dict[str, np.dtype[Any]] = {
    "FLOAT": np.dtype(np.float32),
    "FLOAT16": np.dtype(np.float16),
    "BFLOAT16": np.dtype(ml_dtypes.bfloat16),
}
HALVES = ["FLOAT16", "BFLOAT16"]
ROUNDING = {"FLOAT16": 2.0**-11, "BFLOAT16": 2.0**-8}
SUMS = 1e-5
"""What sums in float are wrong by, of the largest result."""
Array = np.ndarray[Any, np.dtype[Any]]


def convolution(images: int, kernel: int, type: str, tail: list[onnx.NodeProto]) -> onnx.ModelProto:
    """y = tail(Conv(x) + bias), of 32 channels to 48; the tail reads "sum" and may read "r"."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal([48, 32, kernel, kernel]) / (32 * kernel**2) ** 0.5
    kind = getattr(TensorProto, type)
    numbers = {
        "w": weights,
        "b": rng.standard_normal([48]),
        "low": np.array(-0.5),
        "high": np.array(0.75),
    }
    side = kernel // 2
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["sum"], pads=[side] * 4), *tail]
    shape = [images, 32, 14, 14]
    graph = helper.make_graph(
        nodes,
        "convolution",
        [
            helper.make_tensor_value_info("x", kind, shape),
            helper.make_tensor_value_info("r", kind, [images, 48, 14, 14]),
        ],
        [helper.make_tensor_value_info("y", kind, [images, 48, 14, 14])],
        [
            helper.make_tensor(name, kind, a.shape, a.astype(DTYPES[type]).tobytes(), raw=True)
            for name, a in numbers.items()
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(model: onnx.ModelProto, inputs: dict[str, Array], **options: str) -> tuple[Array, str]:
    """The output y, and the plan."""
    user = popir.SessionOptions()
    user.engineOptions = {"host.numThreads": "2", **{f"host.{k}": v for k, v in options.items()}}
    session = popir.InferenceSession(
        model.SerializeToString(),
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=user,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, anchors))
    return anchors["y"], session.planText()


def relu(of: str) -> onnx.NodeProto:
    return helper.make_node("Relu", [of], ["y"])


TAILS: dict[str, tuple[list[onnx.NodeProto], Callable[[Array, Array], Array]]] = {
    "conv+add+relu": ([relu("sum")], lambda s, r: np.maximum(s, 0)),
    "conv+add+leaky_relu": (
        [helper.make_node("LeakyRelu", ["sum"], ["y"], alpha=0.25)],
        lambda s, r: np.where(s < 0, 0.25 * s, s),
    ),
    "conv+add+add+relu": (
        [helper.make_node("Add", ["sum", "r"], ["more"]), relu("more")],
        lambda s, r: np.maximum(s + r, 0),
    ),
    "conv+add+max+min": (
        [helper.make_node("Clip", ["sum", "low", "high"], ["y"])],
        lambda s, r: np.clip(s, -0.5, 0.75),
    ),
}


@pytest.mark.parametrize("type", HALVES)
@pytest.mark.parametrize("images", [1, 8])
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("name", TAILS)
def test_a_result_is_rounded_once(name: str, kernel: int, images: int, type: str) -> None:
    tail, function = TAILS[name]
    model = convolution(images, kernel, type, tail)
    rng = np.random.default_rng(1)
    x, r = (rng.standard_normal([images, c, 14, 14]).astype(DTYPES[type]) for c in (32, 48))
    got, plan = run(model, {"x": x, "r": r})
    assert f"{name} " in plan
    w, b = (
        np.frombuffer(t.raw_data, DTYPES[type]).astype(np.float64).reshape(tuple(t.dims))
        for t in model.graph.initializer[:2]
    )
    tensors = (torch.from_numpy(a) for a in (x.astype(np.float64), w, b))
    exact = function(
        torch.nn.functional.conv2d(*tensors, padding=kernel // 2).numpy(), r.astype(np.float64)
    )
    largest = np.abs(exact).max()
    np.testing.assert_allclose(got.astype(np.float64), exact, ROUNDING[type] * 1.01, SUMS * largest)
    apart, _ = run(model, {"x": x, "r": r}, fuse="false")
    # Apart each operator rounds what it stores, at most the largest sum.
    np.testing.assert_allclose(
        apart.astype(np.float64), exact, ROUNDING[type] * 2, ROUNDING[type] * largest
    )


@pytest.mark.parametrize("without", ["", ",images"])
def test_images_of_threads_change_no_bit(without: str) -> None:
    without = f"planes,columns{without}"  # whose estimates may choose other sources for one image
    model = convolution(8, 3, "FLOAT16", TAILS["conv+add+relu"][0])
    rng = np.random.default_rng(2)
    x, r = (rng.standard_normal([8, c, 14, 14]).astype(np.float16) for c in (32, 48))
    each = [
        run(
            convolution(1, 3, "FLOAT16", TAILS["conv+add+relu"][0]),
            {"x": a[None], "r": b[None]},
            without=without,
        )[0]
        for a, b in zip(x, r, strict=True)
    ]
    whole, _ = run(model, {"x": x, "r": r}, without=without)
    np.testing.assert_array_equal(whole, np.concatenate(each))


def test_a_rounding_that_a_float_model_asks_for_stays() -> None:
    casts = [
        helper.make_node("Cast", ["sum"], ["short"], to=TensorProto.FLOAT16),
        helper.make_node("Cast", ["short"], ["long"], to=TensorProto.FLOAT),
        relu("long"),
    ]
    model = convolution(1, 3, "FLOAT", casts)
    rng = np.random.default_rng(3)
    x, r = (rng.standard_normal([1, c, 14, 14]).astype(np.float32) for c in (32, 48))
    fused, _ = run(model, {"x": x, "r": r})
    apart, _ = run(model, {"x": x, "r": r}, fuse="false")
    np.testing.assert_array_equal(fused, fused.astype(np.float16).astype(np.float32))
    np.testing.assert_allclose(fused, apart, 2.0**-10, 1e-6)


@pytest.mark.parametrize("type", HALVES)
def test_it_stays_where_the_result_is_of_that_type_too(type: str) -> None:
    kind = getattr(TensorProto, type)
    long = helper.make_node("Cast", ["short"], ["long"], to=TensorProto.FLOAT)
    product = [
        helper.make_node("Mul", ["long", "high"], ["product"]),
        helper.make_node("Cast", ["product"], ["y"], to=kind),
    ]
    rng = np.random.default_rng(4)
    x, r = (rng.standard_normal([1, c, 14, 14]).astype(np.float32) for c in (32, 48))
    results: list[Array] = []
    for of, more in (("y", []), ("short", [long, *product])):
        model = convolution(
            1, 3, "FLOAT", [helper.make_node("Cast", ["sum"], [of], to=kind), *more]
        )
        model.graph.output[0].type.tensor_type.elem_type = kind
        results.append(run(model, {"x": x, "r": r})[0])
    short, y = results
    np.testing.assert_array_equal(y, (short.astype(np.float32) * np.float32(0.75)).astype(y.dtype))
