"""DepthToSpace and SpaceToDepth: move elements between channels and blocks of pixels."""

from __future__ import annotations

from collections.abc import Mapping

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.views import ViewOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

Rearrangement = tuple[list[int], list[int], list[int]]
"""A shape to reshape to, a permutation of its dimensions, and the shape to reshape to after it."""


class RearrangingOp(ViewOp):
    """The base class of both, on [batch, channels, height, width] with square blocks of pixels.

    With mode "DCR" the position in a block is the outer part of the channel index, with "CRD" the
    inner part.
    """

    blocksize: int
    mode: str | None

    def is_outer(self) -> bool:
        """Whether the mode is "DCR", the default. Raises OperatorAttributeError for an unknown
        mode.
        """
        mode = self.mode or "DCR"
        if mode not in ("DCR", "CRD"):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'mode' is {mode!r}; expected is DCR or CRD."
            )
        return mode == "DCR"

    def rearrangement(self) -> Rearrangement:
        """The reshape, permutation and reshape that the operator performs."""
        raise NotImplementedError

    def images(self) -> list[int]:
        """The input's shape. Raises OperatorInputError for a rank other than 4,
        OperatorAttributeError for a wrong blocksize.
        """
        shape = self.inShape(0)
        if len(shape) != 4:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}; expected is [batch, channels, "
                "height, width]."
            )
        if self.blocksize < 1:
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'blocksize' is {self.blocksize}; expected is 1 "
                "or more."
            )
        return shape

    def unfit(self, what: str, unit: int) -> OperatorInputError:
        """Returns the error for a shape that is not divisible by the blocksize."""
        return OperatorInputError(
            f"{self.debugName()}: the input has shape {self.inShape(0)}; with blocksize "
            f"{self.blocksize} its {what} must be divisible by {unit}."
        )

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether blocks are single pixels."""
        return self.blocksize == 1

    def setup(self) -> None:
        """Infers the rearranged shape."""
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.rearrangement()[2]))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The rearranged input, by numpy."""
        seen, order, shape = self.rearrangement()
        return [inputs[0].reshape(seen).transpose(order).reshape(shape)] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, rearranged back."""
        return [RearrangingGradOp(self)]


class DepthToSpaceOp(RearrangingOp):
    """ONNX's DepthToSpace, versions 1, 11, 13 and 28: [b, c, h, w] to [b, c / s², h s, w s] with
    blocks of s × s pixels.
    """

    def rearrangement(self) -> Rearrangement:
        """Splits the channels into the two positions in a block, and moves these behind height and
        width.
        """
        b, c, h, w = self.images()
        s = self.blocksize
        if c % (s * s):
            raise self.unfit("channels", s * s)
        rest = c // (s * s)
        shape = [b, rest, h * s, w * s]
        if self.is_outer():
            return [b, s, s, rest, h, w], [0, 3, 4, 1, 5, 2], shape
        return [b, rest, s, s, h, w], [0, 1, 4, 2, 5, 3], shape


class SpaceToDepthOp(RearrangingOp):
    """ONNX's SpaceToDepth, versions 1, 13 and 28: [b, c, h, w] to [b, c s², h / s, w / s] with
    blocks of s × s pixels.
    """

    def rearrangement(self) -> Rearrangement:
        """Splits height and width, and moves the positions in a block to the channels."""
        b, c, h, w = self.images()
        s = self.blocksize
        if h % s or w % s:
            raise self.unfit("height and width", s)
        seen, shape = [b, c, h // s, s, w // s, s], [b, c * s * s, h // s, w // s]
        return seen, [0, 3, 5, 1, 2, 4] if self.is_outer() else [0, 1, 3, 5, 2, 4], shape


class RearrangingGradOp(InputGradOp):
    """The gradient of both: the inverse rearrangement."""

    opid = graphcore_id("DepthToSpaceGrad")

    def __init__(self, fwdOp: RearrangingOp) -> None:
        super().__init__(fwdOp)
        seen, order, _ = fwdOp.rearrangement()
        back = [order.index(d) for d in range(len(order))]
        self._way = ([seen[d] for d in order], back, self.target().shape())

    def rearrangement(self) -> Rearrangement:
        """The inverse of the forward operator's rearrangement."""
        return self._way

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """The inverse rearrangement by operators."""
        seen, order, shape = self._way
        return on.reshape(on.Transpose(on.reshape(g, seen), perm=order), shape)

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """The gradient is a view of the output's gradient."""
        return True

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """False: the elements are in another order."""
        return False


class RearrangingOpx(Opx):
    """The lowering of both operators and their gradient."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds no program: the output is a view."""
        op = self.op_p
        assert isinstance(op, (RearrangingOp, RearrangingGradOp))
        seen, order, shape = op.rearrangement()
        self.setOutTensor(0, self.getInTensor(0).reshape(seen).dimShuffle(order).reshape(shape))


for _op_class, _ids in (
    (DepthToSpaceOp, [*onnx_ids("DepthToSpace", 1, 11, 13, 28), graphcore_id("DepthToSpace")]),
    (SpaceToDepthOp, onnx_ids("SpaceToDepth", 1, 13, 28)),
):
    OpCreator(_op_class, _ids)
    OpxCreator(RearrangingOpx, _ids)
OpxCreator(RearrangingOpx, RearrangingGradOp.opid)
