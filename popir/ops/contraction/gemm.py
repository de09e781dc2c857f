"""Gemm: alpha A' B' + beta C. A' is A, or its transpose if `transA` is set; B' likewise; C
broadcasts.
"""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions, Names
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
    product_type,
)
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import sum_to
from popir.ops.support.shapes import summed_dims
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, Type, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class GemmOp(Op, Contraction):
    """ONNX's Gemm, versions 6, 7, 9, 11 and 13. Inputs: matrices A and B, and C, which is optional
    from version 11 on and broadcasts to the result.
    """

    costly = True
    alpha: float
    beta: float
    transA: bool
    transB: bool
    broadcast: bool | None
    """An attribute of version 6: whether C may broadcast. It has no effect, C always may."""

    def operandShape(self, i: int) -> list[int]:
        """The shape of A' (0) or B' (1)."""
        shape = self.inShape(i)
        return shape[::-1] if (self.transA, self.transB)[i] else shape

    def setup(self) -> None:
        """Infers [rows of A', columns of B'], with the type of A. Raises OperatorInputError for
        shapes that do not fit.
        """
        if (
            self.inRank(0) != 2
            or self.inRank(1) != 2
            or self.operandShape(0)[1] != self.operandShape(1)[0]
        ):
            raise OperatorInputError(
                f"{self.debugName()}: A is {self.inShape(0)} (transA={int(self.transA)}), B "
                f"{self.inShape(1)} (transB={int(self.transB)}); after transposition they must be "
                "[M, K] and [K, N]."
            )
        shape = [self.operandShape(0)[0], self.operandShape(1)[1]]
        if self.hasInput(2):
            c = self.inShape(2)
            padded = [1] * (2 - len(c)) + c
            if len(c) > 2 or any(d not in (1, s) for d, s in zip(padded, shape, strict=True)):
                raise OperatorInputError(
                    f"{self.debugName()}: C has shape {c}, which does not broadcast to the "
                    f"product's, {shape}."
                )
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def cuttable(self) -> dict[str, int]:
        """The sizes of the product: rows, inner dimension, columns."""
        (rows, inner), (_, columns) = self.operandShape(0), self.operandShape(1)
        return {INPUT: rows, REDUCED: inner, OUTPUT: columns}

    def dimensionNames(self) -> Dimensions | None:
        """Rows and columns, but not the inner dimension."""
        a, b = ["rows", None], [None, "columns"]
        whole = ["rows", "columns"]
        inputs: dict[int, Names] = {
            0: a[::-1] if self.transA else a,
            1: b[::-1] if self.transB else b,
        }
        if self.hasInput(2):
            inputs[2] = whole[2 - self.inRank(2) :]
        return Dimensions(inputs, {0: whole})

    def getGradOps(self) -> list[Op]:
        """One gradient operator for each input."""
        found: list[Op] = [GemmAGradOp(self), GemmBGradOp(self)]
        return [*found, GemmCGradOp(self)] if self.hasInput(2) else found


class GemmGradOp(InputGradOp):
    """The base class of the three gradients, with the forward operator's attributes."""

    alpha: float
    beta: float
    transA: bool
    transB: bool


class GemmAGradOp(GemmGradOp):
    """The gradient of A: alpha g B'^T, transposed if A is."""

    costly = True
    opid = graphcore_id("GemmAGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def decompose(self, on: Decomposer, g: IrTensor, b: IrTensor) -> IrTensor:
        """A Gemm of g and B."""
        if self.transA:
            return on.Gemm(b, g, alpha=self.alpha, transA=self.transB, transB=1)
        return on.Gemm(g, b, alpha=self.alpha, transB=not self.transB)


class GemmBGradOp(GemmGradOp):
    """The gradient of B: alpha A'^T g, transposed if B is."""

    costly = True
    opid = graphcore_id("GemmBGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def __init__(self, fwdOp: GemmOp) -> None:
        super().__init__(fwdOp, 1)

    def decompose(self, on: Decomposer, g: IrTensor, a: IrTensor) -> IrTensor:
        """A Gemm of A and g."""
        if self.transB:
            return on.Gemm(g, a, alpha=self.alpha, transA=1, transB=self.transA)
        return on.Gemm(a, g, alpha=self.alpha, transA=not self.transA)


class GemmCGradOp(GemmGradOp):
    """The gradient of C: beta g, summed to the shape of C."""

    opid = graphcore_id("GemmCGrad")

    def __init__(self, fwdOp: GemmOp) -> None:
        super().__init__(fwdOp, 2)

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A sum over what was broadcast."""
        return on.Mul(sum_to(on, g, self.target().shape()), on.like(self.beta, g))


def _product(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    factor: float,
    prog: program.Sequence,
    sizes: tuple[str, str, str] = FORWARD,
) -> Tensor:
    """The matrix product a b, times `factor`."""
    kind = a.elementType()
    if factor == 1.0:
        return multiply(opx, a, b, prog, kind, sizes)
    out = multiply(opx, a, b, prog, product_type(opx.op_p, kind), sizes)
    return _scaled(Arithmetic(opx, prog), out, factor, kind)


def _gradient(
    opx: Opx,
    a: Tensor,
    b: Tensor,
    is_transposed: bool,
    prog: program.Sequence,
    sizes: tuple[str, str, str],
) -> Tensor:
    """alpha a b; if `is_transposed`, its transpose, which lies as an operand that the Gemm
    transposes does.
    """
    out = _product(opx, a, b, opx.getOp(GemmGradOp).alpha, prog, sizes)
    return out.transpose() if is_transposed else out


def _times(factor: float, e: Expr) -> Expr:
    return e if factor == 1.0 else s.Parameter(factor) * e


def _scaled(arithmetic: Arithmetic, t: Tensor, factor: float, out: Type) -> Tensor:
    return arithmetic.map(_times(factor, Arg(0)), [t], "scale", out)


class GemmOpx(Opx):
    """Adds a product, and one pass for the factors and C."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::matMul, then one map for alpha, beta and C."""
        op = self.getOp(GemmOp)
        a, b = self.getInTensor(0), self.getInTensor(1)
        a = a.transpose() if op.transA else a
        b = b.transpose() if op.transB else b
        if not op.hasInput(2) or op.beta == 0.0:
            self.setOutTensor(0, _product(self, a, b, op.alpha, prog))
            return
        sum_ = _times(op.alpha, Arg(0)) + _times(op.beta, Arg(1))
        kind = a.elementType()
        out = multiply(self, a, b, prog, product_type(op, kind))
        operands = [out, self.getInTensor(2)]
        arithmetic = Arithmetic(self, prog)
        if kind == out.elementType():
            arithmetic.mapInPlace(sum_, operands, "bias")
        else:
            out = arithmetic.map(sum_, operands, "bias", kind)
        self.setOutTensor(0, out)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """A and B can be created."""
        return InputCreatorType.CanCreate if i < 2 else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """A or B in the layout of poplin's createMatMulInput."""
        op = self.getOp(GemmOp)
        shapes = op.operandShape(0), op.operandShape(1)
        made = create_operand(self, i, popType(self.inInfo(i)), *shapes, debugContext)
        return made.transpose() if (op.transA, op.transB)[i] else made


class GemmAGradOpx(Opx):
    """The lowering of the gradient of A."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one product, scaled by alpha."""
        op = self.getOp(GemmAGradOp)
        g, b = self.getInTensor(0), self.getInTensor(1)
        b = b if op.transB else b.transpose()
        self.setOutTensor(0, _gradient(self, g, b, op.transA, prog, LHS_GRAD))


class GemmBGradOpx(Opx):
    """The lowering of the gradient of B."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one product, scaled by alpha."""
        op = self.getOp(GemmBGradOp)
        g, a = self.getInTensor(0), self.getInTensor(1)
        a = a if op.transA else a.transpose()
        self.setOutTensor(0, _gradient(self, a, g, op.transB, prog, RHS_GRAD))


class GemmCGradOpx(Opx):
    """The lowering of the gradient of C."""

    def grow(self, prog: program.Sequence) -> None:
        """Scales g by beta and sums over the broadcast dimensions of C."""
        op = self.getOp(GemmCGradOp)
        g, arithmetic, shape = self.getInTensor(0), Arithmetic(self, prog), self.outShape(0)
        kind, summed = g.elementType(), bool(summed_dims(g.shape(), shape))
        if op.beta != 1.0:
            g = _scaled(arithmetic, g, op.beta, accumulator(kind) if summed else kind)
        reduced = arithmetic.reduce_to(g, shape, "reduce", kind)
        self.setOutTensor(0, arithmetic.separate(reduced))


_IDS = onnx_ids("Gemm", 6, 7, 9, 11, 13)
OpCreator(GemmOp, _IDS)
OpxCreator(GemmOpx, _IDS)
for _opx, _op in (
    (GemmAGradOpx, GemmAGradOp),
    (GemmBGradOpx, GemmBGradOp),
    (GemmCGradOpx, GemmCGradOp),
):
    OpxCreator(_opx, _op.opid)
