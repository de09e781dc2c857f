"""The operators of graphs as a text, pieces of it that are the same, and what these gain."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from popir.ir import Graph, Op, Tensor
from popir.ir.hash import DigestError, digestOf, encoded
from popir.transforms.decision import Decision
from popir.transforms.repeats import Ints

_NEVER = -1
_OUTSIDE = (_NEVER, _NEVER)
"""Where something is made that no operator makes, and as which output."""
_TRIMS = 8
"""How many operators are taken off the ends of a piece, where that saves copies."""
_SAMPLE = 4
"""How many occurrences are looked at to decide that."""


@dataclass
class Piece:
    """A list of operators that occurs at several places of the text, connected alike."""

    text: Text
    starts: list[int]
    length: int
    value: float
    """What one occurrence is worth."""
    copies: float
    """What the copies of one call cost."""

    @property
    def gain(self) -> float:
        """All that outlining saves, less the copies of all calls."""
        return (len(self.starts) - 1) * self.value - len(self.starts) * self.copies

    def reason(self, threshold: float) -> str | None:
        """Why it is not worth it; None if it is."""
        if len(self.starts) < 2:
            return "the repeats are connected in different ways, or overlap"
        if self.length == 1 and self.text.ops[self.starts[0]].getCalledGraphs():
            return "it is a call already"
        if any(len(ops) == len(ops[0].graph.ops) for ops in self.instances()):
            return "one of the repeats is all of a graph that is called"
        net = self.value - self.copies
        if net <= threshold or self.gain <= 0:
            return (
                f"its value {self.value:.4g}, less the copies of a call {self.copies:.4g}, is not "
                f"enough for {len(self.starts)} calls (outlineThreshold {threshold:.4g})"
            )
        return None

    def instances(self) -> list[list[Op]]:
        """The operators of each occurrence, in order."""
        return [self.text.ops[start : start + self.length] for start in self.starts]

    def where(self) -> str:
        """The first occurrence, for messages."""
        first = self.instances()[0]
        names = ", ".join(op.opid.type for op in first[:6])
        more = f" and {len(first) - 6} more" if len(first) > 6 else ""
        return f"{names}{more}, first at {first[0].debugName()}"


class Text:
    """The schedules of graphs, one after the other, and how their operators are connected.

    `known` holds what operators compute, for the next text that has them.
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        kept: Collection[str],
        isPruned: bool,
        known: dict[Op, Hashable],
    ) -> None:
        self.ops: list[Op] = []
        self.tokens: list[int] = []
        """The class of each operator; one that must stay where it is has a class of its own."""
        self.refusals: list[Decision] = []
        self._kept = set(kept)
        self._known = known
        self._classes: dict[Hashable, int] = {}
        self._fresh = itertools.count(_NEVER, -1)
        for graph in graphs:
            self._add(graph)
        self._connect()
        worth = [self._worth(op, isPruned) for op in self.ops]
        self._values = np.concatenate([[0.0], np.cumsum(worth)])
        self._isPruned = isPruned
        self._isTaken = np.zeros(len(self.ops), bool)
        self._takenBefore = np.zeros(len(self.ops) + 1, np.int64)

    def _add(self, graph: Graph) -> None:
        constrained = {*graph.constraints, *itertools.chain(*graph.constraints.values())}
        order = graph.schedule()
        graph.ops = {op.id: op for op in order}
        for op in order:
            self.ops.append(op)
            try:
                reason = _fixed(op) or ("it has a constraint" if op in constrained else None)
                self.tokens.append(next(self._fresh) if reason else self._class(op))
            except DigestError as error:
                reason = str(error)
                self.tokens.append(next(self._fresh))
            if reason is not None:
                self.refusals.append(Decision(op.debugName(), "part of a piece", reason))
        if order:
            # Between two graphs: nothing that repeats goes beyond the end of one.
            self.ops.append(order[-1])
            self.tokens.append(next(self._fresh))

    def _class(self, op: Op) -> int:
        if op not in self._known:
            self._known[op] = _computed(op)
        return self._classes.setdefault(self._known[op], len(self._classes))

    def _connect(self) -> None:
        """Lists what is read (a tensor's number, where it is made, how far away that is, and how
        far away it was read before), and what is made (its cost, and where it is read last),
        operator by operator: operator n has the rows from `_reads[n]` and from `_makes[n]` on.
        """
        place: dict[Op, int] = {}
        for n, op in enumerate(self.ops):
            place.setdefault(op, n)
        numbers: dict[Tensor, int] = {}
        sources: dict[Tensor, tuple[int, int]] = {}
        read: list[tuple[int, int, int, int, int]] = []
        before: list[int] = []
        made: list[tuple[float, int]] = []
        reads, makes = [0], [0]
        for n, op in enumerate(self.ops):
            if place[op] == n:
                for _, tensor in sorted(op.input.items()):
                    number = numbers.setdefault(tensor, len(numbers))
                    if number == len(before):
                        before.append(_NEVER)
                    read.append((number, *sources.get(tensor, _OUTSIDE), n, before[number]))
                    before[number] = len(read) - 1
                for o, tensor in sorted(op.output.items()):
                    sources[tensor] = n, o
                    end = len(self.ops) if self.isKept(tensor) else _NEVER
                    last = max((place[reader] for reader in tensor.uses), default=end)
                    made.append((_root(tensor), max(last, end)))
            reads.append(len(read))
            makes.append(len(made))
        self._reads, self._makes = np.array(reads, np.int64), np.array(makes, np.int64)
        columns = np.array(read, np.int64).reshape(-1, 5).T
        self._read, self._madeAt, which, reader, self._readBefore = columns
        outputs = int(which.max(initial=0)) + 1
        self._sinceMade = (reader - self._madeAt) * outputs + which
        self._sinceRead = self._readBefore - np.arange(len(read))
        self._made = np.array([cost for cost, _ in made])
        self._last = np.array([last for _, last in made], np.int64)
        self._costs = np.array([0.0 if t.isConst() else _root(t) for t in numbers])

    def isKept(self, tensor: Tensor) -> bool:
        """Whether the tensor is needed after its graph has run."""
        return tensor.id in self._kept or tensor.id in tensor.graph.outputs

    def isRead(self, tensor: Tensor, inside: Collection[Op]) -> bool:
        """Whether somebody but the operators `inside` needs the tensor."""
        return self.isKept(tensor) or any(reader not in inside for reader in tensor.uses)

    @staticmethod
    def _worth(op: Op, isPruned: bool) -> float:
        value = op.getSubgraphValue()
        if not isPruned:
            return value
        return value * sum(_bytes(t) for t in op.input.values()) ** 0.5

    # Pieces.

    def mostGain(self, length: int, start: int, times: int) -> float:
        """No piece of that length that occurs so often gains more."""
        apart = min(times, len(self.ops) // length)
        return float(self._values[start + length] - self._values[start]) * (apart - 1)

    def isTaken(self, starts: Ints, length: int) -> bool:
        """Whether an occurrence overlaps a piece that is taken."""
        return bool((self._takenBefore[starts + length] > self._takenBefore[starts]).any())

    def take(self, piece: Piece) -> None:
        """Takes note that the piece will be outlined."""
        for start in piece.starts:
            self._isTaken[start : start + piece.length] = True
        self._takenBefore[1:] = np.cumsum(self._isTaken)

    def piece(self, starts: Sequence[int], length: int) -> Piece:
        """The occurrences that are connected alike and do not overlap: of several such groups the
        largest; less what is better left outside at the ends.
        """
        apart: list[int] = []
        for start in starts:
            if not apart or start >= apart[-1] + length:
                apart.append(start)
        groups: dict[bytes, list[int]] = {}
        for start, slots in zip(apart, self._slots(apart, length)[0], strict=True):
            groups.setdefault(slots.tobytes(), []).append(start)
        same = max(groups.values(), key=len)
        begin, end = self._trimmed(same[:_SAMPLE], length)
        return self._evaluated([start + begin for start in same], end - begin)

    def _trimmed(self, starts: list[int], length: int) -> tuple[int, int]:
        """The part of each occurrence that gains most."""
        begin, end = 0, length
        best = self._evaluated(starts, length).gain
        for _ in range(min(_TRIMS, length - 1)):
            parts = [(begin, end - 1), (begin + 1, end)]
            gains = [self._evaluated([s + b for s in starts], e - b).gain for b, e in parts]
            if max(gains) <= best:
                break
            best = max(gains)
            begin, end = parts[gains.index(best)]
        return begin, end

    def _slots(self, starts: Sequence[int], length: int) -> tuple[Ints, Ints]:
        """How each occurrence is connected, a row each: of all that it reads, how far away that is
        made, and as which output; of what is made before it, how far away it was read before, or 0.
        Rows are equal for occurrences that are connected alike. And the tensors' numbers.
        """
        begins = np.array(starts, np.int64)[:, None]
        low = self._reads[begins]
        places = low + np.arange(self._reads[starts[0] + length] - self._reads[starts[0]])
        isAgain = self._readBefore[places] >= low
        slots = np.where(
            self._madeAt[places] >= begins,
            self._sinceMade[places],
            np.where(isAgain, self._sinceRead[places], 0),
        )
        return slots, self._read[places]

    def _evaluated(self, starts: list[int], length: int) -> Piece:
        value = float(self._values[starts[0] + length] - self._values[starts[0]])
        copies = self._copies(starts, length) if self._isPruned else 0.0
        return Piece(self, starts, length, value, copies)

    def _copies(self, starts: list[int], length: int) -> float:
        """What one call costs: the inputs that are not the same tensor everywhere, and what is
        needed after it somewhere.
        """
        slots, tensors = self._slots(starts, length)
        given = tensors[:, slots[0] == 0]
        differs = (given != given[0]).any(0)
        copies = self._costs[given[0][differs]].sum()
        begins = self._makes[starts]
        made = np.arange(self._makes[starts[0] + length] - begins[0])
        ends = np.array(starts, np.int64) + length
        isNeeded = (self._last[begins[:, None] + made] >= ends[:, None]).any(0)
        return float(copies + self._made[begins[0] + made][isNeeded].sum())


def _computed(op: Op) -> Hashable:
    """Equal for operators that compute the same, of what they are given."""
    tensors = (*op.input.items(), *op.output.items())
    infos = tuple((i, str(tensor.info)) for i, tensor in tensors)
    constants = [(i, op.input[i].data) for i in sorted(op.constantInputs) if i in op.input]
    held = encoded(constants) if constants else b""
    return digestOf(op, isOutlined=True), len(op.input), infos, held


def _fixed(op: Op) -> str | None:
    """Why the operator can be in no piece; None if it can."""
    if op.hasSideEffect() or any(map(op.modifies, op.input)):
        return "it has a side effect, or writes an input"
    if not op.isOutlineable():
        return "its isOutlineable() says no"
    if any(not op.input[i].isConst() for i in op.constantInputs if i in op.input):
        return "an input that has to be constant is none"
    return None


def _bytes(tensor: Tensor) -> int:
    return tensor.info.nbytes() if tensor.info else 0


def _root(tensor: Tensor) -> float:
    return float(_bytes(tensor)) ** 0.5
