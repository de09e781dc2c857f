"""Abort: ends a run with an error. `AbortWithOp` does so for other operators, with their words."""

from __future__ import annotations

from popir import ext, poplar, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.support.identifiers import graphcore_id
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator

ABORT, ABORT_WITH = graphcore_id("Abort"), graphcore_id("AbortWith")


class AbortOp(Op):
    """PopART's Abort (`builder.aiGraphcore.abort`): ends the run with an error if the condition,
    one number, is not 0; always without a condition. It has no output.

    What the program has written until then stays written, and the session may run again.
    """

    def setup(self) -> None:
        """Raises OperatorInputError for a condition of several elements."""
        if self.hasInput(0) and self.inInfo(0).nelms() != 1:
            raise OperatorInputError(
                f"{self.debugName()}: the condition is {self.inInfo(0)}; expected is one number."
            )

    def hasSideEffect(self) -> bool:
        """True: it may end the run."""
        return True

    def words(self) -> str:
        """What the error says."""
        why = f" The condition, '{self.inId(0)}', is not 0." if self.hasInput(0) else ""
        name = f" '{self.name()}'" if self.name() else ""
        return f"The run was ended by {self.opid}{name}.{why}"


class AbortWithOp(AbortOp):
    """The same for a condition of any shape: an error with `text` if an element is not 0."""

    text: str

    def setup(self) -> None:
        """There is nothing to infer."""

    def words(self) -> str:
        """`text` as it is."""
        return self.text


class AbortOpx(Opx):
    """The lowering: a step that ends the program."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds a comparison with 0 where the condition is no BOOL, and the step."""
        context = self.debugContext("abort")
        if self.hasInput(0):
            condition = self.getInTensor(0)
        else:
            condition = self.getScalarVariable(poplar.BOOL, "always")
            popops.fill(self.graph(), condition, prog, True, context)
        if condition.elementType() != poplar.BOOL:
            zero = self.getConst(condition.elementType(), [], 0, "zero")
            condition = popops.neq(self.graph(), condition, zero, prog, context)
        ext.abortOnCondition(self.graph(), condition, self.getOp(AbortOp).words(), prog, context)


OpCreator(AbortOp, [ABORT])
OpCreator(AbortWithOp, [ABORT_WITH], isPublic=False)
OpxCreator(AbortOpx, [ABORT, ABORT_WITH])
