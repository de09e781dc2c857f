"""Scales and zero points: one for a tensor, for each index of an axis, or for each block."""

from __future__ import annotations

import ml_dtypes

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.shapes import axis as checked_axis
from popir.ops.support.shapes import product
from popir.types import DataType


class QuantizingOp(Decomposition):
    """The base class of QuantizeLinear and DequantizeLinear: their attributes that say which scale
    an element has.
    """

    axis: int | None
    block_size: int | None
    output_dtype: int | None

    def each(self, on: Decomposer, x: Tensor, what: str, t: Tensor) -> Tensor:
        """The scale or zero point `t` in a shape that broadcasts to `split`: a scalar, a vector
        along `axis`, or one number for each block along it. Raises OperatorInputError for another
        shape, OperatorAttributeError for a wrong axis or a negative `block_size`.
        """
        shape, given = on.shape(x), on.shape(t)
        if self.block_size:
            return self._blocked(on, x, what, t)
        if len(given) < 2 and product(given) == 1:
            return on.reshape(t, [])
        axis = self._axis(shape)
        if given != [shape[axis]]:
            raise self.wrong(
                f"{what} has shape {given}; for x of shape {shape} expected is one number, or "
                f"{shape[axis]} of them, one for each index of axis {axis}. For blocks give the "
                "attribute 'block_size'."
            )
        return on.reshape(t, [*given, *[1] * (len(shape) - axis - 1)])

    def split(self, shape: list[int]) -> list[int]:
        """The shape of x in which it meets scales and zero points: with blocks a dimension of their
        own, if all are whole.
        """
        block = self.block_size or 0
        if not block:
            return shape
        axis = self._axis(shape)
        if shape[axis] % block:
            return shape
        return [*shape[:axis], shape[axis] // block, block, *shape[axis + 1 :]]

    def pair(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Scale and zero point in shapes that broadcast to `split`; the zero point as INT32 or
        FLOAT, or None if it is 0; a scale of FLOAT8E8M0 as FLOAT. Raises
        OperatorInputError, too, if their shapes differ.
        """
        one = all(
            len(on.shape(t)) < 2 and product(on.shape(t)) == 1 for t in (scale, zero or scale)
        )
        if zero is not None and not one and on.shape(scale) != on.shape(zero):
            raise self.wrong(
                f"the scale has shape {on.shape(scale)} and the zero point {on.shape(zero)}; they "
                "must be equal."
            )
        given = None if is_zero(zero) else zero
        if given is not None:
            whole = on.info(given).dataType().is_integer
            wide = on.cast(given, DataType.INT32 if whole else DataType.FLOAT)
            given = self.each(on, x, "the zero point", wide)
        if on.info(scale).dataType().is_narrow:
            scale = on.cast(scale, DataType.FLOAT)
        return self.each(on, x, "the scale", scale), given

    def result_type(self, default: DataType) -> DataType:
        """The type `output_dtype`, or `default`."""
        return DataType.of(self.output_dtype) if self.output_dtype else default

    def _axis(self, shape: list[int]) -> int:
        return checked_axis(self, 1 if self.axis is None else self.axis, len(shape))

    def _blocked(self, on: Decomposer, x: Tensor, what: str, t: Tensor) -> Tensor:
        shape, given, block = on.shape(x), on.shape(t), self.block_size or 0
        if block < 0:
            raise OperatorAttributeError(
                f"{self._who()}: the attribute 'block_size' is {block}; expected is a positive "
                "number, or 0 for no blocks."
            )
        axis = self._axis(shape)
        size = shape[axis]
        blocks = -(-size // block)
        if given != [*shape[:axis], blocks, *shape[axis + 1 :]]:
            raise self.wrong(
                f"{what} has shape {given}; for x of shape {shape} in blocks of {block} along axis "
                f"{axis} expected is {[*shape[:axis], blocks, *shape[axis + 1 :]]}."
            )
        split = on.reshape(t, [*shape[:axis], blocks, 1, *shape[axis + 1 :]])
        if self.split(shape) != shape:
            return split
        block = min(block, max(size, 1))  # A block may be larger than the axis.
        wide = on.Expand(split, on.ints(*shape[:axis], blocks, block, *shape[axis + 1 :]))
        whole = on.reshape(wide, [*shape[:axis], blocks * block, *shape[axis + 1 :]])
        return on.Slice(whole, on.ints(0), on.ints(size), on.ints(axis))


def is_zero(t: Tensor | None) -> bool:
    """Whether a zero point is left out, or a constant of zeros."""
    return t is None or (t.isConst() and t.data is not None and not t.data.any())


def stored(
    on: Decomposer,
    q: Tensor,
    zero: Tensor | None,
    to: DataType,
    shape: list[int] | None = None,
    saturate: bool | None = None,
) -> Tensor:
    """`q`, a quotient, in the type `to`. For an integer type it is rounded, halves to even, and
    after the zero point is added clamped to the range of the type. The result has the shape
    `shape`, by default that of `q`.
    """
    if on.info(q).dataType() is not DataType.DOUBLE:
        # The sum with a zero point of 16 bits needs more than the 11 of half.
        q = on.cast(q, DataType.FLOAT)
    kind = on.info(q).dataType()
    if to.is_integer:
        q = on.Round(q)
    if zero is not None:
        q = on.Add(q, on.cast(zero, kind))
    if to.is_integer and to.is_narrow:  # A Cast clamps to the range of no less than 8 bits.
        limits = ml_dtypes.iinfo(to.numpy)
        q = on.Clip(q, on.like(int(limits.min), q), on.like(int(limits.max), q))
    return on.cast(q if shape is None else on.reshape(q, shape), to, saturate)
