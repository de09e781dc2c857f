"""onnxruntime's QAttention: Attention with quantized input and weights."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.attention.multihead import ProjectedAttention
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import row_of
from popir.registry import OpCreator
from popir.types import DataType


class QAttention(ProjectedAttention):
    """onnxruntime's QAttention, version 1: Attention whose input and weights are 8-bit integers
    with scales and zero points. The projection is exact. No gradient.
    """

    getGradOps = Op.getGradOps

    def decompose(
        self,
        on: Decomposer,
        x: Tensor,
        weights: Tensor,
        bias: Tensor,
        x_scale: Tensor,
        w_scale: Tensor,
        mask: Tensor | None = None,
        x_zero: Tensor | None = None,
        w_zero: Tensor | None = None,
        past: Tensor | None = None,
    ) -> list[Tensor]:
        """MatMulIntegerToFloat, then what Attention does. Raises what that raises."""
        self.check_ranks(on, x, weights)
        given = [x, weights, x_scale, w_scale, x_zero, w_zero]
        projected = on.add("com.microsoft", "MatMulIntegerToFloat", 1, given, 1, {})
        assert not isinstance(projected, list)
        width = on.shape(weights)[-1]
        row = row_of(self, on, "the bias", bias, width)
        projected = on.Add(projected, on.cast(row, on.info(projected).dataType()))
        assert on.info(projected).dataType() is not DataType.INT32
        return self.from_projected(on, projected, mask, past, None)


OpCreator(QAttention, microsoft_id("QAttention"))
