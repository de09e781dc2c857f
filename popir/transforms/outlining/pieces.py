"""The operators of graphs as a text, equal pieces of that text, and what outlining them saves."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.ir import Graph, Op, Tensor
from popir.ir.hash import DigestError, digest_of, encoded
from popir.options.annotations import PLACES
from popir.transforms.decision import Decision
from popir.transforms.outlining.repeats import Ints

_NEVER = -1
_OUTSIDE = (_NEVER, _NEVER)
"""The source (operator, output) of a tensor that no operator computes."""
_TRIMS = 8
"""The most operators removed from the ends of a piece to save copies."""
_SAMPLE = 4
"""How many occurrences are evaluated to decide that."""


@dataclass
class Piece:
    """A substring of the text that occurs several times with equal connections.

    `starts` are the positions of its occurrences; `length` is its number of operators.
    """

    text: Text
    starts: list[int]
    length: int
    value: float
    """The value of one occurrence: the sum over its operators."""
    copies: float
    """The cost of the copies of one call, in the unit of `value`."""

    @property
    def gain(self) -> float:
        """What outlining saves: all occurrences but one, minus the copies of all calls."""
        return (len(self.starts) - 1) * self.value - len(self.starts) * self.copies

    def reason(self, threshold: float) -> str | None:
        """Why the piece is not outlined; None if it is worth it."""
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
        """A description of the first occurrence, for messages."""
        first = self.instances()[0]
        names = ", ".join(op.opid.type for op in first[:6])
        more = f" and {len(first) - 6} more" if len(first) > 6 else ""
        return f"{names}{more}, first at {first[0].debugName()}"


class Text:
    """The schedules of graphs, one after the other, and the connections of their operators.

    `kept` are tensors needed after the run. `is_pruned` is `OutlineOptions.copyCostPruning`.
    `known` caches the classes' keys of operators from round to round.
    """

    def __init__(
        self,
        graphs: Sequence[Graph],
        kept: Collection[str],
        is_pruned: bool,
        known: dict[Op, Hashable],
    ) -> None:
        self.ops: list[Op] = []
        self.tokens: list[int] = []
        """The class of each operator. An operator that cannot be outlined, the end of each graph,
        and the change from one place to another have unique negative classes, which never repeat.
        """
        self.refusals: list[Decision] = []
        self._kept = set(kept)
        self._known = known
        self._classes: dict[Hashable, int] = {}
        self._fresh = itertools.count(_NEVER, -1)
        for graph in graphs:
            self._add(graph)
        self._connect()
        worth = [self._worth(op, is_pruned) for op in self.ops]
        self._values = np.concatenate([[0.0], np.cumsum(worth)])
        self._is_pruned = is_pruned
        self._is_taken = np.zeros(len(self.ops), bool)
        self._taken_before = np.zeros(len(self.ops) + 1, np.int64)

    def _add(self, graph: Graph) -> None:
        constrained = {*graph.constraints, *itertools.chain(*graph.constraints.values())}
        order = graph.schedule()
        graph.ops = {op.id: op for op in order}
        for n, op in enumerate(order):
            if n and place_of(op) != place_of(order[n - 1]):
                self._end(order[n - 1])
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
            self._end(order[-1])

    def _end(self, op: Op) -> None:
        """Adds a unique token, so that no repeat crosses the end of a graph or of a place."""
        self.ops.append(op)
        self.tokens.append(next(self._fresh))

    def _class(self, op: Op) -> int:
        if op not in self._known:
            self._known[op] = _computed(op)
        return self._classes.setdefault(self._known[op], len(self._classes))

    def _connect(self) -> None:
        """Fills two tables, of reads and of writes, with the rows of operator 0 first, then those
        of operator 1, and so on. Operator n owns the rows from `_reads[n]` to `_reads[n + 1]` of
        the first and from `_makes[n]` to `_makes[n + 1]` of the second.

        Columns of reads: the tensor's number (`_read`); the position of its producer (`_made_at`);
        the distance to the producer, combined with the output index (`_since_made`); the row of the
        previous read of that tensor (`_read_before`) and the distance to it (`_since_read`).
        Columns of writes: the cost of copying the tensor (`_made`) and the position of its last
        reader (`_last`).
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
                    end = len(self.ops) if self.is_kept(tensor) else _NEVER
                    last = max((place[reader] for reader in tensor.uses), default=end)
                    made.append((_root(tensor), max(last, end)))
            reads.append(len(read))
            makes.append(len(made))
        self._reads, self._makes = np.array(reads, np.int64), np.array(makes, np.int64)
        columns = np.array(read, np.int64).reshape(-1, 5).T
        self._read, self._made_at, which, reader, self._read_before = columns
        outputs = int(which.max(initial=0)) + 1
        self._since_made = (reader - self._made_at) * outputs + which
        self._since_read = self._read_before - np.arange(len(read))
        self._made = np.array([cost for cost, _ in made])
        self._last = np.array([last for _, last in made], np.int64)
        self._costs = np.array([0.0 if t.isConst() else _root(t) for t in numbers])

    def is_kept(self, tensor: Tensor) -> bool:
        """Whether the tensor is needed after its graph has run: it is kept or a graph output."""
        return tensor.id in self._kept or tensor.id in tensor.graph.outputs

    def is_read(self, tensor: Tensor, inside: Collection[Op]) -> bool:
        """Whether the tensor is read outside the operators `inside`, or kept."""
        return self.is_kept(tensor) or any(reader not in inside for reader in tensor.uses)

    @staticmethod
    def _worth(op: Op, is_pruned: bool) -> float:
        value = op.getSubgraphValue()
        if not is_pruned:
            return value
        return value * sum(_bytes(t) for t in op.input.values()) ** 0.5

    # Pieces.

    def most_gain(self, length: int, start: int, times: int) -> float:
        """An upper bound of the gain of a piece of that length that occurs `times` times."""
        apart = min(times, len(self.ops) // length)
        return float(self._values[start + length] - self._values[start]) * (apart - 1)

    def is_taken(self, starts: Ints, length: int) -> bool:
        """Whether an occurrence overlaps a piece that has been taken."""
        return bool((self._taken_before[starts + length] > self._taken_before[starts]).any())

    def take(self, piece: Piece) -> None:
        """Marks the occurrences of a piece that will be outlined."""
        for start in piece.starts:
            self._is_taken[start : start + piece.length] = True
        self._taken_before[1:] = np.cumsum(self._is_taken)

    def piece(self, starts: Sequence[int], length: int) -> Piece:
        """The largest group of occurrences that do not overlap and have equal connections, with
        operators trimmed from both ends where that saves copies.
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
        """The range (begin, end) within an occurrence that gains most; found greedily."""
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
        """The connections of each occurrence, as one row, and the numbers of the tensors read.

        A row has one entry for each read:

        - tensor computed inside the occurrence: the distance to its producer and the output index;
        - tensor from outside, read before in the occurrence: the distance to that read, negative;
        - tensor from outside, read for the first time: 0.

        Occurrences with equal rows have equal connections. Example: `b = Relu(a); c = Add(b, a)`
        gives [0, 1, -2] with one output each: a is new; b comes from one operator back; a was read
        two reads ago.
        """
        begins = np.array(starts, np.int64)[:, None]
        low = self._reads[begins]
        places = low + np.arange(self._reads[starts[0] + length] - self._reads[starts[0]])
        is_again = self._read_before[places] >= low
        slots = np.where(
            self._made_at[places] >= begins,
            self._since_made[places],
            np.where(is_again, self._since_read[places], 0),
        )
        return slots, self._read[places]

    def _evaluated(self, starts: list[int], length: int) -> Piece:
        value = float(self._values[starts[0] + length] - self._values[starts[0]])
        copies = self._copies(starts, length) if self._is_pruned else 0.0
        return Piece(self, starts, length, value, copies)

    def _copies(self, starts: list[int], length: int) -> float:
        """The cost of the copies of one call: of the inputs that differ between occurrences, and of
        the outputs that are needed after at least one of them.
        """
        slots, tensors = self._slots(starts, length)
        given = tensors[:, slots[0] == 0]
        differs = (given != given[0]).any(0)
        copies = self._costs[given[0][differs]].sum()
        begins = self._makes[starts]
        made = np.arange(self._makes[starts[0] + length] - begins[0])
        ends = np.array(starts, np.int64) + length
        is_needed = (self._last[begins[:, None] + made] >= ends[:, None]).any(0)
        return float(copies + self._made[begins[0] + made][is_needed].sum())


def place_of(op: Op) -> dict[str, Any]:
    """The annotations that say where and when an operator runs: IPU, stage and phase. All operators
    of a piece have the same, and so has a call of it.
    """
    notes = op.settings.nodeAttributes
    return {key: notes[key] for key in PLACES if key in notes}


def _computed(op: Op) -> Hashable:
    """The key of an operator's class: operators with equal keys compute the same function."""
    tensors = (*sorted(op.input.items()), *sorted(op.output.items()))
    infos = tuple((i, str(tensor.info)) for i, tensor in tensors)
    constants = [(i, op.input[i].data) for i in sorted(op.constantInputs) if i in op.input]
    held = encoded(constants) if constants else b""
    return digest_of(op, is_outlined=True), len(op.input), infos, held


def _fixed(op: Op) -> str | None:
    """Why the operator cannot be outlined; None if it can."""
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
