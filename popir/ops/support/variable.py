"""The base of operators that write a variable: `VariableOp`."""

from __future__ import annotations

from popir.ir import Op

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

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the variable itself."""
        return inIndex == VAR and outIndex == 0

    def hasSideEffect(self) -> bool:
        """True: it changes a variable."""
        return True
