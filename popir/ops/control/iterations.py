"""How often a loop may run at most: what its condition says, if that counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from popir.ir import Graph, Tensor
from popir.ir.integers import Form, Integers, Unknown

_LESS = {"Less": (0, 1, 1), "LessOrEqual": (0, 1, 0), "Greater": (1, 0, 1)}
_LESS["GreaterOrEqual"] = (1, 0, 0)
"""For each comparison: the input that is to be less, the other one, and by how much at least."""


class _Counter(NamedTuple):
    """A number that begins with `first`, and to which each iteration adds `step`."""

    first: int
    step: int


def most_iterations(
    body: Graph, initial: Mapping[int, int], after: Mapping[int, str]
) -> int | None:
    """The most iterations that the condition of a loop, output 0 of its body, allows; None if it
    does not count.

    Input 0 of the body is the number of the iteration. `initial` has the first values of other
    inputs, by index, and `after` the ids of what an iteration makes of them.
    """
    integers = Integers()
    counters: dict[Unknown, _Counter] = {}
    number = _one(integers, body.getTensor(body.inputs[0]))
    if number is not None:
        counters.update((each, _Counter(0, 1)) for each in number.terms)
    for i, first in initial.items():
        before = _one(integers, body.getTensor(body.inputs[i]))
        then = _one(integers, body.getTensor(after[i]))
        if before is None or then is None or len(before.terms) != 1:
            continue
        change = then - before
        if change.is_constant:
            counters.update((each, _Counter(first, change.constant)) for each in before.terms)
    found: list[int] = []
    for less, other, by in _comparisons(body.getTensor(body.outputs[0])):
        low, high = _one(integers, less), _one(integers, other)
        if low is None or high is None:
            continue
        left = high - low  # The loop goes on while it is at least `by`.
        if any(each not in counters for each in left.terms):
            continue
        pairs = [(factor, counters[each]) for each, factor in left.terms.items()]
        first = left.constant + sum(factor * each.first for factor, each in pairs)
        change = sum(factor * each.step for factor, each in pairs)
        if first < by:
            found.append(1)
        elif change < 0:
            found.append((first - by) // -change + 2)
    return min(found, default=None)


def _one(integers: Integers, tensor: Tensor) -> Form | None:
    forms = integers.of(tensor)
    return forms.item() if forms is not None and forms.size == 1 else None


def _comparisons(condition: Tensor) -> Iterator[tuple[Tensor, Tensor, int]]:
    """The comparisons that hold wherever the condition does."""
    ahead, seen = [condition], {condition}
    while ahead:
        op = ahead.pop().producer
        if op is None:
            continue
        kind = op.opid.type
        if kind in _LESS and op.opid.domain == "ai.onnx":
            less, other, by = _LESS[kind]
            yield op.inTensor(less), op.inTensor(other), by
        further: list[Tensor] = []
        if kind in ("And", "Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze"):
            further = list(op.input.values())
        elif kind == "If" and _is_false(op.getCalledGraphs()[-1]):
            further = [op.inTensor(0)]
        for each in further:
            if each not in seen:
                seen.add(each)
                ahead.append(each)


def _is_false(branch: Graph) -> bool:
    """Whether a branch with one output gives False."""
    found = branch.getTensor(branch.outputs[0])
    return len(branch.outputs) == 1 and found.data is not None and not found.data.any()
