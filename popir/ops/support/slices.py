"""Slices whose starts and ends are computed at run time, and whose sizes are known all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from popir.ir import Tensor
from popir.ir.integers import Form, Integers
from popir.ops.support.decomposition import Decomposer
from popir.types import DataType


@dataclass(frozen=True)
class _Part:
    """What is taken along one axis."""

    axis: int
    place: int
    """The index of the axis among starts and ends."""
    count: int
    step: int
    first: int | None
    """For a slice that lies in the tensor in any case: what is added to its start to have the
    offset of its least element. None if it may reach out of the tensor.
    """


def sliced(
    on: Decomposer,
    x: Tensor,
    starts: Tensor,
    ends: Tensor,
    axes: Sequence[int],
    steps: Sequence[int],
) -> Tensor | None:
    """The slice, if its size does not depend on what is known at run time alone; else None.

    The size along an axis is known if the end is the start and a constant. A slice that lies in the
    tensor in any case is a DynamicSlice. Any other is shorter in ONNX where it reaches out of the
    tensor, after starts and ends have been clamped; here what lacks at its end is zeros. That is
    assumed not to matter (`Graph.assumed`), or None is returned if nothing may be assumed.
    """
    integers, shape = Integers(), on.shape(x)
    first, last = integers.of(starts), integers.of(ends)
    if first is None or last is None or not first.shape == last.shape == (len(axes),):
        return None
    parts: list[_Part] = []
    fixed: list[tuple[int, int, int, int]] = []
    for i, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        start, end = first[i], _end(last[i], shape[axis], step)
        if start.is_constant and end.is_constant:
            fixed.append((start.constant, end.constant, axis, step))
            continue
        part = _part(axis, i, start, end, shape[axis], step)
        if part is None or (part.first is None and on.graph.assumed is None):
            return None
        parts.append(part)
    if fixed:
        x = on.Slice(x, *(on.ints(*numbers) for numbers in zip(*fixed, strict=True)))
    inside = [part for part in parts if part.first is not None]
    if inside:
        x = _inside(on, x, starts, inside)
    for part in parts:
        if part.first is None:
            x = _clamped(on, x, starts, ends, part)
    return x


def _end(end: Form, size: int, step: int) -> Form:
    """The end; the size itself if it is never before the last element."""
    return Form(size) if step > 0 and not end.is_constant and end.low >= size else end


def _part(axis: int, place: int, start: Form, end: Form, size: int, step: int) -> _Part | None:
    """The part of an axis; None if its size is not known."""
    length = end - start
    if not length.is_constant:
        return None
    count = -(-length.constant // step)
    reach = (count - 1) * step
    if count < 1 or abs(reach) >= size:
        return None
    low, high = min(0, reach), max(0, reach)
    # From the end on if all of it has negative numbers, the end too, so that it is not 0.
    for shift in (0, size):
        is_in = start.low + low + shift >= 0 and start.high + high + shift < size
        if is_in and (end.low >= 0 if not shift else max(start.high, end.high) < 0):
            return _Part(axis, place, count, step, low + shift)
    return _Part(axis, place, count, step, None)


def _inside(on: Decomposer, x: Tensor, starts: Tensor, parts: Sequence[_Part]) -> Tensor:
    """A DynamicSlice of what the steps go over, and a Slice by steps where these are not 1."""
    places = [part.place for part in parts]
    offsets = starts
    if places != list(range(on.shape(starts)[0])):
        offsets = on.Gather(starts, on.ints(*places), axis=0)
    shifts = [part.first or 0 for part in parts]
    if any(shifts):
        offsets = on.Add(offsets, on.like(shifts, starts))
    attributes = {
        "axes": [part.axis for part in parts],
        "sizes": [(part.count - 1) * abs(part.step) + 1 for part in parts],
    }
    found = on.add("ai.graphcore", "DynamicSlice", 1, [x, offsets], 1, attributes)
    assert isinstance(found, Tensor)
    stepping = [part for part in parts if part.step != 1 and part.count > 1]
    if not stepping:
        return found
    back = [part.step < 0 for part in stepping]
    least, most = -(1 << 63), (1 << 63) - 1
    return on.Slice(
        found,
        on.ints(*(most if b else 0 for b in back)),
        on.ints(*(least if b else most for b in back)),
        on.ints(*(part.axis for part in stepping)),
        on.ints(*(part.step for part in stepping)),
    )


def _clamped(on: Decomposer, x: Tensor, starts: Tensor, ends: Tensor, part: _Part) -> Tensor:
    """A Gather, which gives zeros for the positions that are not before the end."""
    size, back = on.shape(x)[part.axis], part.step < 0

    def position(given: Tensor, low: int, high: int) -> Tensor:
        one = on.cast(on.Gather(given, on.ints(part.place), axis=0), DataType.INT64)
        counted = on.Where(on.Less(one, on.ints(0)), on.Add(one, on.ints(size)), one)
        return on.Min(on.Max(counted, on.ints(low)), on.ints(high))

    start = position(starts, 0, size - 1 if back else size)
    end = position(ends, -1 if back else 0, size - 1 if back else size)
    steps = on.const(part.step * np.arange(part.count, dtype=np.int64))
    at = on.Add(start, steps)
    found = on.Greater(at, end) if back else on.Less(at, end)
    assert on.graph.assumed is not None
    on.graph.assumed.append(
        f"{on.op.opid} '{on.op.name()}': {part.count} elements along axis {part.axis}, from a "
        "start that is known at run time; zeros where it reaches out of the tensor."
    )
    return on.Gather(x, on.Where(found, at, on.ints(size)), axis=part.axis)
