"""ClipFactor: what gradients are multiplied by, so that their norm is not above a largest one."""

from __future__ import annotations

from collections.abc import Sequence

from popir.ir import Graph, Op
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, accumulator
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.symbolic import Arg
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpxCreator
from popir.types import DataType, TensorInfo


class ClipFactorOp(Op):
    """maxNorm / max(maxNorm, norm), where the norm is that of all elements of the first `gradients`
    inputs, times `scaling`, times the inputs that follow. It is FLOAT, or DOUBLE for gradients of
    that type.
    """

    opid = graphcore_id("ClipFactor")
    openAttributes = True

    def setup(self) -> None:
        """The output is one number."""
        kinds = {self.inInfo(i).dataType() for i in self.input}
        kind = DataType.DOUBLE if DataType.DOUBLE in kinds else DataType.FLOAT
        self.setOutInfo(0, TensorInfo(kind, []))

    def isOutlineable(self) -> bool:
        """False: it stands between accumulation and updates."""
        return False


class ClipFactorOpx(Opx):
    """The lowering: a sum of squares for each gradient, then one map over the sums."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the sums, and what becomes of them."""
        attributes = self.op_p.attributes
        number, most = attributes["gradients"], attributes["maxNorm"]
        arithmetic = Arithmetic(self, prog)
        sums: list[Tensor] = []
        for i in range(number):
            gradient = self.getInTensor(i)
            kind = accumulator(gradient.elementType())
            squares = arithmetic.map(s.square(Arg(0)), [gradient], "squares", out=kind)
            dims = list(range(len(squares.shape())))
            sums.append(arithmetic.reduce(squares, dims, "squares") if dims else squares)
        scales = [self.getInTensor(i) for i in sorted(self.op_p.input) if i >= number]
        total = s.folded(s.add, [Arg(i) for i in range(number)])
        scale = s.folded(
            s.mul, [s.Const(attributes["scaling"]), *(Arg(number + i) for i in range(len(scales)))]
        )
        norm = s.absolute(scale) * s.sqrt(total)
        factor = most / s.maximum(norm, most)
        self.setOutTensor(0, arithmetic.map(factor, [*sums, *scales], "factor"))


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
    attributes = {
        "gradients": len(gradients),
        "maxNorm": maxNorm,
        "scaling": 1.0 if isinstance(scaling, str) else scaling,
    }
    scales = [scaling, *factors] if isinstance(scaling, str) else factors
    out = graph.uniqueId("clipFactor")
    op = ClipFactorOp(ClipFactorOp.opid, Op.Settings(graph, out), attributes)
    graph.createConnectedOp(lambda: op, dict(enumerate([*gradients, *scales])), {0: out})
    return out


OpxCreator(ClipFactorOpx, [ClipFactorOp.opid])
