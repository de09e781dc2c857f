"""DequantizeLinear: (x - zero point) * scale."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.quantization.granularity import QuantizingOp
from popir.ops.quantization.straightthrough import straight_through
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType

_RESULTS = (DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16)


class DequantizeLinear(QuantizingOp):
    """ONNX's DequantizeLinear, versions 10, 13, 19, 21, 23, 24, 25 and 28: (x - x_zero_point) *
    x_scale, in the type `output_dtype`, by default that of the scale. The scale has a gradient. If
    x was quantized with the same scale, what was quantized has one too (`straight_through`).

    The product is computed in FLOAT and rounded once, whatever the type of the result.
    """

    def decompose(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None = None
    ) -> Tensor:
        """A difference, exact, and a product. Raises OperatorInputError for scales and zero points
        of wrong shapes, and for a scale of FLOAT8E8M0 without `output_dtype`.
        """
        to = self.result_type(on.info(scale).dataType())
        if to not in _RESULTS:
            raise self.wrong(
                f"the result would be of type {to.name}; give the attribute 'output_dtype' as "
                f"{', '.join(f'{each.name} ({each.onnx})' for each in _RESULTS)}."
            )
        scale, zero = self.pair(on, x, scale, zero)
        shape, q = on.shape(x), x
        # FLOAT holds differences of up to 16 bits.
        kind = on.info(x).dataType()
        whole = zero is not None and kind.is_integer and kind.bits > 16
        x = on.reshape(on.cast(x, DataType.INT32 if whole else DataType.FLOAT), self.split(shape))
        if zero is not None:
            x = on.Sub(x, on.cast(zero, on.info(x).dataType()))
        product = on.Mul(on.cast(x, DataType.FLOAT), on.cast(scale, DataType.FLOAT))
        product = straight_through(on, product, q, scale)
        return on.reshape(on.cast(product, to), shape)


OpCreator(DequantizeLinear, onnx_ids("DequantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28))
