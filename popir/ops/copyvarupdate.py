"""CopyVarUpdate: a variable that takes over the value of another tensor. Running statistics are
kept by it.
"""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.identifiers import graphcoreId
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator

VAR, VALUE = 0, 1


class CopyVarUpdateOp(Op):
    """Input 0 is the variable, input 1 its new value; the output is the variable afterwards."""

    variableInputs = frozenset({VAR})

    def setup(self) -> None:
        """Like the variable. Raises OperatorInputError where the value is not."""
        if self.inInfo(VALUE) != self.inInfo(VAR):
            raise OperatorInputError(
                f"{self.debugName()}: the variable '{self.inId(VAR)}' is {self.inInfo(VAR)}; its "
                f"new value is {self.inInfo(VALUE)}. Both must have one type and shape."
            )
        self.setOutInfo(0, self.inInfo(VAR))

    def modifies(self, inIndex: int) -> bool:
        """The variable."""
        return inIndex == VAR

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output is the variable."""
        return inIndex == VAR

    def hasSideEffect(self) -> bool:
        """It changes a variable."""
        return True


class CopyVarUpdateOpx(Opx):
    """One copy."""

    def grow(self, prog: program.Sequence) -> None:
        """From the value to the variable."""
        variable = self.getInTensor(VAR)
        prog.add(program.Copy(self.getInTensor(VALUE), variable, self.debugContext()))
        self.setOutTensor(0, variable)


_ID = graphcoreId("CopyVarUpdate")
OpCreator(CopyVarUpdateOp, [_ID])
OpxCreator(CopyVarUpdateOpx, [_ID])
