"""ClipFactor: what gradients are multiplied by, so that their norm is not above a largest one."""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import Graph, Op
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, accumulator_of
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Arg
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpxCreator
from popir.types import TensorInfo


class GradientSquaresOp(Op):
    """PopART's ReduceSumSquare of a gradient: the sum of the squares of all its elements. It is
    FLOAT for gradients in half, in which it would soon be infinite.
    """

    opid = graphcore_id("ReduceSumSquare")

    def setup(self) -> None:
        """The output is one number."""
        self.setOutInfo(0, TensorInfo(accumulator_of(self.inInfo(0).dataType()), []))


class GradientSquaresOpx(Opx):
    """The lowering: a map and its sum."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the map and the sum."""
        arithmetic, gradient = Arithmetic(self, prog), self.getInTensor(0)
        kind = accumulator(gradient.elementType())
        squares = arithmetic.map(s.square(Arg(0)), [gradient], "squares", out=kind)
        dims = list(range(len(squares.shape())))
        self.setOutTensor(0, arithmetic.reduce(squares, dims, "sum") if dims else squares)


class ClipFactorOp(Op):
    """maxNorm / max(maxNorm, norm). The norm is the root of the sum of the first `gradients`
    inputs, times `scaling`, times the inputs that follow.
    """

    opid = graphcore_id("ClipFactor")
    openAttributes = True

    def setup(self) -> None:
        """The output is one number, like the first input."""
        self.setOutInfo(0, self.inInfo(0))

    def isOutlineable(self) -> bool:
        """False: it stands between accumulation and updates."""
        return False


class ClipFactorOpx(Opx):
    """The lowering: one map over numbers."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the map that gives the factor."""
        attributes, inputs = self.op_p.attributes, sorted(self.op_p.input)
        number, most = attributes["gradients"], attributes["maxNorm"]
        total = s.folded(s.add, [Arg(i) for i in range(number)])
        scales = [s.Const(attributes["scaling"]), *(Arg(i) for i in inputs[number:])]
        norm = s.absolute(s.folded(s.mul, scales)) * s.sqrt(total)
        tensors = [self.getInTensor(i) for i in inputs]
        factor = Arithmetic(self, prog).map(
            most / s.maximum(norm, most), tensors, out=tensors[0].elementType()
        )
        self.setOutTensor(0, factor)


def connect_clip_factor(
    graph: Graph,
    gradients: Sequence[str],
    maxNorm: float,
    scaling: float | str,
    factors: Sequence[str],
) -> str:
    """Adds a ClipFactor of gradients, which are multiplied by a number or tensor, `scaling`, and by
    `factors`. Returns the id of its output.
    """
    sums: list[str] = []
    for id in gradients:
        squares = GradientSquaresOp(
            GradientSquaresOp.opid, Op.Settings(graph, f"ReduceSumSquare/{id}")
        )
        sums.append(f"{id}_clipping")
        graph.createConnectedOp(lambda op=squares: op, {0: id}, {0: sums[-1]})
    attributes = {
        "gradients": len(gradients),
        "maxNorm": maxNorm,
        "scaling": 1.0 if isinstance(scaling, str) else scaling,
    }
    scales = [scaling, *factors] if isinstance(scaling, str) else factors
    out = graph.uniqueId("clipFactor")
    op = ClipFactorOp(ClipFactorOp.opid, Op.Settings(graph, out), attributes)
    graph.createConnectedOp(lambda: op, dict(enumerate([*sums, *scales])), {0: out})
    return out


OpxCreator(GradientSquaresOpx, [GradientSquaresOp.opid])
OpxCreator(ClipFactorOpx, [ClipFactorOp.opid])
