"""ConvTranspose: the transpose of a convolution as a linear map, in one to three spatial
dimensions.

With the same weights and attributes it maps a Conv's output shape back to its data shape.
"""

from __future__ import annotations

from popir import poplin
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ir.dimensions import Dimensions
from popir.ops.contraction.conv import (
    ConvBiasGradOpx,
    Window,
    biased,
    grouped,
    weights_gradient,
)
from popir.ops.contraction.options import Contraction, contraction_flags, product_type
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
from popir.options.contractions import CONVOLUTION
from popir.opx import InputCreatorType, Opx, popType
from popir.poplar import Tensor, program
from popir.registry import OpCreator, OpxCreator
from popir.types import TensorInfo


class ConvTransposeOp(WindowOp, Contraction):
    """ONNX's ConvTranspose, versions 1, 11 and 22. Inputs: data [batch, in channels, spatial...],
    weights [in channels, out channels / group, window...], optionally a bias [out channels].

    One to three spatial dimensions; ONNX allows any number. `output_shape` may also begin with
    batch and channels, which are not read. Data and weights of 8 bits have the logarithm of a scale
    in the bias's place, as of Conv.
    """

    costly = True
    gradient_remedy = GRADIENT_REMEDY
    session_options = CONVOLUTION
    dilations: list[int] | None
    output_padding: list[int] | None
    output_shape: list[int] | None
    group: int

    def window(self) -> list[int]:
        """The window of the weights. Raises OperatorInputError if `kernel_shape` differs."""
        window = self.inShape(1)[2:]
        if 0 in window:
            raise OperatorInputError(
                f"{self.debugName()}: the weights have shape {self.inShape(1)}; a window has at "
                "least one element."
            )
        if self.kernel_shape and self.kernel_shape != window:
            raise OperatorInputError(
                f"{self.debugName()}: the weights have shape {self.inShape(1)}, which is not of "
                f"the kernel_shape {self.kernel_shape}."
            )
        return window

    def geometry(self) -> list[tuple[int, int, int, int]]:
        """For each spatial dimension (output size, padding cut off before, padding cut off after,
        zeros added at the end).

        Raises OperatorAttributeError or OperatorInputError for impossible attributes or sizes.
        """
        mode, n = self.auto_pad or "NOTSET", len(self.spatial_shape())
        extra = self.output_padding or [0] * n
        named = self.output_shape[-n:] if self.output_shape else None
        if 0 in self.spatial_shape():
            raise OperatorInputError(
                f"{self.debugName()}: the input {self.inShape(0)} has no elements in a spatial "
                "dimension."
            )
        for name, given, least in (("output_padding", extra, 0), ("output_shape", named, 1)):
            if given is None or (len(given) == n and min(given) >= least):
                continue
            small = [size for size in given if size < least]
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute '{name}' is {getattr(self, name)}; expected is "
                f"one number of at least {least} for each of {n} spatial dimensions"
                + (f", and {small[0]} is less." if small else ".")
            )
        is_same = mode.startswith("SAME")
        lower, upper = ([0] * n, [0] * n) if is_same else self.padding()
        found: list[tuple[int, int, int, int]] = []
        for d, (size, extent, step) in enumerate(
            zip(self.spatial_shape(), self.extent(), self.stride(), strict=True)
        ):
            whole = step * (size - 1) + extra[d] + extent
            before, after = lower[d], upper[d]
            if is_same or named:
                wanted = named[d] if named else size * step
                total = max(whole - wanted, 0)
                before = total // 2 if mode == "SAME_UPPER" else total - total // 2
                after = total - before
                if wanted - whole >= step:
                    raise OperatorAttributeError(
                        f"{self.debugName()}: output_shape is {self.output_shape}; the input "
                        f"{self.inShape(0)} reaches {whole} elements of spatial dimension {d}."
                    )
                found.append((wanted, before, after, extra[d] + max(wanted - whole, 0)))
            else:
                found.append((whole - before - after, before, after, extra[d]))
        if min(size for size, *_ in found) < 1:
            raise OperatorInputError(
                f"{self.debugName()}: of the input {self.inShape(0)} nothing is left with windows "
                f"that span {self.extent()} and the padding {lower} before and {upper} after."
            )
        return found

    def setup(self) -> None:
        """Infers [batch, out channels, spatial...], with the type of the data. Raises
        OperatorInputError for shapes that do not fit, OperatorAttributeError for wrong attributes.
        """
        check_operands(self)
        data, weights = self.inShape(0), self.inShape(1)
        spatial = self.spatial_shape()
        if self.group < 1:
            raise OperatorInputError(
                f"{self.debugName()}: group={self.group}: expected is 1 or more."
            )
        fits = len(weights) == len(data) and weights[0] == data[1]
        if not fits or data[1] % self.group:
            raise OperatorInputError(
                f"{self.debugName()}: data {data} and weights {weights} do not fit with "
                f"group={self.group}: expected are weights [{data[1]}, out channels / "
                f"{self.group}, {len(spatial)} dimensions of the window], the in channels a "
                "multiple of the group."
            )
        channels = weights[1] * self.group
        if has_bias(self) and self.inShape(2) != [channels]:
            raise OperatorInputError(
                f"{self.debugName()}: the bias has shape {self.inShape(2)}; expected is "
                f"{[channels]}."
            )
        shape = [data[0], channels, *(size for size, *_ in self.geometry())]
        self.setOutInfo(0, TensorInfo(result_type(self), shape))

    def dimensionNames(self) -> Dimensions | None:
        """The batch alone has a name."""
        names = ["batch", *[None] * (self.inRank(0) - 1)]
        return Dimensions({0: names}, {0: names})

    def getGradOps(self) -> list[Op]:
        """One gradient operator for each input; none for data and weights of 8 bits."""
        if is_scaled(self):
            return []
        found: list[Op] = [ConvTransposeDataGradOp(self, 0), ConvTransposeWeightsGradOp(self, 1)]
        return [*found, ConvTransposeBiasGradOp(self, 2)] if self.hasInput(2) else found

    def conv_params(self) -> poplin.ConvParams:
        """The convolution from the output to the data as poplin::ConvParams; this operator is its
        transpose.
        """
        data, weights = self.inShape(0), self.inShape(1)
        sizes, lower, upper, after = (list(each) for each in zip(*self.geometry(), strict=True))
        none, one = [0] * len(sizes), [1] * len(sizes)
        forwards = [False] * len(sizes)
        transform = poplin.ConvParams.InputTransform
        return poplin.ConvParams(
            popType(self.inInfo(0)),
            popType(result_type(self)),
            data[0],
            sizes,
            weights[2:],
            weights[1],
            weights[0] // self.group,
            self.group,
            # A negative padding cuts elements off.
            transform(
                [max(-p, 0) for p in lower],
                [max(-p, 0) for p in upper],
                one,
                [max(p, 0) for p in lower],
                [max(p, 0) for p in upper],
                forwards,
            ),
            transform(none, none, self.dilation(), none, none, forwards),
            poplin.ConvParams.OutputTransform(none, after, self.stride(), none, none),
        )


class ConvTransposeGradOp(InputGradOp):
    """The base class of the three gradients, with the forward operator's parameters."""

    def __init__(self, fwdOp: ConvTransposeOp, index: int) -> None:
        super().__init__(fwdOp, index)
        self.group = fwdOp.group
        self.params = fwdOp.conv_params()
        _, lower, upper, _ = (list(each) for each in zip(*fwdOp.geometry(), strict=True))
        self.window = Window(fwdOp.stride(), fwdOp.dilation(), lower, upper)

    def padded(self, on: Decomposer, g: IrTensor, window: list[int], steps: list[int]) -> IrTensor:
        """g with its padding, as far as `steps` windows reach."""
        how, n = self.window, len(steps)
        g = on.Pad(g, on.ints(0, 0, *how.lower, 0, 0, *how.upper))
        moves = zip(how.strides, how.dilations, window, steps, strict=True)
        ends = [s * (count - 1) + d * (k - 1) + 1 for s, d, k, count in moves]
        return on.Slice(g, on.ints(*[0] * n), on.ints(*ends), on.ints(*range(2, 2 + n)))


class ConvTransposeDataGradOp(ConvTransposeGradOp):
    """The gradient of the data: g convolved with the weights."""

    costly = True
    opid = graphcore_id("ConvTransposeDataGrad")
    reads = [(GRAD, 0), (IN, 1)]

    def decompose(self, on: Decomposer, g: IrTensor, w: IrTensor) -> IrTensor:
        """A Conv of the padded gradient."""
        g = self.padded(on, g, on.shape(w)[2:], self.target().shape()[2:])
        how = self.window
        return on.Conv(g, w, group=self.group, strides=how.strides, dilations=how.dilations)


class ConvTransposeWeightsGradOp(ConvTransposeGradOp):
    """The gradient of the weights: that of a convolution with g as its data and the data as its
    gradient.
    """

    costly = True
    opid = graphcore_id("ConvTransposeWeightsGrad")
    reads = [(GRAD, 0), (IN, 0)]

    def decompose(self, on: Decomposer, g: IrTensor, x: IrTensor) -> IrTensor:
        """That of a convolution's weights, by operators."""
        window = self.target().shape()[2:]
        g = self.padded(on, g, window, on.shape(x)[2:])
        return weights_gradient(on, g, x, self.group, self.window, window)


class ConvTransposeBiasGradOp(ConvTransposeGradOp):
    """The gradient of the bias: g summed over batch and spatial dimensions."""

    opid = graphcore_id("ConvTransposeBiasGrad")

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A sum over batch and spatial dimensions."""
        dims = [i for i in range(len(on.shape(g))) if i != 1]
        return on.ReduceSum(g, on.ints(*dims), keepdims=0)


class ConvTransposeOpx(Opx):
    """Adds the transposed convolution and the bias."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::convolution with the parameters of the gradient, and adds the bias."""
        op = self.getOp(ConvTransposeOp)
        data, weights = operands(self, prog)
        weights = grouped(weights, op.group)
        params = poplin.getGradientParams(op.conv_params())
        if has_bias(op):
            params.outputType = product_type(op, data.elementType())
        context, flags = self.debugContext(), contraction_flags(op)
        out = poplin.convolution(self.graph(), data, weights, params, True, prog, context, flags)
        if has_bias(op):
            out = biased(self, out, self.getInTensor(2), prog)
        self.setOutTensor(0, out)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        """The weights can be created."""
        return InputCreatorType.CanCreate if i == 1 else InputCreatorType.Deadend

    def createInputTensor(self, i: int, debugContext: str) -> Tensor:
        """The weights in the layout of poplin::createWeights."""
        op = self.getOp(ConvTransposeOp)
        params, flags = op.conv_params(), contraction_flags(op)
        made = poplin.createWeights(self.graph(), params, debugContext, flags)
        return made.reshape(self.inShape(i))


class ConvTransposeDataGradOpx(Opx):
    """The lowering of the gradient of the data."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::convolution with g and the weights."""
        op = self.getOp(ConvTransposeDataGradOp)
        g, weights = self.getInTensor(0), grouped(self.getInTensor(1), op.group)
        context, flags = self.debugContext(), contraction_flags(op)
        out = poplin.convolution(self.graph(), g, weights, op.params, False, prog, context, flags)
        self.setOutTensor(0, out)


class ConvTransposeWeightsGradOpx(Opx):
    """The lowering of the gradient of the weights."""

    def grow(self, prog: program.Sequence) -> None:
        """Calls poplin::calculateWeightDeltas with data and g exchanged."""
        op = self.getOp(ConvTransposeWeightsGradOp)
        g, data = self.getInTensor(0), self.getInTensor(1)
        out = poplin.calculateWeightDeltas(
            self.graph(), data, g, op.params, prog, self.debugContext(), contraction_flags(op)
        )
        self.setOutTensor(0, out.reshape(self.outShape(0)))


_IDS = onnx_ids("ConvTranspose", 1, 11, 22)
OpCreator(ConvTransposeOp, _IDS)
OpxCreator(ConvTransposeOpx, _IDS)
OpxCreator(ConvTransposeDataGradOpx, ConvTransposeDataGradOp.opid)
OpxCreator(ConvTransposeWeightsGradOpx, ConvTransposeWeightsGradOp.opid)
OpxCreator(ConvBiasGradOpx, ConvTransposeBiasGradOp.opid)
