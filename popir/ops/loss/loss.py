"""PopART's losses: nllloss, l1loss, identityloss. Each has a reduction: mean, sum or none.

Losses of FLOAT16 and BFLOAT16 are computed and summed in float, and rounded once. docs/losses.md
describes the edge cases: ignored labels, labels that are no class, saturated probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from popir import ext, poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import GradInOutMapper, Op, OperatorIdentifier
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.support.arithmetic import accumulator_of, share
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.second_order import expand_to
from popir.ops.support.shapes import broadcast_to, spaced
from popir.opx import Opx, popType
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, ReductionType, TensorInfo

INTEGERS = {DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64}


def _described(info: TensorInfo) -> str:
    """A type and shape in PopART's form: "FLOAT   [2 3]"."""
    return f"{info.data_type():<8}{spaced(info.shape())}"


_REDUCTIONS = {member.value: member for member in ReductionType}


def reduction_of(op: Op, names: Mapping[str, ReductionType] = _REDUCTIONS) -> ReductionType:
    """The attribute `reduction` as a ReductionType. Raises OperatorAttributeError for an unknown
    name.
    """
    given = op.attributes["reduction"]
    if given not in names:
        raise OperatorAttributeError(
            f"{op.debugName()}: the attribute 'reduction' is {given!r}; expected is one of "
            f"{', '.join(names)}."
        )
    return names[given]


def class_loss_params(
    reduction: ReductionType, is_log_probability: bool, ignored: int | None
) -> ext.NllParams:
    """The parameters of a loss over classes for the library `ext`."""
    params = ext.NllParams()
    name = reduction.value.replace("NoReduction", "None_")
    params.reduction = ext.LossReduction.__members__[name]
    params.inputIsLogProbability = is_log_probability
    params.hasIgnoreIndex = ignored is not None
    params.ignoreIndex = ignored or 0
    return params


class Labels:
    """The labels of a loss over classes, by operators, for a gradient that is decomposed.

    `scale` is the factor of each sample: the loss's gradient times the weight of its class, for a
    mean over the sum of these; 0 for an ignored label, NaN for one that is no class.
    """

    def __init__(
        self,
        on: Decomposer,
        g: IrTensor,
        labels: IrTensor,
        classes: int,
        reduction: ReductionType,
        ignored: int | None,
        weights: IrTensor | None = None,
    ) -> None:
        self._on, self._classes = on, classes
        self.kind = accumulator_of(on.info(g).dataType())
        wide, one = on.cast(labels, DataType.INT64), on.const(1, self.kind)
        valid = on.And(
            on.GreaterOrEqual(wide, on.like(0, wide)), on.Less(wide, on.like(classes, wide))
        )
        self._label = on.Where(valid, wide, on.like(0, wide))
        each = one
        if weights is not None:
            known = on.Gather(on.cast(weights, self.kind), self._label, axis=0)
            each = on.Where(valid, known, one)
        zero, nan = on.const(0, self.kind), on.const(np.nan, self.kind)
        self._ignored = self._is(labels, ignored)
        counted = expand_to(on, on.Where(self._ignored, zero, each), on.shape(labels))
        self._outside = on.Not(on.Or(valid, self._ignored))
        factor = on.Where(self._outside, nan, counted)
        if reduction is ReductionType.Mean:
            n = on.ReduceSum(counted, keepdims=0)
            factor = on.Div(factor, on.Where(on.Equal(n, zero), one, n))
        g = on.cast(g, self.kind)
        if reduction is not ReductionType.NoReduction:
            g = on.reshape(g, [])
        self.scale = on.Where(self._ignored, zero, on.Mul(factor, g))

    def _is(self, labels: IrTensor, ignored: int | None) -> IrTensor:
        on, kind = self._on, self._on.info(labels).dataType().numpy
        if ignored is None:
            return on.const(np.zeros(on.shape(labels), np.bool_))
        return on.Equal(labels, on.const(np.asarray(ignored).astype(kind)))

    def at_label(self, axis: int, value: IrTensor, others: IrTensor) -> IrTensor:
        """`value` at the class of each label, `others` at the other ones, both broadcast; the
        classes are the dimension `axis`. Where a label is no class there is `value` too.
        """
        on, rank = self._on, len(self._on.shape(self._label))
        dims = [self._classes if d == axis else 1 for d in range(rank + 1)]
        number = on.const(np.arange(self._classes).reshape(dims), DataType.INT64)
        label, outside = (self.spread(t, axis) for t in (self._label, self._outside))
        return on.Where(on.Or(on.Equal(label, number), outside), value, others)

    def unless_ignored(self, axis: int, t: IrTensor) -> IrTensor:
        """`t`, with zeros for ignored labels."""
        return self._on.Where(self.spread(self._ignored, axis), self._on.like(0, t), t)

    def spread(self, t: IrTensor, axis: int) -> IrTensor:
        """A tensor of the labels' shape in one that broadcasts to the classes."""
        return self._on.Unsqueeze(t, self._on.ints(axis))


class LossOp(Op):
    """The base class of PopART's losses."""

    reduction: str

    def reduction_type(self) -> ReductionType:
        """The attribute `reduction`. Raises OperatorAttributeError for an unknown name."""
        return reduction_of(self)

    def per_sample(self) -> list[int]:
        """The shape of the loss before it is reduced."""
        return self.inShape(0)

    def dimensionNames(self) -> Dimensions | None:
        """Those of the samples, which the reduction sums up."""
        names, how = list(range(len(self.per_sample()))), self.reduction_type()
        rest = [None] * (self.inRank(0) - len(names))
        is_whole = how is ReductionType.NoReduction
        inputs = {i: [*names, *rest] if i == 0 else names for i in self.input}
        return Dimensions(inputs, {0: names if is_whole else []}, None if is_whole else how)

    def setup(self) -> None:
        """Infers a scalar or, without reduction, one number for each sample, with the type of input
        0. Raises OperatorAttributeError for an unknown reduction.
        """
        whole = self.reduction_type() is ReductionType.NoReduction
        self.setOutInfo(
            0, TensorInfo(self.inInfo(0).dataType(), self.per_sample() if whole else [])
        )


class NllOp(LossOp):
    """PopART's Nll (`builder.aiGraphcore.nllloss`): the negative log likelihood of labels.

    Inputs: probabilities [samples..., classes], or log probabilities with inputIsLogProbability;
    labels [samples...] of an integer type. Samples with the label ignoreIndex are ignored.
    """

    ignoreIndex: int | None
    inputIsLogProbability: int | None

    def per_sample(self) -> list[int]:
        """The shape of the labels. Raises OperatorInputError if it does not fit the
        probabilities.
        """
        probabilities, labels = self.inInfo(0), self.inInfo(1)
        if probabilities.shape()[:-1] != labels.shape() or labels.dataType() not in INTEGERS:
            raise OperatorInputError(
                f"{self.debugName()}: probabilities are {probabilities}, labels {labels}; "
                "expected are [samples..., classes] and integer labels [samples...].",
                popart=f"The label tensor ({_described(labels)}) must have shape "
                f"{spaced(probabilities.shape()[:-1])} to match all but the final dimension of the "
                f"probabilities tensor ({_described(probabilities)})",
            )
        return labels.shape()

    def dimensionNames(self) -> Dimensions | None:
        """Those of the samples; none for a mean over those that are not ignored."""
        is_mean = self.reduction_type() is ReductionType.Mean
        return None if is_mean and self.ignoreIndex is not None else super().dimensionNames()

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the probabilities."""
        return [NllGradOp(self)]


class NllGradOp(InputGradOp):
    """The gradient of the probabilities. Inputs: the loss's gradient, probabilities, labels."""

    opid = graphcore_id("NllGrad")
    reads = [(GRAD, 0), (IN, 0), (IN, 1)]
    reduction: str
    ignoreIndex: int | None
    inputIsLogProbability: int | None

    def decompose(self, on: Decomposer, g: IrTensor, p: IrTensor, labels: IrTensor) -> IrTensor:
        """-g, or -g over the probability, at each label."""
        is_log = bool(self.inputIsLogProbability)
        return nll_gradient(on, g, p, labels, reduction_of(self), self.ignoreIndex, is_log)


def nll_gradient(
    on: Decomposer,
    g: IrTensor,
    p: IrTensor,
    labels: IrTensor,
    reduction: ReductionType,
    ignored: int | None,
    is_log: bool,
) -> IrTensor:
    """The gradient of (log) probabilities `p`: -g, or -g over the probability, at each label."""
    shape, axis = on.shape(p), len(on.shape(labels))
    of = Labels(on, g, labels, shape[axis], reduction, ignored)
    found = on.Neg(of.spread(of.scale, axis))
    if not is_log:
        # The least probability is that of the gradient's own lowering.
        least = 6.104e-5 if on.info(p).dataType() is DataType.FLOAT16 else 1e-10
        found = on.Div(found, on.Max(on.cast(p, of.kind), on.const(least, of.kind)))
    found = of.at_label(axis, found, on.const(0, of.kind))
    return of.unless_ignored(axis, expand_to(on, found, shape))


class SoftmaxGradDirectOp(NllOp):
    """The gradient of an Nll with respect to the input of the softmax before it: g (softmax(x) -
    oneHot(label)).

    Inputs: the loss's gradient, probabilities or log probabilities, labels. The pattern
    SoftMaxGradDirect makes it from two gradient operators.
    """

    def setup(self) -> None:
        """Infers the type and shape of the probabilities."""
        self.setOutInfo(0, self.inInfo(1))

    def getGradOps(self) -> list[Op]:
        """No gradient operators: this is a gradient itself."""
        return []


def nll_params(op: NllOp | NllGradOp) -> ext.NllParams:
    """The parameters of the loss for the library `ext`, from the attributes of Nll."""
    return class_loss_params(reduction_of(op), bool(op.inputIsLogProbability), op.ignoreIndex)


class ElementLossOp(LossOp):
    """The base class of losses that are a sum over all elements, times a factor."""

    def scale(self) -> float:
        """The factor for a sum; 1 by default."""
        return 1.0

    def factor(self) -> float:
        """The factor; for a mean, divided by the number of elements."""
        is_mean = self.reduction_type() is ReductionType.Mean
        return self.scale() * (share(self.inInfo(0).nelms()) if is_mean else 1)

    def each(self, x: Any) -> Any:
        """The term of an element `x` in the sum, as a popops expression; `x` itself by default."""
        return x

    def getGradOps(self) -> list[Op]:
        """One gradient operator, for the input."""
        return [ElementLossGradOp(self, 0, graphcore_id(f"{self.opid.type}Grad"))]


class L1Op(ElementLossOp):
    """PopART's L1 (`builder.aiGraphcore.l1loss`): the sum of absolute values, or their mean, times
    lambda; without reduction, each absolute value times lambda.
    """

    lambda_: float

    def scale(self) -> float:
        """The attribute `lambda`, which is `lambda_` in Python."""
        return self.lambda_

    def each(self, x: Any) -> Any:
        """The absolute value of `x`."""
        return pe.Abs(x)


class IdentityLossOp(ElementLossOp):
    """PopART's IdentityLoss (`builder.aiGraphcore.identityloss`): the sum, or mean, of the input;
    without reduction, the input itself. Integers have a sum, which wraps, and no mean.
    """

    def setup(self) -> None:
        """Infers as `LossOp` does. Raises OperatorAttributeError for the mean of integers."""
        super().setup()
        is_mean = self.reduction_type() is ReductionType.Mean
        if is_mean and self.inInfo(0).dataType() is DataType.INT32 and self.inInfo(0).nelms() != 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: the reduction of {self.inInfo(0)} is 'Mean', which is no "
                "integer; expected is 'Sum' or 'NoReduction'."
            )

    def canBeReplacedByIdentity(self) -> bool:
        """Whether there is nothing to reduce: no reduction, or a scalar."""
        return self.inInfo(0) == self.outInfo(0)


class ElementLossGradOp(InputGradOp):
    """g, broadcast, times the factor and, for L1, the sign of the input (0 at 0)."""

    def __init__(self, fwdOp: ElementLossOp, index: int, opid: OperatorIdentifier) -> None:
        super().__init__(fwdOp, index, opid)
        self.factor = fwdOp.factor()
        self.is_signed = isinstance(fwdOp, L1Op)

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor | None = None) -> IrTensor:
        """g, broadcast, times the factor and the sign, by operators."""
        each = on.Mul(g, on.like(self.factor, g))
        if x is not None:
            each = on.Mul(each, on.Sign(x))
        return expand_to(on, each, self.target().shape())

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The loss's gradient and, for L1, the input."""
        given = [GradInOutMapper(0, 0, GRAD)]
        return [*given, GradInOutMapper(1, 0, IN)] if self.is_signed else given


class NllOpx(Opx):
    """The lowering of Nll: one library call."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::nllLoss with the probabilities and the labels."""
        op = self.getOp(NllOp)
        p, labels = self.getInTensor(0), self.getInTensor(1)
        loss = ext.nllLoss(self.graph(), p, labels, nll_params(op), prog, self.debugContext())
        self.setOutTensor(0, loss.reshape(self.outShape(0)))


class NllGradOpx(Opx):
    """The lowering of the gradient of Nll: one library call."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::nllLossGrad with the loss's gradient, probabilities and labels."""
        params = nll_params(self.getOp(NllGradOp))
        g, p, labels = (self.getInTensor(i) for i in range(3))
        self.setOutTensor(
            0, ext.nllLossGrad(self.graph(), g, p, labels, params, prog, self.debugContext())
        )


class SoftmaxGradDirectOpx(Opx):
    """The lowering of SoftmaxGradDirect: one library call."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls ext::nllSoftmaxGrad with the loss's gradient, probabilities and labels."""
        params = nll_params(self.getOp(SoftmaxGradDirectOp))
        g, p, labels = (self.getInTensor(i) for i in range(3))
        self.setOutTensor(
            0, ext.nllSoftmaxGrad(self.graph(), g, p, labels, params, prog, self.debugContext())
        )


class ElementLossOpx(Opx):
    """The lowering of L1 and IdentityLoss, and a base class for that of their gradients."""

    def mapped(self, tree: Any, operands: Sequence[Tensor], prog: program.Sequence) -> Tensor:
        """The value of `tree`, computed in float or double and rounded to the type of output 0."""
        kind = popType(self.outInfo(0))
        if kind != poplar.DOUBLE:
            tree = pe.Cast(tree, kind)
        return popops.map(self.graph(), tree, list(operands), prog, self.debugContext())

    def operand(self, i: int, t: Tensor) -> Any:
        """The operand at index `i`, the tensor `t`, in a tree of `mapped`: FLOAT or DOUBLE."""
        place = pe.PlaceHolder(i + 1)
        return place if t.elementType() == poplar.DOUBLE else pe.Cast(place, poplar.FLOAT)

    def grow(self, prog: program.Sequence) -> None:
        """Adds one map without a reduction, else a sum and one map for the factor, which is a
        constant on a tile, as PopART's.
        """
        op, t = self.getOp(ElementLossOp), self.getInTensor(0)
        if t.elementType() == poplar.INT:
            self._grow_integers(op, t, prog)
            return
        wide = poplar.DOUBLE if t.elementType() == poplar.DOUBLE else poplar.FLOAT
        factor = self.getConst(wide, [], op.factor(), "scale")
        if op.reduction_type() is ReductionType.NoReduction:
            tree = pe.Mul(op.each(self.operand(0, t)), pe._2)
            self.setOutTensor(0, self.mapped(tree, [t, factor], prog))
            return
        each = op.each(pe._1)
        if each is not pe._1:
            t = popops.map(self.graph(), each, [t], prog, self.debugContext("each"))
        params = popops.ReduceParams(popops.Operation.ADD)
        total = popops.reduce(
            self.graph(), t.flatten(), wide, [0], params, prog, self.debugContext("reduce")
        )
        tree = pe.Mul(self.operand(0, total), pe._2)
        self.setOutTensor(0, self.mapped(tree, [total.reshape([]), factor], prog))

    def _grow_integers(self, op: ElementLossOp, t: Tensor, prog: program.Sequence) -> None:
        """The sum in integers, whose factor is 1."""
        if op.reduction_type() is ReductionType.NoReduction:
            self.setOutTensor(0, self.cloneNcopy(prog, t))
            return
        params = popops.ReduceParams(popops.Operation.ADD)
        context = self.debugContext("reduce")
        total = popops.reduce(self.graph(), t.flatten(), poplar.INT, [0], params, prog, context)
        self.setOutTensor(0, total.reshape([]))


class ElementLossGradOpx(ElementLossOpx):
    """The lowering of the gradients of L1 and IdentityLoss."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds one map over g, broadcast, and the input. L1's factor is a constant on a tile, as
        PopART's.
        """
        op = self.getOp(ElementLossGradOp)
        operands = [self.getInTensor(i) for i in sorted(op.input)]
        if operands[0].elementType() == poplar.INT:
            self.setOutTensor(0, self.cloneNcopy(prog, broadcast_to(operands[0], self.outShape(0))))
            return
        places = [self.operand(i, t) for i, t in enumerate(operands)]
        if op.is_signed:
            wide = poplar.DOUBLE if operands[0].elementType() == poplar.DOUBLE else poplar.FLOAT
            factor = self.getConst(wide, [], op.factor, "scale")
            tree = pe.Mul(
                pe.Mul(places[0], pe.PlaceHolder(len(operands) + 1)), pe.Signum(places[1])
            )
            operands.append(factor)
        else:
            tree = pe.Mul(places[0], pe.Const(op.factor))
        operands[0] = broadcast_to(operands[0], self.outShape(0))
        self.setOutTensor(0, self.mapped(tree, operands, prog))


for _name, _op, _opx in (
    ("Nll", NllOp, NllOpx),
    ("L1", L1Op, ElementLossOpx),
    ("IdentityLoss", IdentityLossOp, ElementLossOpx),
):
    OpCreator(_op, [graphcore_id(_name)])
    OpxCreator(_opx, graphcore_id(_name))
OpxCreator(NllGradOpx, NllGradOp.opid)
OpxCreator(ElementLossGradOpx, [graphcore_id("L1Grad"), graphcore_id("IdentityLossGrad")])
OpCreator(SoftmaxGradDirectOp, [graphcore_id("SoftmaxGradDirect")], isPublic=False)
OpxCreator(SoftmaxGradDirectOpx, graphcore_id("SoftmaxGradDirect"))
