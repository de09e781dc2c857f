"""GlobalLpPool: the p-norm of each channel of [batch, channels, spatial...]."""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import operators
from popir.ops.support.shapes import broadcast_to
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class GlobalLpPoolOp(Op):
    """ONNX's GlobalLpPool, versions 2 and 22: y = (sum of |x|^p over the spatial dimensions)^(1/p),
    of the input's type.
    """

    p: int

    def setup(self) -> None:
        """Infers [batch, channels, 1...]. Raises OperatorInputError for an input of rank below 3,
        OperatorAttributeError for p below 1.
        """
        if self.inRank(0) < 3:
            raise OperatorInputError(
                f"{self.debugName()}: the input has the shape {self.inShape(0)}; expected is "
                "[batch, channels, spatial...]."
            )
        if self.p < 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'p' is {self.p}; a norm has p = 1 or more."
            )
        info = self.inInfo(0)
        shape = [*info.shape()[:2], *[1] * (info.rank() - 2)]
        self.setOutInfo(0, TensorInfo(info.dataType(), shape))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, GlobalLpPoolGrad."""
        return [GlobalLpPoolGradOp(self)]


class GlobalLpPoolGradOp(InputGradOp):
    """g sign(x) (|x| / y)^(p - 1), and 0 where y is 0, as PyTorch has it."""

    opid = graphcore_id("GlobalLpPoolGrad")
    reads = [(GRAD, 0), (IN, 0), (OUT, 0)]

    def __init__(self, fwdOp: GlobalLpPoolOp) -> None:
        super().__init__(fwdOp)
        self.p = fwdOp.p

    def expression(self) -> Expr:
        """The gradient over g, x and y."""
        g, x, y = map(Arg, range(3))
        slope = s.signum(x) * _power(s.absolute(x) / y, self.p - 1)
        return g * s.select(0.0, slope, s.equal(y, 0))

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> IrTensor:
        """The expression by operators."""
        return operators(on, self.expression(), inputs)


def _power(x: Expr, p: int) -> Expr:
    """x^p for x >= 0; squares are multiplied."""
    return {0: s.ONE, 1: x, 2: s.square(x)}.get(p, s.power(x, float(p)))


class GlobalLpPoolOpx(Opx):
    """The lowering: a map, a sum over the spatial dimensions, a root."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds two maps and a reduction."""
        op, arithmetic = self.getOp(GlobalLpPoolOp), Arithmetic(self, prog)
        powers = arithmetic.map(_power(s.absolute(Arg(0)), op.p), [self.getInTensor(0)], "powers")
        total = arithmetic.reduce(powers, range(2, op.inRank(0)), "sum")
        root = {1: Arg(0), 2: s.sqrt(Arg(0))}.get(op.p, s.power(Arg(0), 1 / op.p))
        out = arithmetic.map(root, [total], "root", popType(self.outInfo(0)))
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class GlobalLpPoolGradOpx(Opx):
    """The lowering of the gradient: one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a map over g, x and y, with g and y broadcast as views."""
        op, shape = self.getOp(GlobalLpPoolGradOp), self.outShape(0)
        operands = [
            broadcast_to(self.getInTensor(i), shape) if i != 1 else self.getInTensor(i)
            for i in range(3)
        ]
        kind = popType(self.outInfo(0))
        self.setOutTensor(0, Arithmetic(self, prog).map(op.expression(), operands, out=kind))


_IDS = onnx_ids("GlobalLpPool", 2, 22)
OpCreator(GlobalLpPoolOp, _IDS)
OpxCreator(GlobalLpPoolOpx, _IDS)
OpxCreator(GlobalLpPoolGradOpx, GlobalLpPoolGradOp.opid)
