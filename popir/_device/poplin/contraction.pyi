"""
Runs one contraction by a chosen source on numpy arrays, for tests and measurements.
A source is an implementation: onednn, own, wide (products of many rows on
AVX-512), planes (convolutions of rows of points), portable, blocked (convolutions in
channel blocks: by Winograd's algorithm, direct, depthwise), tiles (products on AMX),
emulatedTiles (the same on any machine, slowly), or any, which chooses one.
"""

from __future__ import annotations
import collections.abc
import numpy
import typing

__all__: list[str] = ["Prepared", "convolution", "isa", "preferredBlocks", "product", "sources"]

class Prepared:
    """
    A contraction that is ready to run on the arrays it was given, which it keeps alive.
    """
    def describe(self, weightsKept: bool = False) -> str:
        """
        The source and the kernel that compute it, as text. With `weightsKept`: where the
        weights are packed once for many runs.
        """
    def run(self, weightsKept: bool = False) -> None:
        """
        Runs the contraction once on its arrays. With `weightsKept` the weights are packed
        first, in the form for weights that stay.
        """
    def scratchBytes(self) -> int:
        """
        The bytes of scratch memory that it needs besides its arrays.
        """
    def seconds(
        self, repeats: typing.SupportsInt | typing.SupportsIndex, weightsKept: bool = False
    ) -> float:
        """
        The time of `repeats` runs together, in seconds, after one whose time is not taken. With
        `weightsKept` the weights are packed once, before it.
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
    without: str = "",
) -> Prepared:
    """
    Prepares one pass of a convolution.
    `pass_`: forward, data_gradient or weights_gradient; it writes `out`,
    `in_` or `weights` from the other two, and forward adds `bias` [output
    channels] if there is one.
    `in_`, `out`: activations [n, c, field...] for block 0, [n, field..., c] for block
    -1, [n, c / b, field..., b] for block b.
    `weights`: [groups, o, i, field...]. `stride`, `dilation` of the kernel,
    `inDilation` of the input and `padLower` have one entry for each field dimension.
    `without`, `threads` and the bias's type are those of product().
    Raises ValueError for shapes, lists, biases and threads that do not match, a read-only
    array of the result, an unknown pass, source or choice, and a source that does not
    support the shapes or types; poplar_type_error for a dtype that the device lacks.
    """

def isa() -> str:
    """
    The name of the instruction set that kernels use.
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
    (block of the input, block of the output) that the chosen source prefers for FLOAT
    operands of these shapes, as for convolution().
    Raises ValueError for shapes and lists that do not match, and for an unknown pass.
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
    fpMath: str = "highest",
    without: str = "",
) -> Prepared:
    """
    Prepares c [g, m, n] = alpha * a [g, m, k] * b [g, k, n], plus bias [n] if
    there is one, plus c if `accumulate`. Rows or columns of each array have stride
    1; the other strides are free, but with a bias the columns of c have stride 1. A bias is
    dense, of the type of c. `fpMath` is that of the engine's option
    host.fpMath; `without` has choices of kernels, separated by commas, as its option
    host.without. `threads` is from 1 to 1024.
    Raises ValueError for other shapes, types, threads or biases, a read-only `c`, an
    unknown source, fpMath or choice, and a source that does not support the shapes or
    types; poplar_type_error for a dtype that the device lacks.
    """

def sources() -> list[str]:
    """
    The names of the sources that this build and machine have for FLOAT, without any.
    """
