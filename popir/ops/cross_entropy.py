"""ONNX's losses of classifiers: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.

Scores are [N, C, d1, ..., dk], of C classes; labels [N, d1, ..., dk]; weights [C], one for each
class. A label that is `ignore_index` counts nowhere, and a mean over no label is 0. A label that is
no class makes its loss and its gradient NaN.
"""

from __future__ import annotations

from popir import ext
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ops.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.loss import INTEGERS, classLossParams, reductionOf
from popir.ops.softmax import LogSoftmaxGradOp
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import ReductionType, TensorInfo

SCORES, LABELS, WEIGHTS = range(3)
LOSS, LOG_PROB = range(2)

_REDUCTIONS = {
    "mean": ReductionType.Mean,
    "sum": ReductionType.Sum,
    "none": ReductionType.NoReduction,
}


class NegativeLogLikelihoodLossOp(Op):
    """Inputs: logarithms of probabilities, labels and, if given, weights."""

    nonDifferentiableInputs = frozenset({WEIGHTS})
    ignore_index: int | None
    reduction: str

    def setup(self) -> None:
        """A scalar, or without reduction one number for each label."""
        scores, labels = self.inInfo(SCORES), self.inInfo(LABELS)
        shape = scores.shape()
        fits = len(shape) >= 2 and [shape[0], *shape[2:]] == labels.shape()
        if not fits or labels.dataType() not in INTEGERS:
            raise OperatorInputError(
                f"{self.debugName()}: the scores are {scores}, the labels {labels}; expected are "
                "[N, C, d1, ...] and integer labels [N, d1, ...]."
            )
        if self.hasInput(WEIGHTS) and self.inShape(WEIGHTS) != [shape[1]]:
            raise OperatorInputError(
                f"{self.debugName()}: the weights are {self.inInfo(WEIGHTS)}; expected is one for "
                f"each class, [{shape[1]}]."
            )
        whole = reductionOf(self, _REDUCTIONS) is ReductionType.NoReduction
        self.setOutInfo(LOSS, TensorInfo(scores.dataType(), labels.shape() if whole else []))

    def getGradOps(self) -> list[Op]:
        """With respect to the scores."""
        return [NegativeLogLikelihoodLossGradOp(self)]


class SoftmaxCrossEntropyLossOp(NegativeLogLikelihoodLossOp):
    """The same of scores before a softmax. The second output is the logarithm of that softmax."""

    def setup(self) -> None:
        """The second output is like the scores."""
        super().setup()
        self.setOutInfo(LOG_PROB, self.inInfo(SCORES))

    def getGradOps(self) -> list[Op]:
        """What comes from the loss and, if the model has the second output, what comes from that.

        Both read the second output.
        """
        asked = self.hasOutput(LOG_PROB)
        if not asked:
            id = self.graph.uniqueId(f"{self.outId(LOSS)}/log_prob")
            self.createAndConnectOutTensor(LOG_PROB, id)
            self.setup()
        found: list[Op] = [SoftmaxCrossEntropyLossGradOp(self)]
        return [*found, LogProbGradOp(self, (1, False))] if asked else found


class NegativeLogLikelihoodLossGradOp(InputGradOp):
    """From the loss's gradient, logarithms of probabilities, labels and weights."""

    opid = graphcoreId("NegativeLogLikelihoodLossGrad")
    reads = [(GRAD, LOSS), (IN, SCORES), (IN, LABELS), (IN, WEIGHTS)]
    ignore_index: int | None
    reduction: str

    def __init__(self, fwdOp: NegativeLogLikelihoodLossOp) -> None:
        super().__init__(fwdOp)
        self.isWeighted = fwdOp.hasInput(WEIGHTS)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The weights only if there are any."""
        return super().gradInputInfo()[: 4 if self.isWeighted else 3]


class SoftmaxCrossEntropyLossGradOp(NegativeLogLikelihoodLossGradOp):
    """With respect to the scores before the softmax."""

    opid = graphcoreId("SoftmaxCrossEntropyLossGrad")
    reads = [(GRAD, LOSS), (OUT, LOG_PROB), (IN, LABELS), (IN, WEIGHTS)]


class LogProbGradOp(LogSoftmaxGradOp):
    """What the second output contributes."""

    reads = [(GRAD, LOG_PROB), (OUT, LOG_PROB)]


def _params(
    op: NegativeLogLikelihoodLossOp | NegativeLogLikelihoodLossGradOp,
) -> ext.NllParams:
    """The loss in the device library's terms."""
    return classLossParams(reductionOf(op, _REDUCTIONS), True, op.ignore_index)


def _classesLast(t: Tensor) -> Tensor:
    """[N, C, d1, ...] as [N, d1, ..., C]."""
    return t.dimRoll(1, t.rank() - 1)


def _classesSecond(t: Tensor) -> Tensor:
    """The other way round."""
    return t.dimRoll(t.rank() - 1, 1)


class NegativeLogLikelihoodLossOpx(Opx):
    """One library call."""

    def logarithms(self, prog: program.Sequence) -> Tensor:
        """Those of the probabilities, [N, d1, ..., C]."""
        return _classesLast(self.getInTensor(SCORES))

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllLoss."""
        op = self.getOp(NegativeLogLikelihoodLossOp)
        operands = [self.logarithms(prog), self.getInTensor(LABELS)]
        weights = self.getInTensor(WEIGHTS) if op.hasInput(WEIGHTS) else None
        loss = ext.nllLoss(self.graph(), *operands, _params(op), prog, self.debugContext(), weights)
        self.setOutTensor(LOSS, loss.reshape(self.outShape(LOSS)))


class SoftmaxCrossEntropyLossOpx(NegativeLogLikelihoodLossOpx):
    """Two library calls."""

    def logarithms(self, prog: program.Sequence) -> Tensor:
        """ext.logSoftmax, which is the second output."""
        rows = super().logarithms(prog)
        found = ext.logSoftmax(self.graph(), rows, prog, self.debugContext("logSoftmax"))
        if self.getOp(SoftmaxCrossEntropyLossOp).hasOutput(LOG_PROB):
            self.setOutTensor(LOG_PROB, _classesSecond(found))
        return found


class NegativeLogLikelihoodLossGradOpx(Opx):
    """One library call."""

    function = staticmethod(ext.nllLossGrad)

    def grow(self, prog: program.Sequence) -> None:
        """With respect to the logarithms, or to what is before the softmax."""
        op = self.getOp(NegativeLogLikelihoodLossGradOp)
        operands = [
            self.getInTensor(0),
            _classesLast(self.getInTensor(1)),
            self.getInTensor(2),
        ]
        weights = self.getInTensor(3) if op.isWeighted else None
        found = self.function(
            self.graph(), *operands, _params(op), prog, self.debugContext(), weights
        )
        self.setOutTensor(0, _classesSecond(found))


class SoftmaxCrossEntropyLossGradOpx(NegativeLogLikelihoodLossGradOpx):
    """With respect to what is before the softmax."""

    function = staticmethod(ext.nllSoftmaxGrad)


for _op, _opx, _ids in (
    (
        NegativeLogLikelihoodLossOp,
        NegativeLogLikelihoodLossOpx,
        onnxIds("NegativeLogLikelihoodLoss", 12, 13, 22),
    ),
    (
        SoftmaxCrossEntropyLossOp,
        SoftmaxCrossEntropyLossOpx,
        onnxIds("SoftmaxCrossEntropyLoss", 12, 13),
    ),
):
    OpCreator(_op, _ids)
    OpxCreator(_opx, _ids)
OpxCreator(NegativeLogLikelihoodLossGradOpx, NegativeLogLikelihoodLossGradOp.opid)
OpxCreator(SoftmaxCrossEntropyLossGradOpx, SoftmaxCrossEntropyLossGradOp.opid)
