"""ConvInteger: the INT32 convolution of 8-bit integers minus their zero points."""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.ext import integerConvolution
from popir.ops.contraction.conv import ConvolvingOp, grouped
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import product
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class ConvIntegerOp(ConvolvingOp):
    """ONNX's ConvInteger, version 10. Inputs: data, weights, and optionally their zero points: one
    number for the data, one or one for each output channel for the weights. The padding is as much
    as the zero point of the data.

    The sum of products wraps around at 32 bits. No gradient.
    """

    def setup(self) -> None:
        """Infers INT32 with Conv's shape. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for wrong attributes.
        """
        shape = self.result_shape()
        if self.hasInput(2) and product(self.inShape(2)) != 1:
            raise OperatorInputError(
                f"{self.debugName()}: the zero point of x has shape {self.inShape(2)}; expected is "
                "one number."
            )
        given = self.inShape(3) if self.hasInput(3) else []
        if given != shape[1:2] and (len(given) > 1 or product(given) != 1):
            raise OperatorInputError(
                f"{self.debugName()}: the zero point of w has shape {given}; for weights "
                f"{self.inShape(1)} expected is one number, or {shape[1]} of them, one for each "
                "output channel."
            )
        self.setOutInfo(0, TensorInfo(DataType.INT32, shape))


class ConvIntegerOpx(Opx):
    """The lowering: one convolution of bytes, which takes zero points."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds `integerConvolution`."""
        op = self.getOp(ConvIntegerOp)
        out = integerConvolution(
            self.graph(),
            self.getInTensor(0),
            grouped(self.getInTensor(1), op.group),
            op.conv_params(),
            self._zero_points(2),
            self._zero_points(3),
            prog,
            self.debugContext("convolution"),
        )
        self.setOutTensor(0, out)

    def _zero_points(self, i: int) -> Tensor | None:
        return self.getInTensor(i).flatten() if self.hasInput(i) else None


_IDS = onnx_ids("ConvInteger", 10)
OpCreator(ConvIntegerOp, _IDS)
OpxCreator(ConvIntegerOpx, _IDS)
