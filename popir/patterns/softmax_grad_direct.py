"""SoftMaxGradDirect: merges the gradients of an nll and of the softmax before it into one operator.

The result is p - 1 at the label and p elsewhere, which is exact. The separate operators divide by
p, which may be 0, and multiply by it again.
"""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import SUMS, constraint, is_built_in, remove_unread, replace
from popir.patterns.nlll_with_softmax_grad_direct import not_over_classes

_GRADIENTS = frozenset({"SoftmaxGrad", "LogSoftmaxGrad"})


class SoftMaxGradDirect(Rewrite):
    """`SoftmaxGrad(NllGrad(g, p, labels), p)` becomes `SoftmaxGradDirect(g, p, labels)`; likewise
    for LogSoftmaxGrad.
    """

    types = _GRADIENTS

    def pattern(self, op: Op) -> bool:
        """Whether `op` is the gradient of a softmax with an input, or part of a summed input, from
        an NllGrad.
        """
        if not is_built_in(op, *_GRADIENTS):
            return False
        return any(is_built_in(maker, "NllGrad") for maker in _makers(op))

    def check(self, op: Op) -> str | None:
        """The NllGrad must be the only source, for the same probabilities, and over the last
        dimension.
        """
        given = op.inTensor(0)
        maker = given.getProducer()
        if not is_built_in(maker, "NllGrad"):
            return f"'{given.id}' is a sum: the probabilities have other readers than the loss"
        if maker.inTensor(1) is not op.inTensor(1):
            return "the loss is not of the output of this softmax"
        is_log = bool(maker.attributes.get("inputIsLogProbability"))
        if is_log != (op.opid.type == "LogSoftmaxGrad"):
            return "the loss takes logarithms for probabilities, or the other way round"
        if why := not_over_classes(op, op.outShape(0)):
            return why
        if len(given.consumers) > 1:
            return f"'{given.id}' has other readers"
        return constraint(op) or constraint(maker)

    def touches(self, op: Op) -> list[Tensor]:
        """The gradient of the probabilities, which is removed."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by a SoftmaxGradDirect with the inputs of the NllGrad."""
        given = op.inTensor(0)
        maker = given.getProducer()
        inputs = [maker.inId(i) for i in range(3)]
        replace(op, ("ai.graphcore", "SoftmaxGradDirect", 1), inputs, maker.attributes)
        remove_unread(given)


def _makers(op: Op) -> list[Op]:
    """The producer of the gradient and, if that is a sum, the producers of its inputs."""
    maker = op.inTensor(0).producer
    if maker is None:
        return []
    summed = maker.input.values() if is_built_in(maker, *SUMS) else ()
    return [maker, *(t.producer for t in summed if t.producer is not None)]


PatternCreator(SoftMaxGradDirect, "SoftMaxGradDirect", source="built in")
