"""LayerNormalization: normalises the elements from an axis on to mean 0 and variance 1.

y = (x - mean) * invStd * scale + bias, with invStd = 1 / sqrt(variance + epsilon).
"""

from __future__ import annotations

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, share
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import sum_to
from popir.ops.support.shapes import axis, broadcast_to, broadcasts_to, product
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

X, SCALE, BIAS = range(3)
Y, MEAN, INV_STD = range(3)


class LayerNormOp(Op):
    """ONNX's LayerNormalization, version 17. Inputs: data; scale and bias, which broadcast to the
    data, mostly by the normalised dimensions alone. Outputs: the result; mean and invStd of each
    row, in the type `stash_type`, FLOAT or BFLOAT16.

    Deviation: `stash_type` is only how the statistics are stored. All is computed in double for
    DOUBLE data, in float for others.
    """

    axis: int
    epsilon: float
    stash_type: int | None

    def first(self) -> int:
        """The first normalised dimension, counted from 0."""
        return axis(self, self.axis, self.inRank(X))

    def setup(self) -> None:
        """Gives the result the data's type and shape. The statistics have 1 for each normalised
        dimension.

        Raises OperatorInputError if scale or bias do not broadcast.
        """
        shape, first = self.inShape(X), self.first()
        for i in (SCALE, BIAS):
            if self.hasInput(i) and not broadcasts_to(self.inShape(i), shape):
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {self.inShape(i)}, which does not "
                    f"broadcast to the data, {shape}."
                )
        self.setOutInfo(Y, self.inInfo(X))
        statistics = [*shape[:first], *[1] * (len(shape) - first)]
        for i in (MEAN, INV_STD):
            self.setOutInfo(i, TensorInfo(self._stash(), statistics))

    def _stash(self) -> DataType:
        """The type of the statistics. Raises OperatorAttributeError for a type that ONNX does not
        allow.
        """
        code = DataType.FLOAT.onnx if self.stash_type is None else self.stash_type
        for kind in (DataType.FLOAT, DataType.BFLOAT16):
            if code == kind.onnx:
                return kind
        raise OperatorAttributeError(
            f"{self.debugName()}: stash_type is {code}; the statistics are stored as float "
            f"({DataType.FLOAT.onnx}) or as bfloat16 ({DataType.BFLOAT16.onnx})."
        )

    def stashes(self) -> bool:
        """Whether the statistics are stored without rounding, in the type in which they are
        computed.
        """
        computed = DataType.DOUBLE if self.inInfo(X).dataType() is DataType.DOUBLE else None
        return self._stash() is (computed or DataType.FLOAT)

    def dimensionNames(self) -> Dimensions | None:
        """Those before the normalised ones."""
        rank = self.inRank(X)
        found = Dimensions.same(rank, range(self.first(), rank), 3)
        given = {i: found.inputs[X][rank - self.inRank(i) :] for i in sorted(self.input)}
        return found._replace(inputs=given)

    def getGradOps(self) -> list[Op]:
        """One gradient operator for all inputs.

        It reads the statistics, or recomputes them if the forward operator rounds them.
        """
        for i, name in ((MEAN, "mean"), (INV_STD, "invStd")):
            if self.stashes() and not self.hasOutput(i):
                self.createAndConnectOutTensor(i, self.graph.uniqueId(f"{self.outId(Y)}/{name}"))
        self.setup()
        return [LayerNormGradOp(self)]


class LayerNormGradOp(GradOp):
    """The gradients of data, scale and bias. Inputs: g, data, scale and, if they are not rounded,
    the statistics.
    """

    opid = graphcore_id("LayerNormalizationGrad")

    def __init__(self, fwdOp: LayerNormOp) -> None:
        super().__init__(fwdOp)
        self.first = fwdOp.first()
        self.epsilon = fwdOp.epsilon
        self.reads_statistics = fwdOp.stashes()
        self._infos = {i: fwdOp.inInfo(i) for i in sorted(fwdOp.input)}

    def decompose(
        self, on: Decomposer, g: IrTensor, x: IrTensor, scale: IrTensor, *_: IrTensor
    ) -> list[IrTensor]:
        """The gradients by operators, from statistics that are computed again."""
        dims = on.ints(*range(self.first, len(on.shape(x))))
        mean = on.ReduceMean(x, dims, keepdims=1)
        centred = on.Sub(x, mean)
        variance = on.ReduceMean(on.Mul(centred, centred), dims, keepdims=1)
        deviation = on.Sqrt(on.Add(variance, on.like(self.epsilon, x)))
        normal = on.Div(centred, deviation)
        scaled = on.Mul(g, scale)
        along = on.Mul(normal, on.ReduceMean(on.Mul(scaled, normal), dims, keepdims=1))
        inner = on.Sub(on.Sub(scaled, on.ReduceMean(scaled, dims, keepdims=1)), along)
        found = [on.Div(inner, deviation), sum_to(on, on.Mul(g, normal), on.shape(scale))]
        if BIAS in self._infos:
            found.append(sum_to(on, g, self._infos[BIAS].shape()))
        return found

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes, the first normalised dimension and epsilon."""
        super().appendAttributes(os)
        os.appendAttribute("first", self.first)
        os.appendAttribute("epsilon", self.epsilon)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, data, scale, and mean and invStd if they are read."""
        reads = [(GRAD, Y), (IN, X), (IN, SCALE)]
        reads += [(OUT, MEAN), (OUT, INV_STD)] if self.reads_statistics else []
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output i is the gradient of input i."""
        return {i: i for i in self._infos}

    def setup(self) -> None:
        """Gives each gradient the type and shape of its input."""
        for i, info in self._infos.items():
            self.setOutInfo(i, info)


def _mean(arithmetic: Arithmetic, t: Tensor, name: str) -> Tensor:
    """The mean of each row: [rows, columns] to [rows, 1]."""
    total = arithmetic.reduce(t, [1], name)
    return arithmetic.map(Arg(0) * share(t.dim(1)), [total], name).expand([1])


def _statistics(arithmetic: Arithmetic, x: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Mean and invStd of each row of `x`, [rows, 1] each."""
    mean = _mean(arithmetic, x, "mean")
    squares = arithmetic.map(s.square(Arg(0) - Arg(1)), [x, mean], "squares")
    variance = _mean(arithmetic, squares, "variance")
    return mean, arithmetic.map(s.rsqrt(Arg(0) + epsilon), [variance], "invStd")


def _in_rows(t: Tensor, shape: list[int], first: int) -> Tensor:
    """Scale or bias as [1, columns], or as [rows, columns] if it differs between rows."""
    dims = shape[first:]
    if broadcasts_to(t.shape(), dims):
        return broadcast_to(t, dims).reshape([1, product(dims)])
    return broadcast_to(t, shape).reshape([product(shape[:first]), product(dims)])


class LayerNormOpx(Opx):
    """The lowering: two passes for the statistics, one for the result."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the reductions of the rows, and one map for the result."""
        op, shape = self.getOp(LayerNormOp), self.inShape(X)
        rows = [product(shape[: op.first()]), product(shape[op.first() :])]
        x = self.getInTensor(X).reshape(rows)
        arithmetic = Arithmetic(self, prog)
        mean, inv_std = _statistics(arithmetic, x, op.epsilon)
        e: Expr = (Arg(0) - Arg(1)) * Arg(2) * Arg(3)
        operands = [x, mean, inv_std, _in_rows(self.getInTensor(SCALE), shape, op.first())]
        if op.hasInput(BIAS):
            e = e + Arg(4)
            operands.append(_in_rows(self.getInTensor(BIAS), shape, op.first()))
        self.setOutTensor(Y, arithmetic.map(e, operands, out=x.elementType()).reshape(shape))
        for i, t in ((MEAN, mean), (INV_STD, inv_std)):
            if op.hasOutput(i):
                stored = arithmetic.converted(t, popType(self.outInfo(i)), "stash")
                self.setOutTensor(i, stored.reshape(self.outShape(i)))


class LayerNormGradOpx(Opx):
    """The lowering of the gradients of data, scale and bias."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds two means of rows for the data's gradient, and sums of columns for scale and
        bias.
        """
        op = self.getOp(LayerNormGradOp)
        shape = self.inShape(1)
        dims = shape[op.first :]
        rows = [product(shape[: op.first]), product(dims)]
        g, x = (self.getInTensor(i).reshape(rows) for i in range(2))
        scale = _in_rows(self.getInTensor(2), shape, op.first)
        arithmetic = Arithmetic(self, prog)
        if op.reads_statistics:
            mean, inv_std = (self.getInTensor(i).reshape([rows[0], 1]) for i in (3, 4))
        else:
            mean, inv_std = _statistics(arithmetic, x, op.epsilon)
        whitened = arithmetic.map((Arg(0) - Arg(1)) * Arg(2), [x, mean, inv_std], "whiten")
        scaled = arithmetic.map(Arg(0) * Arg(1), [g, scale], "scaled")
        along = arithmetic.map(Arg(0) * Arg(1), [scaled, whitened], "along")
        means = [_mean(arithmetic, scaled, "mean"), _mean(arithmetic, along, "mean")]
        e = Arg(4) * (Arg(0) - Arg(1) - Arg(3) * Arg(2))
        operands = [scaled, means[0], means[1], whitened, inv_std]
        out = arithmetic.map(e, operands, "data", x.elementType())
        self.setOutTensor(X, out.reshape(shape))
        product_ = arithmetic.map(Arg(0) * Arg(1), [g, whitened], "product")
        for i, t in ((SCALE, product_), (BIAS, g)):
            if op.hasOutput(i):
                given, kind = self.outShape(i), popType(self.outInfo(i))
                whole = t.reshape([rows[0], *dims] if broadcasts_to(given, dims) else shape)
                summed = arithmetic.reduce_to(whole, given, "sum", kind)
                self.setOutTensor(i, arithmetic.separate(summed))


_IDS = onnx_ids("LayerNormalization", 17)
OpCreator(LayerNormOp, _IDS)
OpxCreator(LayerNormOpx, _IDS)
OpxCreator(LayerNormGradOpx, LayerNormGradOp.opid)
