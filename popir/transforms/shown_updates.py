"""What patterns that run behind the updates see of them: PopART's form of optimizers.

Two things are there only while such patterns run. `ShownUpdates` puts them into the graph and takes
them away:

- A product that is computed in parts of the output channels (`Builder.setSerializeMatMul`) has in
  PopART an update of its own for each part of its weight, with an Accumulate of its own. Here both
  are one operator, so that they stay one pass over the weight. Each becomes as many, on slices.
- The update of SGD with momentum in its form Combined has its state as its updater, too.

What patterns put between a gradient and all of its parts stays there. Any other change of the
parts, or of the updater that is a state, is an error, since it would be lost.

What they put there that accumulates rows, a SparseAccumulate, becomes a link of the chain that adds
to the accumulator, behind the Accumulate of the dense gradient.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from popir import registry
from popir.errors import popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor
from popir.ops.collectives.replicated import ReplicatedAllGatherOp, ReplicatedAllReduceOp
from popir.ops.contraction.options import OUTPUT, serialization
from popir.ops.movement.transpose import TransposeGradOp, TransposeOp
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import VAR
from popir.ops.update.accumulate import AccumulateOp
from popir.ops.update.sparse_accumulate import (
    FACTOR,
    INDICES,
    SparseAccumulateOp,
    put_behind,
)
from popir.ops.update.var_update import FIRST_STATE, GRADIENT, VarUpdateOp


@dataclass
class _Held:
    """An operator that is not in the graph for a while. What others read of it, its output 0, stays
    there.
    """

    op: Op
    inputs: dict[int, str]
    outputs: dict[int, str]

    @classmethod
    def out_of(cls, op: Op) -> _Held:
        """Takes an operator out of its graph."""
        found = cls(
            op,
            {i: t.id for i, t in op.input.items()},
            {i: t.id for i, t in op.output.items()},
        )
        op.graph.eraseOp(op.id)
        for id in list(found.outputs.values())[1:]:
            op.graph.removeTensor(id)
        return found

    def put_back(self) -> Op:
        """Adds a copy of it, with the same connections."""
        return self.op.settings.graph.createConnectedOp(
            lambda: self.op.clone(), self.inputs, self.outputs
        )


def _ids(tensors: dict[int, Tensor]) -> dict[int, str]:
    return {i: t.id for i, t in tensors.items()}


class _Made:
    """An operator that shows a part of an update, as it was made."""

    def __init__(self, op: Op, cuts: str | None) -> None:
        self.op = op
        self.cuts = cuts
        """The tensor of which it is a slice; None if it is none."""
        self.inputs = _ids(op.input)
        self.outputs = _ids(op.output)
        self.attributes = copy.deepcopy(dict(op.attributes))

    def fault(self, inputs: dict[int, str]) -> str | None:
        """What a pattern has done to it, other than to connect it to `inputs`; None if nothing."""
        op = self.op
        if op.settings.graph.ops.get(op.id) is not op:
            return "has removed"
        if _ids(op.output) != self.outputs or dict(op.attributes) != self.attributes:
            return f"has changed {op.debugName()},"
        if (given := _ids(op.input)) != inputs:
            i = next(i for i in (*inputs, *given) if inputs.get(i) != given.get(i))
            return f"has changed input {i} of {op.debugName()},"
        return None


@dataclass
class _Weight:
    """The Accumulate and the update of a weight, which are shown as several."""

    dense: _Held
    update: _Held
    made: list[_Made] = field(default_factory=list)
    """The operators that show them."""
    accumulators: dict[Tensor, int] = field(default_factory=dict)
    """The parts of the accumulator, with their numbers."""


@dataclass
class _Lent:
    """The update of a weight from a state, which it has as its updater, too."""

    opid: OperatorIdentifier
    weight: Tensor
    state: str
    updater: str

    def take_back(self, graph: Graph, who: str) -> None:
        """Disconnects the updater of what updates the weight so now: patterns may have replaced the
        operator. Raises popart_exception if that reads something else.
        """
        read = graph.tensors.get(self.updater)
        for op in {**self.weight.uses, **(read.uses if read is not None else {})}:
            if op.opid != self.opid:
                continue
            updater, state = (
                op.inId(i) if op.hasInput(i) else None for i in (GRADIENT, FIRST_STATE)
            )
            if updater not in (None, self.updater) or state != self.state:
                raise popart_exception(
                    f"{who} lets {op.debugName()} read '{updater}' and '{state}' as its updater "
                    f"and its state, which are '{self.updater}' and '{self.state}': with momentum "
                    "in the form Combined the state is all that is there after the batches. Change "
                    "what Accumulate adds to it, its input 1, or choose "
                    "SGDAccumulatorAndMomentum.Separate."
                )
            if updater is not None:
                op.disconnectInTensor(GRADIENT)


class ShownUpdates:
    """The updates of a graph in PopART's form, from its creation to `take_back`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.parts: list[_Weight] = []
        self.lent: list[_Lent] = []
        """The updates that have their state as their updater, too."""
        for update in [op for op in graph.ops.values() if isinstance(op, VarUpdateOp)]:
            dense = None if update.accumulates else _accumulated(update)
            if dense is None:
                continue
            cut = _cut(update.inTensor(VAR), dense.inTensor(GRADIENT))
            if cut is not None:
                self._show_parts(dense, update, *cut)
            elif not update.hasInput(GRADIENT):
                update.connectInTensor(GRADIENT, dense.outId(0))
                state = update.inId(FIRST_STATE)
                self.lent.append(_Lent(update.opid, update.inTensor(VAR), state, dense.outId(0)))

    def _show_parts(self, dense: AccumulateOp, update: Op, axis: int, parts: int) -> None:
        shown = _Weight(_Held.out_of(dense), _Held.out_of(update))
        self.parts.append(shown)
        whole = self._tensor(shown.dense.inputs[VAR]).info
        assert whole is not None
        size = whole.shape()[axis] // parts
        digits = len(str(parts - 1))
        summed: list[str] = []
        updated: list[str] = []
        for part in range(parts):
            name = f"part/{part:0{digits}}"  # In the order of their numbers by name, too.

            def cut(id: str, name: str = name, begin: int = part * size) -> str:
                how = {"starts": [begin], "ends": [begin + size], "axes": [axis]}
                slice = ("ai.graphcore", "Slice", 1)
                return self._add(shown, slice, f"{id}/{name}", [id], how, id)

            own = {VAR: cut(shown.dense.inputs[VAR]), GRADIENT: cut(shown.dense.inputs[GRADIENT])}
            shown.accumulators[self._tensor(own[VAR])] = part
            summed.append(self._copy(shown, shown.dense, own, name))
            own = {VAR: cut(shown.update.inputs[VAR]), GRADIENT: summed[-1]}
            updated.append(self._copy(shown, shown.update, own, name))
        for held, ids in ((shown.dense, summed), (shown.update, updated)):
            concat = ("ai.onnx", "Concat", 13)
            self._add(shown, concat, held.outputs[0], ids, {"axis": axis})

    def _tensor(self, id: str) -> Tensor:
        return self.graph.getTensor(id)

    def _add(
        self,
        shown: _Weight,
        opid: tuple[str, str, int],
        out: str,
        inputs: list[str],
        attributes: dict[str, Any],
        cuts: str | None = None,
    ) -> str:
        settings = Op.Settings(self.graph, out)
        tensors = [self._tensor(id) for id in inputs]
        op = self.graph.createConnectedOp(
            registry.createOp,
            dict(enumerate(inputs)),
            {0: out},
            *(*opid, settings, attributes, tensors),
        )
        shown.made.append(_Made(op, cuts))
        return out

    def _copy(self, shown: _Weight, held: _Held, own: dict[int, str], name: str) -> str:
        """Adds a copy of an operator for a part, with inputs of its own; returns the id of its
        output. The states, which belong to the whole weight, are left out.
        """
        out = f"{held.outputs[0]}/{name}"
        op = held.op.clone()
        op.settings.name = f"{held.op.name()}/{name}"
        assert isinstance(op, VarUpdateOp)
        states = range(FIRST_STATE, FIRST_STATE + op.states)
        rest = {i: id for i, id in held.inputs.items() if i not in states}
        inputs = dict(sorted({**rest, **own}.items()))
        shown.made.append(_Made(self.graph.createConnectedOp(lambda: op, inputs, {0: out}), None))
        return out

    def take_back(self, patterns: Sequence[str]) -> None:
        """Takes away what only shows the updates, and puts each SparseAccumulate where it belongs.

        Raises popart_exception if one of `patterns`, those that were applied, has changed a part of
        an update or what is updated from a state, or reads a part.
        """
        who = _named(patterns)
        for lent in self.lent:
            lent.take_back(self.graph, who)
        sparse = [op for op in self.graph.ops.values() if isinstance(op, SparseAccumulateOp)]
        given = [_Rows(op) for op in sparse if not op.parts]
        of_whole = {each: shown for shown in self.parts for each in shown.accumulators}
        for rows in given:
            shown = of_whole.get(rows.accumulator)
            if shown is not None:
                rows.part, rows.parts = (
                    shown.accumulators[rows.accumulator],
                    len(shown.accumulators),
                )
                rows.accumulator = self._tensor(shown.dense.inputs[VAR])
            rows.take_out()
        for shown in self.parts:
            self._join(shown, who)
        for rows in given:
            rows.put_back()

    def _join(self, shown: _Weight, who: str) -> None:
        ops = dict.fromkeys(made.op for made in shown.made)
        gradient = self._gradient(shown)
        for made in shown.made:
            inputs = made.inputs
            if made.cuts == shown.dense.inputs[GRADIENT]:
                inputs = {**inputs, 0: gradient}
            if (fault := made.fault(inputs)) is not None:
                raise _changed(shown, f"{who} {fault}")
        for op in ops:
            others = [each for t in op.output.values() for each in t.uses if each not in ops]
            if others and op.opid.type != "Concat":
                raise _changed(shown, f"{who} lets {others[0].debugName()} read")
        outputs = [t for op in ops for t in op.output.values()]
        for op in ops:
            self.graph.eraseOp(op.id)
        kept = {shown.dense.outputs[0], shown.update.outputs[0]}
        for tensor in outputs:
            if tensor.id not in kept:
                self.graph.removeTensor(tensor.id)
        shown.dense.inputs[GRADIENT] = gradient
        shown.dense.put_back()
        shown.update.put_back()

    def _gradient(self, shown: _Weight) -> str:
        """The id of what is accumulated now: patterns may put something behind the gradient, which
        all slices read then.
        """
        before = shown.dense.inputs[GRADIENT]
        slices = (made.op for made in shown.made if made.cuts == before)
        return next((op.inId(0) for op in slices if op.hasInput(0)), before)


def _named(patterns: Sequence[str]) -> str:
    """The patterns of which one has changed something."""
    names = sorted({*patterns})
    if len(names) == 1:
        return f"The pattern {names[0]}"
    return f"One of the patterns {', '.join(names)}"


def _changed(shown: _Weight, what: str) -> popart_exception:
    return popart_exception(
        f"{what} a part of the update of '{shown.update.inputs[VAR]}', whose product is computed "
        "in parts (setSerializeMatMul). popir updates such a weight as a whole: patterns may add a "
        "SparseAccumulate to a part, or put something between the gradient and all of its parts, "
        "and nothing else. Switch the pattern off, or do without setSerializeMatMul."
    )


class _Rows:
    """A SparseAccumulate that a pattern of a library has added: where it belongs."""

    def __init__(self, op: SparseAccumulateOp) -> None:
        self.op = op
        self.who = op.debugName()  # As long as it is connected.
        self.axis = op.axis
        self.part, self.parts = 0, 1
        self.accumulator = op.inTensor(VAR)
        self.held: _Held | None = None
        while isinstance(view := self.accumulator.producer, (TransposeOp, TransposeGradOp)):
            if view.permutation() == [1, 0]:
                self.axis = 1 - self.axis
            self.accumulator = view.inTensor(0)

    def take_out(self) -> None:
        """Takes the operator out of the graph, and the views of the accumulator that it alone has
        read.
        """
        self.held = _Held.out_of(self.op)
        graph = self.op.settings.graph
        for id in self.held.outputs.values():
            graph.removeTensor(id)
        tensor = graph.getTensor(self.held.inputs[VAR])
        while tensor is not self.accumulator and not tensor.uses and tensor.producer is not None:
            view, tensor = tensor, tensor.producer.inTensor(0)
            graph.eraseOp(view.getProducer().id)
            graph.removeTensor(view.id)

    def put_back(self) -> None:
        """Adds an operator of the whole accumulator in its place. Raises popart_exception if
        nothing accumulates there.
        """
        assert self.held is not None
        given = self.held.inputs
        dense = [
            op
            for op in self.accumulator.uses
            if isinstance(op, AccumulateOp) and op.inTensor(VAR) is self.accumulator
        ]
        if not dense:
            raise popart_exception(
                f"{self.who} accumulates rows in '{self.accumulator.id}', where no gradient is "
                "accumulated. Its input 0 has to be the accumulator that is input 0 of an "
                "Accumulate, or a transpose of it in place."
            )
        inputs = {i: given[i] for i in (GRADIENT, FACTOR, INDICES) if i in given}
        summed = dense[0].inTensor(GRADIENT).producer
        if isinstance(summed, ReplicatedAllReduceOp):  # The rows of all replicas belong there.
            for i in (GRADIENT, INDICES):
                inputs[i] = _of_all(summed, inputs[i])
        attributes = {**self.op.attributes, "axis": self.axis}
        attributes.update(part=self.part, parts=self.parts)
        put_behind(dense[0], self.op.name(), inputs, attributes)


def _of_all(summed: ReplicatedAllReduceOp, id: str) -> str:
    """The id of what the replicas have of a tensor that another one is summed over."""
    graph, kind = summed.graph, graphcore_id("ReplicatedAllGather")
    out = f"{id}/replicas"
    if not graph.hasTensor(out):
        settings = Op.Settings(graph, f"{kind.type}/{id}", dict(summed.settings.nodeAttributes))
        op = ReplicatedAllGatherOp(kind, settings)
        graph.createConnectedOp(lambda: op, {0: id}, {0: out})
    return out


def _accumulated(update: VarUpdateOp) -> AccumulateOp | None:
    """The operator that accumulates what a weight is updated from, itself or summed over replicas;
    None if there is none.
    """
    given = update.input.get(GRADIENT, update.input.get(FIRST_STATE))
    maker = None if given is None else given.producer
    while maker is not None and not isinstance(maker, AccumulateOp):
        maker = maker.inTensor(0).producer if maker.numInputs() == 1 else None
    return maker


def _cut(weight: Tensor, gradient: Tensor) -> tuple[int, int] | None:
    """The axis of a weight along which the output channels of its product are, and the number of
    their parts; None if that is not computed in parts, or its gradient has other parts.
    """
    maker = gradient.producer
    while isinstance(maker, (TransposeOp, TransposeGradOp, ReplicatedAllReduceOp)):
        maker = maker.inTensor(0).producer
    if maker is None or maker.opid.type != "MatMulRhsGrad":
        return None
    views = [op.outTensor(0) for op in weight.uses if isinstance(op, TransposeOp)]
    for view in (weight, *views):
        for op in view.uses:
            if op.opid.type != "MatMul" or op.input.get(1) is not view:
                continue
            cut = serialization(op)
            if cut is not None and cut.size == OUTPUT and cut.factor > 1:
                return 1 if view is weight else 0, cut.factor
    return None
