"""Base of the operators whose output shows the input's elements in another order or shape, without
moving any.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from popir.ir import Op
from popir.ir.op import Array
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.types import TensorInfo


class ViewOp(Op):
    """Output 0 is a view of input 0."""

    mostFolded = sys.maxsize  # numpy makes a view too

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The output shares the first input's memory."""
        return inIndex == 0 and outIndex == 0


class ReshapingOp(ViewOp):
    """Input 0 in another shape; a subclass says which."""

    def outputShape(self) -> list[int]:
        """The shape of the output."""
        raise NotImplementedError

    def canBeReplacedByIdentity(self) -> bool:
        """To the same shape."""
        return self.inShape(0) == self.outShape(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The input in the new shape."""
        return [inputs[0].reshape(self.outputShape())] if 0 in inputs else None

    def setup(self) -> None:
        """The input's type, the new shape."""
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.outputShape()))

    def getGradOps(self) -> list[Op]:
        """The gradient in the input's shape."""
        return [ReshapeGradOp(self)]


class ReshapeGradOp(InputGradOp):
    """The gradient of any operator that only changes the shape."""

    opid = graphcoreId("ReshapeGrad")

    def canBeReplacedByIdentity(self) -> bool:
        """To the same shape."""
        return self.inShape(0) == self.outShape(0)

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """A view too."""
        return True


class ReshapeOpx(Opx):
    """Shows the input in the output's shape."""

    def grow(self, prog: program.Sequence) -> None:
        """A view."""
        self.setOutTensor(0, self.getInTensor(0).reshape(self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The data's layout is the output's."""
        return InputCreatorType.CanUnwind if i == 0 else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The other way round."""
        return tensor.reshape(self.inShape(inIndex))
