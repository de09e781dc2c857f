"""PostNRepl: an Identity, or a Sum of one tensor, goes; its readers read its input."""

from __future__ import annotations

from popir.ir import Op
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, isBuiltIn

_COPIES = frozenset({"Identity", "Sum"})


class PostNRepl(Rewrite):
    """The input stays and the output goes."""

    types = _COPIES

    def pattern(self, op: Op) -> bool:
        """One that passes on its only input."""
        return isBuiltIn(op, *_COPIES) and op.numInputs() == 1

    def check(self, op: Op) -> str | None:
        """Somebody must read it, or it is not worth it: pruning takes it away."""
        if not op.outTensor(0).uses and op.outId(0) not in self.kept:
            return "nobody reads its output"
        return constraint(op)

    def rewrite(self, op: Op) -> None:
        """Each reader gets the input."""
        given, out = op.inTensor(0), op.outTensor(0)
        for reader in list(out.uses):
            for i in [i for i, t in reader.input.items() if t is out]:
                reader.disconnectInTensor(i)
                reader.connectInTensor(i, given.id)
        op.graph.eraseOp(op.id)
        op.graph.removeTensor(out.id)


PatternCreator(PostNRepl, "PostNRepl", source="built in")
