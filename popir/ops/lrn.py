"""LRN: local response normalisation, across neighbouring channels of [batch, channels, spatial...].

y = x s^-beta with s = bias + alpha / size * (sum of the squares of `size` channels around x's).
"""

from __future__ import annotations

from popir import poplar, popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ops import symbolic as s
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
    """`e`, summed over windows of `size` channels that begin `before` before each."""
    graph, shape = opx.graph(), list(operands[0].shape())
    # What lies beyond all channels adds nothing, however long the window.
    reach = max(shape[1] - 1, 0)
    before, after = min(before, reach), min(size - 1 - before, reach)
    size = before + 1 + after
    padded = [shape[0], shape[1] + size - 1, *shape[2:]]
    kind, linear = operands[0].elementType(), poplar.VariableMappingMethod.LINEAR
    terms = graph.addVariable(kind, padded, linear, opx.debugContext("terms"))
    for begin, end in ((0, before), (before + shape[1], padded[1])):
        if begin < end:
            popops.zero(graph, terms.slice(begin, end, 1), prog, opx.debugContext("border"))
    within = terms.slice(before, before + shape[1], 1)
    tree = s.toDevice(e, popops.expr)
    popops.mapWithOutput(graph, tree, operands, within, prog, opx.debugContext("terms"))
    params = popops.ReduceParams(popops.Operation.ADD)
    views = [terms.slice(i, i + shape[1], 1) for i in range(size)]
    if size > 8:
        stacked = poplar.concat([v.expand([0]) for v in views], 0)
        return popops.reduce(graph, stacked, [0], params, prog, opx.debugContext("window"))
    total: Expr = s.ZERO
    for i in range(size):
        total = total + Arg(i)
    tree = s.toDevice(total, popops.expr)
    return popops.map(graph, tree, views, prog, opx.debugContext("window"))


def _divisor(opx: Opx, op: LrnOp | LrnGradOp, x: Tensor, prog: program.Sequence) -> Tensor:
    """s, of the shape of x."""
    sums = _windows(opx, s.square(Arg(0)), [x], (op.size - 1) // 2, op.size, prog)
    tree = s.toDevice(op.bias + op.alpha / op.size * Arg(0), popops.expr)
    return popops.map(opx.graph(), tree, [sums], prog, opx.debugContext("divisor"))


class LrnOpx(Opx):
    """Squares, their sums over windows, and a pass that puts them together."""

    def grow(self, prog: program.Sequence) -> None:
        """Maps, which fuse."""
        op, x = self.getOp(LrnOp), self.getInTensor(0)
        divisor = _divisor(self, op, x, prog)
        tree = s.toDevice(Arg(0) * s.power(Arg(1), -op.beta), popops.expr)
        out = popops.map(self.graph(), tree, [x, divisor], prog, self.debugContext())
        self.setOutTensor(0, out)


class LrnGradOpx(Opx):
    """The same for the second factor, with the windows the other way round."""

    def grow(self, prog: program.Sequence) -> None:
        """Maps."""
        op, g, x = self.getOp(LrnGradOp), self.getInTensor(0), self.getInTensor(1)
        divisor = _divisor(self, op, x, prog)
        share = Arg(0) * Arg(1) * s.power(Arg(2), -op.beta - 1)
        sums = _windows(self, share, [g, x, divisor], op.size // 2, op.size, prog)
        factor = 2 * op.alpha * op.beta / op.size
        whole = Arg(0) * s.power(Arg(2), -op.beta) - factor * (Arg(1) * Arg(3))
        tree = s.toDevice(whole, popops.expr)
        operands = [g, x, divisor, sums]
        self.setOutTensor(0, popops.map(self.graph(), tree, operands, prog, self.debugContext()))


_IDS = onnxIds("LRN", 1, 13)
OpCreator(LrnOp, _IDS)
OpxCreator(LrnOpx, _IDS)
OpxCreator(LrnGradOpx, LrnGradOp.opid)
