"""
Tile mappings, partitions of intervals, and broadcasting (PopLibs: poputil).
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
    Records which tiles use which elements, and maps each element to one of its
    users (PopLibs: poputil/TileMapping.hpp). Elements with several users are
    shared evenly among these.
    Raises poplibs_exception for 0 tiles.
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
        Records that a tile uses the elements of a tensor.
        Raises poplibs_exception for a tile beyond those of the tracker.
        """
    def mapTensorsByUse(
        self,
        graph: popir._device.poplar.Graph,
        grainSize: typing.SupportsInt | typing.SupportsIndex,
        minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
        extendPartialUsage: bool = False,
    ) -> None:
        """
        Maps the recorded elements to tiles that use them, in groups of `grainSize` elements
        and at least `minElementsPerTile` on a tile. With `extendPartialUsage`, elements of
        the same variables that no tile uses go to the tile of a neighbour.
        Raises poplibs_exception for a grain size of 0.
        """

def balancedPartition(
    rangeUpperBound: typing.SupportsInt | typing.SupportsIndex,
    splitCount: typing.SupportsInt | typing.SupportsIndex,
) -> list[int]:
    """
    A list of `splitCount` numbers that differ by at most one and add
    up to `rangeUpperBound`.
    Raises poplibs_exception for less than one number, and for a sum below 0.
    """

@typing.overload
def broadcastToMatch(
    a: popir._device.poplar.Tensor,
    shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> popir._device.poplar.Tensor:
    """
    `a` as a view of `shape`, by numpy's rules of broadcasting.
    Raises poplibs_exception if a size other than 1 differs.
    """

@typing.overload
def broadcastToMatch(
    a: popir._device.poplar.Tensor, b: popir._device.poplar.Tensor
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    Both tensors as views of their common shape, by numpy's rules of broadcasting.
    Raises poplibs_exception if two sizes differ and neither is 1.
    """

@typing.overload
def calcLinearTileMapping(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
    ascendingOrder: bool = True,
) -> list[list[tuple[int, int]]]:
    """
    The mapping that mapTensorLinearlyWithOffset() sets: for each tile a list of
    intervals (begin, end) of the flattened tensor.
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
    The same for a shape, with at least `minElementsPerTile` elements on each tile but
    the last one used, and groups of `grainSize` elements kept on one tile.
    Raises poplibs_exception for a grain size of 0.
    """

def calcLinearTileMappingAndNewOffset(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
) -> tuple[list[list[tuple[int, int]]], int]:
    """
    (mapping, next offset): the mapping of calcLinearTileMapping(), and the tile after
    the last one used, from which the next tensor may go on.
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
    `N` clones of a tensor, joined along a new first dimension. Values are not copied;
    `method` is that of duplicate().
    Raises poplibs_exception for 0 clones.
    """

def cloneToIpu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dstIPU: typing.SupportsInt | typing.SupportsIndex,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    A clone on another IPU: a new variable, each element on the tile of the same number
    within the IPU. Values are not copied; `method` is that of duplicate().
    Raises poplibs_exception if the graph has no such IPU.
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
    The same as cloneToIpu(), and appends a copy of the values to `prog`.
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
    A new variable of one dimension, with the size of dimension `dim` of `fullTensor`.
    Element i is on a tile that has elements of `fullTensor` with index i in this
    dimension. `ditherMapping` has no effect.
    Raises poplibs_exception for a dimension that does not exist.
    """

def detectDimGroupings(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> list[tuple[int, int]]:
    """
    The groupings of a tensor, as a list of (dimension, size), innermost first: `size`
    elements of the first dimension are contiguous, `size` such groups along the second,
    and so on. Groupings of size 1 are left out.
    """

def detectInnermostGrouping(
    graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor
) -> int:
    """
    The largest divisor n of the last dimension such that groups of n of its
    elements are contiguous in one variable and on one tile; 1 if there is none.
    Only the first row is looked at.
    """

def dimIsSplitOverIPUs(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether elements that differ in this dimension only are on different IPUs.
    Raises poplibs_exception for a dimension that does not exist.
    """

def dimIsSplitOverTiles(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """
    Whether elements that differ in this dimension only are on different tiles.
    Raises poplibs_exception for a dimension that does not exist.
    """

def duplicate(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    p: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    method: popir._device.poplar.TensorCloneMethod = popir._device.poplar.TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
) -> popir._device.poplar.Tensor:
    """
    A clone of `in_`, to which `p` copies the values. Of a tensor that shows a whole
    variable with its dimensions in another order, the clone has that order in memory,
    unless `method` is CREATE_NEW_ORDER.
    """

def getTileImbalance(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex = 0,
    grainSize: typing.SupportsInt | typing.SupportsIndex = 1,
) -> int:
    """
    The number of elements on the fullest tile in excess of an even mapping.
    Raises poplibs_exception for a grain size of 0, poplar_invalid_tile_mapping for
    an element without a tile.
    """

@typing.overload
def mapTensorLinearly(graph: popir._device.poplar.Graph, t: popir._device.poplar.Tensor) -> None:
    """
    Maps the elements to the tiles evenly and in order, from tile 0 on: at least 128
    bytes on each tile but the last one used, and whole vectors of the target.
    """

@typing.overload
def mapTensorLinearly(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    minElementsPerTile: typing.SupportsInt | typing.SupportsIndex,
    grainSize: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    The same with at least `minElementsPerTile` elements on each tile but the last one
    used, and groups of `grainSize` elements kept on one tile.
    Raises poplibs_exception for a grain size of 0.
    """

@typing.overload
def mapTensorLinearlyWithOffset(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    offset: typing.SupportsInt | typing.SupportsIndex = 0,
    ascendingOrder: bool = True,
) -> None:
    """
    The same as mapTensorLinearly() from tile `offset` on, and after the last tile from
    tile 0 on. If not `ascendingOrder`, tiles are counted downwards from the last one.
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
    The same with at least `minElementsPerTile` elements on each tile but the last one
    used, and groups of `grainSize` elements kept on one tile.
    Raises poplibs_exception for a grain size of 0.
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
    Splits intervals (begin, end) into at most `maxPartitions` lists of intervals,
    in order and evenly. Groups of `grainSize` elements stay together; empty
    partitions are left out.
    `minElementsPerPartition` makes fewer partitions; `maxElementsPerPartition`
    makes more, even beyond `maxPartitions`. Intervals longer than
    `maxElementsPerRegion` are cut.
    Raises poplibs_exception for an interval that ends before it begins, and if
    `grainSize` or `maxPartitions` is 0.
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
    The same for lists of intervals, each of which counts as one interval.
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
    The same as splitRegions() with the number of a tile's worker
    threads as `maxPartitions`.
    """
