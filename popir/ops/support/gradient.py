"""The base class of gradient operators with one output, the gradient of one input."""

from __future__ import annotations

import functools
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


@functools.cache  # A few mappers serve all operators.
def mapper(iGrad: int, iNonGrad: int, kind: GradOpInType) -> GradInOutMapper:
    """The GradInOutMapper of these members."""
    return GradInOutMapper(iGrad, iNonGrad, kind)


class InputGradOp(GradOp):
    """A gradient operator: output 0 is the gradient of input `index` of the forward operator, with
    the same type and shape.

    `reads` lists its inputs as (kind, index); by default the gradient of output 0.
    """

    reads: ClassVar[list[tuple[GradOpInType, int]]] = [(GRAD, 0)]

    def __init__(self, fwdOp: Op, index: int = 0, opid: OperatorIdentifier | None = None) -> None:
        super().__init__(fwdOp, opid)
        self._index = index
        self._like = fwdOp.inInfo(index)
        self._forward = dict(fwdOp.attributes)

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes of the forward operator, and the index of the input."""
        super().appendAttributes(os)
        for name, value in self._forward.items():
            os.appendAttribute(name, value)
        os.appendAttribute("input", self._index)

    def target(self) -> TensorInfo:
        """Type and shape of the forward operator's input."""
        return self._like

    def setup(self) -> None:
        """Gives the gradient the type and shape of the input."""
        self.setOutInfo(0, self._like)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """The inputs listed in `reads`."""
        return [mapper(i, n, kind) for i, (kind, n) in enumerate(self.reads)]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """Output 0 is the gradient of the input `index`."""
        return {0: self._index}
