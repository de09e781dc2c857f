"""
One contraction by one source, on numpy arrays: for tests and measurements.
"""

from __future__ import annotations
import collections.abc
import numpy
import typing

__all__: list[str] = ["Prepared", "convolution", "isa", "preferredBlocks", "product", "sources"]

class Prepared:
    """
    A contraction, ready to run on the arrays it was given.
    """
    def describe(self) -> str:
        """
        The source and the kernel that compute it, as text.
        """
    def run(self) -> None:
        """
        Runs the contraction once on its arrays.
        """
    def scratchBytes(self) -> int:
        """
        The bytes that it needs besides its arrays.
        """
    def seconds(
        self, repeats: typing.SupportsInt | typing.SupportsIndex, weightsKept: bool = False
    ) -> float:
        """
        Time of `repeats` runs; if told so, with the weights in the source's form beforehand.
        """

def convolution(
    pass_: str,
    in_: numpy.ndarray,
    weights: numpy.ndarray,
    out: numpy.ndarray,
    stride: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    dilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    inDilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    padLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    threads: typing.SupportsInt | typing.SupportsIndex = 1,
    source: str = "any",
    bias: numpy.ndarray | None = None,
    inBlock: typing.SupportsInt | typing.SupportsIndex = 0,
    outBlock: typing.SupportsInt | typing.SupportsIndex = 0,
) -> Prepared:
    """
    Activations [n, c, field...] and weights [groups, o, i, field...]; with a block, arrays in that layout: -1 for [n, field..., c], b for [n, c / b, field..., b].
    """

def isa() -> str:
    """
    The instruction set in use.
    """

def preferredBlocks(
    pass_: str,
    in_: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    weights: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    out: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    stride: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    dilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    inDilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    padLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    threads: typing.SupportsInt | typing.SupportsIndex = 1,
) -> tuple[int, int]:
    """
    Channel blocks of the input and the output, from shapes.
    """

def product(
    a: numpy.ndarray,
    b: numpy.ndarray,
    c: numpy.ndarray,
    threads: typing.SupportsInt | typing.SupportsIndex = 1,
    source: str = "any",
    alpha: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    accumulate: bool = False,
    bias: numpy.ndarray | None = None,
) -> Prepared:
    """
    c [g, m, n] = alpha a [g, m, k] b [g, k, n], plus bias [n], plus c. Any numpy strides with one of the last two dimensions dense.
    """

def sources() -> list[str]:
    """
    The sources that this build and machine have.
    """
