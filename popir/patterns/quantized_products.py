"""QuantizedProducts: computes products of dequantized operands by integers.

A quantized model in the QDQ form has a DequantizeLinear before each operand of a Conv, MatMul or
Gemm, and a QuantizeLinear after it. The sums of products of 8-bit integers are exact, take a
quarter of the memory, and machines have instructions for them. onnxruntime does the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.ir import Op, Tensor
from popir.ops.contraction.conv import ConvOp
from popir.ops.contraction.convinteger import has_integer_kernel
from popir.ops.contraction.gemm import GemmOp
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.shapes import product
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, is_built_in, maker, remove_dead, replace, size
from popir.types import DataType

_MOST_TERMS = (2**31 - 1) // (255 * 255)
"""So many products of two bytes minus their zero points fit INT32, whatever their values."""
BYTES = (DataType.INT8, DataType.UINT8)
_WIDE = (DataType.INT32, DataType.FLOAT)
"""What a zero point is widened to."""

Values = np.ndarray[Any, Any]


@dataclass
class Quantized:
    """(q - zero) * scale."""

    q: Tensor
    """Bytes; or a constant of FLOAT, of numbers that bytes minus zero points are."""
    scale: Tensor
    zero: Tensor | None
    """In FLOAT, in a shape that broadcasts to q."""

    def kind(self) -> DataType:
        """The element type of q."""
        assert self.q.info is not None
        return self.q.info.dataType()


def _bytes_of(values: Values, axis: int | None) -> tuple[Values, Values | None] | None:
    """Whole numbers as bytes minus zero points, one for each index of `axis` or one for all: the
    bytes, and the zero points or None if all are 0. None if there are no such bytes.
    """
    if values.size == 0 or not (values == np.rint(values)).all():
        return None
    low, high = values.min(), values.max()
    for kind in (np.int8, np.uint8):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind), None
    others = None if axis is None else tuple(d for d in range(values.ndim) if d != axis)
    zeros = np.maximum(-values.min(axis=others, keepdims=True), 0)
    moved = values + zeros
    if zeros.max() > 255 or moved.max() > 255:
        return None
    return moved.astype(np.uint8), zeros.astype(np.uint8).reshape(-1)


@dataclass
class _Product:
    """A product of two quantized operands, as matrices or a convolution."""

    a: Quantized
    b: Quantized
    terms: int
    """The products that are summed."""
    channels: int
    """The output channels, or columns."""
    axis: int
    """The axis of b that they are."""
    rank: int
    """The dimensions that follow the channels in the result."""


class QuantizedProducts(Rewrite):
    """`Conv(DequantizeLinear(x), DequantizeLinear(w), bias)` becomes `ConvInteger(x, w)`, times the
    two scales, plus the bias; MatMul and Gemm become MatMulInteger likewise.

    Sums are exact, where floats round them, and a factor is rounded in place of each operand: a
    quantized result may be the next number. Only where nothing is trained.
    """

    _product: _Product | None = None
    """What `pattern` has found; `check` and `rewrite` follow."""
    types = frozenset({"Conv", "MatMul", "Gemm"})

    def pattern(self, op: Op) -> bool:
        """Whether both operands are dequantized bytes."""
        self._product = _found(op)
        return self._product is not None

    def check(self, op: Op) -> str | None:
        """Nothing may be trained, the sums must fit INT32, the data must have one scale and the
        weights one for each output channel at most.
        """
        found = self._product
        assert found is not None
        if op.graph.isTraining:
            return "the model is trained, and integers have no gradient"
        if found.terms > _MOST_TERMS:
            return f"sums of {found.terms} products may not fit 32 bits"
        if isinstance(op, ConvOp) and not has_integer_kernel(op.inShape(1), op.group):
            return "its groups have too few output channels: they are computed in floats"
        for t, what in ((found.a.scale, "scale"), (found.a.zero, "zero point")):
            if t is not None and size(t) != 1:
                return f"the first operand has more than one {what}"
        for t, what in ((found.b.scale, "scales"), (found.b.zero, "zero points")):
            if t is not None and not _is_by_channel(t, found):
                return f"the second operand's {what} are not one for each output channel"
        for of, axis in ((found.a, None), (found.b, found.axis)):
            if of.kind() is DataType.FLOAT:
                if of.zero is not None or of.q.data is None or _bytes_of(of.q.data, axis) is None:
                    return "a constant operand is not of bytes"
            elif of.zero is not None and _points(of.zero, of.kind()) is None:
                return f"a zero point is not known to be of type {of.kind().name}"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: the result stays."""
        return []

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by a product of integers, times the scales."""
        found = self._product
        assert found is not None
        on = Decomposer(op, op.outId(0))
        scale = on.Mul(on.reshape(found.a.scale, []), _by_channel(on, found, found.b.scale))
        if isinstance(op, GemmOp) and op.alpha != 1:
            scale = on.Mul(scale, on.like(op.alpha, scale))
        offset = _offset(on, op, found)
        between = list(op.input.values())
        total = on.cast(_total(on, op, found), DataType.FLOAT)
        if offset is None:
            replace(op, ("ai.onnx", "Mul", 14), [total.id, scale.id])
        else:
            replace(op, ("ai.onnx", "Add", 14), [on.Mul(total, scale).id, offset.id])
        remove_dead(between, self.kept)


def _found(op: Op) -> _Product | None:
    """The product that `op` is; None if an operand is not dequantized."""
    if not is_built_in(op, "Conv", "MatMul", "Gemm") or len(op.output) != 1:
        return None
    if op.outInfo(0).dataType() is not DataType.FLOAT:
        return None
    a, b = dequantized(op.inTensor(0)), dequantized(op.inTensor(1))
    if a is None or b is None:
        return None
    shape = op.inShape(1)
    if isinstance(op, ConvOp):
        return _Product(a, b, product(shape[1:]), shape[0], 0, len(shape) - 2)
    if len(op.inShape(0)) < 2 or len(shape) < 2:
        return None
    turned = isinstance(op, GemmOp) and bool(op.transB)
    axis = len(shape) - (2 if turned else 1)
    return _Product(a, b, shape[-1 if turned else -2], shape[axis], axis, 0)


def dequantized(t: Tensor) -> Quantized | None:
    """What DequantizeLinear has made `t` of; None if it has not."""
    op = maker(t, "Mul")
    if op is None:
        return None
    centred, scale, zero = op.inTensor(0), op.inTensor(1), None
    if shift := maker(centred, "Sub"):
        centred, zero = shift.inTensor(0), shift.inTensor(1)
    if cast := maker(centred, "Cast"):
        centred = cast.inTensor(0)
    elif centred.data is None or not centred.isConst():
        return None
    assert centred.info is not None
    if centred.info.dataType() not in (*BYTES, DataType.FLOAT):
        return None
    if cast is not None and centred.info.dataType() is DataType.FLOAT:
        return None
    return Quantized(centred, scale, zero) if centred.info.shape() == _shape(t) else None


def _points(zero: Tensor, kind: DataType) -> Tensor | Values | None:
    """Zero points of the type `kind`: their values, or the tensor that they are computed from; None
    if they are something else.
    """
    if zero.isConst() and zero.data is not None:
        limits = np.iinfo(kind.numpy)
        fits = limits.min <= zero.data.min() and zero.data.max() <= limits.max
        is_whole = (zero.data == np.rint(zero.data)).all()
        return zero.data.astype(kind.numpy) if fits and is_whole else None
    while _kind(zero) in _WIDE and (op := maker(zero, "Cast", "Reshape")) is not None:
        zero = op.inTensor(0)
    return zero if _kind(zero) is kind else None


def _operand(on: Decomposer, of: Quantized, axis: int | None) -> tuple[Tensor, Tensor | None]:
    """The bytes, and zero points: one, or one for each index of `axis`; None if there are none."""
    points: Tensor | Values | None
    if of.kind() is DataType.FLOAT:
        assert of.q.data is not None
        found = _bytes_of(of.q.data, axis)
        assert found is not None
        q, points = on.const(found[0], found[0].dtype), found[1]
    else:
        q, points = of.q, None if of.zero is None else _points(of.zero, of.kind())
    if points is None:
        return q, None
    zero = points if isinstance(points, Tensor) else on.const(points, points.dtype)
    return q, on.reshape(zero, [] if size(zero) == 1 else [size(zero)])


def _total(on: Decomposer, op: Op, found: _Product) -> Tensor:
    """The sums of products of integers."""
    a, a_zero = _operand(on, found.a, None)
    b, b_zero = _operand(on, found.b, found.axis)
    if isinstance(op, ConvOp):
        return on.ConvInteger(a, b, a_zero, b_zero, **op.attributes)
    if isinstance(op, GemmOp):
        a = on.Transpose(a, perm=[1, 0]) if op.transA else a
        b = on.Transpose(b, perm=[1, 0]) if op.transB else b
    return on.MatMulInteger(a, b, a_zero, b_zero)


def _offset(on: Decomposer, op: Op, found: _Product) -> Tensor | None:
    """The bias of a Conv, or beta times that of a Gemm, in a shape that broadcasts."""
    if not op.hasInput(2):
        return None
    bias = op.inTensor(2)
    if isinstance(op, GemmOp):
        return bias if op.beta == 1 else on.Mul(bias, on.like(op.beta, bias))
    return _by_channel(on, found, bias)


def _by_channel(on: Decomposer, found: _Product, t: Tensor) -> Tensor:
    """One number, or one for each channel, in a shape that broadcasts to the result."""
    return on.reshape(t, [] if size(t) == 1 else [found.channels, *[1] * found.rank])


def _is_by_channel(t: Tensor, found: _Product) -> bool:
    """Whether `t` is one number, or one for each channel, where it meets the second operand."""
    shape, of = _shape(t), _shape(found.b.q)
    if product(shape) == 1:
        return True
    padded = [1] * (len(of) - len(shape)) + shape
    return padded == [n if d == found.axis else 1 for d, n in enumerate(of)]


def _shape(t: Tensor) -> list[int]:
    return t.info.shape() if t.info is not None else []


def _kind(t: Tensor) -> DataType | None:
    return t.info.dataType() if t.info is not None else None


PatternCreator(QuantizedProducts, "QuantizedProducts", source="built in")
