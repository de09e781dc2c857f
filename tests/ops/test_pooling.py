"""MaxPool's indices, MaxUnpool, LpPool, RoiAlign and MaxRoiPool: what they refuse, and edges."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import ValueInfoProto, helper, numpy_helper

import popir
from popir.errors import OperatorAttributeError, OperatorInputError
from tests.models import step, training_session
from tests.ops.test_searches import results

X = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
SMALL = X[:, :, :2, :2]
AT = np.array([[[[5, 7], [13, 15]]]])
WINDOWS: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
ROIS = np.array([[0, 0, 3, 3]], np.float32)
ZERO = np.array([0])


@pytest.mark.parametrize(
    ("attempt", "kind", "words"),
    [
        (
            lambda: results("MaxUnpool", SMALL, AT[..., :1], kernel_shape=[2, 2]),
            OperatorInputError,
            r"shape \[1, 1, 2, 2\], the indices \[1, 1, 2, 1\]; expected is \[batch",
        ),
        (
            lambda: results("MaxUnpool", SMALL, AT, kernel_shape=[2]),
            OperatorAttributeError,
            r"'kernel_shape' is \[2\]; expected are 2 numbers of at least 1",
        ),
        (
            lambda: results("MaxUnpool", SMALL, AT, kernel_shape=[2, 2], pads=[2, 2, 2, 2]),
            OperatorAttributeError,
            r"'pads' is \[2, 2, 2, 2\], more than the windows",
        ),
        (
            lambda: results("MaxUnpool", SMALL, AT, np.array([1, 1, 3, 4]), **WINDOWS),
            OperatorInputError,
            r"output_shape is \[1, 1, 3, 4\]; the indices count the elements of \[1, 1, 4, 4\]",
        ),
        (
            lambda: results("LpPool", X, kernel_shape=[2, 2], p=0, opset=11),
            OperatorAttributeError,
            "'p' is 0.*; a norm has p = 1 or more",
        ),
        (lambda: results("LpPool", X, kernel_shape=[5, 5], opset=11), OperatorInputError, "fit"),
        (
            lambda: results("ConvTranspose", X, X, output_shape=[-3, 4], opset=11),
            OperatorAttributeError,
            r"'output_shape' is \[-3, 4\]; expected .* at least 1 .* 2 spatial .*, and -3 is less",
        ),
        (
            lambda: results("ConvTranspose", X, X, output_padding=[0], opset=11),
            OperatorAttributeError,
            r"'output_padding' is \[0\]; expected is one number of at least 0 .* dimensions\.",
        ),
        (
            lambda: results("RoiAlign", X[0], ROIS, ZERO, opset=16),
            OperatorInputError,
            r"the images have shape \[1, 4, 4\], the regions \[1, 4\]; expected are",
        ),
        (
            lambda: results("RoiAlign", X, ROIS, np.array([0, 0]), opset=16),
            OperatorInputError,
            r"batch_indices has shape \[2\], the regions \[1, 4\]",
        ),
        (
            lambda: results("RoiAlign", X, ROIS, ZERO, opset=16, output_height=0),
            OperatorAttributeError,
            r"a region has \[0, 1\] bins",
        ),
        (
            lambda: results("RoiAlign", X, ROIS, ZERO, opset=16, sampling_ratio=-1),
            OperatorAttributeError,
            "'sampling_ratio' is -1; expected are 1 to 1024",
        ),
        (
            lambda: results("MaxRoiPool", X, ROIS, pooled_shape=[1, 1]),
            OperatorInputError,
            r"the regions \[1, 4\]; expected are .* \[regions, 5\]",
        ),
        (
            lambda: results("MaxRoiPool", X, np.zeros((1, 5), "f"), pooled_shape=[2]),
            OperatorAttributeError,
            r"a region has \[2\] bins",
        ),
    ],
)
def test_refusals(attempt: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        attempt()


def test_what_is_pooled_can_be_unpooled() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 6)).astype(np.float32)
    values, index = results("MaxPool", x, outputs=2, opset=12, **WINDOWS)
    whole = results("MaxUnpool", values, index, given=True, opset=11, **WINDOWS)[0]
    flat = np.zeros(x.size, np.float32)
    flat[index.reshape(-1)] = values.reshape(-1)
    np.testing.assert_array_equal(whole, flat.reshape(x.shape))
    np.testing.assert_array_equal(values.reshape(-1), x.reshape(-1)[index.reshape(-1)])


def test_indices_out_of_range_and_of_two_values() -> None:
    at = np.array([[[[3, 3], [-1, 16]]]])
    found = results("MaxUnpool", SMALL + 1, at, opset=11, **WINDOWS)[0]
    want = np.zeros(16)
    want[3] = 2
    np.testing.assert_array_equal(found.reshape(-1), want)
    far = np.array([[[[2**32, -(2**32)], [2**40, 5]]]])
    found = results("MaxUnpool", SMALL + 1, far, opset=11, **WINDOWS)[0]
    np.testing.assert_array_equal(np.flatnonzero(found), [5])


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool", "LpPool"])
def test_a_window_reaches_beyond_a_small_image(kind: str) -> None:
    """As PyTorch has it: with ceil_mode the first window may be the one that reaches beyond, if it
    does by less than a stride.
    """
    x = np.array([[[[1, 2, 5], [4, 3, -2]]]], np.float32)
    windows: dict[str, Any] = {"kernel_shape": [4, 2], "strides": [3, 2], "ceil_mode": 1}
    want = {"MaxPool": [[4, 5]], "AveragePool": [[2.5, 1.5]], "LpPool": [[30**0.5, 29**0.5]]}
    found = results(kind, x, opset=22, **windows)[0]
    np.testing.assert_allclose(found, [[want[kind]]], rtol=1e-6)
    for name, value in (("strides", [2, 2]), ("ceil_mode", 0)):
        windows = {"kernel_shape": [4, 2], "strides": [3, 2], "ceil_mode": 1} | {name: value}
        with pytest.raises(OperatorInputError, match="does not fit the input"):
            results(kind, x, opset=22, **windows)


def test_nothing_is_pooled() -> None:
    none = np.zeros((0, 2, 4, 4), np.float32)
    values, index = results("MaxPool", none, outputs=2, opset=12, **WINDOWS)
    assert values.shape == index.shape == (0, 2, 2, 2)
    assert results("MaxUnpool", values, index, opset=11, **WINDOWS)[0].shape == (0, 2, 4, 4)
    assert results("LpPool", none, opset=18, **WINDOWS)[0].shape == (0, 2, 2, 2)
    assert results("RoiAlign", X, ROIS[:0], ZERO[:0], opset=16)[0].shape == (0, 1, 1, 1)


def test_an_image_out_of_range_gives_zeros() -> None:
    for index in (1, -1, 2**32, -(2**32)):
        found = results("RoiAlign", X + 1, ROIS, np.array([index]), opset=16, given=True)[0]
        assert not found.any()
    for index in (1, -1):
        regions = np.insert(ROIS, 0, index, 1)
        assert not results("MaxRoiPool", X + 1, regions, pooled_shape=[1, 1], given=True)[0].any()


def test_norms_of_the_oldest_version_and_of_zeros() -> None:
    assert results("LpPool", X, kernel_shape=[4, 4], opset=8)[0] == pytest.approx(
        np.sqrt(np.square(X).sum())
    )
    zeros = results("LpPool", 0 * X, kernel_shape=[2, 2], p=3, opset=18)[0]
    np.testing.assert_array_equal(zeros, 0)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_gradient_of_a_norm_of_zeros_is_0(p: int) -> None:
    x = np.array([[[0, 0, 0, 3.0]]], np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("LpPool", ["x"], ["y"], kernel_shape=[2], strides=[2], p=p),
            helper.make_node("ReduceSum", ["y"], ["loss"], keepdims=0),
        ],
        "g",
        [],
        [ValueInfoProto(name="loss")],
        [numpy_helper.from_array(x, "x")],
    )
    imports = [helper.make_opsetid("", 13)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    session = training_session(model.SerializeToString(), "loss", [], popir.ConstSGD(1.0))
    step(session, {})
    session.weightsToHost()
    weights = {"x": np.empty_like(x)}
    session.readWeights(popir.PyWeightsIO(weights))
    np.testing.assert_allclose(x - weights["x"], [[[0, 0, 0, 1]]], atol=1e-6)


SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, -6e-8, 65504.0, -65504.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("channels", [16, 19])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad"),
    [(64, 3, 1, 1), (64, 2, 2, 0), (56, 3, 1, 0), (28, 5, 1, 2), (13, 3, 2, 1), (9, 2, 2, 0)],
)
def test_maxima_keep_nan_infinities_and_signs(
    size: int, kernel: int, stride: int, pad: int, channels: int, dtype: Any
) -> None:
    rng = np.random.default_rng(size)
    x = rng.standard_normal([2, channels, size, size]).astype(dtype)
    x[:, 1] = -np.inf  # a plane of the least number
    x[:, 2] = -np.abs(x[:, 2])
    special = np.array(SPECIAL).astype(dtype)
    x.flat[rng.integers(0, x.size, x.size // 50)] = special[rng.integers(0, 10, x.size // 50)]
    widths = [(0, 0), (0, 0), (pad, pad), (pad, pad)]
    padded = np.pad(x.astype(np.float64), widths, constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))
    expected = windows[:, :, ::stride, ::stride].max((-2, -1))
    (got,) = results(
        "MaxPool", x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, opset=22
    )
    np.testing.assert_array_equal(got.astype(np.float64), expected)


def test_images_of_regions_may_be_int32_as_they_are() -> None:
    """As in PopART: nothing is made INT64 of them, a type that no IPU has."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((2, 3, 8, 8)).astype(np.float32)
    rois = np.array([[0, 1, 5, 6], [2, 0, 7, 4], [1, 1, 3, 3]], np.float32)
    index = np.array([1, 0, 1])
    wide, narrow = (
        results("RoiAlign", x, rois, index.astype(kind), opset=16, output_height=3, output_width=2)
        for kind in (np.int64, np.int32)
    )
    np.testing.assert_array_equal(wide[0], narrow[0])
    assert not np.array_equal(wide[0][0], wide[0][1])
    builder = popir.Builder(opsets={"ai.onnx": 16})
    shapes: list[tuple[str, list[int]]] = [("FLOAT", [2, 3, 8, 8]), ("FLOAT", [3, 4])]
    inputs = [builder.addInputTensor(kind, shape) for kind, shape in [*shapes, ("INT32", [3])]]
    y = builder.aiOnnx.roialign(inputs, output_height=3, output_width=2)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice(loadEngine=False)
    assert not [o for o in session.getReport().operations if "Cast" in o.vertexClass]
