"""The gradients of Max and Min: the inputs that are the extremum together share it evenly.

Of two inputs each gradient is an expression of its own. Of n inputs, n such expressions would read
n inputs each: one operator counts the extrema once and makes all gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import GradInOutMapper, GradOp, Op
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic
from popir.ops.gradient import GRAD, IN, OUT
from popir.ops.identifiers import graphcoreId
from popir.ops.shapes import broadcastTo, summedDims
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpxCreator

G, Y, FIRST = range(3)
"""The output's gradient, the output, and the first of the inputs."""


def _ties(xs: Sequence[Expr], y: Expr) -> Expr:
    """How many of the inputs are the extremum."""
    return s.folded(s.add, [s.select(1.0, 0.0, s.equal(x, y)) for x in xs])


def evenly(i: int, xs: Sequence[Expr], y: Expr) -> Expr:
    """The derivative of the extremum `y` of `xs` with respect to number i of them."""
    return s.select(1.0 / _ties(xs, y), 0, s.equal(xs[i], y))


class ExtremumGradOp(GradOp):
    """The gradients with respect to all inputs."""

    def __init__(self, fwdOp: Op) -> None:
        super().__init__(fwdOp, graphcoreId(f"{fwdOp.opid.type}Grad"))
        self._infos = {i: fwdOp.inInfo(i) for i in sorted(fwdOp.input)}

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """As the indices have it."""
        inputs = [GradInOutMapper(FIRST + i, i, IN) for i in self._infos]
        return [GradInOutMapper(G, 0, GRAD), GradInOutMapper(Y, 0, OUT), *inputs]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output i is the gradient of input i."""
        return {i: i for i in self._infos}

    def setup(self) -> None:
        """Like the inputs."""
        for i, info in self._infos.items():
            self.setOutInfo(i, info)


class ExtremumGradOpx(Opx):
    """One pass over everything, then one for each input."""

    def grow(self, prog: program.Sequence) -> None:
        """Counts, and divides the gradient; then selects and, for what was broadcast, sums."""
        op, shape, arithmetic = self.getOp(ExtremumGradOp), self.inShape(G), Arithmetic(self, prog)
        g, y, *inputs = (broadcastTo(self.getInTensor(i), shape) for i in range(op.numInputs()))
        ties = _ties([Arg(FIRST + i) for i in range(len(inputs))], Arg(Y))
        share = arithmetic.map(Arg(G) / ties, [g, y, *inputs], "share")
        for i in sorted(op.output):
            self.setOutTensor(i, self._selected(arithmetic, [share, y, inputs[i]], i))

    def _selected(self, arithmetic: Arithmetic, operands: list[Tensor], i: int) -> Tensor:
        """The share where the input is the extremum; what is to be added up is not rounded."""
        shape, kind = self.outShape(i), popType(self.outInfo(i))
        isSummed = bool(summedDims(self.inShape(G), shape))
        expression = s.select(Arg(0), 0, s.equal(Arg(2), Arg(1)))
        full = arithmetic.map(expression, operands, "select", None if isSummed else kind)
        return arithmetic.reduceTo(full, shape, "reduce", kind)


OpxCreator(ExtremumGradOpx, [graphcoreId("MaxGrad"), graphcoreId("MinGrad")])
