"""Cast and CastLike: the elements in another type."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from popir import popops
from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.elementwise_table import FLOATS
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.opx import Opx, popType
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_ROUNDING = ("up", "down", "nearest")
_NO_FLOAT8 = "it is about 8-bit floating-point numbers, which popir does not have."


class ConversionOp(Op):
    """Base of the two: input 0 in another type."""

    withoutMeaning = {"saturate": _NO_FLOAT8, "round_mode": _NO_FLOAT8}
    round_mode: str | None
    saturate: bool | None

    def target(self) -> DataType:
        """The type of the result."""
        raise NotImplementedError

    def setup(self) -> None:
        """The input's shape. Raises OperatorAttributeError for a round_mode that ONNX lacks."""
        if self.round_mode not in (None, *_ROUNDING):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'round_mode' is {self.round_mode!r}; expected "
                f"is one of {', '.join(map(repr, _ROUNDING))}."
            )
        self.setOutInfo(0, TensorInfo(self.target(), self.inShape(0)))

    def canBeReplacedByIdentity(self) -> bool:
        """To the same type."""
        return self.inInfo(0) == self.outInfo(0)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The elements, converted, unless one does not fit: the device then decides."""
        if 0 not in inputs:
            return None
        given, to = inputs[0], self.outInfo(0).dataType().numpy
        if self.inInfo(0).dataType() in FLOATS and to.kind in "iu":
            limits = np.iinfo(to)
            if not ((given > limits.min) & (given < limits.max)).all():
                return None
        return [given.astype(to)]

    def getGradOps(self) -> list[Op]:
        """A cast back between floating-point types, else none."""
        floats = {self.inInfo(0).dataType(), self.outInfo(0).dataType()} <= FLOATS
        return [CastGradOp(self)] if floats else []


class CastOp(ConversionOp):
    """The input as elements of the type `to`, a code of ONNX or, in PopART's builder, a name."""

    to: int

    def target(self) -> DataType:
        """As the attribute says."""
        return DataType.of(self.to)


class CastLikeOp(ConversionOp):
    """Input 0 as elements of the type that input 1 has, whose values do not matter."""

    nonDifferentiableInputs = frozenset({1})

    def target(self) -> DataType:
        """Input 1's."""
        return self.inInfo(1).dataType()


class CastGradOp(InputGradOp):
    """The gradient in the type of the forward operator's input."""

    opid = graphcoreId("CastGrad")


class CastOpx(Opx):
    """Both directions."""

    def grow(self, prog: program.Sequence) -> None:
        """popops.cast; the same type is copied."""
        to = popType(self.outInfo(0))
        given = self.getInTensor(0)
        if given.elementType() == to:
            self.setOutTensor(0, self.cloneNcopy(prog, given))
        else:
            self.setOutTensor(0, popops.cast(self.graph(), given, to, prog, self.debugContext()))


_IDS = onnxIds("Cast", 6, 9, 13, 19, 21, 23, 24, 25, 28)
_LIKE_IDS = onnxIds("CastLike", 15, 19, 21, 23, 24, 25)
OpCreator(CastOp, _IDS)
OpCreator(CastLikeOp, _LIKE_IDS)
OpxCreator(CastOpx, [*_IDS, *_LIKE_IDS, CastGradOp.opid])
