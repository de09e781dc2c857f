"""
Layouts of tensors over tiles (PopLibs: popops/Rearrange.hpp).
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
    Transposes the matrices that getInOut(i) gives, flat, on the tiles of mapping.
    """

def canUseFastTranspose(
    target: popir._device.poplar.Target,
    type: popir._device.poplar.Type,
    numRows: typing.SupportsInt | typing.SupportsIndex,
    numColumns: typing.SupportsInt | typing.SupportsIndex,
    numTranspositions: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether the target's fast vertices transpose so many matrices of that size.
    """

def getMinimumRegroupGrainSize(type: popir._device.poplar.Type) -> int:
    """
    Elements in the smallest group that transpositions are worth.
    """

def partialTranspose(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    cs: popir._device.poplar.ComputeSet,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The last two dimensions exchanged, in a new variable.
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
    `in` in the innermost grouping of `ref`; `in` itself where that does not pay.
    """

@typing.overload
def regroupIfBeneficial(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    ref: popir._device.poplar.Tensor,
    copies: list[popir._device.poplar.program.Copy],
    transposeCS: popir._device.poplar.ComputeSet,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor: ...
@typing.overload
def regroupIfBeneficial(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    preferredGrouping: typing.SupportsInt | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    `in` in groups of so many elements of the last dimension.
    """

def regroupIfPossible(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    to: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    `t` in the grouping `to`; `t` itself where it lies so already or cannot.
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
    `t` in another grouping, (dimension, elements), once copies and transposeCS have run.
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
) -> popir._device.poplar.Tensor: ...
