"""Ctc: the connectionist temporal classification loss.

Sequences of labels y are extended by blanks, to -y0-y1-...-: `states` 2 n + 1 of them. alpha[t, s]
is the logarithm of the probability of all ways to be in state s after step t.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.control.loop_op import ITERATION, add_loop
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType, ReductionType, TensorInfo

_NEVER = -1e30
"""The logarithm of a probability of 0: finite, so that differences are numbers."""


class Ctc(Decomposition):
    """PopART's Ctc (`builder.aiGraphcore.ctcloss`): minus the logarithm of the probability that
    steps of log probabilities [steps, batch, classes] spell the labels [batch, labels], in the
    first `lengths` of both.

    The mean is that of the losses over their numbers of labels, as in PyTorch. A loss is infinite
    if no alignment is possible, or 0 with `zeroInfinity`. Output 1 is the gradient of each loss.
    """

    reduction: str
    blank: int
    outDataType: int
    zeroInfinity: bool

    def decompose(
        self, on: Decomposer, probs: Tensor, labels: Tensor, steps: Tensor, counts: Tensor
    ) -> Sequence[Tensor]:
        """A loop over the steps; another one, backwards, for the gradient."""
        shape = on.shape(probs)
        if len(shape) != 3 or on.shape(labels)[:1] != shape[1:2] or len(on.shape(labels)) != 2:
            raise self.wrong(
                f"the probabilities are {on.info(probs)}, the labels {on.info(labels)}; expected "
                "are [steps, batch, classes] and [batch, labels]."
            )
        time, batch, classes = shape
        if on.shape(steps) != [batch] or on.shape(counts) != [batch] or not time:
            raise self.wrong(
                f"the lengths are {on.info(steps)} and {on.info(counts)}; expected is [{batch}] "
                "twice, and at least one step."
            )
        if not 0 <= self.blank < classes:
            raise OperatorAttributeError(
                f"{self._who()}: the blank is {self.blank}; expected is one of {classes} classes."
            )
        if self.reduction not in ReductionType.__members__:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'reduction' is {self.reduction!r}; expected is one "
                f"of {', '.join(ReductionType.__members__)}."
            )
        kind = on.info(probs).dataType()
        out = DataType.of(self.outDataType) if self.outDataType else kind
        whole, wide = DataType.INT32, DataType.FLOAT
        steps, counts = on.cast(steps, whole), on.cast(counts, whole)
        states = self._states(on, on.cast(labels, whole), classes)
        n = on.shape(states)[1]
        places = on.Expand(on.Unsqueeze(states, on.ints(0)), on.ints(time, batch, n))
        seen = on.GatherElements(on.cast(probs, wide), places, axis=2)
        may_skip = self._may_skip(on, states)
        number = on.const(np.arange(time)[:, None], whole)
        within = on.Less(number, on.Unsqueeze(steps, on.ints(0)))
        within = on.reshape(within, [time, batch, 1])
        state = on.const(np.arange(n)[None], whole)
        alphas, last = self._forward(on, seen, within, may_skip)
        ends = on.Mul(counts, on.const(2, whole))
        end = on.Unsqueeze(ends, on.ints(1))
        final = on.Or(on.Equal(state, end), on.Equal(state, on.Sub(end, on.const(1, whole))))
        never = on.const(_NEVER, wide)
        total = on.ReduceLogSumExp(on.Where(final, last, never), on.ints(1), keepdims=0)
        loss = on.Neg(total)
        possible = on.Less(loss, on.const(-_NEVER / 10, wide))
        other = on.const(0 if self.zeroInfinity else np.inf, wide)
        loss = on.Where(possible, loss, other)
        gradient = self._gradient(on, seen, within, may_skip, final, alphas, total, places, shape)
        if self.reduction == "Mean":
            least = on.const(1, whole)
            loss = on.Div(loss, on.cast(on.Max(counts, least), wide))
            loss = on.ReduceMean(loss, keepdims=0)
        elif self.reduction == "Sum":
            loss = on.ReduceSum(loss, keepdims=0)
        return [on.cast(loss, out), on.cast(gradient, kind)]

    def _states(self, on: Decomposer, labels: Tensor, classes: int) -> Tensor:
        """The labels with blanks around each, INT32 [batch, states]."""
        batch, count = on.shape(labels)
        whole = DataType.INT32
        known = on.Clip(labels, on.const(0, whole), on.const(classes - 1, whole))
        blanks = on.const(np.full((batch, count, 1), self.blank), whole)
        pairs = on.Concat(blanks, on.Unsqueeze(known, on.ints(2)), axis=2)
        last = on.const(np.full((batch, 1), self.blank), whole)
        return on.Concat(on.reshape(pairs, [batch, 2 * count]), last, axis=1)

    def _may_skip(self, on: Decomposer, states: Tensor) -> Tensor:
        """BOOL [batch, states]: whether the state may follow the second last one: it is a label,
        and another one.
        """
        batch, n = on.shape(states)
        blank = on.const(self.blank, DataType.INT32)
        before = on.Slice(states, on.ints(0), on.ints(max(n - 2, 0)), on.ints(1))
        first = on.const(np.full((batch, min(2, n)), self.blank), DataType.INT32)
        before = on.Concat(first, before, axis=1)
        return on.And(on.Not(on.Equal(states, blank)), on.Not(on.Equal(states, before)))

    def _forward(
        self, on: Decomposer, seen: Tensor, within: Tensor, may_skip: Tensor
    ) -> tuple[Tensor, Tensor]:
        """alpha after each step, and after the last one of each sequence.

        Before the first step it is the first state's alone: from there one comes to the first two.
        """
        start = np.full(on.shape(seen)[1:], _NEVER)
        start[:, 0] = 0
        inner, alpha, now, inside, skip = self._step(on, "forward", may_skip)
        from_second = inner.Where(skip, _shifted(inner, alpha, 2), inner.like(_NEVER, alpha))
        new = inner.Add(_log_sum(inner, [alpha, _shifted(inner, alpha, 1), from_second]), now)
        new = inner.Where(inside, new, alpha)
        inner.graph.outputs = [new.id, inner.Identity(new).id]
        first = on.const(start, DataType.FLOAT)
        last, each = self._loop(on, inner, [first, seen, within, may_skip], reverse=False)
        return each, last

    def _gradient(
        self,
        on: Decomposer,
        seen: Tensor,
        within: Tensor,
        may_skip: Tensor,
        final: Tensor,
        alphas: Tensor,
        total: Tensor,
        places: Tensor,
        shape: list[int],
    ) -> Tensor:
        """Minus the probability of each class at each step, given the labels."""
        inner, beta, now, inside, skip = self._step(on, "backward", may_skip)
        rest = inner.Add(beta, now)
        never = inner.like(_NEVER, beta)
        to_second = _shifted(inner, inner.Where(skip, rest, never), -2)
        new = _log_sum(inner, [rest, _shifted(inner, rest, -1), to_second])
        new = inner.Where(inside, new, beta)
        inner.graph.outputs = [new.id, inner.Identity(beta).id]
        zero, wide = on.const(0, DataType.FLOAT), DataType.FLOAT
        first = on.Where(final, zero, on.const(_NEVER, wide))
        _, betas = self._loop(on, inner, [first, seen, within, may_skip], reverse=True)
        logs = on.Sub(on.Add(alphas, betas), on.Unsqueeze(total, on.ints(1)))
        possible = on.Greater(total, on.const(_NEVER / 10, wide))
        counts = on.And(within, on.Unsqueeze(possible, on.ints(1)))
        shares = on.Where(counts, on.Neg(on.Exp(on.Min(logs, zero))), zero)
        nothing = on.ConstantOfShape(on.ints(*shape), value=np.zeros(1, np.float32))
        return on.ScatterElements(nothing, places, shares, axis=2, reduction="add")

    def _step(
        self, on: Decomposer, name: str, may_skip: Tensor
    ) -> tuple[Decomposer, Tensor, Tensor, Tensor, Tensor]:
        """The graph of a step, with its inputs: the states' logarithms, what is seen, whether the
        step is within its sequence, and which states may follow the second last one.
        """
        inner = on.within(name)
        batch, states = on.shape(may_skip)
        info = TensorInfo(DataType.FLOAT, [batch, states])
        inner.input(ITERATION, "number")
        carried, now = inner.input(info, "states"), inner.input(info, "seen")
        inside = inner.input(TensorInfo(DataType.BOOL, [batch, 1]), "within")
        return inner, carried, now, inside, inner.input(on.info(may_skip), "skip")

    def _loop(
        self, on: Decomposer, inner: Decomposer, inputs: list[Tensor], reverse: bool
    ) -> list[Tensor]:
        attributes = {
            "body": inner.graph,
            "carried": 1,
            "scanned": 2,
            "trip": on.shape(inputs[1])[0],
            "conditional": False,
            "descending": False,
            "reversed_inputs": [int(reverse)] * 2,
            "reversed_outputs": [int(reverse)],
        }
        return add_loop(on, [None, None, *inputs], 2, attributes)


def _shifted(on: Decomposer, states: Tensor, by: int) -> Tensor:
    """The states moved along the last dimension; those without one before are impossible."""
    batch, n = on.shape(states)
    by = max(min(by, n), -n)
    none = on.const(np.full((batch, abs(by)), _NEVER), DataType.FLOAT)
    if by >= 0:
        return on.Concat(none, on.Slice(states, on.ints(0), on.ints(n - by), on.ints(1)), axis=1)
    return on.Concat(on.Slice(states, on.ints(-by), on.ints(n), on.ints(1)), none, axis=1)


def _log_sum(on: Decomposer, logs: Sequence[Tensor]) -> Tensor:
    """The logarithm of a sum of exponentials."""
    most = on.Max(*logs)
    return on.Add(on.Log(on.Sum(*(on.Exp(on.Sub(each, most)) for each in logs))), most)


OpCreator(Ctc, graphcore_id("Ctc"))
