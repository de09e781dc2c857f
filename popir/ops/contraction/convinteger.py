"""ConvInteger: the INT32 convolution of 8-bit integers minus their zero points."""

from __future__ import annotations

from collections.abc import Sequence

from popir import poplin, popops
from popir.errors import OperatorInputError
from popir.ext import integerConvolution, isCompact
from popir.ops.contraction.conv import ConvolvingOp, grouped
from popir.ops.quantization.granularity import is_zero
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import product
from popir.opx import Opx
from popir.poplar import DOUBLE, FLOAT, INT, LONGLONG, Tensor, Type, program
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo

_EXACT = 2**24
"""FLOAT holds all integers up to this."""
_GREATEST_TERM = 255 * 255
"""The greatest product of two bytes minus their zero points."""
_FEWEST_OUTPUTS = 8
"""Output channels of a group, below which products of its matrices are slower than floats."""


def has_integer_kernel(weights: Sequence[int], group: int) -> bool:
    """Whether the convolution of weights of this shape, [out channels, in channels / group,
    window...], is faster by integers than by floats: its groups have enough output channels, or it
    is depthwise in two dimensions.
    """
    outputs = weights[0] // max(group, 1)
    is_depthwise = outputs == weights[1] == 1 and len(weights) == 4
    return is_depthwise or outputs >= _FEWEST_OUTPUTS


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
    """The lowering: one convolution of bytes, which takes zero points, or one of floats."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds `integerConvolution`, or casts and poplin::convolution: in FLOAT for groups of few
        output channels, in DOUBLE for windows that reach far over little data.
        """
        op = self.getOp(ConvIntegerOp)
        data, weights = self.getInTensor(0), grouped(self.getInTensor(1), op.group)
        terms = product(weights.shape()[2:])
        is_by_floats = not has_integer_kernel(op.inShape(1), op.group)
        if is_by_floats and terms * _GREATEST_TERM < _EXACT:
            self.setOutTensor(0, self._by_floats(FLOAT, data, weights, prog))
            return
        params = op.conv_params()
        if not isCompact(params):
            self.setOutTensor(0, self._by_floats(DOUBLE, data, weights, prog))
            return
        context = self.debugContext("convolution")
        points = (self._zero_points(2), self._zero_points(3))
        out = integerConvolution(self.graph(), data, weights, params, *points, prog, context)
        self.setOutTensor(0, out)

    def _zero_points(self, i: int) -> Tensor | None:
        given = self.hasInput(i) and not is_zero(self.getOp(ConvIntegerOp).inTensor(i))
        return self.getInTensor(i).flatten() if given else None

    def _by_floats(
        self, kind: Type, data: Tensor, weights: Tensor, prog: program.Sequence
    ) -> Tensor:
        """The sums, by floats that hold them."""
        params = self.getOp(ConvIntegerOp).conv_params()
        params.inputType = params.outputType = kind
        by_channel = [*weights.shape()[:2], *[1] * (weights.rank() - 2)]
        x = self._centred(kind, data, self._zero_points(2), [], prog)
        w = self._centred(kind, weights, self._zero_points(3), by_channel, prog)
        context = self.debugContext("convolution")
        out = poplin.convolution(self.graph(), x, w, params, False, prog, context)
        if kind == DOUBLE:  # A cast to INT would clamp.
            out = popops.cast(self.graph(), out, LONGLONG, prog, self.debugContext("exact"))
        return popops.cast(self.graph(), out, INT, prog, self.debugContext("sums"))

    def _centred(
        self,
        kind: Type,
        t: Tensor,
        zeros: Tensor | None,
        shape: list[int],
        prog: program.Sequence,
    ) -> Tensor:
        """An operand minus its zero points, of which there is one or as many as in `shape`."""
        wide = popops.cast(self.graph(), t, kind, prog, self.debugContext("widen"))
        if zeros is None:
            return wide
        zero = popops.cast(self.graph(), zeros, kind, prog, self.debugContext("zero"))
        zero = zero.reshape([] if zeros.numElements() == 1 else shape)
        return popops.sub(self.graph(), wide, zero, prog, self.debugContext("centre"))


_IDS = onnx_ids("ConvInteger", 10)
OpCreator(ConvIntegerOp, _IDS)
OpxCreator(ConvIntegerOpx, _IDS)
