"""CtcBeamSearchDecoder: the most probable labellings of a network that was trained by Ctc.

A *prefix* is a labelling of the steps so far; a step keeps the `beam_width` most probable ones, the
beams. Each has two probabilities: that of its alignments that end with a blank, and of those that
end with its last label. A step makes `beam_width * classes` candidates: every beam as it is, in the
place of the blank, and every beam with one more label. A beam and a label may spell another beam;
then the other one gets the probability, and the candidate is dropped. So all beams differ.

Which beams begin with which is carried from step to step: prefixes are never compared as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Op, Tensor
from popir.ops.control.loop_op import ITERATION, add_loop
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType, TensorInfo

_NEVER = -1e30
"""The logarithm of a probability of 0: finite, so that differences are numbers."""


class CtcBeamSearchDecoder(Decomposition):
    """PopART's CtcBeamSearchDecoder (`builder.aiGraphcore.ctcbeamsearchdecoder`): the `top_paths`
    most probable labellings that are found for log probabilities [steps, batch, classes] in the
    first `data_lengths` steps, the most probable first, with the logarithms of their probabilities.

    Labels after the end of a labelling are 0. If there are fewer labellings than `top_paths`, the
    rest are empty and have the logarithm -inf.
    """

    blank: int
    beam_width: int
    top_paths: int

    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, probs: Tensor, lengths: Tensor) -> Sequence[Tensor]:
        """A loop over the steps."""
        shape = on.shape(probs)
        if len(shape) != 3 or not all(shape) or on.shape(lengths) != shape[1:2]:
            raise self.wrong(
                f"the probabilities are {on.info(probs)}, the lengths {on.info(lengths)}; expected "
                "are [steps, batch, classes], at least one of each, and [batch]."
            )
        time, batch, classes = shape
        self._check(classes)
        whole, wide, beams = DataType.INT32, DataType.FLOAT, self._beams(time, batch, classes)
        inner = on.within("step")
        numbers, places = TensorInfo(wide, [batch, beams]), TensorInfo(whole, [batch, beams])
        inner.input(ITERATION, "number")
        before = _Beams(
            inner.input(numbers, "blank"),
            inner.input(numbers, "label"),
            inner.input(places, "last"),
            inner.input(places, "length"),
            inner.input(TensorInfo(whole, [batch, beams, time]), "labels"),
            inner.input(TensorInfo(DataType.BOOL, [batch, beams, beams]), "begins"),
        )
        seen = inner.input(TensorInfo(wide, [batch, classes]), "seen")
        inside = inner.input(TensorInfo(DataType.BOOL, [batch, 1]), "within")
        after = _Step(inner, before, seen, self.blank).beams()
        inner.graph.outputs = [t.id for t in _kept(inner, inside, before, after)]
        # Numbers, not infinities: PyTorch's own logarithms of 0 are -inf.
        given = on.Max(on.cast(probs, wide), on.const(_NEVER, wide))
        number = on.const(np.arange(time)[:, None], whole)
        within = on.Less(number, on.Unsqueeze(on.cast(lengths, whole), on.ints(0)))
        within = on.reshape(within, [time, batch, 1])
        first = _first(on, batch, beams, time)
        attributes = {
            "body": inner.graph,
            "carried": 6,
            "scanned": 2,
            "trip": time,
            "conditional": False,
            "descending": False,
            "reversed_inputs": [0, 0],
            "reversed_outputs": [],
        }
        found = add_loop(on, [None, None, *first, given, within], 6, attributes)
        return self._results(on, _Beams(*found), on.info(probs).dataType())

    def _check(self, classes: int) -> None:
        wanted = (
            ("blank", self.blank, 0, classes - 1, f"one of {classes} classes"),
            ("beam_width", self.beam_width, 1, 1 << 20, "a number from 1 to 2^20"),
            ("top_paths", self.top_paths, 1, self.beam_width, "a number from 1 to 'beam_width'"),
        )
        for name, value, least, most, expected in wanted:
            if not least <= value <= most:
                raise OperatorAttributeError(
                    f"{self._who()}: the attribute '{name}' is {value}; expected is {expected}."
                )

    def _beams(self, time: int, batch: int, classes: int) -> int:
        """How many beams there are: no more than labellings. Raises OperatorInputError if they are
        too many for memory.
        """
        labellings, more = 1, 1
        for _ in range(time):
            more *= classes - 1
            labellings += more
            if labellings >= self.beam_width:
                break
        beams = max(min(self.beam_width, labellings), self.top_paths)
        size = batch * beams * (beams + time + classes)
        if size >= 1 << 31:
            raise self.wrong(
                f"{beams} beams of {batch} sequences of {time} steps and {classes} classes take "
                f"{size} numbers, and popir makes less than 2^31. Use a smaller 'beam_width'."
            )
        return beams

    def _results(self, on: Decomposer, beams: _Beams, kind: DataType) -> list[Tensor]:
        """The first beams, with what ONNX has in place of those that do not exist."""

        def top(tensor: Tensor) -> Tensor:
            return on.Slice(tensor, on.ints(0), on.ints(self.top_paths), on.ints(1))

        total = _log_sum(on, top(beams.blank), top(beams.label))
        exists = on.Greater(total, on.like(_NEVER / 10, total))
        zero = on.const(0, DataType.INT32)
        lengths = on.Where(exists, top(beams.length), zero)
        place = on.const(np.arange(on.shape(beams.labels)[2]), DataType.INT32)
        is_label = on.Less(place, on.Unsqueeze(lengths, on.ints(2)))
        labels = on.Where(is_label, top(beams.labels), zero)
        return [
            on.cast(on.Where(exists, total, on.like(-np.inf, total)), kind),
            on.cast(lengths, DataType.UINT32),
            on.cast(labels, DataType.UINT32),
        ]


@dataclass
class _Beams:
    """The beams of each sequence, the most probable first. Those that do not exist have _NEVER or
    less, and anything else.
    """

    blank: Tensor
    """FLOAT [batch, beams]: the logarithm of the probability of those that end with a blank."""
    label: Tensor
    """FLOAT [batch, beams]: of those that end with the last label."""
    last: Tensor
    """INT32 [batch, beams]: the last label, -1 for an empty prefix."""
    length: Tensor
    """INT32 [batch, beams]: how many labels there are."""
    labels: Tensor
    """INT32 [batch, beams, steps]."""
    begins: Tensor
    """BOOL [batch, beams, beams]: whether the second one begins with the first, and is longer."""

    def tensors(self) -> list[Tensor]:
        """In the order in which the loop carries them."""
        return [self.blank, self.label, self.last, self.length, self.labels, self.begins]


def _first(on: Decomposer, batch: int, beams: int, time: int) -> list[Tensor]:
    """Before the first step there is the empty prefix alone."""
    blank = np.full((batch, beams), _NEVER, np.float32)
    blank[:, 0] = 0
    numbers = np.zeros((batch, beams), np.int32)
    return [
        on.const(blank),
        on.const(np.full_like(blank, _NEVER)),
        on.const(numbers - 1),
        on.const(numbers),
        on.const(np.zeros((batch, beams, time), np.int32)),
        on.const(np.zeros((batch, beams, beams), bool)),
    ]


def _kept(on: Decomposer, inside: Tensor, before: _Beams, after: _Beams) -> list[Tensor]:
    """The beams after a step; as they were where the sequence has ended."""
    found: list[Tensor] = []
    for old, new in zip(before.tensors(), after.tensors(), strict=True):
        shape = [*on.shape(inside), *[1] * (len(on.shape(old)) - 2)]
        found.append(on.Where(on.reshape(inside, shape), new, old))
    return found


class _Step:
    """Adds the operators that one step consists of."""

    def __init__(self, on: Decomposer, before: _Beams, seen: Tensor, blank: int) -> None:
        """`seen` are the logarithms of the step's probabilities, [batch, classes]."""
        self.on, self.old, self.seen, self.blank = on, before, seen, blank
        self.batch, self.n, self.time = on.shape(before.labels)
        self.classes = on.shape(seen)[1]

    def beams(self) -> _Beams:
        """The most probable candidates."""
        on, old = self.on, self.old
        total = _log_sum(on, old.blank, old.label)
        extended = self._extended(total)
        last = on.Max(old.last, on.const(0, DataType.INT32))
        spells = self._spells(total)
        stays_blank = on.Add(total, self._class(self.blank))
        stays_label = self._stays_label(extended, spells, last)
        stays = _log_sum(on, stays_blank, stays_label)
        candidates = self._candidates(extended, spells, last, stays)
        flat = on.reshape(candidates, [self.batch, self.n * self.classes])
        best, place = on.TopK(flat, on.ints(self.n), axis=1, outputs=2)
        place = on.cast(place, DataType.INT32)
        classes = on.const(self.classes, DataType.INT32)
        beam = on.Div(place, classes)
        label = on.Sub(place, on.Mul(beam, classes))
        return self._next(best, beam, label, stays_blank, stays_label)

    def _class(self, number: int) -> Tensor:
        """The logarithms of one class, [batch, 1]."""
        on = self.on
        return on.Slice(self.seen, on.ints(number), on.ints(number + 1), on.ints(1))

    def _extended(self, total: Tensor) -> Tensor:
        """Every beam with every label, FLOAT [batch, beams, classes]. The same label again needs a
        blank between.
        """
        on, old = self.on, self.old
        two = on.ints(2)
        classes = on.const(np.arange(self.classes), DataType.INT32)
        again = on.Equal(on.Unsqueeze(old.last, two), classes)
        base = on.Where(again, on.Unsqueeze(old.blank, two), on.Unsqueeze(total, two))
        return on.Add(base, on.Unsqueeze(self.seen, on.ints(1)))

    def _spells(self, total: Tensor) -> Tensor:
        """BOOL [batch, beams, beams]: whether the first one and a label are the second one."""
        on, old = self.on, self.old
        one = on.Add(old.length, on.const(1, DataType.INT32))
        next = on.Equal(on.Unsqueeze(old.length, on.ints(1)), on.Unsqueeze(one, on.ints(2)))
        exists = on.Greater(total, on.like(_NEVER / 10, total))
        return on.And(old.begins, on.And(next, on.Unsqueeze(exists, on.ints(1))))

    def _stays_label(self, extended: Tensor, spells: Tensor, last: Tensor) -> Tensor:
        """A beam of which alignments end with its last label: once more, or from the beam that is
        one label shorter, if that is one.
        """
        on, old = self.on, self.old
        more = on.Add(old.label, on.GatherElements(self.seen, last, axis=1))
        from_shorter = on.GatherElements(extended, self._columns(last), axis=2)
        never = on.like(_NEVER, extended)
        from_shorter = on.ReduceMax(on.Where(spells, from_shorter, never), on.ints(1), keepdims=0)
        # The empty prefix has no last label, and its `label` stays impossible.
        return _log_sum(on, more, from_shorter)

    def _columns(self, last: Tensor) -> Tensor:
        """The second beam's label, [batch, beams, beams]."""
        on = self.on
        shape = on.ints(self.batch, self.n, self.n)
        return on.Expand(on.Unsqueeze(last, on.ints(1)), shape)

    def _candidates(self, extended: Tensor, spells: Tensor, last: Tensor, stays: Tensor) -> Tensor:
        """All candidates, [batch, beams, classes]: those that spell another beam are impossible."""
        on = self.on
        most = on.like(float(np.finfo(np.float32).max), extended)
        limit = on.Where(spells, on.like(_NEVER, extended), most)
        left = on.ScatterElements(extended, self._columns(last), limit, axis=2, reduction="min")
        is_blank = on.const(np.arange(self.classes) == self.blank, DataType.BOOL)
        return on.Where(is_blank, on.Unsqueeze(stays, on.ints(2)), left)

    def _next(
        self, best: Tensor, beam: Tensor, label: Tensor, stays_blank: Tensor, stays_label: Tensor
    ) -> _Beams:
        """The beams that `beam` and `label`, [batch, beams] each, are made of."""
        on, old = self.on, self.old
        two = on.ints(2)
        never = on.like(_NEVER, best)
        stays = on.Equal(label, on.const(self.blank, DataType.INT32))

        def of(tensor: Tensor) -> Tensor:
            return on.GatherElements(tensor, beam, axis=1)

        length = of(old.length)
        rows = on.Expand(on.Unsqueeze(beam, two), on.ints(self.batch, self.n, self.time))
        labels = on.GatherElements(old.labels, rows, axis=1)
        place = on.const(np.arange(self.time), DataType.INT32)
        is_new = on.Equal(place, on.Unsqueeze(length, two))
        is_new = on.And(is_new, on.Unsqueeze(on.Not(stays), two))
        return _Beams(
            on.Where(stays, of(stays_blank), never),
            on.Where(stays, of(stays_label), best),
            on.Where(stays, of(old.last), label),
            on.Add(length, on.cast(on.Not(stays), DataType.INT32)),
            on.Where(is_new, on.Unsqueeze(label, two), labels),
            self._begins(beam, label, length, labels, stays),
        )

    def _begins(
        self, beam: Tensor, label: Tensor, length: Tensor, labels: Tensor, stays: Tensor
    ) -> Tensor:
        """Which of the new beams begin with which; `length` and `labels` are those of the old beams
        that they are made of.
        """
        on, shape = self.on, [self.batch, self.n, self.n]

        def row(tensor: Tensor) -> Tensor:
            return on.Unsqueeze(tensor, on.ints(2))

        def column(tensor: Tensor) -> Tensor:
            return on.Unsqueeze(tensor, on.ints(1))

        begins = on.GatherElements(self.old.begins, on.Expand(row(beam), on.ints(*shape)), axis=1)
        begins = on.GatherElements(begins, on.Expand(column(beam), on.ints(*shape)), axis=2)
        longer = on.Not(column(stays))
        same = on.And(on.Equal(row(beam), column(beam)), longer)
        # The label of the second one that follows where the first one ended.
        last = on.const(self.time - 1, DataType.INT32)
        at = on.Expand(column(on.Min(length, last)), on.ints(*shape))
        following = on.Transpose(on.GatherElements(labels, at, axis=2), perm=[0, 2, 1])
        more = on.Greater(column(length), row(on.Add(length, on.const(1, DataType.INT32))))
        after_label = on.And(on.Equal(following, row(label)), on.Or(more, longer))
        return on.Where(row(stays), on.Or(begins, same), on.And(begins, after_label))


def _log_sum(on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of the sum of two exponentials."""
    most = on.Max(a, b)
    return on.Add(on.Log(on.Add(on.Exp(on.Sub(a, most)), on.Exp(on.Sub(b, most)))), most)


OpCreator(CtcBeamSearchDecoder, graphcore_id("CtcBeamSearchDecoder"))
