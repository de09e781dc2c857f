"""LeakyRelu in Python: the operator of leaky_relu_custom_op.cpp, with the same four classes.

Importing this module registers it in place of the built-in operator.
"""

from popir import (
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Op,
    OpCreator,
    OperatorIdentifier,
    Opx,
    OpxCreator,
    popops,
)
from popir.poplar import program
from popir.popops import expr as pe

LEAKY_RELU = [OperatorIdentifier("ai.onnx", "LeakyRelu", version) for version in (1, 6)]
LEAKY_RELU_GRAD = OperatorIdentifier("ai.onnx", "LeakyReluGrad", 6)


class LeakyReluOp(Op):
    """f(x) = x where x >= 0, alpha * x where x < 0."""

    alpha: float

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """One operator, for the only input."""
        return [LeakyReluGradOp(self)]


class LeakyReluGradOp(GradOp):
    """Inputs: the gradient of LeakyRelu's output, and LeakyRelu's input."""

    opid = LEAKY_RELU_GRAD
    alpha: float

    def setup(self) -> None:
        """The output is like the gradient."""
        self.setOutInfo(0, self.inInfo(0))

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """What the two inputs are."""
        return [
            GradInOutMapper(0, 0, GradOpInType.GradOut),
            GradInOutMapper(1, 0, GradOpInType.In),
        ]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The output is the gradient of the only input."""
        return {0: 0}


class LeakyReluOpx(Opx):
    """One element-wise expression."""

    def grow(self, prog: program.Sequence) -> None:
        """x < 0 ? alpha * x : x"""
        alpha = self.getOp(LeakyReluOp).alpha
        expression = pe.Select(pe.Const(alpha) * pe._1, pe._1, pe._1 < pe.Const(0.0))
        x = self.getInTensor(0)
        name = self.debugContext("LeakyRelu")
        self.setOutTensor(0, popops.map(self.graph(), expression, [x], prog, name))


class LeakyReluGradOpx(Opx):
    """One element-wise expression."""

    def grow(self, prog: program.Sequence) -> None:
        """gradient * (x < 0 ? alpha : 1)"""
        alpha = self.getOp(LeakyReluGradOp).alpha
        slope = pe.Select(pe.Const(alpha), pe.Const(1.0), pe._2 < pe.Const(0.0))
        operands = [self.getInTensor(0), self.getInTensor(1)]
        name = self.debugContext("LeakyReluGrad")
        self.setOutTensor(0, popops.map(self.graph(), slope * pe._1, operands, prog, name))


OpCreator(LeakyReluOp, LEAKY_RELU, override=True)
OpxCreator(LeakyReluOpx, LEAKY_RELU, override=True)
OpxCreator(LeakyReluGradOpx, LEAKY_RELU_GRAD)
