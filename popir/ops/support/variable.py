"""The base of operators that write a variable: `VariableOp`."""

from __future__ import annotations

from popir.ir import Op, Tensor, TensorType
from popir.ir.schedule import modified
from popir.ops.support.decomposition import Decomposer

VAR = 0
"""The input that is the variable."""


class VariableOp(Op):
    """An operator that writes input 0, a variable. The output is the variable after that."""

    def setup(self) -> None:
        """Infers the type and shape of the variable."""
        self.setOutInfo(0, self.inInfo(VAR))

    def modifies(self, inIndex: int) -> bool:
        """The variable is modified."""
        return inIndex == VAR

    def modified_inputs(self) -> list[int]:
        """The variable is modified."""
        return [VAR] if VAR in self.input else []

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the variable itself."""
        return inIndex == VAR and outIndex == 0

    def hasSideEffect(self) -> bool:
        """True: it changes a variable."""
        return True


def as_left(tensor: Tensor) -> Tensor | None:
    """A variable, or an input of a called graph, as the last operator so far that writes it leaves
    it; None for a tensor that is neither, such as an activation.
    """
    origin = tensor
    while (before := modified(origin)) is not None:
        origin = before
    if origin.producer is not None or origin.tensorType not in _KEPT:
        return None
    last = origin
    while made := [t for op in last.uses for t in op.output.values() if modified(t) is last]:
        last = made[-1]
    return last


_KEPT = (TensorType.Variable, TensorType.ActGrad)


def keep(on: Decomposer, variable: Tensor, value: Tensor) -> None:
    """Adds a CopyVarUpdate: what a called graph has made of its copy of a variable."""
    on.add("ai.graphcore", "CopyVarUpdate", 1, [variable, value], 1, {})
