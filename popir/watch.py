"""Grows operators and watches what they write.

An operator says by `modifies(i)` which inputs it writes; PopART's own guide shows an Opx that
writes one without saying so. So each operator grows into a sequence of its own, and the variables
that this sequence writes are looked up. A write is let through where nobody reads the old value
afterwards; else what was grown is discarded, and the operator grows again on a copy of the input.
Only a weight that the operator declares to modify is written itself; who still needs its old value
keeps a copy. The same goes for what a call has left in a function's own variables, which the next
call of the function writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from popir import poplar
from popir.errors import PopirError, popart_exception
from popir.ir import Graph, Op, Tensor, TensorType, blamed
from popir.opx import Opx
from popir.poplar import program


@dataclass(frozen=True)
class Checks:
    """Which findings are errors, instead of being worked around."""

    modify: bool = False
    """An operator writes an input and does not declare it in `modifies()`."""
    alias: bool = False
    """An operator's output shares an input's memory, and `aliases()` does not declare it."""


@dataclass(frozen=True)
class _Grown:
    """One attempt at an operator."""

    program: program.Sequence
    copies: dict[str, poplar.Tensor]
    """The inputs that it grew on a copy of, with the copies."""
    writes: set[int]
    """The variables that it writes."""


class Watch:
    """What the device's variables hold, while operators grow one after another in the given order.

    `kept` are the ids whose values must be there after the last operator: anchors and outputs.
    """

    def __init__(
        self, ir: Graph, devicex: Any, order: list[Op], kept: Iterable[str], checks: Checks
    ) -> None:
        self._ir = ir
        self._devicex = devicex
        self._graph: poplar.Graph = devicex.graph()
        self._kept = set(kept)
        self._checks = checks
        self._lastUse = {t.id: n for n, op in enumerate(order) for t in op.input.values()}
        self._written = _written(order)
        """The tensors whose memory is written, through them or through views of them."""
        self._sharers: dict[int, dict[str, None]] = {}
        """For each variable, the ids of the tensors that show a part of it."""

    def share(self, id: str) -> None:
        """Takes note of the variables behind tensor `id`, which the device has."""
        for variable in self._devicex.get(id).variables():
            self._sharers.setdefault(variable, {})[id] = None

    def keep(self, id: str) -> None:
        """Takes note that the value of tensor `id` must stay until after the last operator."""
        self._kept.add(id)

    def grow(self, now: int, opx: Opx) -> program.Sequence:
        """The program of operator number `now`, with the copies that keep others' values."""
        op = opx.op_p
        grown = self._growOnWritable(opx)
        if self._checks.modify and not op.getCalledGraphs():
            self._checkWrites(opx, grown)
        endangered = self._endangered(now, op, grown)
        if endangered:
            grown = self._grow(opx, {*endangered, *grown.copies})
        whole = program.Sequence()
        for id in self._losers(now, op, grown):
            self._save(op, id, whole)
        whole.add(grown.program)
        self._checkOutputs(opx)
        self._untangle(op, whole)
        self._record(opx)
        return whole

    def _untangle(self, op: Op, after: program.Sequence) -> None:
        """Copies outputs that are views of so many pieces, or of views of so many views, that every
        reader would take long over them.
        """
        for tensor in op.output.values():
            shown = self._devicex.get(tensor.id)
            if shown.isTangled() and tensor not in self._written:
                copy = self._graph.clone(shown, f"{tensor.id}/copy")
                after.add(program.Copy(shown, copy))
                self._devicex.insert(tensor.id, copy)

    def _growOnWritable(self, opx: Opx) -> _Grown:
        """Grows on the inputs as they are or, where the device refuses to write them, on copies."""
        try:
            return self._grow(opx, set())
        except PopirError as error:
            inputs = {t.id for t in opx.op_p.input.values()}
            rigid = {id for id in inputs if not self._devicex.get(id).isParallelWriteable()}
            if not rigid:
                raise
            try:
                grown = self._grow(opx, rigid)
            except PopirError:
                raise error from None
            return grown

    def _grow(self, opx: Opx, copied: set[str]) -> _Grown:
        """Grows with copies in place of the inputs `copied`."""
        grown = program.Sequence()
        originals = {id: self._devicex.get(id) for id in sorted(copied)}
        copies: dict[str, poplar.Tensor] = {}
        for id, tensor in originals.items():
            copies[id] = self._graph.clone(tensor, f"{id}/copy")
            grown.add(program.Copy(tensor, copies[id]))
            self._devicex.insert(id, copies[id])
        own = program.Sequence()
        try:
            with blamed(opx.op_p, "grow", opx):
                opx.grow(own)
        finally:
            for id, tensor in originals.items():
                self._devicex.insert(id, tensor)
        grown.add(own)
        _, writes = poplar.programAccesses(self._graph, own)
        return _Grown(grown, copies, writes)

    def _endangered(self, now: int, op: Op, grown: _Grown) -> set[str]:
        """The inputs whose memory is written although a value in it is needed afterwards."""
        found: set[str] = set()
        for variable in self._shared(grown):
            ids = self._inputsShowing(op, variable)
            if len(ids) > 1 or any(self._needed(now, op, variable)):
                found |= {id for id in ids if not _updates(op, id)}
        return found - grown.copies.keys()

    def _losers(self, now: int, op: Op, grown: _Grown) -> list[str]:
        """The tensors whose values the write of a declared weight would destroy."""
        found = dict.fromkeys(
            id for variable in self._shared(grown) for id in self._needed(now, op, variable)
        )
        return list(found)

    def _shared(self, grown: _Grown) -> list[int]:
        return sorted(v for v in grown.writes if v in self._sharers)

    def _inputsShowing(self, op: Op, variable: int) -> set[str]:
        return {t.id for t in op.input.values() if variable in self._devicex.get(t.id).variables()}

    def _needed(self, now: int, op: Op, variable: int) -> list[str]:
        """The tensors in `variable` whose values are needed after operator number `now`."""
        sharers = self._sharers[variable]
        # What is forgotten here is not looked at again for each of the operators to come.
        for id in [id for id in sharers if not self._lives(now, id, variable)]:
            del sharers[id]
        return [id for id in sharers if not _updates(op, id)]

    def _lives(self, now: int, id: str, variable: int) -> bool:
        """Whether tensor `id` is in `variable`, still, and needed."""
        needed = self._lastUse.get(id, -1) > now or self._stays(id) or id in self._kept
        return needed and variable in self._devicex.get(id).variables()

    def _stays(self, id: str) -> bool:
        """Whether the value belongs to the host or the next batch: a weight, constant, stream."""
        return self._ir.getTensor(id).tensorType is not TensorType.ActGrad

    def _save(self, op: Op, id: str, before: program.Sequence) -> None:
        """Moves the value of an intermediate tensor to a variable of its own."""
        if self._stays(id):
            raise popart_exception(
                f"{op.debugName()} writes the memory of '{id}', which it does not read; an Opx may "
                "write its own inputs and new variables alone."
            )
        tensor = self._devicex.get(id)
        copy = self._graph.clone(tensor, f"{id}/saved")
        before.add(program.Copy(tensor, copy))
        self._devicex.insert(id, copy)
        self.share(id)

    def _checkOutputs(self, opx: Opx) -> None:
        """Checks that the operator has set all outputs."""
        op = opx.op_p
        for i, tensor in op.output.items():
            if not self._devicex.contains(tensor.id):
                raise popart_exception(
                    f"{op.debugName()}: {type(opx).__name__} has not set output {i}; let grow() "
                    "call setOutTensor for each output."
                )

    def _record(self, opx: Opx) -> None:
        """Takes note of what the operator has set."""
        op = opx.op_p
        for i, tensor in op.output.items():
            self.share(tensor.id)
            if self._checks.alias and not op.getCalledGraphs():
                self._checkAliases(opx, i)

    def _checkWrites(self, opx: Opx, grown: _Grown) -> None:
        op = opx.op_p
        for i, tensor in sorted(op.input.items()):
            shown = grown.copies.get(tensor.id, self._devicex.get(tensor.id))
            if op.modifies(i) or shown.variables().isdisjoint(grown.writes):
                continue
            raise popart_exception(
                f"{op.debugName()}: {type(opx).__name__} writes input {i}, '{tensor.id}', which "
                f"the operator does not declare. Let modifies({i}) of {type(op).__name__} return "
                f"True, or let {type(opx).__name__} write a copy (cloneNcopy)."
            )

    def _checkAliases(self, opx: Opx, out: int) -> None:
        op = opx.op_p
        made = self._devicex.get(op.outId(out)).variables()
        for i, tensor in sorted(op.input.items()):
            if op.aliases(i, out) or made.isdisjoint(self._devicex.get(tensor.id).variables()):
                continue
            raise popart_exception(
                f"{op.debugName()}: output {out} shares the memory of input {i}, '{tensor.id}', "
                f"which the operator does not declare. Let aliases({i}, {out}) of "
                f"{type(op).__name__} return True, or let {type(opx).__name__} return a copy "
                "(cloneNcopy)."
            )


def _written(ops: Iterable[Op]) -> set[Tensor]:
    found: set[Tensor] = set()
    for op in ops:
        if type(op).modifies is Op.modifies:
            continue
        stack = [tensor for i, tensor in op.input.items() if op.modifies(i)]
        while stack:
            tensor = stack.pop()
            if tensor in found:
                continue
            found.add(tensor)
            by = tensor.producer
            if by is None or type(by).aliases is Op.aliases:
                continue
            at = next(o for o, t in by.output.items() if t is tensor)
            shown = (i for i in by.input if by.aliases(i, at) and not by.modifies(i))
            stack += [by.input[i] for i in shown]
    return found


def _updates(op: Op, id: str) -> bool:
    """Whether the operator declares that it changes this weight or state."""
    return any(t.id == id and t.isVariable() and op.modifies(i) for i, t in op.input.items())
