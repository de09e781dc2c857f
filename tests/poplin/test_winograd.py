"""Winograd's convolutions against float64, at the edges of tiles, and with values without bounds."""

import numpy as np
import pytest

import popir
from popir.poplin import contraction

BLOCKS = {"avx512": 16, "avx2": 8}
"""Channels of a block, by instruction set."""


def blocked(x: np.ndarray, block: int) -> np.ndarray:
    """[n, c, h, w] as [n, c / block, h, w, block]."""
    n, c, h, w = x.shape
    return np.ascontiguousarray(x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def plain(x: np.ndarray) -> np.ndarray:
    """The inverse of `blocked`."""
    n, blocks, h, w, block = x.shape
    return x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * block, h, w)


def convolved(x, w, pad, threads=1, bias=None, runs=1):
    """The result by Winograd's algorithm, in this machine's blocks."""
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    block = BLOCKS[contraction.isa()]
    height, width = (x.shape[d + 2] + 2 * pad[d] - 2 for d in range(2))
    y = np.full((x.shape[0], w.shape[0] // block, height, width, block), np.nan, np.float32)
    made = contraction.convolution(
        *("forward", blocked(x, block), w[None], y),
        *([1, 1], [1, 1], [1, 1], list(pad)),
        threads=threads,
        source="winograd",
        bias=bias,
        inBlock=block,
        outBlock=block,
    )
    assert made.describe().startswith("winograd")
    for _ in range(runs):
        made.run()
    return plain(y)


def exact(x, w, pad):
    """The convolution in double, tap by tap."""
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    height, width = wide.shape[2] - 2, wide.shape[3] - 2
    total = np.zeros((x.shape[0], w.shape[0], height, width))
    with np.errstate(invalid="ignore"):
        for y in range(3):
            for z in range(3):
                part = wide[:, :, y : y + height, z : z + width]
                total += np.einsum("nchw,oc->nohw", part, w[:, :, y, z].astype(np.float64))
    return total


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("images", "inputs", "outputs", "size", "pad"),
    [
        (1, 16, 32, (4, 4), (1, 1)),
        (1, 16, 32, (3, 3), (0, 0)),
        (1, 32, 64, (9, 5), (1, 0)),
        (2, 48, 32, (8, 13), (0, 1)),
        (3, 16, 96, (31, 6), (1, 1)),
        (1, 64, 64, (14, 14), (2, 2)),
        (1, 16, 32, (1, 1), (1, 1)),
    ],
)
def test_shapes(images, inputs, outputs, size, pad, threads):
    x, w = random(images, inputs, *size), random(outputs, inputs, 3, 3, seed=1)
    expected = exact(x, w, pad)
    found = convolved(x, w, pad, threads, runs=2)
    assert np.abs(found - expected).max() < 1.5e-6 * np.abs(expected).max()


def test_the_bits_do_not_depend_on_threads():
    x, w = random(2, 32, 30, 30), random(64, 32, 3, 3, seed=1)
    one = convolved(x, w, (1, 1), 1)
    assert all(np.array_equal(one, convolved(x, w, (1, 1), n)) for n in (2, 3, 5))


def test_bias():
    x, w, b = random(1, 16, 6, 6), random(32, 16, 3, 3, seed=1), random(32, seed=2)
    with_bias, without = convolved(x, w, (1, 1), bias=b), convolved(x, w, (1, 1))
    np.testing.assert_array_equal(with_bias, without + b[:, None, None])


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_values_without_bounds_reach_only_what_reads_them(value):
    """The transforms mix all inputs of a tile; an output must not see those that it does not read."""
    x, w = random(1, 16, 9, 9), random(32, 16, 3, 3, seed=1)
    x[0, 3, 4, 5] = value
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1))
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    w[7, 2, 1, 1] = value
    expected = exact(x, w, (1, 1))
    np.testing.assert_allclose(convolved(x, w, (1, 1)), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("last", ["relu", "leakyrelu", "none"])
def test_what_follows_a_convolution_is_done_with_it(last):
    """Bias, a sum with a whole tensor, a factor, an activation: the bits of steps of their own."""
    x, w = random(2, 32, 12, 10), random(64, 32, 3, 3, seed=1)
    x[0, 5, 3, 3] = np.nan
    whole, bias, factor = random(2, 64, 12, 10, seed=2), random(64, seed=3), random(1, seed=4)
    builder = popir.Builder()
    onnx = builder.aiOnnxOpset13
    given = builder.addInputTensor("FLOAT", list(x.shape))
    other = builder.addInputTensor("FLOAT", list(whole.shape))
    weights = [builder.addInitializedInputTensor(value) for value in (w, bias, factor)]
    y = onnx.conv([given, *weights[:2]], pads=[1, 1, 1, 1])
    y = onnx.mul([onnx.add([y, other]), weights[2]])
    y = y if last == "none" else getattr(onnx, last)([y])
    builder.addOutputTensor(y)

    def run(fused: str) -> np.ndarray:
        options = popir.SessionOptions()
        options.engineOptions = {"host.fuse": fused}
        device = popir.DeviceManager().createCpuDevice()
        session = popir.InferenceSession(
            builder.getModelProto(), popir.DataFlow(1, [y]), device, userOptions=options
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({given: x, other: whole}, anchors))
        return anchors[y]

    np.testing.assert_array_equal(run("true"), run("false"))
