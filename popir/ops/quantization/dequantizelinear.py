"""DequantizeLinear: (x - zero point) * scale."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from popir.ir import Tensor
from popir.ops.quantization.granularity import QuantizingOp, is_zero
from popir.ops.quantization.straightthrough import straight_through
from popir.ops.support.bits import packed
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType

_RESULTS = (DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16)


class DequantizeLinear(QuantizingOp):
    """ONNX's DequantizeLinear, versions 10, 13, 19, 21, 23, 24, 25 and 28: (x - x_zero_point) *
    x_scale, in the type `output_dtype`, by default that of the scale. The scale has a gradient. If
    x was quantized with the same scale, what was quantized has one too (`straight_through`).

    The product is computed in FLOAT and rounded once, whatever the type of the result. A matrix
    product reads the bits of a constant matrix in blocks themselves (DequantizeBits).
    """

    def decompose(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None = None
    ) -> Tensor:
        """A difference, exact, and a product; or DequantizeBits. Raises OperatorInputError for
        scales and zero points of wrong shapes, and for a scale of FLOAT8E8M0 without
        `output_dtype`.
        """
        to = self.result_type(on.info(scale).dataType())
        if to not in _RESULTS:
            raise self.wrong(
                f"the result would be of type {to.name}; give the attribute 'output_dtype' as "
                f"{', '.join(f'{each.name} ({each.onnx})' for each in _RESULTS)}."
            )
        values = self._of_bits(on, x, scale, zero, to)
        if values is not None:
            return values
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

    def _of_bits(
        self, on: Decomposer, x: Tensor, scale: Tensor, zero: Tensor | None, to: DataType
    ) -> Tensor | None:
        """The values of a constant matrix of integers of 8 bits or fewer in blocks, by
        DequantizeBits, so that a product reads its bits. None if it is no such matrix.
        """
        kind, shape, block = on.info(x).dataType(), on.shape(x), self.block_size or 0
        if x.data is None or not x.isConst() or not kind.is_integer or len(shape) != 2:
            return None
        if kind.bits not in (2, 4, 8) or block < 16 or block % 16:
            return None
        along, blocks = self._axis(shape), list(shape)
        blocks[along] = -(-shape[along] // block)
        if on.info(scale).dataType().is_narrow or on.shape(scale) != blocks:
            return None
        if zero is not None and on.shape(zero) != blocks:
            return None

        def by_block(t: Tensor) -> Tensor:
            wide = on.cast(t, DataType.FLOAT)
            return wide if along == 0 else on.Transpose(wide, perm=[1, 0])

        middle = 1 << (kind.bits - 1)
        shift = 0 if ml_dtypes.iinfo(kind.numpy).min else middle  # of numbers without a sign
        numbers = x.data.astype(np.int16) + (middle - shift)
        numbers = packed(numbers if along else numbers.T, kind.bits, block)
        inputs = [on.const(numbers, DataType.UINT8), by_block(scale)]
        if not is_zero(zero) or shift:
            points = on.const(np.zeros(blocks), DataType.FLOAT) if zero is None else zero
            inputs.append(on.Sub(by_block(points), on.const(float(shift), DataType.FLOAT)))
        attributes = {
            "bits": kind.bits,
            "columns": shape[along],
            "to": to.onnx,
            "rounds_rows": 0,
        }
        found = on.add("ai.graphcore", "DequantizeBits", 1, inputs, 1, attributes)
        assert isinstance(found, Tensor)
        return found if along else on.Transpose(found, perm=[1, 0])


OpCreator(DequantizeLinear, onnx_ids("DequantizeLinear", 10, 13, 19, 21, 23, 24, 25, 28))
