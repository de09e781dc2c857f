"""The operator com.acme.HalfSquare in Python: y = x + x * x / 2, element by element."""

import popir
from popir import popops
from popir.popops import expr as pe

OPID = popir.OperatorIdentifier("com.acme", "HalfSquare", 1)
GRAD_OPID = popir.OperatorIdentifier("com.acme", "HalfSquareGrad", 1)


class HalfSquareOp(popir.Op):
    """What the operator means."""

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[popir.Op]:
        """One operator, for the only input."""
        return [HalfSquareGradOp(self)]


class HalfSquareGradOp(popir.GradOp):
    """The gradient: dx = (1 + x) dy."""

    opid = GRAD_OPID

    def setup(self) -> None:
        """The output is like the gradient."""
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[popir.GradInOutMapper]:
        """The gradient of the output, and the input."""
        return [
            popir.GradInOutMapper(0, 0, popir.GradOpInType.GradOut),
            popir.GradInOutMapper(1, 0, popir.GradOpInType.In),
        ]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The output is the gradient of the only input."""
        return {0: 0}


class HalfSquareOpx(popir.Opx):
    """How the operator becomes a program."""

    def grow(self, prog: popir.poplar.program.Sequence) -> None:
        """Adds one map."""
        tree = pe._1 + pe.Const(0.5) * pe._1 * pe._1
        y = popops.map(self.graph(), tree, [self.getInTensor(0)], prog, self.debugContext())
        self.setOutTensor(0, y)


class HalfSquareGradOpx(popir.Opx):
    """How the gradient does."""

    def grow(self, prog: popir.poplar.program.Sequence) -> None:
        """Adds one map."""
        tree = (pe.Const(1.0) + pe._2) * pe._1
        operands = [self.getInTensor(0), self.getInTensor(1)]
        self.setOutTensor(0, popops.map(self.graph(), tree, operands, prog, self.debugContext()))


popir.OpCreator(HalfSquareOp, {OPID: popir.OpDefinition([("x", [])], [("y", [])])})
popir.OpxCreator(HalfSquareOpx, OPID)
popir.OpxCreator(HalfSquareGradOpx, GRAD_OPID)
