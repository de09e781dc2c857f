"""onnxruntime's products of 8-bit integers with results in floating point: MatMulIntegerToFloat,
DynamicQuantizeMatMul, QGemm.
"""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.ops.support.norms import row_of
from popir.ops.support.shapes import product
from popir.registry import OpCreator
from popir.types import DataType


class _IntegerProduct(Decomposition):
    getGradOps = Op.getGradOps

    def scaled(
        self,
        on: Decomposer,
        a: Tensor,
        b: Tensor,
        scales: tuple[Tensor, Tensor],
        zeros: tuple[Tensor | None, Tensor | None],
        c: Tensor | None = None,
    ) -> Tensor:
        """The matrix product minus zero points plus `c`, exact, times the scales: one number for
        `a`, one number or one for each column for `b`. Raises OperatorInputError for others.
        """
        columns = on.shape(b)[-1:]
        if not columns:
            raise self.wrong("b has shape []; expected is a matrix or a vector.")
        for what, t, many in (("a", scales[0], False), ("b", scales[1], True)):
            if product(on.shape(t)) != 1 and not (many and on.shape(t) == columns):
                more = f" or {columns[0]}, one for each column" if many else ""
                raise self.wrong(
                    f"the scale of {what} has shape {on.shape(t)}; expected is one number{more}."
                )
        total = on.MatMulInteger(a, b, *(None if t is None else self._flat(on, t) for t in zeros))
        if c is not None:
            total = on.Add(total, c)
        kind = on.info(scales[0]).dataType()
        factor = on.Mul(*(self._flat(on, t) for t in scales))
        product_ = on.Mul(on.cast(total, DataType.FLOAT), on.cast(factor, DataType.FLOAT))
        return on.cast(product_, kind)

    def _flat(self, on: Decomposer, t: Tensor) -> Tensor:
        return on.reshape(t, [] if product(on.shape(t)) == 1 else on.shape(t))


class MatMulIntegerToFloat(_IntegerProduct):
    """onnxruntime's MatMulIntegerToFloat, version 1: the exact product of 8-bit integers minus
    their zero points, times their scales, plus a bias. No gradient.
    """

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        b: Tensor,
        a_scale: Tensor,
        b_scale: Tensor,
        a_zero: Tensor | None = None,
        b_zero: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        """MatMulInteger and a product. Raises OperatorInputError for shapes that do not fit."""
        y = self.scaled(on, a, b, (a_scale, b_scale), (a_zero, b_zero))
        return y if bias is None else on.Add(y, row_of(self, on, "the bias", bias, on.shape(b)[-1]))


class DynamicQuantizeMatMul(_IntegerProduct):
    """onnxruntime's DynamicQuantizeMatMul, version 1: A in 8 bits by its own range, as
    DynamicQuantizeLinear does it, times quantized B, plus a bias. No gradient.
    """

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        b: Tensor,
        b_scale: Tensor,
        b_zero: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        """Extrema, QuantizeLinear, MatMulInteger, a product. Raises OperatorInputError for shapes
        that do not fit.
        """
        nothing = on.like(0.0, a)
        low = on.Min(on.ReduceMin(a, keepdims=0), nothing)
        high = on.Max(on.ReduceMax(a, keepdims=0), nothing)
        scale = on.Div(on.Sub(high, low), on.like(255.0, a))
        scale = on.Where(on.Equal(scale, nothing), on.like(1.0, a), scale)
        middle = on.Clip(on.Round(on.Neg(on.Div(low, scale))), nothing, on.like(255.0, a))
        zero = on.cast(middle, DataType.UINT8)
        numbers = on.QuantizeLinear(a, scale, zero)
        y = self.scaled(on, numbers, b, (scale, b_scale), (zero, b_zero))
        return y if bias is None else on.Add(y, row_of(self, on, "the bias", bias, on.shape(b)[-1]))


class QGemm(_IntegerProduct):
    """onnxruntime's QGemm, version 1: alpha times the product of quantized matrices, with C, INT32
    in units of the product, added; quantized if `y_scale` is given. No gradient.
    """

    alpha: float
    transA: int
    transB: int

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        a_scale: Tensor,
        a_zero: Tensor,
        b: Tensor,
        b_scale: Tensor,
        b_zero: Tensor,
        c: Tensor | None = None,
        y_scale: Tensor | None = None,
        y_zero: Tensor | None = None,
    ) -> Tensor:
        """MatMulInteger, a sum, a product, QuantizeLinear. Raises OperatorInputError for shapes
        that do not fit.
        """
        for what, t in (("A", a), ("B", b)):
            if len(on.shape(t)) != 2:
                raise self.wrong(f"{what} has shape {on.shape(t)}; expected is a matrix.")
        a = on.Transpose(a, perm=[1, 0]) if self.transA else a
        b = on.Transpose(b, perm=[1, 0]) if self.transB else b
        factor = a_scale if self.alpha == 1.0 else on.Mul(a_scale, on.like(self.alpha, a_scale))
        y = self.scaled(on, a, b, (factor, b_scale), (a_zero, b_zero), c)
        if y_scale is None:
            return y
        zero = on.like(0, a) if y_zero is None else self._flat(on, y_zero)
        return on.QuantizeLinear(y, self._flat(on, y_scale), zero)


for _class in (MatMulIntegerToFloat, DynamicQuantizeMatMul, QGemm):
    OpCreator(_class, microsoft_id(_class.__name__))
