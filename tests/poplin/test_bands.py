"""Convolutions of 16-bit floats in bands of rows: each thread brings a band to float, computes it
and what follows it, and rounds it once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.poplin import contraction

Array = np.ndarray[Any, Any]
KINDS = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
STEP = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
"""Half a unit in the last place, of a number."""


def blocked(x: Array, block: int) -> Array:
    """[n, c, h, w] as contraction.convolution takes it: in blocks, or with channels last for -1."""
    n, c, h, w = x.shape
    if block == 0:
        return np.ascontiguousarray(x)
    if block == -1:
        return np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    return np.ascontiguousarray(x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def plain(x: Array, block: int) -> Array:
    """The inverse of blocked()."""
    if block == 0:
        return x
    if block == -1:
        return x.transpose(0, 3, 1, 2)
    n, blocks, h, w, size = x.shape
    return x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * size, h, w)


def exact(
    x: Array, w: Array, strides: list[int], dilations: list[int], before: list[int], out: list[int]
) -> Array:
    """The sums over what lies inside of the image, in float64; w is [groups, o, i, kh, kw]."""
    groups, o, i = w.shape[:3]
    n, _, height, width = x.shape
    y = np.zeros((n, groups * o, *out))
    for ky, kx in np.ndindex(*w.shape[3:]):
        for row, column in np.ndindex(*out):
            a = row * strides[0] + ky * dilations[0] - before[0]
            b = column * strides[1] + kx * dilations[1] - before[1]
            if 0 <= a < height and 0 <= b < width:
                part = x[:, :, a, b].reshape(n, groups, i).astype(float)
                y[:, :, row, column] += np.einsum(
                    "ngi,goi->ngo", part, w[..., ky, kx].astype(float)
                ).reshape(n, -1)
    return y


def random(shape: tuple[int, ...], kind: np.dtype[Any], seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(kind)


CASES: dict[str, tuple[Any, ...]] = {
    # images, groups, channels of a group, its outputs, height, width, filter, strides, dilations,
    # padding before, rows and columns of the result, blocks
    "one point": (1, 1, 16, 24, 19, 13, (1, 1), [1, 1], [1, 1], [0, 0], [19, 13], (0, 0)),
    "in blocks": (2, 1, 16, 48, 37, 11, (3, 3), [1, 1], [1, 1], [1, 1], [37, 11], (16, 16)),
    "depthwise": (1, 48, 1, 1, 40, 9, (5, 5), [1, 1], [1, 1], [2, 2], [40, 9], (16, 16)),
    "of plain rows": (3, 12, 1, 1, 33, 10, (3, 3), [2, 2], [1, 1], [1, 1], [17, 5], (0, 0)),
    "strides": (1, 2, 4, 6, 61, 9, (3, 2), [3, 1], [1, 1], [1, 0], [20, 8], (0, 0)),
    "dilated": (1, 1, 8, 8, 50, 12, (3, 3), [1, 1], [4, 2], [4, 2], [50, 12], (0, 0)),
    "wide padding": (1, 1, 5, 7, 22, 6, (2, 2), [1, 1], [1, 1], [9, 3], [40, 11], (0, 0)),
    "cropped": (1, 1, 6, 10, 45, 12, (3, 3), [1, 1], [1, 1], [-3, -1], [36, 8], (0, 0)),
    "channels last": (1, 1, 24, 40, 30, 14, (1, 1), [1, 1], [1, 1], [0, 0], [30, 14], (-1, -1)),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", CASES)
def test_bands_have_all_rows(name: str, threads: int, kind: np.dtype[Any]) -> None:
    n, groups, i, o, height, width, filter, strides, dilations, before, out, blocks = CASES[name]
    if -1 in blocks and contraction.isa() == "base":
        blocks = (0, 0)
    if 16 in blocks and contraction.isa() != "avx512":
        blocks = (8, 8)
    x = random((n, groups * i, height, width), kind, 1)
    w = random((groups, o, i, *filter), kind, 2)
    bias = random((groups * o,), kind, 3)
    given = blocked(x, blocks[0])
    y = blocked(np.full((n, groups * o, *out), 77, kind), blocks[1])
    want = exact(x, w, strides, dilations, before, out) + bias.astype(float)[:, None, None]
    found: list[Array] = []
    for without in ("", "bands"):
        made = contraction.convolution(
            *("forward", given, w, y, strides, dilations, [1, 1], before),
            threads=threads,
            bias=bias,
            inBlock=blocks[0],
            outBlock=blocks[1],
            without=without,
        )
        for kept in (False, True):
            assert made.describe(kept).endswith(" in bands via float") == (without == "")
            y[...] = 77
            made.run(kept)
            found.append(plain(y, blocks[1]).astype(float))
    for each in found:
        bound = 1.01 * STEP[str(kind)] * np.abs(want) + 1e-5 * np.abs(want).max()
        assert (np.abs(each - want) <= bound).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_no_weight_meets_what_lies_beyond_a_side(threads: int) -> None:
    """An infinite weight makes no NaN of an output that does not read it."""
    block = {"base": 0, "avx2": 8, "avx512": 16}[contraction.isa()]
    x, w = random((1, 16, 40, 8), KINDS[0], 1), random((16, 1, 1, 3, 3), KINDS[0], 2)
    w[:, :, :, 0, 1] = np.inf
    given, y = blocked(x, block), blocked(np.empty_like(x), block)
    made = contraction.convolution(
        *("forward", given, w, y, [1, 1], [1, 1], [1, 1], [1, 1]),
        threads=threads,
        inBlock=block,
        outBlock=block,
    )
    assert " in bands" in made.describe()
    made.run()
    found = plain(y, block)
    want = exact(x, w, [1, 1], [1, 1], [1, 1], [40, 8])
    np.testing.assert_allclose(found[:, :, 0].astype(float), want[:, :, 0], 1e-3, 1e-3)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(want))


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("kept", [False, True])
def test_bands_of_which_some_pack_weights(kept: bool, threads: int) -> None:
    """The last band has fewer rows, for which another source may be chosen."""
    x, w = random((1, 3, 51, 9), KINDS[0], 1), random((1, 16, 3, 7, 7), KINDS[0], 2)
    y = np.empty((1, 16, 26, 5), np.float16)
    made = contraction.convolution(
        "forward", x, w, y, [2, 2], [2, 2], [1, 1], [6, 6], threads=threads
    )
    assert " in bands" in made.describe()
    made.run(kept)
    want = exact(x, w, [2, 2], [2, 2], [6, 6], [26, 5])
    np.testing.assert_allclose(y, want, 1e-3, 1e-3 * np.abs(want).max())


def network(
    kind: str, tail: list[onnx.NodeProto], numbers: dict[str, Array], images: int = 1
) -> bytes:
    """y = tail("sum"), the sum a convolution of "x" by "w" with bias "b"; the tail may read "r"."""
    type = getattr(TensorProto, kind)
    shape = {"x": [images, 16, 30, 12], "r": [images, 32, 30, 12]}
    conv = helper.make_node("Conv", ["x", "w", "b"], ["sum"], pads=[1] * 4)
    graph = helper.make_graph(
        [conv, *tail],
        "g",
        [helper.make_tensor_value_info(n, type, s) for n, s in shape.items()],
        [helper.make_tensor_value_info("y", type, shape["r"])],
        [numpy_helper.from_array(a, n) for n, a in numbers.items()],
    )
    opset = [helper.make_opsetid("", 20)]
    return helper.make_model(graph, opset_imports=opset, ir_version=9).SerializeToString()


def run(
    model: bytes, inputs: dict[str, Array], stochastic: bool = False, **options: str
) -> tuple[Array, str]:
    user = popir.SessionOptions()
    user.enableStochasticRounding = stochastic
    user.engineOptions = {"host.numThreads": "2", **{f"host.{k}": v for k, v in options.items()}}
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model, popir.DataFlow(1, ["y"]), device, userOptions=user)
    session.prepareDevice()
    if stochastic:
        session.setRandomSeed(5)
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO(inputs, anchors))
    return anchors["y"], session.planText()


def node(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], **attributes)


Function = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
TAILS: dict[str, tuple[str, list[onnx.NodeProto], Function]] = {
    "silu": (
        "conv+add+map",
        [node("Sigmoid", "sum", "s"), node("Mul", "sum s", "y")],
        lambda s, r: torch.nn.functional.silu(s),
    ),
    "silu, then a residual": (
        "conv+add+map",
        [node("Sigmoid", "sum", "s"), node("Mul", "sum s", "t"), node("Add", "t r", "y")],
        lambda s, r: torch.nn.functional.silu(s) + r,
    ),
    "a residual, then tanh": (
        "conv+add+add+map",
        [node("Add", "sum r", "t"), node("Tanh", "t", "y")],
        lambda s, r: torch.tanh(s + r),
    ),
    "hard swish": (
        "conv+add+map",
        [node("HardSwish", "sum", "y")],
        lambda s, r: torch.nn.functional.hardswish(s),
    ),
    "gelu": (
        "conv+add+map",
        [node("Gelu", "sum", "y")],
        lambda s, r: torch.nn.functional.gelu(s),
    ),
    "a selection": (
        "conv+add+map",
        [node("Greater", "sum r", "g"), node("Where", "g sum r", "t"), node("Sin", "t", "y")],
        lambda s, r: torch.sin(torch.maximum(s, r)),
    ),
    "a square": ("conv+add+map", [node("Mul", "sum sum", "y")], lambda s, r: s * s),
    "relu, then sigmoid of a part": (
        "conv+add+relu+map",
        [node("Relu", "sum", "t"), node("Sigmoid", "t", "s"), node("Sub", "s r", "y")],
        lambda s, r: torch.sigmoid(torch.relu(s)) - r,
    ),
}


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16"])
@pytest.mark.parametrize("images", [1, 4])
@pytest.mark.parametrize("without", ["", "bands", "bands,images"])
@pytest.mark.parametrize("name", TAILS)
def test_a_tail_is_computed_in_floats(name: str, without: str, images: int, kind: str) -> None:
    mark, tail, function = TAILS[name]
    dtype = KINDS[kind == "BFLOAT16"]
    numbers = {"w": random((32, 16, 3, 3), dtype, 1) / dtype.type(8), "b": random((32,), dtype, 2)}
    inputs = {
        "x": random((images, 16, 30, 12), dtype, 3),
        "r": random((images, 32, 30, 12), dtype, 4),
    }
    found, plan = run(network(kind, tail, numbers, images), inputs, without=without)
    assert f"  {mark} " in plan
    x, w, b, r = (
        torch.from_numpy(a.astype(float)) for a in (inputs["x"], *numbers.values(), inputs["r"])
    )
    want = function(torch.nn.functional.conv2d(x, w, b, padding=1), r).numpy()
    half = STEP[str(dtype)]
    bound = 1.02 * half * np.abs(want) + 3e-5 * np.abs(want).max()
    assert (np.abs(found.astype(float) - want) <= bound).all()
    apart, plan = run(network(kind, tail, numbers, images), inputs, fuse="false")
    assert "+map" not in plan
    # Each operator rounds what it stores, and the next one may magnify that.
    bound = 12 * half * (np.abs(want).max() + 1)
    assert (np.abs(apart.astype(float) - want) <= bound).all()


def test_a_tail_of_a_float_model_that_is_more_than_post_ops_stays_apart() -> None:
    """Nothing would be gained: no tensor is converted."""
    numbers = {"w": random((32, 16, 3, 3), np.dtype(np.float32), 1), "b": np.ones(32, np.float32)}
    inputs = {"x": np.ones((1, 16, 30, 12), np.float32), "r": np.ones((1, 32, 30, 12), np.float32)}
    _, plan = run(network("FLOAT", TAILS["silu"][1], numbers), inputs)
    assert "conv+add " in plan and "+map" not in plan


@pytest.mark.parametrize("images", [1, 4])
def test_stochastic_rounding_numbers_results_as_without_bands(images: int) -> None:
    """Of sums that are exact, and that halves do not hold."""
    rng = np.random.default_rng(0)
    numbers = {
        "w": rng.integers(-99, 100, (32, 16, 3, 3)).astype(np.float16),
        "b": np.zeros(32, np.float16),
    }
    inputs = {
        "x": rng.integers(-20, 21, (images, 16, 30, 12)).astype(np.float16),
        "r": np.zeros((images, 32, 30, 12), np.float16),
    }
    model = network("FLOAT16", [node("Relu", "sum", "y")], numbers, images)
    found = [run(model, inputs, True, without=w)[0] for w in ("winograd", "winograd,bands")]
    np.testing.assert_array_equal(found[0], found[1])
    nearest = run(model, inputs, without="winograd")[0]
    assert (found[0] != nearest).mean() > 0.01


def test_bands_are_left_out_where_bits_must_not_depend_on_threads() -> None:
    numbers = {"w": random((32, 16, 3, 3), KINDS[0], 1), "b": random((32,), KINDS[0], 2)}
    inputs = {"x": random((1, 16, 30, 12), KINDS[0], 3), "r": random((1, 32, 30, 12), KINDS[0], 4)}
    model = network("FLOAT16", TAILS["silu"][1], numbers)
    one, two, three = (
        run(model, inputs, deterministic="true", numThreads=n)[0] for n in ("1", "2", "3")
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)
