"""ConvInteger and QLinearConv: convolutions of 8-bit integers, with exact sums."""

from __future__ import annotations

import numpy as np

from popir.ir import Op, Tensor
from popir.ops.quantization.granularity import is_zero, stored
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.digits import digit_base, digits
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import product
from popir.registry import OpCreator
from popir.types import DataType


class IntegerConv(Decomposition):
    """The base class: a convolution of 8-bit integers minus their zero points. The padding is as
    much as the zero point of x.

    The sum of products is exact, and wraps around at 32 bits: it is computed in FLOAT, of digits of
    the data if a sum might exceed 2^24, and in DOUBLE for the largest windows.
    """

    auto_pad: str | None
    dilations: list[int] | None
    group: int
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None
    getGradOps = Op.getGradOps

    def sums(
        self, on: Decomposer, x: Tensor, w: Tensor, x_zero: Tensor | None, w_zero: Tensor | None
    ) -> Tensor:
        """The convolution, INT32. Raises OperatorInputError for weights that are none, and for zero
        points of wrong shapes.
        """
        if len(on.shape(w)) < 3 or len(on.shape(x)) != len(on.shape(w)):
            raise self.wrong(
                f"the data have shape {on.shape(x)}, the weights {on.shape(w)}; expected are "
                "[batch, channels, ...] and [outputs, channels, ...]."
            )
        zeros = [
            None if x_zero is None else self.scalar(on, "the zero point of x", x_zero),
            None if w_zero is None else self.channels(on, "the zero point of w", w_zero, w),
        ]
        most, others = _greatest(on, x, x_zero), _greatest_sum(on, w, w_zero)
        base = digit_base(most, others)
        kind = DataType.DOUBLE if base is None else DataType.FLOAT
        data, weights = _centred(on, kind, x, zeros[0]), _centred(on, kind, w, zeros[1])
        parts = [data] if base is None else _digits(on, data, base)
        joined = parts[0] if len(parts) == 1 else on.Concat(*parts, axis=0)
        total = on.Conv(
            joined,
            weights,
            auto_pad=self.auto_pad,
            dilations=self.dilations,
            group=self.group,
            kernel_shape=self.kernel_shape,
            pads=self.pads,
            strides=self.strides,
        )
        if base is None:
            # From DOUBLE to INT32 would clamp.
            return on.cast(on.cast(total, DataType.INT64), DataType.INT32)
        sums = on.cast(total, DataType.INT32)
        if len(parts) == 1:
            return sums
        each = on.Split(sums, axis=0, num_outputs=len(parts), outputs=len(parts))
        total = each[-1]
        for lower in reversed(each[:-1]):
            total = on.Add(on.Mul(total, on.like(base, total)), lower)
        return total

    def scalar(self, on: Decomposer, what: str, t: Tensor) -> Tensor:
        """`t` as a scalar. Raises OperatorInputError if it is not one number."""
        if product(on.shape(t)) != 1:
            raise self.wrong(f"{what} has shape {on.shape(t)}; expected is one number.")
        return on.reshape(t, [])

    def channels(self, on: Decomposer, what: str, t: Tensor, w: Tensor, before: int = 0) -> Tensor:
        """`t`, one number or one for each output channel, in a shape that broadcasts to the weights
        `w`, or with `before` 1 to the result. Raises OperatorInputError for another shape.
        """
        given, shape = on.shape(t), on.shape(w)
        if len(given) < 2 and product(given) == 1:
            return on.reshape(t, [])
        if given != shape[:1]:
            raise self.wrong(
                f"{what} has shape {given}; for weights {shape} expected is one number, or "
                f"{shape[0]} of them, one for each output channel."
            )
        return on.reshape(t, [*given, *[1] * (len(shape) - 1 - before)])


class ConvInteger(IntegerConv):
    """ONNX's ConvInteger, version 10: the INT32 convolution of 8-bit integers minus their zero
    points, with exact sums (`IntegerConv`). No gradient.
    """

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        w: Tensor,
        x_zero: Tensor | None = None,
        w_zero: Tensor | None = None,
    ) -> Tensor:
        """A Conv between Casts."""
        return self.sums(on, x, w, x_zero, w_zero)


class QLinearConv(IntegerConv):
    """ONNX's QLinearConv, version 10: the convolution of quantized data and weights, quantized in
    the type of `y_zero_point`, with exact sums (`IntegerConv`). The bias, INT32, is added before
    scaling. No gradient.
    """

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        x_scale: Tensor,
        x_zero: Tensor,
        w: Tensor,
        w_scale: Tensor,
        w_zero: Tensor,
        y_scale: Tensor,
        y_zero: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        """ConvInteger, a product with the scales, and what QuantizeLinear does. Raises
        OperatorInputError for scales, zero points and a bias of wrong shapes.
        """
        total = self.sums(on, x, w, x_zero, w_zero)
        if bias is not None:
            total = on.Add(total, self.channels(on, "the bias", bias, w, 1))
        factor = on.Div(
            on.Mul(
                self.scalar(on, "x_scale", x_scale), self.channels(on, "w_scale", w_scale, w, 1)
            ),
            self.scalar(on, "y_scale", y_scale),
        )
        scaled = on.Mul(on.cast(total, DataType.FLOAT), factor)
        zero = None if is_zero(y_zero) else self.scalar(on, "y_zero_point", y_zero)
        return stored(on, scaled, zero, on.info(y_zero).dataType())


def _centred(on: Decomposer, kind: DataType, t: Tensor, zero: Tensor | None) -> Tensor:
    """`t` minus its zero point, in `kind`."""
    wide = on.cast(t, kind)
    return wide if zero is None or is_zero(zero) else on.Sub(wide, on.cast(zero, kind))


def _digits(on: Decomposer, t: Tensor, base: int) -> list[Tensor]:
    return digits(
        t,
        base,
        lambda x: on.Floor(on.Mul(x, on.like(1 / base, x))),
        lambda x, upper: on.Sub(x, on.Mul(upper, on.like(base, x))),
    )


def _greatest(on: Decomposer, t: Tensor, zero: Tensor | None) -> int:
    """A bound of the absolute values of `t` minus its zero point."""
    limits = np.iinfo(on.info(t).dataType().numpy)
    if zero is None:
        return max(-limits.min, limits.max)
    if not zero.isConst() or zero.data is None or not zero.data.size:
        return int(limits.max) - int(limits.min)
    return max(int(limits.max) - int(zero.data.min()), int(zero.data.max()) - int(limits.min))


def _greatest_sum(on: Decomposer, w: Tensor, zero: Tensor | None) -> int:
    """A bound of the sum of absolute values of the weights, minus their zero points, of one output
    channel.
    """
    known = zero is None or zero.data is not None
    if not w.isConst() or w.data is None or not known or not w.data.size:
        return _greatest(on, w, zero) * product(on.shape(w)[1:])
    flat = w.data.reshape(w.data.shape[0], -1).astype(np.int64)
    if zero is not None and zero.data is not None:
        flat = flat - zero.data.astype(np.int64).reshape(-1, 1)
    return int(np.abs(flat).sum(1).max())


OpCreator(ConvInteger, onnx_ids("ConvInteger", 10))
OpCreator(QLinearConv, onnx_ids("QLinearConv", 10))
