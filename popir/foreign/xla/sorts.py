"""Sorts of HLO, as operators of ONNX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from popir.foreign.xla.hlo_text import Computation
from popir.foreign.xla.instructions import At, Operand, operator
from popir.foreign.xla.scalars import mapped, require_results
from popir.types import DataType

Places = np.ndarray[Any, np.dtype[np.int32]]
"""Places along an axis."""


@operator("sort", None, several=True)
def _sort(at: At, *operands: Operand) -> str | list[str]:
    """By any computation that compares two elements of each operand. Equal elements keep their
    order.
    """
    axes = at.numbers("dimensions", len(operands[0].dims))
    if any(each.dims != operands[0].dims for each in operands) or len(axes) != 1:
        raise at.wrong("its operands must have the same dimensions, one of which it sorts")
    require_results(at, [DataType.BOOL])
    known = _one_key(at, operands)
    if known is None:
        found = _network(at, operands, axes[0])
    else:
        by, largest = known
        size = at.ints([by.dims[axes[0]]])
        _, order = at.on.topk([_comparable(at, by), size], axes[0], int(largest), 1)
        found = [at.on.gatherelements([each.id, order], axes[0]) for each in operands]
    return found[0] if len(found) == 1 else found


def _one_key(at: At, operands: Sequence[Operand]) -> tuple[Operand, bool] | None:
    """The operand that alone is compared, in an order that TopK has, and whether the largest comes
    first; None for other computations.
    """
    called = at.called("to_apply")
    root = called.step(called.root)
    direction = root.attributes.get("direction", "")
    if root.opcode != "compare" or direction not in ("LT", "GT"):
        return None
    keys = [_key(called, name) for name in root.operands]
    (left, made), (right, also) = ((key or (0, set[str]())) for key in keys)
    if None in keys or made != also or left // 2 != right // 2 or left == right:
        return None
    if max(left, right) >= 2 * len(operands):
        return None
    by = operands[left // 2]
    # TopK takes both zeros, and all NaN, for the same; the total order does so only where the
    # computation made them one.
    total = root.attributes.get("type") == "TOTALORDER" and by.kind.numpy.kind not in "iub"
    if total and made != {"nan", "zero"}:
        return None
    return by, (direction == "GT") == (left < right)


def _network(at: At, operands: Sequence[Operand], axis: int) -> list[str]:
    """Batcher's merge sort: in each stage elements of constant places are compared in pairs, and
    exchanged. Their numbers decide between equal ones.
    """
    dims = [*operands[0].dims]
    count = dims[axis]
    row = np.arange(count, dtype=np.int32)
    numbers = row.reshape([-1 if d == axis else 1 for d in range(len(dims))])
    order = at.on.constant(np.ascontiguousarray(np.broadcast_to(numbers, dims)))
    found = [*(each.id for each in operands), order]
    for low, high in _stages(count):
        dims[axis] = len(low)
        sides = [[_taken(at, x, side, axis) for x in found] for side in (low, high)]
        pairs = [*zip(*(side[:-1] for side in sides), strict=True)]
        (after,) = mapped(at, [x for pair in pairs for x in pair], dims)
        (before,) = mapped(at, [x for a, b in pairs for x in (b, a)], dims)
        tie = at.on.logical_and(
            [at.on.logical_not([after]), at.on.less([sides[1][-1], sides[0][-1]])]
        )
        swap = at.on.logical_or([before, tie])
        others = np.setdiff1d(row, [*low, *high])
        back = np.argsort(np.concatenate([low, high, others])).astype(np.int32)
        for i, (a, b) in enumerate(zip(*sides, strict=True)):
            parts = [at.on.where([swap, b, a]), at.on.where([swap, a, b])]
            if len(others):
                parts.append(_taken(at, found[i], others, axis))
            found[i] = _taken(at, at.on.concat(parts, axis), back, axis)
    return found[:-1]


def _taken(at: At, x: str, places: Sequence[int] | Places, axis: int) -> str:
    return at.on.gather([x, at.on.constant(np.asarray(places, np.int32))], axis)


def _stages(count: int) -> Iterator[tuple[Places, Places]]:
    """The lower and higher places that each stage compares."""
    places = np.arange(count, dtype=np.int32)
    run = 1
    while run < count:
        apart = run
        while apart:
            shifted = places - apart % run
            low = places[
                (shifted >= 0)
                & (shifted % (2 * apart) < apart)
                & (places + apart < count)
                & (places // (2 * run) == (places + apart) // (2 * run))
            ]
            if len(low):
                yield low, low + apart
            apart //= 2
        run *= 2


def _comparable(at: At, x: Operand) -> str:
    """Values of a type that TopK takes, in the same order."""
    return at.cast(x.id, DataType.INT32) if x.kind is DataType.BOOL else x.id


def _key(called: Computation, name: str) -> tuple[int, set[str]] | None:
    """The number of the parameter whose value this is, and what may have been made one before:
    "nan", "zero", or both; None if it is none.
    """
    step = called.step(name)
    if step.opcode == "parameter":
        return int(step.operands[0]), set()
    if step.opcode != "select":
        return None
    test, value, other = (called.step(each) for each in step.operands)
    key = _key(called, other.name)
    if test.opcode != "compare" or value.opcode != "constant" or key is None:
        return None
    tested = _key(called, test.operands[0])
    if tested is None or tested[0] != key[0]:
        return None
    direction, word = test.attributes.get("direction"), value.operands[0]
    if direction == "NE" and test.operands[0] == test.operands[1] and word == "nan":
        return key[0], key[1] | {"nan"}
    against = called.step(test.operands[1])
    zero = against.opcode == "constant" and against.operands[0] == word == "0"
    return (key[0], key[1] | {"zero"}) if direction == "EQ" and zero else None


@operator("topk", 1, several=True)
def _topk(at: At, x: Operand) -> list[str]:
    """Along the last dimension."""
    count = at.number("k", x.dims[-1] + 1 if x.dims else 0)
    largest = int(at.each.attributes.get("largest", "true") == "true")
    values, order = at.on.topk([x.id, at.ints([count])], len(x.dims) - 1, largest, 1)
    return [values, at.cast(order, DataType.INT32)]
