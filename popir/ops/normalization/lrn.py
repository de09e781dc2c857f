"""LRN: local response normalisation across neighbouring channels of [batch, channels, spatial...].

y = x s^-beta, with s = bias + alpha / size * (sum of the squares of `size` channels around that of
x).
"""

from __future__ import annotations

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import product
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator


class LrnOp(Op):
    """ONNX's LRN, versions 1 and 13. The window has (size - 1) // 2 channels before its own, and
    size // 2 after it.
    """

    costly = True
    alpha: float
    beta: float
    bias: float
    size: int

    def setup(self) -> None:
        """Infers the type and shape of the input. Raises OperatorAttributeError for a size below
        1.
        """
        if self.size < 1 or self.inRank(0) < 2:
            raise OperatorAttributeError(
                f"{self.debugName()}: size is {self.size}, the input {self.inShape(0)}; LRN takes "
                "a size from 1 on and [batch, channels, spatial...]."
            )
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the input."""
        return [LrnGradOp(self)]


class LrnGradOp(InputGradOp):
    """g s^-beta - 2 alpha beta / size * x * (sum of g x s^(-beta - 1) over all channels with x in
    their window).
    """

    costly = True
    opid = graphcore_id("LRNGrad")
    reads = [(GRAD, 0), (IN, 0)]
    alpha: float
    beta: float
    bias: float
    size: int

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor) -> IrTensor:
        """The formula by operators; windows are summed by a product with a matrix of 0 and 1."""
        batch, channels, *rest = on.shape(x)
        shape = [batch, channels, product(rest)]
        g, x = (on.reshape(t, shape) for t in (g, x))
        at = np.arange(channels)
        offset = at[None, :] - at[:, None] + (self.size - 1) // 2
        window = ((offset >= 0) & (offset < self.size)).astype(np.int8)
        sums = on.MatMul(on.like(window, x), on.Mul(x, x))
        s = on.Add(on.Mul(sums, on.like(self.alpha / self.size, x)), on.like(self.bias, x))
        term = on.Mul(on.Mul(g, x), on.Pow(s, on.like(-self.beta - 1, x)))
        back = on.Mul(x, on.MatMul(on.like(window.T, x), term))
        factor = on.like(2 * self.alpha * self.beta / self.size, x)
        first = on.Mul(g, on.Pow(s, on.like(-self.beta, x)))
        return on.reshape(on.Sub(first, on.Mul(factor, back)), self.target().shape())


def _windows(
    opx: Opx, e: Expr, operands: list[Tensor], before: int, size: int, prog: program.Sequence
) -> Tensor:
    """`e`, summed over windows of `size` channels that begin `before` channels before each, in the
    accumulator type.
    """
    graph, shape = opx.graph(), list(operands[0].shape())
    # Only the part of the window within the channels adds to the sum.
    reach = max(shape[1] - 1, 0)
    before, after = min(before, reach), min(size - 1 - before, reach)
    size = before + 1 + after
    padded = [shape[0], shape[1] + size - 1, *shape[2:]]
    arithmetic, linear = Arithmetic(opx, prog), poplar.VariableMappingMethod.LINEAR
    kind = accumulator(operands[0].elementType())
    terms = graph.addVariable(kind, padded, linear, opx.debugContext("terms"))
    for begin, end in ((0, before), (before + shape[1], padded[1])):
        if begin < end:
            popops.zero(graph, terms.slice(begin, end, 1), prog, opx.debugContext("border"))
    within = terms.slice(before, before + shape[1], 1)
    arithmetic.mapWithOutput(e, operands, within, "terms")
    views = [terms.slice(i, i + shape[1], 1) for i in range(size)]
    if size > 8:
        stacked = poplar.concat([v.expand([0]) for v in views], 0)
        return arithmetic.reduce(stacked, [0], "window")
    total: Expr = s.ZERO
    for i in range(size):
        total = total + Arg(i)
    return arithmetic.map(total, views, "window")


def _divisor(opx: Opx, op: LrnOp | LrnGradOp, x: Tensor, prog: program.Sequence) -> Tensor:
    """s of the formula, with the shape of x and in the accumulator type."""
    sums = _windows(opx, s.square(Arg(0)), [x], (op.size - 1) // 2, op.size, prog)
    e = s.Parameter(op.bias) + s.Parameter(op.alpha / op.size) * Arg(0)
    return Arithmetic(opx, prog).map(e, [sums], "divisor")


class LrnOpx(Opx):
    """The lowering of LRN: squares, their window sums, and one map."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the window sums, and a map for the result."""
        op, x = self.getOp(LrnOp), self.getInTensor(0)
        divisor = _divisor(self, op, x, prog)
        e = Arg(0) * s.power(Arg(1), -op.beta)
        self.setOutTensor(0, Arithmetic(self, prog).map(e, [x, divisor], out=x.elementType()))


class LrnGradOpx(Opx):
    """The lowering of the gradient: s again, and window sums with the window mirrored."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the window sums of s and of the second term, and a map for the result."""
        op, g, x = self.getOp(LrnGradOp), self.getInTensor(0), self.getInTensor(1)
        divisor = _divisor(self, op, x, prog)
        share = Arg(0) * Arg(1) * s.power(Arg(2), -op.beta - 1)
        sums = _windows(self, share, [g, x, divisor], op.size // 2, op.size, prog)
        factor = s.Parameter(2 * op.alpha * op.beta / op.size)
        whole = Arg(0) * s.power(Arg(2), -op.beta) - factor * (Arg(1) * Arg(3))
        operands = [g, x, divisor, sums]
        self.setOutTensor(0, Arithmetic(self, prog).map(whole, operands, out=x.elementType()))


_IDS = onnx_ids("LRN", 1, 13)
OpCreator(LrnOp, _IDS)
OpxCreator(LrnOpx, _IDS)
OpxCreator(LrnGradOpx, LrnGradOp.opid)
