"""What a session has in a checkpoint: what `Session.save` and `Session.load` do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from popir.checkpoint import folder
from popir.checkpoint.manifest import Manifest, Optimizer
from popir.errors import CheckpointError, popart_exception
from popir.reserved import OF_SESSION, RANDOM_SEED, weight_of_state
from popir.typed import shown
from popir.types import TensorInfo
from popir.weights import HostWeights

Array = np.ndarray[Any, Any]
OF_REPLICAS = "Replicas___"
"""The prefix of the id of a tensor of a checkpoint with the values of a variable that replicas have
of their own, [replicas, shape].
"""


class Positioned(Protocol):
    """Data whose position is saved in a checkpoint, such as `popir.data.Batches`."""

    def position(self) -> Any:
        """The position, of texts, numbers, lists and dicts."""
        ...

    def seek(self, position: Any) -> None:
        """Goes to a position that `position` returned."""
        ...


class Contents:
    """What of a session's tensors a checkpoint has.

    Args:
        host: the host's weights, states and numbers of the optimizer.
        saved: the ids of states.
        initializers: the ids of the model's initializers; None for a session that does not train.
        numbers: the ids of the optimizer's changeable numbers.
        replicas: the number of replicas, of all instances.
        local: the numbers of those of this process.
    """

    def __init__(
        self,
        host: HostWeights,
        saved: Collection[str],
        initializers: Collection[str] | None,
        numbers: Collection[str],
        replicas: int,
        local: range,
    ) -> None:
        self.host = host
        self.replicas, self.local = replicas, local
        self.numbers = sorted(numbers)
        self.is_trained = initializers is not None
        self.ids = [
            id
            for id in host
            if id != RANDOM_SEED
            and (id in saved or (not is_state(id) and id in (initializers or host)))
        ]

    def manifest(
        self,
        arrays: Mapping[str, Array],
        description: Any,
        step: int,
        seed: int | None,
        position: Any,
    ) -> Manifest:
        """The manifest of a checkpoint of `arrays`, without shards."""
        values = {id: float(self.host[id]) for id in self.numbers}
        optimizer = Optimizer(description, values) if self.is_trained else None
        infos = {id: TensorInfo(array) for id, array in arrays.items()}
        return Manifest(step, seed, position, optimizer, infos)

    def arrays(self, of_replicas: Mapping[str, Array]) -> dict[str, Array]:
        """The arrays of the weights and states, and those of single replicas: `of_replicas` has
        them, [replicas, shape], of variables of which these have values of their own.
        """
        rows = {OF_REPLICAS + id: array for id, array in of_replicas.items()}
        return {id: self.host[id] for id in self.ids} | rows

    def check(self, where: Path, found: Manifest, description: Mapping[str, Any]) -> None:
        """Raises CheckpointError for a checkpoint of another model or another optimizer.

        `description` is that of the session's optimizer.
        """
        rows = _of_replicas(found.tensors)
        given = {id: info for id, info in found.tensors.items() if id not in rows.values()}
        if not self.is_trained:
            given = {id: info for id, info in given.items() if not is_state(id)}
        _check(where, {id: TensorInfo(self.host[id]) for id in self.ids}, given)
        for id in rows.keys() & self.ids:
            own, other = self._of_replica(id), found.tensors[rows[id]]
            shape = [*other.shape()[:1], *own.shape()]
            if other.dataType() != own.dataType() or other.shape() != shape or shape == own.shape():
                raise CheckpointError(
                    f"{where}: what it has of the replicas' '{id}' is {other}; a replica of the "
                    f"session has {own}. It was saved by a session of another model."
                )
        if self.is_trained:
            _check_optimizer(where, found.optimizer, description, self.numbers)

    def take(self, found: Manifest, tensors: Mapping[str, Array]) -> None:
        """Copies what a checkpoint has to the host; `check` has found that it fits. Replicas get
        values of their own if it has those of as many. Raises popart_exception, and has copied
        nothing, for another value of what is compiled in.
        """
        for id in self.ids:
            self.host.require_unchanged(id, tensors[id])
        for id in self.ids:
            np.copyto(self.host.writeable(id), tensors[id])
        for id, name in _of_replicas(tensors).items():
            if id in self.ids and len(tensors[name]) == self.replicas:
                for replica in self.local:
                    self.host.keep(id, replica, tensors[name][replica])
        if self.is_trained and found.optimizer is not None:
            for id, value in found.optimizer.values.items():
                self.host.writeable(id)[...] = value

    def _of_replica(self, id: str) -> TensorInfo:
        return TensorInfo(self.host.of_group(id, self.local[0]))


def _of_replicas(tensors: Mapping[str, object]) -> dict[str, str]:
    """The ids of variables of which a checkpoint has the values of single replicas, and those of
    the tensors with these.
    """
    return {id: OF_REPLICAS + id for id in tensors if OF_REPLICAS + id in tensors}


def is_state(id: str) -> bool:
    """Whether a tensor is a state of training, by its id."""
    return id in OF_SESSION or weight_of_state(id) is not None


def _check(where: Path, mine: Mapping[str, TensorInfo], given: Mapping[str, TensorInfo]) -> None:
    missing = [id for id in mine if id not in given]
    more = [id for id in given if id not in mine]
    if missing or more:
        parts: list[str] = []
        if missing:
            parts.append(f"lacks {_listed(missing)}, which the session has")
        if more:
            parts.append(f"has {_listed(more)}, which the session lacks")
        only_states = all(map(is_state, missing + more))
        advice = (
            "It was saved by a session with another optimizer, or without one."
            if only_states
            else "It was saved by a session of another model."
        )
        raise CheckpointError(f"{where}: it {', and '.join(parts)}. {advice}")
    for id, info in mine.items():
        if given[id] != info:
            raise CheckpointError(
                f"{where}: its '{id}' is {given[id]}, that of the session {info}. It was saved by "
                "a session of another model."
            )


def _listed(ids: list[str]) -> str:
    return ", ".join(f"'{id}'" for id in ids[:3]) + (
        f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    )


def _check_optimizer(
    where: Path, given: Optimizer | None, mine: Mapping[str, Any], numbers: Iterable[str]
) -> None:
    if given is None:
        return  # Only a session whose optimizer has no state comes here with such a checkpoint.
    for what in sorted({*mine, *given.description}):
        own, other = mine.get(what), given.description.get(what)
        if own != other:
            raise CheckpointError(
                f"{where}: the optimizer that it was saved with has {_said(what, other)}, that of "
                f"the session {_said(what, own)}. What is compiled in must be the same."
            )
    if sorted(given.values) != list(numbers):
        raise CheckpointError(
            f"{where}: the changeable numbers of its optimizer are "
            f"{_listed(sorted(given.values))}; those of the session are {_listed(list(numbers))}."
        )


def _said(what: str, value: object) -> str:
    return f"no constant {what}" if value is None else f"{what} {shown(value)}"


def position_of(who: str, data: Positioned | None) -> Any:
    """The position of data. Raises popart_exception for what has none."""
    if data is None:
        return None
    if not callable(getattr(data, "position", None)) or not callable(getattr(data, "seek", None)):
        raise popart_exception(
            f"{who} takes data with the methods position and seek, such as popir.data.Batches; "
            f"given was {shown(data)}."
        )
    return data.position()


def write(where: Path, arrays: Mapping[str, Array], manifest: Manifest, count: int) -> None:
    """Writes a checkpoint of `count` shards. Raises CheckpointError if that fails; the folder then
    has the checkpoint that it had.
    """
    if not 1 <= count <= 99999:
        raise CheckpointError(
            f"Session.save: a checkpoint has 1 to 99999 shards; given was {count}."
        )
    with folder.Writer(where, manifest.step) as writer:
        writer.commit(manifest, [writer.write(arrays, i, count) for i in range(count)])
