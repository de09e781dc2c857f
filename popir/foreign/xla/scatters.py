"""Scatters of HLO, as operators of ONNX."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from popir.foreign.xla.indexing import (
    batches_of,
    clamped,
    rows_of,
    scaled,
    spread,
    strides_of,
    total,
    windows_at,
)
from popir.foreign.xla.instructions import At, Operand, operator
from popir.foreign.xla.scalars import mapped, require_results
from popir.foreign.xla.sums import combination
from popir.types import DataType

_SCATTERS = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}


@operator("scatter", None, several=True)
def _scatter(at: At, *operands: Operand) -> str | list[str]:
    """A box that does not lie inside is not written."""
    count = len(operands) // 2
    arrays, updates = operands[:count], operands[count + 1 :]
    if len(operands) != 2 * max(count, 1) + 1 or any(
        (a.dims, u.dims, u.kind) != (arrays[0].dims, updates[0].dims, a.kind)
        for a, u in zip(arrays, updates, strict=True)
    ):
        raise at.wrong(
            "its operands must be arrays of the same dimensions, indices, then for each array "
            "updates of its type, of the same dimensions"
        )
    require_results(at, [each.kind for each in arrays])
    window = at.numbers("update_window_dims", len(updates[0].dims))
    places = _places(at, arrays[0], operands[count], updates[0], window)
    # What is not written goes into one more element behind the last.
    size, rank = math.prod(arrays[0].dims), len(updates[0].dims)
    order = [*(d for d in range(rank) if d not in window), *window]
    box = math.prod(updates[0].dims[d] for d in window)
    row = [math.prod(updates[0].dims) // max(box, 1), box]
    flat = [
        at.on.concat([at.reshape(each.id, [-1]), at.constant([0], each.kind)], 0) for each in arrays
    ]
    places, *new = (
        at.reshape(at.on.transpose([x], order), row) for x in (places, *(u.id for u in updates))
    )
    found = flat
    if math.prod(row):
        found = scattered(at, flat, places, new, "to_apply")
    found = [at.reshape(at.slice(x, [0], [size], [1]), arrays[0].dims) for x in found]
    return found if count > 1 else found[0]


def _places(at: At, x: Operand, indices: Operand, updates: Operand, window: Sequence[int]) -> str:
    """For each update its place in the flat operand; behind the end if its box is not inside."""
    rank = len(x.dims)
    rows, outer, shared = rows_of(
        at, indices, "scatter_dims_to_operand_dims", "scatter_indices_batching_dims"
    )
    batches = batches_of(at, "input_batching_dims", rank)
    gone = {*at.numbers("inserted_window_dims", rank), *batches}
    kept = [axis for axis in range(rank) if axis not in gone]
    if (
        len(kept) != len(window)
        or len(shared) != len(batches)
        or any(axis >= rank for axis, _ in rows)
        or tuple(n for d, n in enumerate(updates.dims) if d not in window) != outer
    ):
        raise at.wrong(f"its dimensions do not fit {list(x.dims)} and {list(updates.dims)}")
    sizes = {axis: updates.dims[d] for axis, d in zip(kept, window, strict=True)}
    strides = strides_of(at, x.dims)
    first: list[str] = []
    inside = at.on.constant(np.ones(outer, np.bool_))
    for axis, row in rows:
        limit = x.dims[axis] - sizes.get(axis, 1)
        if limit < 0:
            raise at.wrong(f"its updates {list(updates.dims)} are larger than {list(x.dims)}")
        wide = at.cast(row, DataType.INT64)
        within = at.on.logical_and(
            [
                at.on.greaterorequal([wide, at.constant(0, DataType.INT64)]),
                at.on.lessorequal([wide, at.constant(limit, DataType.INT64)]),
            ]
        )
        inside = at.on.logical_and([inside, within])
        first.append(scaled(at, clamped(at, row, indices.kind, limit), strides[axis]))
    places = windows_at(
        at,
        total(at, first),
        x,
        outer,
        [*zip(shared, batches, strict=True)],
        window,
        [*sizes.items()],
    )
    inside = spread(at, inside, outer, len(updates.dims), window)
    return at.on.where([inside, places, at.constant(math.prod(x.dims), DataType.INT32)])


def scattered(
    at: At, arrays: list[str], places: str, updates: list[str], attribute: str
) -> list[str]:
    """Flat arrays with `updates` at `places`, both [rows, elements], combined with what is there by
    a computation. Rows follow each other; elements of a row have different places, but for those
    that no one reads.
    """
    called = at.called(attribute)
    root = called.step(called.root)
    names = {
        each.operands[0]: each.name for each in called.instructions if each.opcode == "parameter"
    }
    last = names.get(str(len(arrays)), "")
    if len(arrays) == 1:
        ((x,), (new,)) = arrays, updates
        opcode = combination(at, attribute)
        operands = [x, at.reshape(places, [-1]), at.reshape(new, [-1])]
        if root.name == last:
            return [at.on.scatterelements(operands, 0)]
        if opcode in _SCATTERS and at.kind is not DataType.BOOL:
            return [at.on.scatterelements(operands, 0, _SCATTERS[opcode])]

    def row(at: At, places: str, updates: list[str], arrays: list[str], size: int) -> list[str]:
        old = [at.on.gather([x, places], 0) for x in arrays]
        made = mapped(at, [*old, *updates], [size], attribute)
        return [
            at.on.scatterelements([x, places, new], 0) for x, new in zip(arrays, made, strict=True)
        ]

    rows, box = at.builder.getTensorShape(places)
    if rows == 1 or at.each.attributes.get("unique_indices") == "true":
        flat = [at.reshape(x, [-1]) for x in (places, *updates)]
        return row(at, flat[0], flat[1:], arrays, rows * box)

    def step(at: At, i: str, arrays: list[str]) -> list[str]:
        now = [at.on.gather([x, i], 0) for x in (places, *updates)]
        return row(at, now[0], now[1:], arrays, box)

    return at.loop(rows, arrays, step)
