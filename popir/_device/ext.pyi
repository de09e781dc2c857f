"""
Functions that PopLibs lacks: popir's own, from the C++ headers under popir/.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import popir._device.poplin
import popir._device.popnn.pooling
import typing

__all__: list[str] = [
    "LossReduction",
    "NllParams",
    "PoolOptions",
    "RoiParams",
    "RoiPooling",
    "ScanOptions",
    "abortOnCondition",
    "argExtremum",
    "dequantizeBits",
    "integerConvolution",
    "integerProduct",
    "isCompact",
    "logSoftmax",
    "logSoftmaxGrad",
    "logSoftmaxInPlace",
    "maxPoolIndices",
    "maxPoolInputGradient",
    "nllLoss",
    "nllLossGrad",
    "nllSoftmaxGrad",
    "pool",
    "poolInputGradient",
    "poolOutputFieldShape",
    "roiPool",
    "roiPoolInputGradient",
    "roiPoolTangent",
    "runningProduct",
    "runningProductGradient",
    "runningSum",
    "softmax",
    "softmaxGrad",
    "softmaxInPlace",
]

class PoolOptions:
    """
    The options of ONNX's pooling that popnn.pooling.PoolParams lacks.
    """
    def __getstate__(self) -> tuple[list[int], bool, list[int]]: ...
    def __init__(
        self,
        dilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [],
        countIncludePad: bool = False,
        uncountedPaddingUpper: collections.abc.Sequence[
            typing.SupportsInt | typing.SupportsIndex
        ] = [],
    ) -> None:
        """
        Lists have one entry for each spatial dimension, or none.
        """
    def __setstate__(
        self,
        arg0: tuple[
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            bool,
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        ],
    ) -> None: ...
    @property
    def countIncludePad(self) -> bool:
        """
        For AVG: whether padding counts in the divisor.
        """
    @countIncludePad.setter
    def countIncludePad(self, arg0: bool) -> None: ...
    @property
    def dilation(self) -> list[int]:
        """
        By spatial dimension: the distance of neighbouring elements
        of a window; empty for 1.
        """
    @dilation.setter
    def dilation(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def uncountedPaddingUpper(self) -> list[int]:
        """
        By spatial dimension: the part of the upper padding that does not count even with
        `countIncludePad`, because rounding up (ceil_mode) added it; empty for 0.
        """
    @uncountedPaddingUpper.setter
    def uncountedPaddingUpper(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...

class LossReduction:
    """
    What nllLoss() returns: a loss for each sample (None_), their sum, or their mean.

    Members:

      None_

      Sum

      Mean
    """

    Mean: typing.ClassVar[LossReduction]
    None_: typing.ClassVar[LossReduction]
    Sum: typing.ClassVar[LossReduction]
    __members__: typing.ClassVar[dict[str, LossReduction]]
    @typing.overload
    def __eq__(self, other: LossReduction) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: LossReduction) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class NllParams:
    """
    The parameters of nllLoss() and its gradients.
    """
    def __init__(self) -> None: ...
    @property
    def hasIgnoreIndex(self) -> bool:
        """
        Whether samples with the label `ignoreIndex` have loss and gradient 0, and
        do not count in the mean.
        """
    @hasIgnoreIndex.setter
    def hasIgnoreIndex(self, arg0: bool) -> None: ...
    @property
    def ignoreIndex(self) -> int:
        """
        The label of samples that `hasIgnoreIndex` leaves out.
        """
    @ignoreIndex.setter
    def ignoreIndex(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def inputIsLogProbability(self) -> bool:
        """
        Whether `p` holds logarithms of probabilities.
        """
    @inputIsLogProbability.setter
    def inputIsLogProbability(self, arg0: bool) -> None: ...
    @property
    def reduction(self) -> LossReduction:
        """
        Sum, Mean (the default), or None_ for a loss of each sample.
        """
    @reduction.setter
    def reduction(self, arg0: LossReduction) -> None: ...

class ScanOptions:
    """
    How a scan goes along its dimension.
    """
    def __init__(self, exclusive: bool = False, reverse: bool = False) -> None:
        """
        exclusive: without the element itself, so that the first result is 0, or 1. reverse: from the last element to the first.
        """
    @property
    def exclusive(self) -> bool:
        """
        Whether a result leaves out the element at its place.
        """
    @exclusive.setter
    def exclusive(self, arg0: bool) -> None: ...
    @property
    def reverse(self) -> bool:
        """
        Whether it begins at the last element.
        """
    @reverse.setter
    def reverse(self, arg0: bool) -> None: ...

class RoiPooling:
    """
    What becomes of a bin, an equal part of a region.

    Members:

      AlignAverage

      AlignMax

      Max
    """

    AlignAverage: typing.ClassVar[RoiPooling]
    AlignMax: typing.ClassVar[RoiPooling]
    Max: typing.ClassVar[RoiPooling]
    __members__: typing.ClassVar[dict[str, RoiPooling]]
    @typing.overload
    def __eq__(self, other: RoiPooling) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: RoiPooling) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class RoiParams:
    """
    A pooling over regions of images.
    """
    def __getstate__(self) -> tuple[RoiPooling, int, int, float, int, bool]: ...
    def __init__(self) -> None: ...
    def __setstate__(
        self,
        arg0: tuple[
            RoiPooling,
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsFloat | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            bool,
        ],
    ) -> None: ...
    @property
    def halfPixel(self) -> bool:
        """
        Whether pixel i reaches from i to i + 1, not from i - 1/2 to i + 1/2.
        """
    @halfPixel.setter
    def halfPixel(self, arg0: bool) -> None: ...
    @property
    def height(self) -> int:
        """
        Bins of a region, down.
        """
    @height.setter
    def height(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def pooling(self) -> RoiPooling:
        """
        The mean of interpolated samples (AlignAverage), their largest weighted pixel (AlignMax), or the largest pixel (Max).
        """
    @pooling.setter
    def pooling(self, arg0: RoiPooling) -> None: ...
    @property
    def samplingRatio(self) -> int:
        """
        Samples of a bin in each direction; 0 for as many as it has pixels.
        """
    @samplingRatio.setter
    def samplingRatio(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def scale(self) -> float:
        """
        Pixels for a step of the coordinates.
        """
    @scale.setter
    def scale(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def width(self) -> int:
        """
        Bins of a region, across.
        """
    @width.setter
    def width(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

def abortOnCondition(
    graph: popir._device.poplar.Graph,
    condition: popir._device.poplar.Tensor,
    text: str,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Ends the run with an error, with this text, if an element of `condition` is true. What the program has written until then stays written.
    `condition`: BOOL, of any shape.
    Raises poplibs_exception for another type.
    """

def argExtremum(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    max: bool,
    last: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    popnn.argMax or argMin; with `last` the last of several equal extrema. The input may also be [outer, columns, inner], and the index [outer, inner].
    """

def dequantizeBits(
    graph: popir._device.poplar.Graph,
    numbers: popir._device.poplar.Tensor,
    scales: popir._device.poplar.Tensor,
    zeros: popir._device.poplar.Tensor | None,
    type: popir._device.poplar.Type,
    bits: typing.SupportsInt | typing.SupportsIndex,
    columns: typing.SupportsInt | typing.SupportsIndex,
    roundsRows: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The values of a matrix [rows, columns] of numbers of `bits` bits, 2, 4 or 8: a new tensor
    of `type`, FLOAT, HALF or BFLOAT16, (number - 2^(bits - 1) - zero point) * scale.
    `numbers`: UNSIGNED_CHAR [rows, blocks, bytes of a block], the lowest bits of a byte
    first. The last block of a row may reach beyond `columns`. A block has a multiple of 16
    numbers.
    `scales`, `zeros`: FLOAT [blocks, rows]; None for zero points that are all 0.
    A matrix product that alone reads the values, transposed, reads the numbers instead
    (engine option host.fuse). With `roundsRows` it may round its other operand to bytes,
    with a scale for each block.
    Raises poplibs_exception for shapes and types that do not match, for other bits and blocks.
    """

def integerConvolution(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    weights: popir._device.poplar.Tensor,
    params: popir._device.poplin.ConvParams,
    inZero: popir._device.poplar.Tensor | None,
    weightZeros: popir._device.poplar.Tensor | None,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The convolution of `in_` - inZero and `weights` - weightZeros, a new tensor INT, of
    SIGNED_CHAR or UNSIGNED_CHAR in the shapes that `params`, a poplin.ConvParams, has; its
    types do not count. It pads with inZero. The sums wrap around at 32 bits.
    `inZero`, `weightZeros`: zero points in the type of their operand, [1], or one for each
    output channel of the weights; None for none.
    Raises poplibs_exception for shapes and types that do not match, and for parameters with
    other transforms than truncation and padding of the input, dilation of the kernel, and
    strides, and if windows reach too far (isCompact).
    """

def integerProduct(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    aZeros: popir._device.poplar.Tensor | None,
    bZeros: popir._device.poplar.Tensor | None,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    (A - aZeros) (B - bZeros), a new tensor INT [groups, m, n], for A [groups, m, k] and B
    [groups, k, n] of SIGNED_CHAR or UNSIGNED_CHAR. The sums wrap around at 32 bits.
    `aZeros`, `bZeros`: zero points in the type of their operand, [1] or one for each row
    of A, [groups, m], or column of B, [groups, n]; None for none.
    Raises poplibs_exception for shapes and types that do not match.
    """

def isCompact(params: popir._device.poplin.ConvParams) -> bool:
    """
    Whether the windows of a convolution reach over no more than 16 times the elements of
    its input and output, and 2^16, in a channel.
    """

def logSoftmax(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the shape and type of `x`: x - log(sum(exp(x))) over the last
    dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.
    Raises poplibs_exception for other types and for a scalar.
    """

def logSoftmaxGrad(
    graph: popir._device.poplar.Graph,
    y: popir._device.poplar.Tensor,
    g: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input of logSoftmax(): a new tensor, g - exp(y) * sum(g).
    `y`: its output.
    `g`: the gradient of the output.
    Raises poplibs_exception for different shapes or types, and as logSoftmax().
    """

def logSoftmaxInPlace(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as logSoftmax(), with the result written to `x`.
    """

def maxPoolIndices(
    graph: popir._device.poplar.Graph,
    params: popir._device.popnn.pooling.PoolParams,
    options: PoolOptions,
    in_: popir._device.poplar.Tensor,
    columnMajor: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    Where the maxima of a MAX pooling are: LONGLONG, the index in the flattened input of the first maximum of each window; -1 for a window without an element. columnMajor: within a channel, its first spatial dimension counts fastest.
    """

def maxPoolInputGradient(
    graph: popir._device.poplar.Graph,
    params: popir._device.popnn.pooling.PoolParams,
    options: PoolOptions,
    in_: popir._device.poplar.Tensor,
    pooledGradient: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input of pool() with MAX: a new tensor of its shape. The first
    maximum of each window in row-major order, or its first NaN, gets the window's
    gradient, as in PyTorch and onnxruntime. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.
    Raises poplibs_exception for AVG and SUM, and for parameters, shapes and
    types that do not match.
    """

def nllLoss(
    graph: popir._device.poplar.Graph,
    p: popir._device.poplar.Tensor,
    labels: popir._device.poplar.Tensor,
    params: NllParams,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    weights: popir._device.poplar.Tensor | None = None,
) -> popir._device.poplar.Tensor:
    """
    The negative log likelihood loss, as PopART's nllloss defines it: -log(p[label]) of
    each sample, times the weight of its class. The result has the type of `p`:
    [samples...] for None_, else a scalar. The mean is over the samples that are not
    ignored, and weighted by the weights.
    `p`: probabilities [samples..., classes], FLOAT, HALF, BFLOAT16 or DOUBLE; below
    1e-7 (6.104e-5 for HALF) they count as this.
    `labels`: [samples...], 32-bit or 64-bit integers; a label
    that is no class makes NaN.
    `weights`: [classes] of the type of `p`, or None.
    Raises poplibs_exception for shapes and types that do not match.
    """

def nllLossGrad(
    graph: popir._device.poplar.Graph,
    g: popir._device.poplar.Tensor,
    p: popir._device.poplar.Tensor,
    labels: popir._device.poplar.Tensor,
    params: NllParams,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    weights: popir._device.poplar.Tensor | None = None,
) -> popir._device.poplar.Tensor:
    """
    The gradient of nllLoss() with respect to `p`: a new tensor of its shape and type.
    `g`: the gradient of the loss, [samples...] for None_, else one element; of
    the type of `p`, or FLOAT.
    Raises poplibs_exception for shapes and types that do not match.
    """

def nllSoftmaxGrad(
    graph: popir._device.poplar.Graph,
    g: popir._device.poplar.Tensor,
    p: popir._device.poplar.Tensor,
    labels: popir._device.poplar.Tensor,
    params: NllParams,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    weights: popir._device.poplar.Tensor | None = None,
) -> popir._device.poplar.Tensor:
    """
    The gradient of nllLoss() with respect to x, where p = softmax(x), or p =
    logSoftmax(x) if `inputIsLogProbability`: a new tensor of the shape and type of `p`.
    `g`: as for nllLossGrad().
    Raises poplibs_exception for shapes and types that do not match.
    """

def pool(
    graph: popir._device.poplar.Graph,
    params: popir._device.popnn.pooling.PoolParams,
    options: PoolOptions,
    in_: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as popnn.pooling.pool(), with these options. Shapes, types
    and errors are the same.
    """

def poolInputGradient(
    graph: popir._device.poplar.Graph,
    params: popir._device.popnn.pooling.PoolParams,
    options: PoolOptions,
    pooledGradient: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input of pool() with AVG or SUM: a new tensor of its shape.
    Types: FLOAT, HALF, BFLOAT16 or DOUBLE.
    `pooledGradient`: the gradient of the result, of its shape and type.
    Raises poplibs_exception for MAX, and for parameters, shapes and
    types that do not match.
    """

def poolOutputFieldShape(
    params: popir._device.popnn.pooling.PoolParams, options: PoolOptions
) -> list[int]:
    """
    By spatial dimension: the size of the result, (padded input - dilation * (kernel -
    1) - 1) / stride + 1, rounded down; 0 if the window does not fit.
    Raises poplibs_exception for lists of other lengths, and for a kernel,
    stride or dilation of 0.
    """

def roiPool(
    graph: popir._device.poplar.Graph,
    params: RoiParams,
    regions: popir._device.poplar.Tensor,
    images: popir._device.poplar.Tensor,
    in_: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    [regions, channels, height, width] of `in_` [images, channels, height, width]. `regions`: [regions, 4], x and y of two corners; `images`: INT [regions], the image of each. Raises poplibs_exception for other shapes and types.
    """

def roiPoolInputGradient(
    graph: popir._device.poplar.Graph,
    params: RoiParams,
    regions: popir._device.poplar.Tensor,
    images: popir._device.poplar.Tensor,
    in_: popir._device.poplar.Tensor,
    gradient: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of roiPool's `in_`; a maximum's goes to the first one.
    """

def roiPoolTangent(
    graph: popir._device.poplar.Graph,
    params: RoiParams,
    regions: popir._device.poplar.Tensor,
    images: popir._device.poplar.Tensor,
    in_: popir._device.poplar.Tensor,
    tangent: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The derivative of roiPool in a direction: `tangent` has type and shape of `in_`, the result those of roiPool's. A maximum's is that of the first one.
    """

def runningProduct(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
    options: ScanOptions,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    x[0] ... x[i] along a dimension, as runningSum.
    """

def runningProductGradient(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    g: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
    options: ScanOptions,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of runningProduct's x, from x and the gradient g of its result. x may have zeros.
    """

def runningSum(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    dimension: typing.SupportsInt | typing.SupportsIndex,
    options: ScanOptions,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    x[0] + ... + x[i] along a dimension, in the shape of x. Raises poplibs_exception for other types than floating point and 32- and 64-bit integers, which wrap.
    """

def softmax(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    scale: typing.SupportsFloat | typing.SupportsIndex = 1.0,
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the shape and type of `x`: scale * exp(x) / sum(exp(x))
    over the last dimension. Finite inputs never overflow. Types: FLOAT,
    HALF, BFLOAT16 or DOUBLE.
    Raises poplibs_exception for other types and for a scalar.
    """

def softmaxGrad(
    graph: popir._device.poplar.Graph,
    y: popir._device.poplar.Tensor,
    g: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input of softmax() with scale 1: a new
    tensor, y * (g - sum(g * y)).
    `y`: its output.
    `g`: the gradient of the output.
    Raises poplibs_exception for different shapes or types, and as softmax().
    """

def softmaxInPlace(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    scale: typing.SupportsFloat | typing.SupportsIndex = 1.0,
) -> None:
    """
    The same as softmax(), with the result written to `x`.
    """
