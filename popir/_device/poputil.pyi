"""
Tile mappings, intervals and broadcasting (PopLibs: poputil).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "TensorUseTracker",
    "balancedPartition",
    "broadcastToMatch",
    "calcLinearTileMapping",
    "calcLinearTileMappingAndNewOffset",
    "canBroadcastToMatch",
    "cloneN",
    "cloneToIpu",
    "copyToIpu",
    "createBroadcastOperand",
    "detectDimGroupings",
    "detectInnermostGrouping",
    "dimIsSplitOverIPUs",
    "dimIsSplitOverTiles",
    "duplicate",
    "getTileImbalance",
    "mapTensorLinearly",
    "mapTensorLinearlyWithOffset",
    "splitRegions",
    "splitRegionsBetweenWorkers",
]

class TensorUseTracker:
    """
    Maps elements to the tiles that use them.
    """
    def __init__(
        self,
        numTiles: typing.SupportsInt | typing.SupportsIndex,
        startTile: typing.SupportsInt | typing.SupportsIndex = 0,
        ascendingMappingOrder: bool = True,
    ) -> None: ...
    def add(
        self,
        graph: popir._device.poplar.Graph,
        tile: typing.SupportsInt | typing.SupportsIndex,
        t: popir._device.poplar.Tensor,
    ) -> None:
        """
        Says that a tile uses the elements of a tensor.
        """
    def mapTensorsByUse(
        self,
        graph: popir._device.poplar.Graph,
        grainSize: typing.SupportsInt | typing.SupportsIndex,
        minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
        extendPartialUsage: bool = False,
    ) -> None:
        """
        Puts each variable's elements on tiles that use them: whole grains, at least `minElementsPerTile`. With `extendPartialUsage`, elements that no tile uses go where their neighbours are.
        """

def balancedPartition(
    rangeUpperBound: typing.SupportsInt | typing.SupportsIndex,
    splitCount: typing.SupportsInt | typing.SupportsIndex,
) -> list[int]:
    """
    `rangeUpperBound` as a sum of `splitCount` numbers that differ by at most one.
    """

@typing.overload
def broadcastToMatch(
    a: popir._device.poplar.Tensor,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> popir._device.poplar.Tensor:
    """
    `a` as a view of `shape`: dimensions of size 1 are repeated. Raises poplibs_exception where another size differs.
    """

@typing.overload
def broadcastToMatch(
    a: popir._device.poplar.Tensor, b: popir._device.poplar.Tensor
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    Both as views of their common shape. Raises poplibs_exception where two sizes differ and neither is 1.
    """

@typing.overload
def calcLinearTileMapping(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
    ascendingOrder: bool = True,
) -> list[list[tuple[int, int]]]:
    """
    The mapping that mapTensorLinearly sets: for each tile the (begin, end) of the flattened tensor that it gets.
    """

@typing.overload
def calcLinearTileMapping(
    graph: popir._device.poplar.Graph,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
    grainSize: typing.SupportsInt | typing.SupportsIndex,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
    ascendingOrder: bool = True,
) -> list[list[tuple[int, int]]]:
    """
    The same of a shape, with at least `minElementsPerTile` elements on a tile, and whole grains.
    """

def calcLinearTileMappingAndNewOffset(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
) -> tuple[list[list[tuple[int, int]]], int]:
    """
    The mapping, and the tile after the last one used, from which the next tensor may go on.
    """

def canBroadcastToMatch(a: popir._device.poplar.Tensor, b: popir._device.poplar.Tensor) -> bool:
    """
    Whether broadcastToMatch takes both tensors.
    """

def cloneN(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    N: typing.SupportsInt | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    `N` new variables like a tensor, along a new first dimension.
    """

def cloneToIpu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dstIPU: typing.SupportsInt | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    A clone on another IPU, on the tiles of the same numbers there. Raises poplibs_exception if the graph has no such IPU.
    """

def copyToIpu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    dstIPU: typing.SupportsInt | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    cloneToIpu, and a copy of the values there at the end of `prog`.
    """

def createBroadcastOperand(
    graph: popir._device.poplar.Graph,
    fullTensor: popir._device.poplar.Tensor,
    type: popir._device.poplar.Type,
    dim: typing.SupportsInt | typing.SupportsIndex,
    ditherMapping: bool = False,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of one dimension, as long as dimension `dim` of `fullTensor`. Each element is on a tile that holds elements of `fullTensor` of that index.
    """

def detectDimGroupings(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> list[tuple[int, int]]:
    """
    Pairs of a dimension and how many of its elements lie side by side, innermost first.
    """

def detectInnermostGrouping(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> int:
    """
    How many elements along the last dimension lie side by side on one tile.
    """

def dimIsSplitOverIPUs(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether elements that differ in this dimension alone lie on different IPUs.
    """

def dimIsSplitOverTiles(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether elements that differ in this dimension alone lie on different tiles.
    """

def duplicate(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    p: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    A new variable with a copy of the values.
    """

def getTileImbalance(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex = 0,
    grainSize: typing.SupportsInt | typing.SupportsIndex = 1,
) -> int:
    """
    How many elements the fullest tile has beyond what an even mapping would put there.
    """

@typing.overload
def mapTensorLinearly(graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor) -> None:
    """
    Puts elements on tiles in order and evenly, at least 128 bytes on a tile.
    """

@typing.overload
def mapTensorLinearly(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
    grainSize: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    The same with at least `minElementsPerTile` elements on a tile, and whole grains.
    """

@typing.overload
def mapTensorLinearlyWithOffset(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
    ascendingOrder: bool = True,
) -> None:
    """
    The same from tile `offset` on, and around; or downwards from the last but `offset`.
    """

@typing.overload
def mapTensorLinearlyWithOffset(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
    grainSize: typing.SupportsInt | typing.SupportsIndex,
    offset: typing.SupportsInt | typing.SupportsIndex,
    ascendingOrder: bool = True,
) -> None:
    """
    The same with at least `minElementsPerTile` elements on a tile, and whole grains.
    """

@typing.overload
def splitRegions(
    regions: collections.abc.Sequence[
        tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex]
    ],
    grainSize: typing.SupportsInt | typing.SupportsIndex,
    maxPartitions: typing.SupportsInt | typing.SupportsIndex,
    minElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 0,
    maxElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 4294967295,
    maxElementsPerRegion: typing.SupportsInt | typing.SupportsIndex = 4294967295,
) -> list[list[tuple[int, int]]]:
    """
    Intervals (begin, end) shared evenly over at most `maxPartitions` partitions, in whole grains.
    """

@typing.overload
def splitRegions(
    regions: collections.abc.Sequence[
        collections.abc.Sequence[
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
        ]
    ],
    grainSize: typing.SupportsInt | typing.SupportsIndex,
    maxPartitions: typing.SupportsInt | typing.SupportsIndex,
    minElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 0,
    maxElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 4294967295,
    maxElementsPerRegion: typing.SupportsInt | typing.SupportsIndex = 4294967295,
) -> list[list[list[tuple[int, int]]]]:
    """
    The same for lists of intervals, each of which counts as one stretch of elements.
    """

def splitRegionsBetweenWorkers(
    target: popir._device.poplar.Target,
    regions: collections.abc.Sequence[
        tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex]
    ],
    grainSize: typing.SupportsInt | typing.SupportsIndex,
    minElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 0,
    maxElementsPerPartition: typing.SupportsInt | typing.SupportsIndex = 4294967295,
    maxElementsPerRegion: typing.SupportsInt | typing.SupportsIndex = 4294967295,
) -> list[list[tuple[int, int]]]:
    """
    The same with as many partitions as a tile has worker contexts.
    """
