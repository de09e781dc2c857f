"""Conv: convolution of [batch, channels, spatial...] in one to three spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from popir import poplin, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.contraction.options import Contraction, convolution_flags, product_type
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import GRAD, IN, InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.scaled import (
    GRADIENT_REMEDY,
    check_operands,
    has_bias,
    is_scaled,
    operands,
    result_type,
)
from popir.ops.support.spatial import WindowOp
from popir.ops.support.symbolic import Arg
from popir.options.contractions import CONVOLUTION
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


def misfit(data: Sequence[int], weights: Sequence[int], group: int) -> str | None:
    """What is wrong with the shapes of a convolution's data, of rank 2 at least, and weights, or
    with its group; None if they fit.
    """
    if group < 1:
        return f"group={group}: expected is 1 or more."
    if len(weights) == len(data) and weights[1] * group == data[1] and weights[0] % group == 0:
        return None
    return (
        f"data {data} and weights {weights} do not fit with group={group}: expected are weights "
        f"[out channels, {data[1]} / {group}, {len(data) - 2} dimensions of the window], the out "
        "channels a multiple of the group."
    )


class ConvolvingOp(WindowOp):
    """The base of convolutions. Inputs: data [batch, in channels, spatial...], weights [out
    channels, in channels / group, window...]. One to three spatial dimensions; ONNX allows any
    number.
    """

    costly = True
    dilations: list[int] | None
    group: int

    def window(self) -> list[int]:
        """The window of the weights. Raises OperatorInputError if `kernel_shape` differs."""
        window = self.inShape(1)[2:]
        if 0 in window:
            raise OperatorInputError(
                f"{self.debugName()}: the weights have shape {self.inShape(1)}; a window has one "
                "element at least in each dimension."
            )
        if self.kernel_shape and self.kernel_shape != window:
            raise OperatorInputError(
                f"{self.debugName()}: the weights have shape {self.inShape(1)}, which is not of "
                f"the kernel_shape {self.kernel_shape}."
            )
        return window

    def result_shape(self) -> list[int]:
        """[batch, out channels, spatial...]. Raises OperatorInputError for shapes that do not fit,
        OperatorAttributeError for wrong attributes.
        """
        data, weights = self.inShape(0), self.inShape(1)
        self.spatial_shape()
        if wrong := misfit(data, weights, self.group):
            raise OperatorInputError(f"{self.debugName()}: {wrong}")
        return [data[0], weights[0], *self.output_spatial()]

    def dimensionNames(self) -> Dimensions | None:
        """The batch alone has a name."""
        names = ["batch", *[None] * (self.inRank(0) - 1)]
        return Dimensions({0: names}, {0: names})

    def conv_params(self) -> poplin.ConvParams:
        """The convolution as poplin::ConvParams."""
        data, weights, group = self.inShape(0), self.inShape(1), self.group
        lower, upper = self.padding()
        none, one, forwards = [0] * len(lower), [1] * len(lower), [False] * len(lower)
        # A negative padding cuts elements off.
        on_input = poplin.ConvParams.InputTransform(
            [max(-p, 0) for p in lower],
            [max(-p, 0) for p in upper],
            one,
            [max(p, 0) for p in lower],
            [max(p, 0) for p in upper],
            forwards,
        )
        on_kernel = poplin.ConvParams.InputTransform(
            none, none, self.dilation(), none, none, forwards
        )
        on_output = poplin.ConvParams.OutputTransform(none, none, self.stride(), none, none)
        return poplin.ConvParams(
            popType(self.inInfo(0)),
            popType(result_type(self)),
            data[0],
            data[2:],
            weights[2:],
            weights[1],
            weights[0] // group,
            group,
            on_input,
            on_kernel,
            on_output,
        )


class ConvOp(ConvolvingOp, Contraction):
    """ONNX's Conv, versions 1, 11 and 22. A third input is a bias [out channels].

    Data and weights of FLOAT8_143 and FLOAT8_152 have the logarithm of a scale in its place, as in
    PopART: a scalar of INT32 in [-32, 32). The convolution times 2 to its power is FLOAT16. There
    is no gradient of it.
    """

    session_options = CONVOLUTION
    gradient_remedy = GRADIENT_REMEDY

    def setup(self) -> None:
        """Infers [batch, out channels, spatial...], with the type of the data. Raises
        OperatorInputError for shapes that do not fit, OperatorAttributeError for wrong attributes.
        """
        check_operands(self)
        shape = self.result_shape()
        if has_bias(self) and self.inShape(2) != shape[1:2]:
            raise OperatorInputError(
                f"{self.debugName()}: the bias has shape {self.inShape(2)}; expected is "
                f"{shape[1:2]}."
            )
        self.setOutInfo(0, TensorInfo(result_type(self), shape))

    def getGradOps(self) -> list[Op]:
        """One gradient operator for each input; none for data and weights of 8 bits."""
        if is_scaled(self):
            return []
        found: list[Op] = [ConvDataGradOp(self, 0), ConvWeightsGradOp(self, 1)]
        return [*found, ConvBiasGradOp(self, 2)] if self.hasInput(2) else found


@dataclass(frozen=True)
class Window:
    """How the window of a convolution moves, one number for each spatial dimension."""

    strides: list[int]
    dilations: list[int]
    lower: list[int]
    upper: list[int]


class ConvGradOp(InputGradOp):
    """The base class of the three gradients, with the forward convolution's parameters."""

    def __init__(self, fwdOp: ConvOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.group = fwdOp.group
        self.params = fwdOp.conv_params()
        self.window = Window(fwdOp.stride(), fwdOp.dilation(), *fwdOp.padding())


class ConvDataGradOp(ConvGradOp):
    """The gradient of the data: g convolved with the weights, flipped and transposed."""

    costly = True
    opid = graphcore_id("ConvDataGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def decompose(self, on: Decomposer, g: IrTensor, w: IrTensor) -> IrTensor:
        """A ConvTranspose onto the padded data, of which the data are a part."""
        how, spatial = self.window, self.target().shape()[2:]
        made = on.ConvTranspose(
            g, w, group=self.group, strides=how.strides, dilations=how.dilations
        )
        padded = [n + a + b for n, a, b in zip(spatial, how.lower, how.upper, strict=True)]
        more = [n - have for n, have in zip(padded, on.shape(made)[2:], strict=True)]
        zeros = [0] * len(more)
        # What no window reaches has no gradient; a negative padding has cut elements off.
        lower = [-a for a in how.lower]
        upper = [n - b for n, b in zip(more, how.upper, strict=True)]
        return on.Pad(made, on.ints(0, 0, *lower, 0, 0, *upper)) if zeros else made


class ConvWeightsGradOp(ConvGradOp):
    """The gradient of the weights: the data convolved with g."""

    costly = True
    opid = graphcore_id("ConvWeightsGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor) -> IrTensor:
        """A Conv of the data with g, in which the batch is what is summed over: strides and
        dilations change their places, and the channels of a group are a batch.
        """
        how = self.window
        data = on.Pad(x, on.ints(0, 0, *how.lower, 0, 0, *how.upper))
        return weights_gradient(on, data, g, self.group, how, self.target().shape()[2:])


def weights_gradient(
    on: Decomposer, data: IrTensor, g: IrTensor, groups: int, how: Window, window: list[int]
) -> IrTensor:
    """The gradient of a convolution's weights, by operators, from the padded data and g."""
    batch, channels, *padded = on.shape(data)
    spatial = list(range(3, 3 + len(padded)))
    # [batch, groups, c, ...] to [c, groups * batch, ...]
    data = on.reshape(data, [batch, groups, channels // groups, *padded])
    data = on.Transpose(data, perm=[2, 1, 0, *spatial])
    data = on.reshape(data, [channels // groups, groups * batch, *padded])
    # [batch, outs, ...] to [outs, batch, ...]
    steps = on.Transpose(g, perm=[1, 0, *(i - 1 for i in spatial)])
    made = on.Conv(
        data, steps, group=groups, strides=how.dilations, dilations=how.strides
    )  # [c, outs, ...]
    axes = on.ints(*range(2, 2 + len(window)))
    made = on.Slice(made, on.ints(*[0] * len(window)), on.ints(*window), axes)
    return on.Transpose(made, perm=[1, 0, *(i - 1 for i in spatial)])


class ConvBiasGradOp(ConvGradOp):
    """The gradient of the bias: g summed over batch and spatial dimensions."""

    opid = graphcore_id("ConvBiasGrad")

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A sum over batch and spatial dimensions."""
        dims = [i for i in range(len(on.shape(g))) if i != 1]
        return on.ReduceSum(g, on.ints(*dims), keepdims=0)


def grouped(weights: Tensor, group: int) -> Tensor:
    """ONNX's weights in poplin's shape, [group, out channels / group, in channels / group,
    window...].
    """
    shape = list(weights.shape())
    return weights.reshape([group, shape[0] // group, *shape[1:]])


def biased(opx: Opx, out: Tensor, bias: Tensor, prog: program.Sequence) -> Tensor:
    """The result of a convolution, which has the `product_type`, plus the bias, in the type of the
    bias.
    """
    kind = bias.elementType()
    if kind == out.elementType():
        poplin.addBias(opx.graph(), out, bias, prog, opx.debugContext("bias"))
        return out
    wide = bias.reshape([out.dim(1), *[1] * (out.rank() - 2)])
    return Arithmetic(opx, prog).map(Arg(0) + Arg(1), [out, wide], "bias", kind)


class ConvOpx(Opx):
    """Adds the convolution and the bias."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::convolution, and addBias or one map for the bias."""
        op = self.getOp(ConvOp)
        data, weights = operands(self, prog)
        weights = grouped(weights, op.group)
        params, flags = op.conv_params(), convolution_flags(op)
        if has_bias(op):
            params.outputType = product_type(op, data.elementType())
        out = poplin.convolution(
            self.graph(), data, weights, params, False, prog, self.debugContext(), flags
        )
        if has_bias(op):
            out = biased(self, out, self.getInTensor(2), prog)
        self.setOutTensor(0, out)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """Data and weights can be created."""
        return InputCreatorType.CanCreate if i < 2 else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """The data or weights in the layout of poplin::createInput or createWeights."""
        op = self.getOp(ConvOp)
        create = poplin.createWeights if i else poplin.createInput
        made = create(self.graph(), op.conv_params(), debugContext, convolution_flags(op))
        return made.reshape(self.inShape(i))


class ConvDataGradOpx(Opx):
    """The lowering of the gradient of the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::convolution with the transposed and flipped weights."""
        op = self.getOp(ConvDataGradOp)
        params = poplin.getGradientParams(op.params)
        weights = grouped(self.getInTensor(1), op.group)
        g, context = self.getInTensor(0), self.debugContext()
        flags = convolution_flags(op, "TRAINING_BWD")
        out = poplin.convolution(self.graph(), g, weights, params, True, prog, context, flags)
        self.setOutTensor(0, out)


class ConvWeightsGradOpx(Opx):
    """The lowering of the gradient of the weights."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::calculateWeightDeltas on g and the data."""
        op = self.getOp(ConvWeightsGradOp)
        g, data = self.getInTensor(0), self.getInTensor(1)
        flags = convolution_flags(op, "TRAINING_WU")
        out = poplin.calculateWeightDeltas(
            self.graph(), g, data, op.params, prog, self.debugContext(), flags
        )
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class ConvBiasGradOpx(Opx):
    """The lowering of the gradient of the bias."""

    def grow(self, prog: program.Sequence) -> None:
        """Sums over all dimensions but the channels."""
        g = self.getInTensor(0)
        dims = [0, *range(2, g.rank())]
        params = popops.ReduceParams(popops.Operation.ADD)
        self.setOutTensor(
            0, popops.reduce(self.graph(), g, dims, params, prog, self.debugContext())
        )


_IDS = onnx_ids("Conv", 1, 11, 22)
OpCreator(ConvOp, _IDS)
OpxCreator(ConvOpx, _IDS)
OpxCreator(ConvDataGradOpx, ConvDataGradOp.opid)
OpxCreator(ConvWeightsGradOpx, ConvWeightsGradOp.opid)
OpxCreator(ConvBiasGradOpx, ConvBiasGradOp.opid)
