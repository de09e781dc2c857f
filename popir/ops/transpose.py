"""Transpose: the dimensions in another order, as a view."""

from __future__ import annotations

from collections.abc import Mapping

from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.views import ViewOp
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


def _keepsOrder(shape: list[int], permutation: list[int]) -> bool:
    """Whether only dimensions of one element change places."""
    moved = [p for p in permutation if shape[p] > 1]
    return moved == sorted(moved)


class TransposeOp(ViewOp):
    """Dimension i of the output is dimension perm[i] of the input; without perm, reversed."""

    perm: list[int] | None

    def permutation(self) -> list[int]:
        """The order of dimensions. Raises OperatorAttributeError if perm is none of the input's."""
        rank = self.inRank(0)
        if not self.perm:
            return list(reversed(range(rank)))
        if sorted(self.perm) != list(range(rank)):
            raise OperatorAttributeError(
                f"{self.debugName()}: perm {self.perm} is no order of the {rank} dimensions of "
                f"shape {self.inShape(0)}."
            )
        return self.perm

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """If only dimensions of one element change places."""
        return _keepsOrder(self.inShape(0), self.permutation())

    def setup(self) -> None:
        """The dimensions, permuted."""
        shape = self.inShape(0)
        info = TensorInfo(self.inInfo(0).dataType(), [shape[p] for p in self.permutation()])
        self.setOutInfo(0, info)

    def canBeReplacedByIdentity(self) -> bool:
        """With every dimension in its place."""
        return self.permutation() == list(range(self.inRank(0)))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The dimensions, permuted."""
        return [inputs[0].transpose(self.permutation())] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, transposed back."""
        return [TransposeGradOp(self)]


class TransposeGradOp(InputGradOp):
    """The gradient, with the dimensions in the input's order."""

    opid = graphcoreId("TransposeGrad")

    def __init__(self, fwdOp: TransposeOp) -> None:
        super().__init__(fwdOp)
        order = fwdOp.permutation()
        self._permutation = [order.index(i) for i in range(len(order))]

    def canBeReplacedByIdentity(self) -> bool:
        """With every dimension in its place."""
        return self._permutation == list(range(self.inRank(0)))

    def permutation(self) -> list[int]:
        """The inverse of the forward one."""
        return self._permutation

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """A view too."""
        return True

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """If only dimensions of one element change places."""
        return _keepsOrder(self.inShape(0), self.permutation())


class TransposeOpx(Opx):
    """Both directions."""

    def _permutation(self) -> list[int]:
        op = self.op_p
        assert isinstance(op, (TransposeOp, TransposeGradOp))
        return op.permutation()

    def grow(self, prog: program.Sequence) -> None:
        """A view."""
        self.setOutTensor(0, self.getInTensor(0).dimShuffle(self._permutation()))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The input's layout is the output's."""
        return InputCreatorType.CanUnwind

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The other way round."""
        order = self._permutation()
        return tensor.dimShuffle([order.index(i) for i in range(len(order))])


_IDS = onnxIds("Transpose", 1, 13, 21, 23, 24, 25)
OpCreator(TransposeOp, _IDS)
OpxCreator(TransposeOpx, [*_IDS, TransposeGradOp.opid])
