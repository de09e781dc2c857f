"""MatMul: products of matrices, stacked and broadcast as numpy's matmul does.

All of it is one `poplin.matMulGrouped`, or one `matMul` where the second operand is a single
matrix: then the first operand's leading dimensions are rows.
"""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.arithmetic import Arithmetic, accumulator
from popir.ops.contraction_options import (
    FORWARD,
    INPUT,
    LHS_GRAD,
    OUTPUT,
    REDUCED,
    RHS_GRAD,
    Contraction,
    createOperand,
    multiply,
)
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import broadcastShapes, broadcastTo, product
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, Type, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class MatMulOp(Op, Contraction):
    """A vector as first input is a row, as second a column; the result lacks that dimension."""

    def lhsShape(self) -> list[int]:
        """The first input's shape as matrices."""
        shape = self.inShape(0)
        return [1, *shape] if len(shape) == 1 else shape

    def rhsShape(self) -> list[int]:
        """The second input's shape as matrices."""
        shape = self.inShape(1)
        return [*shape, 1] if len(shape) == 1 else shape

    def stack(self) -> list[int]:
        """The leading dimensions of the result."""
        return broadcastShapes(self, [self.lhsShape()[:-2], self.rhsShape()[:-2]])

    def setup(self) -> None:
        """[stack..., rows, columns], without the dimension of an input that is a vector."""
        if not self.inRank(0) or not self.inRank(1):
            raise OperatorInputError(
                f"{self.debugName()}: an operand is a scalar; MatMul takes rank 1 or more."
            )
        a, b = self.lhsShape(), self.rhsShape()
        if a[-1] != b[-2]:
            raise OperatorInputError(
                f"{self.debugName()}: the shapes {self.inShape(0)} and {self.inShape(1)} do not "
                f"multiply: {a[-1]} columns meet {b[-2]} rows."
            )
        shape = self.stack()
        shape += [a[-2]] if self.inRank(0) > 1 else []
        shape += [b[-1]] if self.inRank(1) > 1 else []
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def isSingle(self) -> bool:
        """Whether the second operand is one matrix, so that the first one's stack is rows."""
        return product(self.rhsShape()[:-2]) == 1

    def cuttable(self) -> dict[str, int]:
        """Of the product that is computed: rows, inner elements, columns."""
        a, b = self.lhsShape(), self.rhsShape()
        rows = product(a[:-1]) if self.isSingle() else a[-2]
        return {INPUT: rows, REDUCED: a[-1], OUTPUT: b[-1]}

    def getSubgraphValue(self) -> float:
        """Expensive."""
        return self.getHighSubgraphValue()

    def getGradOps(self) -> list[Op]:
        """One for each operand."""
        return [MatMulLhsGradOp(self), MatMulRhsGradOp(self)]


class MatMulGradOp(InputGradOp):
    """Base of both: knows the shapes of the forward product."""

    def __init__(self, fwdOp: MatMulOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.stack = fwdOp.stack()
        self.matrices = [fwdOp.lhsShape(), fwdOp.rhsShape()]

    def productShape(self) -> list[int]:
        """The forward result's shape as matrices."""
        return [*self.stack, self.matrices[0][-2], self.matrices[1][-1]]


class MatMulLhsGradOp(MatMulGradOp):
    """g times the second operand, transposed."""

    opid = graphcoreId("MatMulLhsGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def __init__(self, fwdOp: MatMulOp) -> None:
        super().__init__(fwdOp, 0)


class MatMulRhsGradOp(MatMulGradOp):
    """The first operand, transposed, times g."""

    opid = graphcoreId("MatMulRhsGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def __init__(self, fwdOp: MatMulOp) -> None:
        super().__init__(fwdOp, 1)


def _stacked(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    stack: list[int],
    kind: Type,
    prog: program.Sequence,
    sizes: tuple[str, str, str] = FORWARD,
) -> Tensor:
    """The product of stacked matrices, each stack broadcast to `stack`, as elements of `kind`."""
    (m, k), n = a.shape()[-2:], b.shape()[-1]
    if product(b.shape()[:-2]) == 1:
        rows = a.reshape([product(a.shape()[:-1]), k])
        out = multiply(opx, rows, b.reshape([k, n]), prog, kind, sizes)
        return out.reshape([*stack, m, n])
    groups = product(stack)
    a3 = broadcastTo(a, [*stack, m, k]).reshape([groups, m, k])
    b3 = broadcastTo(b, [*stack, k, n]).reshape([groups, k, n])
    out = multiply(opx, a3, b3, prog, kind, sizes)
    return out.reshape([*stack, m, n])


def transposed(t: Tensor) -> Tensor:
    """The last two dimensions exchanged."""
    rank = t.rank()
    return t.dimShuffle([*range(rank - 2), rank - 1, rank - 2])


def _summedProduct(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    shape: list[int],
    prog: program.Sequence,
    sizes: tuple[str, str, str],
) -> Tensor:
    """The product of stacked matrices, added up over the part of the stack that `shape` lacks."""
    stack, given = opx.getOp(MatMulGradOp).stack, a.elementType()
    summed = product(shape[:-2]) != product(stack)
    kind = accumulator(given) if summed else given
    full = _stacked(opx, a, b, stack, kind, prog, sizes)
    return Arithmetic(opx, prog).reduceTo(full, shape, "reduce", given)


class MatMulOpx(Opx):
    """One product."""

    def grow(self, prog: program.Sequence) -> None:
        """matMul or matMulGrouped."""
        op = self.getOp(MatMulOp)
        a = self.getInTensor(0).reshape(op.lhsShape())
        b = self.getInTensor(1).reshape(op.rhsShape())
        out = _stacked(self, a, b, op.stack(), a.elementType(), prog)
        self.setOutTensor(0, out.reshape(self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """A single matrix as second operand, and the first one with it."""
        single = self.getOp(MatMulOp).isSingle()
        return InputCreatorType.CanCreate if single else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """As the product wants it."""
        op = self.getOp(MatMulOp)
        a, b = op.lhsShape(), op.rhsShape()[-2:]
        rows = [product(a[:-1]), a[-1]]
        made = createOperand(self, i, popType(self.inInfo(i)), rows, b, debugContext)
        return made.reshape(self.inShape(i))


class MatMulLhsGradOpx(Opx):
    """g B'."""

    def grow(self, prog: program.Sequence) -> None:
        """A product and, where the operand was broadcast, a sum."""
        op = self.getOp(MatMulLhsGradOp)
        g = self.getInTensor(0).reshape(op.productShape())
        b = self.getInTensor(1).reshape(op.matrices[1])
        out = _summedProduct(self, g, transposed(b), op.matrices[0], prog, LHS_GRAD)
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class MatMulRhsGradOpx(Opx):
    """A' g."""

    def grow(self, prog: program.Sequence) -> None:
        """A product; where the operand was one matrix, over all rows at once, else with a sum."""
        op = self.getOp(MatMulRhsGradOp)
        g = self.getInTensor(0).reshape(op.productShape())
        a = self.getInTensor(1).reshape(op.matrices[0])
        k, n = op.matrices[1][-2:]
        if product(op.matrices[1]) == k * n:
            rows = broadcastTo(a, [*op.stack, *a.shape()[-2:]]).reshape(
                [product(g.shape()[:-1]), k]
            )
            g = g.reshape([rows.dim(0), n])
            full = multiply(self, rows.transpose(), g, prog, g.elementType(), RHS_GRAD)
        else:
            full = _summedProduct(self, transposed(a), g, op.matrices[1], prog, RHS_GRAD)
        self.setOutTensor(0, full.reshape(self.outShape(0)))


_IDS = onnxIds("MatMul", 1, 9, 13)
OpCreator(MatMulOp, _IDS)
OpxCreator(MatMulOpx, _IDS)
OpxCreator(MatMulLhsGradOpx, MatMulLhsGradOp.opid)
OpxCreator(MatMulRhsGradOpx, MatMulRhsGradOp.opid)
