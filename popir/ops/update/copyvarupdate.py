"""CopyVarUpdate: copies a tensor into a variable, such as the running mean after a batch."""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.variable import VAR, VariableOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator

VALUE = 1


class CopyVarUpdateOp(VariableOp):
    """PopART's CopyVarUpdate, version 1. Input 0 is the variable, input 1 its new value; the output
    is the variable after the update.
    """

    variableInputs = frozenset({VAR})

    def setup(self) -> None:
        """Infers the type and shape of the variable. Raises OperatorInputError if the value
        differs.
        """
        if self.inInfo(VALUE) != self.inInfo(VAR):
            raise OperatorInputError(
                f"{self.debugName()}: the variable '{self.inId(VAR)}' is {self.inInfo(VAR)}; its "
                f"new value is {self.inInfo(VALUE)}. Both must have one type and shape."
            )
        super().setup()


class CopyVarUpdateOpx(Opx):
    """The lowering: one copy into the variable."""

    def grow(self, prog: program.Sequence) -> None:
        """Copies the value into the variable."""
        variable = self.getInTensor(VAR)
        prog.add(program.Copy(self.getInTensor(VALUE), variable, self.debugContext()))
        self.setOutTensor(0, variable)


_ID = graphcore_id("CopyVarUpdate")
OpCreator(CopyVarUpdateOp, [_ID])
OpxCreator(CopyVarUpdateOpx, [_ID])
