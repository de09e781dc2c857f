"""The in-place transform: replaces operators by variants that overwrite an input.

An operator lists its variants with priorities in `inplacePriorityDefault`. The model
(`Builder.setInplacePreferences`) and patterns override them through `inplacePriorityVeto`. Variants
with a priority above 0 are tried, the highest first; of equal ones, that of the operator with the
greatest id. A variant is used if the old value of the input is not needed any more:

- Its memory holds no weight, constant, graph input or kept tensor.
- All other readers of that memory, through any view, already run earlier in the schedule.

Constraints then fix the order of these readers, so the schedule does not change, nor what the
engine fuses. A variant to which the program itself gives a priority may do more: it moves behind
the other readers, unless one of them needs its result, and it overwrites what the host sends for
each batch. Variants that would change the order of elements in memory are refused, because sums
would be rounded in another order. So results are equal bit by bit with and without the transform.

Example: in `a = Exp(x); b = Relu(a); c = Add(a, b)` Relu must not overwrite a, which Add reads
later; Add may overwrite a or b.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from operator import itemgetter

from popir.errors import OperatorAttributeError, did_you_mean, popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor, TensorType
from popir.ir.graph import called_graphs
from popir.options.annotations import INPLACE_NAMES
from popir.options.table import OptionWarning, warn
from popir.transforms.decision import Decision

PATTERN = "InPlace"
"""The name that switches the transform off, in a session's `Patterns` or for one operator."""

_REACH = 64
"""The most connections of operators that are visited around one tensor: keeps the time linear."""

_log = logging.getLogger("popir.transforms")
_KINDS = {
    TensorType.Variable: "a weight or state",
    TensorType.Const: "a constant",
    TensorType.Stream: "an input of the graph",
    TensorType.ActGrad: "an input of the graph",
}


def inplace(graph: Graph, kept: Collection[str]) -> list[Decision]:
    """Replaces operators by in-place variants where possible; `kept` are the anchors and the loss.

    Returns one decision for each variant tried. The time is linear in operators and edges.
    """
    return _Inplacer(graph, kept).run()


class _Inplacer:
    def __init__(self, graph: Graph, kept: Collection[str]) -> None:
        self.graph = graph
        self.kept = {*kept, *graph.outputs}
        self.waiting: list[tuple[list[int], int]] = []
        self._number()

    def run(self) -> list[Decision]:
        decisions: list[Decision] = []
        done: set[int] = set()
        is_told = _log.isEnabledFor(logging.DEBUG)
        for id, opid, is_asked_for in self._wanted():
            if id in done:
                continue
            op = self.graph.ops[id]
            where = op.debugName()
            reason = self._replace(op, opid, is_asked_for)
            if reason is None:
                done.add(id)
            decisions.append(Decision(where, opid.type, reason))
            if is_told:
                _log.debug("%s", decisions[-1])
        self._fix_order()
        return decisions

    def _fix_order(self) -> None:
        for befores, after in self.waiting:
            for before in befores:
                self.graph.addConstraint(self.graph.ops[before], self.graph.ops[after])
        self.waiting.clear()

    def _wanted(self) -> list[tuple[int, OperatorIdentifier, bool]]:
        """Triples (operator id, variant, whether the program gives it a priority) in the order in
        which they are tried.
        """
        found: list[tuple[float, int, OperatorIdentifier, bool]] = []
        for op in self.graph.ops.values():
            own = op.inplacePriorityDefault()
            if not own and type(op).inplacePriorityDefault is Op.inplacePriorityDefault:
                continue
            if PATTERN in op.excludePatterns():
                continue
            if veto := op.inplacePriorityVeto():
                given = {OperatorIdentifier("ai.graphcore", name, 1): p for name, p in veto}
                own = list({**dict(own), **given}.items())
            asked = op.settings.nodeAttributes.get(INPLACE_NAMES, ())
            found += [(-priority, -op.id, opid, opid.type in asked) for opid, priority in own]
        found.sort(key=itemgetter(0, 1))
        return [(-id, opid, asked) for negated, id, opid, asked in found if negated < 0]

    def _replace(self, op: Op, opid: OperatorIdentifier, is_asked_for: bool) -> str | None:
        """Replaces `op` by the variant. Returns None, or the reason why that is not possible."""
        if op.modified_inputs():
            return "the operator is in place already"
        own, variant = op.opid, op
        # The variant is connected before it is checked: modifies() of an operator library may look
        # at its tensors.
        if not op.turnInto(opid):
            try:
                variant = op.getInplaceVariant(opid)
            except popart_exception as error:
                if opid in dict(op.inplacePriorityDefault()):
                    raise  # The operator lists the variant itself, so this is a fault in it.
                return f"the operator has no such variant: {error}"
            variant.variant_of = own
            self.graph.replaceOp(op, variant)
        befores: list[Op] = []
        reason = self._check(variant, befores, is_asked_for)
        if reason is not None:
            if variant is op:
                op.turnInto(own)
            else:
                self.graph.replaceOp(variant, op)
            return reason
        if befores:
            self.waiting.append(([before.id for before in befores], op.id))
            if any(self.place[before.id] > self.place[op.id] for before in befores):
                self._fix_order()
                self._number()
        return None

    def _number(self) -> None:
        self.graph.ops = {op.id: op for op in self.graph.schedule()}
        self.place = {id: n for n, id in enumerate(self.graph.ops)}

    def _check(self, op: Op, befores: list[Op], is_asked_for: bool) -> str | None:
        """Returns why the connected variant must be undone, or None if it may stay.

        Adds to `befores` the operators that must run before it.
        """
        written = {i: op.input[i] for i in sorted(op.modified_inputs())}
        for tensor in written.values():
            if _is_alone(op, tensor) and tensor.id not in self.kept:
                continue
            memory = _memory(tensor)
            if memory is None:
                return self._keeps([tensor], is_asked_for) or (
                    f"more than {_REACH} inputs and outputs of operators are in the memory of "
                    f"'{tensor.id}'"
                )
            reason = (
                self._keeps(memory, is_asked_for)
                or _repeats(memory)
                or _shares(op, tensor, memory)
                or _disorder(tensor, memory)
            )
            if reason is not None:
                return reason
            befores += [reader for t in memory for reader in t.uses if reader is not op]
        for i in op.input:
            if i not in written and any(
                op.aliases(i, o) and not op.showsInOrder(i, o) for o in op.output
            ):
                return f"the variant shows input {i} with its elements in another order"
        if not befores:
            return None
        befores[:] = dict.fromkeys(befores)
        later = [reader for reader in befores if self.place[reader.id] > self.place[op.id]]
        if is_asked_for:
            after = self._after(op)
            later = [reader for reader in later if reader in after]
        return f"{later[0].debugName()} reads the value and runs later" if later else None

    def _after(self, op: Op) -> set[Op]:
        """The operators that cannot run before `op`."""
        self._fix_order()
        found: set[Op] = set()
        stack = [op]
        while stack:
            at = stack.pop()
            for after in (*self.graph.afters(at), *(u for t in at.output.values() for u in t.uses)):
                if after not in found:
                    found.add(after)
                    stack.append(after)
        return found

    def _keeps(self, memory: list[Tensor], is_asked_for: bool) -> str | None:
        for tensor in memory:
            if tensor.id in self.kept:
                return f"'{tensor.id}', in the same memory, is kept: an anchor or an output"
            if tensor.producer is None and not (
                is_asked_for and self.graph.is_main and tensor.is_stream()
            ):
                return f"'{tensor.id}', in the same memory, is {_KINDS[tensor.tensorType]}"
        return None


def check_preferences(graph: Graph) -> None:
    """Raises OperatorAttributeError if `Builder.setInplacePreferences` names a variant that the
    operator does not have. What is a view of its input is taken to have the one variant that it is.
    That a variant is not to be used, which has a priority of 0 or less, holds without one as well.
    """
    for op in (op for each in called_graphs(graph) for op in each.ops.values()):
        names = op.settings.nodeAttributes.get(INPLACE_NAMES, ())
        if not names:
            continue
        known = [opid.type for opid, _ in op.inplacePriorityDefault()]
        if not known and op.hasInput(0) and op.aliases(0, 0):
            known = [f"{op.plainType()}Inplace"]
            _tell_view(op, known[0])
        unwanted = {name for name, priority in op.inplacePriorityVeto() if priority <= 0}
        for name in names:
            if name not in known and (name not in unwanted or name != f"{op.plainType()}Inplace"):
                raise OperatorAttributeError(
                    f"{op.debugName()}: Builder.setInplacePreferences names '{name}', which is no "
                    f"in-place variant of it; it has {', '.join(known) or 'none'}."
                    f"{did_you_mean(name, known)}"
                )


def _tell_view(op: Op, name: str) -> None:
    """Warns of a preference that a view is not to be in place."""
    if any(each == name and priority <= 0 for each, priority in op.inplacePriorityVeto()):
        warn(
            f"{op.debugName()}: Builder.setInplacePreferences gives '{name}' no priority above 0, "
            "which has no meaning here: its output is a view of its input in any case.",
            OptionWarning,
        )


def _is_alone(op: Op, tensor: Tensor) -> bool:
    """Whether `op` reads the tensor once, and nothing else reads it or shares its memory: then the
    variant may stay, unless the tensor is kept. This is so for most variants.
    """
    by = tensor.producer
    if by is None or len(tensor.uses) > 1 or tensor.uses[op] > 1 or _is_crowded(tensor):
        return False
    return type(by).aliases is Op.aliases or next(_viewed(tensor), None) is None


def _is_crowded(tensor: Tensor) -> bool:
    """Whether the tensor's readers and its producer's connections exceed the limit."""
    by = tensor.producer
    return len(tensor.uses) + (len(by.input) + len(by.output) if by else 0) > _REACH


def _memory(tensor: Tensor) -> list[Tensor] | None:
    """The tensor and all tensors that alias its memory: its sources, and views of any of them.

    None if there are more than the limit. The search does not go back past an operator that writes
    in place, because the old value is dead there; a weight or state is included nevertheless, as
    the host reads it after the run.
    """
    found = {tensor: None}
    stack = [tensor]
    looked = 0
    while stack:
        at = stack.pop()
        looked += 1 + len(at.uses)
        if looked > _REACH or _is_crowded(at):
            return None
        for other in (*_viewed(at), *_views(at)):
            if other not in found:
                found[other] = None
                stack.append(other)
    return list(found)


def _viewed(tensor: Tensor) -> Iterator[Tensor]:
    op = tensor.producer
    if op is not None and type(op).aliases is not Op.aliases:
        for o, t in op.output.items():
            if t is tensor:
                for i, source in op.input.items():
                    if op.aliases(i, o) and (not op.modifies(i) or source.producer is None):
                        yield source


def _views(tensor: Tensor) -> Iterator[Tensor]:
    for op in tensor.uses:
        if type(op).aliases is not Op.aliases:
            for i, t in op.input.items():
                if t is tensor and not op.modifies(i):
                    for o, view in op.output.items():
                        if op.aliases(i, o):
                            yield view


def _repeats(memory: list[Tensor]) -> str | None:
    """A reason if a view repeats elements, as a broadcast does: it has more than its sources."""
    if len(memory) == 1:
        return None  # Nothing in this memory is a view.
    for tensor in memory:
        sources = list(dict.fromkeys(_viewed(tensor)))
        if sources and sum(map(_elements, sources)) < _elements(tensor):
            return f"'{tensor.id}', in the same memory, shows elements several times"
    return None


def _disorder(tensor: Tensor, memory: list[Tensor]) -> str | None:
    """A reason if the tensor is not contiguous in row-major order, such as a transposed view.

    The result would have the same memory order, and a sum over it would be rounded differently.
    """
    if len(memory) == 1:
        return None
    seen = {tensor}
    stack = [tensor]
    while stack:
        at = stack.pop()
        op = at.producer
        for source in _viewed(at):
            assert op is not None
            i = next(i for i, t in op.input.items() if t is source)
            o = next(o for o, t in op.output.items() if t is at)
            if not op.showsInOrder(i, o):
                return f"'{at.id}', in the same memory, has its elements in another order there"
            if source not in seen:
                seen.add(source)
                stack.append(source)
    return None


def _elements(tensor: Tensor) -> int:
    return tensor.info.nelms() if tensor.info else 0


def _shares(op: Op, tensor: Tensor, memory: list[Tensor]) -> str | None:
    shown = [t for t in op.input.values() if t in memory]
    if len(shown) > 1:
        return f"the operator reads the memory of '{tensor.id}' through {len(shown)} inputs"
    return None
