"""ViewSimplify: replaces a reshape of a reshape by one Reshape."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import RESHAPES, constraint, is_built_in, remove_unread, replace


class ViewSimplify(Rewrite):
    """Applies to Reshape, Flatten, Squeeze, Unsqueeze and their gradients. PopART's pattern of this
    name.
    """

    types = RESHAPES

    def pattern(self, op: Op) -> bool:
        """Whether `op` and the producer of its input are reshapes."""
        return is_built_in(op, *RESHAPES) and is_built_in(op.inTensor(0).producer, *RESHAPES)

    def check(self, op: Op) -> str | None:
        """The tensor between them must not be kept and must have no other readers."""
        between = op.inTensor(0)
        if between.id in self.kept:
            return f"'{between.id}' is kept: an anchor, the loss, or an output"
        if len(between.consumers) > 1:
            return f"'{between.id}' has other readers"
        if 0 in op.outShape(0):
            return "it has no elements: a 0 in the shape of a Reshape means something else"
        return constraint(op) or constraint(between.getProducer())

    def touches(self, op: Op) -> list[Tensor]:
        """The tensor between the reshapes, which is removed."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """Replaces both by one Reshape to the last shape."""
        between = op.inTensor(0)
        first = between.getProducer().inId(0)
        replace(op, ("ai.graphcore", "Reshape", 1), [first], {"shape": op.outShape(0)})
        remove_unread(between)


PatternCreator(ViewSimplify, "ViewSimplify", source="built in")
