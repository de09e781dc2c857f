"""
Pooling, non-linear functions and losses (PopLibs: popnn).
"""

from __future__ import annotations
import popir._device.poplar
import popir._device.poplar.program
import typing
from . import pooling

__all__: list[str] = [
    "LossType",
    "NonLinearityType",
    "PoolingType",
    "argMax",
    "argMin",
    "calcAccuracy",
    "calcLoss",
    "gelu",
    "geluErf",
    "geluErfInPlace",
    "geluInPlace",
    "logSoftmax",
    "logSoftmaxInPlace",
    "maxAndArgMax",
    "minAndArgMin",
    "nonLinearity",
    "nonLinearityInPlace",
    "nonLinearityInputGradient",
    "pooling",
    "relu",
    "reluInPlace",
    "scaledSoftmaxStable",
    "scaledSoftmaxStableInPlace",
    "sigmoid",
    "sigmoidInPlace",
    "softmax",
    "softmaxInPlace",
    "softmaxStable",
    "softmaxStableInPlace",
    "swish",
    "swishInPlace",
    "tanh",
    "tanhInPlace",
]

class PoolingType:
    """
    What a pooling makes of the elements of a window.

    Members:

      MAX

      AVG

      SUM
    """

    AVG: typing.ClassVar[PoolingType]
    MAX: typing.ClassVar[PoolingType]
    SUM: typing.ClassVar[PoolingType]
    __members__: typing.ClassVar[dict[str, PoolingType]]
    @typing.overload
    def __eq__(self, other: PoolingType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: PoolingType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class NonLinearityType:
    """
    The function that a nonLinearity is.

    Members:

      SIGMOID

      HARD_SIGMOID

      RELU

      TANH

      GELU

      GELU_ERF

      SWISH

      SOFTMAX

      SOFTMAX_STABLE

      SOFTMAX_SCALED
    """

    GELU: typing.ClassVar[NonLinearityType]
    GELU_ERF: typing.ClassVar[NonLinearityType]
    HARD_SIGMOID: typing.ClassVar[NonLinearityType]
    RELU: typing.ClassVar[NonLinearityType]
    SIGMOID: typing.ClassVar[NonLinearityType]
    SOFTMAX: typing.ClassVar[NonLinearityType]
    SOFTMAX_SCALED: typing.ClassVar[NonLinearityType]
    SOFTMAX_STABLE: typing.ClassVar[NonLinearityType]
    SWISH: typing.ClassVar[NonLinearityType]
    TANH: typing.ClassVar[NonLinearityType]
    __members__: typing.ClassVar[dict[str, NonLinearityType]]
    @typing.overload
    def __eq__(self, other: NonLinearityType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: NonLinearityType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class LossType:
    """
    What calcLoss computes of each sample.

    Members:

      SUM_SQUARED_LOSS

      CROSS_ENTROPY_LOSS
    """

    CROSS_ENTROPY_LOSS: typing.ClassVar[LossType]
    SUM_SQUARED_LOSS: typing.ClassVar[LossType]
    __members__: typing.ClassVar[dict[str, LossType]]
    @typing.overload
    def __eq__(self, other: LossType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.SupportsInt | typing.SupportsIndex) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: LossType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.SupportsInt | typing.SupportsIndex) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

def argMax(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The column of the first maximum of each row, UNSIGNED_INT [rows]. NaN is larger than every number.
    """

def argMin(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The column of the first minimum of each row, UNSIGNED_INT [rows]. NaN is smaller than every number.
    """

def calcAccuracy(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    numCorrect: popir._device.poplar.Tensor,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    A program that adds to `numCorrect` as that of calcLoss does.
    """

@typing.overload
def calcLoss(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    loss: popir._device.poplar.Tensor,
    deltas: popir._device.poplar.Tensor,
    lossType: LossType,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    A program that writes `loss` [batch] and `deltas` [batch, classes], the gradient with respect to `modelOutputs` [batch, classes], FLOAT or HALF. `expected` [batch]: the class of each sample, INT or UNSIGNED_INT. Raises poplibs_exception for shapes and types that do not fit each other.
    """

@typing.overload
def calcLoss(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    loss: popir._device.poplar.Tensor,
    deltas: popir._device.poplar.Tensor,
    deltasScale: popir._device.poplar.Tensor,
    modelOutputScaling: popir._device.poplar.Tensor,
    lossType: LossType,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    The same of CROSS_ENTROPY_LOSS with the deltas times `deltasScale` and the outputs divided by `modelOutputScaling`, one element each.
    """

@typing.overload
def calcLoss(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    loss: popir._device.poplar.Tensor,
    deltas: popir._device.poplar.Tensor,
    numCorrect: popir._device.poplar.Tensor,
    lossType: LossType,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    The same, and `numCorrect`, one element, grows by the number of samples whose first largest output is that of the expected class.
    """

@typing.overload
def calcLoss(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    loss: popir._device.poplar.Tensor,
    deltas: popir._device.poplar.Tensor,
    deltasScale: popir._device.poplar.Tensor,
    modelOutputScaling: popir._device.poplar.Tensor,
    numCorrect: popir._device.poplar.Tensor,
    lossType: LossType,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    The same of CROSS_ENTROPY_LOSS with scales and numCorrect.
    """

def gelu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type GELU: a new tensor.
    """

def geluErf(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type GELU_ERF: a new tensor.
    """

def geluErfInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type GELU_ERF.
    """

def geluInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type GELU.
    """

def logSoftmax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor: x - log(sum(exp(x))) over the last dimension.
    """

def logSoftmaxInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same, written over `t`.
    """

def maxAndArgMax(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    The first maximum of each row, and its column.
    """

def minAndArgMin(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    The first minimum of each row, and its column.
    """

def nonLinearity(
    graph: popir._device.poplar.Graph,
    nonLinearityType: NonLinearityType,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor: the function of each element, or softmax over the last dimension. FLOAT, HALF or DOUBLE. SOFTMAX_SCALED multiplies by 62000, so that small probabilities fit in HALF. Raises poplibs_exception for other types, and for a softmax of a scalar.
    """

def nonLinearityInPlace(
    graph: popir._device.poplar.Graph,
    nonLinearityType: NonLinearityType,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same, written over `t`.
    """

def nonLinearityInputGradient(
    graph: popir._device.poplar.Graph,
    nonLinearityType: NonLinearityType,
    act: popir._device.poplar.Tensor,
    outGradient: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The gradient of the input of nonLinearity. `act`: its output; for GELU, GELU_ERF and SWISH its input. Raises poplibs_exception for SOFTMAX_SCALED, and for different shapes or types.
    """

def relu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type RELU: a new tensor.
    """

def reluInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type RELU.
    """

def scaledSoftmaxStable(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type SOFTMAX_SCALED: a new tensor.
    """

def scaledSoftmaxStableInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type SOFTMAX_SCALED.
    """

def sigmoid(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type SIGMOID: a new tensor.
    """

def sigmoidInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type SIGMOID.
    """

def softmax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type SOFTMAX: a new tensor.
    """

def softmaxInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type SOFTMAX.
    """

def softmaxStable(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type SOFTMAX_STABLE: a new tensor.
    """

def softmaxStableInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type SOFTMAX_STABLE.
    """

def swish(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type SWISH: a new tensor.
    """

def swishInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type SWISH.
    """

def tanh(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    nonLinearity of the type TANH: a new tensor.
    """

def tanhInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    nonLinearityInPlace of the type TANH.
    """
