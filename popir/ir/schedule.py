"""Scheduling: the order in which the operators of a graph run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from popir.errors import VerificationError
from popir.ir.traits import Traits


class Value(Protocol):
    """The part of `Tensor` that the scheduler uses, with the members of that class. A protocol,
    because `graph` imports this.
    """

    @property
    def producer(self) -> Any: ...
    @property
    def uses(self) -> Mapping[Any, int]: ...
    def is_variable(self) -> bool: ...


class Node(Protocol):
    """The part of `Op` that the scheduler uses, with the members of that class."""

    @property
    def id(self) -> int: ...
    @property
    def input(self) -> Mapping[int, Value]: ...
    @property
    def output(self) -> Mapping[int, Value]: ...
    def aliases(self, inIndex: int, outIndex: int) -> bool: ...
    def modifies(self, inIndex: int) -> bool: ...
    def modified_inputs(self) -> list[int]: ...
    def debugName(self) -> str: ...


N = TypeVar("N", bound=Node)
Constraints = Mapping[Any, Mapping[Any, None]]
"""Maps an operator to those that must run before it; the inner mapping is an ordered set."""


def schedule(ops: Collection[N], constraints: Constraints) -> list[N]:
    """A topological order of the operators: a depth-first search in the order of `ops`.

    An operator depends on

    - the producers of its inputs,
    - the operators that `constraints` put before it,
    - if it modifies an input, on all other operators that read the old value from that memory. If
      that would form a cycle, it does not wait for the reader: lowering keeps a copy of the old
      value for it. That is not so for weights.

    The time is linear in operators and edges, except for tensors with views that several operators
    modify. Raises VerificationError, naming the operators, if the dependencies form a cycle.
    """
    after_readers = _modifiers(ops, constraints)
    waiting = after_readers.keys() | constraints.keys()
    """Those that wait not only for the producers of their inputs."""
    done: set[N] = set()
    open_: dict[N, Iterator[N]] = {}
    order: list[N] = []
    for root in ops:
        if root in done:
            continue
        # In a graph that is in order already this is all. The search below gives the same.
        for tensor in root.input.values():
            producer = tensor.producer
            if producer is not None and producer not in done:
                break
        else:
            if root not in waiting or done.issuperset(_waits_for(constraints, root, after_readers)):
                done.add(root)
                order.append(root)
                continue
        open_[root] = _waits_for(constraints, root, after_readers)
        stack: list[N] = [root]
        while stack:
            op = stack[-1]
            for before in open_[op]:
                if before in done:
                    continue
                if before in open_:
                    at = stack.index(before)
                    ahead = _may_go_ahead(constraints, [*stack[at:], before], after_readers)
                    if ahead is None:
                        raise _cycle(stack[at:])
                    while stack[-1] is not ahead:
                        del open_[stack.pop()]
                    break
                open_[before] = _waits_for(constraints, before, after_readers)
                stack.append(before)
                break
            else:
                stack.pop()
                del open_[op]
                done.add(op)
                order.append(op)
    return order


def _may_go_ahead(
    constraints: Constraints, cycle: Sequence[N], after_readers: Mapping[N, list[N]]
) -> N | None:
    """The last operator of a cycle that waits for the next one only because that reads what it
    overwrites, and that is no weight; None if there is none. The first operator is the last too.
    """
    for op, before in zip(cycle[-2::-1], cycle[:0:-1], strict=True):
        if (
            before in after_readers.get(op, ())
            and before not in constraints.get(op, ())
            and not any(tensor.producer is before for tensor in op.input.values())
            and not any(_is_weight(t) for i, t in op.input.items() if op.modifies(i))
        ):
            return op
    return None


def _is_weight(tensor: Value) -> bool:
    """Whether a tensor is a weight or state, or what operators that modify one have made of it."""
    made: Value | None = tensor
    while made is not None and not made.is_variable():
        made = modified(made)
    return made is not None


def modified(tensor: Any) -> Any:
    """The input that the producer of a tensor modifies and returns as that tensor; None if there is
    none.
    """
    by = tensor.producer
    if by is None or type(by).modifies is Traits.modifies:
        return None
    at = next(o for o, t in by.output.items() if t is tensor)
    return next((t for i, t in by.input.items() if by.modifies(i) and by.aliases(i, at)), None)


def _waits_for(constraints: Constraints, op: N, after_readers: Mapping[N, list[N]]) -> Iterator[N]:
    for tensor in op.input.values():
        if tensor.producer is not None:
            yield tensor.producer
    yield from constraints.get(op, ())
    yield from after_readers.get(op, ())


def _modifiers(ops: Collection[N], constraints: Constraints) -> dict[N, list[Any]]:
    """For each operator that modifies an input: the readers of that memory that must run before it.

    A reader that depends on the modifier's output cannot run before it and is left out; lowering
    keeps a copy of the old value for that reader. For weights it stays, so that a cycle is
    reported.
    """
    found: dict[N, list[Any]] = {}
    users: dict[Value, _Users] = {}
    places = _Places()
    for op in ops:
        if type(op).modifies is not Traits.modifies and (at := op.modified_inputs()):
            written = [op.input[i] for i in at]
            if all(_is_alone(tensor, places) for tensor in written):
                continue
            known = constraints.get(op, ())
            readers: list[Node] = []
            for tensor in written:
                before = None if tensor in users else _other_users(op, tensor)
                if before is None:
                    before = _before(op, tensor, users, places)
                readers += [reader for reader in before if reader not in known]
            if readers and not any(tensor.is_variable() for tensor in written):
                after = _descendants(op)
                readers = [reader for reader in readers if reader not in after]
            found[op] = readers
    return found


def _is_alone(written: Value, places: _Places) -> bool:
    """Whether nothing but its modifier reads a tensor, nor what it may be a view of: then nothing
    must run before. This is so for most operators in place.
    """
    if len(written.uses) > 1 or written.is_variable():
        return False
    by = written.producer
    if by is None or type(by).aliases is Traits.aliases:
        return True
    return next(_viewed(by, written, places), None) is None


def _other_users(modifier: Node, written: Value) -> list[Node] | None:
    """The operators that read a variable, if `modifier` alone writes it and nothing is a view of
    it, as with most weights. Otherwise None, and `_before` is to be asked.
    """
    if not written.is_variable():
        return None
    found: list[Node] = []
    for op in written.uses:
        if op is modifier:
            continue
        cls = type(op)
        if cls.modifies is not Traits.modifies or cls.aliases is not Traits.aliases:
            at = [i for i, t in op.input.items() if t is written]
            if any(op.modifies(i) or any(op.aliases(i, o) for o in op.output) for i in at):
                return None
        found.append(op)
    return found


class _Places:
    """Looks up the indices at which an operator has a tensor, by a table made once an operator."""

    def __init__(self) -> None:
        self._known: dict[tuple[Node, bool], dict[Value, list[int]]] = {}

    def inputs(self, op: Node, tensor: Value) -> list[int]:
        """The indices of the inputs at which `op` reads the tensor."""
        return self._of(op, True).get(tensor, [])

    def outputs(self, op: Node, tensor: Value) -> list[int]:
        """The indices of the outputs at which `op`, its producer, writes the tensor."""
        if len(op.output) == 1:
            return list(op.output)
        return self._of(op, False).get(tensor, [])

    def _of(self, op: Node, is_input: bool) -> dict[Value, list[int]]:
        found = self._known.get((op, is_input))
        if found is None:
            found = self._known[op, is_input] = {}
            for i, tensor in (op.input if is_input else op.output).items():
                found.setdefault(tensor, []).append(i)
        return found


class _Users:
    """The operators that only read a variable, and those that modify it, by id.

    `is_viewed` is True if there may be views of the variable; `place` is the position of each
    modifier among the modifiers.
    """

    def __init__(self, tensor: Value) -> None:
        self.readers: list[Node] = []
        writers: list[Node] = []
        self.is_viewed = False
        for op in tensor.uses:
            cls = type(op)
            may_write = cls.modifies is not Traits.modifies
            may_show = not self.is_viewed and cls.aliases is not Traits.aliases
            at = [i for i, t in op.input.items() if t is tensor] if may_write or may_show else []
            if may_write and any(map(op.modifies, at)):
                writers.append(op)
                continue
            self.readers.append(op)
            if may_show and any(op.aliases(i, o) for i in at for o in op.output):
                self.is_viewed = True
        self.writers = sorted(writers, key=lambda op: op.id)
        self.place = {op: n for n, op in enumerate(self.writers)}


def _before(
    modifier: Node, written: Value, users: dict[Value, _Users], places: _Places
) -> Iterable[Node]:
    """The operators that must run before `modifier` because it writes `written`.

    For a variable without views, modifiers form a chain: the first one depends on all readers, each
    other one on the modifier before it, and so indirectly on all readers. That keeps the time
    linear for a variable with many modifiers.
    """
    if not written.is_variable():
        return _readers_before(modifier, written, places)
    if written not in users:
        users[written] = _Users(written)
    known = users[written]
    if known.is_viewed:
        return _readers_before(modifier, written, places)
    place = known.place[modifier]
    return [known.writers[place - 1]] if place else known.readers


def _descendants(op: Node) -> set[Node]:
    """The operators that depend on outputs of `op`, directly or not."""
    found: set[Node] = set()
    stack = [op]
    while stack:
        for tensor in stack.pop().output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            found.update(fresh)
            stack += fresh
    return found


def _readers_before(modifier: Node, written: Value, places: _Places) -> Iterator[Node]:
    """The operators that must read the memory of `written` before `modifier` writes it.

    The search walks over all tensors that share this memory: from a tensor to its views, and from a
    view back to its source. It stops at other modifiers, because what is behind one depends on it
    anyway. Of two modifiers, the one with the smaller id comes first.
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


def _new(seen: set[Value], tensors: Iterator[Value]) -> list[Value]:
    fresh = [tensor for tensor in tensors if tensor not in seen]
    seen.update(fresh)
    return fresh


def _views(op: Node, tensor: Value, places: _Places) -> Iterator[Value]:
    if type(op).aliases is not Traits.aliases:
        for i in places.inputs(op, tensor):
            yield from (view for o, view in op.output.items() if op.aliases(i, o))


def _viewed(op: Node, view: Value, places: _Places) -> Iterator[Value]:
    if type(op).aliases is not Traits.aliases:
        for o in places.outputs(op, view):
            yield from (t for i, t in op.input.items() if op.aliases(i, o) and not op.modifies(i))


def _cycle(ops: Sequence[Node]) -> VerificationError:
    names = [op.debugName() for op in ops]
    if len(names) > 6:
        names[3:-3] = [f"({len(names) - 6} more)"]
    return VerificationError(
        "These operators wait for each other, directly or by a constraint or a tensor that one of "
        "them modifies, so none can run first: " + ", ".join(names) + "."
    )
