"""SoftMaxGradDirect: the gradients of an nll and of the softmax before it are one operator.

It is p - 1 at the label and p elsewhere: exact, where the gradient of -log(p) divides by p, which
may be 0, and the softmax's multiplies by it again.
"""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import SUMS, constraint, isBuiltIn, removeUnread, replace
from popir.patterns.nlll_with_softmax_grad_direct import notOverClasses

_GRADIENTS = frozenset({"SoftmaxGrad", "LogSoftmaxGrad"})


class SoftMaxGradDirect(Rewrite):
    """SoftmaxGrad(NllGrad(g, p, labels), p), and the same of logarithms, becomes
    SoftmaxGradDirect(g, p, labels).
    """

    types = _GRADIENTS

    def pattern(self, op: Op) -> bool:
        """The gradient of a softmax that an nll's gradient flows into, alone or not."""
        if not isBuiltIn(op, *_GRADIENTS):
            return False
        return any(isBuiltIn(maker, "NllGrad") for maker in _makers(op))

    def check(self, op: Op) -> str | None:
        """It must be the only gradient, of the same probabilities, over the last dimension."""
        given = op.inTensor(0)
        maker = given.getProducer()
        if not isBuiltIn(maker, "NllGrad"):
            return f"'{given.id}' is a sum: the probabilities have other readers than the loss"
        if maker.inTensor(1) is not op.inTensor(1):
            return "the loss is not of the output of this softmax"
        isLog = bool(maker.attributes.get("inputIsLogProbability"))
        if isLog != (op.opid.type == "LogSoftmaxGrad"):
            return "the loss takes logarithms for probabilities, or the other way round"
        if why := notOverClasses(op, op.outShape(0)):
            return why
        if len(given.consumers) > 1:
            return f"'{given.id}' has other readers"
        return constraint(op) or constraint(maker)

    def touches(self, op: Op) -> list[Tensor]:
        """The gradient of the probabilities, which goes."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """The loss's gradient, probabilities and labels as the nll's gradient has them."""
        given = op.inTensor(0)
        maker = given.getProducer()
        inputs = [maker.inId(i) for i in range(3)]
        replace(op, ("ai.graphcore", "SoftmaxGradDirect", 1), inputs, maker.attributes)
        removeUnread(given)


def _makers(op: Op) -> list[Op]:
    """What makes the gradient, or what that sums."""
    maker = op.inTensor(0).producer
    if maker is None:
        return []
    summed = maker.input.values() if isBuiltIn(maker, *SUMS) else ()
    return [maker, *(t.producer for t in summed if t.producer is not None)]


PatternCreator(SoftMaxGradDirect, "SoftMaxGradDirect", source="built in")
