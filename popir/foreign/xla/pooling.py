"""Reductions of windows of HLO, and the choice of an element of each, as operators of ONNX."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from popir.foreign.xla.instructions import At, Operand, operator
from popir.foreign.xla.scalars import mapped, paired, require_results
from popir.foreign.xla.scatters import scattered
from popir.foreign.xla.sums import REDUCTIONS, combination
from popir.foreign.xla.windows import Mask, Places, Window, window_of
from popir.types import DataType


def _window(at: At, rank: int) -> Window:
    window = window_of(at, rank)
    if any(window.reversed):
        raise at.wrong("its window is reversed, which only a convolution knows")
    return window


@operator("reduce-window", None, several=True)
def _reduce_window(at: At, *operands: Operand) -> str | list[str]:
    """One dimension after the other, by an operator of ONNX where the computation is one, else in
    pairs of neighbours. The start comes first in each window; padding is left out.
    """
    size = len(operands) // 2
    values, starts = operands[:size], operands[size:]
    if len(operands) != 2 * max(size, 1) or any(
        start.dims or start.kind is not x.kind or x.dims != values[0].dims
        for x, start in zip(values, starts, strict=True)
    ):
        raise at.wrong(
            "its operands must be arrays of the same dimensions, then for each one number of its "
            "type"
        )
    dims = [*values[0].dims]
    window = _window(at, len(dims))
    opcode = combination(at) if size == 1 and values[0].kind is not DataType.BOOL else ""
    require_results(at, [x.kind for x in values])
    rows = [window.places(axis, n) for axis, n in enumerate(dims)]
    counts = [len(places) for places, _ in rows]
    if 0 in dims:  # There is nothing but padding.
        found = [at.on.expand([each.id, at.ints(counts)]) for each in starts]
        return found if size > 1 else found[0]
    found, full = [x.id for x in values], np.ones([], np.bool_)
    for axis in reversed(range(len(dims))):  # The last first: the elements keep their order.
        places, there = rows[axis]
        full = np.logical_and.outer(there.any(1), full)
        if there.all() and np.array_equal(places, np.arange(dims[axis])[:, None]):
            continue
        count, length = places.shape
        if count * length * math.prod(dims) // dims[axis] >= 1 << 31:
            raise at.wrong("its windows have 2^31 elements or more, which is not possible here")
        found = [at.on.gather([x, at.on.constant(places)], axis) for x in found]
        wide = [*dims[:axis], count, length, *dims[axis + 1 :]]
        there = there.reshape([count, length] + [1] * (len(dims) - axis - 1))
        dims[axis] = count
        if not opcode:
            there = there.reshape([1] * axis + [*there.shape])
            found = paired(at, found, wide, axis + 1, there)
            continue
        if not there.all():
            identity = at.constant(_identity(opcode, values[0].kind), values[0].kind)
            found = [at.on.where([at.on.constant(there), found[0], identity])]
        reduction = getattr(at.on, REDUCTIONS[opcode][0])
        found = [reduction([found[0], at.ints([axis + 1])], 0)]
    if opcode:
        return getattr(at.on, REDUCTIONS[opcode][1])([found[0], starts[0].id])
    first = [at.on.expand([each.id, at.ints(dims)]) for each in starts]
    found = mapped(at, [*first, *found], dims)
    if not full.all():
        found = [
            at.on.where([at.on.constant(full), x, start])
            for x, start in zip(found, first, strict=True)
        ]
    return found if size > 1 else found[0]


def _identity(opcode: str, kind: DataType) -> float:
    """What an operator combines with any number to that number."""
    if opcode in ("add", "multiply"):
        return 0 if opcode == "add" else 1
    if kind.numpy.kind in "iu":
        limits = np.iinfo(kind.numpy)
        return int(limits.min if opcode == "maximum" else limits.max)
    return -np.inf if opcode == "maximum" else np.inf


@operator("select-and-scatter", 3)
def _select_and_scatter(at: At, x: Operand, source: Operand, start: Operand) -> str:
    """The elements of windows one after the other: of each window one element remains, whose place
    in the result gets that of the source. A window of padding alone has none.
    """
    rank = len(x.dims)
    window = _window(at, rank)
    rows = [window.places(axis, n) for axis, n in enumerate(x.dims)]
    counts = [len(places) for places, _ in rows]
    if any(n > 1 for n in window.between):
        raise at.wrong("its window has elements between those of the operand")
    if start.dims or {start.kind, source.kind} != {x.kind} or [*source.dims] != counts:
        raise at.wrong(
            f"its operands are {list(x.dims)}, {list(source.dims)} and {list(start.dims)}; expected"
            f" are an array, one of its {counts} windows and one number, of the same type"
        )
    if math.prod(x.dims) >= 1 << 31:
        raise at.wrong(f"{list(x.dims)} has 2^31 elements or more, which is not possible here")
    require_results(at, [DataType.BOOL], "select")
    require_results(at, [x.kind], "scatter")
    size = math.prod(x.dims)
    result = at.on.expand([start.id, at.ints([size + 1])])
    if size and math.prod(counts):
        places = _chosen(at, x, window, rows)
        row = [math.prod(counts), 1]
        updates = [at.reshape(source.id, row)]
        (result,) = scattered(at, [result], at.reshape(places, row), updates, "scatter")
    return at.reshape(at.slice(result, [0], [size], [1]), x.dims)


def _chosen(at: At, x: Operand, window: Window, rows: Sequence[tuple[Places, Mask]]) -> str:
    """For each window the place of the element that remains, in the flat operand; behind its end
    for a window of padding alone.
    """
    counts = [len(places) for places, _ in rows]
    strides = [math.prod(x.dims[axis + 1 :]) for axis in range(len(x.dims))]
    best, chosen = "", at.constant(0, DataType.INT32)
    steps: list[int] = []
    seen = np.zeros(counts, np.bool_)
    for number, offset in enumerate(np.ndindex(*window.size)):
        value, there = x.id, np.ones([], np.bool_)
        for axis, (places, inside) in enumerate(rows):
            line, there = (
                places[:, offset[axis]],
                np.logical_and.outer(there, inside[:, offset[axis]]),
            )
            if not np.array_equal(line, np.arange(x.dims[axis])):
                value = at.on.gather([value, at.on.constant(line)], axis)
        steps.append(sum(map(math.prod, zip(offset, window.dilation, strides, strict=True))))
        if best:
            keeps = mapped(at, [best, value], counts, "select")[0]
            if not seen.all():
                keeps = at.on.logical_and([keeps, at.on.constant(seen)])
            if not there.all():
                keeps = at.on.logical_or([keeps, at.on.constant(~there)])
            value = at.on.where([keeps, best, value])
            chosen = at.on.where([keeps, chosen, at.constant(number, DataType.INT32)])
        best, seen = value, seen | there
    first = np.zeros([], np.int32)
    for axis, stride in enumerate(strides):
        line = np.arange(counts[axis]) * window.stride[axis] - window.before[axis]
        first = np.add.outer(first, (line * stride).astype(np.int32))
    table = at.on.constant(np.array(steps, np.int32))
    chosen = at.on.expand([at.on.gather([table, chosen], 0), at.ints(counts)])
    found = at.on.add([at.on.constant(first), chosen])
    if seen.all():
        return found
    return at.on.where(
        [at.on.constant(seen), found, at.constant(math.prod(x.dims), DataType.INT32)]
    )
