"""Base classes of operators with an output that is a view: the input's elements in another shape or
order, without a copy.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import accumulate
from operator import mul
from typing import Any

from popir.ir import Op
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.types import TensorInfo


class ViewOp(Op):
    """An operator with output 0 a view of input 0."""

    mostFolded = sys.maxsize  # numpy returns a view, too.

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Output 0 aliases input 0."""
        return inIndex == 0 and outIndex == 0


class ReshapingOp(ViewOp):
    """Input 0 in another shape, which a subclass gives."""

    def output_shape(self) -> list[int]:
        """The shape of the output."""
        raise NotImplementedError

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the shape stays the same."""
        return self.inShape(0) == self.outShape(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The input in the new shape."""
        return [inputs[0].reshape(self.output_shape())] if 0 in inputs else None

    def setup(self) -> None:
        """Gives the output the input's type and the new shape."""
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.output_shape()))

    def dimensionNames(self) -> Dimensions | None:
        """Those with as many elements before them in both shapes: a part is one of as many equal
        pieces of the rest.
        """
        return Dimensions({0: _places(self.inShape(0))}, {0: _places(self.outShape(0))})

    def getGradOps(self) -> list[Op]:
        """The gradient, reshaped to the input's shape."""
        return [ReshapeGradOp(self)]


def _places(shape: list[int]) -> list[int | None]:
    """For each dimension that is not 1 the elements before it."""
    before = accumulate(shape, mul, initial=1)
    return [n if size != 1 else None for n, size in zip(before, shape, strict=False)]


class ReshapeGradOp(InputGradOp):
    """The gradient of any operator that only changes the shape."""

    opid = graphcore_id("ReshapeGrad")

    def decompose(self, on: Any, g: Any) -> Any:
        """The gradient in the input's shape, by a Reshape."""
        return on.reshape(g, self.target().shape())

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the shape stays the same."""
        return self.inShape(0) == self.outShape(0)

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient is a view of the output's gradient."""
        return True


class ReshapeOpx(Opx):
    """Returns the input as a view in the output's shape."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        self.setOutTensor(0, self.getInTensor(0).reshape(self.outShape(0)))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """Input 0 takes the layout of the output."""
        return InputCreatorType.CanUnwind if i == 0 else InputCreatorType.Deadend

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout in the input's shape."""
        return tensor.reshape(self.inShape(inIndex))
