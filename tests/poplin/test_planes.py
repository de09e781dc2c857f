"""Convolutions of rows of points by planes of the padded input, against PyTorch in float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from popir.poplin import contraction

BOUND = 2e-6
"""Of the largest sum of magnitudes: what rounding of float32 may add up to."""

pytestmark = pytest.mark.skipif(
    contraction.isa() == "base", reason="planes are for AVX2 and AVX-512"
)


@dataclass(frozen=True)
class Case:
    """`images` of `i` channels to `o`, in `groups`; `pads` are those below and above."""

    images: int
    i: int
    o: int
    size: tuple[int, int]
    kernel: tuple[int, int] = (3, 3)
    stride: tuple[int, int] = (1, 1)
    pads: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1


CASES = [
    Case(1, 1, 1, (1, 1)),
    Case(1, 3, 5, (7, 9)),
    Case(2, 7, 14, (16, 33)),
    Case(1, 5, 15, (14, 14)),
    Case(5, 2, 29, (4, 5)),
    Case(1, 50, 31, (28, 28)),
    Case(1, 90, 3, (64, 20)),
    Case(2, 6, 20, (9, 31), stride=(2, 2)),
    Case(1, 6, 7, (31, 30), stride=(2, 1)),
    Case(1, 6, 7, (31, 34), stride=(3, 3)),
    Case(1, 6, 7, (31, 70), kernel=(5, 7), pads=(2, 3), stride=(1, 2)),
    Case(1, 4, 6, (20, 40), pads=(2, 4), dilation=(2, 4), stride=(2, 2)),
    Case(1, 4, 6, (20, 40), pads=(2, 2), dilation=(2, 3), stride=(2, 2)),
    Case(2, 9, 4, (12, 12), kernel=(1, 1), pads=(0, 0)),
    Case(2, 9, 4, (12, 13), kernel=(1, 1), pads=(0, 0), stride=(2, 2)),
    Case(2, 3, 4, (2, 3), kernel=(2, 3), pads=(2, 3)),
    Case(3, 7, 7, (20, 18), groups=7),
    Case(2, 11, 11, (21, 19), stride=(2, 2), groups=11),
    Case(2, 24, 40, (15, 17), kernel=(5, 5), pads=(2, 2), groups=8),
    Case(1, 260, 9, (8, 8), kernel=(5, 5), pads=(2, 2)),
]

CHOSEN = [
    Case(1, 50, 31, (28, 28), stride=(2, 2)),
    Case(2, 6, 170, (28, 28), stride=(2, 2)),
    Case(2, 19, 21, (30, 30)),
    Case(16, 90, 9, (20, 20)),
    Case(2, 24, 40, (20, 20), kernel=(5, 5), pads=(2, 2), groups=8),
    # Groups of whole blocks.
    Case(2, 128, 64, (28, 28), kernel=(5, 5), pads=(2, 2), groups=8),
    # Channels whole pages apart, which oneDNN lays out slowly.
    Case(1, 124, 125, (32, 32), stride=(2, 2)),
    # Channels of one side, or of both, fill vectors, or half of one.
    Case(2, 88, 9, (64, 64)),
    Case(1, 128, 28, (64, 64), stride=(2, 2)),
    Case(1, 48, 16, (56, 56), stride=(2, 2)),
    # In place of columns.
    Case(2, 257, 12, (32, 32), kernel=(1, 1), stride=(2, 2), pads=(0, 0)),
]
"""Shapes whose convolutions are computed so on AVX-512."""


class Given:
    """Operands of a case, and its results in float64."""

    def __init__(self, case: Case) -> None:
        self.case, random = case, torch.Generator().manual_seed(0)
        self.x = torch.randn(case.images, case.i, *case.size, generator=random)
        self.w = torch.randn(case.o, case.i // case.groups, *case.kernel, generator=random)
        self.bias = torch.randn(case.o, generator=random)
        self.shape = tuple(self.convolved(self.x, self.w).shape)
        self.dy = torch.randn(self.shape, generator=random)

    def convolved(
        self, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None
    ) -> torch.Tensor:
        """By PyTorch, in the type of the operands."""
        how = {"stride": self.case.stride, "padding": self.case.pads}
        return F.conv2d(x, w, bias, groups=self.case.groups, dilation=self.case.dilation, **how)

    def gradient(self, dy: torch.Tensor, w: torch.Tensor) -> np.ndarray:
        """Of data, by PyTorch."""
        x = torch.zeros(self.x.shape, dtype=dy.dtype, requires_grad=True)
        self.convolved(x, w).backward(dy)
        assert x.grad is not None
        return x.grad.numpy()

    def run(
        self,
        which: str,
        *,
        source: str = "planes",
        bias: bool = False,
        kept: bool = False,
        threads: int = 2,
        without: str = "",
    ) -> tuple[np.ndarray, str]:
        """The result of the pass, and what computed it."""
        case, w = self.case, self.w.numpy()
        forward = which == "forward"
        x = self.x.numpy() if forward else np.full(self.x.shape, np.nan, np.float32)
        y = np.full(self.shape, np.nan, np.float32) if forward else self.dy.numpy()
        made = contraction.convolution(
            *(which, x, w.reshape(case.groups, case.o // case.groups, *w.shape[1:]), y),
            *(list(case.stride), list(case.dilation), [1, 1], list(case.pads)),
            threads=threads,
            bias=self.bias.numpy() if bias else None,
            source=source,
            without=without,
        )
        made.run(kept)
        return (y if forward else x), made.describe(kept)


def close(found: np.ndarray, exact: np.ndarray, magnitudes: np.ndarray) -> None:
    """Within the bound, of what sums of magnitudes are."""
    np.testing.assert_allclose(found, exact, rtol=0, atol=BOUND * float(magnitudes.max()))


@pytest.mark.parametrize("kept", [False, True], ids=["changing", "kept"])
@pytest.mark.parametrize("bias", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_forward(case: Case, bias: bool, kept: bool) -> None:
    given = Given(case)
    found, by = given.run("forward", bias=bias, kept=kept)
    assert by.startswith("planes ")
    x, w, b = given.x.double(), given.w.double(), given.bias.double() if bias else None
    exact = given.convolved(x, w, b).numpy()
    sums = given.convolved(x.abs(), w.abs(), None if b is None else b.abs()).numpy()
    close(found, exact, sums)


@pytest.mark.parametrize("case", [c for c in CASES if max(c.stride) == 1], ids=str)
def test_gradients_of_data(case: Case) -> None:
    given = Given(case)
    found, by = given.run("data_gradient")
    assert by.startswith("planes ")
    dy, w = given.dy.double(), given.w.double()
    close(found, given.gradient(dy, w), given.gradient(dy.abs(), w.abs()))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bits_do_not_depend_on_runs_or_threads(case: Case) -> None:
    """No sum is divided, and items compute the same sums in the same order."""
    given = Given(case)
    first, _ = given.run("forward")
    for threads in (1, 2, 2, 3):
        np.testing.assert_array_equal(given.run("forward", threads=threads)[0], first)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("output", [17, 3])
@pytest.mark.parametrize("channel", [0, 2, 8])
@pytest.mark.parametrize("threads", [1, 3])
def test_weights_that_are_not_finite_do_not_meet_the_padding(
    bad: float, output: int, channel: int, threads: int
) -> None:
    """PyTorch's zeros do: what does not read the weight is as with a weight of 0.

    Threads pack parts of the inputs where there are fewer blocks of outputs.
    """
    given = Given(Case(2, 9, 20 if output > 3 else 4, (9, 9)))
    x, w = given.x.double(), given.w.double()
    at = output, channel, 0, 0
    w[at] = 0
    expected = given.convolved(x, w).numpy()
    expected[:, output, 1:, 1:] = given.x[:, channel, :-1, :-1].double().numpy() * bad
    given.w[at] = bad
    found, _ = given.run("forward", threads=threads)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_inputs_that_are_not_finite_reach_their_outputs_alone() -> None:
    case = Case(1, 4, 3, (12, 12), stride=(2, 2))
    given = Given(case)
    given.x[0, 2, 5, 5] = np.nan
    found, _ = given.run("forward")
    exact = given.convolved(given.x.double(), given.w.double()).numpy()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_what_is_chosen(case: Case) -> None:
    given = Given(case)
    found, by = given.run("forward", source="any", kept=True)
    other, instead = given.run("forward", source="any", kept=True, without="planes")
    assert by.startswith("planes ") and not instead.startswith("planes ")
    x, w = given.x.double(), given.w.double()
    for each in (found, other):
        close(each, given.convolved(x, w).numpy(), given.convolved(x.abs(), w.abs()).numpy())


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
def test_what_is_not_chosen() -> None:
    """Single points; few points; many columns of few steps; channels that fill blocks."""
    for case in (
        Case(2, 19, 21, (30, 30), kernel=(1, 1), pads=(0, 0)),
        Case(2, 4, 403, (16, 16), stride=(2, 2)),
        Case(1, 190, 61, (7, 7), kernel=(7, 7), pads=(3, 3)),
        Case(1, 96, 96, (28, 28), stride=(2, 2), groups=96),
        Case(1, 64, 64, (28, 28), kernel=(5, 5), pads=(2, 2)),
    ):
        assert not Given(case).run("forward", source="any", kept=True)[1].startswith("planes ")


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
@pytest.mark.parametrize(
    "case",
    [
        Case(2, 10, 403, (16, 16), stride=(2, 2)),
        Case(16, 8, 320, (8, 8), stride=(2, 2)),
        Case(16, 5, 600, (10, 10), stride=(2, 2)),
        Case(4, 8, 304, (7, 7), stride=(2, 2), groups=8),
    ],
)
def test_columns_that_are_chosen(case: Case) -> None:
    """Many outputs of few steps."""
    assert Given(case).run("forward", source="any", kept=True)[1].startswith("own ")


@pytest.mark.skipif(contraction.isa() != "avx512", reason="chosen on AVX-512 alone")
@pytest.mark.parametrize(
    ("case", "by"), [(Case(1, 64, 255, (7, 7)), "onednn"), (CASES[5], "planes")]
)
def test_gradients_that_are_chosen(case: Case, by: str) -> None:
    """Their weights are packed in each run, which is most of the work at few points."""
    assert Given(case).run("data_gradient", source="any")[1].startswith(by)
