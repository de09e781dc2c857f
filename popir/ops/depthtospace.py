"""DepthToSpace and SpaceToDepth: channels to squares of pixels, and back, as views."""

from __future__ import annotations

from collections.abc import Mapping

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir.op import Array
from popir.ops.gradient import InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.views import ViewOp
from popir.opx import Opx
from popir.poplar import program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo

Rearrangement = tuple[list[int], list[int], list[int]]
"""A shape that the elements are seen in, the order of its dimensions, and the shape then."""


class RearrangingOp(ViewOp):
    """Base of the two: images [batch, channels, height, width], cut into blocks. With mode "DCR" a
    block's places are the outer part of the channels, with "CRD" the inner one.
    """

    blocksize: int
    mode: str | None

    def isOuter(self) -> bool:
        """Whether the mode is "DCR", the default. Raises OperatorAttributeError for one unknown."""
        mode = self.mode or "DCR"
        if mode not in ("DCR", "CRD"):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute 'mode' is {mode!r}; expected is DCR or CRD."
            )
        return mode == "DCR"

    def rearrangement(self) -> Rearrangement:
        """How the elements move."""
        raise NotImplementedError

    def images(self) -> list[int]:
        """The input's shape. Raises OperatorInputError or OperatorAttributeError if it is none."""
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
        """The error for a shape that does not divide."""
        return OperatorInputError(
            f"{self.debugName()}: the input has shape {self.inShape(0)}; with blocksize "
            f"{self.blocksize} its {what} must be divisible by {unit}."
        )

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """If blocks are single elements."""
        return self.blocksize == 1

    def setup(self) -> None:
        """The shape afterwards."""
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), self.rearrangement()[2]))

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The elements, rearranged."""
        seen, order, shape = self.rearrangement()
        return [inputs[0].reshape(seen).transpose(order).reshape(shape)] if 0 in inputs else None

    def getGradOps(self) -> list[Op]:
        """The gradient, back in its places."""
        return [RearrangingGradOp(self)]


class DepthToSpaceOp(RearrangingOp):
    """Blocks of pixels from channels: [b, c, h, w] to [b, c / s², h s, w s]."""

    def rearrangement(self) -> Rearrangement:
        """The two parts of a block's place go behind height and width."""
        b, c, h, w = self.images()
        s = self.blocksize
        if c % (s * s):
            raise self.unfit("channels", s * s)
        rest = c // (s * s)
        shape = [b, rest, h * s, w * s]
        if self.isOuter():
            return [b, s, s, rest, h, w], [0, 3, 4, 1, 5, 2], shape
        return [b, rest, s, s, h, w], [0, 1, 4, 2, 5, 3], shape


class SpaceToDepthOp(RearrangingOp):
    """Channels from blocks of pixels: [b, c, h, w] to [b, c s², h / s, w / s]."""

    def rearrangement(self) -> Rearrangement:
        """A block's place becomes part of the channels."""
        b, c, h, w = self.images()
        s = self.blocksize
        if h % s or w % s:
            raise self.unfit("height and width", s)
        seen, shape = [b, c, h // s, s, w // s, s], [b, c * s * s, h // s, w // s]
        return seen, [0, 3, 5, 1, 2, 4] if self.isOuter() else [0, 1, 3, 5, 2, 4], shape


class RearrangingGradOp(InputGradOp):
    """The same way back."""

    opid = graphcoreId("DepthToSpaceGrad")

    def __init__(self, fwdOp: RearrangingOp) -> None:
        super().__init__(fwdOp)
        seen, order, _ = fwdOp.rearrangement()
        back = [order.index(d) for d in range(len(order))]
        self._way = ([seen[d] for d in order], back, self.target().shape())

    def rearrangement(self) -> Rearrangement:
        """How the elements move."""
        return self._way

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """A view too."""
        return True

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Blocks come apart."""
        return False


class RearrangingOpx(Opx):
    """Both directions."""

    def grow(self, prog: program.Sequence) -> None:
        """A view."""
        op = self.op_p
        assert isinstance(op, (RearrangingOp, RearrangingGradOp))
        seen, order, shape = op.rearrangement()
        self.setOutTensor(0, self.getInTensor(0).reshape(seen).dimShuffle(order).reshape(shape))


for _opClass, _ids in (
    (DepthToSpaceOp, onnxIds("DepthToSpace", 1, 11, 13, 28)),
    (SpaceToDepthOp, onnxIds("SpaceToDepth", 1, 13, 28)),
):
    OpCreator(_opClass, _ids)
    OpxCreator(RearrangingOpx, _ids)
OpxCreator(RearrangingOpx, RearrangingGradOp.opid)
