"""Convolutions in channel blocks against float64, at edges, and with values without bounds.

This file is long because all sources of such convolutions share its oracle and their shapes.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
import torch

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


def convolved(
    x, w, pad, threads=1, bias=None, stride=1, groups=1, runs=1, what="winograd", kept=False
):
    """The result by our own kernels, in this machine's blocks. `w` is [out, in / groups, ...], and
    packed once if it is `kept`.
    """
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    block = BLOCKS[contraction.isa()]
    height, width = sizes(x, w, pad, stride)
    y = np.full((x.shape[0], w.shape[0] // block, height, width, block), np.nan, np.float32)
    made = contraction.convolution(
        *("forward", blocked(x, block), w.reshape(groups, -1, *w.shape[1:]), y),
        *([stride] * 2, [1, 1], [1, 1], list(pad)),
        threads=threads,
        source="blocked",
        bias=bias,
        inBlock=block,
        outBlock=block,
    )
    assert made.describe(kept).startswith(what)
    for _ in range(runs):
        made.run(kept)
    return plain(y)


def sizes(x, w, pad, stride):
    """Height and width of the output."""
    return [(x.shape[d] + 2 * pad[d - 2] - w.shape[d]) // stride + 1 for d in (2, 3)]


def exact(x, w, pad, stride=1, groups=1):
    """The convolution in double, tap by tap."""
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    height, width = sizes(x, w, pad, stride)
    parts = []
    for g in range(groups):
        ours = wide[:, g * w.shape[1] : (g + 1) * w.shape[1]]
        filters = w.reshape(groups, -1, *w.shape[1:])[g].astype(np.float64)
        total = np.zeros((x.shape[0], filters.shape[0], height, width))
        with np.errstate(invalid="ignore"):
            for y in range(w.shape[2]):
                for z in range(w.shape[3]):
                    rows = slice(y, y + (height - 1) * stride + 1, stride)
                    columns = slice(z, z + (width - 1) * stride + 1, stride)
                    tap = filters[:, :, y, z]
                    total += np.einsum("nchw,oc->nohw", ours[:, :, rows, columns], tap)
        parts.append(total)
    return np.concatenate(parts, 1)


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


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("images", "inputs", "outputs", "size", "pad"),
    [
        (12, 16, 32, (5, 7), (1, 1)),
        (40, 48, 64, (4, 4), (1, 1)),
        (4, 32, 32, (11, 14), (0, 1)),
        (2, 16, 32, (21, 18), (1, 1)),
        (3, 80, 96, (30, 33), (1, 0)),
        (9, 144, 64, (8, 8), (1, 1)),  # packed while it runs, by 64 channels
    ],
)
def test_tiles_of_four(images, inputs, outputs, size, pad, threads, kept):
    x, w = random(images, inputs, *size), random(outputs, inputs, 3, 3, seed=1)
    expected = exact(x, w, pad)
    found = convolved(x, w, pad, threads, runs=2, what="winograd 4 x 4", kept=kept)
    assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize(("kept", "images"), [(False, 1), (False, 8), (True, 8)])
@pytest.mark.parametrize("large", [20, 1e4, 1e20])
def test_large_inputs_leave_the_digits_of_others(large, kept, images):
    """Transforms of 4 x 4 add the rounding of one input to outputs that do not read it."""
    size = 24 if images == 1 else 12
    x, w = random(images, 64, size, size), random(96, 64, 3, 3, seed=1)
    x[:, 3, 5, 6] = large
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1), what="winograd 4 x 4", kept=kept)
    reads = np.zeros((size, size), bool)
    reads[4:7, 5:8] = True
    for where in (reads, ~reads):
        error = np.abs(found - expected)[:, :, where].max()
        assert error < 3e-6 * np.abs(expected[:, :, where]).max()


def test_outputs_that_read_zeros_are_zeros():
    x, w = np.zeros((4, 64, 12, 12), np.float32), random(64, 64, 3, 3, seed=1)
    x[:, :, 5, 6] = random(4, 64)
    found = convolved(x, w, (1, 1), what="winograd 4 x 4")
    np.testing.assert_array_equal(found != 0, exact(x, w, (1, 1)) != 0)


def test_tiles_across_an_edge_of_magnitudes():
    x, w = random(1, 32, 28, 30), random(32, 32, 3, 3, seed=1)
    x[..., 14:] *= 1e6
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1), what="winograd 4 x 4")
    error, scale = (np.abs(a).max((0, 1, 2)) for a in (found - expected, expected))
    assert (error < 2e-6 * scale).all()


@pytest.mark.parametrize("pad", [(2, 1), (1, 2), (2, 2)])
def test_padding_beyond_a_square_has_small_tiles(pad):
    x, w = random(2, 16, 30, 30), random(32, 16, 3, 3, seed=1)
    expected = exact(x, w, pad)
    found = convolved(x, w, pad, what="winograd 2 x 2")
    assert np.abs(found - expected).max() < 1.5e-6 * np.abs(expected).max()


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("shape", [(2, 64, 8, 8), (2, 128, 7, 7)])
def test_kept_weights_have_tiles_where_others_have(shape, changes):
    """32 tiles of 2 x 2."""
    x, w = random(*shape), random(shape[1], shape[1], 3, 3, seed=1)
    y = np.empty_like(x)
    args = ([1, 1], [1, 1], [1, 1], [1, 1])
    made = contraction.convolution("forward", x, w[None], y, *args)
    if contraction.isa() in BLOCKS:
        assert "winograd" in made.describe(not changes)
    made.run(not changes)
    assert np.abs(y - exact(x, w, (1, 1))).max() < 1e-3


@pytest.mark.parametrize(
    ("images", "size", "what", "most"),
    [(1, 14, "winograd 2 x 2", 3e-7), (16, 16, "winograd 4 x 4", 7e-7)],
)
@pytest.mark.parametrize("channels", [32, 256])
def test_the_error_hardly_grows_with_channels(channels, images, size, what, most):
    """The plain sum of 2304 products, one after another, has 8e-7."""
    x, w = random(images, channels, size, size), random(64, channels, 3, 3, seed=1)
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1), what=what)
    assert np.sqrt(np.square(found - expected).mean() / np.square(expected).mean()) < most


@pytest.mark.parametrize(
    ("images", "size", "outputs", "changing", "kept"),
    [
        (1, 14, 64, "winograd 2 x 2", "winograd 4 x 4"),  # 16 tiles of 4 x 4
        (1, 10, 64, "winograd 2 x 2", "winograd 2 x 2"),  # 9
        (2, 14, 64, "winograd 4 x 4", "winograd 4 x 4"),  # 32
        (64, 6, 32, "winograd 2 x 2", "winograd 2 x 2"),  # as many multiplications either way
        (64, 5, 32, "winograd 2 x 2", "winograd 2 x 2"),
        (64, 7, 32, "winograd 4 x 4", "winograd 4 x 4"),
    ],
)
def test_the_size_of_tiles(images, size, outputs, changing, kept):
    x, w = random(images, 16, size, size), random(outputs, 16, 3, 3, seed=1)
    expected = exact(x, w, (1, 1))
    for what, packed in ((changing, False), (kept, True)):
        found = convolved(x, w, (1, 1), what=what, kept=packed)
        assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("images", "inputs", "outputs", "size", "pad"),
    [
        (1, 32, 16, (4, 4), (1, 1)),
        (2, 32, 48, (9, 6), (1, 0)),
        (3, 96, 16, (31, 6), (1, 1)),
        (64, 32, 64, (14, 14), (1, 1)),
    ],
)
def test_data_gradient(images, inputs, outputs, size, pad, threads):
    """The gradient of the output stays as it is; that of the input is a convolution by filters that
    are turned, with input and output channels exchanged.
    """
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    block = BLOCKS[contraction.isa()]
    w = random(outputs, inputs, 3, 3, seed=1)
    height, width = (n + 2 * p - 2 for n, p in zip(size, pad, strict=True))
    g = random(images, outputs, height, width)
    given = blocked(g, block)
    found = np.full((images, inputs // block, *size, block), np.nan, np.float32)
    made = contraction.convolution(
        *("data_gradient", found, w[None], given, [1, 1], [1, 1], [1, 1], list(pad)),
        threads=threads,
        source="blocked",
        inBlock=block,
        outBlock=block,
    )
    assert made.describe().startswith("winograd")
    made.run()
    turned = w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
    expected = exact(g, turned, tuple(2 - p for p in pad))
    assert np.abs(plain(found) - expected).max() < 2e-6 * np.abs(expected).max()
    np.testing.assert_array_equal(given, blocked(g, block))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("images", "inputs", "outputs", "size"),
    [
        (1, 16, 16, (1, 1)),
        (1, 16, 32, (4, 4)),
        (3, 32, 48, (9, 5)),
        (1, 48, 160, (7, 7)),  # five panels, whose outputs threads share
        (3, 160, 96, (5, 7)),
        (2, 16, 64, (31, 17)),
        (1, 256, 512, (3, 5)),
    ],
)
def test_pointwise(images, inputs, outputs, size, threads):
    x, w = random(images, inputs, *size), random(outputs, inputs, 1, 1, seed=1)
    expected = exact(x, w, (0, 0))
    found = convolved(x, w, (0, 0), threads, runs=2, what="direct")
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [2, 3])
def test_panels_are_shared_evenly(threads):
    """Of three panels threads share the outputs, whole rows of two images: with the same bits."""
    case = Filters(2, 32, 96, (7, 5), (5, 3), (2, 1))
    x, w = case.operands()
    (one, _), (several, described) = (case.ours(x, w, threads=n) for n in (1, threads))
    assert described.startswith("direct")
    np.testing.assert_array_equal(several, one)


@dataclass
class Filters:
    """A convolution of any filter. Pairs are height and width; `end` pads below and right."""

    images: int
    inputs: int
    outputs: int
    size: tuple[int, int]
    kernel: tuple[int, int]
    pad: tuple[int, int] = (0, 0)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    end: tuple[int, int] | None = None

    def ends(self) -> tuple[int, int]:
        return self.end or self.pad

    def operands(self) -> tuple[np.ndarray, np.ndarray]:
        x = random(self.images, self.inputs, *self.size)
        return x, random(self.outputs, self.inputs // self.groups, *self.kernel, seed=1)

    def torch(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """By PyTorch, in double; sides that are cropped by negative padding, too."""
        (top, left), (bottom, right) = self.pad, self.ends()
        wide = torch.nn.functional.pad(torch.from_numpy(x).double(), (left, right, top, bottom))
        given = {"stride": self.stride, "dilation": self.dilation, "groups": self.groups}
        return torch.nn.functional.conv2d(wide, torch.from_numpy(w).double(), **given).numpy()

    def ours(self, x, w, threads=1, lies="blocked", bias=None, source="blocked"):
        """By our own kernels, and how it is described. The input `lies` "blocked", which is plain
        where channels do not fill blocks, "plain", or with its channels "last".
        """
        block = BLOCKS.get(contraction.isa())
        if block is None:
            pytest.skip("this process is held to an instruction set without vectors")
        height, width = self.torch(x[:1], w).shape[2:]
        y = np.full((len(x), len(w) // block, height, width, block), np.nan, np.float32)
        in_block = block if lies == "blocked" and self.inputs % block == 0 else 0
        given = blocked(x, in_block) if in_block else np.ascontiguousarray(x)
        if lies == "last":
            in_block, given = -1, np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        made = contraction.convolution(
            *("forward", given, w.reshape(self.groups, -1, *w.shape[1:]), y),
            *(list(self.stride), list(self.dilation), [1, 1], list(self.pad)),
            threads=threads,
            source=source,
            bias=bias,
            inBlock=in_block,
            outBlock=block,
        )
        made.run()
        return plain(y), made.describe()


FILTERS = {
    "strided": Filters(2, 32, 48, (15, 13), (3, 3), (1, 1), (2, 2)),
    "stem 7 x 7": Filters(1, 3, 64, (31, 33), (7, 7), (3, 3), (2, 2)),
    "stem 3 x 3": Filters(2, 3, 32, (20, 17), (3, 3), (1, 1), (2, 2), end=(0, 0)),
    "one channel": Filters(1, 1, 16, (9, 9), (5, 5)),
    "five channels": Filters(1, 5, 32, (8, 30), (3, 2), (1, 1)),
    "patches": Filters(1, 3, 48, (32, 32), (16, 16), (0, 0), (16, 16)),
    "five wide": Filters(1, 16, 16, (28, 28), (5, 5), (2, 2)),
    "dilated": Filters(1, 32, 32, (19, 23), (3, 3), (2, 2), dilation=(2, 2)),
    "dilated unequally": Filters(1, 16, 32, (19, 23), (3, 2), (1, 4), (1, 2), (3, 5)),
    "dilated plain": Filters(1, 6, 16, (12, 15), (3, 3), (2, 2), dilation=(2, 3)),
    "grouped": Filters(2, 64, 96, (9, 11), (3, 3), (1, 1), groups=2),
    "grouped by vectors": Filters(1, 64, 64, (7, 7), (3, 3), (1, 1), (2, 2), groups=4),
    "half a panel": Filters(1, 16, 48, (7, 7), (3, 3), (1, 1), (3, 3)),
    "a point, strided": Filters(1, 48, 80, (9, 9), (1, 1), (0, 0), (2, 2)),
    "a point, padded": Filters(1, 16, 16, (4, 5), (1, 1), (1, 2)),
    "stride beyond the filter": Filters(1, 16, 32, (17, 19), (2, 2), (0, 0), (5, 4)),
    "one output": Filters(3, 32, 64, (3, 3), (3, 3), stride=(2, 2)),
    "all at the sides": Filters(1, 16, 32, (2, 3), (5, 7), (2, 3)),
    "padded beyond the filter": Filters(1, 16, 16, (3, 4), (3, 3), (4, 5), (2, 1)),
    "padded above alone": Filters(1, 16, 32, (9, 8), (3, 3), (2, 1), (2, 2), end=(0, 0)),
    "cropped": Filters(1, 16, 32, (12, 13), (3, 3), (-2, -1), (2, 1), end=(0, 1)),
    "many channels": Filters(1, 528, 80, (7, 7), (3, 3), (1, 1), (2, 2)),
    "many panels": Filters(1, 64, 336, (5, 5), (2, 2), (1, 1)),
    "wide": Filters(1, 16, 16, (4, 150), (3, 5), (1, 2)),
    "high": Filters(1, 16, 16, (150, 2), (5, 3), (2, 1)),
    "many images": Filters(9, 16, 32, (6, 5), (2, 3), (0, 1)),
}
"""No vector of channels where inputs are fewer, or as many as no number of vectors."""


@pytest.mark.parametrize("lies", ["blocked", "plain", "last"])
@pytest.mark.parametrize("name", FILTERS)
def test_direct(name, lies):
    """The bits depend neither on threads nor on how the input lies."""
    filters = FILTERS[name]
    x, w = filters.operands()
    one, by = filters.ours(x, w, lies=lies)
    assert by.startswith("direct")
    expected = filters.torch(x, w)
    assert np.abs(one - expected).max() < 1.5e-6 * np.abs(expected).max()
    for threads in (2, 3):
        np.testing.assert_array_equal(one, filters.ours(x, w, threads, lies)[0])
    np.testing.assert_array_equal(one, filters.ours(x, w)[0])


@pytest.mark.parametrize("lies", ["plain", "last"])
@pytest.mark.parametrize(
    ("inputs", "outputs", "kernel", "stride"),
    [
        (3, 3, (1, 1), 1),
        (1, 1, (3, 3), 1),
        (3, 18, (1, 1), 1),
        (18, 3, (1, 1), 1),
        (5, 11, (3, 2), 2),
        (33, 15, (1, 1), 1),
        (3, 2, (5, 3), 1),
    ],
)
def test_half_vectors(inputs, outputs, kernel, stride, lies):
    """An odd number of half vectors of channels is last in memory. Channels are counted so."""
    block = BLOCKS.get(contraction.isa())
    if block is None:
        pytest.skip("this process is held to an instruction set without vectors")
    half = block // 2
    pad, step = (kernel[0] // 2, kernel[1] // 2), (stride, stride)
    filters = Filters(2, inputs * half, outputs * half, (11, 13), kernel, pad, step)
    (x, w), bias = filters.operands(), random(outputs * half, seed=2)
    expected = filters.torch(x, w) + bias[:, None, None]
    found = []
    for threads in (1, 2, 3):
        out_block = 0 if lies == "plain" else -1 if outputs % 2 else block
        in_block = 0 if lies == "plain" else -1
        y = np.full(expected.shape, np.nan, np.float32)
        given = y.transpose(0, 2, 3, 1).copy() if out_block == -1 else y
        if out_block == block:
            given = blocked(y, block)
        read = np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if in_block else x
        made = contraction.convolution(
            *("forward", read, w[None], given, list(step), [1, 1], [1, 1], list(pad)),
            threads=threads,
            source="blocked",
            bias=bias,
            inBlock=in_block,
            outBlock=out_block,
        )
        assert made.describe().startswith("direct")
        made.run()
        if out_block == -1:
            given = given.transpose(0, 3, 1, 2)
        found.append(plain(given) if out_block == block else given)
    assert np.abs(found[0] - expected).max() < 1.5e-6 * np.abs(expected).max()
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_half_vectors_stay_last(tmp_path):
    """Convolutions of one point pass 24 and 40 channels on, by a residual and bounds, too."""
    torch.manual_seed(0)
    conv = torch.nn.Conv2d

    class Inverted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.wide = conv(3, 32, 3, 2, 1), conv(24, 144, 1)
            self.narrow, self.project, self.last = (
                conv(144, 24, 1),
                conv(32, 24, 1),
                conv(24, 40, 1),
            )

        def forward(self, x):
            y = self.project(self.first(x))
            y = y + self.narrow(self.wide(y).clamp(0, 6))
            return self.last(y).relu()

    model, x = Inverted().eval(), torch.randn(1, 3, 40, 36)
    path = str(tmp_path / "model.onnx")
    names = {"input_names": ["x"], "output_names": ["y"]}
    torch.onnx.export(model, (x,), path, opset_version=17, dynamo=False, **names)
    found = []
    for fuse in ("true", "false"):
        options = popir.SessionOptions()
        options.engineOptions = {"host.numThreads": "2", "host.fuse": fuse}
        device = popir.DeviceManager().createCpuDevice()
        session = popir.InferenceSession(
            path, popir.DataFlow(1, ["y"]), device, userOptions=options
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({"x": x.numpy()}, anchors))
        found.append(anchors["y"].copy())
        if fuse == "true" and contraction.isa() == "avx512":
            assert session.planText().count("/clast") >= 5
    with torch.no_grad():
        expected = model(x).numpy()
    for each in found:
        np.testing.assert_allclose(each, expected, 1e-5, 1e-5)


DEPTHWISE = {
    "dilated": Filters(2, 32, 32, (15, 18), (3, 3), (2, 2), dilation=(2, 2), groups=32),
    "strided unequally": Filters(1, 16, 16, (30, 31), (5, 3), (2, 1), (2, 1), groups=16),
    "padded above alone": Filters(1, 16, 16, (9, 8), (3, 3), (2, 1), (2, 2), groups=16, end=(0, 0)),
    "cropped": Filters(1, 16, 16, (12, 40), (3, 3), (-2, -1), groups=16, end=(0, 1)),
    "stride beyond the filter": Filters(1, 16, 16, (17, 19), (2, 2), (0, 0), (5, 4), groups=16),
    "padded beyond the filter": Filters(1, 16, 16, (3, 4), (3, 3), (4, 5), (2, 1), groups=16),
    "many images": Filters(5, 48, 48, (7, 7), (5, 5), (2, 2), groups=48),
}


@pytest.mark.parametrize("name", DEPTHWISE)
def test_depthwise_filters(name):
    filters = DEPTHWISE[name]
    x, w = filters.operands()
    one, by = filters.ours(x, w)
    assert by.startswith("depthwise")
    expected = filters.torch(x, w)
    assert np.abs(one - expected).max() < 1e-6 * np.abs(expected).max()
    for threads in (2, 3):
        np.testing.assert_array_equal(one, filters.ours(x, w, threads)[0])


@pytest.mark.parametrize("lies", ["blocked", "plain"])
@pytest.mark.parametrize("groups", [1, 2, 32])
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(1, 1, 1), (5, 1, 1), (3, 2, 4)])
def test_fields_of_one_dimension(kernel, stride, dilation, groups, lies):
    """They are planes of one row."""
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    x, w = random(2, 32, 61), random(groups, 32 // groups, 32 // groups, kernel, seed=1)
    pad = dilation * (kernel // 2)
    want = torch.nn.functional.conv1d(
        *(torch.tensor(x).double(), torch.tensor(w.reshape(32, -1, kernel)).double()),
        stride=stride,
        dilation=dilation,
        padding=pad,
        groups=groups,
    ).numpy()
    block = 0 if lies == "plain" else BLOCKS[contraction.isa()]

    def laid(a: np.ndarray) -> np.ndarray:
        n, c, width = a.shape
        return a if block == 0 else a.reshape(n, c // block, block, width).transpose(0, 1, 3, 2)

    given, out = np.ascontiguousarray(laid(x)), np.ascontiguousarray(laid(np.empty_like(want, "f")))
    made = contraction.convolution(
        *("forward", given, w, out, [stride], [dilation], [1], [pad]),
        source="blocked",
        inBlock=block,
        outBlock=block,
    )
    assert ("depthwise" if groups == 32 else "direct") in made.describe()
    made.run()
    np.testing.assert_allclose(out, laid(want), 1e-5, 1e-5 * np.abs(want).max())


def test_direct_bias():
    filters = FILTERS["half a panel"]
    (x, w), bias = filters.operands(), random(48, seed=2)
    found, without = (filters.ours(x, w, bias=b)[0] for b in (bias, None))
    np.testing.assert_array_equal(found, without + bias[:, None, None])


@pytest.mark.parametrize("groups", [1, 16])
def test_an_infinite_weight_meets_no_padding(groups):
    """What lies beyond the sides is not multiplied: zero times infinity would be NaN."""
    filters = Filters(1, 16, 16, (6, 6), (3, 3), (1, 1), (2, 2), groups=groups)
    x, w = (np.abs(a) + 1 for a in filters.operands())
    w[3, 0, 0, 0] = np.inf
    found, _ = filters.ours(x, w)
    infinite = np.zeros(found.shape, bool)
    infinite[0, 3, 1:, 1:] = True
    np.testing.assert_array_equal(np.isposinf(found), infinite)
    assert not np.isnan(found).any()


@pytest.mark.parametrize("size", [(0, 8), (8, 8)])
def test_no_images_and_no_rows(size):
    """Nothing is computed, or there is no sum: the result is zero."""
    images = 0 if size == (8, 8) else 1
    filters = Filters(images, 16, 16, size, (3, 3), (2, 2), (2, 2))
    x, w = filters.operands()
    block = BLOCKS.get(contraction.isa(), 8)
    height, width = ((size[d] + 4 - 3) // 2 + 1 for d in (0, 1))
    y = np.full((images, 16 // block, height, width, block), np.nan, np.float32)
    made = contraction.convolution(
        *("forward", blocked(x, block), w[None], y, [2, 2], [1, 1], [1, 1], [2, 2]),
        inBlock=block,
        outBlock=block,
    )
    made.run()
    np.testing.assert_array_equal(y, 0)


@pytest.mark.skipif(contraction.isa() != "avx2", reason="the rule is that of AVX2")
@pytest.mark.parametrize(
    ("filters", "by", "changing"),
    [
        (Filters(1, 32, 32, (28, 28), (3, 3), (1, 1), (2, 2)), "direct", "onednn"),
        (Filters(1, 32, 32, (60, 60), (3, 3), (1, 1), (2, 2)), "direct", "onednn"),
        (Filters(1, 32, 24, (60, 60), (3, 3), (1, 1)), "direct", "onednn"),
        (Filters(1, 32, 32, (60, 60), (3, 3), (1, 1)), "winograd", "winograd"),
        (Filters(1, 32, 32, (7, 7), (3, 3), (1, 1)), "direct", "onednn"),
        (Filters(4, 32, 32, (7, 7), (3, 3), (1, 1)), "winograd", "onednn"),
        (Filters(1, 64, 64, (14, 14), (3, 3), (1, 1), groups=4), "direct", "onednn"),
        (Filters(1, 32, 64, (28, 28), (1, 1)), "of points", "of points"),
        (Filters(1, 3, 32, (56, 56), (3, 3), (1, 1), (2, 2)), "onednn", "onednn"),
        (Filters(1, 64, 64, (28, 28), (3, 3), (1, 1), groups=64), "onednn", "onednn"),
        (Filters(1, 64, 64, (28, 28), (5, 5), (2, 2), groups=64), "depthwise", "depthwise"),
        (Filters(1, 64, 64, (28, 28), (7, 7), (3, 3), groups=64), "depthwise", "depthwise"),
        (Filters(1, 64, 64, (30, 30), (9, 9), (4, 4), groups=64), "depthwise", "onednn"),
        (Filters(1, 64, 64, (14, 14), (9, 9), (4, 4), groups=64), "onednn", "onednn"),
    ],
)
def test_the_rule(filters, by, changing):
    """The sources for weights that stay, and for those that change between runs."""
    check_rule(filters, by, changing)


def check_rule(filters, by, changing):
    """Without planes, which compute some of what other rules leave."""
    x, w = filters.operands()
    height, width = filters.torch(x, w).shape[2:]
    y = np.empty((len(x), len(w), height, width), np.float32)
    made = contraction.convolution(
        *("forward", x, w.reshape(filters.groups, -1, *w.shape[1:]), y),
        *(list(filters.stride), [1, 1], [1, 1], list(filters.pad)),
        without="planes",
    )
    assert by in made.describe(weightsKept=True)
    assert changing in made.describe()
    made.seconds(1, weightsKept=True)
    expected = filters.torch(x, w)
    assert np.abs(y - expected).max() < 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize(
    ("images", "channels", "size", "kernel", "pad"),
    [
        (1, 16, (1, 1), (3, 3), (1, 1)),
        (2, 32, (14, 9), (3, 3), (1, 1)),
        (1, 48, (30, 31), (5, 5), (2, 2)),
        (1, 16, (12, 40), (7, 7), (3, 3)),
        (1, 16, (9, 9), (3, 1), (0, 2)),
        (1, 16, (5, 20), (2, 4), (1, 3)),
        (1, 16, (3, 3), (3, 3), (0, 0)),
    ],
)
def test_depthwise(images, channels, size, kernel, pad, stride, threads):
    x, w = random(images, channels, *size), random(channels, 1, *kernel, seed=1)
    expected = exact(x, w, pad, stride, channels)
    given = {"stride": stride, "groups": channels, "runs": 2, "what": "depthwise"}
    found = convolved(x, w, pad, threads, **given)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


def weights_gradient(x, g, kernel, pad, stride=1, threads=1, lies="blocked", source="blocked"):
    """The gradient of depthwise filters, `x` and `g` in channel blocks, plain, or with the channels
    last in memory.
    """
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    block = BLOCKS[contraction.isa()] if lies == "blocked" else 0
    last = lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)  # noqa: E731
    form = {"blocked": lambda a: blocked(a, block), "plain": lambda a: a, "last": last}[lies]
    w = np.full((x.shape[1], 1, 1, *kernel), np.nan, np.float32)
    made = contraction.convolution(
        *("weights_gradient", form(x), w, form(g), [stride] * 2, [1, 1], [1, 1], list(pad)),
        threads=threads,
        source=source,
        inBlock=block,
        outBlock=block,
    )
    for _ in range(2):
        made.run()
    return w[:, 0], made.describe()


def exact_gradient(x, g, kernel, pad, stride):
    """The gradient of depthwise filters in double, tap by tap."""
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    height, width = g.shape[2:]
    taps = np.zeros((x.shape[1], 1, *kernel))
    for y in range(kernel[0]):
        for z in range(kernel[1]):
            rows = slice(y, y + (height - 1) * stride + 1, stride)
            columns = slice(z, z + (width - 1) * stride + 1, stride)
            taps[:, 0, y, z] = np.einsum("nchw,nchw->c", wide[:, :, rows, columns], g)
    return taps


@pytest.mark.parametrize("lies", ["blocked", "plain", "last"])
@pytest.mark.parametrize(
    ("images", "channels", "size", "kernel", "pad", "stride"),
    [
        (1, 16, (1, 1), (3, 3), (1, 1), 1),
        (2, 32, (14, 9), (3, 3), (1, 1), 2),
        (1, 48, (30, 31), (5, 5), (2, 2), 1),
        (3, 16, (12, 40), (7, 7), (3, 3), 1),
        (1, 16, (9, 9), (3, 1), (0, 2), 3),
        (1, 16, (5, 20), (2, 4), (1, 3), 1),
        (2, 16, (12, 30), (9, 11), (4, 5), 2),
    ],
)
def test_depthwise_gradient(images, channels, size, kernel, pad, stride, lies):
    x = random(images, channels, *size)
    sizes = [(size[d] + 2 * pad[d] - kernel[d]) // stride + 1 for d in (0, 1)]
    g = random(images, channels, *sizes, seed=1)
    expected = exact_gradient(x, g, kernel, pad, stride)
    one, by = weights_gradient(x, g, kernel, pad, stride, 1, lies)
    assert by.startswith("depthwise gradient")
    assert np.abs(one - expected).max() < 1e-6 * np.abs(expected).max()
    np.testing.assert_array_equal(one, weights_gradient(x, g, kernel, pad, stride, 3, lies)[0])


def test_an_infinite_gradient_reaches_the_taps_that_meet_it():
    """At a corner most taps lie beyond the sides: nothing is multiplied there."""
    x, g = random(1, 16, 8, 8), random(1, 16, 8, 8, seed=1)
    g[0, 5, 0, 0] = np.inf
    found, _ = weights_gradient(x, g, (5, 5), (2, 2))
    finite = np.isfinite(found[:, 0])
    assert finite[np.arange(16) != 5].all()
    np.testing.assert_array_equal(finite[5, :2], True)
    np.testing.assert_array_equal(finite[5, 2:, 2:], False)
    np.testing.assert_array_equal(finite[5, :, :2], True)


@pytest.mark.parametrize(("size", "by"), [(5, "depthwise gradient"), (3, "onednn")])
def test_large_filters_have_their_gradients_by_our_own(size, by):
    x, g = random(1, 16, 12, 12), random(1, 16, 12, 12, seed=1)
    given = (x, g, (size, size), (size // 2,) * 2)
    found, described = weights_gradient(*given, source="any")
    assert by in described
    np.testing.assert_allclose(found, exact_gradient(*given, 1), rtol=1e-4, atol=1e-4)


def three_gradient(x, g, pad, threads=1, lies="blocked", source="blocked"):
    """The gradient of the weights of a convolution of 3 x 3, and by what; `lies` as above."""
    if contraction.isa() not in BLOCKS:
        pytest.skip("this process is held to an instruction set without vectors")
    block = BLOCKS[contraction.isa()] if lies == "blocked" else 0
    form = (lambda a: blocked(a, block)) if block else (lambda a: a)
    w = np.full((1, g.shape[1], x.shape[1], 3, 3), np.nan, np.float32)
    made = contraction.convolution(
        *("weights_gradient", form(x), w, form(g), [1, 1], [1, 1], [1, 1], list(pad)),
        threads=threads,
        source=source,
        inBlock=block,
        outBlock=block,
    )
    for _ in range(2):
        made.run()
    return w[0], made.describe()


def exact_three(x, g, pad):
    """The same in double, tap by tap: nothing is multiplied beyond the sides."""
    (height, width), found = g.shape[2:], np.zeros((g.shape[1], x.shape[1], 3, 3))
    for y in range(3):
        for z in range(3):
            up, left = y - pad[0], z - pad[1]  # where the input of the first output is
            rows = slice(max(0, -up), min(height, x.shape[2] - up))
            columns = slice(max(0, -left), min(width, x.shape[3] - left))
            met = x[:, :, rows.start + up : rows.stop + up]
            met = met[:, :, :, columns.start + left : columns.stop + left]
            with np.errstate(invalid="ignore"):
                found[:, :, y, z] = np.einsum(
                    "nohw,nihw->oi", g[:, :, rows, columns].astype(np.float64), met
                )
    return found


@pytest.mark.parametrize("lies", ["blocked", "plain"])
@pytest.mark.parametrize(
    ("images", "ins", "outs", "size", "pad"),
    [
        (1, 16, 16, (1, 1), (1, 1)),
        (2, 16, 32, (4, 4), (1, 1)),
        (1, 48, 16, (5, 8), (1, 1)),
        (2, 32, 48, (7, 3), (0, 0)),
        (3, 32, 32, (9, 30), (1, 0)),
        (1, 16, 16, (6, 5), (2, 2)),
        (2, 16, 16, (3, 3), (0, 0)),
        (4, 64, 64, (40, 41), (1, 1)),  # of several parts of the tiles
    ],
)
def test_gradient_of_weights(images, ins, outs, size, pad, lies):
    x = random(images, ins, *size)
    g = random(images, outs, *(size[d] + 2 * pad[d] - 2 for d in (0, 1)), seed=1)
    expected = exact_three(x, g, pad)
    one, by = three_gradient(x, g, pad, 1, lies)
    assert by.startswith("winograd gradient")
    assert np.abs(one - expected).max() < 3e-6 * np.abs(expected).max()
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(one, three_gradient(x, g, pad, threads, lies)[0])


@pytest.mark.parametrize(("images", "by", "most"), [(8, "4 x 4", 1e-6), (1, "2 x 2", 6e-7)])
def test_gradient_of_weights_is_as_exact_as_a_sum(images, by, most):
    """PyTorch's has 7e-7 to 1e-6."""
    outs = 32 if images > 1 else 256
    x, g = random(images, 32, 28, 28), random(images, outs, 28, 28, seed=1)
    expected = exact_three(x, g, (1, 1))
    found, described = three_gradient(x, g, (1, 1))
    assert f"gradient {by}" in described
    error = np.sqrt(np.square(found - expected).mean() / np.square(expected).mean())
    assert error < most


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("of", ["input", "gradient"])
@pytest.mark.parametrize("place", [(0, 0), (5, 7), (3, 2)])
@pytest.mark.parametrize("images", [1, 6])
def test_a_gradient_of_weights_keeps_infinities_apart(images, place, of, value):
    """At a corner an element meets 4 taps; the transforms, of either size, would take it to all."""
    x, g = random(images, 32, 8, 8), random(images, 32, 8, 8, seed=1)
    (x if of == "input" else g)[0, 21, place[0], place[1]] = value
    expected = exact_three(x, g, (1, 1))
    found, _ = three_gradient(x, g, (1, 1))
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-4, atol=1e-4)


def test_a_gradient_of_weights_that_only_the_transforms_overflow():
    x, g = np.full((1, 16, 4, 4), 1e38, np.float32), np.ones((1, 16, 4, 4), np.float32)
    g[:, :, 1::2] *= -1
    g[:, :, :, 1::2] *= -1
    expected = exact_three(x, g, (1, 1))
    found, _ = three_gradient(x, g, (1, 1))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e33)


@pytest.mark.parametrize(
    ("outs", "size", "threads", "by"),
    [
        (32, (8, 8), 1, "winograd gradient"),
        (32, (8, 8), 2, "winograd gradient"),
        (32, (64, 64), 5, "onednn"),  # threads would have less than a vector each
        (32, (1, 8), 1, "onednn"),  # half of the tiles is beyond the output
    ],
)
def test_the_source_of_a_gradient_of_weights(outs, size, threads, by):
    x, g = random(2, 32, *size), random(2, outs, *size, seed=1)
    found, described = three_gradient(x, g, (1, 1), threads, source="any")
    assert by in described
    np.testing.assert_allclose(found, exact_three(x, g, (1, 1)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize(
    ("images", "size", "outs", "what"),
    [
        (2, 30, 64, "winograd 4 x 4"),
        (4, 7, 128, "winograd"),  # threads share output channels where weights change
        (10, 7, 128, "winograd 4 x 4"),
        (1, 4, 160, "winograd 2 x 2"),  # where they stay too
    ],
)
def test_the_bits_do_not_depend_on_threads(images, size, outs, what, kept):
    x, w = random(images, 32, size, size), random(outs, 32, 3, 3, seed=1)
    one = convolved(x, w, (1, 1), 1, what=what, kept=kept)
    for n in (2, 3, 5):
        np.testing.assert_array_equal(one, convolved(x, w, (1, 1), n, what=what, kept=kept))


def test_bias():
    x, w, b = random(1, 16, 6, 6), random(32, 16, 3, 3, seed=1), random(32, seed=2)
    with_bias, without = convolved(x, w, (1, 1), bias=b), convolved(x, w, (1, 1))
    np.testing.assert_array_equal(with_bias, without + b[:, None, None])


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize(("images", "what"), [(1, "winograd 2 x 2"), (4, "winograd 4 x 4")])
def test_values_without_bounds_reach_only_what_reads_them(images, what, value):
    """Transforms mix the inputs of a tile; an output must not see those that it does not read."""
    x, w = random(images, 16, 9, 9), random(32, 16, 3, 3, seed=1)
    x[0, 3, 4, 5] = value
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1), what=what)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    w[7, 2, 1, 1] = value
    expected = exact(x, w, (1, 1))
    found = convolved(x, w, (1, 1), what=what)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("last", ["relu", "leakyrelu", "clip", "none"])
@pytest.mark.parametrize(
    ("kernel", "groups", "stride", "channels"),
    [(3, 1, 1, 32), (1, 1, 1, 32), (3, 32, 1, 32), (3, 1, 2, 32), (5, 2, 1, 32), (3, 1, 2, 3)],
)
def test_what_follows_a_convolution_is_done_with_it(kernel, groups, stride, channels, last):
    """Bias, a sum with a whole tensor, a factor, an activation: the values of steps of their own.
    NaN stays NaN.
    """
    x = random(2, channels, 12, 10)
    w = random(32 if groups == channels else 64, channels // groups, kernel, kernel)
    x[0, channels // 6, 3, 3] = np.nan
    whole = random(2, len(w), 12 // stride, 10 // stride, seed=2)
    bias = random(len(w), seed=3)
    builder = popir.Builder()
    onnx = builder.aiOnnxOpset13
    given = builder.addInputTensor("FLOAT", list(x.shape))
    other = builder.addInputTensor("FLOAT", list(whole.shape))
    factor, low, high = (
        builder.addInitializedInputTensor(np.array(v, np.float32)) for v in (0.7, -0.5, 0.5)
    )
    weights = [builder.addInitializedInputTensor(value) for value in (w, bias)]
    where = {"pads": [kernel // 2] * 4, "strides": [stride] * 2}
    y = onnx.conv([given, *weights], group=groups, **where)
    y = onnx.mul([onnx.add([y, other]), factor])
    if last == "clip":
        y = onnx.clip([y, low, high])
    elif last != "none":
        y = getattr(onnx, last)([y])
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

    fused, apart = run("true"), run("false")
    assert np.isnan(fused[0]).any()
    np.testing.assert_allclose(fused, apart, rtol=1e-5, atol=5e-5)


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16"])
def test_halves_without_bounds(kind):
    """Weights that stay are packed, and read as they are where a tile is not finite. Convolutions
    of floats around it, with factors 1, bring its operands into blocks.
    """
    dtype = {"FLOAT16": np.dtype(np.float16), "BFLOAT16": np.dtype(ml_dtypes.bfloat16)}[kind]
    x, w = random(1, 32, 14, 14).astype(dtype), random(64, 32, 3, 3, seed=1).astype(dtype)
    x[0, 3, 4, 5] = np.inf
    builder = popir.Builder()
    onnx = builder.aiOnnxOpset22
    given = builder.addInputTensor("FLOAT", list(x.shape))

    def same(id: str, channels: int) -> str:
        ones = builder.addInitializedInputTensor(np.ones((channels, 1, 1, 1), np.float32))
        return onnx.conv([id, ones], group=channels)

    halves = onnx.cast([same(given, 32)], to=kind)
    y = onnx.conv([halves, builder.addInitializedInputTensor(w)], pads=[1, 1, 1, 1])
    y = same(onnx.cast([y], to="FLOAT"), 64)
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    if contraction.isa() in BLOCKS:
        block = f"/c{BLOCKS[contraction.isa()]}"
        assert f"14,14]{block} [1,64,32,3,3] [1,64,14,14]{block}, packed" in session.planText()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({given: x.astype(np.float32)}, anchors))
    expected = exact(x, w, (1, 1))
    np.testing.assert_array_equal(np.isfinite(anchors[y]), np.isfinite(expected))
    np.testing.assert_allclose(anchors[y], expected, rtol=2e-2, atol=0.1)
