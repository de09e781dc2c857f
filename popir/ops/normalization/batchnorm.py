"""BatchNormalization: normalises each channel of [batch, channels, spatial...].

In training, mean and variance are those of the batch, and running statistics follow them. Otherwise
the running statistics are used.

    y = (x - mean) * scale / sqrt(variance + epsilon) + bias
    running <- momentum * running + (1 - momentum) * (that of the batch)

The variance of the batch is the sum of squares over n. If the running variance is unbiased, as in
PyTorch, the sum over n - 1 is used for the running variance instead. All is computed in float or
double.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser, Origin
from popir.ir import Tensor as IrTensor
from popir.ops.support import symbolic as s
from popir.ops.support.arithmetic import Arithmetic, share
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import product, spaced
from popir.ops.support.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, Type, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

X, SCALE, BIAS, MEAN, VAR = range(5)
_NAMES = {SCALE: "scale", BIAS: "B", MEAN: "mean", VAR: "var"}
Y, RUNNING_MEAN, RUNNING_VAR, SAVED_MEAN, SAVED_VAR = range(5)
BATCH_MEAN, INV_STD = 5, 6
"""Additional outputs for the gradient: mean and inverse deviation of the batch, unrounded."""

POPARTS = graphcore_id("BatchNormalization")


class BatchNormOp(Op):
    """ONNX's BatchNormalization, versions 6, 7, 9, 14 and 15, and PopART's, version 1. Inputs:
    data, scale, bias, mean, variance.

    Outputs: the result; in training also the running mean and variance after the batch and, before
    version 14 and in PopART's, mean and variance of the batch. Training is `training_mode` from
    version 14 on; before, and in PopART's, more than one output without `is_test`. With `spatial` 0
    (versions 6 and 7) each element of a sample is a channel.

    Deviation: the running variance follows the unbiased variance of the batch in PopART's operator,
    and in a TrainingSession of a model that PyTorch exported.
    """

    costly = True
    epsilon: float
    momentum: float
    is_test: bool | None
    spatial: bool | None
    training_mode: bool | None
    nonDifferentiableOutputs = frozenset(
        {RUNNING_MEAN, RUNNING_VAR, SAVED_MEAN, SAVED_VAR, BATCH_MEAN, INV_STD}
    )
    _unbiased = False

    def is_active(self) -> bool:
        """Whether it is in training mode: the statistics of the batch are used."""
        if self.opid.domain == "ai.onnx" and self.opid.version >= 14:
            return bool(self.training_mode)
        return self.numOutputs() > 1 and not self.is_test

    def runsAs(self) -> str:
        """ "statistics of the batch" or "running statistics"."""
        return "statistics of the batch" if self.is_active() else "running statistics"

    def stateUpdates(self) -> dict[int, int]:
        """In training, the running mean and variance."""
        return {MEAN: RUNNING_MEAN, VAR: RUNNING_VAR} if self.is_active() else {}

    def keepStateOf(self, origin: Origin) -> None:
        """In models of PyTorch, makes the running variance unbiased."""
        self._unbiased = origin.keeps_unbiased_variance
        self.setup()

    def is_unbiased(self) -> bool:
        """Whether the running variance is unbiased. It is for PopART's own operator, too."""
        return self._unbiased or self.opid == POPARTS

    def channels(self) -> list[int]:
        """The data's shape, reshaped so that dimension 1 has one entry for each mean."""
        shape = self.inShape(X)
        if len(shape) == 1:
            return [*shape, 1]
        return [shape[0], product(shape[1:])] if self.spatial == 0 else shape

    def arithmetic(self) -> DataType:
        """The type of the computation: DOUBLE for DOUBLE data, else FLOAT."""
        is_double = self.inInfo(X).dataType() is DataType.DOUBLE
        return DataType.DOUBLE if is_double else DataType.FLOAT

    def setup(self) -> None:
        """Gives the result the data's type and shape, and statistics those of the inputs mean and
        variance.

        Raises OperatorInputError for wrong shapes, or for statistics as outputs outside of
        training.
        """
        self._check_shapes()
        if not self.is_active() and self.numOutputs() > 1:
            raise OperatorInputError(
                f"{self.debugName()}: what follows the first output is computed in training only, "
                "and the node says by is_test or training_mode that it does not train. Leave these "
                "outputs out."
            )
        self.setOutInfo(Y, self.inInfo(X))
        for i in (RUNNING_MEAN, SAVED_MEAN):
            self.setOutInfo(i, self.inInfo(MEAN))
        for i in (RUNNING_VAR, SAVED_VAR):
            self.setOutInfo(i, self.inInfo(VAR))
        for i in (BATCH_MEAN, INV_STD):
            self.setOutInfo(i, TensorInfo(self.arithmetic(), [self.channels()[1]]))

    def _check_shapes(self) -> None:
        shape = self.inShape(X)
        if not shape:
            raise OperatorInputError(
                f"{self.debugName()}: the data are a scalar; expected is [batch, channels, ...].",
                popart=f"batch norm requires a rank > 1. x has rank {len(shape)}",
            )
        want = [1] if len(shape) == 1 else shape[1:] if self.spatial == 0 else shape[1:2]
        each = "element" if self.spatial == 0 else "channel"
        for i in (SCALE, BIAS, MEAN, VAR):
            if self.inShape(i) != want:
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {self.inShape(i)}; expected is one "
                    f"number for each {each} of the data {shape}, {want}.",
                    popart=f"expected shape of {_NAMES[i]} ({spaced(self.inShape(i))}) to be "
                    f"{spaced(want)}",
                )
        count = product(shape) // max(self.channels()[1], 1)
        if self.is_active() and self.is_unbiased() and count == 1:
            raise OperatorInputError(
                f"{self.debugName()}: the data {shape} have one element for each {each}, of which "
                "there is no unbiased variance. Give it more than one element for each: a larger "
                "batch."
            )

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes, and whether the running variance is unbiased."""
        super().appendAttributes(os)
        os.appendAttribute("unbiased", int(self.is_unbiased()))

    def getGradOps(self) -> list[Op]:
        """One operator for data, scale and bias, and one for mean and variance."""
        if self.is_active():
            for i, name in ((BATCH_MEAN, "mean"), (INV_STD, "invStd")):
                if not self.hasOutput(i):
                    id = self.graph.uniqueId(f"{self.outId(Y)}/{name}")
                    self.createAndConnectOutTensor(i, id)
            self.setup()
        return [BatchNormGradOp(self), BatchNormStatisticsGradOp(self)]


class _GradOp(GradOp):
    """The base class of both gradients. Inputs: g, data, scale, mean and variance or, in training,
    mean and inverse deviation of the batch.
    """

    costly = True
    epsilon: float
    towards: ClassVar[tuple[int, ...]]

    def __init__(self, fwdOp: BatchNormOp) -> None:
        super().__init__(fwdOp)
        self.epsilon = fwdOp.epsilon
        self.is_active = fwdOp.is_active()
        self.channels = fwdOp.channels()
        self.arithmetic = fwdOp.arithmetic()
        self._infos = {i: fwdOp.inInfo(i) for i in self.towards}

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes, and the forward operator's mode, epsilon and channels."""
        super().appendAttributes(os)
        os.appendAttribute("epsilon", self.epsilon)
        os.appendAttribute("training", int(self.is_active))
        os.appendAttribute("channels", self.channels)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, data, scale, and the statistics that the forward operator used."""
        statistics = (
            [(OUT, BATCH_MEAN), (OUT, INV_STD)] if self.is_active else [(IN, MEAN), (IN, VAR)]
        )
        reads = [(GRAD, Y), (IN, X), (IN, SCALE), *statistics]
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The inputs in `towards`, in order."""
        return dict(enumerate(self.towards))

    def setup(self) -> None:
        """Gives each gradient the type and shape of its input."""
        for out, i in enumerate(self.towards):
            self.setOutInfo(out, self._infos[i])

    def operands(self, on: Decomposer, *inputs: IrTensor) -> _Operands:
        """What the gradients are computed from, by operators. In training the statistics are
        computed again, since what they depend on is the data.
        """
        wide = [1 if d != 1 else n for d, n in enumerate(self.channels)]
        others = on.ints(*(d for d in range(len(self.channels)) if d != 1))
        g, x, scale, mean, var = (on.cast(t, self.arithmetic) for t in inputs)
        g, x = (on.reshape(t, self.channels) for t in (g, x))
        scale, mean, var = (on.reshape(t, wide) for t in (scale, mean, var))
        if self.is_active:
            mean = on.ReduceMean(x, others, keepdims=1)
        centred = on.Sub(x, mean)
        if self.is_active:
            var = on.ReduceMean(on.Mul(centred, centred), others, keepdims=1)
        inverse = on.Reciprocal(on.Sqrt(on.Add(var, on.like(self.epsilon, var))))
        return _Operands(others, g, scale, on.Mul(centred, inverse), inverse)


class _Operands(NamedTuple):
    """The tensors of a decomposed gradient, [batch, channels, spatial...]."""

    others: IrTensor
    """All dimensions but that of the channels."""
    g: IrTensor
    scale: IrTensor
    normal: IrTensor
    """The data with mean 0 and variance 1."""
    inverse: IrTensor
    """The inverse deviation."""

    def sum(self, on: Decomposer, t: IrTensor) -> IrTensor:
        """The sum of each channel."""
        return on.ReduceSum(t, self.others, keepdims=1)


class BatchNormGradOp(_GradOp):
    """The gradients of data, scale and bias."""

    opid = graphcore_id("BatchNormalizationGrad")
    towards = (X, SCALE, BIAS)

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> list[IrTensor]:
        """The gradients by operators."""
        of = self.operands(on, *inputs)
        bias, scale = of.sum(on, of.g), of.sum(on, on.Mul(of.g, of.normal))
        inner = of.g
        if self.is_active:
            each = on.like(share(product(self.channels) // max(self.channels[1], 1)), of.g)
            along = on.Add(bias, on.Mul(of.normal, scale))
            inner = on.Sub(inner, on.Mul(along, each))
        return [on.Mul(inner, on.Mul(of.scale, of.inverse)), scale, bias]


class BatchNormStatisticsGradOp(_GradOp):
    """The gradients of the inputs mean and variance: zero in training, as they are not used
    then.
    """

    opid = graphcore_id("BatchNormalizationStatisticsGrad")
    towards = (MEAN, VAR)

    def decompose(self, on: Decomposer, *inputs: IrTensor) -> list[IrTensor]:
        """The gradients by operators."""
        if self.is_active:
            return [on.zeros(self._infos[i]) for i in self.towards]
        of = self.operands(on, *inputs)
        factor = on.Mul(of.scale, of.inverse)
        mean = on.Neg(on.Mul(factor, of.sum(on, of.g)))
        var = on.Mul(on.Mul(factor, of.inverse), of.sum(on, on.Mul(of.g, of.normal)))
        return [mean, on.Mul(var, on.like(-0.5, var))]


class _Channels:
    """Arithmetic for one Opx, on data [batch, channels, spatial...] and on vectors [channels]."""

    def __init__(
        self, opx: Opx, shape: Sequence[int], kind: DataType, prog: program.Sequence
    ) -> None:
        self._opx = opx
        self._arithmetic = Arithmetic(opx, prog)
        self._data = list(shape)
        self._others = [0, *range(2, len(shape))]
        self._wide = [1 if d in self._others else n for d, n in enumerate(shape)]
        self._kind = popType(kind)
        self.count = product(shape[d] for d in self._others)

    def data(self, i: int) -> Tensor:
        """Input `i`, which is data, with the channels as dimension 1."""
        t = self._opx.getInTensor(i)
        return t if list(t.shape()) == self._data else t.reshape(self._data)

    def numbers(self, i: int) -> Tensor:
        """Input `i`, which has one number for each channel, in the type of the arithmetic."""
        t = self._opx.getInTensor(i).flatten()
        return self._arithmetic.converted(t, self._kind, "wide")

    def give(self, i: int, t: Tensor) -> None:
        """Sets output `i` to `t`, converted to its type and shape. Does nothing if it is not
        connected.
        """
        opx = self._opx
        if not opx.hasOutput(i):
            return
        info = opx.outInfo(i)
        t = self._arithmetic.converted(t, popType(info), "narrow")
        opx.setOutTensor(i, t if list(t.shape()) == info.shape() else t.reshape(info.shape()))

    def wide(self, t: Tensor) -> Tensor:
        """A vector [channels] in a shape that broadcasts to the data."""
        return t.reshape(self._wide)

    def map(
        self, expression: Expr, operands: Sequence[Tensor], name: str, out: Type | None = None
    ) -> Tensor:
        """The value of `expression` over `operands`, in one pass, rounded once to `out`; by default
        in the type of the arithmetic.
        """
        return self._arithmetic.map(expression, operands, name, out or self._kind)

    def sum(self, t: Tensor, name: str) -> Tensor:
        """Data summed over all dimensions but the channels, in the type of the arithmetic."""
        return self._arithmetic.reduce(t, self._others, name, out=self._kind)

    def statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each channel, in two passes over the data."""
        each = share(self.count)
        mean = self.map(Arg(0) * each, [self.sum(x, "sum")], "mean")
        squares = self.map(s.square(Arg(0) - Arg(1)), [x, self.wide(mean)], "squares")
        variance = self.map(Arg(0) * each, [self.sum(squares, "sum")], "variance")
        return mean, variance


class BatchNormOpx(Opx):
    """The lowering: a factor and a shift for each channel, then one pass over the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Computes the statistics if in training, then factor and shift, then the result."""
        op = self.getOp(BatchNormOp)
        channels = _Channels(self, op.channels(), op.arithmetic(), prog)
        x = channels.data(X)
        scale, bias, mean, var = (channels.numbers(i) for i in (SCALE, BIAS, MEAN, VAR))
        if op.is_active():
            old = (mean, var)
            mean, var = channels.statistics(x)
            self._keep(op, channels, old, (mean, var))
        inv_std = channels.map(s.rsqrt(Arg(0) + op.epsilon), [var], "invStd")
        channels.give(BATCH_MEAN, mean)
        channels.give(INV_STD, inv_std)
        factor = channels.map(Arg(0) * Arg(1), [scale, inv_std], "factor")
        shift = channels.map(Arg(0) - Arg(1) * Arg(2), [bias, mean, factor], "shift")
        operands = [x, channels.wide(factor), channels.wide(shift)]
        e = Arg(0) * Arg(1) + Arg(2)
        channels.give(Y, channels.map(e, operands, "normalise", x.elementType()))

    def _keep(
        self,
        op: BatchNormOp,
        channels: _Channels,
        old: tuple[Tensor, Tensor],
        batch: tuple[Tensor, Tensor],
    ) -> None:
        """Sets the outputs with running statistics and with statistics of the batch."""
        n = channels.count
        factors = (1.0, n / max(n - 1, 1) if op.is_unbiased() else 1.0)
        for k, out in enumerate((RUNNING_MEAN, RUNNING_VAR)):
            if op.hasOutput(out):
                part = (1 - op.momentum) * factors[k]
                mixed = op.momentum * Arg(0) + part * Arg(1)
                channels.give(out, channels.map(mixed, [old[k], batch[k]], "running"))
        for k, out in enumerate((SAVED_MEAN, SAVED_VAR)):
            if op.hasOutput(out):
                channels.give(out, batch[k])


class _GradOpx(Opx):
    """The base class of the lowerings of both gradients."""

    def channels_of(self, op: _GradOp, prog: program.Sequence) -> _Channels:
        """The arithmetic in the forward operator's type and shape."""
        return _Channels(self, op.channels, op.arithmetic, prog)

    def inv_std(self, op: _GradOp, channels: _Channels) -> Tensor:
        """1 / sqrt(variance + epsilon): kept from the batch, or computed from the given
        variance.
        """
        last = channels.numbers(4)
        if op.is_active:
            return last
        return channels.map(s.rsqrt(Arg(0) + op.epsilon), [last], "invStd")

    def along_whitened(self, channels: _Channels, mean: Tensor, inv_std: Tensor) -> Tensor:
        """The sum of g times the normalised data (mean 0, variance 1): the gradient of scale."""
        operands = [channels.data(0), channels.data(1), channels.wide(mean), channels.wide(inv_std)]
        products = channels.map(Arg(0) * ((Arg(1) - Arg(2)) * Arg(3)), operands, "whiten")
        return channels.sum(products, "scale")


class BatchNormGradOpx(_GradOpx):
    """The lowering: two sums for scale and bias, and one pass for the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds the sums and the pass. In training, mean and variance depend on the data, so the
        means of g and of g times the normalised data are subtracted.
        """
        op = self.getOp(BatchNormGradOp)
        channels = self.channels_of(op, prog)
        scale, mean, inv_std = channels.numbers(2), channels.numbers(3), self.inv_std(op, channels)
        g, x = channels.data(0), channels.data(1)
        bias = channels.sum(g, "bias")
        along = self.along_whitened(channels, mean, inv_std)
        factor = channels.map(Arg(0) * Arg(1), [scale, inv_std], "factor")
        operands = [g, channels.wide(factor)]
        e: Expr = Arg(0) * Arg(1)
        if op.is_active:
            numbers = (mean, inv_std, bias, along)
            operands = [*operands, x, *(channels.wide(t) for t in numbers)]
            whitened = (Arg(2) - Arg(3)) * Arg(4)
            e = Arg(1) * (Arg(0) - share(channels.count) * (Arg(5) + Arg(6) * whitened))
        data = channels.map(e, operands, "data", x.elementType())
        for i, t in enumerate((data, along, bias)):
            channels.give(i, t)


class BatchNormStatisticsGradOpx(_GradOpx):
    """The lowering of the gradients of mean and variance: the same two sums."""

    def grow(self, prog: program.Sequence) -> None:
        """Uses dy/dmean = -factor and dy/dvariance = -normalised * factor / (2 * deviation)."""
        op = self.getOp(BatchNormStatisticsGradOp)
        channels = self.channels_of(op, prog)
        if op.is_active:
            for i in range(2):
                zeros = self.graph().clone(channels.numbers(3), self.debugContext("zero"))
                popops.zero(self.graph(), zeros, prog, self.debugContext("zero"))
                channels.give(i, zeros)
            return
        scale, mean, inv_std = channels.numbers(2), channels.numbers(3), self.inv_std(op, channels)
        factor = channels.map(Arg(0) * Arg(1), [scale, inv_std], "factor")
        total = channels.sum(channels.data(0), "sum")
        along = self.along_whitened(channels, mean, inv_std)
        channels.give(0, channels.map(-(Arg(0) * Arg(1)), [total, factor], "mean"))
        e = -0.5 * (Arg(0) * (Arg(1) * Arg(2)))
        channels.give(1, channels.map(e, [along, factor, inv_std], "variance"))


_IDS = [*onnx_ids("BatchNormalization", 6, 7, 9, 14, 15), POPARTS]
OpCreator(BatchNormOp, _IDS)
OpxCreator(BatchNormOpx, _IDS)
OpxCreator(BatchNormGradOpx, BatchNormGradOp.opid)
OpxCreator(BatchNormStatisticsGradOpx, BatchNormStatisticsGradOp.opid)
