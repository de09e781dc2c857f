"""ClipFactor: what gradients are multiplied by, so that their norm is not above a largest one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from popir.ir import Graph, Op
from popir.ops.collectives.replicated import connect_sum
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator, accumulator_of
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Arg
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpxCreator
from popir.replicas import ReplicaGrouping
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
    """maxNorm / max(maxNorm, norm). The norm is the root of the sum of the first inputs, each times
    one of `shares`; times `scaling`, times the inputs that follow.
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
        shares, most = attributes["shares"], attributes["maxNorm"]
        parts = [Arg(i) if share == 1 else share * Arg(i) for i, share in enumerate(shares)]
        total = s.folded(s.add, parts)
        scales = [s.Const(attributes["scaling"]), *(Arg(i) for i in inputs[len(shares) :])]
        norm = s.absolute(s.folded(s.mul, scales)) * s.sqrt(total)
        tensors = [self.getInTensor(i) for i in inputs]
        factor = Arithmetic(self, prog).map(
            most / s.maximum(norm, most), tensors, out=tensors[0].elementType()
        )
        self.setOutTensor(0, factor)


class Clipped(NamedTuple):
    """A gradient in the norm."""

    id: str
    share: float = 1.0
    """What its sum of squares is multiplied by."""
    over: ReplicaGrouping | None = None
    """The replicas over which these sums are added up, if each has a gradient of its own."""


def connect_clip_factor(
    graph: Graph,
    gradients: Sequence[Clipped],
    maxNorm: float,
    scaling: float | str,
    factors: Sequence[str],
) -> str:
    """Adds a ClipFactor of gradients, which are multiplied by a number or tensor, `scaling`, and by
    `factors`. Returns the id of its output.
    """
    sums: list[str] = []
    for id, _, over in gradients:
        squares = GradientSquaresOp(
            GradientSquaresOp.opid, Op.Settings(graph, f"ReduceSumSquare/{id}")
        )
        sums.append(f"{id}_clipping")
        graph.createConnectedOp(lambda op=squares: op, {0: id}, {0: sums[-1]})
        if over is not None:
            sums[-1] = connect_sum(graph, sums[-1], over, f"{sums[-1]}/replicas")
    attributes = {
        "shares": [float(each.share) for each in gradients],
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
