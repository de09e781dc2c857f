"""PopART's losses: nllloss, l1loss, identityloss. Each ends in a reduction: mean, sum or none.

Losses of half and bfloat16 are computed and summed in float, and rounded once. docs/losses.md says
what they are at the edges: labels that are ignored or no class, saturated probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir import ext, poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier
from popir.ops.arithmetic import share
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId
from popir.ops.shapes import broadcastTo
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, ReductionType, TensorInfo

INTEGERS = {DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64}


_REDUCTIONS = {member.value: member for member in ReductionType}


def reductionOf(op: Op, names: Mapping[str, ReductionType] = _REDUCTIONS) -> ReductionType:
    """The attribute `reduction`. Raises OperatorAttributeError if it is none of the names."""
    given = op.attributes["reduction"]
    if given not in names:
        raise OperatorAttributeError(
            f"{op.debugName()}: the attribute 'reduction' is {given!r}; expected is one of "
            f"{', '.join(names)}."
        )
    return names[given]


def classLossParams(
    reduction: ReductionType, isLogProbability: bool, ignored: int | None
) -> ext.NllParams:
    """A loss over classes in the device library's terms."""
    params = ext.NllParams()
    name = reduction.value.replace("NoReduction", "None")
    params.reduction = ext.LossReduction.__members__[name]
    params.inputIsLogProbability = isLogProbability
    params.hasIgnoreIndex = ignored is not None
    params.ignoreIndex = ignored or 0
    return params


class LossOp(Op):
    """Base of the losses."""

    reduction: str

    def reductionType(self) -> ReductionType:
        """The attribute as a ReductionType. Raises OperatorAttributeError if it is none."""
        return reductionOf(self)

    def perSample(self) -> list[int]:
        """The shape of the loss before it is reduced."""
        return self.inShape(0)

    def setup(self) -> None:
        """A scalar, or without reduction one number for each sample."""
        whole = self.reductionType() is ReductionType.NoReduction
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.perSample() if whole else []))


class NllOp(LossOp):
    """The negative log likelihood of labels.

    Inputs: probabilities [samples..., classes], or their logarithms with inputIsLogProbability;
    labels [samples...] of an integer type. Samples whose label is ignoreIndex count nowhere.
    """

    ignoreIndex: int | None
    inputIsLogProbability: int | None

    def perSample(self) -> list[int]:
        """The labels' shape, checked against the probabilities'."""
        probabilities, labels = self.inInfo(0), self.inInfo(1)
        if probabilities.shape()[:-1] != labels.shape() or labels.dataType() not in INTEGERS:
            raise OperatorInputError(
                f"{self.debugName()}: probabilities are {probabilities}, labels {labels}; "
                "expected are [samples..., classes] and integer labels [samples...]."
            )
        return labels.shape()

    def getGradOps(self) -> list[Op]:
        """With respect to the probabilities."""
        return [NllGradOp(self)]


class NllGradOp(InputGradOp):
    """From the loss's gradient, the probabilities and the labels."""

    opid = graphcoreId("NllGrad")
    reads = [(GRAD, 0), (IN, 0), (IN, 1)]
    reduction: str
    ignoreIndex: int | None
    inputIsLogProbability: int | None


class SoftmaxGradDirectOp(NllOp):
    """The gradient of an Nll with respect to the input of the softmax whose output it reads:
    g (softmax(x) - oneHot(label)). The pattern SoftmaxGradDirect makes it of two gradients.

    Inputs: the loss's gradient, the probabilities or their logarithms, labels.
    """

    def setup(self) -> None:
        """Like the probabilities."""
        self.setOutInfo(0, self.inInfo(1))

    def getGradOps(self) -> list[Op]:
        """None: a gradient has none."""
        return []


def nllParams(op: NllOp | NllGradOp) -> ext.NllParams:
    """The loss, from the attributes of an operator that has those of Nll."""
    return classLossParams(reductionOf(op), bool(op.inputIsLogProbability), op.ignoreIndex)


class ElementLossOp(LossOp):
    """Base of the losses that are a sum over all elements, times a factor."""

    def scale(self) -> float:
        """The factor without a mean."""
        return 1.0

    def factor(self) -> float:
        """The factor; of a mean, over the number of elements."""
        isMean = self.reductionType() is ReductionType.Mean
        return self.scale() * (share(self.inInfo(0).nelms()) if isMean else 1)

    def each(self, x: Any) -> Any:
        """An element's part of the sum, as an expression."""
        return x

    def getGradOps(self) -> list[Op]:
        """One."""
        return [ElementLossGradOp(self, 0, graphcoreId(f"{self.opid.type}Grad"))]


class L1Op(ElementLossOp):
    """lambda times the absolute value."""

    lambda_: float

    def scale(self) -> float:
        """lambda."""
        return self.lambda_

    def each(self, x: Any) -> Any:
        """The absolute value."""
        return pe.Abs(x)


class IdentityLossOp(ElementLossOp):
    """The input itself, reduced."""


class ElementLossGradOp(InputGradOp):
    """g, broadcast, times the factor and, for L1, the sign of the input, which is 0 at 0."""

    def __init__(self, fwdOp: ElementLossOp, index: int, opid: OperatorIdentifier) -> None:
        super().__init__(fwdOp, index, opid)
        self.factor = fwdOp.factor()
        self.isSigned = isinstance(fwdOp, L1Op)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The loss's gradient and, where its sign counts, the input."""
        given = [GradInOutMapper(0, 0, GRAD)]
        return [*given, GradInOutMapper(1, 0, IN)] if self.isSigned else given


class NllOpx(Opx):
    """One library call."""

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllLoss."""
        op = self.getOp(NllOp)
        p, labels = self.getInTensor(0), self.getInTensor(1)
        loss = ext.nllLoss(self.graph(), p, labels, nllParams(op), prog, self.debugContext())
        self.setOutTensor(0, loss.reshape(self.outShape(0)))


class NllGradOpx(Opx):
    """One library call."""

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllLossGrad."""
        params = nllParams(self.getOp(NllGradOp))
        operands = [self.getInTensor(i) for i in range(3)]
        self.setOutTensor(
            0, ext.nllLossGrad(self.graph(), *operands, params, prog, self.debugContext())
        )


class SoftmaxGradDirectOpx(Opx):
    """One library call."""

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllSoftmaxGrad."""
        params = nllParams(self.getOp(SoftmaxGradDirectOp))
        operands = [self.getInTensor(i) for i in range(3)]
        self.setOutTensor(
            0, ext.nllSoftmaxGrad(self.graph(), *operands, params, prog, self.debugContext())
        )


class ElementLossOpx(Opx):
    """Both element-wise losses and their gradients."""

    def mapped(self, tree: Any, operands: Sequence[Tensor], prog: program.Sequence) -> Tensor:
        """One map in float, or in double; the result is of the type of output 0."""
        kind = popType(self.outInfo(0))
        if kind != poplar.DOUBLE:
            tree = pe.Cast(tree, kind)
        return popops.map(self.graph(), tree, list(operands), prog, self.debugContext())

    def operand(self, i: int, t: Tensor) -> Any:
        """`t`, the operand at index `i`, as that map sees it."""
        place = pe.PlaceHolder(i + 1)
        return place if t.elementType() == poplar.DOUBLE else pe.Cast(place, poplar.FLOAT)

    def grow(self, prog: program.Sequence) -> None:
        """One map over the elements, or their sum and one map over that."""
        op, t = self.getOp(ElementLossOp), self.getInTensor(0)
        factor = pe.Const(op.factor())
        if op.reductionType() is ReductionType.NoReduction:
            tree = pe.Mul(op.each(self.operand(0, t)), factor)
            self.setOutTensor(0, self.mapped(tree, [t], prog))
            return
        wide = poplar.DOUBLE if t.elementType() == poplar.DOUBLE else poplar.FLOAT
        each = op.each(pe._1)
        if each is not pe._1:
            t = popops.map(self.graph(), each, [t], prog, self.debugContext("each"))
        params = popops.ReduceParams(popops.Operation.ADD)
        total = popops.reduce(
            self.graph(), t.flatten(), wide, [0], params, prog, self.debugContext("reduce")
        )
        tree = pe.Mul(self.operand(0, total), factor)
        self.setOutTensor(0, self.mapped(tree, [total.reshape([])], prog))


class ElementLossGradOpx(ElementLossOpx):
    """Both element-wise gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """One map over g, broadcast, and the input."""
        op = self.getOp(ElementLossGradOp)
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        places = [self.operand(i, t) for i, t in enumerate(operands)]
        tree = pe.Mul(places[0], pe.Const(op.factor))
        if op.isSigned:
            tree = pe.Mul(tree, pe.Signum(places[1]))
        operands[0] = broadcastTo(operands[0], self.outShape(0))
        self.setOutTensor(0, self.mapped(tree, operands, prog))


for _name, _op, _opx in (
    ("Nll", NllOp, NllOpx),
    ("L1", L1Op, ElementLossOpx),
    ("IdentityLoss", IdentityLossOp, ElementLossOpx),
):
    OpCreator(_op, [graphcoreId(_name)])
    OpxCreator(_opx, graphcoreId(_name))
OpxCreator(NllGradOpx, NllGradOp.opid)
OpxCreator(ElementLossGradOpx, [graphcoreId("L1Grad"), graphcoreId("IdentityLossGrad")])
OpCreator(SoftmaxGradDirectOp, [graphcoreId("SoftmaxGradDirect")], isPublic=False)
OpxCreator(SoftmaxGradDirectOpx, graphcoreId("SoftmaxGradDirect"))
