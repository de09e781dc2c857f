"""The host's copy of a model's weights and states: `HostWeights`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np

from popir import memory
from popir.errors import did_you_mean, popart_exception
from popir.ir import Graph
from popir.onnxio.serialised import Pages, filled
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]


class Away:
    """The values of a weight that a device has in packed form alone. They are read from there
    whenever they are asked for.
    """

    def __init__(self, like: Array, read: Callable[[Array], None]) -> None:
        """`read` fills an array as the device has it."""
        self._dtype, self._shape, self._bytes, self._read = (
            like.dtype,
            like.shape,
            like.nbytes,
            read,
        )
        self._settled: Array | None = None

    def __call__(self) -> Array:
        """The values, in a read-only array. Raises OutOfMemoryException if the host has too little
        memory.
        """
        if self._settled is not None:
            return self._settled
        memory.require("The host's copy of a weight", self._bytes)
        found = filled(self._bytes, lambda array: self._read(self._seen(array)))
        # If the device has other values by now, these are settled.
        return self._seen(found) if self._settled is None else self._settled

    def settle(self) -> Array:
        """The values, which it keeps from now on, because the device gets others."""
        self._settled = self()
        return self._settled

    def _seen(self, array: Array) -> Array:
        return array.view(self._dtype).reshape(self._shape)


class HostWeights(MutableMapping[str, Array]):
    """One array for each variable of a graph, by id: what its replicas have, or are to have. It
    starts with the initial value. What is `left` to the device is read from there.

    What nobody has written to is the graph's own array, and read-only: `writeable` copies it first.
    """

    def __init__(self, graph: Graph) -> None:
        initial = {
            t.id: graph.sharded[t.id].values if t.id in graph.sharded else t.data
            for t in graph.tensors.values()
            if t.is_variable() and t.data is not None
        }
        self._arrays: dict[str, Array | Away] = {
            id: _read_only(graph.shared[id].initial() if id in graph.shared else data)
            for id, data in initial.items()
        }
        self._shared, self._sharded = graph.shared, graph.sharded
        self._compiled_in = graph.compiled_in
        self._sums: dict[str, Array] = {}
        """What the host gets of variables of the mode AllReduceReplicas, if that is not what
        replicas have: the sum over each group.
        """
        self.own: dict[str, dict[int, Array]] = {}
        """What single replicas of this process have of variables, where that is not what the array
        says that all of a group have; by id and the replica's number.
        """

    def __getitem__(self, id: str) -> Array:
        found = self._arrays[id]
        return found() if isinstance(found, Away) else found

    def __setitem__(self, id: str, array: Array) -> None:
        self._arrays[id] = array

    def __delitem__(self, id: str) -> None:
        del self._arrays[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def exchange(self, id: str, old: Array | Away, new: Array | Away) -> None:
        """Keeps the same values of `id` elsewhere, unless it has others than those of `old`."""
        if self._arrays[id] is old:
            self._arrays[id] = new

    def is_left(self, id: str) -> bool:
        """Whether the device alone has what the host is to have of the variable `id`."""
        return isinstance(self._arrays[id], Away)

    def writeable(self, id: str) -> Array:
        """The host's array of the variable `id`, to be written to: from then on it says what all
        replicas have, and what the host has got.

        Raises OutOfMemoryException if the host's memory is too small for a copy.
        """
        array = self[id]
        if not array.flags.writeable:
            memory.require(f"The host's copy of the weight '{id}'", array.nbytes)
            array = self[id] = array.copy()
        self._sums.pop(id, None)
        self.own.pop(id, None)
        return array

    def of_replica(self, id: str, replica: int) -> Array:
        """What a replica of this process has of a variable; not copied."""
        if (own := self.own.get(id, {}).get(replica)) is not None:
            return own
        return self.of_group(id, replica)

    def of_group(self, id: str, replica: int) -> Array:
        """What the host's array of a variable says that a replica has; not copied."""
        values, shared = self[id], self._shared.get(id)
        row = ... if shared is None else shared.row(replica)
        return values if row is ... else values[row].reshape(values.shape[1:])

    def keep(self, id: str, replica: int, value: Array) -> None:
        """Keeps what a replica of this process has of a variable, unless the array says it, or
        replicas have shards of what the array says.
        """
        if id not in self._sharded and not same_bits(value, self.of_group(id, replica)):
            self.own.setdefault(id, {})[replica] = np.array(value)

    def sum(self, id: str) -> Array:
        """An array of zeros for the sums over the groups of replicas, that `like` gives next.

        Raises OutOfMemoryException if the host's memory is too small for it.
        """
        memory.require(f"The sums of the weight '{id}'", self[id].nbytes)
        self._sums[id] = np.zeros_like(self[id])
        return self._sums[id]

    def like(self, id: str, array: Array) -> Array:
        """What the host has got of the variable `id`. With several groups of replicas, its first
        dimension is that of the groups or, for the mode AllReplicas, of the replicas.

        Raises popart_exception if there is none, or if it differs from `array` in type or shape.
        """
        mine = self.get(id)
        if mine is None:
            raise popart_exception(f"The model has no weight '{id}'.{did_you_mean(id, self)}")
        if mine.shape != array.shape or mine.dtype != array.dtype:
            raise popart_exception(
                f"The weight '{id}' is {TensorInfo(mine)}; given was an array {TensorInfo(array)}."
            )
        return self._sums.get(id, mine)

    def of_groups(self) -> dict[str, Array]:
        """The values that a model has: where the host has one for each replica, those of the first
        replica of each group.
        """
        return {
            id: self._shared[id].firsts(values) if id in self._shared else values
            for id, values in self.items()
        }

    def put(self, id: str, array: Array) -> None:
        """Copies values to the host. With the mode AllReplicas, those of the groups may be given.

        Raises popart_exception as `like` and `require_unchanged` do.
        """
        shared = self._shared.get(id)
        if shared is not None and array.shape == shared.values.shape:
            array = shared.spread(array)
        self.like(id, array)
        self.require_unchanged(id, array)
        np.copyto(self.writeable(id), array)

    def require_unchanged(self, id: str, array: Array) -> None:
        """Raises popart_exception if the value of `id` is compiled in and `array` is another."""
        pattern = self._compiled_in.get(id)
        if pattern is not None and not same_bits(self[id], array):
            raise popart_exception(
                f"The value of '{id}', {self[id].item()}, cannot become {array.item()}: the "
                f"pattern {pattern} has compiled it in. Make the session without it: "
                f"patterns.{pattern} = False."
            )

    def take(self, graph: Graph, ignore_others: bool) -> None:
        """Copies the values of another graph's variables.

        Raises popart_exception for a variable that is not one of this graph, unless
        `ignore_others`; also for one of another type or shape.
        """
        for tensor in graph.tensors.values():
            if not tensor.is_variable() or tensor.data is None:
                continue
            if tensor.id in self or not ignore_others:
                shared = graph.shared.get(tensor.id)
                self.put(tensor.id, tensor.data if shared is None else shared.values)


def is_fixed(array: Array) -> bool:
    """Whether nobody writes an array: neither it nor what it is a view of."""
    at: Any = array
    while isinstance(at, np.ndarray):
        if at.flags.writeable:
            return False
        at = at.base if not isinstance(at.base, memoryview) else at.base.obj
    return at is None or isinstance(at, bytes | Pages)


def same_bits(one: Array, other: Array) -> bool:
    """Whether two arrays of one type have the same bits."""
    return np.array_equal(one.reshape(-1).view(np.uint8), other.reshape(-1).view(np.uint8))


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
