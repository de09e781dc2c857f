"""OpToIdentity: replaces operators that return their first input by an Identity."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import constraint, remove_dead, replace


class OpToIdentity(Rewrite):
    """Replaces operators with `canBeReplacedByIdentity()`: a Reshape to the same shape, a Concat of
    one tensor, an inactive Dropout.
    """

    def pattern(self, op: Op) -> bool:
        """Whether `op` can be replaced by an Identity and is none yet."""
        if type(op).canBeReplacedByIdentity is Op.canBeReplacedByIdentity:
            return False
        return op.opid.type != "Identity" and op.canBeReplacedByIdentity()

    def check(self, op: Op) -> str | None:
        """Other outputs must be unused, and the operator must have no side effects."""
        if not (op.hasInput(0) and op.hasOutput(0)):
            return "it has no input 0, or no output 0"
        used = [t.id for i, t in op.output.items() if i and (t.uses or t.id in self.kept)]
        if used:
            return f"its output '{used[0]}' is used too"
        if op.inInfo(0) != op.outInfo(0):
            return f"input 0 is {op.inInfo(0)}, output 0 {op.outInfo(0)}"
        if op.hasSideEffect() or any(map(op.modifies, op.input)):
            return "it has a side effect, or writes an input"
        return constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: output 0 stays."""
        return []

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by an Identity of input 0, and removes what nothing else reads."""
        dropped = [tensor for i, tensor in op.input.items() if i]
        for i in [i for i in op.output if i]:
            tensor = op.outTensor(i)
            op.disconnectOutTensor(i)
            op.graph.removeTensor(tensor.id)
        replace(op, ("ai.onnx", "Identity", 13), [op.inId(0)])
        remove_dead(dropped, self.kept)


PatternCreator(OpToIdentity, "OpToIdentity", source="built in")
