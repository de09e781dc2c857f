"""Normalizations in operators of ONNX, for decompositions."""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.shapes import axes as checked_axes
from popir.ops.support.shapes import product
from popir.types import DataType

_WITH_BFLOAT16 = 22
"""The opset of the first InstanceNormalization that takes BFLOAT16."""


def wide(on: Decomposer, x: Tensor) -> DataType:
    """The type in which statistics of x are computed: FLOAT, or DOUBLE for DOUBLE."""
    kind = on.info(x).dataType()
    return kind if kind is DataType.DOUBLE else DataType.FLOAT


def root_mean_square(
    on: Decomposer,
    op: Op,
    x: Tensor,
    axes: Sequence[int],
    epsilon: float,
    kind: DataType | None = None,
) -> tuple[Tensor, Tensor]:
    """x divided by the root of the mean of its squares over `axes` plus epsilon, and the inverse of
    that root with dimensions of 1, both in the type `kind`, or `wide(x)`.
    """
    kind = kind or wide(on, x)
    whole = on.cast(x, kind)
    along = on.ints(*checked_axes(op, axes, len(on.shape(x))))
    mean = on.ReduceMean(on.Mul(whole, whole), along, keepdims=1)
    inverse = on.Reciprocal(on.Sqrt(on.Add(mean, on.const(epsilon, kind))))
    return on.Mul(whole, inverse), inverse


def grouped(on: Decomposer, x: Tensor, groups: int, epsilon: float) -> Tensor:
    """x, [batch, channels, ...], with each group of channels at mean 0 and variance 1."""
    shape = on.shape(x)
    rows = on.reshape(x, [shape[0], groups, product(shape[1:]) // groups])
    ones, zeros = on.like([1.0] * groups, x), on.like([0.0] * groups, x)
    given = {"epsilon": epsilon}
    y = on.add("ai.onnx", "InstanceNormalization", _WITH_BFLOAT16, [rows, ones, zeros], 1, given)
    assert not isinstance(y, list)
    return on.reshape(y, shape)


def row_of(op: Decomposition, on: Decomposer, what: str, t: Tensor, size: int) -> Tensor:
    """`t`, which must be [size]. Raises OperatorInputError, which calls it `what`, if not."""
    if on.shape(t) != [size]:
        raise op.wrong(f"{what} has shape {on.shape(t)}; expected is [{size}].")
    return t
