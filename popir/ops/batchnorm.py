"""BatchNormalization: each channel of [batch, channels, spatial...] brought to a mean and a
variance.

In training these are the batch's own, and running ones follow them; else they are given.
    y = (x - mean) * scale / sqrt(variance + epsilon) + bias
    running <- momentum * running + (1 - momentum) * the batch's own
The batch's variance is that of a population, a sum of squares over n; where the running variance is
unbiased, the sum over n - 1 goes into it instead. All is computed in float or double.
"""

from __future__ import annotations

from collections.abc import Sequence

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, GradOp, Op, OpSerialiser, Origin
from popir.ops import symbolic as s
from popir.ops.arithmetic import share
from popir.ops.gradient import GRAD, IN, OUT
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import product
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

X, SCALE, BIAS, MEAN, VAR = range(5)
Y, RUNNING_MEAN, RUNNING_VAR, SAVED_MEAN, SAVED_VAR = range(5)
BATCH_MEAN, INV_STD = 5, 6
"""Outputs that no model has: what the gradient reads of a batch, in the type of the arithmetic."""

POPARTS = graphcoreId("BatchNormalization")


class BatchNormOp(Op):
    """Inputs: data, scale, bias, mean, variance.

    Outputs: the result; in training the running mean and variance after the batch and, before
    version 14, the batch's own.
    """

    epsilon: float
    momentum: float
    is_test: bool | None
    spatial: bool | None
    training_mode: bool | None
    nonDifferentiableOutputs = frozenset(
        {RUNNING_MEAN, RUNNING_VAR, SAVED_MEAN, SAVED_VAR, BATCH_MEAN, INV_STD}
    )
    _unbiased = False

    def isActive(self) -> bool:
        """Whether the batch's own mean and variance are used."""
        if self.opid.domain == "ai.onnx" and self.opid.version >= 14:
            return bool(self.training_mode)
        return self.numOutputs() > 1 and not self.is_test

    def runsAs(self) -> str:
        """Whose statistics it uses."""
        return "statistics of the batch" if self.isActive() else "running statistics"

    def stateUpdates(self) -> dict[int, int]:
        """The running mean and variance, in training."""
        return {MEAN: RUNNING_MEAN, VAR: RUNNING_VAR} if self.isActive() else {}

    def keepStateOf(self, origin: Origin) -> None:
        """In models of PyTorch the running variance follows the unbiased one."""
        self._unbiased = origin.keepsUnbiasedVariance
        self.setup()

    def isUnbiased(self) -> bool:
        """Whether the running variance follows the unbiased one; PopART's own operator's does."""
        return self._unbiased or self.opid == POPARTS

    def channels(self) -> list[int]:
        """The data's shape with the channels as its second dimension, each with its own mean."""
        shape = self.inShape(X)
        if len(shape) == 1:
            return [*shape, 1]
        return [shape[0], product(shape[1:])] if self.spatial == 0 else shape

    def arithmetic(self) -> DataType:
        """The type that all is computed in."""
        isDouble = self.inInfo(X).dataType() is DataType.DOUBLE
        return DataType.DOUBLE if isDouble else DataType.FLOAT

    def setup(self) -> None:
        """The result is like the data, all else like the means."""
        self._checkShapes()
        if not self.isActive() and self.numOutputs() > 1:
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

    def _checkShapes(self) -> None:
        shape = self.inShape(X)
        if not shape:
            raise OperatorInputError(
                f"{self.debugName()}: the data are a scalar; expected is [batch, channels, ...]."
            )
        want = [1] if len(shape) == 1 else shape[1:] if self.spatial == 0 else shape[1:2]
        each = "element" if self.spatial == 0 else "channel"
        for i in (SCALE, BIAS, MEAN, VAR):
            if self.inShape(i) != want:
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {self.inShape(i)}; expected is one "
                    f"number for each {each} of the data {shape}, {want}."
                )
        count = product(shape) // max(self.channels()[1], 1)
        if self.isActive() and self.isUnbiased() and count == 1:
            raise OperatorInputError(
                f"{self.debugName()}: the data {shape} have one element for each {each}, of which "
                "there is no unbiased variance. Give it more than one element for each: a larger "
                "batch."
            )

    def appendAttributes(self, os: OpSerialiser) -> None:
        """Which variance is kept, too."""
        super().appendAttributes(os)
        os.appendAttribute("unbiased", int(self.isUnbiased()))

    def getGradOps(self) -> list[Op]:
        """One for data, scale and bias, one for mean and variance."""
        if self.isActive():
            for i, name in ((BATCH_MEAN, "mean"), (INV_STD, "invStd")):
                if not self.hasOutput(i):
                    id = self.graph.uniqueId(f"{self.outId(Y)}/{name}")
                    self.createAndConnectOutTensor(i, id)
            self.setup()
        return [BatchNormGradOp(self), BatchNormStatisticsGradOp(self)]


class _GradOp(GradOp):
    """Base of both: reads g, data, scale, and mean and variance or what they are in a batch."""

    epsilon: float
    towards: tuple[int, ...]

    def __init__(self, fwdOp: BatchNormOp) -> None:
        super().__init__(fwdOp)
        self.epsilon = fwdOp.epsilon
        self.isActive = fwdOp.isActive()
        self.channels = fwdOp.channels()
        self.arithmetic = fwdOp.arithmetic()
        self._infos = {i: fwdOp.inInfo(i) for i in self.towards}

    def appendAttributes(self, os: OpSerialiser) -> None:
        """What decides the arithmetic."""
        super().appendAttributes(os)
        os.appendAttribute("epsilon", self.epsilon)
        os.appendAttribute("training", int(self.isActive))
        os.appendAttribute("channels", self.channels)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, data, scale, mean, variance; in training the batch's mean and 1 / deviation."""
        statistics = (
            [(OUT, BATCH_MEAN), (OUT, INV_STD)] if self.isActive else [(IN, MEAN), (IN, VAR)]
        )
        reads = [(GRAD, Y), (IN, X), (IN, SCALE), *statistics]
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The inputs in their order."""
        return dict(enumerate(self.towards))

    def setup(self) -> None:
        """Like the inputs."""
        for out, i in enumerate(self.towards):
            self.setOutInfo(out, self._infos[i])


class BatchNormGradOp(_GradOp):
    """The gradients with respect to data, scale and bias."""

    opid = graphcoreId("BatchNormalizationGrad")
    towards = (X, SCALE, BIAS)


class BatchNormStatisticsGradOp(_GradOp):
    """The gradients with respect to the mean and the variance that are given: zero in training,
    where the result does not depend on them.
    """

    opid = graphcoreId("BatchNormalizationStatisticsGrad")
    towards = (MEAN, VAR)


class _Channels:
    """Arithmetic on data [batch, channels, spatial...] and numbers of channels, for one Opx."""

    def __init__(
        self, opx: Opx, shape: Sequence[int], kind: DataType, prog: program.Sequence
    ) -> None:
        self._opx = opx
        self._prog = prog
        self._data = list(shape)
        self._others = [0, *range(2, len(shape))]
        self._wide = [1 if d in self._others else n for d, n in enumerate(shape)]
        self._kind = popType(kind)
        self.count = product(shape[d] for d in self._others)

    def data(self, i: int) -> Tensor:
        """An input that is data, with the channels as its second dimension."""
        t = self._input(i)
        return t if list(t.shape()) == self._data else t.reshape(self._data)

    def numbers(self, i: int) -> Tensor:
        """An input of one number for each channel."""
        return self._input(i).flatten()

    def _input(self, i: int) -> Tensor:
        t = self._opx.getInTensor(i)
        if t.elementType() == self._kind:
            return t
        graph, context = self._opx.graph(), self._opx.debugContext("wide")
        return popops.cast(graph, t, self._kind, self._prog, context)

    def give(self, i: int, t: Tensor) -> None:
        """Makes a result output `i`, in that output's type and shape; nothing if there is none."""
        opx = self._opx
        if not opx.hasOutput(i):
            return
        info = opx.outInfo(i)
        if t.elementType() != popType(info):
            t = popops.cast(opx.graph(), t, popType(info), self._prog, opx.debugContext("narrow"))
        opx.setOutTensor(i, t if list(t.shape()) == info.shape() else t.reshape(info.shape()))

    def wide(self, t: Tensor) -> Tensor:
        """Numbers of channels, in a shape that broadcasts to the data's."""
        return t.reshape(self._wide)

    def map(self, expression: Expr, operands: Sequence[Tensor], name: str) -> Tensor:
        """One pass."""
        tree = s.toDevice(expression, popops.expr)
        context = self._opx.debugContext(name)
        return popops.map(self._opx.graph(), tree, list(operands), self._prog, context)

    def sum(self, t: Tensor, name: str) -> Tensor:
        """Data summed to one number for each channel."""
        params = popops.ReduceParams(popops.Operation.ADD)
        context = self._opx.debugContext(name)
        return popops.reduce(self._opx.graph(), t, self._others, params, self._prog, context)

    def statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of each channel, in two passes over the data."""
        each = share(self.count)
        mean = self.map(Arg(0) * each, [self.sum(x, "sum")], "mean")
        squares = self.map(s.square(Arg(0) - Arg(1)), [x, self.wide(mean)], "squares")
        variance = self.map(Arg(0) * each, [self.sum(squares, "sum")], "variance")
        return mean, variance


class BatchNormOpx(Opx):
    """A factor and a shift for each channel, then one pass over the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Statistics, if they are the batch's own, then the pass."""
        op = self.getOp(BatchNormOp)
        channels = _Channels(self, op.channels(), op.arithmetic(), prog)
        x = channels.data(X)
        scale, bias, mean, var = (channels.numbers(i) for i in (SCALE, BIAS, MEAN, VAR))
        if op.isActive():
            old = (mean, var)
            mean, var = channels.statistics(x)
            self._keep(op, channels, old, (mean, var))
        invStd = channels.map(s.rsqrt(Arg(0) + op.epsilon), [var], "invStd")
        channels.give(BATCH_MEAN, mean)
        channels.give(INV_STD, invStd)
        factor = channels.map(Arg(0) * Arg(1), [scale, invStd], "factor")
        shift = channels.map(Arg(0) - Arg(1) * Arg(2), [bias, mean, factor], "shift")
        operands = [x, channels.wide(factor), channels.wide(shift)]
        channels.give(Y, channels.map(Arg(0) * Arg(1) + Arg(2), operands, "normalise"))

    def _keep(
        self,
        op: BatchNormOp,
        channels: _Channels,
        old: tuple[Tensor, Tensor],
        batch: tuple[Tensor, Tensor],
    ) -> None:
        """The running statistics after the batch, and the batch's own."""
        n = channels.count
        factors = (1.0, n / max(n - 1, 1) if op.isUnbiased() else 1.0)
        for k, out in enumerate((RUNNING_MEAN, RUNNING_VAR)):
            if op.hasOutput(out):
                part = (1 - op.momentum) * factors[k]
                mixed = op.momentum * Arg(0) + part * Arg(1)
                channels.give(out, channels.map(mixed, [old[k], batch[k]], "running"))
        for k, out in enumerate((SAVED_MEAN, SAVED_VAR)):
            if op.hasOutput(out):
                channels.give(out, batch[k])


class _GradOpx(Opx):
    """Base of both."""

    def channelsOf(self, op: _GradOp, prog: program.Sequence) -> _Channels:
        """The arithmetic of the forward operator."""
        return _Channels(self, op.channels, op.arithmetic, prog)

    def invStd(self, op: _GradOp, channels: _Channels) -> Tensor:
        """1 / deviation: kept from the batch, or that of the variance given."""
        last = channels.numbers(4)
        if op.isActive:
            return last
        return channels.map(s.rsqrt(Arg(0) + op.epsilon), [last], "invStd")

    def alongWhitened(self, channels: _Channels, mean: Tensor, invStd: Tensor) -> Tensor:
        """The sum of g times the data brought to mean 0 and variance 1: the scale's gradient."""
        operands = [channels.data(0), channels.data(1), channels.wide(mean), channels.wide(invStd)]
        products = channels.map(Arg(0) * ((Arg(1) - Arg(2)) * Arg(3)), operands, "whiten")
        return channels.sum(products, "scale")


class BatchNormGradOpx(_GradOpx):
    """Two sums over batch and space, and one more pass for the data."""

    def grow(self, prog: program.Sequence) -> None:
        """In training the data's gradient has mean 0 and no part along the whitened data."""
        op = self.getOp(BatchNormGradOp)
        channels = self.channelsOf(op, prog)
        scale, mean, invStd = channels.numbers(2), channels.numbers(3), self.invStd(op, channels)
        g, x = channels.data(0), channels.data(1)
        bias = channels.sum(g, "bias")
        along = self.alongWhitened(channels, mean, invStd)
        factor = channels.map(Arg(0) * Arg(1), [scale, invStd], "factor")
        operands = [g, channels.wide(factor)]
        e: Expr = Arg(0) * Arg(1)
        if op.isActive:
            numbers = (mean, invStd, bias, along)
            operands = [*operands, x, *(channels.wide(t) for t in numbers)]
            whitened = (Arg(2) - Arg(3)) * Arg(4)
            e = Arg(1) * (Arg(0) - share(channels.count) * (Arg(5) + Arg(6) * whitened))
        for i, t in enumerate((channels.map(e, operands, "data"), along, bias)):
            channels.give(i, t)


class BatchNormStatisticsGradOpx(_GradOpx):
    """The same sums."""

    def grow(self, prog: program.Sequence) -> None:
        """From dy/dmean = -factor, and dy/dvariance = -whitened * factor / (2 * deviation)."""
        op = self.getOp(BatchNormStatisticsGradOp)
        channels = self.channelsOf(op, prog)
        if op.isActive:
            for i in range(2):
                zeros = self.graph().clone(channels.numbers(3), self.debugContext("zero"))
                popops.zero(self.graph(), zeros, prog, self.debugContext("zero"))
                channels.give(i, zeros)
            return
        scale, mean, invStd = channels.numbers(2), channels.numbers(3), self.invStd(op, channels)
        factor = channels.map(Arg(0) * Arg(1), [scale, invStd], "factor")
        total = channels.sum(channels.data(0), "sum")
        along = self.alongWhitened(channels, mean, invStd)
        channels.give(0, channels.map(-(Arg(0) * Arg(1)), [total, factor], "mean"))
        e = -0.5 * (Arg(0) * (Arg(1) * Arg(2)))
        channels.give(1, channels.map(e, [along, factor, invStd], "variance"))


_IDS = [*onnxIds("BatchNormalization", 6, 7, 9, 14, 15), POPARTS]
OpCreator(BatchNormOp, _IDS)
OpxCreator(BatchNormOpx, _IDS)
OpxCreator(BatchNormGradOpx, BatchNormGradOp.opid)
OpxCreator(BatchNormStatisticsGradOpx, BatchNormStatisticsGradOp.opid)
