"""PreUniRepl: removes a Sum of one tensor; the producer of the input writes the output instead."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, is_built_in


class PreUniRepl(Rewrite):
    """Keeps the output and removes the input. It applies where PostNRepl does not because the
    output is an anchor. PopART's pattern of this name.
    """

    types = frozenset({"Sum"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` is a Sum with one input."""
        return is_built_in(op, "Sum") and op.numInputs() == 1

    def check(self, op: Op) -> str | None:
        """The input must have a producer, and no other readers."""
        given = op.inTensor(0)
        if given.producer is None:
            return f"no operator makes '{given.id}'"
        if len(given.consumers) > 1:
            return f"'{given.id}' has other readers"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """The input tensor, which is removed."""
        return [op.inTensor(0)]

    def rewrite(self, op: Op) -> None:
        """Makes the producer write the output, and removes `op`."""
        given, out = op.inTensor(0), op.outTensor(0)
        maker = given.getProducer()
        index = next(i for i, t in maker.output.items() if t is given)
        op.graph.eraseOp(op.id)
        maker.disconnectOutTensor(index)
        op.graph.removeTensor(given.id)
        maker.connectOutTensor(index, out.id)


PatternCreator(PreUniRepl, "PreUniRepl", source="built in")
