"""Convolutions of single points as products, and of columns that are gathered, against PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from popir.poplin import contraction


@dataclass(frozen=True)
class Case:
    """`images` of `i` channels to `o`, in `groups`; which source computes it on AVX-512. "own" are
    columns, without planes (test_planes.py).
    """

    images: int
    i: int
    o: int
    size: tuple[int, int]
    by: str
    groups: int = 1
    kernel: int = 1
    stride: int = 1
    pad: int = 0
    dilation: int = 1


CASES = [
    Case(1, 14, 128, (32, 32), "of points"),
    Case(3, 5, 9, (7, 9), "of points"),
    Case(2, 33, 17, (6, 6), "of points"),
    Case(1, 16, 24, (20, 20), "of points", groups=8),
    Case(3, 24, 16, (20, 20), "of points", groups=4),
    Case(2, 40, 40, (8, 8), "of points", groups=40),
    Case(4, 40, 20, (9, 9), "of points", groups=10),  # threads share images
    Case(6, 40, 20, (10, 10), "of points", groups=10),
    Case(6, 40, 20, (9, 9), "onednn", groups=10),
    Case(1, 16, 16, (4, 4), "onednn"),
    Case(2, 12, 20, (30, 31), "own", stride=2),
    Case(2, 12, 20, (42, 45), "own", stride=3),
    Case(1, 7, 40, (30, 33), "own", kernel=3, pad=1),
    Case(2, 7, 40, (60, 61), "own", kernel=3, stride=2, pad=1),
    Case(1, 7, 40, (34, 33), "own", kernel=3, pad=2, dilation=2),
    Case(2, 16, 48, (28, 28), "own", groups=8, kernel=3, stride=2, pad=1),
    Case(1, 5, 130, (20, 21), "own", kernel=3, pad=1),  # threads share channels of one image
    Case(3, 6, 70, (17, 16), "own", kernel=3, pad=1),
    Case(4, 80, 304, (7, 7), "own", stride=2),
    Case(1, 24, 96, (9, 9), "of points"),  # half vectors, on plain sides
    Case(2, 33, 33, (9, 9), "of points", groups=33),
]


def arrays(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """The images and the weights."""
    random = torch.Generator().manual_seed(0)
    x = torch.randn(case.images, case.i, *case.size, generator=random)
    w = torch.randn(case.o, case.i // case.groups, case.kernel, case.kernel, generator=random)
    return x, w


def torchs(
    case: Case, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """The convolution by PyTorch."""
    how = {"stride": case.stride, "padding": case.pad, "dilation": case.dilation}
    return F.conv2d(x, w, bias, groups=case.groups, **how)


def prepared(
    case: Case, which: str, *arrays: np.ndarray, bias: np.ndarray | None = None
) -> contraction.Prepared:
    """The pass `which` of images, weights and result, by the source that is chosen."""
    x, w, y = arrays
    return contraction.convolution(
        *(which, x, w.reshape(case.groups, case.o // case.groups, *w.shape[1:]), y),
        *([case.stride] * 2, [case.dilation] * 2, [1, 1], [case.pad] * 2),
        threads=2,
        bias=bias,
        without="planes" if case.by == "own" else "",
    )


def close(found: np.ndarray, exact: torch.Tensor) -> bool:
    """Whether both are the same but for rounding."""
    return bool(np.abs(found - exact.numpy()).max() < 1e-5 * exact.abs().max())


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_forward(case: Case, kept: bool) -> None:
    """With and without a bias, and with weights that stay."""
    x, w = arrays(case)
    for bias in (None, torch.randn(case.o)):
        exact = torchs(case, x, w, bias)
        y = np.full(exact.shape, np.nan, np.float32)
        given = None if bias is None else bias.numpy()
        made = prepared(case, "forward", x.numpy(), w.numpy(), y, bias=given)
        if contraction.isa() == "avx512":
            assert case.by in made.describe(kept)
        made.run(kept)
        assert close(y, exact)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_of_data(case: Case) -> None:
    """Of random gradients of the result."""
    x, w = arrays(case)
    x.requires_grad_()
    y = torchs(case, x, w)
    given = torch.randn_like(y)
    y.backward(given)
    found = np.full(x.shape, np.nan, np.float32)
    prepared(case, "data_gradient", found, w.numpy(), given.numpy()).run()
    assert x.grad is not None
    assert close(found, x.grad)


@pytest.mark.skipif(contraction.isa() != "avx512", reason="the rule is that of AVX-512")
@pytest.mark.parametrize(
    ("case", "by"),
    [
        (Case(2, 33, 33, (9, 9), "", groups=33), "of points"),
        (Case(2, 32, 32, (12, 12), "", groups=32), "of points"),
        (Case(2, 32, 32, (9, 9), "", groups=32), "onednn"),  # whole blocks, few points
        (Case(2, 66, 33, (9, 9), "", groups=33), "onednn"),
    ],
)
def test_the_rule_for_gradients_of_points_of_groups(case: Case, by: str) -> None:
    x, w = arrays(case)
    y = torchs(case, x, w)
    made = prepared(case, "data_gradient", x.numpy(), w.numpy(), y.numpy())
    assert by in made.describe()


def test_weights_that_lie_the_other_way() -> None:
    """Channels of the input outermost, as a transposed convolution has them."""
    case = CASES[0]
    x, w = arrays(case)
    turned = np.ascontiguousarray(w.numpy().transpose(1, 0, 2, 3)).transpose(1, 0, 2, 3)
    exact = torchs(case, x, w)
    y = np.empty(exact.shape, np.float32)
    made = prepared(case, "forward", x.numpy(), turned, y)
    made.run()
    assert close(y, exact)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("groups", [1, 4])
def test_a_slice_of_one_image(groups: int, threads: int) -> None:
    """The step to the next image, which is not there, is that of a larger variable."""
    case = Case(1, 16, 16, (12, 12), "of points", groups=groups)
    x, w = arrays(case)
    exact = torchs(case, x, w)
    read, written = (np.full((1, 40, 12, 12), np.nan, np.float32) for _ in range(2))
    read[:, 8:24] = x.numpy()
    weights = w.numpy().reshape(groups, 16 // groups, -1, 1, 1)
    one = [1, 1]
    contraction.convolution(
        *("forward", read[:, 8:24], weights, written[:, 8:24], one, one, one, [0, 0]),
        threads=threads,
        bias=np.ones(16, np.float32),
    ).run()
    assert close(written[:, 8:24], exact + 1)
    assert np.isnan(written[:, :8]).all()
    assert np.isnan(written[:, 24:]).all()


@pytest.mark.parametrize("case", [c for c in CASES if c.by == "own"], ids=str)
@pytest.mark.parametrize("channel", [3, -1])  # of two threads' parts
def test_an_infinite_weight_meets_no_padding(case: Case, channel: int) -> None:
    """Not even where columns have zeros for it: points that do not read it are as without."""
    x, w = arrays(case)
    w[channel, 0, 0, 0] = np.inf
    reads = torchs(case, torch.ones_like(x), w.isinf().float())[:, channel] > 0
    w[channel, 0, 0, 0] = 0
    exact = torchs(case, x, w)
    w[channel, 0, 0, 0] = np.inf
    y = np.full(exact.shape, np.nan, np.float32)
    made = prepared(case, "forward", x.numpy(), w.numpy(), y)
    if contraction.isa() != "avx512" and made.describe().startswith("onednn"):
        pytest.skip("oneDNN is chosen there, and makes NaN")
    made.run()
    found = y[:, channel].copy()
    assert (np.isinf(found) == reads.numpy()).all()
    y[:, channel] = np.where(reads, exact[:, channel], found)
    assert close(y, exact)
