"""LRN: local response normalisation, across neighbouring channels of [batch, channels, spatial...].

y = x s^-beta with s = bias + alpha / size * (sum of the squares of `size` channels around x's).
"""

from __future__ import annotations

from popir import poplar, popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic, accumulator
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator


class LrnOp(Op):
    """The window has (size - 1) // 2 channels before its own, and size // 2 after it."""

    alpha: float
    beta: float
    bias: float
    size: int

    def setup(self) -> None:
        """Like the input."""
        if self.size < 1 or self.inRank(0) < 2:
            raise OperatorAttributeError(
                f"{self.debugName()}: size is {self.size}, the input {self.inShape(0)}; LRN takes "
                "a size from 1 on and [batch, channels, spatial...]."
            )
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """One."""
        return [LrnGradOp(self)]


class LrnGradOp(InputGradOp):
    """g s^-beta - 2 alpha beta / size * x * (sum of g x s^(-beta - 1) of the channels whose window
    x is in).
    """

    opid = graphcoreId("LRNGrad")
    reads = [(GRAD, 0), (IN, 0)]
    alpha: float
    beta: float
    bias: float
    size: int


def _windows(
    opx: Opx, e: Expr, operands: list[Tensor], before: int, size: int, prog: program.Sequence
) -> Tensor:
    """`e`, summed over windows of `size` channels that begin `before` before each, in the
    accumulator's type.
    """
    graph, shape = opx.graph(), list(operands[0].shape())
    # What lies beyond all channels adds nothing, however long the window.
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
    """s, of the shape of x, in the accumulator's type."""
    sums = _windows(opx, s.square(Arg(0)), [x], (op.size - 1) // 2, op.size, prog)
    e = s.Parameter(op.bias) + s.Parameter(op.alpha / op.size) * Arg(0)
    return Arithmetic(opx, prog).map(e, [sums], "divisor")


class LrnOpx(Opx):
    """Squares, their sums over windows, and a pass that puts them together."""

    def grow(self, prog: program.Sequence) -> None:
        """Maps, which fuse."""
        op, x = self.getOp(LrnOp), self.getInTensor(0)
        divisor = _divisor(self, op, x, prog)
        e = Arg(0) * s.power(Arg(1), -op.beta)
        self.setOutTensor(0, Arithmetic(self, prog).map(e, [x, divisor], out=x.elementType()))


class LrnGradOpx(Opx):
    """The same for the second factor, with the windows the other way round."""

    def grow(self, prog: program.Sequence) -> None:
        """Maps."""
        op, g, x = self.getOp(LrnGradOp), self.getInTensor(0), self.getInTensor(1)
        divisor = _divisor(self, op, x, prog)
        share = Arg(0) * Arg(1) * s.power(Arg(2), -op.beta - 1)
        sums = _windows(self, share, [g, x, divisor], op.size // 2, op.size, prog)
        factor = s.Parameter(2 * op.alpha * op.beta / op.size)
        whole = Arg(0) * s.power(Arg(2), -op.beta) - factor * (Arg(1) * Arg(3))
        operands = [g, x, divisor, sums]
        self.setOutTensor(0, Arithmetic(self, prog).map(whole, operands, out=x.elementType()))


_IDS = onnxIds("LRN", 1, 13)
OpCreator(LrnOp, _IDS)
OpxCreator(LrnOpx, _IDS)
OpxCreator(LrnGradOpx, LrnGradOp.opid)
