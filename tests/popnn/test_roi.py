"""ext.roiPool against its definition, its gradient and tangent against differences."""

import itertools
import math
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest

from popir import errors, ext
from popir.ext import RoiPooling
from tests.arrays import build, results
from tests.device import run

KINDS = [RoiPooling.AlignAverage, RoiPooling.AlignMax, RoiPooling.Max]
REGIONS = np.array(
    [
        [0, 0, 6, 5],
        [1.3, 0.7, 4.4, 4.1],
        [-3, -2, 2.5, 9],
        [2.2, 2.2, 2.3, 2.3],
        [20, 20, 30, 30],
        [4, 3, 1, 1],
    ]
)
IMAGES = np.array([0, 1, 1, 0, 0, 1], np.int32)


def params(pooling, bins=(2, 3), scale=1.0, ratio=0, half=False):
    found = ext.RoiParams()
    found.pooling, found.scale, found.samplingRatio, found.halfPixel = pooling, scale, ratio, half
    found.height, found.width = bins
    return found


def pool(p, regions, images, x, threads=1):
    build = lambda g, r, i, t, prog: ext.roiPool(g, p, r, i, t, prog)  # noqa: E731
    return run(build, regions, images, x, threads=threads)


def gradient(p, regions, images, x, g, threads=1):
    build = lambda graph, r, i, t, u, prog: ext.roiPoolInputGradient(graph, p, r, i, t, u, prog)  # noqa: E731
    return run(build, regions, images, x, g, threads=threads)


def tangent(p, regions, images, x, t, threads=1):
    build = lambda graph, r, i, a, b, prog: ext.roiPoolTangent(graph, p, r, i, a, b, prog)  # noqa: E731
    return run(build, regions, images, x, t, threads=threads)


def samples(begin, end, bins, p):
    """The samples of each bin in one direction, and how many pixels a bin has."""
    offset = 0.5 if p.halfPixel else 0
    start, length = begin * p.scale - offset, (end - begin) * p.scale
    if not p.halfPixel:
        length = max(length, 1)
    step = length / bins
    count = p.samplingRatio or max(math.ceil(step), 0)
    return [
        [start + b * step + (i + 0.5) * step / count for i in range(count)] for b in range(bins)
    ]


def weights(at, size):
    """The pixels at both sides of a coordinate; none if it is outside."""
    if at < -1 or at > size:
        return []
    at = min(max(at, 0), size - 1)
    low = int(at)
    return [(low, 1 - at + low), (min(low + 1, size - 1), at - low)]


def aligned(p, region, image):
    """One region of one channel, by loops."""
    x0, y0, x1, y1 = region
    down, across = samples(y0, y1, p.height, p), samples(x0, x1, p.width, p)
    result = np.zeros((p.height, p.width))
    for row, column in itertools.product(range(p.height), range(p.width)):
        terms = []
        for y, x in itertools.product(down[row], across[column]):
            four = itertools.product(weights(y, image.shape[0]), weights(x, image.shape[1]))
            terms.append([wy * wx * image[iy, ix] for (iy, wy), (ix, wx) in four] or [0.0])
        if p.pooling == RoiPooling.AlignAverage:
            result[row, column] = sum(map(sum, terms)) / max(len(terms), 1)
        else:
            result[row, column] = max(map(max, terms), default=0)
    return result


def rounded(p, region, image):
    """The same with pixels of a rounded region."""
    scaled = [v * p.scale for v in region]
    x0, y0, x1, y1 = (int(math.copysign(math.floor(abs(v) + 0.5), v)) for v in scaled)
    result = np.zeros((p.height, p.width))
    steps = [max(b - a + 1, 1) / n for a, b, n in ((y0, y1, p.height), (x0, x1, p.width))]
    for bin in itertools.product(range(p.height), range(p.width)):
        ends = [
            [
                min(max(first + edge, 0), size)
                for edge in (math.floor(i * s), math.ceil((i + 1) * s))
            ]
            for i, s, first, size in zip(bin, steps, (y0, x0), image.shape, strict=True)
        ]
        part = image[slice(*ends[0]), slice(*ends[1])]
        result[bin] = part.max() if part.size else 0
    return result


def expected(p, regions, images, x):
    one = rounded if p.pooling == RoiPooling.Max else aligned
    return np.array(
        [
            [one(p, r, x[i, c]) for c in range(x.shape[1])]
            for r, i in zip(regions, images, strict=True)
        ]
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
@pytest.mark.parametrize("ratio", [0, 1, 3])
@pytest.mark.parametrize("half", [False, True], ids=["centres", "halves"])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_by_its_definition(kind, ratio, half, scale):
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 7))
    p = params(kind, scale=scale, ratio=ratio, half=half)
    want = expected(p, REGIONS, IMAGES, x)
    for threads in (1, 3):
        result = pool(p, REGIONS, IMAGES, x, threads)
        np.testing.assert_allclose(result, want, 1e-9, 1e-12)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_other_types(dtype):
    x = np.random.default_rng(1).standard_normal((2, 3, 6, 7)).astype(dtype)
    regions, p = REGIONS.astype(dtype), params(RoiPooling.AlignAverage)
    want = expected(p, regions.astype(np.float64), IMAGES, x.astype(np.float64))
    result = pool(p, regions, IMAGES, x)
    assert result.dtype == dtype
    tolerance = {2: 1e-2, 4: 1e-5}[x.dtype.itemsize]
    np.testing.assert_allclose(result.astype(np.float64), want, tolerance, tolerance)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
@pytest.mark.parametrize("ratio", [0, 2])
def test_the_gradient(kind, ratio):
    """Each result is linear in each pixel, but where the maximum changes."""
    rng = np.random.default_rng(2)
    x, p = rng.standard_normal((2, 2, 6, 7)), params(kind, ratio=ratio)
    g = rng.standard_normal((len(REGIONS), 2, 2, 3))
    found = gradient(p, REGIONS, IMAGES, x, g)
    np.testing.assert_array_equal(found, gradient(p, REGIONS, IMAGES, x, g, 3))
    step = 1e-6
    for at in itertools.islice(np.ndindex(x.shape), 0, None, 3):
        moved = [x.copy(), x.copy()]
        moved[0][at] -= step
        moved[1][at] += step
        low, high = ((expected(p, REGIONS, IMAGES, m) * g).sum() for m in moved)
        assert found[at] == pytest.approx((high - low) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
@pytest.mark.parametrize("ratio", [0, 2])
def test_the_tangent(kind, ratio):
    """A result is linear along any direction, but where the maximum changes."""
    rng = np.random.default_rng(3)
    x, t = rng.standard_normal((2, 2, 2, 6, 7))
    p, step = params(kind, ratio=ratio), 1e-6
    found = tangent(p, REGIONS, IMAGES, x, t)
    np.testing.assert_array_equal(found, tangent(p, REGIONS, IMAGES, x, t, 3))
    low, high = (expected(p, REGIONS, IMAGES, x + by * t) for by in (-step, step))
    np.testing.assert_allclose(found, (high - low) / (2 * step), 0, 1e-6)
    with pytest.raises(errors.poplibs_exception, match="roiPoolTangent: the tangent is"):
        tangent(p, REGIONS, IMAGES, x, t[:1])


def test_what_is_no_region():
    """No image, coordinates or sizes that are not finite, and larger than any image."""
    x = np.ones((1, 1, 4, 4), np.float32)
    regions = np.array(
        [
            [0, 0, 3, 3],
            [0, 0, 3, 3],
            [0, np.nan, 3, 3],
            [0, 0, np.inf, 3],
            [-1e30, -1e30, 1e30, 1e30],
        ],
        np.float32,
    )
    images = np.array([1, -1, 0, 0, 0], np.int32)
    for kind in KINDS:
        result = pool(params(kind, (1, 1)), regions, images, x).reshape(-1)
        np.testing.assert_array_equal(np.isnan(result), [0, 0, 1, 1, 0])
        np.testing.assert_array_equal(result[:2], 0)
        g = gradient(params(kind, (1, 1)), regions[:4], images[:4], x, np.ones((4, 1, 1, 1), "f"))
        np.testing.assert_array_equal(g, 0)
        if kind != RoiPooling.AlignAverage:
            t = tangent(params(kind, (1, 1)), regions[:4], images[:4], x, x)
            np.testing.assert_array_equal(t.reshape(-1), 0)
        beyond = np.array([[-3e38, 0, 3e38, 3], [0, -3e38, 3, 3e38]], np.float32)
        assert np.isnan(pool(params(kind, (2, 2)), beyond, images[2:4], x)).all()
    assert pool(params(KINDS[0]), regions[:0], images[:0], x).shape == (0, 1, 2, 3)
    assert not pool(params(KINDS[0]), regions[:1], images[:1] - 1, x[:, :, :0]).any()


def test_refusals():
    x, regions, images = np.ones((1, 1, 4, 4), "f"), np.zeros((2, 4), "f"), np.zeros(2, np.int32)
    good = params(RoiPooling.Max)
    for attempt, words in (
        (lambda: pool(good, regions, images, x[0]), r"the input is float \[1,4,4\]; give FLOAT"),
        (lambda: pool(good, regions[:, :3], images, x), r"regions is float \[2,3\]; give \[reg"),
        (lambda: pool(good, regions, images[:1], x), r"images is int \[1\]; give INT \[regions\]"),
        (lambda: pool(params(RoiPooling.Max, (0, 1)), regions, images, x), "0 x 1 bins"),
        (
            lambda: gradient(good, regions, images, x, np.zeros((2, 1, 1, 3), "f")),
            r"the gradient is float \[2,1,1,3\]",
        ),
    ):
        with pytest.raises(errors.poplibs_exception, match=words):
            attempt()


def test_samples_outside_are_zero_whatever_the_pixels() -> None:
    x, regions = np.full((1, 1, 2, 2), -np.inf, np.float32), np.array([[-9, -9, 0, 0]], np.float32)
    images = np.zeros(1, np.int32)
    for kind in KINDS[:2]:
        result = pool(params(kind, (2, 2), ratio=1), regions, images, x)[0, 0]
        assert result[0, 0] == 0


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "regions.cpp"
    return build(source, tmp_path_factory.mktemp("regions"))


@pytest.mark.parametrize(("aligned", "ratio", "kind"), [(0, 0, "int"), (1, 2, "unsigned")])
def test_roi_align_of_popnn(program, aligned, ratio, kind):
    """popnn's own function, against onnxruntime; its gradient is the transposed of the result."""
    random = np.random.default_rng(3)
    x = random.standard_normal((2, 3, 8, 9)).astype("f4")
    rois = np.array([[0, 0, 12, 10], [2.5, 1, 9, 8], [4, 4, 17, 15], [1, 3, 5, 13]], "f4")
    g = random.standard_normal((4, 3, 2, 4)).astype("f4")
    given = {"x": x, "rois": rois, "images": np.array([0, 1, 1, 0], "i4"), "g": g}
    shapes = {"y": ("f4", g.shape), "dx": ("f4", x.shape)}
    made = results(program, f"{aligned} {ratio} {kind}", given, shapes)
    mode = "half_pixel" if aligned else "output_half_pixel"
    node = onnx.helper.make_node(
        "RoiAlign",
        ["x", "r", "i"],
        ["y"],
        output_height=2,
        output_width=4,
        sampling_ratio=ratio,
        spatial_scale=0.5,
        coordinate_transformation_mode=mode,
    )
    info = onnx.helper.make_tensor_value_info
    inputs = [info("x", 1, x.shape), info("r", 1, rois.shape), info("i", 7, [4])]
    graph = onnx.helper.make_graph([node], "g", inputs, [info("y", 1, g.shape)])
    opset = [onnx.helper.make_opsetid("", 16)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    want = session.run(None, {"x": x, "r": rois, "i": given["images"].astype("i8")})[0]
    np.testing.assert_allclose(made["y"], want, 1e-5, 1e-5)
    assert np.vdot(made["dx"], x) == pytest.approx(np.vdot(g, made["y"]), rel=1e-4)
