"""LayerNormalization: the elements from an axis on brought to mean 0 and variance 1.

y = (x - mean) * invStd * scale + bias, with invStd = 1 / sqrt(variance + epsilon).
"""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser
from popir.ops import symbolic as s
from popir.ops.arithmetic import Arithmetic, share
from popir.ops.gradient import GRAD, IN, OUT
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import axis, broadcastTo, product
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

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
            self.setOutInfo(i, TensorInfo(self._stash(), statistics))

    def _stash(self) -> DataType:
        """The type of the statistics. Raises OperatorAttributeError for one that ONNX lacks."""
        code = DataType.FLOAT.onnx if self.stash_type is None else self.stash_type
        for kind in (DataType.FLOAT, DataType.BFLOAT16):
            if code == kind.onnx:
                return kind
        raise OperatorAttributeError(
            f"{self.debugName()}: stash_type is {code}; the statistics are stored as float "
            f"({DataType.FLOAT.onnx}) or as bfloat16 ({DataType.BFLOAT16.onnx})."
        )

    def stashes(self) -> bool:
        """Whether the statistics are stored in the type in which they are computed."""
        computed = DataType.DOUBLE if self.inInfo(X).dataType() is DataType.DOUBLE else None
        return self._stash() is (computed or DataType.FLOAT)

    def getGradOps(self) -> list[Op]:
        """One for all inputs; it reads the statistics, or computes them again where they were
        rounded.
        """
        for i, name in ((MEAN, "mean"), (INV_STD, "invStd")):
            if self.stashes() and not self.hasOutput(i):
                self.createAndConnectOutTensor(i, self.graph.uniqueId(f"{self.outId(Y)}/{name}"))
        self.setup()
        return [LayerNormGradOp(self)]


class LayerNormGradOp(GradOp):
    """The gradients with respect to data, scale and bias, from g, data, scale and, where they are
    as exact as the data, the statistics.
    """

    opid = graphcoreId("LayerNormalizationGrad")

    def __init__(self, fwdOp: LayerNormOp) -> None:
        super().__init__(fwdOp)
        self.first = fwdOp.first()
        self.epsilon = fwdOp.epsilon
        self.readsStatistics = fwdOp.stashes()
        self._infos = {i: fwdOp.inInfo(i) for i in sorted(fwdOp.input)}

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The first normalised dimension, and epsilon."""
        super().appendAttributes(os)
        os.appendAttribute("first", self.first)
        os.appendAttribute("epsilon", self.epsilon)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, data, scale, and mean and invStd if they are read."""
        reads = [(GRAD, Y), (IN, X), (IN, SCALE)]
        reads += [(OUT, MEAN), (OUT, INV_STD)] if self.readsStatistics else []
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output i is the gradient of input i."""
        return {i: i for i in self._infos}

    def setup(self) -> None:
        """Like the inputs."""
        for i, info in self._infos.items():
            self.setOutInfo(i, info)


def _mean(arithmetic: Arithmetic, t: Tensor, name: str) -> Tensor:
    """Of each row: [rows, columns] to [rows, 1]."""
    total = arithmetic.reduce(t, [1], name)
    return arithmetic.map(Arg(0) * share(t.dim(1)), [total], name).expand([1])


def _statistics(arithmetic: Arithmetic, x: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Mean and invStd of each row."""
    mean = _mean(arithmetic, x, "mean")
    squares = arithmetic.map(s.square(Arg(0) - Arg(1)), [x, mean], "squares")
    variance = _mean(arithmetic, squares, "variance")
    return mean, arithmetic.map(s.rsqrt(Arg(0) + epsilon), [variance], "invStd")


class LayerNormOpx(Opx):
    """Two passes for the statistics, one for the result."""

    def grow(self, prog: program.Sequence) -> None:
        """Reductions and maps."""
        op, shape = self.getOp(LayerNormOp), self.inShape(X)
        rows = [product(shape[: op.first()]), product(shape[op.first() :])]
        x = self.getInTensor(X).reshape(rows)
        arithmetic = Arithmetic(self, prog)
        mean, invStd = _statistics(arithmetic, x, op.epsilon)
        e: Expr = (Arg(0) - Arg(1)) * Arg(2) * Arg(3)
        operands = [x, mean, invStd, self._columns(SCALE, shape, rows)]
        if op.hasInput(BIAS):
            e = e + Arg(4)
            operands.append(self._columns(BIAS, shape, rows))
        self.setOutTensor(Y, arithmetic.map(e, operands, out=x.elementType()).reshape(shape))
        for i, t in ((MEAN, mean), (INV_STD, invStd)):
            if op.hasOutput(i):
                stored = arithmetic.converted(t, popType(self.outInfo(i)), "stash")
                self.setOutTensor(i, stored.reshape(self.outShape(i)))

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
        arithmetic = Arithmetic(self, prog)
        if op.readsStatistics:
            mean, invStd = (self.getInTensor(i).reshape([rows[0], 1]) for i in (3, 4))
        else:
            mean, invStd = _statistics(arithmetic, x, op.epsilon)
        whitened = arithmetic.map((Arg(0) - Arg(1)) * Arg(2), [x, mean, invStd], "whiten")
        scaled = arithmetic.map(Arg(0) * Arg(1), [g, scale], "scaled")
        along = arithmetic.map(Arg(0) * Arg(1), [scaled, whitened], "along")
        means = [_mean(arithmetic, scaled, "mean"), _mean(arithmetic, along, "mean")]
        e = Arg(4) * (Arg(0) - Arg(1) - Arg(3) * Arg(2))
        operands = [scaled, means[0], means[1], whitened, invStd]
        out = arithmetic.map(e, operands, "data", x.elementType())
        self.setOutTensor(X, out.reshape(shape))
        product_ = arithmetic.map(Arg(0) * Arg(1), [g, whitened], "product")
        for i, t in ((SCALE, product_), (BIAS, g)):
            if op.hasOutput(i):
                whole, kind = t.reshape([rows[0], *dims]), popType(self.outInfo(i))
                summed = arithmetic.reduceTo(whole, self.outShape(i), "sum", kind)
                self.setOutTensor(i, arithmetic.separate(summed))


_IDS = onnxIds("LayerNormalization", 17)
OpCreator(LayerNormOp, _IDS)
OpxCreator(LayerNormOpx, _IDS)
OpxCreator(LayerNormGradOpx, LayerNormGradOp.opid)
