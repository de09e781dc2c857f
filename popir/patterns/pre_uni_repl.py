"""PreUniRepl: a Sum of one tensor goes; what made that tensor makes the sum's."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, isBuiltIn


class PreUniRepl(Rewrite):
    """The output stays and the input goes: it does what PostNRepl does where an anchor is in the
    way.
    """

    types = frozenset({"Sum"})

    def pattern(self, op: Op) -> bool:
        """A Sum of one tensor."""
        return isBuiltIn(op, "Sum") and op.numInputs() == 1

    def check(self, op: Op) -> str | None:
        """An operator must make the tensor, and nobody else read it."""
        given = op.inTensor(0)
        if given.producer is None:
            return f"no operator makes '{given.id}'"
        if len(given.consumers) > 1:
            return f"'{given.id}' has other readers"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """What goes."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """The maker's output becomes the sum's."""
        given, out = op.inTensor(0), op.outTensor(0)
        maker = given.getProducer()
        index = next(i for i, t in maker.output.items() if t is given)
        op.graph.eraseOp(op.id)
        maker.disconnectOutTensor(index)
        op.graph.removeTensor(given.id)
        maker.connectOutTensor(index, out.id)


PatternCreator(PreUniRepl, "PreUniRepl", source="built in")
