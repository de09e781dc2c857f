"""Base of the gradient operators that compute the gradient of one input."""

from __future__ import annotations

from typing import ClassVar

from popir.ir import (
    GradInOutMapper,
    GradOp,
    GradOpInType,
    Op,
    OperatorIdentifier,
    OpSerialiser,
)
from popir.types import TensorInfo

GRAD = GradOpInType.GradOut
IN = GradOpInType.In
OUT = GradOpInType.Out


class InputGradOp(GradOp):
    """Output 0 is the gradient of one input of the forward operator, and has its type and shape.

    `reads` says what the inputs are: the gradient of the first output if a subclass does not say
    otherwise.
    """

    reads: ClassVar[list[tuple[GradOpInType, int]]] = [(GRAD, 0)]

    def __init__(self, fwdOp: Op, index: int = 0, opid: OperatorIdentifier | None = None) -> None:
        super().__init__(fwdOp, opid)
        self._index = index
        self._like = fwdOp.inInfo(index)
        self._forward = dict(fwdOp.attributes)

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The forward operator's, and which of its inputs it is."""
        super().appendAttributes(os)
        for name, value in self._forward.items():
            os.appendAttribute(name, value)
        os.appendAttribute("input", self._index)

    def target(self) -> TensorInfo:
        """Type and shape of the forward operator's input."""
        return self._like

    def setup(self) -> None:
        """The gradient is like the input."""
        self.setOutInfo(0, self._like)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """As `reads` has it."""
        return [GradInOutMapper(i, n, kind) for i, (kind, n) in enumerate(self.reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """The one input."""
        return {0: self._index}
