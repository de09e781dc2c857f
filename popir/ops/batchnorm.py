"""BatchNormalization: each channel of [batch, channels, spatial...] brought to a mean and a
variance.

In training these are the batch's own, and the running ones follow them; else they are given.
    y = (x - mean) * scale / sqrt(variance + epsilon) + bias
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from popir import popops
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ops import symbolic as s
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.shapes import product
from popir.ops.symbolic import Arg, Expr
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator

X, SCALE, BIAS, MEAN, VAR = range(5)


class BatchNormOp(Op):
    """Inputs: data, scale, bias, mean, variance. Outputs: the result; in training the running mean
    and variance after the batch and, before version 14, its own mean and variance.
    """

    epsilon: float
    momentum: float
    is_test: int | None
    spatial: int | None
    training_mode: int | None

    def isActive(self) -> bool:
        """Whether the batch's own mean and variance are used."""
        if self.opid.version >= 14:
            return bool(self.training_mode)
        return self.numOutputs() > 1 and not self.is_test

    def setup(self) -> None:
        """The result is like the data, all else like the mean."""
        shape = self.inShape(X)
        if self.spatial == 0:
            raise OperatorInputError(
                f"{self.debugName()}: spatial=0, statistics of each element instead of each "
                "channel, is not available."
            )
        for i in (SCALE, BIAS, MEAN, VAR):
            if len(shape) < 2 or self.inShape(i) != shape[1:2]:
                raise OperatorInputError(
                    f"{self.debugName()}: input {i} has shape {self.inShape(i)}; expected is one "
                    f"number for each channel of the data {shape}, {shape[1:2]}."
                )
        self.setOutInfo(0, self.inInfo(X))
        for i in range(1, 5):
            self.setOutInfo(i, self.inInfo(MEAN))

    def getGradOps(self) -> list[Op]:
        """One for each of data, scale and bias."""
        return [BatchNormGradOp(self, i) for i in (X, SCALE, BIAS)]


class BatchNormGradOp(InputGradOp):
    """The gradient with respect to the data, the scale or the bias.

    In training the statistics are computed again from the data.
    """

    epsilon: float

    def __init__(self, fwdOp: BatchNormOp, index: int) -> None:
        super().__init__(fwdOp, index, graphcoreId("BatchNormalizationGrad"))
        self.isActive = fwdOp.isActive()
        self.towards = index

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """g, then all that the forward operator reads."""
        ins = (X, SCALE, MEAN, VAR)
        return [
            GradInOutMapper(0, 0, GRAD),
            *(GradInOutMapper(n + 1, i, IN) for n, i in enumerate(ins)),
        ]


class _Channels:
    """Arithmetic on data [batch, channels, spatial...] and numbers of channels, for one Opx."""

    def __init__(self, opx: Opx, shape: Sequence[int], prog: program.Sequence) -> None:
        self._opx = opx
        self._prog = prog
        self._others = [0, *range(2, len(shape))]
        self._shape = [1 if d in self._others else n for d, n in enumerate(shape)]
        self.count = product(shape[d] for d in self._others)

    def wide(self, t: Tensor) -> Tensor:
        """Numbers of channels, in a shape that broadcasts to the data's."""
        return t.reshape(self._shape)

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
        total = self.sum(x, "sum")
        mean = self.map(Arg(0) * (1 / self.count), [total], "mean")
        squares = self.map(s.square(Arg(0) - Arg(1)), [x, self.wide(mean)], "squares")
        variance = self.map(Arg(0) * (1 / self.count), [self.sum(squares, "sum")], "variance")
        return mean, variance


class BatchNormOpx(Opx):
    """A factor and a shift for each channel, then one pass over the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Statistics, if they are the batch's own, then the pass."""
        op = self.getOp(BatchNormOp)
        x, scale, bias, mean, var = (self.getInTensor(i) for i in range(5))
        channels = _Channels(self, self.inShape(X), prog)
        if op.isActive():
            running = {1: mean, 2: var}
            mean, var = channels.statistics(x)
            self._setRunning(op, channels, running, {1: mean, 2: var})
        factor = channels.map(Arg(0) * s.rsqrt(Arg(1) + op.epsilon), [scale, var], "factor")
        shift = channels.map(Arg(0) - Arg(1) * Arg(2), [bias, mean, factor], "shift")
        operands = [x, channels.wide(factor), channels.wide(shift)]
        self.setOutTensor(0, channels.map(Arg(0) * Arg(1) + Arg(2), operands, "normalise"))

    def _setRunning(
        self,
        op: BatchNormOp,
        channels: _Channels,
        old: Mapping[int, Tensor],
        batch: Mapping[int, Tensor],
    ) -> None:
        """The running statistics after the batch, and the batch's own."""
        for i in (1, 2):
            if op.hasOutput(i):
                mixed = op.momentum * Arg(0) + (1 - op.momentum) * Arg(1)
                self.setOutTensor(i, channels.map(mixed, [old[i], batch[i]], "running"))
            if op.hasOutput(i + 2):
                self.setOutTensor(i + 2, batch[i])


class BatchNormGradOpx(Opx):
    """All three gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """Sums over batch and space and, for the data, one more pass."""
        op = self.getOp(BatchNormGradOp)
        g, x, scale, mean, var = (self.getInTensor(i) for i in range(5))
        channels = _Channels(self, self.inShape(0), prog)
        if op.towards == BIAS:
            self.setOutTensor(0, channels.sum(g, "bias"))
            return
        if op.isActive:
            mean, var = channels.statistics(x)
        invStd = channels.map(s.rsqrt(Arg(0) + op.epsilon), [var], "invStd")
        operands = [x, channels.wide(mean), channels.wide(invStd)]
        whitened = channels.map((Arg(0) - Arg(1)) * Arg(2), operands, "whiten")
        if op.towards == SCALE:
            product = channels.map(Arg(0) * Arg(1), [g, whitened], "product")
            self.setOutTensor(0, channels.sum(product, "scale"))
            return
        factor = channels.map(Arg(0) * Arg(1), [scale, invStd], "factor")
        if not op.isActive:
            out = channels.map(Arg(0) * Arg(1), [g, channels.wide(factor)], "data")
            self.setOutTensor(0, out)
            return
        product = channels.map(Arg(0) * Arg(1), [g, whitened], "product")
        means = [
            channels.wide(
                channels.map(Arg(0) * (1 / channels.count), [channels.sum(t, "sum")], "mean")
            )
            for t in (g, product)
        ]
        centred = Arg(3) * (Arg(0) - Arg(1) - Arg(4) * Arg(2))
        operands = [g, means[0], means[1], channels.wide(factor), whitened]
        self.setOutTensor(0, channels.map(centred, operands, "data"))


_IDS = onnxIds("BatchNormalization", 6, 7, 9, 14, 15)
OpCreator(BatchNormOp, _IDS)
OpxCreator(BatchNormOpx, _IDS)
OpxCreator(BatchNormGradOpx, graphcoreId("BatchNormalizationGrad"))
