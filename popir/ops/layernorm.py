"""LayerNormalization: the elements from an axis on brought to mean 0 and variance 1.

y = (x - mean) * invStd * scale + bias, with invStd = 1 / sqrt(variance + epsilon).
"""

from __future__ import annotations

from collections.abc import Sequence

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser
from popir.ops import symbolic as s
from popir.ops.gradient import GRAD, IN, OUT
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axis, broadcastTo, product, reduceTo
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

X, SCALE, BIAS = range(3)
Y, MEAN, INV_STD = range(3)


class LayerNormOp(Op):
    """Inputs: data, scale and bias, which broadcast to the data's normalised dimensions. Outputs:
    the result, and mean and invStd of each row.
    """

    axis: int
    epsilon: float
    stash_type: int | None

    def first(self) -> int:
        """The first normalised dimension, counted from 0."""
        return axis(self, self.axis, self.inRank(X))

    def setup(self) -> None:
        """The result is like the data; the statistics have 1 for each normalised dimension."""
        shape, first = self.inShape(X), self.first()
        for i in (SCALE, BIAS):
            if self.hasInput(i):
                given = self.inShape(i)
                padded = [1] * (len(shape) - first - len(given)) + given
                if len(padded) > len(shape) - first or any(
                    d not in (1, n) for d, n in zip(padded, shape[first:], strict=True)
                ):
                    raise OperatorInputError(
                        f"{self.debugName()}: input {i} has shape {given}, which does not "
                        f"broadcast to the normalised dimensions {shape[first:]}."
                    )
        self.setOutInfo(Y, self.inInfo(X))
        statistics = [*shape[:first], *[1] * (len(shape) - first)]
        for i in (MEAN, INV_STD):
            self.setOutInfo(i, TensorInfo(self.inInfo(X).dataType(), statistics))

    def getGradOps(self) -> list[Op]:
        """One for all inputs; it reads the statistics."""
        for i, name in ((MEAN, "mean"), (INV_STD, "invStd")):
            if not self.hasOutput(i):
                self.createAndConnectOutTensor(i, self.graph.uniqueId(f"{self.outId(Y)}/{name}"))
        self.setup()
        return [LayerNormGradOp(self)]


class LayerNormGradOp(GradOp):
    """The gradients with respect to data, scale and bias, from g, data, scale and statistics."""

    opid = graphcoreId("LayerNormalizationGrad")

    def __init__(self, fwdOp: LayerNormOp) -> None:
        super().__init__(fwdOp)
        self.first = fwdOp.first()
        self._infos = {i: fwdOp.inInfo(i) for i in sorted(fwdOp.input)}

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The first normalised dimension."""
        super().appendAttributes(os)
        os.appendAttribute("first", self.first)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, data, scale, mean, invStd."""
        reads = [(GRAD, Y), (IN, X), (IN, SCALE), (OUT, MEAN), (OUT, INV_STD)]
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output i is the gradient of input i."""
        return {i: i for i in self._infos}

    def setup(self) -> None:
        """Like the inputs."""
        for i, info in self._infos.items():
            self.setOutInfo(i, info)


def _map(
    opx: Opx, e: Expr, operands: Sequence[Tensor], prog: program.Sequence, name: str = ""
) -> Tensor:
    tree = s.toDevice(e, popops.expr)
    return popops.map(opx.graph(), tree, list(operands), prog, opx.debugContext(name))


def _mean(opx: Opx, t: Tensor, prog: program.Sequence, name: str) -> Tensor:
    """Of each row: [rows, columns] to [rows, 1]."""
    params = popops.ReduceParams(popops.Operation.ADD)
    total = popops.reduce(opx.graph(), t, [1], params, prog, opx.debugContext(name))
    return _map(opx, Arg(0) * (1 / max(t.dim(1), 1)), [total], prog, name).expand([1])


class LayerNormOpx(Opx):
    """Two passes for the statistics, one for the result."""

    def grow(self, prog: program.Sequence) -> None:
        """Reductions and maps."""
        op, shape = self.getOp(LayerNormOp), self.inShape(X)
        rows = [product(shape[: op.first()]), product(shape[op.first() :])]
        x = self.getInTensor(X).reshape(rows)
        mean = _mean(self, x, prog, "mean")
        squares = _map(self, s.square(Arg(0) - Arg(1)), [x, mean], prog, "squares")
        variance = _mean(self, squares, prog, "variance")
        invStd = _map(self, s.rsqrt(Arg(0) + op.epsilon), [variance], prog, "invStd")
        e: Expr = (Arg(0) - Arg(1)) * Arg(2) * Arg(3)
        operands = [x, mean, invStd, self._columns(SCALE, shape, rows)]
        if op.hasInput(BIAS):
            e = e + Arg(4)
            operands.append(self._columns(BIAS, shape, rows))
        self.setOutTensor(Y, _map(self, e, operands, prog).reshape(shape))
        for i, t in ((MEAN, mean), (INV_STD, invStd)):
            if op.hasOutput(i):
                self.setOutTensor(i, t.reshape(self.outShape(i)))

    def _columns(self, i: int, shape: list[int], rows: list[int]) -> Tensor:
        """Scale or bias: one element for each column."""
        dims = shape[self.getOp(LayerNormOp).first() :]
        return broadcastTo(self.getInTensor(i), dims).reshape([1, rows[1]])


class LayerNormGradOpx(Opx):
    """All three gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Two means of rows for the data, sums of columns for the others."""
        op = self.getOp(LayerNormGradOp)
        shape = self.inShape(1)
        dims = shape[op.first :]
        rows = [product(shape[: op.first]), product(dims)]
        g, x = (self.getInTensor(i).reshape(rows) for i in range(2))
        scale = broadcastTo(self.getInTensor(2), dims).reshape([1, rows[1]])
        mean, invStd = (self.getInTensor(i).reshape([rows[0], 1]) for i in (3, 4))
        whitened = _map(self, (Arg(0) - Arg(1)) * Arg(2), [x, mean, invStd], prog, "whiten")
        scaled = _map(self, Arg(0) * Arg(1), [g, scale], prog, "scaled")
        along = _map(self, Arg(0) * Arg(1), [scaled, whitened], prog, "along")
        means = [_mean(self, scaled, prog, "mean"), _mean(self, along, prog, "mean")]
        e = Arg(4) * (Arg(0) - Arg(1) - Arg(3) * Arg(2))
        out = _map(self, e, [scaled, means[0], means[1], whitened, invStd], prog, "data")
        self.setOutTensor(X, out.reshape(shape))
        product_ = _map(self, Arg(0) * Arg(1), [g, whitened], prog, "product")
        for i, t in ((SCALE, product_), (BIAS, g)):
            if op.hasOutput(i):
                whole = t.reshape([rows[0], *dims])
                like = self.outShape(i)
                summed = reduceTo(self.graph(), whole, like, prog, self.debugContext("sum"))
                unchanged = like == list(whole.shape())
                self.setOutTensor(i, self.cloneNcopy(prog, summed) if unchanged else summed)


_IDS = onnxIds("LayerNormalization", 17)
OpCreator(LayerNormOp, _IDS)
OpxCreator(LayerNormOpx, _IDS)
OpxCreator(LayerNormGradOpx, LayerNormGradOp.opid)
