"""The gradients of Max and Min: inputs that are equal to the extremum share its gradient evenly.

With two inputs, each gradient is an expression of its own. With n inputs, n such expressions would
read n inputs each; instead, one operator counts the ties once and computes all gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import GradInOutMapper, GradOp, Op
from popir.ir import Tensor as IrTensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.second_order import expand_to, sum_to
from popir.ops.support.shapes import broadcast_to, summed_dims
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpxCreator

G, Y, FIRST = range(3)
"""The output's gradient, the output, and the first of the inputs."""


def _ties(xs: Sequence[Expr], y: Expr) -> Expr:
    """The number of inputs that equal the extremum, as an expression."""
    return s.folded(s.add, [s.select(1.0, 0.0, s.equal(x, y)) for x in xs])


def evenly(i: int, xs: Sequence[Expr], y: Expr) -> Expr:
    """The derivative of the extremum `y` of `xs` with respect to xs[i]."""
    return s.select(1.0 / _ties(xs, y), 0, s.equal(xs[i], y))


class ExtremumGradOp(GradOp):
    """The gradients with respect to all inputs of a Max or Min."""

    def __init__(self, fwdOp: Op) -> None:
        super().__init__(fwdOp, graphcore_id(f"{fwdOp.opid.type}Grad"))
        self._infos = {i: fwdOp.inInfo(i) for i in sorted(fwdOp.input)}

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The output's gradient, the output, and all inputs."""
        inputs = [GradInOutMapper(FIRST + i, i, IN) for i in self._infos]
        return [GradInOutMapper(G, 0, GRAD), GradInOutMapper(Y, 0, OUT), *inputs]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output i is the gradient of input i."""
        return {i: i for i in self._infos}

    def setup(self) -> None:
        """Gives output i the type and shape of input i."""
        for i, info in self._infos.items():
            self.setOutInfo(i, info)

    def decompose(
        self, on: Decomposer, g: IrTensor, y: IrTensor, *inputs: IrTensor
    ) -> list[IrTensor]:
        """The same by operators."""
        same = [on.Equal(x, y) for x in inputs]
        kind = on.info(g).dataType()
        ties = on.cast(same[0], kind)
        for each in same[1:]:
            ties = on.Add(ties, on.cast(each, kind))
        # Where no input is the extremum, as at NaN, none has a gradient.
        share = on.Div(g, on.Max(ties, on.like(1, g)))
        found = [on.Where(each, share, on.like(0, g)) for each in same]
        shapes = [on.shape(x) for x in inputs]
        return [
            sum_to(on, expand_to(on, t, on.shape(y)), shape)
            for t, shape in zip(found, shapes, strict=True)
        ]


class ExtremumGradOpx(Opx):
    """The lowering: one pass that counts the ties, then one for each input."""

    def grow(self, prog: program.Sequence) -> None:
        """Divides the gradient by the number of ties, then selects it for each input, and sums if
        that was broadcast.
        """
        op, shape, arithmetic = self.getOp(ExtremumGradOp), self.inShape(G), Arithmetic(self, prog)
        g, y, *inputs = (broadcast_to(self.getInTensor(i), shape) for i in range(op.numInputs()))
        ties = _ties([Arg(FIRST + i) for i in range(len(inputs))], Arg(Y))
        share = arithmetic.map(Arg(G) / ties, [g, y, *inputs], "share")
        for i in sorted(op.output):
            self.setOutTensor(i, self._selected(arithmetic, [share, y, inputs[i]], i))

    def _selected(self, arithmetic: Arithmetic, operands: list[Tensor], i: int) -> Tensor:
        """The shared gradient where the input is the extremum, else 0, summed to the input's shape.
        Values that are to be summed are not rounded to the storage type.
        """
        shape, kind = self.outShape(i), popType(self.outInfo(i))
        is_summed = bool(summed_dims(self.inShape(G), shape))
        expression = s.select(Arg(0), 0, s.equal(Arg(2), Arg(1)))
        full = arithmetic.map(expression, operands, "select", None if is_summed else kind)
        return arithmetic.reduce_to(full, shape, "reduce", kind)


OpxCreator(ExtremumGradOpx, [graphcore_id("MaxGrad"), graphcore_id("MinGrad")])
