"""ExpandCast: casts before expanding, while the tensor is small."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, is_built_in, make, remove_unread, replace


class ExpandCast(Rewrite):
    """Replaces `Cast(Expand(x))` by `Expand(Cast(x))`. PopART's pattern of this name."""

    types = frozenset({"Cast"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` is a Cast of the output of an Expand."""
        return is_built_in(op, "Cast") and is_built_in(op.inTensor(0).producer, "Expand")

    def check(self, op: Op) -> str | None:
        """The Expand must enlarge the tensor, and its output must have no other readers."""
        between = op.inTensor(0)
        expand = between.getProducer()
        if expand.inInfo(0).nelms() >= op.outInfo(0).nelms():
            return "the Expand repeats no element"
        if len(between.consumers) > 1:
            return f"'{between.id}' has other readers"
        return constraint(op) or constraint(expand)

    def touches(self, op: Op) -> list[Tensor]:
        """The output of the Expand, which is removed."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """Adds the Cast of x, and replaces `op` by the Expand."""
        between = op.inTensor(0)
        expand = between.getProducer()
        cast, shape = op.opid, expand.inId(1)
        small = op.graph.uniqueId(f"{expand.inId(0)}/Cast")
        opid = (cast.domain, cast.type, cast.version)
        make(op, opid, [expand.inId(0)], small, op.attributes)
        opid = (expand.opid.domain, expand.opid.type, expand.opid.version)
        replace(op, opid, [small, shape])
        remove_unread(between)


PatternCreator(ExpandCast, "ExpandCast", source="built in")
