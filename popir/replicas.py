"""Groups of replicas (`CommGroup`, `ReplicaGrouping`), weights of which each group has a value of
its own (`VariableSettings`, `Shared`), and variables of which each replica of a group has a part
(`Sharding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.enums import CommGroupType, VariableRetrievalMode
from popir.errors import popart_exception
from popir.typed import shown, typed

Array = np.ndarray[Any, Any]
_Mode = VariableRetrievalMode

_MOST_LISTED = 1 << 16
"""The most replicas whose groups are listed one by one."""


@dataclass(frozen=True)
class ReplicaGrouping:
    """`replicas` in groups of `size`, of which each is `stride` after the one before. PopART's
    class of this name. Raises popart_exception for groups that do not divide the replicas.
    """

    replicas: int
    stride: int
    size: int

    def __post_init__(self) -> None:
        n, stride, size = self.replicas, self.stride, self.size
        if min(n, stride, size) < 1 or n % (stride * size):
            raise popart_exception(
                f"Groups of {size} replicas with a stride of {stride} do not divide {n} replicas."
            )

    def getNumReplicas(self) -> int:
        """The number of replicas."""
        return self.replicas

    def getStride(self) -> int:
        """The distance of the replicas of a group."""
        return self.stride

    def getGroupSize(self) -> int:
        """The replicas of a group."""
        return self.size

    def getNumGroups(self) -> int:
        """The number of groups."""
        return self.replicas // self.size

    def getGroupAt(self, replica: int) -> int:
        """The group that a replica is in. They are numbered in the order of their first ones."""
        return replica // (self.stride * self.size) * self.stride + replica % self.stride

    def getReplicasAt(self, group: int) -> list[int]:
        """The replicas of a group, in order."""
        return [r for r in range(self.replicas) if self.getGroupAt(r) == group]

    def getIndexInGroupAt(self, replica: int) -> int:
        """The place of a replica among those of its group."""
        return replica % (self.stride * self.size) // self.stride

    def across(self, inner: ReplicaGrouping) -> ReplicaGrouping | None:
        """The groups of the replicas that have one place each in the groups `inner`, into which the
        groups of this object fall. None if they do not, or not into groups of one stride.
        """
        within = self.stride * self.size
        if inner.stride == self.stride and self.size % inner.size == 0:
            return ReplicaGrouping(self.replicas, self.stride * inner.size, self.size // inner.size)
        if inner.stride * inner.size == within and inner.stride % self.stride == 0:
            return ReplicaGrouping(self.replicas, self.stride, inner.stride // self.stride)
        return None


@typed
class CommGroup:
    """A grouping of replicas: its type, and the replicas in a group where the type needs them.
    PopART's `CommGroup`: All; Consecutive: those that follow one another; Orthogonal: those that
    are equally far apart; Ungrouped: each is alone. Raises popart_exception for a negative size.
    """

    def __init__(self, type: CommGroupType = CommGroupType.All, replicaGroupSize: int = 0) -> None:
        if replicaGroupSize < 0:
            raise popart_exception(
                f"CommGroup: replicaGroupSize = {replicaGroupSize}; expected is the number of "
                "replicas in a group, or 0 for all."
            )
        self.type = type
        self.replicaGroupSize = replicaGroupSize

    def toReplicaGrouping(self, numReplicas: int) -> ReplicaGrouping:
        """The groups of so many replicas. Raises popart_exception if they do not divide these."""
        n, size = numReplicas, self.replicaGroupSize
        if self.type is CommGroupType.Ungrouped:
            return ReplicaGrouping(n, 1, 1)
        if self.type is CommGroupType.All or size == 0:
            return ReplicaGrouping(n, 1, n)
        if self.type is CommGroupType.Orthogonal and n % size == 0:
            return ReplicaGrouping(n, n // size, size)
        return ReplicaGrouping(n, 1, size)

    def __getstate__(self) -> dict[str, Any]:
        """The type and the size, also for digests of what holds the object."""
        return vars(self)

    def __repr__(self) -> str:
        return f"CommGroup({self.type.name}, {self.replicaGroupSize})"


@typed
class VariableSettings:
    """Which replicas share a weight, and how the host gets it: `VariableSettings(domain, mode)`,
    each of which may be left out, or `VariableSettings(stride, groupSize, mode)`. PopART's class of
    this name.

    With several groups the initial value is [groups, shape of the weight]. The host has an array of
    this form; with the mode AllReplicas one of [replicas, shape]. Raises popart_exception for other
    arguments, and for groups of a type that needs a size without one.
    """

    def __init__(
        self,
        sharedVariableDomain_: CommGroup | VariableRetrievalMode | int | None = None,
        retrievalMode_: VariableRetrievalMode | int = VariableRetrievalMode.OnePerGroup,
        mode: VariableRetrievalMode | None = None,
        *,
        stride: int | None = None,
        groupSize: int | None = None,
    ) -> None:
        domain = sharedVariableDomain_ if stride is None else stride
        size = retrievalMode_ if groupSize is None else groupSize
        self._stride: int | None = None
        self._domain = CommGroup()
        self._mode = mode or _Mode.OnePerGroup
        if isinstance(domain, int) and isinstance(size, int):
            self._stride, self._domain = domain, CommGroup(CommGroupType.Consecutive, size)
        elif isinstance(domain, int) or isinstance(size, int) or mode is not None:
            raise popart_exception(
                f"VariableSettings({shown(domain)}, {shown(size)}, {shown(mode)}): expected is a "
                "CommGroup and a VariableRetrievalMode, or a stride, the size of groups and a mode."
            )
        elif isinstance(domain, VariableRetrievalMode):
            self._mode = domain
        else:
            self._domain, self._mode = domain or self._domain, size
        self.verify()

    def verify(self) -> None:
        """Raises popart_exception for groups without a size, or a stride below 1."""
        type, size = self._domain.type, self._domain.replicaGroupSize
        needs = type in (CommGroupType.Consecutive, CommGroupType.Orthogonal)
        if (needs and size < 1) or (self._stride is not None and self._stride < 1):
            raise popart_exception(
                f"{self}: groups have a size of at least 1, and a stride of at least 1."
            )

    def isUsingCommGroup(self) -> bool:
        """Whether the groups are those of a CommGroup, and not of a stride and a size."""
        return self._stride is None

    def getCommGroupType(self) -> CommGroupType:
        """The type of the CommGroup."""
        return self._domain.type

    def getSharedVariableDomain(self) -> CommGroup:
        """The grouping of the replicas that share the weight. Raises popart_exception if it was
        given by a stride and a size.
        """
        if self._stride is not None:
            raise popart_exception(f"{self}: its groups are not those of a CommGroup.")
        return self._domain

    def getReplicaGrouping(self, numReplicas: int) -> ReplicaGrouping:
        """The groups of so many replicas. Raises popart_exception if they do not divide these."""
        if self._stride is not None:
            return ReplicaGrouping(numReplicas, self._stride, self._domain.replicaGroupSize)
        return self._domain.toReplicaGrouping(numReplicas)

    def getStride(self) -> int:
        """The stride given; 0 with a CommGroup."""
        return self._stride or 0

    def getGroupSize(self) -> int:
        """The size of groups given."""
        return self._domain.replicaGroupSize

    def getRetrievalMode(self) -> VariableRetrievalMode:
        """How the host gets the weight from its replicas."""
        return self._mode

    def numReplicasReturningVariable(self, replicaCount: int) -> int:
        """The values that the host gets of so many replicas."""
        grouping = self.getReplicaGrouping(replicaCount)
        return replicaCount if self._mode is _Mode.AllReplicas else grouping.getNumGroups()

    def getGroupCount(self, replicaCount: int) -> int:
        """The number of groups of so many replicas."""
        return self.getReplicaGrouping(replicaCount).getNumGroups()

    def getRealGroupSize(self, replicaCount: int) -> int:
        """The replicas of a group, of so many."""
        return self.getReplicaGrouping(replicaCount).size

    def getGroupRepresentative(self, group: int) -> int:
        """The first replica of a group of a CommGroup."""
        domain = self.getSharedVariableDomain()
        if domain.type is CommGroupType.Consecutive:
            return group * domain.replicaGroupSize
        return 0 if domain.type is CommGroupType.All else group

    def groups(self, replicaCount: int) -> list[list[int]]:
        """The replicas of each group, of so many. Raises popart_exception for more than 65536."""
        if replicaCount > _MOST_LISTED:
            raise popart_exception(
                f"VariableSettings.groups: replicaCount = {replicaCount}: the replicas of groups "
                f"are listed for up to {_MOST_LISTED}."
            )
        grouping = self.getReplicaGrouping(replicaCount)
        return [grouping.getReplicasAt(group) for group in range(grouping.getNumGroups())]

    def shapeOnReplica(self, shape: Sequence[int], replicaCount: int, name: str = "") -> list[int]:
        """The shape that a replica has of an initial value of `shape`.

        Raises popart_exception unless its first dimension is that of the groups, if there are
        several.
        """
        count = self.getGroupCount(replicaCount)
        if count == 1:
            return list(shape)
        if not shape or shape[0] != count:
            raise popart_exception(
                f"The weight '{name}' has the shape {list(shape)}, and {count} groups of the "
                f"{replicaCount} replicas have values of their own ({self}): expected is "
                f"[{count}, ...]."
            )
        return list(shape[1:])

    def shapeOnHost(self, shape: Sequence[int], replicaCount: int) -> list[int]:
        """The shape of the initial value of a weight that has `shape` on a replica."""
        count = self.getGroupCount(replicaCount)
        return list(shape) if count == 1 else [count, *shape]

    def isDefault(self) -> bool:
        """Whether all replicas share the weight, and the host gets that of the first one."""
        is_all = self._stride is None and self._domain.type is CommGroupType.All
        return is_all and self._mode is _Mode.OnePerGroup

    def text(self) -> str:
        """The settings as text, for the model."""
        domain, stride = self._domain, self._stride or 0
        return f"{domain.type.name} {domain.replicaGroupSize} {stride} {self._mode.name}"

    def __repr__(self) -> str:
        if self._stride is None:
            return f"VariableSettings({self._domain}, {self._mode.name})"
        size = self._domain.replicaGroupSize
        return f"VariableSettings({self._stride}, {size}, {self._mode.name})"


def settings_of(text: str) -> VariableSettings:
    """The settings of what `VariableSettings.text` gave. Raises ValueError for another text."""
    try:
        type, size, stride, mode = text.split()
        if int(stride):
            return VariableSettings(int(stride), int(size), _Mode[mode])
        return VariableSettings(CommGroup(CommGroupType[type], int(size)), _Mode[mode])
    except (KeyError, popart_exception) as error:
        raise ValueError(f"{text!r} are no VariableSettings") from error


@dataclass(frozen=True)
class Shared:
    """A weight of which the host has several values: one for each group of replicas that share it,
    or one for each replica.
    """

    grouping: ReplicaGrouping
    mode: VariableRetrievalMode
    values: Array
    """The initial values: [groups, shape of the weight], or its shape for one group."""

    def initial(self) -> Array:
        """The values that the host begins with."""
        return self.spread(self.values)

    def like(self, values: Array) -> Shared:
        """The same for a state of the weight, of which the host gets no sums."""
        mode = _Mode.OnePerGroup if self.is_added else self.mode
        return Shared(self.grouping, mode, values)

    def spread(self, values: Array) -> Array:
        """What the host has if the groups have these values."""
        if self.mode is not _Mode.AllReplicas:
            return values
        if self.grouping.getNumGroups() == 1:
            return np.repeat(values[None], self.grouping.replicas, 0)
        return values[[self.grouping.getGroupAt(r) for r in range(self.grouping.replicas)]]

    def firsts(self, values: Array) -> Array:
        """What the host has of the first replica of each group."""
        if self.mode is not _Mode.AllReplicas:
            return values
        count = self.grouping.getNumGroups()
        firsts = [self.grouping.getReplicasAt(group)[0] for group in range(count)]
        return values[firsts] if count > 1 else values[0]

    def row(self, replica: int) -> Any:
        """Where the host has the value of a replica, as an index that gives a view."""
        if self.mode is _Mode.AllReplicas:
            return slice(replica, replica + 1)
        group = self.grouping.getGroupAt(replica)
        return slice(group, group + 1) if self.grouping.getNumGroups() > 1 else ...

    def returns(self, replica: int) -> bool:
        """Whether the host has the value of a replica, and not that of the first of its group."""
        return self.mode is _Mode.AllReplicas or self.grouping.getIndexInGroupAt(replica) == 0

    @property
    def is_added(self) -> bool:
        """Whether the host gets the sum of the values of a group. What it has is not the sum, but
        the value of the first replica: what it sends to all of them, and what is saved.
        """
        return self.mode is _Mode.AllReduceReplicas


@dataclass(frozen=True)
class Sharding:
    """A variable of which each replica of a group has a shard: the elements in their order, divided
    by the replicas of the group, rounded up, with zeros beyond the end.
    """

    grouping: ReplicaGrouping
    values: Array
    """The whole initial value that the first replica's group has."""

    @property
    def elements(self) -> int:
        """The elements of a shard."""
        return -(-self.values.size // self.grouping.size)

    def shard(self, values: Array, replica: int) -> Array:
        """The shard that a replica has of whole values."""
        first = self.grouping.getIndexInGroupAt(replica) * self.elements
        part = values.reshape(-1)[first : first + self.elements]
        return np.concatenate([part, np.zeros(self.elements - part.size, part.dtype)])

    def joined(self, shards: Array, replica: int) -> Array:
        """The whole values that the group of a replica has: `shards` are [replicas, elements]."""
        members = self.grouping.getReplicasAt(self.grouping.getGroupAt(replica))
        whole = shards[members].reshape(-1)[: self.values.size]
        return whole.reshape(self.values.shape)
