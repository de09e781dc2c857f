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
    What a pooling computes of the elements of a window (PopLibs: popnn/PoolingDef.hpp).
    AVG divides by the number of elements, without padding.

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
    The functions of nonLinearity() (PopLibs: popnn/NonLinearityDef.hpp). HARD_SIGMOID:
    max(0, min(1, 0.2 x + 0.5)). GELU: by tanh; GELU_ERF: by erf. SWISH: x sigmoid(x).
    SOFTMAX and SOFTMAX_STABLE are the same; SOFTMAX_SCALED is 62000 times softmax.

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
    The losses of calcLoss() (PopLibs: popnn/Loss.hpp). With t = 1 for the expected
    class and 0 for others, SUM_SQUARED_LOSS is sum((output - t)^2) / 2, with deltas
    output - t; CROSS_ENTROPY_LOSS is -log(output of the expected class), with deltas
    output - t, the gradient of the softmax's input.

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
    The column of the first maximum of each row of `input` [rows, columns]: a new tensor
    [rows] of UNSIGNED_INT. NaN is larger than every number. Types: FLOAT, HALF,
    BFLOAT16 or DOUBLE, 32-bit and 64-bit integers.
    Raises poplibs_exception for another type or rank, and for rows without columns.
    """

def argMin(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as argMax() for the first minimum of each row. NaN is
    smaller than every number.
    """

def calcAccuracy(
    graph: popir._device.poplar.Graph,
    modelOutputs: popir._device.poplar.Tensor,
    expected: popir._device.poplar.Tensor,
    numCorrect: popir._device.poplar.Tensor,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.program.Program:
    """
    A program that adds to `numCorrect`, one element of INT or UNSIGNED_INT, the number
    of samples whose first maximum is at the expected class. `modelOutputs` and
    `expected` are those of calcLoss().
    Raises poplibs_exception for other shapes and types.
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
    A program that computes the loss of each sample, and its gradient.
    `modelOutputs`: [batch, classes], FLOAT or HALF.
    `expected`: [batch], INT or UNSIGNED_INT, the class of each sample. A
    masked label (2**32 - 1, in INT -1) gives loss and deltas 0, any other
    number that is no class NaN.
    `loss`: [batch], written.
    `deltas`: [batch, classes], written. Both have the type of `modelOutputs`.
    Raises poplibs_exception for shapes and types that do not match.
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
    The same for CROSS_ENTROPY_LOSS, with `modelOutputs` divided by
    `modelOutputScaling`, then the deltas multiplied by `deltasScale`: one element each,
    of the type of `modelOutputs`.
    Raises poplibs_exception for the other loss too.
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
    The same as the first form, and adds to `numCorrect`, one element of INT or
    UNSIGNED_INT, the number of samples whose first maximum is at the expected class.
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
    The same with scales and `numCorrect`.
    """

def gelu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type GELU.
    """

def geluErf(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type GELU_ERF.
    """

def geluErfInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type GELU_ERF.
    """

def geluInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type GELU.
    """

def logSoftmax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the shape and type of `t`: t - log(sum(exp(t))) over the last
    dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE.
    Raises poplibs_exception for other types and for a scalar.
    """

def logSoftmaxInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as logSoftmax(), with the result written to `t`.
    """

def maxAndArgMax(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    (maxima, columns): the first maximum of each row, [rows] of the type of `input`,
    and the result of argMax().
    """

def minAndArgMin(
    graph: popir._device.poplar.Graph,
    input: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> tuple[popir._device.poplar.Tensor, popir._device.poplar.Tensor]:
    """
    (minima, columns): the first minimum of each row, [rows] of the type of `input`,
    and the result of argMin().
    """

def nonLinearity(
    graph: popir._device.poplar.Graph,
    nonLinearityType: NonLinearityType,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    A new tensor of the shape and type of `t`: the function of each element, or softmax
    over the last dimension. Types: FLOAT, HALF, BFLOAT16 or DOUBLE. SOFTMAX_SCALED
    multiplies by 62000, so that small probabilities fit in HALF.
    Raises poplibs_exception for other types, and for a softmax of a scalar.
    """

def nonLinearityInPlace(
    graph: popir._device.poplar.Graph,
    nonLinearityType: NonLinearityType,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearity(), with the result written to `t`.
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
    The gradient of the input of nonLinearity(): a new tensor of its shape and type.
    `act`: the output of nonLinearity(); for GELU, GELU_ERF and SWISH its input.
    `outGradient`: the gradient of the output.
    Raises poplibs_exception for SOFTMAX_SCALED, for other types than those of
    nonLinearity(), and for different shapes or types.
    """

def relu(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type RELU.
    """

def reluInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type RELU.
    """

def scaledSoftmaxStable(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type SOFTMAX_SCALED.
    """

def scaledSoftmaxStableInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type SOFTMAX_SCALED.
    """

def sigmoid(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type SIGMOID.
    """

def sigmoidInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type SIGMOID.
    """

def softmax(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type SOFTMAX.
    """

def softmaxInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type SOFTMAX.
    """

def softmaxStable(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type SOFTMAX_STABLE.
    """

def softmaxStableInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type SOFTMAX_STABLE.
    """

def swish(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type SWISH.
    """

def swishInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type SWISH.
    """

def tanh(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> popir._device.poplar.Tensor:
    """
    The same as nonLinearity() of the type TANH.
    """

def tanhInPlace(
    graph: popir._device.poplar.Graph,
    t: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    The same as nonLinearityInPlace() of the type TANH.
    """
