"""
Collective operations over replicas (gcl/Collectives.hpp). Reductions are made in the
order of the replicas, so that their bits do not depend on threads and processes.
"""

from __future__ import annotations
import popir._device.poplar
import popir._device.poplar.program
import typing

__all__: list[str] = [
    "CollectiveOperator",
    "CommGroup",
    "allGatherCrossReplica",
    "allReduceCrossReplica",
    "reduceScatterCrossReplica",
]

class CollectiveOperator:
    """
    How replicas' values become one. SQUARE_ADD is the sum of the
    squares, LOCAL each replica's own value.

    Members:

      ADD

      MEAN

      MUL

      MIN

      MAX

      LOGICAL_AND

      LOGICAL_OR

      SQUARE_ADD

      LOCAL
    """

    ADD: typing.ClassVar[CollectiveOperator]
    LOCAL: typing.ClassVar[CollectiveOperator]
    LOGICAL_AND: typing.ClassVar[CollectiveOperator]
    LOGICAL_OR: typing.ClassVar[CollectiveOperator]
    MAX: typing.ClassVar[CollectiveOperator]
    MEAN: typing.ClassVar[CollectiveOperator]
    MIN: typing.ClassVar[CollectiveOperator]
    MUL: typing.ClassVar[CollectiveOperator]
    SQUARE_ADD: typing.ClassVar[CollectiveOperator]
    __members__: typing.ClassVar[dict[str, CollectiveOperator]]
    @typing.overload
    def __eq__(self, other: CollectiveOperator) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: CollectiveOperator) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class CommGroup:
    """
    Groups of `size` replicas, each `stride` after the one before.
    """
    def __init__(
        self,
        size: typing.SupportsInt | typing.SupportsIndex,
        stride: typing.SupportsInt | typing.SupportsIndex = 1,
    ) -> None: ...

def allGatherCrossReplica(
    graph: popir._device.poplar.Graph,
    data: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    group: CommGroup,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The `data` of the n replicas of a group: a new tensor [n, shape of `data`].
    Raises poplar_exception for groups that do not divide the replicas of the graph.
    """

def allReduceCrossReplica(
    graph: popir._device.poplar.Graph,
    data: popir._device.poplar.Tensor,
    op: CollectiveOperator,
    prog: popir._device.poplar.program.Sequence,
    group: CommGroup,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The reduction of `data` over the replicas of a group: a new tensor of its shape.
    Raises poplar_exception for groups that do not divide the replicas of the graph.
    """

def reduceScatterCrossReplica(
    graph: popir._device.poplar.Graph,
    data: popir._device.poplar.Tensor,
    op: CollectiveOperator,
    prog: popir._device.poplar.program.Sequence,
    group: CommGroup,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The replica's part of the reduction of `data` over a group of n replicas: a new tensor of
    one dimension, of the elements divided by n, rounded up. What is more is zero.
    Raises poplar_exception for groups that do not divide the replicas of the graph.
    """
