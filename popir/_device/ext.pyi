"""
What PopLibs lacks: popir's own functions of the device.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import popir._device.popnn.pooling
import typing

__all__: list[str] = [
    "LossReduction",
    "NllParams",
    "PoolOptions",
    "RoiParams",
    "RoiPooling",
    "ScanOptions",
    "argExtremum",
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
    "runningProduct",
    "runningProductGradient",
    "runningSum",
    "softmax",
    "softmaxGrad",
    "softmaxInPlace",
]

class PoolOptions:
    """
    What ONNX's pooling has beyond popnn.pooling.
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
        dilation: empty for 1. uncountedPaddingUpper: the part of the upper padding that countIncludePad leaves out, because rounding up (ceil_mode) added it.
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
        Whether an average counts padding as zeros.
        """
    @countIncludePad.setter
    def countIncludePad(self, arg0: bool) -> None: ...
    @property
    def dilation(self) -> list[int]:
        """
        By dimension, the distance of neighbours in a window; empty for 1.
        """
    @dilation.setter
    def dilation(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def uncountedPaddingUpper(self) -> list[int]:
        """
        By dimension, the upper padding that countIncludePad leaves out.
        """
    @uncountedPaddingUpper.setter
    def uncountedPaddingUpper(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...

class LossReduction:
    """
    What becomes of the losses of the samples.

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
    How a negative log likelihood is computed.
    """
    def __init__(self) -> None: ...
    @property
    def hasIgnoreIndex(self) -> bool:
        """
        Whether samples labelled ignoreIndex count for nothing.
        """
    @hasIgnoreIndex.setter
    def hasIgnoreIndex(self, arg0: bool) -> None: ...
    @property
    def ignoreIndex(self) -> int:
        """
        The label of samples that count for nothing.
        """
    @ignoreIndex.setter
    def ignoreIndex(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def inputIsLogProbability(self) -> bool:
        """
        Whether p holds logarithms of probabilities.
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

def logSoftmax(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    x - log(sum(exp(x))) over the last dimension.
    """

def logSoftmaxGrad(
    graph: popir._device.poplar.Graph,
    y: popir._device.poplar.Tensor,
    g: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input, from logSoftmax's output `y` and the gradient `g` of it.
    """

def logSoftmaxInPlace(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same, written over `x`.
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
    The gradient of a MAX pooling's input: to the first maximum of each window, in row-major order.
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
    -log(p[label]) of each sample, times the weight of its class if there are any, their sum or mean. A label that is no class makes NaN.
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
    The gradient of nllLoss with respect to p.
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
    The gradient of nllLoss with respect to what p is the softmax of.
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
    Pools [batch, channels, spatial...] with these options.
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
    The gradient of an AVG or SUM pooling's input.
    """

def poolOutputFieldShape(
    params: popir._device.popnn.pooling.PoolParams, options: PoolOptions
) -> list[int]:
    """
    The size of the result by spatial dimension.
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
    scale exp(x) / sum(exp(x)) over the last dimension.
    """

def softmaxGrad(
    graph: popir._device.poplar.Graph,
    y: popir._device.poplar.Tensor,
    g: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input, from softmax's output `y` and the gradient `g` of it.
    """

def softmaxInPlace(
    graph: popir._device.poplar.Graph,
    x: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    scale: typing.SupportsFloat | typing.SupportsIndex = 1.0,
) -> None:
    """
    The same, written over `x`.
    """
