"""QLinearMatMul: the product of quantized matrices, quantized."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.quantization.granularity import is_zero, stored
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import product
from popir.registry import OpCreator
from popir.types import DataType


class QLinearMatMul(Decomposition):
    """ONNX's QLinearMatMul, versions 10 and 21: the matrix product of two quantized operands,
    quantized in the type of `y_zero_point`.

    The sum of products of integers is exact, and wraps around at 32 bits; that of 8-bit floats is
    computed in FLOAT. Scales and zero points are one number, or one for each row of a and of y and
    each column of b. No gradient.
    """

    getGradOps = Op.getGradOps

    def decompose(
        self,
        on: Decomposer,
        a: Tensor,
        a_scale: Tensor,
        a_zero: Tensor,
        b: Tensor,
        b_scale: Tensor,
        b_zero: Tensor,
        y_scale: Tensor,
        y_zero: Tensor,
    ) -> Tensor:
        """MatMulInteger or MatMul, a product with the scales, and what QuantizeLinear does. Raises
        OperatorInputError for scales and zero points of wrong shapes.
        """
        vectors = min(len(on.shape(a)), len(on.shape(b))) < 2

        def each(what: str, t: Tensor, of: Tensor, by_row: bool) -> Tensor:
            return self._each(on, what, t, [] if vectors else on.shape(of), by_row)

        if all(on.info(t).dataType().is_integer for t in (a, b)):
            total = on.MatMulInteger(a, b, a_zero, b_zero)
        else:
            total = on.MatMul(
                self._centred(on, a, each("a_zero_point", a_zero, a, True)),
                self._centred(on, b, each("b_zero_point", b_zero, b, False)),
            )
        factor = on.Mul(each("a_scale", a_scale, a, True), each("b_scale", b_scale, b, False))
        factor = on.Div(factor, each("y_scale", y_scale, total, True))
        scaled = on.Mul(on.cast(total, DataType.FLOAT), on.cast(factor, DataType.FLOAT))
        zero = None if is_zero(y_zero) else each("y_zero_point", y_zero, total, True)
        return stored(on, scaled, zero, on.info(y_zero).dataType())

    def _each(self, on: Decomposer, what: str, t: Tensor, shape: list[int], by_row: bool) -> Tensor:
        """`t` in a shape that broadcasts to the matrices `shape`, [] for no matrices."""
        given = on.shape(t)
        if len(given) < 2 and product(given) == 1:
            return on.reshape(t, [])
        size = shape[-2:-1] if by_row else shape[-1:]
        kept = [*shape[:-1], 1] if by_row else [*shape[:-2], 1, *size]
        if shape and given in (size, kept):
            return on.reshape(t, kept[-2:]) if given == size else t
        way = f" or {size[0]}, one for each {'row' if by_row else 'column'}" if shape else ""
        raise self.wrong(
            f"{what} has shape {given}; of {f'matrices {shape}' if shape else 'vectors'} expected "
            f"is one number{way}."
        )

    def _centred(self, on: Decomposer, t: Tensor, zero: Tensor) -> Tensor:
        """The operand minus its zero point, in FLOAT."""
        wide = on.cast(t, DataType.FLOAT)
        return wide if is_zero(zero) else on.Sub(wide, on.cast(zero, DataType.FLOAT))


OpCreator(QLinearMatMul, onnx_ids("QLinearMatMul", 10, 21))
