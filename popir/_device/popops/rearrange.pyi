"""
Changes of the memory layout of tensors (PopLibs: popops/Rearrange.hpp). A
grouping is (dimension, number of its elements that are contiguous on one
tile). Types that can be transposed: QUARTER, HALF, SHORT, UNSIGNED_SHORT,
FLOAT, INT and UNSIGNED_INT.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "addTransposeVertices",
    "canUseFastTranspose",
    "getMinimumRegroupGrainSize",
    "partialTranspose",
    "regroupIfBeneficial",
    "regroupIfPossible",
    "regroupTensor",
]

def addTransposeVertices(
    graph: popir._device.poplar.Graph,
    cs: popir._device.poplar.ComputeSet,
    dType: popir._device.poplar.Type,
    rows: typing.SupportsInt | typing.SupportsIndex,
    cols: typing.SupportsInt | typing.SupportsIndex,
    mapping: collections.abc.Sequence[
        collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
        ]
    ],
    getInOut: collections.abc.Callable[
        [int], tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]
    ],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Adds transpositions of matrices [rows, cols] to a compute set.
    `mapping`: for each tile, intervals (begin, end) of the
    numbers of its transpositions.
    `getInOut`: returns (input, output) of a number, both flattened and of `dType`; the
    output is mapped to the tile.
    Raises poplibs_exception for a type that cannot be transposed, for more than
    65535 rows or columns, and for tensors of another size or type; TypeError if
    `getInOut` returns anything else.
    """

def canUseFastTranspose(
    target: popir._device.poplar.Target,
    type: popir._device.poplar.Type,
    numRows: typing.SupportsInt | typing.SupportsIndex,
    numColumns: typing.SupportsInt | typing.SupportsIndex,
    numTranspositions: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether the target's fast vertices can transpose so many
    matrices of this type and size.
    """

def getMinimumRegroupGrainSize(type: popir._device.poplar.Type) -> int:
    """
    The size of the smallest group that is worth transposing: 8 elements of 1 byte, 4 of
    2 bytes, 2 of 4 bytes; 1 for types that cannot be transposed.
    """

def partialTranspose(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    cs: popir._device.poplar.ComputeSet,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new variable: `in_` with the last two dimensions exchanged, each matrix on the
    tile of its first element. The transpositions are added to `cs`.
    Raises poplibs_exception for a rank below 2, a type that cannot be transposed, and
    more than 65535 rows or columns.
    """

@typing.overload
def regroupIfBeneficial(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    ref: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    `in_` in the innermost grouping of `ref`, by steps appended to `prog`. Returns `in_`
    itself unless its type can be transposed and both have innermost groupings in
    different dimensions, in multiples of getMinimumRegroupGrainSize().
    Raises poplibs_exception for different shapes of rank 2 or more.
    """

@typing.overload
def regroupIfBeneficial(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    ref: popir._device.poplar.Tensor,
    copies: list[popir._device.poplar.program.Copy],
    transposeCS: popir._device.poplar.ComputeSet,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same with the copies appended to a list, and the transpositions added to a compute set
    that has to run after them.
    """

@typing.overload
def regroupIfBeneficial(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    preferredGrouping: typing.SupportsInt | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same to groups of `preferredGrouping` elements of the last dimension.
    Raises poplibs_exception if that dimension is not a multiple of it.
    """

def regroupIfPossible(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    to: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    `t` in the grouping `to`, by steps appended to `prog`. Returns `t` itself if its
    innermost grouping has the dimension of `to` already or is no multiple of
    getMinimumRegroupGrainSize(), and if the dimension of `to` does not exist or is
    not a multiple of its size.
    """

@typing.overload
def regroupTensor(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    copies: popir._device.poplar.program.Sequence,
    transposeCS: popir._device.poplar.ComputeSet,
    from_: tuple[
        typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
    ],
    to: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    `t`, which has the grouping `from_`, with the same values in the grouping `to`, or
    in smaller groups if that balances the tiles better. The copies are appended to
    `copies`, the transpositions added to `transposeCS`, which has to run after them. A
    tensor of rank 0 or 1 is returned as it is.
    Raises poplibs_exception for a type that cannot be transposed, and for a grouping
    whose dimension does not exist or is not a multiple of its size.
    """

@typing.overload
def regroupTensor(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    copies: list[popir._device.poplar.program.Copy],
    transposeCS: popir._device.poplar.ComputeSet,
    from_: tuple[
        typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
    ],
    to: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same with the copies appended to a list.
    """
