"""Conv: convolution of [batch, channels, spatial...] in one to three spatial dimensions."""

from __future__ import annotations

from popir import poplin, popops
from popir.errors import OperatorInputError
from popir.ir import Op
from popir.ops.arithmetic import Arithmetic, accumulator
from popir.ops.contraction_options import Contraction, contractionFlags
from popir.ops.gradient import GRAD, IN, InputGradOp
from popir.ops.identifiers import graphcoreId, onnxIds
from popir.ops.spatial import WindowOp
from popir.ops.symbolic import Arg
from popir.options.contractions import CONVOLUTION
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class ConvOp(WindowOp, Contraction):
    """Inputs: data, weights [out channels, in channels / group, window...], optionally a bias [out
    channels].
    """

    sessionOptions = CONVOLUTION
    dilations: list[int] | None
    group: int

    def window(self) -> list[int]:
        """That of the weights; `kernel_shape`, where given, must agree."""
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

    def setup(self) -> None:
        """[batch, out channels, spatial...]"""
        data, weights = self.inShape(0), self.inShape(1)
        spatial = self.spatialShape()
        if (
            len(weights) != len(data)
            or weights[1] * self.group != data[1]
            or weights[0] % self.group
        ):
            raise OperatorInputError(
                f"{self.debugName()}: data {data} and weights {weights} do not fit with "
                f"group={self.group}: expected are weights [out channels, {data[1]} / "
                f"{self.group}, {len(spatial)} dimensions of the window], the out channels a "
                "multiple of the group."
            )
        if self.hasInput(2) and self.inShape(2) != weights[:1]:
            raise OperatorInputError(
                f"{self.debugName()}: the bias has shape {self.inShape(2)}; expected is "
                f"{weights[:1]}."
            )
        shape = [data[0], weights[0], *self.outputSpatial()]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), shape))

    def getSubgraphValue(self) -> float:
        """Expensive."""
        return self.getHighSubgraphValue()

    def getGradOps(self) -> list[Op]:
        """One for each input."""
        found: list[Op] = [ConvDataGradOp(self, 0), ConvWeightsGradOp(self, 1)]
        return [*found, ConvBiasGradOp(self, 2)] if self.hasInput(2) else found

    def convParams(self) -> poplin.ConvParams:
        """The convolution in poplin's terms."""
        data, weights, group = self.inShape(0), self.inShape(1), self.group
        lower, upper = self.padding()
        none, one, forwards = [0] * len(lower), [1] * len(lower), [False] * len(lower)
        # A negative padding cuts elements off.
        onInput = poplin.ConvParams.InputTransform(
            [max(-p, 0) for p in lower],
            [max(-p, 0) for p in upper],
            one,
            [max(p, 0) for p in lower],
            [max(p, 0) for p in upper],
            forwards,
        )
        onKernel = poplin.ConvParams.InputTransform(
            none, none, self.dilation(), none, none, forwards
        )
        onOutput = poplin.ConvParams.OutputTransform(none, none, self.stride(), none, none)
        return poplin.ConvParams(
            popType(self.inInfo(0)),
            popType(self.inInfo(0)),
            data[0],
            data[2:],
            weights[2:],
            weights[1],
            weights[0] // group,
            group,
            onInput,
            onKernel,
            onOutput,
        )


class ConvGradOp(InputGradOp):
    """Base of the three: keeps the forward convolution's parameters."""

    def __init__(self, fwdOp: ConvOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.group = fwdOp.group
        self.params = fwdOp.convParams()


class ConvDataGradOp(ConvGradOp):
    """The convolution of g with the weights, flipped and transposed."""

    opid = graphcoreId("ConvDataGrad")
    reads = [(GRAD, 0), (IN, 1)]


class ConvWeightsGradOp(ConvGradOp):
    """The convolution of the data with g."""

    opid = graphcoreId("ConvWeightsGrad")
    reads = [(GRAD, 0), (IN, 0)]


class ConvBiasGradOp(ConvGradOp):
    """g, summed over batch and space."""

    opid = graphcoreId("ConvBiasGrad")


def grouped(weights: Tensor, group: int) -> Tensor:
    """ONNX's weights as poplin's: [group, out channels / group, in channels / group, window...]."""
    shape = list(weights.shape())
    return weights.reshape([group, shape[0] // group, *shape[1:]])


def biased(opx: Opx, out: Tensor, bias: Tensor, prog: program.Sequence) -> Tensor:
    """A convolution's result, in the accumulator's type, with the bias added, in the bias's."""
    kind = bias.elementType()
    if kind == out.elementType():
        poplin.addBias(opx.graph(), out, bias, prog, opx.debugContext("bias"))
        return out
    wide = bias.reshape([out.dim(1), *[1] * (out.rank() - 2)])
    return Arithmetic(opx, prog).map(Arg(0) + Arg(1), [out, wide], "bias", kind)


class ConvOpx(Opx):
    """The convolution, and the bias added to it."""

    def grow(self, prog: program.Sequence) -> None:
        """poplin's."""
        op = self.getOp(ConvOp)
        weights = grouped(self.getInTensor(1), op.group)
        data, params, flags = self.getInTensor(0), op.convParams(), contractionFlags(op)
        if op.hasInput(2):
            params.outputType = accumulator(data.elementType())
        out = poplin.convolution(
            self.graph(), data, weights, params, False, prog, self.debugContext(), flags
        )
        if op.hasInput(2):
            out = biased(self, out, self.getInTensor(2), prog)
        self.setOutTensor(0, out)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """Data and weights."""
        return InputCreatorType.CanCreate if i < 2 else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """As the convolution wants it."""
        op = self.getOp(ConvOp)
        create = poplin.createWeights if i else poplin.createInput
        made = create(self.graph(), op.convParams(), debugContext, contractionFlags(op))
        return made.reshape(self.inShape(i))


class ConvDataGradOpx(Opx):
    """With respect to the data."""

    def grow(self, prog: program.Sequence) -> None:
        """poplin's backward convolution."""
        op = self.getOp(ConvDataGradOp)
        params = poplin.getGradientParams(op.params)
        weights = grouped(self.getInTensor(1), op.group)
        g, context, flags = self.getInTensor(0), self.debugContext(), contractionFlags(op)
        out = poplin.convolution(self.graph(), g, weights, params, True, prog, context, flags)
        self.setOutTensor(0, out)


class ConvWeightsGradOpx(Opx):
    """With respect to the weights."""

    def grow(self, prog: program.Sequence) -> None:
        """poplin's weight update."""
        op = self.getOp(ConvWeightsGradOp)
        g, data = self.getInTensor(0), self.getInTensor(1)
        out = poplin.calculateWeightDeltas(
            self.graph(), g, data, op.params, prog, self.debugContext(), contractionFlags(op)
        )
        self.setOutTensor(0, out.reshape(self.outShape(0)))


class ConvBiasGradOpx(Opx):
    """With respect to the bias."""

    def grow(self, prog: program.Sequence) -> None:
        """A sum over all but the channels."""
        g = self.getInTensor(0)
        dims = [0, *range(2, g.rank())]
        params = popops.ReduceParams(popops.Operation.ADD)
        self.setOutTensor(
            0, popops.reduce(self.graph(), g, dims, params, prog, self.debugContext())
        )


_IDS = onnxIds("Conv", 1, 11, 22)
OpCreator(ConvOp, _IDS)
OpxCreator(ConvOpx, _IDS)
OpxCreator(ConvDataGradOpx, ConvDataGradOp.opid)
OpxCreator(ConvWeightsGradOpx, ConvWeightsGradOp.opid)
OpxCreator(ConvBiasGradOpx, ConvBiasGradOp.opid)
