"""Packed sequences: rows that lie one behind the other, found by the offset and the length of each
sequence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer
from popir.types import DataType


class Cover(NamedTuple):
    """For each of a number of rows, INT32: the sequence that covers it, and its place there."""

    covered: Tensor
    """BOOL: whether any does."""
    sequence: Tensor
    place: Tensor


def as_numbers(on: Decomposer, numbers: Tensor) -> Tensor:
    """Integers as INT32 in one dimension."""
    return on.reshape(on.cast(numbers, DataType.INT32), [on.info(numbers).nelms()])


def cover(on: Decomposer, rows: int, offsets: Tensor, lengths: Tensor) -> Cover:
    """Which sequence covers each of `rows` rows; the last one, of several. There must be a
    sequence.
    """
    first, count = as_numbers(on, offsets), as_numbers(on, lengths)
    (n,) = on.shape(first)
    row = on.const(np.arange(rows)[:, None], DataType.INT32)
    numbers = on.const(np.arange(n)[None], DataType.INT32)
    from_first = on.Sub(row, on.reshape(first, [1, n]))
    zero = on.const(0, DataType.INT32)
    inside = on.And(
        on.GreaterOrEqual(from_first, zero), on.Less(from_first, on.reshape(count, [1, n]))
    )
    none = on.const(-1, DataType.INT32)
    last = on.ReduceMax(on.Where(inside, numbers, none), on.ints(1), keepdims=0)
    covered = on.GreaterOrEqual(last, zero)
    sequence = on.Max(last, zero)
    place = on.Sub(on.reshape(row, [rows]), on.Gather(first, sequence))
    return Cover(covered, sequence, on.Where(covered, place, zero))


def masked(on: Decomposer, mask: Tensor, rows: Tensor, others: Tensor | None = None) -> Tensor:
    """The rows where the mask, of the first dimensions, is true; else `others`, or zeros."""
    shape = on.shape(mask)
    wide = on.reshape(mask, [*shape, *[1] * (len(on.shape(rows)) - len(shape))])
    return on.Where(wide, rows, on.like(0, rows) if others is None else others)
