"""QLinearConv: the convolution of quantized data and weights, quantized."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.contraction.conv import misfit
from popir.ops.quantization.granularity import is_zero, stored
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import product
from popir.registry import OpCreator
from popir.types import DataType


class QLinearConv(Decomposition):
    """ONNX's QLinearConv, version 10: the convolution of quantized data and weights, quantized in
    the type of `y_zero_point`. Scale and zero point of the weights are one number, or one for each
    output channel.

    The sum of products is exact, and wraps around at 32 bits. The bias, INT32, is added before
    scaling. No gradient.
    """

    auto_pad: str | None
    dilations: list[int] | None
    group: int
    kernel_shape: list[int] | None
    pads: list[int] | None
    strides: list[int] | None
    getGradOps = Op.getGradOps

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
        OperatorInputError for a group, weights, scales, zero points and a bias that do not fit.
        """
        data, weights = on.shape(x), on.shape(w)
        if len(data) > 2 and (wrong := misfit(data, weights, self.group)):
            raise self.wrong(wrong)
        total = on.ConvInteger(
            x,
            w,
            x_zero,
            w_zero,
            auto_pad=self.auto_pad,
            dilations=self.dilations,
            group=self.group,
            kernel_shape=self.kernel_shape,
            pads=self.pads,
            strides=self.strides,
        )
        if bias is not None:
            total = on.Add(total, self._channels(on, "the bias", bias, total))
        factor = on.Div(
            on.Mul(
                self._scalar(on, "x_scale", x_scale),
                self._channels(on, "w_scale", w_scale, total),
            ),
            self._scalar(on, "y_scale", y_scale),
        )
        scaled = on.Mul(on.cast(total, DataType.FLOAT), factor)
        zero = None if is_zero(y_zero) else self._scalar(on, "y_zero_point", y_zero)
        return stored(on, scaled, zero, on.info(y_zero).dataType())

    def _scalar(self, on: Decomposer, what: str, t: Tensor) -> Tensor:
        """`t` as a scalar. Raises OperatorInputError if it is not one number."""
        if product(on.shape(t)) != 1:
            raise self.wrong(f"{what} has shape {on.shape(t)}; expected is one number.")
        return on.reshape(t, [])

    def _channels(self, on: Decomposer, what: str, t: Tensor, total: Tensor) -> Tensor:
        """`t`, one number or one for each channel of `total`, in a shape that broadcasts to it.
        Raises OperatorInputError for another shape.
        """
        given, shape = on.shape(t), on.shape(total)
        if len(given) < 2 and product(given) == 1:
            return on.reshape(t, [])
        if given != shape[1:2]:
            raise self.wrong(
                f"{what} has shape {given}; expected is one number, or {shape[1]} of them, one for "
                "each output channel."
            )
        return on.reshape(t, [*given, *[1] * (len(shape) - 2)])


OpCreator(QLinearConv, onnx_ids("QLinearConv", 10))
