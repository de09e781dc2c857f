"""NlllWithSoftMaxGradDirect: the nll of a softmax is computed from what is before the softmax.

A probability of 0, or one that rounds to 1, has lost what the loss and its gradient depend on: the
gradient through it is 0. The logarithm of the softmax loses nothing. PopART's pattern of this name
joins the loss and its gradient into one operator, whose loss ends at -log(1e-7).
"""

from __future__ import annotations

from popir.autodiff import getGradId
from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import RESHAPES, constraint, isBuiltIn, make, replace


class NlllWithSoftMaxGradDirect(Rewrite):
    """Nll(Softmax(x)) becomes Nll(LogSoftmax(x)) of log probabilities. The softmax stays if anybody
    else reads it.
    """

    types = frozenset({"Nll"})

    def pattern(self, op: Op) -> bool:
        """An Nll of probabilities that a Softmax made; reshapes may be between."""
        return (
            isBuiltIn(op, "Nll")
            and not op.attributes.get("inputIsLogProbability")
            and isBuiltIn(_beforeReshapes(op.inTensor(0)).producer, "Softmax")
        )

    def check(self, op: Op) -> str | None:
        """The softmax must be over the loss's classes, and nobody ask for its gradient."""
        shown = _beforeReshapes(op.inTensor(0))
        softmax = shown.getProducer()
        if why := notOverClasses(softmax, shown.info.shape() if shown.info else []):
            return why
        if op.inShape(0)[-1:] != softmax.outShape(0)[-1:]:
            return "a reshape between them changes the last dimension, the classes"
        if 0 in op.inShape(0):
            return "there are no samples"
        for id in (op.inId(0), shown.id):
            if getGradId(id) in self.kept:
                return f"'{getGradId(id)}', the gradient of the probabilities, is an anchor"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """Nothing: probabilities and loss stay."""
        return []

    def rewrite(self, op: Op) -> None:
        """One LogSoftmax for all losses of the softmax."""
        shown = _beforeReshapes(op.inTensor(0))
        softmax = shown.getProducer()
        logs = self._logarithms(softmax)
        shape = op.inShape(0)
        if shape != softmax.outShape(0):
            reshaped = op.graph.uniqueId(f"{op.inId(0)}/log")
            make(op, ("ai.graphcore", "Reshape", 1), [logs], reshaped, {"shape": shape})
            logs = reshaped
        attributes = {**op.attributes, "inputIsLogProbability": 1}
        opid = (op.opid.domain, op.opid.type, op.opid.version)
        replace(op, opid, [logs, op.inId(1)], attributes)

    def _logarithms(self, softmax: Op) -> str:
        given = softmax.inTensor(0)
        for reader in given.uses:
            isTwin = isBuiltIn(reader, "LogSoftmax") and reader.attributes == softmax.attributes
            if isTwin and reader.opid.version == softmax.opid.version:
                return reader.outId(0)
        id = softmax.graph.uniqueId(f"{softmax.outId(0)}/log")
        opid = ("ai.onnx", "LogSoftmax", softmax.opid.version)
        return make(softmax, opid, [given.id], id, softmax.attributes).outId(0)


def notOverClasses(softmax: Op, shape: list[int]) -> str | None:
    """Why the rows of a softmax of that shape, or of its gradient, are not the last dimension; None
    if they are.
    """
    axis, isFlat = getattr(softmax, "rows")()  # noqa: B009
    rows = shape[axis:] if isFlat else shape[axis : axis + 1]
    isLast = axis == len(shape) - 1 or (isFlat and all(d == 1 for d in rows[:-1]))
    if isLast:
        return None
    over = f"all dimensions from {axis} on" if isFlat else f"axis {axis}"
    return f"the softmax is over {over} of {shape}; the classes of the loss are the last dimension"


def _beforeReshapes(tensor: Tensor) -> Tensor:
    while tensor.producer is not None and isBuiltIn(tensor.producer, *RESHAPES, "Identity"):
        tensor = tensor.producer.inTensor(0)
    return tensor


PatternCreator(NlllWithSoftMaxGradDirect, "NlllWithSoftMaxGradDirect", source="built in")
