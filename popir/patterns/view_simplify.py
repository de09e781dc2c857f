"""ViewSimplify: a reshape of a reshape reads what the first one reads."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import RESHAPES, constraint, isBuiltIn, removeUnread, replace


class ViewSimplify(Rewrite):
    """Reshape, Flatten, Squeeze and Unsqueeze, and their gradients."""

    types = RESHAPES

    def pattern(self, op: Op) -> bool:
        """Both are reshapes."""
        return isBuiltIn(op, *RESHAPES) and isBuiltIn(op.inTensor(0).producer, *RESHAPES)

    def check(self, op: Op) -> str | None:
        """The first one must be worth nothing any more."""
        between = op.inTensor(0)
        if between.id in self.kept:
            return f"'{between.id}' is kept: an anchor, the loss, or an output"
        if len(between.consumers) > 1:
            return f"'{between.id}' has other readers"
        if 0 in op.outShape(0):
            return "it has no elements: a 0 in the shape of a Reshape means something else"
        return constraint(op) or constraint(between.getProducer())

    def touches(self, op: Op) -> list[Tensor]:
        """What goes."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """One Reshape to the last shape."""
        between = op.inTensor(0)
        first = between.getProducer().inId(0)
        replace(op, ("ai.graphcore", "Reshape", 1), [first], {"shape": op.outShape(0)})
        removeUnread(between)


PatternCreator(ViewSimplify, "ViewSimplify", source="built in")
