"""Det: determinants of square matrices."""

from __future__ import annotations

import numpy as np

from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType


class DetOp(Decomposition):
    """ONNX's Det, versions 11 and 22: the determinant of each matrix [stack..., n, n]. Up to n = 3
    by its formula, beyond by elimination, each step with the largest element of a column.

    Deviation: the gradient of a matrix of more than three rows whose rank is less than n - 1 need
    not be 0, as it should.
    """

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """n - 1 steps of elimination. Raises OperatorInputError if the matrices are not square."""
        shape, kind = on.shape(x), on.info(x).dataType()
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise self.wrong(f"the input has shape {shape}; expected are matrices [..., n, n].")
        n, stack = shape[-1], shape[:-2]
        if not n:
            return on.Expand(on.like(1, x), on.ints(*stack))
        if 0 in stack:
            return on.reshape(x, stack)
        count = int(np.prod(stack, dtype=np.int64))
        x = on.cast(on.reshape(x, [count, n, n]), accumulator_of(kind))
        found = _by_formula(on, x, n) if n <= 3 else _by_elimination(on, x, n)
        return on.cast(on.reshape(found, stack), kind)


def _by_formula(on: Decomposer, x: Tensor, n: int) -> Tensor:
    flat = on.reshape(x, [-1, n * n])
    a = [on.Slice(flat, on.ints(i), on.ints(i + 1), on.ints(1)) for i in range(n * n)]

    def minor(i: int, j: int, k: int, m: int) -> Tensor:
        return on.Sub(on.Mul(a[i], a[m]), on.Mul(a[j], a[k]))

    if n == 1:
        return a[0]
    if n == 2:
        return minor(0, 1, 2, 3)
    first = on.Mul(a[0], minor(4, 5, 7, 8))
    second = on.Mul(a[1], minor(3, 5, 6, 8))
    return on.Add(on.Sub(first, second), on.Mul(a[2], minor(3, 4, 6, 7)))


def _by_elimination(on: Decomposer, x: Tensor, n: int) -> Tensor:
    """The product of the pivots of each matrix of [matrices, n, n]."""
    kind = on.info(x).dataType()
    zero, one = on.like(0, x), on.like(1, x)
    last_axis, rows_axis = on.ints(2), on.ints(1)
    found: Tensor | None = None
    for size in range(n, 1, -1):
        column = on.Slice(x, on.ints(0), on.ints(1), last_axis)
        rest = on.Slice(x, on.ints(1), on.ints(size), last_axis)
        far = on.Abs(column)
        is_largest = on.Equal(far, on.ReduceMax(far, rows_axis))
        # The first of the largest. In a column with a NaN none is; then the last row is taken.
        number = on.const(np.arange(size).reshape(1, size, 1), DataType.INT32)
        beyond = on.const(size - 1, DataType.INT32)
        row = on.ReduceMin(on.Where(is_largest, number, beyond), rows_axis)
        chosen = on.Cast(on.Equal(number, row), to=kind.onnx)
        pivot = on.ReduceSum(on.Mul(chosen, column), rows_axis)
        pivot_row = on.ReduceSum(on.Mul(chosen, rest), rows_axis)
        # The first row takes the place of the chosen one, which turns the sign.
        is_moved = on.Greater(row, on.const(0, DataType.INT32))
        signed = on.Where(is_moved, on.Neg(pivot), pivot)
        found = signed if found is None else on.Mul(found, signed)
        below = on.ints(1), on.ints(size), rows_axis
        is_chosen = on.Slice(on.Equal(number, row), *below)
        head = on.ints(0), on.ints(1), rows_axis
        column, rest = (
            on.Where(is_chosen, on.Slice(part, *head), on.Slice(part, *below))
            for part in (column, rest)
        )
        # If all of a column is 0, so is the determinant, and nothing is to be eliminated.
        safe = on.Where(on.Equal(pivot, zero), one, pivot)
        x = on.Sub(rest, on.Mul(on.Div(column, safe), pivot_row))
    assert found is not None
    return on.Mul(found, x)


OpCreator(DetOp, onnx_ids("Det", 11, 22))
