"""Transpose: permutes the dimensions, as a view."""

from __future__ import annotations

from collections.abc import Mapping

from popir.errors import OperatorAttributeError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import spaced
from popir.ops.support.views import ViewOp
from popir.opx import InputCreatorType, Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


def _keeps_order(shape: list[int], permutation: list[int]) -> bool:
    """Whether only dimensions of size 1 change places: then the order of elements stays the
    same.
    """
    moved = [p for p in permutation if shape[p] > 1]
    return moved == sorted(moved)


class TransposeOp(ViewOp):
    """ONNX's Transpose, versions 1, 13, 21, 23, 24 and 25: dimension i of the output is dimension
    perm[i] of the input. By default they are reversed.
    """

    perm: list[int] | None

    def permutation(self) -> list[int]:
        """The permutation. Raises OperatorAttributeError if `perm` is no permutation of the
        dimensions.
        """
        rank = self.inRank(0)
        if not self.perm:
            return list(reversed(range(rank)))
        if sorted(self.perm) != list(range(rank)):
            raise OperatorAttributeError(
                f"{self.debugName()}: perm {self.perm} is no order of the {rank} dimensions of "
                f"shape {self.inShape(0)}.",
                popart=f"Rank of permutation tensor {spaced(self.perm)}, rank {len(self.perm)} "
                f"must be equal to rank of input tensor, shape {spaced(self.inShape(0))}, "
                f"rank {rank}."
                if len(self.perm) != rank
                else None,
            )
        return self.perm

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether only dimensions of size 1 change places."""
        return _keeps_order(self.inShape(0), self.permutation())

    def setup(self) -> None:
        """Infers the permuted shape."""
        shape = self.inShape(0)
        info = TensorInfo(self.inInfo(0).dataType(), [shape[p] for p in self.permutation()])
        self.setOutInfo(0, info)

    def dimensionNames(self) -> Dimensions | None:
        """All, which change their places."""
        return Dimensions({0: range(self.inRank(0))}, {0: self.permutation()})

    def canBeReplacedByIdentity(self) -> bool:
        """Whether no dimension changes its place."""
        return self.permutation() == list(range(self.inRank(0)))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The transposed array, a view."""
        return [inputs[0].transpose(self.permutation())] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, transposed back."""
        return [TransposeGradOp(self)]


class TransposeInplaceOp(TransposeOp):
    """PopART's TransposeInplace, which patterns of libraries add; a Transpose is a view here in any
    case.
    """


class TransposeGradOp(InputGradOp):
    """The output's gradient with the inverse permutation."""

    opid = graphcore_id("TransposeGrad")

    def __init__(self, fwdOp: TransposeOp) -> None:
        super().__init__(fwdOp)
        order = fwdOp.permutation()
        self._permutation = [order.index(i) for i in range(len(order))]

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A Transpose with the inverse permutation."""
        return on.Transpose(g, perm=self._permutation)

    def canBeReplacedByIdentity(self) -> bool:
        """Whether no dimension changes its place."""
        return self._permutation == list(range(self.inRank(0)))

    def permutation(self) -> list[int]:
        """The inverse of the forward operator's permutation."""
        return self._permutation

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient is a view of the output's gradient."""
        return True

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether only dimensions of size 1 change places."""
        return _keeps_order(self.inShape(0), self.permutation())


class TransposeOpx(Opx):
    """The lowering of Transpose and of its gradient: a view."""

    def _permutation(self) -> list[int]:
        op = self.op_p
        assert isinstance(op, (TransposeOp, TransposeGradOp))
        return op.permutation()

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        self.setOutTensor(0, self.getInTensor(0).dimShuffle(self._permutation()))

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The input takes the layout of the output."""
        return InputCreatorType.CanUnwind

    def unwindTensorLayout(self, tensor: Tensor, inIndex: int, outIndex: int) -> Tensor:
        """The output's layout with the inverse permutation."""
        order = self._permutation()
        return tensor.dimShuffle([order.index(i) for i in range(len(order))])


_IDS = onnx_ids("Transpose", 1, 13, 21, 23, 24, 25)
_INPLACE = graphcore_id("TransposeInplace")
OpCreator(TransposeOp, _IDS)
OpCreator(TransposeInplaceOp, [_INPLACE], isPublic=False)
OpxCreator(TransposeOpx, [*_IDS, _INPLACE, TransposeGradOp.opid])
