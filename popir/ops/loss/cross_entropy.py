"""ONNX's classification losses: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.

Scores are [N, C, d1, ..., dk] with C classes, labels [N, d1, ..., dk], weights [C]. A label equal
to `ignore_index` is ignored. A label that is no class makes its loss and its gradient NaN.

Deviation from ONNX, which has NaN there: the mean over no labels is 0, and a mean is the sum if the
weights of the labels' classes sum to 0.
"""

from __future__ import annotations

from popir import ext
from popir.errors import OperatorInputError
from popir.ir import GradInOutMapper, Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.loss.loss import INTEGERS, Labels, class_loss_params, reduction_of
from popir.ops.reduction.softmax import LogSoftmaxGradOp
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, OUT, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.second_order import expand_to
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
    """ONNX's NegativeLogLikelihoodLoss, versions 12, 13 and 22. Inputs: log probabilities, labels
    and, optionally, a weight for each class. The module says what deviates.
    """

    nonDifferentiableInputs = frozenset({WEIGHTS})
    ignore_index: int | None
    reduction: str

    def setup(self) -> None:
        """Infers a scalar or, without reduction, the shape of the labels; LOG_PROB is not set here.

        Raises OperatorInputError for shapes that do not fit or labels that are no integers,
        OperatorAttributeError for an unknown reduction.
        """
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
        whole = reduction_of(self, _REDUCTIONS) is ReductionType.NoReduction
        self.setOutInfo(LOSS, TensorInfo(scores.dataType(), labels.shape() if whole else []))

    def dimensionNames(self) -> Dimensions | None:
        """All but the classes; none for a mean with weights or over labels that are not ignored."""
        how = reduction_of(self, _REDUCTIONS)
        is_weighted = self.hasInput(WEIGHTS) or self.ignore_index is not None
        if how is ReductionType.Mean and is_weighted:
            return None
        is_whole = how is ReductionType.NoReduction
        labels = [0, *range(2, self.inRank(SCORES))]
        scores = [None if a == 1 else a for a in range(self.inRank(SCORES))]
        outputs = {LOSS: labels if is_whole else [], LOG_PROB: scores}
        inputs = {SCORES: scores, LABELS: labels}
        return Dimensions(inputs, outputs, None if is_whole else how)

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the scores."""
        return [NegativeLogLikelihoodLossGradOp(self)]


class SoftmaxCrossEntropyLossOp(NegativeLogLikelihoodLossOp):
    """ONNX's SoftmaxCrossEntropyLoss, versions 12 and 13: the negative log likelihood of a softmax
    of the scores, over dimension 1. Output 1 is the logarithm of that softmax. The module says what
    deviates.
    """

    def setup(self) -> None:
        """Gives output 1 the type and shape of the scores."""
        super().setup()
        self.setOutInfo(LOG_PROB, self.inInfo(SCORES))

    def getGradOps(self) -> list[Op]:
        """The contribution of the loss and, if the model has output 1, that of output 1.

        Both read output 1, which is added if the model does not have it.
        """
        asked = self.hasOutput(LOG_PROB)
        if not asked:
            id = self.graph.uniqueId(f"{self.outId(LOSS)}/log_prob")
            self.createAndConnectOutTensor(LOG_PROB, id)
            self.setup()
        found: list[Op] = [SoftmaxCrossEntropyLossGradOp(self)]
        return [*found, LogProbGradOp(self, (1, False))] if asked else found


class NegativeLogLikelihoodLossGradOp(InputGradOp):
    """The gradient of the log probabilities. Inputs: the loss's gradient, log probabilities,
    labels, weights.
    """

    opid = graphcore_id("NegativeLogLikelihoodLossGrad")
    reads = [(GRAD, LOSS), (IN, SCORES), (IN, LABELS), (IN, WEIGHTS)]
    ignore_index: int | None
    reduction: str

    def __init__(self, fwdOp: NegativeLogLikelihoodLossOp) -> None:
        super().__init__(fwdOp)
        self.is_weighted = fwdOp.hasInput(WEIGHTS)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The inputs in `reads`, without the weights if there are none."""
        return super().gradInputInfo()[: 4 if self.is_weighted else 3]

    def decompose(
        self,
        on: Decomposer,
        g: IrTensor,
        scores: IrTensor,
        labels: IrTensor,
        weights: IrTensor | None = None,
    ) -> IrTensor:
        """The same by operators."""
        reduction = reduction_of(self, _REDUCTIONS)
        classes = on.shape(scores)[1]
        of = Labels(on, g, labels, classes, reduction, self.ignore_index, weights)
        found = self.of_scores(on, of, on.cast(scores, of.kind))
        return of.unless_ignored(1, expand_to(on, found, on.shape(scores)))

    def of_scores(self, on: Decomposer, of: Labels, scores: IrTensor) -> IrTensor:
        """-scale at each label."""
        return of.at_label(1, on.Neg(of.spread(of.scale, 1)), on.const(0, of.kind))


class SoftmaxCrossEntropyLossGradOp(NegativeLogLikelihoodLossGradOp):
    """The gradient of the scores before the softmax."""

    opid = graphcore_id("SoftmaxCrossEntropyLossGrad")
    reads = [(GRAD, LOSS), (OUT, LOG_PROB), (IN, LABELS), (IN, WEIGHTS)]

    def of_scores(self, on: Decomposer, of: Labels, scores: IrTensor) -> IrTensor:
        """The probability times scale, minus scale at each label."""
        scale, zero = of.spread(of.scale, 1), on.const(0, of.kind)
        return on.Sub(on.Mul(on.Exp(scores), scale), of.at_label(1, scale, zero))


class LogProbGradOp(LogSoftmaxGradOp):
    """The contribution of output 1 to the gradient of the scores."""

    reads = [(GRAD, LOG_PROB), (OUT, LOG_PROB)]


def _params(
    op: NegativeLogLikelihoodLossOp | NegativeLogLikelihoodLossGradOp,
) -> ext.NllParams:
    """The parameters of the loss for the library `ext`."""
    return class_loss_params(reduction_of(op, _REDUCTIONS), True, op.ignore_index)


def _classes_last(t: Tensor) -> Tensor:
    """[N, C, d1, ...] as [N, d1, ..., C], a view."""
    return t.dimRoll(1, t.rank() - 1)


def _classes_second(t: Tensor) -> Tensor:
    """[N, d1, ..., C] as [N, C, d1, ...], a view."""
    return t.dimRoll(t.rank() - 1, 1)


class NegativeLogLikelihoodLossOpx(Opx):
    """The lowering of the losses; the class is for log probabilities."""

    def logarithms(self, prog: program.Sequence) -> Tensor:
        """The log probabilities, [N, d1, ..., C]."""
        return _classes_last(self.getInTensor(SCORES))

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::nllLoss on the log probabilities."""
        op = self.getOp(NegativeLogLikelihoodLossOp)
        scores, labels = self.logarithms(prog), self.getInTensor(LABELS)
        weights = self.getInTensor(WEIGHTS) if op.hasInput(WEIGHTS) else None
        loss = ext.nllLoss(
            self.graph(), scores, labels, _params(op), prog, self.debugContext(), weights
        )
        self.setOutTensor(LOSS, loss.reshape(self.outShape(LOSS)))


class SoftmaxCrossEntropyLossOpx(NegativeLogLikelihoodLossOpx):
    """The lowering for scores: a log softmax, then the loss."""

    def logarithms(self, prog: program.Sequence) -> Tensor:
        """Calls ext::logSoftmax, which also gives output 1."""
        rows = super().logarithms(prog)
        found = ext.logSoftmax(self.graph(), rows, prog, self.debugContext("logSoftmax"))
        if self.getOp(SoftmaxCrossEntropyLossOp).hasOutput(LOG_PROB):
            self.setOutTensor(LOG_PROB, _classes_second(found))
        return found


class NegativeLogLikelihoodLossGradOpx(Opx):
    """The lowering of the gradient of the log probabilities, by ext::nllLossGrad."""

    function = staticmethod(ext.nllLossGrad)

    def grow(self, prog: program.Sequence) -> None:
        """Calls `function` of the class with the classes as last dimension."""
        op = self.getOp(NegativeLogLikelihoodLossGradOp)
        g, scores, labels = (self.getInTensor(i) for i in range(3))
        weights = self.getInTensor(3) if op.is_weighted else None
        found = self.function(
            *(self.graph(), g, _classes_last(scores), labels),
            *(_params(op), prog, self.debugContext(), weights),
        )
        self.setOutTensor(0, _classes_second(found))


class SoftmaxCrossEntropyLossGradOpx(NegativeLogLikelihoodLossGradOpx):
    """The lowering of the gradient of the scores, by ext::nllSoftmaxGrad."""

    function = staticmethod(ext.nllSoftmaxGrad)


for _op, _opx, _ids in (
    (
        NegativeLogLikelihoodLossOp,
        NegativeLogLikelihoodLossOpx,
        onnx_ids("NegativeLogLikelihoodLoss", 12, 13, 22),
    ),
    (
        SoftmaxCrossEntropyLossOp,
        SoftmaxCrossEntropyLossOpx,
        onnx_ids("SoftmaxCrossEntropyLoss", 12, 13),
    ),
):
    OpCreator(_op, _ids)
    OpxCreator(_opx, _ids)
OpxCreator(NegativeLogLikelihoodLossGradOpx, NegativeLogLikelihoodLossGradOp.opid)
OpxCreator(SoftmaxCrossEntropyLossGradOpx, SoftmaxCrossEntropyLossGradOp.opid)
