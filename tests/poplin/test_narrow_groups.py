"""Convolutions of groups of 2, 4 or 8 channels, forward and both gradients, against float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from popir.poplin import contraction

Array = np.ndarray[Any, Any]
BLOCKS = {"base": 0, "avx2": 8, "avx512": 16}
BLOCK = BLOCKS[contraction.isa()]
pytestmark = pytest.mark.skipif(BLOCK == 0, reason="kernels of AVX2 and AVX-512")
PASSES = ["forward", "data_gradient", "weights_gradient"]


def random(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def laid(x: Array, block: int) -> Array:
    """[n, c, h, w] in blocks of channels; as it is for 0."""
    if block == 0:
        return np.ascontiguousarray(x)
    n, c, h, w = x.shape
    return np.ascontiguousarray(x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


def check(
    pass_: str,
    group: int,
    channels: int,
    size: tuple[int, int],
    filter: tuple[int, int],
    stride: int = 1,
    dilation: int = 1,
    pad: tuple[int, int] = (0, 0),
    lies: str = "blocked",
    threads: int = 2,
    source: str = "any",
) -> str:
    """Compares one pass with PyTorch's; returns who computed it."""
    x = torch.tensor(random((3, channels, *size), 1), dtype=torch.float64, requires_grad=True)
    w = torch.tensor(random((channels, group, *filter), 2), dtype=torch.float64, requires_grad=True)
    y = functional.conv2d(
        x, w, stride=stride, padding=pad, dilation=dilation, groups=channels // group
    )
    dy = torch.tensor(random(tuple(y.shape), 3), dtype=torch.float64)
    y.backward(dy)
    block = BLOCK if lies == "blocked" else 0
    nan = np.float32(np.nan)
    arrays = {
        "in": laid(x.detach().numpy().astype(np.float32), block),
        "weights": w.detach().numpy().astype(np.float32),
        "out": laid(dy.numpy().astype(np.float32), block),
    }
    arrays["weights"] = arrays["weights"].reshape(channels // group, group, group, *filter)
    name = dict(zip(PASSES, ["out", "in", "weights"], strict=True))[pass_]
    arrays[name][...] = nan
    made = contraction.convolution(
        *(pass_, arrays["in"], arrays["weights"], arrays["out"]),
        *([stride] * 2, [dilation] * 2, [1, 1], list(pad)),
        threads=threads,
        inBlock=block,
        outBlock=block,
        source=source,
    )
    assert x.grad is not None and w.grad is not None
    want = {
        "out": laid(y.detach().numpy(), block),
        "in": laid(x.grad.numpy(), block),
        "weights": w.grad.numpy().reshape(arrays["weights"].shape),
    }[name]
    for kept in (False, True):
        arrays[name][...] = nan
        made.run(kept)
        np.testing.assert_allclose(arrays[name], want, 1e-5, 3e-6 * np.abs(want).max())
    return made.describe()


@pytest.mark.parametrize("lies", ["blocked", "plain"])
@pytest.mark.parametrize("pass_", PASSES)
@pytest.mark.parametrize("group", [2, 4, 8])
@pytest.mark.parametrize(
    ("size", "filter", "stride", "dilation", "pad"),
    [
        ((14, 23), (3, 3), 1, 1, (1, 1)),
        ((9, 40), (1, 5), 1, 1, (0, 2)),
        ((11, 13), (3, 3), 2, 1, (1, 1)),
        ((12, 9), (3, 2), 1, 2, (2, 1)),
        ((7, 7), (7, 7), 1, 1, (3, 3)),
        ((5, 30), (2, 9), 3, 1, (1, 4)),
        ((1, 1), (3, 3), 1, 1, (1, 1)),
        ((6, 8), (3, 3), 1, 1, (0, 0)),
    ],
)
def test_all_passes(
    pass_: str, group: int, lies: str, size: Any, filter: Any, stride: int, dilation: int, pad: Any
) -> None:
    who = check(pass_, group, 48, size, filter, stride, dilation, pad, lies)
    is_ours = group < BLOCK and (
        pass_ == "forward"
        or (dilation == 1 and pass_ == "weights_gradient")
        or (dilation == 1 and stride == 1)
    )
    assert ("narrow groups" in who) == is_ours


@pytest.mark.parametrize("pass_", PASSES)
@pytest.mark.parametrize("channels", [24, 40, 44])
def test_channels_that_fill_no_vector(pass_: str, channels: int) -> None:
    who = check(pass_, 4, channels, (8, 8), (3, 3), pad=(1, 1), lies="plain")
    assert ("narrow groups" in who) == (channels % BLOCK == 0 and BLOCK > 4)


@pytest.mark.parametrize("pass_", PASSES)
def test_threads_change_no_bit(pass_: str) -> None:
    found: list[Array] = []
    for threads in (1, 2, 5):
        x, y = random((2, 32, 17, 9), 1), random((2, 32, 17, 9), 2)
        w = random((8, 4, 4, 3, 3), 3)
        made = contraction.convolution(
            *(pass_, x, w, y, [1, 1], [1, 1], [1, 1], [1, 1]), threads=threads, source="blocked"
        )
        made.run()
        found.append({"forward": y, "data_gradient": x, "weights_gradient": w}[pass_])
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


def test_an_infinite_weight_meets_no_padding() -> None:
    x, y = np.ones((1, 16, 6, 6), np.float32), np.empty((1, 16, 6, 6), np.float32)
    w = np.ones((4, 4, 4, 3, 3), np.float32)
    w[..., 0, 1] = np.inf
    contraction.convolution("forward", x, w, y, [1, 1], [1, 1], [1, 1], [1, 1]).run()
    assert np.isfinite(y[:, :, 0]).all()
    assert (y[:, :, 1:] == np.inf).all()


def test_only_its_group_reaches_a_channel() -> None:
    """A NaN, too, is one of its own group's outputs alone."""
    x, y = np.ones((1, 32, 5, 5), np.float32), np.empty((1, 32, 5, 5), np.float32)
    x[0, 9, 2, 2] = np.nan
    w = random((8, 4, 4, 3, 3), 1)
    contraction.convolution("forward", x, w, y, [1, 1], [1, 1], [1, 1], [1, 1]).run()
    reached = np.isnan(y).any(axis=(0, 2, 3))
    np.testing.assert_array_equal(np.flatnonzero(reached), np.arange(8, 12))
