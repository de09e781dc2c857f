"""The order in which the operators of a graph run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from popir.errors import VerificationError
from popir.ir.op import Op
from popir.ir.tensor import Tensor

if TYPE_CHECKING:
    from popir.ir.graph import Graph


def schedule(graph: Graph) -> list[Op]:
    """The operators of `graph` in the order of their making, each after all that it waits for.

    An operator waits for the producers of its inputs, for what `Graph.addConstraint` put before it
    and, if it modifies a tensor, for all that read the tensor's memory. Takes time linear in
    operators and edges, apart from tensors with views that several operators modify. Raises
    VerificationError, naming the operators, if some wait for each other.
    """
    after_readers = _modifiers(graph)
    done: set[Op] = set()
    open_: dict[Op, Iterator[Op]] = {}
    order: list[Op] = []
    for root in graph.ops.values():
        if root in done:
            continue
        open_[root] = _waits_for(graph, root, after_readers)
        stack = [root]
        while stack:
            op = stack[-1]
            for before in open_[op]:
                if before in done:
                    continue
                if before in open_:
                    raise _cycle(stack[stack.index(before) :])
                open_[before] = _waits_for(graph, before, after_readers)
                stack.append(before)
                break
            else:
                stack.pop()
                del open_[op]
                done.add(op)
                order.append(op)
    return order


def waits(graph: Graph) -> dict[Op, list[Op]]:
    """For each operator, those that it waits for directly."""
    after_readers = _modifiers(graph)
    return {op: list(_waits_for(graph, op, after_readers)) for op in graph.ops.values()}


def _waits_for(graph: Graph, op: Op, after_readers: dict[Op, list[Op]]) -> Iterator[Op]:
    for tensor in op.input.values():
        if tensor.producer is not None:
            yield tensor.producer
    yield from graph.constraints.get(op, ())
    yield from after_readers.get(op, ())


def _modifiers(graph: Graph) -> dict[Op, list[Op]]:
    """For each operator that modifies an input: the readers of the same memory that must run before
    it.

    A reader that itself waits for the operator is left out, unless a weight is modified: lowering
    keeps a copy of the value for it.
    """
    found: dict[Op, list[Op]] = {}
    users: dict[Tensor, _Users] = {}
    places = _Places()
    for op in graph.ops.values():
        if type(op).modifies is not Op.modifies:
            written = [tensor for i, tensor in op.input.items() if op.modifies(i)]
            if not written:
                continue
            known = graph.constraints.get(op, {})
            before = (r for tensor in written for r in _before(op, tensor, users, places))
            readers = [reader for reader in before if reader not in known]
            if readers and not any(tensor.isVariable() for tensor in written):
                after = _descendants(op)
                readers = [reader for reader in readers if reader not in after]
            found[op] = readers
    return found


class _Places:
    """The indices at which operators have tensors: of many inputs, none is looked for twice."""

    def __init__(self) -> None:
        self._known: dict[tuple[Op, bool], dict[Tensor, list[int]]] = {}

    def inputs(self, op: Op, tensor: Tensor) -> list[int]:
        """Where `op` reads the tensor."""
        return self._of(op, True).get(tensor, [])

    def outputs(self, op: Op, tensor: Tensor) -> list[int]:
        """Where `op` writes it."""
        return self._of(op, False).get(tensor, [])

    def _of(self, op: Op, isInput: bool) -> dict[Tensor, list[int]]:
        found = self._known.get((op, isInput))
        if found is None:
            found = self._known[op, isInput] = {}
            for i, tensor in (op.input if isInput else op.output).items():
                found.setdefault(tensor, []).append(i)
        return found


class _Users:
    """The readers of a variable, and those that write it, in the order of their making."""

    def __init__(self, tensor: Tensor) -> None:
        self.readers: list[Op] = []
        writers: list[Op] = []
        self.isViewed = not tensor.isVariable()
        for op in tensor.uses:
            at = [i for i, t in op.input.items() if t is tensor]
            if any(map(op.modifies, at)):
                writers.append(op)
            else:
                self.readers.append(op)
                self.isViewed = self.isViewed or any(
                    op.aliases(i, o) for i in at for o in op.output
                )
        self.writers = sorted(writers, key=lambda op: op.id)
        self.place = {op: n for n, op in enumerate(self.writers)}


def _before(
    modifier: Op, written: Tensor, users: dict[Tensor, _Users], places: _Places
) -> Iterable[Op]:
    """What `modifier` waits for because it writes.

    Of a variable that has no views, the first modifier waits for the readers, and each other one
    for the one before it: through that for all else. So many modifiers take linear time.
    """
    if written not in users:
        users[written] = _Users(written)
    known = users[written]
    if known.isViewed:
        return _readers_before(modifier, written, places)
    place = known.place[modifier]
    return [known.writers[place - 1]] if place else known.readers


def _descendants(op: Op) -> set[Op]:
    """The operators that read, directly or not, what `op` computes."""
    found: set[Op] = set()
    stack = [op]
    while stack:
        for tensor in stack.pop().output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            found.update(fresh)
            stack += fresh
    return found


def _readers_before(modifier: Op, written: Tensor, places: _Places) -> Iterator[Op]:
    """The readers of the memory of `written`, through views of it too, that see it before
    `modifier` writes.

    A view is followed to its readers and back to what it views, but never past an operator that
    writes the memory itself: what lies behind another modifier waits for it anyway. Of two
    modifiers, the one made first comes first.
    """
    seen = {written}
    stack = [written]
    while stack:
        tensor = stack.pop()
        for reader in tensor.uses:
            if reader is modifier:
                continue
            writes = any(map(reader.modifies, places.inputs(reader, tensor)))
            if not writes or reader.id < modifier.id:
                yield reader
            if not writes:
                stack += _new(seen, _views(reader, tensor, places))
        if tensor.producer is not None:
            stack += _new(seen, _viewed(tensor.producer, tensor, places))


def _new(seen: set[Tensor], tensors: Iterator[Tensor]) -> list[Tensor]:
    fresh = [tensor for tensor in tensors if tensor not in seen]
    seen.update(fresh)
    return fresh


def _views(op: Op, tensor: Tensor, places: _Places) -> Iterator[Tensor]:
    if type(op).aliases is not Op.aliases:
        for i in places.inputs(op, tensor):
            yield from (view for o, view in op.output.items() if op.aliases(i, o))


def _viewed(op: Op, view: Tensor, places: _Places) -> Iterator[Tensor]:
    if type(op).aliases is not Op.aliases:
        for o in places.outputs(op, view):
            yield from (t for i, t in op.input.items() if op.aliases(i, o) and not op.modifies(i))


def _cycle(ops: list[Op]) -> VerificationError:
    names = [op.debugName() for op in ops]
    if len(names) > 6:
        names[3:-3] = [f"({len(names) - 6} more)"]
    return VerificationError(
        "These operators wait for each other, directly or by a constraint or a tensor that one of "
        "them modifies, so none can run first: " + ", ".join(names) + "."
    )
