"""Row numbers: where the indices of an operator point to, in a tensor whose indexed dimensions are
taken as one.

Operators that gather or scatter at indices in several dimensions are Gather and ScatterRows of a
tensor [rows, width] at row numbers. `row_numbers` makes these from the indices in each dimension.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.types import DataType

_MOST_ROWS = 2**31 - 1
"""The offsets of popops::multiSlice have 32 bits."""


class Indices(NamedTuple):
    """The indices in one dimension."""

    tensor: Tensor
    """INT32 or INT64."""
    size: int
    """The elements of the dimension."""
    stride: int
    """The rows from one element of the dimension to the next."""
    from_end: bool = True
    """Whether negative indices count from the end; otherwise they are out of range."""


def check_range(op: Decomposition, indices: Tensor, size: int, what: str, least: int) -> None:
    """Raises OperatorInputError for constant indices outside of [least, size); `what` is the
    dimension they are in, for the message.
    """
    if not indices.isConst() or indices.data is None or not indices.data.size:
        return
    low, high = int(indices.data.min()), int(indices.data.max())
    if not (least <= low and high < size):
        raise op.wrong(
            f"an index of {low} to {high} is outside of {what}; it must be in "
            f"[{least}, {size - 1}]."
        )


def row_numbers(
    on: Decomposer, parts: Sequence[Indices], rows: int, bases: Sequence[Tensor] = ()
) -> Tensor:
    """The sum of index * stride over `parts`, which broadcast, and of `bases`, as INT32.

    The number is negative where an index is out of range. Constants are not looked at for that (see
    `check_range`). Raises OperatorInputError for too many rows.
    """
    op = on.op
    assert isinstance(op, Decomposition)
    if rows > _MOST_ROWS:
        raise op.wrong(
            f"the indices select among {rows} places; popir has {_MOST_ROWS} at most. Split the "
            "data."
        )
    terms: list[Tensor] = []
    computed: list[Tensor] = []
    for part in parts:
        terms.append(_numbers(on, part))
        if not part.tensor.isConst():
            computed.append(terms[-1])
    total, *rest = [*terms, *bases]
    for each in rest:
        total = on.Add(total, each)
    if len(computed) < 2:  # What one negative number makes the sum is known: negative.
        return total
    least, *more = computed
    for each in more:
        least = on.Min(least, each)
    return on.Where(on.Less(least, on.like(0, least)), on.like(-1, total), total)


def _numbers(on: Decomposer, part: Indices) -> Tensor:
    """The rows that indices in one dimension point to, as INT32."""
    indices, size, stride, from_end = part
    if not indices.isConst():
        attributes = {"size": size, "stride": stride, "from_end": from_end}
        out = on.add("ai.graphcore", "RowNumbers", 1, [indices], 1, attributes)
        assert isinstance(out, Tensor)
        return out
    counted = on.cast(indices, DataType.INT32)
    if from_end:
        end = on.like(size, counted)
        counted = on.Where(on.Less(counted, on.like(0, counted)), on.Add(counted, end), counted)
    return counted if stride == 1 else on.Mul(counted, on.like(stride, counted))


def positions(
    on: Decomposer,
    shape: Sequence[int],
    strides: Sequence[int],
    kind: DataType = DataType.INT32,
) -> list[Tensor]:
    """Constants of type `kind` that broadcast to `shape`. Their sum at a position is that of
    position * stride over the dimensions; a dimension with stride 0 does not count.

    There are several because they are smaller than their sum.
    """
    found: list[Tensor] = []
    rank, d = len(shape), 0
    while d < rank:
        end = d
        while end < rank and strides[end] != 0:
            end += 1
        if end > d and math.prod(shape[d:end]) > 1:
            steps = np.zeros(shape[d:end], np.int64)
            for axis, place in enumerate(np.indices(shape[d:end], sparse=True)):
                steps = steps + place * strides[d + axis]
            whole = [1] * d + list(shape[d:end]) + [1] * (rank - end)
            found.append(on.const(steps.reshape(whole), kind))
        d = end + 1
    return found


def strides_of(shape: Sequence[int]) -> list[int]:
    """The elements from one index to the next in each dimension of a tensor in row-major order."""
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


def gather_rows(on: Decomposer, data: Tensor, rows: Tensor) -> Tensor:
    """The rows of `data` at numbers made by `row_numbers`; zeros where the number is none."""
    if rows.isConst():
        return on.Gather(data, rows, axis=0)
    # No number counts from the end, so that the run need not ask.
    attributes = {"axis": 0, "zeroOutOfRangeIndices": True}
    out = on.add("ai.graphcore", "GatherRows", 1, [data, rows], 1, attributes)
    assert isinstance(out, Tensor)
    return out


def scatter_rows(
    on: Decomposer, data: Tensor, updates: Tensor, rows: Tensor, width: int, reduction: str = "none"
) -> Tensor:
    """`data` with `updates` written to, or computed into, its rows of `width` elements; see
    ScatterRows. The shape is that of `data`.
    """
    shape, count = on.shape(data), math.prod(on.shape(rows))
    places = math.prod(shape) // width if width else 0
    flat = on.reshape(data, [places, width])
    given = on.reshape(updates, [count, width])
    numbers = on.reshape(rows, [count])
    operands, attributes = [flat, given, numbers], {"reduction": reduction}
    out = on.add("ai.graphcore", "ScatterRows", 1, operands, 1, attributes)
    assert isinstance(out, Tensor)
    return on.reshape(out, shape)


class Element:
    """The elements that indices of the data's rank select along one axis."""

    def __init__(self, op: Decomposition, axis: int) -> None:
        self.op, self.axis = op, axis

    def rows(self, on: Decomposer, data: Tensor, indices: Tensor) -> Tensor:
        """The numbers of the elements, in the shape of the indices. Raises OperatorInputError for
        shapes that do not match and for constant indices out of range.
        """
        shape, given, along = on.shape(data), on.shape(indices), self.axis
        if len(given) != len(shape) or any(
            n > of for d, (n, of) in enumerate(zip(given, shape, strict=True)) if d != along
        ):
            raise self.op.wrong(
                f"the indices have shape {given}, the data {shape}; they must have one rank, and "
                f"in the dimensions other than the axis {along} no more indices than data."
            )
        what = f"the dimension {along} of {shape}"
        check_range(self.op, indices, shape[along], what, -shape[along])
        strides = strides_of(shape)
        part = Indices(indices, shape[along], strides[along])
        steps = [0 if d == along else stride for d, stride in enumerate(strides)]
        bases = positions(on, given, steps)
        return row_numbers(on, [part], math.prod(shape), bases)


class Slice:
    """The slices that the rows of the last dimension of indices select."""

    def __init__(
        self, op: Decomposition, data: Sequence[int], indices: Sequence[int], batch: int = 0
    ) -> None:
        """`data` and `indices` are shapes; the first `batch` dimensions are common to both. Raises
        OperatorInputError for shapes that do not match.
        """
        depth = indices[-1] if indices else 0
        if not 0 <= batch < min(len(data), len(indices)):
            raise op.wrong(
                f"batch_dims is {batch}; data {list(data)} and indices {list(indices)} must both "
                "have more dimensions than that."
            )
        if list(data[:batch]) != list(indices[:batch]):
            raise op.wrong(
                f"data {list(data)} and indices {list(indices)} differ in the first {batch} "
                "dimensions, which are the batches of both."
            )
        if not 1 <= depth <= len(data) - batch:
            raise op.wrong(
                f"the last dimension of the indices {list(indices)} is {depth}; it must be in "
                f"[1, {len(data) - batch}], the dimensions of {list(data)} that are not batches."
            )
        self.op, self.batch, self.depth = op, batch, depth
        self.data = list(data)
        self.shape = self.data[batch + depth :]
        """The shape of a slice."""
        self.width = math.prod(self.shape)
        self.places = math.prod(self.data[: batch + depth])
        """How many slices the data has."""

    def rows(self, on: Decomposer, indices: Tensor) -> Tensor:
        """The numbers of the slices, in the shape of the indices without the last dimension. Raises
        OperatorInputError for constant indices out of range.
        """
        given, end = on.shape(indices)[:-1], self.batch + self.depth
        strides = strides_of(self.data[:end])
        parts: list[Indices] = []
        for j in range(self.depth):
            d = self.batch + j
            column = on.Gather(indices, on.const(j, DataType.INT64), axis=-1)
            what = f"the dimension {d} of {self.data}"
            check_range(self.op, column, self.data[d], what, -self.data[d])
            parts.append(Indices(column, self.data[d], strides[d]))
        steps = [*strides[: self.batch], *([0] * (len(given) - self.batch))]
        bases = positions(on, given, steps)
        return row_numbers(on, parts, self.places, bases)
