"""Replaces operators by in-place variants: the result is written over an input.

Every operator names its variants and how much each is wanted (`inplacePriorityDefault`); what the
model says by `Builder.setInplacePreferences`, or a pattern by `inplacePriorityVeto`, goes before
it. Variants above 0 are tried, the most wanted first, of equal ones the operator made last. One is
taken if nobody misses the old value: the memory belongs to no weight, constant, input of the graph
or kept tensor, and all that read it, through whatever view, run before in the schedule as it is.
These get a constraint: the schedule stays the same, and with it what the host fuses. Nor does it
change the order of elements in memory, in which sums are rounded: no bit of a result changes.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

from popir.errors import OperatorAttributeError, did_you_mean, popart_exception
from popir.ir import Graph, Op, OperatorIdentifier, Tensor, TensorType
from popir.ir.graph import calledGraphs
from popir.options.annotations import INPLACE_NAMES
from popir.transforms.decision import Decision

PATTERN = "InPlace"
"""The name under which a session's `Patterns`, or an operator, switches the transform off."""

_REACH = 64
"""Connections of operators that are looked at around one tensor."""

_log = logging.getLogger("popir.transforms")
_KINDS = {
    TensorType.Variable: "a weight or state",
    TensorType.Const: "a constant",
    TensorType.Stream: "an input of the graph",
    TensorType.ActGrad: "an input of the graph",
}


def inplace(graph: Graph, kept: Collection[str]) -> list[Decision]:
    """Replaces what can be replaced; `kept` are the anchors and the loss.

    Returns a decision for each variant that was tried. Takes time linear in operators and edges.
    """
    return _Inplacer(graph, kept).run()


class _Inplacer:
    def __init__(self, graph: Graph, kept: Collection[str]) -> None:
        self.graph = graph
        self.kept = {*kept, *graph.outputs}
        graph.ops = {op.id: op for op in graph.schedule()}
        self.place = {id: n for n, id in enumerate(graph.ops)}
        self.waiting: list[tuple[list[int], int]] = []

    def run(self) -> list[Decision]:
        decisions: list[Decision] = []
        done: set[int] = set()
        for id, opid in self._wanted():
            if id in done:
                continue
            op = self.graph.ops[id]
            where = op.debugName()
            reason = self._replace(op, opid)
            if reason is None:
                done.add(id)
            decisions.append(Decision(where, opid.type, reason))
            _log.debug("%s", decisions[-1])
        for befores, after in self.waiting:
            for before in befores:
                self.graph.addConstraint(self.graph.ops[before], self.graph.ops[after])
        return decisions

    def _wanted(self) -> list[tuple[int, OperatorIdentifier]]:
        """The operators' ids and variants, in the order in which they are tried."""
        found: list[tuple[float, int, OperatorIdentifier]] = []
        for op in self.graph.ops.values():
            if PATTERN in op.excludePatterns():
                continue
            priorities = dict(op.inplacePriorityDefault())
            if not priorities and type(op).inplacePriorityDefault is Op.inplacePriorityDefault:
                continue
            for name, priority in op.inplacePriorityVeto():
                priorities[OperatorIdentifier("ai.graphcore", name, 1)] = priority
            found += [(priority, op.id, opid) for opid, priority in priorities.items()]
        ordered = sorted(found, key=lambda row: (-row[0], -row[1]))
        return [(id, opid) for priority, id, opid in ordered if priority > 0]

    def _replace(self, op: Op, opid: OperatorIdentifier) -> str | None:
        """Puts the variant in the operator's place; why not, if it cannot."""
        if any(map(op.modifies, op.input)):
            return "the operator is in place already"
        try:
            variant = op.getInplaceVariant(opid)
        except popart_exception as error:
            if opid in dict(op.inplacePriorityDefault()):
                raise  # It has, by its own words.
            return f"the operator has no such variant: {error}"
        # An operator of a library may ask for its tensors before it says what it writes.
        variant.variantOf = op.opid
        self.graph.replaceOp(op, variant)
        befores: list[Op] = []
        reason = self._check(variant, befores)
        if reason is not None:
            self.graph.replaceOp(variant, op)
            return reason
        if befores:
            self.waiting.append(([before.id for before in befores], op.id))
        return None

    def _check(self, op: Op, befores: list[Op]) -> str | None:
        """Why the variant, in its place, cannot stay; None if it can, after the operators
        `befores`.
        """
        for tensor in [op.input[i] for i in sorted(op.input) if op.modifies(i)]:
            memory = _memory(tensor)
            if memory is None:
                return self._keeps([tensor]) or (
                    f"more than {_REACH} inputs and outputs of operators are in the memory of "
                    f"'{tensor.id}'"
                )
            reason = (
                self._keeps(memory)
                or _repeats(memory)
                or _shares(op, tensor, memory)
                or _disorder(tensor)
            )
            if reason is not None:
                return reason
            befores += [reader for t in memory for reader in t.uses if reader is not op]
        for i in op.input:
            if not op.modifies(i) and any(
                op.aliases(i, o) and not op.showsInOrder(i, o) for o in op.output
            ):
                return f"the variant shows input {i} with its elements in another order"
        befores[:] = dict.fromkeys(befores)
        later = (reader for reader in befores if self.place[reader.id] > self.place[op.id])
        blocking = next(later, None)
        return blocking and f"{blocking.debugName()} reads the value and runs later"

    def _keeps(self, memory: list[Tensor]) -> str | None:
        for tensor in memory:
            if tensor.id in self.kept:
                return f"'{tensor.id}', in the same memory, is kept: an anchor or an output"
            if tensor.producer is None:
                return f"'{tensor.id}', in the same memory, is {_KINDS[tensor.tensorType]}"
        return None


def checkPreferences(graph: Graph) -> None:
    """Raises OperatorAttributeError where a model wants an in-place variant that an operator does
    not have.
    """
    for op in (op for each in calledGraphs(graph) for op in each.ops.values()):
        names = op.settings.nodeAttributes.get(INPLACE_NAMES, ())
        known = [opid.type for opid, _ in op.inplacePriorityDefault()] if names else []
        for name in names:
            if name not in known:
                raise OperatorAttributeError(
                    f"{op.debugName()}: Builder.setInplacePreferences names '{name}', which is no "
                    f"in-place variant of it; it has {', '.join(known) or 'none'}."
                    f"{did_you_mean(name, known)}"
                )


def _isCrowded(tensor: Tensor) -> bool:
    """Whether more operators are connected to the tensor than are looked at."""
    by = tensor.producer
    return len(tensor.uses) + (len(by.input) + len(by.output) if by else 0) > _REACH


def _memory(tensor: Tensor) -> list[Tensor] | None:
    """The tensor and all that show its memory now: what it is a view of, and views of that. None if
    there are too many of them to look at.

    A tensor that an operator has written in place is the end of what was there before, unless that
    was a weight or state, which the host reads afterwards.
    """
    found = {tensor: None}
    stack = [tensor]
    looked = 0
    while stack:
        at = stack.pop()
        looked += 1 + len(at.uses)
        if looked > _REACH or _isCrowded(at):
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
                    yield from (view for o, view in op.output.items() if op.aliases(i, o))


def _repeats(memory: list[Tensor]) -> str | None:
    """Whether a tensor shows elements several times: it has more than what it is a view of."""
    for tensor in memory:
        sources = list(dict.fromkeys(_viewed(tensor)))
        if sources and sum(map(_elements, sources)) < _elements(tensor):
            return f"'{tensor.id}', in the same memory, shows elements several times"
    return None


def _disorder(tensor: Tensor) -> str | None:
    """Whether the tensor lies in another order in memory, or with gaps. The result would too, and
    a sum over it would be rounded in another order.
    """
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
