"""LeakyRelu: x where x >= 0, alpha * x below.

The expressions are those of PopART's custom-operator guide, so that an operator library built from
it gives the same bits.
"""

from __future__ import annotations

from popir.ir import Op
from popir.ops import symbolic as s
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.inplace import OverwritingOp, mapped, variantId
from popir.ops.symbolic import Arg
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator


class LeakyReluOp(OverwritingOp):
    """One input, one output of its type and shape."""

    alpha: float

    def setup(self) -> None:
        """The output is like the input."""
        self.setOutInfo(0, self.inInfo(0))

    def getGradOps(self) -> list[Op]:
        """LeakyReluGrad."""
        return [LeakyReluGradOp(self)]


class LeakyReluGradOp(OverwritingOp, InputGradOp):
    """The output's gradient, times alpha where the input is negative."""

    opid = graphcoreId("LeakyReluGrad")
    reads = [(GRAD, 0), (IN, 0)]
    alpha: float


class LeakyReluOpx(Opx):
    """One map."""

    def grow(self, prog: program.Sequence) -> None:
        """x < 0 ? alpha * x : x"""
        alpha = s.Parameter(self.getOp(LeakyReluOp).alpha)
        expression = s.select(alpha * Arg(0), Arg(0), Arg(0) < 0.0)
        self.setOutTensor(0, mapped(self, expression, [self.getInTensor(0)], prog))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The input's layout is the output's."""
        return InputCreatorType.CanUnwind

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """Element by element."""
        return tensor


class LeakyReluGradOpx(Opx):
    """One map over the gradient and the input."""

    def grow(self, prog: program.Sequence) -> None:
        """grad * (x < 0 ? alpha : 1)"""
        slope = s.select(s.Parameter(self.getOp(LeakyReluGradOp).alpha), 1.0, Arg(1) < 0.0)
        operands = [self.getInTensor(0), self.getInTensor(1)]
        self.setOutTensor(0, mapped(self, slope * Arg(0), operands, prog))


_IDS = onnxIds("LeakyRelu", 1, 6, 16)
OpCreator(LeakyReluOp, _IDS)
OpxCreator(LeakyReluOpx, [*_IDS, variantId("LeakyRelu")])
OpxCreator(LeakyReluGradOpx, [LeakyReluGradOp.opid, variantId("LeakyReluGrad")])
