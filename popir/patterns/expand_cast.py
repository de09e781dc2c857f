"""ExpandCast: what is expanded and then cast is cast first, while it is small."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, isBuiltIn, make, removeUnread, replace


class ExpandCast(Rewrite):
    """Cast(Expand(x)) becomes Expand(Cast(x))."""

    types = frozenset({"Cast"})

    def pattern(self, op: Op) -> bool:
        """A Cast of what an Expand makes."""
        return isBuiltIn(op, "Cast") and isBuiltIn(op.inTensor(0).producer, "Expand")

    def check(self, op: Op) -> str | None:
        """There must be fewer elements before the Expand, and nobody else to read it."""
        between = op.inTensor(0)
        expand = between.getProducer()
        if expand.inInfo(0).nelms() >= op.outInfo(0).nelms():
            return "the Expand repeats no element"
        if len(between.consumers) > 1:
            return f"'{between.id}' has other readers"
        return constraint(op) or constraint(expand)

    def touches(self, op: Op) -> list[Tensor]:
        """What goes."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """The Cast makes a tensor of its own, the Expand the output."""
        between = op.inTensor(0)
        expand = between.getProducer()
        cast, shape = op.opid, expand.inId(1)
        small = op.graph.uniqueId(f"{expand.inId(0)}/Cast")
        opid = (cast.domain, cast.type, cast.version)
        make(op, opid, [expand.inId(0)], small, op.attributes)
        opid = (expand.opid.domain, expand.opid.type, expand.opid.version)
        replace(op, opid, [small, shape])
        removeUnread(between)


PatternCreator(ExpandCast, "ExpandCast", source="built in")
