"""PrintTensor: prints values while a program runs."""

from __future__ import annotations

from typing import Any

from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.views import ReshapeGradOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.reserved import reservedGradientPrefix

_LAYOUT = "summariseThreshold edgeItems maxLineWidth digits floatFormat".split()
_CHARACTERS = "separator openBracket closeBracket".split()


class PrintTensorOp(Op):
    """PopART's PrintTensor: the input, whose values go to standard error each time that it runs,
    after a title. The gradient is printed too, with `print_gradient`, under the title and
    "_gradient", or the id of the gradient of the input. Without `print_self`, which a program in
    C++ may set, the input is not printed.
    """

    print_gradient: bool
    print_self: bool
    title: str
    summariseThreshold: int
    edgeItems: int
    maxLineWidth: int
    digits: int
    floatFormat: int
    separator: int
    openBracket: int
    closeBracket: int

    def format(self) -> dict[str, Any]:
        """How the values are printed. Raises OperatorAttributeError for a number out of range, and
        for what is no ASCII character.
        """
        found: dict[str, Any] = {name: getattr(self, name) for name in _LAYOUT}
        if min(found.values()) < 0 or max(found.values()) >= 2**32 or self.floatFormat > 3:
            raise OperatorAttributeError(
                f"{self.debugName()}: the format is {found}; each number is 0 to 2^32 - 1, and "
                "floatFormat 0 to 3."
            )
        for name in _CHARACTERS:
            code = getattr(self, name)
            if not 0 < code < 128:
                raise OperatorAttributeError(
                    f"{self.debugName()}: {name} is {code}; expected is the number of an ASCII "
                    "character."
                )
            found[name] = chr(code)
        return found

    def setup(self) -> None:
        """Infers the input's type and shape, and checks the format."""
        self.format()
        self.setOutInfo(0, self.inInfo(0))

    def hasSideEffect(self) -> bool:
        """Whether it prints its input."""
        return self.print_self

    def only_compute(self) -> None:
        """The values were printed: here they are not."""
        self.print_self = False

    def getGradOps(self) -> list[Op]:
        """The gradient, printed if that is asked for."""
        return [PrintTensorGradOp(self)]


class PrintTensorGradOp(InputGradOp):
    """The gradient as it is, printed if `print_gradient` says so."""

    opid = graphcore_id("PrintTensorGrad")

    def __init__(self, fwdOp: PrintTensorOp) -> None:
        super().__init__(fwdOp)
        self.prints = fwdOp.print_gradient
        self.layout = fwdOp.format()
        own = f"{fwdOp.title}_gradient" if fwdOp.title else ""
        self.title = own or reservedGradientPrefix() + fwdOp.inId(0)

    def hasSideEffect(self) -> bool:
        """Whether it prints the gradient."""
        return self.prints

    def getGradOps(self) -> list[Op]:
        """The gradient of the gradient, which is not printed."""
        return [ReshapeGradOp(self)]


class PrintTensorOpx(Opx):
    """The lowering of both."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds program::PrintTensor, and a copy."""
        op, t = self.op_p, self.getInTensor(0)
        layout = (
            op.format() if isinstance(op, PrintTensorOp) else self.getOp(PrintTensorGradOp).layout
        )
        title = op.title if isinstance(op, PrintTensorOp) else self.getOp(PrintTensorGradOp).title
        if op.hasSideEffect():
            prog.add(program.PrintTensor(title or op.inId(0), t, **layout))
        self.setOutTensor(0, self.cloneNcopy(prog, t))


OpCreator(PrintTensorOp, graphcore_id("PrintTensor"))
OpxCreator(PrintTensorOpx, [graphcore_id("PrintTensor"), PrintTensorGradOp.opid])
