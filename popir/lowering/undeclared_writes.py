"""Lowers operators and protects values that they overwrite.

An operator declares in `modifies(i)` which inputs it writes. PopART's own guide has an Opx that
writes an input without declaring it, so the declaration cannot be trusted. Therefore each operator
is grown into a separate sequence, and the variables that the sequence writes are compared with
those that hold values needed later:

- No needed value is overwritten: the sequence is used as it is.
- The value of an input is still needed: the sequence is discarded, and the operator is grown again
  on a copy of that input.
- Two inputs show the same memory, maybe because they are the same tensor: all but one of them are
  replaced by copies, so that each has the old value until the operator writes it.
- The input is a weight that the operator declares to modify: the weight itself must be written, so
  later readers of its old value get the copy.
- The variable belongs to a called function, which the next call overwrites: later readers of the
  earlier call's output get a copy.

Example: `y = Relu(x)` with a lowering that writes x. If another operator reads x later, Relu is
grown on x/copy; otherwise it writes x itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from popir import poplar
from popir._device.popart import Devicex
from popir.errors import PopirError, popart_exception
from popir.ir import Graph, Op, Tensor, TensorType, blamed
from popir.ir.schedule import modified
from popir.lowering.growths import Growths, Shown
from popir.opx import Opx, block_of
from popir.poplar import program


@dataclass(frozen=True)
class Checks:
    """The undeclared effects that raise an error instead of being handled by copies.

    `SessionOptions.opxModifyChecking` and `opxAliasChecking` set them.
    """

    modify: bool = False
    """An operator writes an input and `modifies()` does not declare it."""
    alias: bool = False
    """An operator's output aliases an input and `aliases()` does not declare it."""


@dataclass(slots=True)
class _Grown:
    """The result of growing an operator once."""

    program: program.Sequence
    copies: dict[int, poplar.Tensor]
    """The inputs that were replaced by copies: index to copy."""
    writes: list[int]
    """The numbers of the variables that the operator writes and that were there before it, the
    copies among them, ascending.
    """
    shown: list[Shown] | None = None
    """What each output shows, in their order, if that is known."""


class Watch:
    """Tracks which tensors are in which variables while operators are grown, in the given order.

    `kept` are the ids of tensors that are read after the last operator: anchors and outputs.
    """

    def __init__(
        self,
        ir: Graph,
        devicex: Devicex,
        order: list[Op],
        kept: Iterable[str],
        checks: Checks,
        growths: Growths,
    ) -> None:
        self._ir = ir
        self._devicex = devicex
        self._growths = growths
        self._graph: poplar.Graph = devicex.graph()
        self._kept = set(kept)
        self._checks = checks
        self._last_use = {t.id: n for n, op in enumerate(order) for t in op.input.values()}
        self._written = _written(order)
        """The tensors whose memory some operator is declared to write, directly or by a view."""
        self._sharers: dict[int, dict[str, None]] = {}
        """For each variable, the ids of the tensors that are views of it."""
        self._stand_ins: dict[tuple[Op, int], Tensor] = {}
        """For an input whose tensor the operator has at other inputs too: what stands there while
        the operator is grown on a copy. C++ code may refer to it as long as the operator lives.
        """
        self._origins: dict[Tensor, Tensor] = {}
        """What `_origin` has found."""

    def share(self, id: str) -> None:
        """Records the variables that the device tensor of `id` is a view of."""
        self._share(id, self._devicex.variables(id))

    def _share(self, id: str, variables: Iterable[int]) -> None:
        for variable in variables:
            self._sharers.setdefault(variable, {})[id] = None

    def keep(self, id: str) -> None:
        """Protects the value of tensor `id` until after the last operator."""
        self._kept.add(id)

    def grow(self, now: int, opx: Opx) -> list[program.Sequence]:
        """The program of the operator with position `now` in the schedule, including the copies
        that protect needed values: sequences, one after another, each of the name `block_of`.
        """
        op = opx.op_p
        grown = self._grow_on_writable(opx)
        if self._checks.modify and not op.getCalledGraphs():
            self._check_writes(opx, grown)
        saving: list[program.Sequence] = []
        if grown.writes:
            grown = self._protected(now, opx, grown, saving)
        for n, i in enumerate(op.output):
            self._record(opx, i, grown.program, grown.shown[n] if grown.shown else None)
        return [*saving, grown.program]

    def _protected(
        self, now: int, opx: Opx, grown: _Grown, saving: list[program.Sequence]
    ) -> _Grown:
        """An operator that writes what was there before, grown again on copies where its inputs
        are needed. Adds to `saving` a program that copies other values that are needed.
        """
        op = opx.op_p
        needed = self._needed(now, op, grown)
        if endangered := self._endangered(op, grown, needed) - grown.copies.keys():
            grown = self._grow(opx, {*endangered, *grown.copies})
            needed = self._needed(now, op, grown)
        if any(needed.values()):
            saving.append(program.Sequence(debugContext=block_of(op)))
            # Old values of a modified weight, or outputs of an earlier call.
            for id in dict.fromkeys(id for ids in needed.values() for id in ids):
                self._save(op, id, saving[-1])
        return grown

    def _record(self, opx: Opx, i: int, after: program.Sequence, shown: Shown | None) -> None:
        """Records the variables of output `i`, which shows `shown` if that is known, and checks
        undeclared aliases if required.

        Raises popart_exception if the Opx has not set the output. One that is tangled, a view of
        too many pieces or too many levels of views, is copied: it would slow down every reader (see
        "Tangled views" in docs/architecture.md).
        """
        op, tensor = opx.op_p, opx.op_p.output[i]
        try:
            variables, is_tangled = shown or self._devicex.shown(tensor.id)
        except popart_exception:
            raise popart_exception(
                f"{op.debugName()}: {type(opx).__name__} has not set output {i}; let grow() call "
                "setOutTensor for each output."
            ) from None
        if is_tangled and tensor not in self._written:
            original = self._devicex.get(tensor.id)
            copy = self._graph.clone(original, f"{tensor.id}/copy")
            after.add(program.Copy(original, copy))
            self._devicex.insert(tensor.id, copy)
            variables = self._devicex.variables(tensor.id)
        self._share(tensor.id, variables)
        if self._checks.alias and not op.getCalledGraphs():
            self._check_aliases(opx, i)

    def _grow_on_writable(self, opx: Opx) -> _Grown:
        """Grows on the inputs. If that fails, retries with copies of the inputs that the device
        cannot write (constants, views with repeated elements).
        """
        op = opx.op_p
        try:
            grown, writes, shown = self._growths.grow(opx)
            return _Grown(grown, {}, writes, shown)
        except PopirError as error:
            rigid = {
                i for i, t in op.input.items() if not self._devicex.get(t.id).isParallelWriteable()
            }
            if not rigid:
                raise
            try:
                grown = self._grow(opx, rigid)
            except PopirError:
                raise error from None
            return grown

    def _grow(self, opx: Opx, copied: set[int]) -> _Grown:
        """Grows with each of the inputs `copied`, of which there is one, replaced by a copy of its
        own.
        """
        op = opx.op_p
        grown = program.Sequence(debugContext=block_of(op))
        own = program.Sequence()
        tensors = dict(op.input)
        count = Counter(tensors.values())
        originals = {t.id: self._devicex.get(t.id) for i, t in tensors.items() if i in copied}
        copies: dict[int, poplar.Tensor] = {}
        made: list[str] = []
        try:
            for i in sorted(copied):
                tensor = tensors[i]
                original = originals[tensor.id]
                copies[i] = self._graph.clone(original, f"{tensor.id}/copy")
                grown.add(program.Copy(original, copies[i]))
                if count[tensor] > 1:
                    op.input[i] = tensor = self._stand_in(op, i, tensor)
                    made.append(tensor.id)
                self._devicex.insert(tensor.id, copies[i])
            before = self._graph.numVariables()
            with blamed(op, "grow", opx):
                opx.grow(own)
        finally:
            op.input.update(tensors)
            for id, original in originals.items():
                self._devicex.insert(id, original)
            for id in made:
                self._devicex.erase(id)
                self._ir.tensors.pop(id, None)
        grown.add(own)
        writes = poplar.programWrites(self._graph, own)
        return _Grown(grown, copies, sorted(v for v in writes if v < before))

    def _stand_in(self, op: Op, i: int, tensor: Tensor) -> Tensor:
        """A tensor like that of input `i`, with an id of its own; it is in the graph."""
        if (op, i) not in self._stand_ins:
            id, data = f"{tensor.id}/operand{i}.{op.id}", tensor.data
            self._stand_ins[op, i] = Tensor(self._ir, id, tensor.tensorType, tensor.info, data)
            self._stand_ins[op, i].uses[op] = 1
        found = self._stand_ins[op, i]
        self._ir.tensors[found.id] = found
        return found

    def _endangered(self, op: Op, grown: _Grown, needed: dict[int, list[str]]) -> set[int]:
        """The inputs that must be copied: their memory is written, and a value in it is needed
        later or another input shows it. Of several that show it one stays, if no value in it is
        needed later; a weight that is updated always does.
        """
        found: set[int] = set()
        if len(op.input) == 1 and not any(needed.values()):
            return found
        places: dict[str, list[int]] = {}
        for i, tensor in op.input.items():
            places.setdefault(tensor.id, []).append(i)
        at_stake = dict(needed)
        shown = {id: self._devicex.variables(id) for id in places}
        for id, at in places.items():
            if len(at) > 1:  # It may be a copy on this IPU, which no tensor is recorded for.
                for variable in set(grown.writes).intersection(shown[id]):
                    at_stake.setdefault(variable, [])
        for variable, later in at_stake.items():
            at = [i for id, indices in places.items() if variable in shown[id] for i in indices]
            if not later and len(at) == 1:
                continue
            free = sorted(
                (i for i in at if not self._updated(op, i)), key=lambda i: not op.modifies(i)
            )
            stays = 1 if not later and len(free) == len(at) else 0
            found.update(free[stays:])
        return found

    def _needed(self, now: int, op: Op, grown: _Grown) -> dict[int, list[str]]:
        """For each variable that is written and was there before: the tensors in it whose values
        are needed after the operator at `now`.
        """
        found: dict[int, list[str]] = {}
        for variable in grown.writes:
            sharers = self._sharers.get(variable)
            if sharers is None:
                continue
            # Dead tensors are removed, so that later operators do not look at them again.
            for id in [id for id in sharers if not self._lives(now, id, variable)]:
                del sharers[id]
            found[variable] = [id for id in sharers if not self._updates(op, id)]
        return found

    def _updates(self, op: Op, id: str) -> bool:
        """Whether the operator declares that it modifies this weight or state: the variable itself,
        or what an earlier operator that modifies it has made of it.
        """
        return any(id in self._updated(op, i) for i in op.input)

    def _updated(self, op: Op, i: int) -> list[str]:
        """The ids of input `i`, of the weight or state that it shows, and of what earlier operators
        have made of that, if the operator modifies it; else [].
        """
        if not op.modifies(i) or not self._origin(op.input[i]).is_variable():
            return []
        tensor = op.input[i]
        ids = [tensor.id]
        while (made := modified(tensor)) is not None:
            tensor = made
            ids.append(tensor.id)
        return ids

    def _origin(self, tensor: Tensor) -> Tensor:
        """The tensor that operators, each modifying what the one before has made, have made
        `tensor` of; `tensor` itself if its producer modifies nothing.
        """
        passed: list[Tensor] = []
        while tensor not in self._origins and (made := modified(tensor)) is not None:
            passed.append(tensor)
            tensor = made
        origin = self._origins.get(tensor, tensor)
        self._origins.update(dict.fromkeys(passed, origin))
        return origin

    def _lives(self, now: int, id: str, variable: int) -> bool:
        """Whether tensor `id` is still in `variable` and its value is needed later."""
        needed = self._last_use.get(id, -1) > now or self._stays(id) or id in self._kept
        return needed and variable in self._devicex.variables(id)

    def _stays(self, id: str) -> bool:
        """Whether the value outlives the batch or comes from the host: weight, constant, stream."""
        return self._ir.getTensor(id).tensorType is not TensorType.ActGrad

    def _save(self, op: Op, id: str, before: program.Sequence) -> None:
        """Copies an intermediate tensor to a new variable, which later readers use.

        Raises popart_exception for a weight, constant or stream: an operator that does not read it
        must not write it.
        """
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

    def _check_writes(self, opx: Opx, grown: _Grown) -> None:
        op = opx.op_p
        for i, tensor in sorted(op.input.items()):
            shown = grown.copies.get(i, self._devicex.get(tensor.id))
            if not op.inInfo(i).nelms() or op.modifies(i):
                continue  # What has no elements is in nobody's memory, whatever it is a view of.
            if shown.variables().isdisjoint(grown.writes):
                continue
            raise popart_exception(
                f"{op.debugName()}: {type(opx).__name__} writes input {i}, '{tensor.id}', which "
                f"the operator does not declare. Let modifies({i}) of {type(op).__name__} return "
                f"True, or let {type(opx).__name__} write a copy (cloneNcopy)."
            )

    def _check_aliases(self, opx: Opx, out: int) -> None:
        op = opx.op_p
        if not op.outInfo(out).nelms():
            return
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
        stack = [op.input[i] for i in op.modified_inputs()]
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
