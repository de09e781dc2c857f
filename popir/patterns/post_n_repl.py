"""PostNRepl: removes an Identity, or a Sum of one tensor; its readers read the input instead."""

from __future__ import annotations

from popir.ir import Op
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, is_built_in

_COPIES = frozenset({"Identity", "Sum"})


class PostNRepl(Rewrite):
    """Keeps the input and removes the output. PopART's pattern of this name."""

    types = _COPIES

    def pattern(self, op: Op) -> bool:
        """Whether `op` is an Identity or a Sum with one input."""
        return is_built_in(op, *_COPIES) and op.numInputs() == 1

    def check(self, op: Op) -> str | None:
        """The output must have readers; otherwise pruning removes the operator."""
        if not op.outTensor(0).uses and op.outId(0) not in self.kept:
            return "nobody reads its output"
        return constraint(op)

    def rewrite(self, op: Op) -> None:
        """Connects the readers to the input, and removes `op` with its output."""
        given, out = op.inTensor(0), op.outTensor(0)
        for reader in list(out.uses):
            for i in [i for i, t in reader.input.items() if t is out]:
                reader.disconnectInTensor(i)
                reader.connectInTensor(i, given.id)
        op.graph.eraseOp(op.id)
        op.graph.removeTensor(out.id)


PatternCreator(PostNRepl, "PostNRepl", source="built in")
