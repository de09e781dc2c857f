"""QuantizeLinear: x / scale + zero point, in a type of few bits."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.quantization.granularity import QuantizingOp, stored
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType


class QuantizeLinear(QuantizingOp):
    """ONNX's QuantizeLinear, versions 10, 13, 19, 21, 23, 24, 25 and 28: x / y_scale, rounded,
    plus y_zero_point, clamped to the range of the result. No gradient, but for a DequantizeLinear
    of the result, which has one (`straight_through`).

    The division is computed in the type `precision`, by default that of the scale; in FLOAT if that
    is FLOAT8E8M0, and in DOUBLE if it is INT32. NaN becomes 0 in an integer type.
    """

    precision: int | None
    saturate: bool | None

    getGradOps = Op.getGradOps

    def decompose(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None = None
    ) -> Tensor:
        """A division, a rounding, a sum and a Cast. Raises OperatorInputError for scales and zero
        points of wrong shapes, and for a zero point that is not of the type `output_dtype`.
        """
        default = DataType.UINT8 if zero is None else on.info(zero).dataType()
        to = self.result_type(default)
        if zero is not None and to is not default:
            raise self.wrong(
                f"the zero point is of type {default.name}, but the attribute 'output_dtype' says "
                f"{to.name}; they must be equal."
            )
        kind = self.division_type(on.info(scale).dataType())
        scale, zero = self.pair(on, x, scale, zero)
        shape = on.shape(x)
        quotient = on.Div(on.cast(on.reshape(x, self.split(shape)), kind), on.cast(scale, kind))
        return stored(on, quotient, zero, to, shape, self.saturate)

    def division_type(self, scale: DataType) -> DataType:
        """The type of the division, for a scale of the type `scale`."""
        if self.precision:
            return DataType.of(self.precision)
        return {DataType.FLOAT8E8M0: DataType.FLOAT, DataType.INT32: DataType.DOUBLE}.get(
            scale, scale
        )


OpCreator(QuantizeLinear, onnx_ids("QuantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28))
