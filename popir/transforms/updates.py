"""Adds the updates of the weights, after the accumulation and clipping of their gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from popir.ir import Graph, Op
from popir.lowering.accumulation import after_accumulation
from popir.ops.collectives.replicated import connect_sum, sharers
from popir.ops.update.accumulate import AccumulateOp, connect_zero
from popir.ops.update.clip import Clipped, connect_clip_factor
from popir.ops.update.var_update import Given, VarUpdateOp, connect_var_update
from popir.replicas import ReplicaGrouping
from popir.reserved import COUNTER, reservedAccumPrefix, reservedFinalReducedGradPrefix
from popir.types import DataType, TensorInfo


class ClipGroup(Protocol):
    """Gradients that are clipped together: `popir.optimizers.ClipNormSettings`."""

    @property
    def weightIds(self) -> list[str]:
        """The ids of the weights."""
        ...

    @property
    def maxNorm(self) -> float:
        """The largest norm of the gradients together."""
        ...

    def of(self, weights: Sequence[str]) -> list[str]:
        """Those of the trained weights that are in the group."""
        ...


class Updater(Protocol):
    """The part of an optimizer that the compiler uses; see `popir.optimizers`.

    The optimizer's numbers have a name and belong to a weight, such as ("scaledMomentum1", "w").
    "lossScaling" and "gradientScaling" belong to no weight: their weight is "".
    """

    def isConstant(self, name: str, weight: str) -> bool:
        """Whether a number is compiled in and never changes."""
        ...

    def value(self, name: str, weight: str, batches: int = 1) -> float:
        """The present value of a number, where gradients are divided by `batches`."""
        ...

    def addUpdate(self, graph: Graph, weight: str, given: Given) -> dict[str, str]:
        """Adds the operator that updates a weight from its gradient.

        Returns the tensors that hold changeable numbers: tensor id to name.
        """
        ...

    def accumulator(self, weight: str, info: TensorInfo) -> DataType | None:
        """The type of the variable that gradients of a weight are accumulated in; None for an
        update that adds them up itself.
        """
        ...

    def clipNormSettings(self) -> Sequence[ClipGroup]:
        """The gradients that are clipped."""
        ...

    def tellUnused(self, weights: Mapping[str, DataType], accumulates: bool) -> None:
        """Warns of what was given and has no effect where weights of these types are trained."""
        ...


@dataclass(frozen=True)
class Accumulation:
    """How gradients of several batches, and of several replicas, become one."""

    factor: int = 1
    """The batches between two updates."""
    is_on: bool = False
    """Whether gradients are accumulated in variables."""
    is_mean: bool = False
    """Whether the update uses the mean of the gradients, and not their sum."""
    is_running: bool = False
    """Whether the variable holds the mean of the batches so far, and not the sum, in that case."""
    counts_apart: bool = False
    """Whether each such variable counts its batches: parts of a step may run at times of their own.
    """

    def divisor(self, is_summed: bool, replicas: int) -> int:
        """What an update divides by, of a weight that so many replicas share; `is_summed` if it
        gets the sum of the batches in any case.
        """
        is_sum = self.is_on and (is_summed or not self.is_running)
        return (self.factor if is_sum else 1) * replicas if self.is_mean else 1


class Changeable(NamedTuple):
    """A number of the optimizer that may change: its name, its weight or "", and what gradients are
    divided by in it.
    """

    name: str
    weight: str
    batches: int = 1


def add_updates(
    graph: Graph,
    gradients: Mapping[str, str],
    optimizer: Updater,
    accumulation: Accumulation,
    factors: Sequence[str] = (),
) -> dict[str, Changeable]:
    """Adds the update of each weight in `gradients`, which maps it to its gradient.

    `factors` are the ids of scalars that all gradients are multiplied by. Returns the tensors that
    hold changeable numbers, by id.
    """
    return _Updates(graph, gradients, optimizer, accumulation, factors).run()


class _Updates:
    def __init__(
        self,
        graph: Graph,
        gradients: Mapping[str, str],
        optimizer: Updater,
        accumulation: Accumulation,
        factors: Sequence[str],
    ) -> None:
        self.graph = graph
        self.optimizer = optimizer
        self.accumulation = accumulation
        self.scalars: dict[str, Changeable] = {}
        self.zeroed: list[tuple[str, str]] = []
        """The accumulators to clear after the updates: what Accumulate made, and the variable."""
        self.counters: list[str] = []
        self.divided: dict[str, int] = {}
        self.given = {w: self._given(w, id, tuple(factors)) for w, id in gradients.items()}

    def run(self) -> dict[str, Changeable]:
        """Adds clipping, updates, and the clearing of accumulators, in this order."""
        types = {weight: self._info(weight).dataType() for weight in self.given}
        self.optimizer.tellUnused(types, self.accumulation.is_on)
        for group in self.optimizer.clipNormSettings():
            self._clip(group)
        for weight, given in self.given.items():
            made = self.optimizer.addUpdate(self.graph, weight, given)
            for id, name in made.items():
                self.scalars[id] = Changeable(name, weight, given.batches)
                given.divided[id] = given.batches
        for counter in self.counters:
            self._count(counter)
        for accumulated, variable in self.zeroed:
            connect_zero(self.graph, accumulated, variable)
        return self.scalars

    def _given(self, weight: str, gradient: str, factors: tuple[str, ...]) -> Given:
        """The gradient that the update gets, after its accumulation if there is any."""
        info = self._info(weight)
        grouping = sharers(self.graph, weight)
        reduced = reservedFinalReducedGradPrefix() + weight
        is_on = self.accumulation.is_on
        type = self.optimizer.accumulator(weight, info) if is_on else None
        batches = self.accumulation.divisor(type is None, grouping.size)
        if type is None:
            gradient = connect_sum(self.graph, gradient, grouping, reduced)
            return Given(gradient, batches, factors, is_on, self.divided)
        variable = reservedAccumPrefix() + weight
        self.graph.addState(variable, np.zeros(info.shape(), type.numpy))
        summed = f"{variable}/summed"
        is_running = self.accumulation.is_mean and self.accumulation.is_running
        counter = {"counter": self._counter(weight)} if is_running else {}
        mode = {"mode": "Mean" if is_running else "Add"}
        connect_var_update(
            *(AccumulateOp, self.graph, variable, gradient, [], mode, counter), output=summed
        )
        self.zeroed.append((summed, variable))
        summed = connect_sum(self.graph, summed, grouping, reduced)
        return Given(summed, batches, factors, False, self.divided)

    def _info(self, weight: str) -> TensorInfo:
        info = self.graph.getTensor(weight).info
        assert info is not None
        return info

    def _counter(self, weight: str) -> str:
        """The variable that counts the batches since the last update of a weight."""
        id = COUNTER + (weight if self.accumulation.counts_apart else "")
        if not self.graph.hasTensor(id):
            self.graph.addState(id, np.zeros([], np.float32))
            self.zeroed.append((f"{id}/summed", id))
            self.counters.append(id)
        return id

    def _count(self, id: str) -> None:
        """Adds the operator that counts."""
        one = self.graph.addConstInit(f"{id}/one", np.ones([], np.float32)).id
        connect_var_update(
            *(AccumulateOp, self.graph, id, one, [], {"mode": "Add"}, {}), output=f"{id}/summed"
        )

    def _clip(self, group: ClipGroup) -> None:
        """Adds the factor of a group of gradients, and gives it to their updates."""
        weights = group.of(list(self.given))
        batches = self.given[weights[0]].batches
        scaling: float | str = self.optimizer.value("gradientScaling", "", batches)
        if not self.optimizer.isConstant("gradientScaling", ""):
            id = f"gradientScaling___default___{batches}"
            if not self.graph.hasTensor(id):
                self.graph.addVarInit(id, np.asarray(scaling, np.float32))
            self.scalars[id] = Changeable("gradientScaling", "", batches)
            scaling = id
        given = [self.given[weight] for weight in weights]
        made = connect_clip_factor(
            self.graph, self._clipped(weights), group.maxNorm, scaling, given[0].factors
        )
        for weight, each in zip(weights, given, strict=True):
            factors = (*each.factors, made)
            self.given[weight] = replace(each, factors=factors)

    def _clipped(self, weights: Sequence[str]) -> list[Clipped]:
        """The gradients in the norm of a group. Weights that not the same replicas share have one
        norm, that of the values of all replicas, so that what replicas share stays equal.
        """
        sharing = [sharers(self.graph, weight) for weight in weights]
        everywhere = ReplicaGrouping(self.graph.replicas, 1, self.graph.replicas)
        made: list[Clipped] = []
        for weight, grouping in zip(weights, sharing, strict=True):
            given = self.given[weight]
            share = (self.given[weights[0]].batches / given.batches) ** 2
            if len(set(sharing)) == 1 or grouping.size == everywhere.size:
                made.append(Clipped(given.id, share))
            else:  # each replica of a group counts what all of them have
                made.append(Clipped(given.id, share / grouping.size, everywhere))
        return made


def update_early(graph: Graph) -> None:
    """Lets each update run as soon as its gradient is there and all that read the weight have run:
    so gradients are not kept until the end. What runs after accumulation stays there.
    """
    if not any(isinstance(op, VarUpdateOp) for op in graph.ops.values()):
        return
    order, later = graph.schedule(), after_accumulation(graph)
    place = {op: n for n, op in enumerate(order)}
    moved: dict[int, list[Op]] = {}
    for op in order:
        if not isinstance(op, VarUpdateOp) or op in later or op.accumulates:
            continue
        if any(tensor.uses for tensor in op.output.values()):
            continue
        before = {t.producer for t in op.input.values()} | set(graph.befores(op))
        before |= {r for i, t in op.input.items() if op.modifies(i) for r in t.uses if r is not op}
        at = max((place[each] for each in before if each is not None), default=place[op])
        moved.setdefault(at, []).append(op)
    gone = {op for ops in moved.values() for op in ops}
    placed: list[Op] = []
    for n, op in enumerate(order):
        placed += [] if op in gone else [op]
        placed += moved.get(n, [])
    graph.ops = {op.id: op for op in placed}
    graph.changes += 1
