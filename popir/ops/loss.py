"""PopART's losses: nllloss, l1loss, identityloss. Each ends in a reduction: mean, sum or none."""

from __future__ import annotations

from popir import ext, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId
from popir.ops.shapes import broadcastTo
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, ReductionType, TensorInfo

_INTEGERS = {DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64}


class LossOp(Op):
    """Base of the losses."""

    reduction: str

    def reductionType(self) -> ReductionType:
        """The attribute as a ReductionType. Raises OperatorAttributeError if it is none."""
        try:
            return ReductionType(self.reduction)
        except ValueError:
            names = ", ".join(member.value for member in ReductionType)
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'reduction' is {self.reduction!r}; expected is "
                f"one of {names}."
            ) from None

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
        if probabilities.shape()[:-1] != labels.shape() or labels.dataType() not in _INTEGERS:
            raise OperatorInputError(
                f"{self.debugName()}: probabilities are {probabilities}, labels {labels}; "
                "expected are [samples..., classes] and integer labels [samples...]."
            )
        return labels.shape()

    def nllParams(self) -> ext.NllParams:
        """The loss in the device library's terms."""
        params = ext.NllParams()
        reduction = self.reductionType().value
        params.reduction = ext.LossReduction.__members__[reduction.replace("NoReduction", "None")]
        params.inputIsLogProbability = bool(self.inputIsLogProbability)
        params.hasIgnoreIndex = self.ignoreIndex is not None
        params.ignoreIndex = self.ignoreIndex or 0
        return params

    def getGradOps(self) -> list[Op]:
        """With respect to the probabilities."""
        return [NllGradOp(self)]


class NllGradOp(InputGradOp):
    """From the loss's gradient, the probabilities and the labels."""

    opid = graphcoreId("NllGrad")
    reads = [(GRAD, 0), (IN, 0), (IN, 1)]

    def __init__(self, fwdOp: NllOp) -> None:
        super().__init__(fwdOp)
        self.params = fwdOp.nllParams()


class L1Op(LossOp):
    """lambda times the absolute value."""

    lambda_: float

    def getGradOps(self) -> list[Op]:
        """One."""
        return [L1GradOp(self)]


class IdentityLossOp(LossOp):
    """The input itself, reduced."""

    def getGradOps(self) -> list[Op]:
        """One."""
        return [IdentityLossGradOp(self)]


class ReducedGradOp(InputGradOp):
    """Base of the gradients of the two element-wise losses."""

    def __init__(self, fwdOp: LossOp) -> None:
        super().__init__(fwdOp)
        mean = fwdOp.reductionType() is ReductionType.Mean
        self.scale = 1 / max(self.target().nelms(), 1) if mean else 1.0


class L1GradOp(ReducedGradOp):
    """g, broadcast, times lambda and the sign of the input."""

    opid = graphcoreId("L1Grad")
    reads = [(GRAD, 0), (IN, 0)]
    lambda_: float


class IdentityLossGradOp(ReducedGradOp):
    """g, broadcast."""

    opid = graphcoreId("IdentityLossGrad")


class NllOpx(Opx):
    """One library call."""

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllLoss."""
        op = self.getOp(NllOp)
        p, labels = self.getInTensor(0), self.getInTensor(1)
        loss = ext.nllLoss(self.graph(), p, labels, op.nllParams(), prog, self.debugContext())
        self.setOutTensor(0, loss.reshape(self.outShape(0)))


class NllGradOpx(Opx):
    """One library call."""

    def grow(self, prog: program.Sequence) -> None:
        """ext.nllLossGrad."""
        params = self.getOp(NllGradOp).params
        operands = [self.getInTensor(i) for i in range(3)]
        self.setOutTensor(
            0, ext.nllLossGrad(self.graph(), *operands, params, prog, self.debugContext())
        )


class ReducingOpx(Opx):
    """Base of the other two: reduces what the subclass computes."""

    def values(self, prog: program.Sequence) -> Tensor:
        """The loss of each element; a tensor of its own where it is not reduced."""
        raise NotImplementedError

    def grow(self, prog: program.Sequence) -> None:
        """A sum over all, and for the mean a factor."""
        op = self.getOp(LossOp)
        values, reduction = self.values(prog), op.reductionType()
        if reduction is ReductionType.NoReduction:
            self.setOutTensor(0, values)
            return
        params = popops.ReduceParams(popops.Operation.ADD)
        total = popops.reduce(
            self.graph(), values.flatten(), [0], params, prog, self.debugContext("reduce")
        )
        if reduction is ReductionType.Mean:
            factor = pe.Const(1 / max(values.numElements(), 1))
            popops.mapInPlace(
                self.graph(), pe.Mul(pe._1, factor), [total], prog, self.debugContext("mean")
            )
        self.setOutTensor(0, total.reshape([]))


class L1Opx(ReducingOpx):
    """lambda |x|."""

    def values(self, prog: program.Sequence) -> Tensor:
        """One map."""
        expression = pe.Mul(pe.Abs(pe._1), pe.Const(self.getOp(L1Op).lambda_))
        return popops.map(
            self.graph(), expression, [self.getInTensor(0)], prog, self.debugContext()
        )


class IdentityLossOpx(ReducingOpx):
    """x."""

    def values(self, prog: program.Sequence) -> Tensor:
        """The input, or where it is not reduced a copy."""
        reduces = self.getOp(IdentityLossOp).reductionType() is not ReductionType.NoReduction
        given = self.getInTensor(0)
        return given if reduces else self.cloneNcopy(prog, given)


class ReducedGradOpx(Opx):
    """Both element-wise gradients."""

    def grow(self, prog: program.Sequence) -> None:
        """One map over g, broadcast, and the input."""
        op = self.getOp(ReducedGradOp)
        operands = [broadcastTo(self.getInTensor(0), self.outShape(0))]
        expression = pe.Mul(pe._1, pe.Const(op.scale))
        if isinstance(op, L1GradOp):
            operands.append(self.getInTensor(1))
            expression = pe.Mul(pe._1, pe.Mul(pe.Signum(pe._2), pe.Const(op.scale * op.lambda_)))
        self.setOutTensor(
            0, popops.map(self.graph(), expression, operands, prog, self.debugContext())
        )


for _name, _op, _opx in (
    ("Nll", NllOp, NllOpx),
    ("L1", L1Op, L1Opx),
    ("IdentityLoss", IdentityLossOp, IdentityLossOpx),
):
    OpCreator(_op, [graphcoreId(_name)])
    OpxCreator(_opx, graphcoreId(_name))
OpxCreator(NllGradOpx, NllGradOp.opid)
OpxCreator(ReducedGradOpx, [L1GradOp.opid, IdentityLossGradOp.opid])
