"""
Matrix products and convolutions (PopLibs: poplin).
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import typing
from . import contraction

__all__: list[str] = [
    "ConvParams",
    "PlanningCache",
    "addBias",
    "addCodelets",
    "calculateWeightDeltas",
    "contraction",
    "convolution",
    "convolutionWeightUpdate",
    "convolutionWithOutput",
    "createBiases",
    "createConvOutput",
    "createInput",
    "createMatMulGroupedInputLHS",
    "createMatMulGroupedInputRHS",
    "createMatMulGroupedOutput",
    "createMatMulInputLHS",
    "createMatMulInputRHS",
    "createMatMulOutput",
    "createWeights",
    "getBwdFlops",
    "getFwdFlops",
    "getGradientParams",
    "getWuFlops",
    "matMul",
    "matMulAcc",
    "matMulGrouped",
    "matMulGroupedAcc",
    "matMulGroupedWithOutput",
    "matMulWithOutput",
    "matmulValidateOptions",
    "preArrangeMatMulInputRHS",
    "transposeGroupedMatrix",
    "weightsTransposeChansFlipXY",
]

class PlanningCache:
    """
    Keeps what was planned for one contraction.
    """
    def __init__(self) -> None: ...
    def size(self) -> int:
        """
        The number of plans that the cache holds.
        """

class ConvParams:
    """
    Which convolution: activations [batchSize, groups * channels, field...], weights [groups, outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...], transforms around it.
    """
    class InputTransform:
        """
        Truncation, dilation, padding and flip, in this order.
        """

        __hash__: typing.ClassVar[None] = None
        def __eq__(self, other: typing.Any) -> bool: ...
        def __getstate__(
            self,
        ) -> tuple[list[int], list[int], list[int], list[int], list[int], list[bool]]: ...
        @typing.overload
        def __init__(self, size: typing.SupportsInt | typing.SupportsIndex) -> None: ...
        @typing.overload
        def __init__(
            self,
            truncationLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            truncationUpper: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            dilation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            paddingLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            paddingUpper: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            flip: collections.abc.Sequence[bool],
        ) -> None: ...
        def __ne__(self, other: typing.Any) -> bool: ...
        def __setstate__(
            self,
            arg0: tuple[
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[bool],
            ],
        ) -> None: ...
        @property
        def dilation(self) -> list[int]:
            """
            By dimension, the distance of neighbours after zeros are put between them.
            """
        @dilation.setter
        def dilation(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def flip(self) -> list[bool]:
            """
            By dimension, whether the order is reversed.
            """
        @flip.setter
        def flip(self, arg0: collections.abc.Sequence[bool]) -> None: ...
        @property
        def paddingLower(self) -> list[int]:
            """
            By dimension, zeros added at the lower end.
            """
        @paddingLower.setter
        def paddingLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def paddingUpper(self) -> list[int]:
            """
            By dimension, zeros added at the upper end.
            """
        @paddingUpper.setter
        def paddingUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationLower(self) -> list[int]:
            """
            By dimension, elements cut off at the lower end.
            """
        @truncationLower.setter
        def truncationLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationUpper(self) -> list[int]:
            """
            By dimension, elements cut off at the upper end.
            """
        @truncationUpper.setter
        def truncationUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...

    class OutputTransform:
        """
        Truncation, stride and padding, in this order.
        """

        __hash__: typing.ClassVar[None] = None
        def __eq__(self, other: typing.Any) -> bool: ...
        def __getstate__(self) -> tuple[list[int], list[int], list[int], list[int], list[int]]: ...
        @typing.overload
        def __init__(self, size: typing.SupportsInt | typing.SupportsIndex) -> None: ...
        @typing.overload
        def __init__(
            self,
            truncationLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            truncationUpper: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            stride: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            paddingLower: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            paddingUpper: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        ) -> None: ...
        def __ne__(self, other: typing.Any) -> bool: ...
        def __setstate__(
            self,
            arg0: tuple[
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
                collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            ],
        ) -> None: ...
        @property
        def paddingLower(self) -> list[int]:
            """
            By dimension, zeros added at the lower end.
            """
        @paddingLower.setter
        def paddingLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def paddingUpper(self) -> list[int]:
            """
            By dimension, zeros added at the upper end.
            """
        @paddingUpper.setter
        def paddingUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def stride(self) -> list[int]:
            """
            By dimension, the distance of the elements that are kept.
            """
        @stride.setter
        def stride(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationLower(self) -> list[int]:
            """
            By dimension, elements cut off at the lower end.
            """
        @truncationLower.setter
        def truncationLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationUpper(self) -> list[int]:
            """
            By dimension, elements cut off at the upper end.
            """
        @truncationUpper.setter
        def truncationUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...

    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(
        self,
    ) -> tuple[
        popir._device.poplar.Type,
        popir._device.poplar.Type,
        int,
        list[int],
        list[int],
        int,
        int,
        int,
        ConvParams.InputTransform,
        ConvParams.InputTransform,
        ConvParams.OutputTransform,
    ]: ...
    def __hash__(self) -> int: ...
    @typing.overload
    def __init__(
        self,
        dataType: popir._device.poplar.Type,
        batchSize: typing.SupportsInt | typing.SupportsIndex,
        inputFieldShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        kernelShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        inputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        outputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        numConvGroups: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        inputType: popir._device.poplar.Type,
        outputType: popir._device.poplar.Type,
        batchSize: typing.SupportsInt | typing.SupportsIndex,
        inputFieldShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        kernelShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        inputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        outputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        numConvGroups: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        inputType: popir._device.poplar.Type,
        outputType: popir._device.poplar.Type,
        batchSize: typing.SupportsInt | typing.SupportsIndex,
        inputFieldShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        kernelShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        inputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        outputChannelsPerConvGroup: typing.SupportsInt | typing.SupportsIndex,
        numConvGroups: typing.SupportsInt | typing.SupportsIndex,
        inputTransform: ConvParams.InputTransform,
        kernelTransform: ConvParams.InputTransform,
        outputTransform: ConvParams.OutputTransform,
    ) -> None: ...
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(
        self,
        arg0: tuple[
            popir._device.poplar.Type,
            popir._device.poplar.Type,
            typing.SupportsInt | typing.SupportsIndex,
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            typing.SupportsInt | typing.SupportsIndex,
            ConvParams.InputTransform,
            ConvParams.InputTransform,
            ConvParams.OutputTransform,
        ],
    ) -> None: ...
    def canonicalize(self) -> ConvParams:
        """
        The same convolution with padding and truncation cancelled where they undo each other, so that equal convolutions compare equal more often.
        """
    def getNumFieldDims(self) -> int:
        """
        The number of field dimensions.
        """
    def getNumInputChans(self) -> int:
        """
        The number of input channels of all groups.
        """
    def getNumOutputChans(self) -> int:
        """
        The number of output channels of all groups.
        """
    def getOutputFieldShape(self) -> list[int]:
        """
        The size of the result by field dimension.
        """
    def getOutputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of one dimension of the result.
        """
    def getTransformedInputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of one dimension of the input after the input transform.
        """
    def getTransformedKernelSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of one dimension of the kernel after the kernel transform.
        """
    def getUntransformedOutputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of one dimension of the result before the output transform.
        """
    def validate(self) -> None:
        """
        Raises poplibs_exception if the parameters contradict one another.
        """
    @property
    def batchSize(self) -> int:
        """
        The number of samples in a batch.
        """
    @batchSize.setter
    def batchSize(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def inputChannelsPerConvGroup(self) -> int:
        """
        The number of input channels of each group.
        """
    @inputChannelsPerConvGroup.setter
    def inputChannelsPerConvGroup(
        self, arg0: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def inputFieldShape(self) -> list[int]:
        """
        The size of the input by field dimension.
        """
    @inputFieldShape.setter
    def inputFieldShape(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def inputTransform(self) -> ConvParams.InputTransform:
        """
        What is done to the input before.
        """
    @inputTransform.setter
    def inputTransform(self, arg0: ConvParams.InputTransform) -> None: ...
    @property
    def inputType(self) -> popir._device.poplar.Type:
        """
        The type of activations and weights.
        """
    @inputType.setter
    def inputType(self, arg0: popir._device.poplar.Type) -> None: ...
    @property
    def kernelShape(self) -> list[int]:
        """
        The size of the kernel by field dimension.
        """
    @kernelShape.setter
    def kernelShape(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def kernelTransform(self) -> ConvParams.InputTransform:
        """
        What is done to the kernel before.
        """
    @kernelTransform.setter
    def kernelTransform(self, arg0: ConvParams.InputTransform) -> None: ...
    @property
    def numConvGroups(self) -> int:
        """
        The number of groups, which share no channels.
        """
    @numConvGroups.setter
    def numConvGroups(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def outputChannelsPerConvGroup(self) -> int:
        """
        The number of output channels of each group.
        """
    @outputChannelsPerConvGroup.setter
    def outputChannelsPerConvGroup(
        self, arg0: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def outputTransform(self) -> ConvParams.OutputTransform:
        """
        What is done to the result after.
        """
    @outputTransform.setter
    def outputTransform(self, arg0: ConvParams.OutputTransform) -> None: ...
    @property
    def outputType(self) -> popir._device.poplar.Type:
        """
        The type of the result's elements.
        """
    @outputType.setter
    def outputType(self, arg0: popir._device.poplar.Type) -> None: ...

def addBias(
    graph: popir._device.poplar.Graph,
    activations: popir._device.poplar.Tensor,
    biases: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
) -> None:
    """
    activations[n, c, ...] += biases[c].
    """

def addCodelets(graph: popir._device.poplar.Graph) -> None:
    """
    Adds nothing: kernels are built in.
    """

def calculateWeightDeltas(
    graph: popir._device.poplar.Graph,
    zDeltas: popir._device.poplar.Tensor,
    activations: popir._device.poplar.Tensor,
    params: ConvParams,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    The gradient of the weights, in a new variable.
    """

def convolution(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    weights: popir._device.poplar.Tensor,
    params: ConvParams,
    transposeAndFlipWeights: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    The convolution of in_ with weights, in a new variable.
    """

def convolutionWeightUpdate(
    graph: popir._device.poplar.Graph,
    zDeltas: popir._device.poplar.Tensor,
    weights: popir._device.poplar.Tensor,
    activations: popir._device.poplar.Tensor,
    params: ConvParams,
    scale: typing.SupportsFloat | typing.SupportsIndex,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    weights += scale times their gradient.
    """

def convolutionWithOutput(
    graph: popir._device.poplar.Graph,
    in_: popir._device.poplar.Tensor,
    weights: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    params: ConvParams,
    transposeAndFlipWeights: bool,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    The convolution of in_ with weights, into out.
    """

def createBiases(
    graph: popir._device.poplar.Graph,
    activations: popir._device.poplar.Tensor,
    debugContext: popir._device.poplar.DebugContext | str = "biases",
) -> popir._device.poplar.Tensor:
    """
    A new variable [channels].
    """

def createConvOutput(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [batch, output channels, field...].
    """

def createInput(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [batch, input channels, field...].
    """

def createMatMulGroupedInputLHS(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the left operand [G, M, K].
    """

def createMatMulGroupedInputRHS(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the right operand [G, K, N].
    """

def createMatMulGroupedOutput(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the result [G, M, N].
    """

@typing.overload
def createMatMulInputLHS(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the left operand [M, K].
    """

@typing.overload
def createMatMulInputLHS(
    graph: popir._device.poplar.Graph,
    dataType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the left operand [M, K].
    """

@typing.overload
def createMatMulInputRHS(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the right operand [K, N].
    """

@typing.overload
def createMatMulInputRHS(
    graph: popir._device.poplar.Graph,
    dataType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the right operand [K, N].
    """

def createMatMulOutput(
    graph: popir._device.poplar.Graph,
    inputType: popir._device.poplar.Type,
    outputType: popir._device.poplar.Type,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    bShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable for the result [M, N].
    """

def createWeights(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [groups, output channels, input channels, field...].
    """

def getBwdFlops(params: ConvParams) -> int:
    """
    The same of the gradient of the input.
    """

def getFwdFlops(params: ConvParams) -> int:
    """
    Floating-point operations of the forward pass, without those with zeros of padding or dilation.
    """

def getGradientParams(params: ConvParams) -> ConvParams:
    """
    The convolution from gradients of the output to gradients of the input, for weights transposed and flipped.
    """

def getWuFlops(params: ConvParams) -> int:
    """
    The same of the gradient of the weights.
    """

@typing.overload
def matMul(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    outputType: popir._device.poplar.Type,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A [M, K] times B [K, N].
    """

@typing.overload
def matMul(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A [M, K] times B [K, N], of the type of A.
    """

@typing.overload
def matMulAcc(
    graph: popir._device.poplar.Graph,
    C: popir._device.poplar.Tensor,
    k: typing.SupportsFloat | typing.SupportsIndex,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    C += k A B.
    """

@typing.overload
def matMulAcc(
    graph: popir._device.poplar.Graph,
    C: popir._device.poplar.Tensor,
    k: popir._device.poplar.Tensor,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    C += k A B, for a tensor k of one element.
    """

def matMulGrouped(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    outputType: popir._device.poplar.Type,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A [G, M, K] times B [G, K, N].
    """

@typing.overload
def matMulGroupedAcc(
    graph: popir._device.poplar.Graph,
    C: popir._device.poplar.Tensor,
    k: typing.SupportsFloat | typing.SupportsIndex,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    C += k A B, group by group.
    """

@typing.overload
def matMulGroupedAcc(
    graph: popir._device.poplar.Graph,
    C: popir._device.poplar.Tensor,
    k: popir._device.poplar.Tensor,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    C += k A B, group by group, for a tensor k of one element.
    """

def matMulGroupedWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    A [G, M, K] times B [G, K, N], into out.
    """

def matMulWithOutput(
    graph: popir._device.poplar.Graph,
    A: popir._device.poplar.Tensor,
    B: popir._device.poplar.Tensor,
    out: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> None:
    """
    A [M, K] times B [K, N], into out.
    """

def matmulValidateOptions(options: popir._device.poplar.OptionFlags | dict[str, str]) -> None:
    """
    Raises poplibs_exception for an option that matrix products do not have.
    """

def preArrangeMatMulInputRHS(
    graph: popir._device.poplar.Graph,
    aShape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    B: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    B in the arrangement that a product wants. Any arrangement serves here: a view of B itself.
    """

def transposeGroupedMatrix(A: popir._device.poplar.Tensor) -> popir._device.poplar.Tensor:
    """
    A view with the last two dimensions exchanged.
    """

def weightsTransposeChansFlipXY(
    graph: popir._device.poplar.Graph,
    weightsIn: popir._device.poplar.Tensor,
    weightsOut: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Copies weights with channels exchanged and fields reversed.
    """
