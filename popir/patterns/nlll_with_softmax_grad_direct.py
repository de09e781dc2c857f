"""NlllWithSoftMaxGradDirect: computes the nll of a softmax from the softmax's input.

A probability that rounds to 0 or 1 has lost the information that the loss and its gradient depend
on: the gradient through it is 0. The logarithm of the softmax keeps it. PopART's pattern of this
name merges the loss and its gradient into one operator, with a loss limited to -log(1e-7).
"""

from __future__ import annotations

from popir.autodiff import getGradId
from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import RESHAPES, constraint, is_built_in, make, replace


class NlllWithSoftMaxGradDirect(Rewrite):
    """`Nll(Softmax(x))` becomes `Nll(LogSoftmax(x))` with log probabilities. The softmax stays if
    it has other readers.
    """

    types = frozenset({"Nll"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` is an Nll of probabilities from a Softmax, with possible reshapes
        between.
        """
        return (
            is_built_in(op, "Nll")
            and not op.attributes.get("inputIsLogProbability")
            and is_built_in(_before_reshapes(op.inTensor(0)).producer, "Softmax")
        )

    def check(self, op: Op) -> str | None:
        """The softmax must be over the classes of the loss, and the gradient of the probabilities
        must not be an anchor.
        """
        shown = _before_reshapes(op.inTensor(0))
        softmax = shown.getProducer()
        if why := not_over_classes(softmax, shown.info.shape() if shown.info else []):
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
        """No tensors: probabilities and loss stay."""
        return []

    def rewrite(self, op: Op) -> None:
        """Makes the loss read a LogSoftmax; all losses of a softmax share one."""
        shown = _before_reshapes(op.inTensor(0))
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
            is_twin = is_built_in(reader, "LogSoftmax") and reader.attributes == softmax.attributes
            if is_twin and reader.opid.version == softmax.opid.version:
                return reader.outId(0)
        id = softmax.graph.uniqueId(f"{softmax.outId(0)}/log")
        opid = ("ai.onnx", "LogSoftmax", softmax.opid.version)
        return make(softmax, opid, [given.id], id, softmax.attributes).outId(0)


def not_over_classes(softmax: Op, shape: list[int]) -> str | None:
    """The reason if the rows of a softmax of that shape, or of its gradient, are not the last
    dimension; else None.
    """
    axis, is_flat = getattr(softmax, "rows")()  # noqa: B009
    rows = shape[axis:] if is_flat else shape[axis : axis + 1]
    is_last = axis == len(shape) - 1 or (is_flat and all(d == 1 for d in rows[:-1]))
    if is_last:
        return None
    over = f"all dimensions from {axis} on" if is_flat else f"axis {axis}"
    return f"the softmax is over {over} of {shape}; the classes of the loss are the last dimension"


def _before_reshapes(tensor: Tensor) -> Tensor:
    while tensor.producer is not None and is_built_in(tensor.producer, *RESHAPES, "Identity"):
        tensor = tensor.producer.inTensor(0)
    return tensor


PatternCreator(NlllWithSoftMaxGradDirect, "NlllWithSoftMaxGradDirect", source="built in")
