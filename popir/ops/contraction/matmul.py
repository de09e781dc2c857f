"""MatMul: matrix products with leading dimensions that broadcast, as numpy.matmul.

It is one `poplin.matMulGrouped`. If the second operand is a single matrix, it is one
`poplin.matMul` with the first operand's leading dimensions as additional rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir.errors import OperatorInputError
from popir.ir import Op, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions, from_end
from popir.ops.contraction.options import (
    FORWARD,
    INPUT,
    LHS_GRAD,
    OUTPUT,
    REDUCED,
    RHS_GRAD,
    Contraction,
    create_operand,
    multiply,
    plans_layers,
)
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.scaled import (
    GRADIENT_REMEDY,
    check_operands,
    is_scaled,
    operands,
    result_type,
)
from popir.ops.support.second_order import sum_to
from popir.ops.support.shapes import broadcast_shapes, broadcast_to, popart_name, product, spaced
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, Type, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class MatMulOp(Op, Contraction):
    """ONNX's MatMul, versions 1, 9 and 13. A vector as first input is a row, as second input a
    column; the result lacks that dimension.

    Operands of FLOAT8_143 and FLOAT8_152 have a third input beside them, as in PopART: the
    logarithm of a scale, a scalar of INT32 in [-32, 32). The product times 2 to its power is
    FLOAT16. There is no gradient of it.
    """

    costly = True
    gradient_remedy = GRADIENT_REMEDY

    def lhs_shape(self) -> list[int]:
        """The first input's shape [stack..., rows, inner]."""
        shape = self.inShape(0)
        return [1, *shape] if len(shape) == 1 else shape

    def rhs_shape(self) -> list[int]:
        """The second input's shape [stack..., inner, columns]."""
        shape = self.inShape(1)
        return [*shape, 1] if len(shape) == 1 else shape

    def stack(self) -> list[int]:
        """The leading dimensions of the result: those of the inputs, broadcast."""
        return broadcast_shapes(self, [self.lhs_shape()[:-2], self.rhs_shape()[:-2]])

    def setup(self) -> None:
        """Infers [stack..., rows, columns], without the dimension of an input that is a vector.
        Raises OperatorInputError for a scalar, and for shapes that do not fit.
        """
        if not self.inRank(0) or not self.inRank(1):
            raise OperatorInputError(
                f"{self.debugName()}: an operand is a scalar; MatMul takes rank 1 or more.",
                popart=f"{popart_name(self)} doesn't support scalar tensor input as the "
                f"{'rhs' if self.inRank(0) else 'lhs'} input",
            )
        check_operands(self)
        a, b = self.lhs_shape(), self.rhs_shape()
        if a[-1] != b[-2]:
            raise OperatorInputError(
                f"{self.debugName()}: the shapes {self.inShape(0)} and {self.inShape(1)} do not "
                f"multiply: {a[-1]} columns meet {b[-2]} rows.",
                popart=f"{popart_name(self)} contracting dimensions unequal: lhs '{self.inId(0)}' "
                f"{spaced(self.inShape(0))}, rhs '{self.inId(1)}' {spaced(self.inShape(1))}",
            )
        shape = self.stack()
        shape += [a[-2]] if self.inRank(0) > 1 else []
        shape += [b[-1]] if self.inRank(1) > 1 else []
        self.setOutInfo(0, TensorInfo(result_type(self), shape))

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes, and PopART's `fully_connected_pass`: 0, the forward one, or -1 if a
        product is planned by itself and not with those of the other passes.
        """
        super().appendAttributes(os)
        os.appendAttribute("fully_connected_pass", 0 if plans_layers(self) else -1)

    def isSingle(self) -> bool:
        """Whether the second operand is one matrix."""
        return product(self.rhs_shape()[:-2]) == 1

    def cuttable(self) -> dict[str, int]:
        """The sizes of the product that is computed: rows, inner dimension, columns."""
        a, b = self.lhs_shape(), self.rhs_shape()
        rows = product(a[:-1]) if self.isSingle() else a[-2]
        return {INPUT: rows, REDUCED: a[-1], OUTPUT: b[-1]}

    def dimensionNames(self) -> Dimensions | None:
        """Those of the stack, rows and columns; not the inner dimension."""
        matrices = [self.inRank(i) > 1 for i in range(2)]
        a, b = (from_end(max(self.inRank(i) - 2, 0)) for i in range(2))
        rows, columns = ["rows"] * matrices[0], ["columns"] * matrices[1]
        inputs = {0: [*a, *rows, None], 1: [*b, None, *columns]}
        return Dimensions(inputs, {0: [*from_end(len(self.stack())), *rows, *columns]})

    def getGradOps(self) -> list[Op]:
        """One gradient operator for each operand; none for operands of 8 bits."""
        return [] if is_scaled(self) else [MatMulLhsGradOp(self), MatMulRhsGradOp(self)]


class MatMulGradOp(InputGradOp):
    """The base class of both gradients, with the shapes of the forward product."""

    costly = True

    def __init__(self, fwdOp: MatMulOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.stack = fwdOp.stack()
        self.matrices = [fwdOp.lhs_shape(), fwdOp.rhs_shape()]

    def product_shape(self) -> list[int]:
        """The shape of g as matrices, [stack..., rows, columns]."""
        return [*self.stack, self.matrices[0][-2], self.matrices[1][-1]]


class MatMulLhsGradOp(MatMulGradOp):
    """The gradient of the first operand: g B^T."""

    opid = graphcore_id("MatMulLhsGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def __init__(self, fwdOp: MatMulOp) -> None:
        super().__init__(fwdOp, 0)

    def decompose(self, on: Decomposer, g: IrTensor, b: IrTensor) -> IrTensor:
        """A product with the transposed operand, summed over the stack."""
        product = on.MatMul(
            on.reshape(g, self.product_shape()), _transposed(on, b, self.matrices[1])
        )
        return on.reshape(sum_to(on, product, self.matrices[0]), self.target().shape())


class MatMulRhsGradOp(MatMulGradOp):
    """The gradient of the second operand: A^T g."""

    opid = graphcore_id("MatMulRhsGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def __init__(self, fwdOp: MatMulOp) -> None:
        super().__init__(fwdOp, 1)

    def decompose(self, on: Decomposer, g: IrTensor, a: IrTensor) -> IrTensor:
        """A product with the transposed operand, summed over the stack."""
        product = on.MatMul(
            _transposed(on, a, self.matrices[0]), on.reshape(g, self.product_shape())
        )
        return on.reshape(sum_to(on, product, self.matrices[1]), self.target().shape())


def _transposed(on: Decomposer, t: IrTensor, shape: Sequence[int]) -> IrTensor:
    """The operand as matrices, each transposed."""
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    return on.Transpose(on.reshape(t, shape), perm=order)


def stacked(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    stack: list[int],
    kind: Type,
    prog: program.Sequence,
    sizes: tuple[str, str, str] = FORWARD,
) -> Tensor:
    """The product of stacked matrices, with both stacks broadcast to `stack`, in the type
    `kind`.
    """
    (m, k), n = a.shape()[-2:], b.shape()[-1]
    if product(b.shape()[:-2]) == 1:
        rows = a.reshape([product(a.shape()[:-1]), k])
        out = multiply(opx, rows, b.reshape([k, n]), prog, kind, sizes)
        return out.reshape([*stack, m, n])
    groups = product(stack)
    a3 = broadcast_to(a, [*stack, m, k]).reshape([groups, m, k])
    b3 = broadcast_to(b, [*stack, k, n]).reshape([groups, k, n])
    out = multiply(opx, a3, b3, prog, kind, sizes)
    return out.reshape([*stack, m, n])


def transposed(t: Tensor) -> Tensor:
    """`t` with its last two dimensions exchanged."""
    rank = t.rank()
    return t.dimShuffle([*range(rank - 2), rank - 1, rank - 2])


def _summed_product(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    shape: list[int],
    prog: program.Sequence,
    sizes: tuple[str, str, str],
) -> Tensor:
    """The product of stacked matrices, summed to `shape`: the operand's, before its stack was
    broadcast.
    """
    stack, given = opx.getOp(MatMulGradOp).stack, a.elementType()
    summed = product(shape[:-2]) != product(stack)
    kind = accumulator(given) if summed else given
    full = stacked(opx, a, b, stack, kind, prog, sizes)
    return Arithmetic(opx, prog).reduce_to(full, shape, "reduce", given)


class MatMulOpx(Opx):
    """Adds one product, grouped if the second operand has a stack."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::matMul or matMulGrouped."""
        op = self.getOp(MatMulOp)
        a, b = operands(self, prog)
        a, b = a.reshape(op.lhs_shape()), b.reshape(op.rhs_shape())
        out = stacked(self, a, b, op.stack(), popType(op.outInfo(0)), prog)
        self.setOutTensor(0, out.reshape(self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """Both operands can be created if the second one is a single matrix."""
        can_create = i < 2 and self.getOp(MatMulOp).isSingle()
        return InputCreatorType.CanCreate if can_create else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """The operand in the layout of poplin's createMatMulInput."""
        op = self.getOp(MatMulOp)
        a, b = op.lhs_shape(), op.rhs_shape()[-2:]
        rows = [product(a[:-1]), a[-1]]
        kind, out = popType(self.inInfo(i)), popType(self.outInfo(0))
        made = create_operand(self, i, kind, rows, b, debugContext, out)
        return made.reshape(self.inShape(i))


class MatMulLhsGradOpx(Opx):
    """The lowering of the gradient of the first operand, g B^T."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a product, and a sum if the operand was broadcast."""
        op = self.getOp(MatMulLhsGradOp)
        g = self.getInTensor(0).reshape(op.product_shape())
        b = self.getInTensor(1).reshape(op.matrices[1])
        out = _summed_product(self, g, transposed(b), op.matrices[0], prog, LHS_GRAD)
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class MatMulRhsGradOpx(Opx):
    """The lowering of the gradient of the second operand, A^T g."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a product. For a single matrix, it runs over all rows at once; otherwise a sum
        follows if the operand was broadcast.
        """
        op = self.getOp(MatMulRhsGradOp)
        g = self.getInTensor(0).reshape(op.product_shape())
        a = self.getInTensor(1).reshape(op.matrices[0])
        k, n = op.matrices[1][-2:]
        if product(op.matrices[1]) == k * n:
            rows = broadcast_to(a, [*op.stack, *a.shape()[-2:]]).reshape(
                [product(g.shape()[:-1]), k]
            )
            g = g.reshape([rows.dim(0), n])
            full = multiply(self, rows.transpose(), g, prog, g.elementType(), RHS_GRAD)
        else:
            full = _summed_product(self, transposed(a), g, op.matrices[1], prog, RHS_GRAD)
        self.setOutTensor(0, full.reshape(self.outShape(0)))


_IDS = onnx_ids("MatMul", 1, 9, 13)
OpCreator(MatMulOp, _IDS)
OpxCreator(MatMulOpx, _IDS)
OpxCreator(MatMulLhsGradOpx, MatMulLhsGradOp.opid)
OpxCreator(MatMulRhsGradOpx, MatMulRhsGradOp.opid)
