"""Gathers and dynamic slices of HLO, as operators of ONNX.

An instruction that reads or writes elements at computed places becomes a Gather or ScatterElements
of the flat operand, with the places as numbers of elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from popir.foreign.xla.instructions import At, Operand, operator
from popir.types import DataType


def strides_of(at: At, dims: Sequence[int]) -> list[int]:
    """The elements between neighbours, row-major. Raises ModelError for more than 2^31."""
    if math.prod(dims) >= 1 << 31:
        raise at.wrong(f"{list(dims)} has 2^31 elements or more, which is not possible here")
    return [math.prod(dims[axis + 1 :]) for axis in range(len(dims))]


def _places(sizes: Sequence[int], strides: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype]:
    """For each element of a box its place behind the first one."""
    found = np.zeros([*sizes], np.int32)
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        rows = (np.arange(size) * stride).astype(np.int32)
        found += rows.reshape([-1 if d == axis else 1 for d in range(len(sizes))])
    return found


def _whole(at: At, *indices: Operand) -> None:
    if any(each.kind.numpy.kind not in "iu" for each in indices):
        raise at.wrong("its indices must be integers")


def clamped(at: At, index: str, kind: DataType, limit: int) -> str:
    """The index as an int32 from 0 to `limit`."""
    limit = min(limit, int(np.iinfo(kind.numpy).max))
    inside = at.on.max([index, at.constant(0, kind)])
    return at.cast(at.on.min([inside, at.constant(limit, kind)]), DataType.INT32)


def total(at: At, terms: Sequence[str]) -> str:
    """The sum of int32 arrays."""
    found = at.constant(0, DataType.INT32)
    for each in terms:
        found = at.on.add([found, each])
    return found


def scaled(at: At, x: str, by: int) -> str:
    """An int32 array times a number."""
    return at.on.mul([x, at.constant(by, DataType.INT32)])


# One box, at the place that scalars say. It is moved so that it lies inside.


def _box(at: At, x: Operand, sizes: Sequence[int], starts: Sequence[Operand]) -> str:
    """The places of the elements of a box."""
    _whole(at, *starts)
    fits = len(sizes) == len(x.dims) and all(s <= n for s, n in zip(sizes, x.dims, strict=True))
    if not fits or len(starts) != len(x.dims) or any(each.dims for each in starts):
        raise at.wrong(
            f"a box of {list(sizes)} in {list(x.dims)} with {len(starts)} starts; expected are a "
            "box that fits, and for each dimension one number"
        )
    strides = strides_of(at, x.dims)
    first = [
        scaled(at, clamped(at, start.id, start.kind, n - size), stride)
        for start, n, size, stride in zip(starts, x.dims, sizes, strides, strict=True)
    ]
    return at.on.add([at.on.constant(_places(sizes, strides)), total(at, first)])


@operator("dynamic-slice", None)
def _dynamic_slice(at: At, x: Operand, *starts: Operand) -> str:
    places = _box(at, x, at.numbers("dynamic_slice_sizes"), starts)
    return at.on.gather([at.reshape(x.id, [-1]), places], 0)


@operator("dynamic-update-slice", None)
def _dynamic_update_slice(at: At, x: Operand, *rest: Operand) -> str:
    if not rest:
        raise at.wrong("it has 1 operand; expected are an array, its update and starts")
    update, *starts = rest
    places = at.reshape(_box(at, x, update.dims, starts), [-1])
    operands = [at.reshape(x.id, [-1]), places, at.reshape(update.id, [-1])]
    return at.reshape(at.on.scatterelements(operands, 0), x.dims)


# Boxes at the places that an array of indices says.


def rows_of(
    at: At, indices: Operand, axes: str, batching: str
) -> tuple[list[tuple[int, str]], tuple[int, ...], list[int]]:
    """For each row of indices: the axis of the operand and its indices; the dimensions without that
    of the index vector; and which of these are batching dimensions.
    """
    _whole(at, indices)
    vector = at.number("index_vector_dim", len(indices.dims) + 1)
    dims = [*indices.dims] if vector < len(indices.dims) else [*indices.dims, 1]
    outer = (*dims[:vector], *dims[vector + 1 :])
    to = at.numbers(axes)
    if len(to) != dims[vector]:
        raise at.wrong(f"its {axes} has {len(to)} numbers, and an index has {dims[vector]}")
    rows: list[tuple[int, str]] = []
    whole = at.reshape(indices.id, dims)
    for i, axis in enumerate(to):
        starts = [i if d == vector else 0 for d in range(len(dims))]
        ends = [i + 1 if d == vector else n for d, n in enumerate(dims)]
        one = at.slice(whole, starts, ends, [1] * len(dims))
        rows.append((axis, at.reshape(one, outer)))
    shared = at.numbers(batching, len(dims)) if batching in at.each.attributes else []
    return rows, outer, [d - (d > vector) for d in shared]


def batches_of(at: At, name: str, size: int) -> list[int]:
    """An attribute with batching dimensions, which may be left out."""
    return at.numbers(name, size) if name in at.each.attributes else []


def spread(at: At, x: str, outer: Sequence[int], rank: int, window: Sequence[int]) -> str:
    """`x`, of the dimensions `outer`, with ones at the dimensions of the window."""
    sizes = iter(outer)
    return at.reshape(x, [1 if d in window else next(sizes) for d in range(rank)])


def windows_at(
    at: At,
    first: str,
    x: Operand,
    outer: Sequence[int],
    shared: Sequence[tuple[int, int]],
    window: Sequence[int],
    sizes: Sequence[tuple[int, int]],
) -> str:
    """The places of all elements: `first` for each index, the numbers of batches as (dimension of
    `outer`, axis), and the box with sizes as (axis, size), at the dimensions `window`.
    """
    strides = strides_of(at, x.dims)
    for d, axis in shared:
        steps = (np.arange(outer[d]) * strides[axis]).astype(np.int32)
        steps = steps.reshape([-1 if i == d else 1 for i in range(len(outer))])
        first = at.on.add([first, at.on.constant(steps)])
    first = at.on.expand([first, at.ints(outer)]) if outer else at.reshape(first, [])
    rank = len(outer) + len(window)
    box = _places([size for _, size in sizes], [strides[axis] for axis, _ in sizes])
    inner = iter(box.shape)
    box = box.reshape([next(inner) if d in window else 1 for d in range(rank)])
    return at.on.add([spread(at, first, outer, rank, window), at.on.constant(box)])


@operator("gather", 2)
def _gather(at: At, x: Operand, indices: Operand) -> str:
    """A box that would lie outside is moved inside."""
    rank, sizes = len(x.dims), at.numbers("slice_sizes")
    rows, outer, shared = rows_of(at, indices, "start_index_map", "start_indices_batching_dims")
    window = at.numbers("offset_dims", len(at.result.dims))
    batches = batches_of(at, "operand_batching_dims", rank)
    gone = {*at.numbers("collapsed_slice_dims", rank), *batches}
    kept = [axis for axis in range(rank) if axis not in gone]
    fits = len(sizes) == rank and all(s <= n for s, n in zip(sizes, x.dims, strict=True))
    if (
        not fits
        or len(kept) != len(window)
        or len(shared) != len(batches)
        or any(axis >= rank for axis, _ in rows)
        or any(sizes[axis] != 1 for axis in gone)
    ):
        raise at.wrong(f"its dimensions and slice_sizes={sizes} do not fit {list(x.dims)}")
    strides = strides_of(at, x.dims)
    first = [
        scaled(at, clamped(at, row, indices.kind, x.dims[axis] - sizes[axis]), strides[axis])
        for axis, row in rows
    ]
    places = windows_at(
        at,
        total(at, first),
        x,
        outer,
        [*zip(shared, batches, strict=True)],
        window,
        [(axis, sizes[axis]) for axis in kept],
    )
    return at.on.gather([at.reshape(x.id, [-1]), places], 0)
