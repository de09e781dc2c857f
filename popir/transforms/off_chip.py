"""Keeps tensors in streaming memory, off chip: adds RemoteLoad and RemoteStore operators.

A variable that is off chip has no place on tiles. It lies in a remote buffer of its own, whose row
is `RemoteArg___w`. Each *period* of a step that reads it loads it once, before its first reader;
the value lives on tiles up to the last reader there. What changes it stores it after the last
change of the period. The periods are the forward pass, the backward pass, the updates of each
batch (accumulation among them) and those after accumulation; with a pipeline, those of each stage.
With execution phases, each phase is a period.

An activation that is off chip is stored where it is made, and loaded by each later period that
reads it.

Operators and their order stay the same. So do results, bit by bit, but where the engine joins steps
that a load now stands between (docs/transforms.md).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.options.annotations import EXECUTION_PHASE, PIPELINE_STAGE, VIRTUAL_GRAPH
from popir.replicas import CommGroup
from popir.reserved import (
    reservedAcclPrefix,
    reservedAccumPrefix,
    reservedRemoteArgPrefix,
    weight_of_state,
)
from popir.virtual_graphs import Places

Period = Callable[[Op], Hashable]
"""The period of a step in which an operator runs."""


class Location(NamedTuple):
    """Where a kind of tensors is kept."""

    least: int | None = None
    """The least elements of those that are off chip; None if none is."""
    loads_by_io: bool = False
    """Whether they are loaded onto IO tiles, and copied from there; likewise `stores_by_io`."""
    stores_by_io: bool = False
    loads_ahead: bool = False
    """Whether they come to the IO tiles while operators before their first reader compute."""
    least_sharded: int | None = None
    """The least elements of those of which each replica has a shard; None if none is."""
    domain: CommGroup | None = None
    """The groups of replicas over which these are sharded; None for all that share a value."""


_ON_CHIP = Location()


@dataclass(frozen=True)
class Locations:
    """Where the tensors of each kind are kept."""

    weights: Location = _ON_CHIP
    states: Location = _ON_CHIP
    """Of optimizers, such as momenta."""
    accumulators: Location = _ON_CHIP
    """What gradients are accumulated in; if that is an optimizer's state, it counts here."""
    activations: Location = _ON_CHIP
    """What one period of a step computes and another one reads."""
    overrides: Mapping[str, Location] = field(default_factory=dict)
    """Of single tensors, by id, whatever their kind."""
    is_accumulated: bool = False
    """Whether gradients are accumulated."""

    def asks_for(self, tensor: Tensor) -> bool:
        """Whether a tensor is to be off chip."""
        least = self.of(tensor).least
        sharding = tensor.graph.sharded.get(tensor.id)
        if least is None or tensor.info is None:
            return False
        return (tensor.info.nelms() if sharding is None else sharding.values.size) >= least

    def of(self, tensor: Tensor) -> Location:
        """The location of a tensor."""
        of_kind = self._of_kind(tensor)
        found = self.overrides.get(tensor.id, of_kind)
        return found._replace(loads_ahead=of_kind.loads_ahead)

    def _of_kind(self, tensor: Tensor) -> Location:
        if not tensor.is_variable():
            return self.activations
        is_both = self.is_accumulated and tensor.id.startswith(reservedAcclPrefix())
        if is_both or tensor.id.startswith(reservedAccumPrefix()):
            return self.accumulators
        return self.weights if weight_of_state(tensor.id) is None else self.states


def move_off_chip(
    graph: Graph,
    moved: Mapping[Tensor, Location],
    period: Period,
    places: Places | None = None,
) -> None:
    """Adds the operators for variables and activations that are to be off chip.

    `places` has the IPU of each operator, if they are placed.
    """
    if moved:
        _Mover(graph, moved, period, places).run()


def why_on_chip(tensor: Tensor, period: Period) -> str:
    """Why an activation stays on chip though it is asked for; "" if it can be moved."""
    made = tensor.producer
    if made is None:
        return "the host sends it for each batch"
    if not any(period(reader) != period(made) for reader in tensor.uses):
        return "nothing reads it in another period than that which makes it"
    if any(r.modifies(i) for r in tensor.uses for i, t in r.input.items() if t is tensor):
        return "an operator overwrites it"
    return ""


def changed_output(op: Op, i: int) -> int | None:
    """The output, connected or not, that is the value of input `i` after the operator has changed
    it in place; None if there is none.
    """
    return next((o for o in range(len(op.input) + 1) if op.aliases(i, o)), None)


@dataclass
class _Remote:
    """What is known of a tensor that is off chip, up to an operator of the schedule."""

    handle: str
    like: Tensor
    """The tensor, for its type and shape."""
    row: str
    """The id of the number of its row, as it is after the last store."""
    local: Tensor | None = None
    """The value on tiles, in the period `loaded`."""
    loaded: Hashable = None
    loads: list[Op] = field(default_factory=list)
    """The loads since the last store."""


class _Mover:
    def __init__(
        self,
        graph: Graph,
        moved: Mapping[Tensor, Location],
        period: Period,
        places: Places | None,
    ) -> None:
        self.graph = graph
        self.period = period
        self.places = places
        self.order = graph.schedule()
        self.moved = moved
        self.remote: dict[Tensor, _Remote] = {}
        """By tensor that holds the value: the variable, and what operators made of it in place."""
        self.new: list[Op] = []

    def run(self) -> None:
        """Goes through the schedule."""
        for tensor in self.moved:
            if tensor.is_variable():
                self.remote[tensor] = self._begin(tensor)
        last = self._last_changes()
        for op in self.order:
            changed = [
                (self.remote[t], i)
                for i, t in op.input.items()
                if t in self.remote and op.modifies(i)
            ]
            self._read(op)
            self.new.append(op)
            for remote, i in changed:
                value = self._changed(op, i, remote)
                remote.local, self.remote[value] = value, remote
                if (op, remote.handle) in last:
                    self._store(remote, value, op)
            for out in list(op.output.values()):
                if out in self.moved and out not in self.remote:
                    remote = self.remote[out] = self._begin(out)
                    remote.local, remote.loaded = out, self.period(op)
                    self._store(remote, out, op)
        self.graph.ops = {op.id: op for op in self.new}
        self.graph.changes += 1

    def _begin(self, tensor: Tensor) -> _Remote:
        id = self.graph.uniqueId(reservedRemoteArgPrefix() + tensor.id)
        self.graph.addConstInit(id, np.zeros(1, np.int32))
        return _Remote(tensor.id, tensor, id)

    def _changed(self, op: Op, i: int, remote: _Remote) -> Tensor:
        """The value after `op` has changed its input `i`."""
        out = changed_output(op, i)
        assert out is not None
        if not op.hasOutput(out):
            op.createAndConnectOutTensor(out, self.graph.uniqueId(f"{remote.handle}/changed"))
            op.setup()
        return op.outTensor(out)

    def _last_changes(self) -> set[tuple[Op, str]]:
        """The last operator of each period that changes a variable, with the variable's id."""
        of: dict[Tensor, str] = {t: t.id for t in self.moved if t.is_variable()}
        last: dict[tuple[str, Hashable], Op] = {}
        for op in self.order:
            for i, tensor in op.input.items():
                if tensor in of and op.modifies(i):
                    last[of[tensor], self.period(op)] = op
                    of |= {out: of[tensor] for o, out in op.output.items() if op.aliases(i, o)}
        return {(op, id) for (id, _), op in last.items()}

    def _read(self, op: Op) -> None:
        for i, tensor in list(op.input.items()):
            remote = self.remote.get(tensor)
            if remote is None:
                continue
            if remote.local is None or remote.loaded != self.period(op):
                self._load(remote, op)
            if remote.local is not None and remote.local is not tensor:
                op.disconnectInTensor(i)
                op.connectInTensor(i, remote.local.id)
        if self.places is not None:
            op.settings.nodeAttributes[VIRTUAL_GRAPH] = self.places.of(op)

    def _load(self, remote: _Remote, reader: Op) -> None:
        info = remote.like.info
        assert info is not None
        attributes = {
            "remote_buffer": remote.handle,
            "rows": 1,
            "data_type": info.data_type(),
            "shape": list(info.shape()),
            "io_tiles": self.moved[remote.like].loads_by_io,
            "ahead": self.moved[remote.like].loads_ahead,
        }
        op = self._add("RemoteLoad", {0: remote.row}, f"{remote.handle}/loaded", attributes, reader)
        remote.local, remote.loaded = op.outTensor(0), self.period(reader)
        remote.loads.append(op)

    def _store(self, remote: _Remote, value: Tensor, maker: Op) -> None:
        inputs = {0: value.id, 1: remote.row}
        by_io = self.moved[remote.like].stores_by_io
        attributes = {"remote_buffer": remote.handle, "rows": 1, "io_tiles": by_io}
        op = self._add("RemoteStore", inputs, f"{remote.row}/stored", attributes, maker)
        for load in remote.loads:
            self.graph.addConstraint(load, op)
        remote.row, remote.loads = op.outId(0), []

    def _add(
        self, kind: str, inputs: dict[int, str], out: str, attributes: Mapping[str, object], at: Op
    ) -> Op:
        notes = at.settings.nodeAttributes
        keys = (PIPELINE_STAGE, VIRTUAL_GRAPH, EXECUTION_PHASE)
        kept = {key: notes[key] for key in keys if key in notes}
        if self.places is not None:
            kept[VIRTUAL_GRAPH] = self.places.of(at)
        settings = Op.Settings(self.graph, f"{kind}/{attributes['remote_buffer']}", kept)
        op = self.graph.createConnectedOp(
            registry.createOp,
            inputs,
            {0: self.graph.uniqueId(out)},
            *("ai.graphcore", kind, 1, settings, dict(attributes)),
            [self.graph.getTensor(id) for id in inputs.values()],
        )
        self.new.append(op)
        return op
