"""Transposed convolutions and slices at run time, in C++."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run


@pytest.fixture(scope="module")
def lines(compiled: Callable[[str], Path]) -> list[str]:
    program = compiled("beside")
    return run(program, cwd=program.parent, env=PYTHON).splitlines()


def whole(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """All that a transposed convolution reaches."""
    return torch.conv_transpose2d(x, w, stride=(3, 2), dilation=(1, 2), groups=2)


CASES = {
    0: (slice(None), slice(None), 0, 0),
    1: (slice(1, None), slice(None, -1), 1, 0),
    2: (slice(None), slice(1, -2), 1, 0),
    3: (slice(None), slice(2, -1), 1, 0),
    4: (slice(1, None), slice(2, -1), 0, 0),
    5: (slice(4, -2), slice(6, -5), 0, 0),
}
"""What of that each case has: slices of rows and columns, after so many rows and columns of zeros
were added behind."""


@pytest.mark.parametrize("case", CASES)
def test_the_convolution_that_a_transposed_one_is(lines: list[str], case: int) -> None:
    """Computed by PyTorch as the parameters say, it is what PyTorch's transposed one is."""
    found = re.findall(r"\[([^\]]*)\]", lines[case])
    shape, stride, lower, upper, dilation, before, after = (
        [int(n) for n in each.split()] for each in found
    )
    generator = torch.Generator().manual_seed(case)
    x = torch.randn(1, 4, 5, 6, generator=generator, dtype=torch.float64)
    w = torch.randn(4, 3, 2, 3, generator=generator, dtype=torch.float64)
    rows, columns = ((n - 1) * s + 1 for n, s in zip((5, 6), stride, strict=True))
    spread = torch.zeros(1, 4, rows, columns, dtype=torch.float64)
    spread[:, :, :: stride[0], :: stride[1]] = x
    padded = torch.nn.functional.pad(spread, (lower[1], upper[1], lower[0], upper[0]))
    kernel = w.reshape(2, 2, 3, 2, 3).swapaxes(1, 2).reshape(6, 2, 2, 3).flip(2, 3)
    y = torch.conv2d(padded, kernel, dilation=tuple(dilation), groups=2)
    y = y[:, :, before[0] : y.shape[2] - after[0], before[1] : y.shape[3] - after[1]]
    assert list(y.shape) == shape
    row, column, below, right = CASES[case]
    expected = torch.nn.functional.pad(whole(x, w), (0, right, 0, below))[:, :, row, column]
    np.testing.assert_allclose(y.numpy(), expected.numpy(), rtol=1e-12, atol=1e-12)


def test_what_does_not_go_together(lines: list[str]) -> None:
    assert "data [1, 4, 5, 6] and weights [3, 3, 2, 3] do not go together in 2 groups" in lines[6]
    assert "do not go together in 3 groups" in lines[7]
    assert "where one operand has 8 bits all have" in lines[8]
    assert lines[9] == "FLOAT16 [1 6 14 15]1"


def test_slices(lines: list[str]) -> None:
    data, cut = "FLOAT [4 5 6]", "FLOAT [4 2 3]"
    assert lines[10] == f"{cut} {cut}10"
    assert lines[11] == f"{data} {data}100 FLOAT [7] {data}"
    assert "a slice of size 6 of axis 1 does not fit [4, 5, 6]" in lines[12]
    assert "1 axes and 2 sizes; expected is a size for each axis" in lines[13]
    assert lines[14] == "FLOAT [4 2] FLOAT [3 5]"
