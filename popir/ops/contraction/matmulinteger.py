"""MatMulInteger: the INT32 product of 8-bit integer matrices minus their zero points."""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ext import integerProduct
from popir.ir import Op
from popir.ir.dimensions import Dimensions
from popir.ops.contraction.matmul import MatMulOp
from popir.ops.quantization.granularity import is_zero
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import broadcast_to, product
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class MatMulIntegerOp(MatMulOp):
    """ONNX's MatMulInteger, version 10. Inputs: A, B, and optionally their zero points: one number,
    one for each row of A, or one for each column of B.

    The sum of products wraps around at 32 bits. No gradient.
    """

    def setup(self) -> None:
        """Infers INT32 with MatMul's shape. Raises OperatorInputError for zero points that do not
        fit.
        """
        super().setup()
        self.setOutInfo(0, TensorInfo(DataType.INT32, self.outShape(0)))
        for i, (shape, size) in enumerate(
            ((self.lhs_shape(), self.lhs_shape()[-2]), (self.rhs_shape(), self.rhs_shape()[-1]))
        ):
            if self.hasInput(i + 2) and self.zero_point_shape(i) is None:
                raise OperatorInputError(
                    f"{self.debugName()}: the zero points have the shape {self.inShape(i + 2)}; "
                    f"of an operand {shape} expected is one number or {size} of them."
                )

    def zero_point_shape(self, i: int) -> list[int] | None:
        """The shape in which the zero points of operand `i` broadcast to it; None if they do not
        fit.
        """
        given, shape = self.inShape(i + 2), self.rhs_shape() if i else self.lhs_shape()
        size = shape[-1] if i else shape[-2]
        if given in ([], [1]):
            return [1] * len(shape)
        if len(given) == 1:
            given = [1, size] if i else [size, 1]
            return given if self.inShape(i + 2) == [size] else None
        kept = [*shape[:-2], 1, size] if i else [*shape[:-1], 1]
        return given if given == kept else None

    def dimensionNames(self) -> Dimensions | None:
        """Those of a MatMul; none if there are zero points of stacks."""
        found = super().dimensionNames()
        points = {i: self.inShape(i) for i in (2, 3) if self.hasInput(i)}
        if found is None or any(len(shape) > 1 for shape in points.values()):
            return None
        names = {i: ["rows" if i == 2 else "columns"][: len(shape)] for i, shape in points.items()}
        return found._replace(inputs={**found.inputs, **names})

    getGradOps = Op.getGradOps  # No gradients: the operands are integers.


class MatMulIntegerOpx(Opx):
    """The lowering: one product of bytes, which takes zero points."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds `integerProduct`, of all rows of A at once if there is one matrix B."""
        op = self.getOp(MatMulIntegerOp)
        lhs, rhs = op.lhs_shape(), op.rhs_shape()
        (m, k), n = lhs[-2:], rhs[-1]
        a, b = self.getInTensor(0).reshape(lhs), self.getInTensor(1).reshape(rhs)
        if product(rhs[:-2]) == 1:
            stack, of_b = lhs[:-2], [*rhs[:-2], 1, n]
            groups, rows = 1, product(lhs[:-1])
        else:
            stack = op.stack()
            of_b = [*stack, 1, n]
            groups, rows = product(stack), m
            a, b = broadcast_to(a, [*stack, m, k]), broadcast_to(b, [*stack, k, n])
        total = integerProduct(
            self.graph(),
            a.reshape([groups, rows, k]),
            b.reshape([groups, k, n]),
            self._zero_points(0, [*stack, m, 1], [groups, rows]),
            self._zero_points(1, of_b, [groups, n]),
            prog,
            self.debugContext("product"),
        )
        self.setOutTensor(0, total.reshape(self.outShape(0)))

    def _zero_points(self, i: int, broadcast: list[int], shape: list[int]) -> Tensor | None:
        """The zero points of an operand: [1], or broadcast and then in `shape`; None if there are
        none.
        """
        op = self.getOp(MatMulIntegerOp)
        if not op.hasInput(i + 2) or is_zero(op.inTensor(i + 2)):
            return None
        given = op.zero_point_shape(i)
        assert given is not None  # setup() has checked it.
        zeros = self.getInTensor(i + 2)
        if product(given) == 1:
            return zeros.reshape([1])
        return broadcast_to(zeros.reshape(given), broadcast).reshape(shape)


_IDS = onnx_ids("MatMulInteger", 10)
OpCreator(MatMulIntegerOp, _IDS)
OpxCreator(MatMulIntegerOpx, _IDS)
