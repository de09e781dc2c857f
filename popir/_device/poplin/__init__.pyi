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
    Keeps one plan for each distinct matrix product and convolution that is given the
    cache (PopLibs: poplin/Convolution.hpp).
    """
    def __init__(self) -> None: ...
    def size(self) -> int:
        """
        The number of distinct contractions in the cache.
        """

class ConvParams:
    """
    The parameters of a grouped cross-correlation (PopLibs: poplin/ConvParams.hpp).
    Activations are [batchSize, groups * channels, field...], weights [groups,
    outputChannelsPerConvGroup, inputChannelsPerConvGroup, kernel...], with 1 to 3 field
    dimensions. The input and the kernel are transformed, then correlated where the
    whole kernel fits, then the result is transformed; without transforms in the
    constructor, these do nothing. The constructor and the getters raise
    poplibs_exception as validate() does.
    """
    class InputTransform:
        """
        Truncation, dilation, padding and flip of each field dimension, in this
        order. InputTransform(size) changes nothing; raises poplibs_exception
        for more than 3 dimensions.
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
            By field dimension: the distance of neighbouring elements after dilation, with zeros
            between them; 1 for none.
            """
        @dilation.setter
        def dilation(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def flip(self) -> list[bool]:
            """
            By field dimension: whether the order of the elements is reversed.
            """
        @flip.setter
        def flip(self, arg0: collections.abc.Sequence[bool]) -> None: ...
        @property
        def paddingLower(self) -> list[int]:
            """
            By field dimension: the number of zeros added at the lower end.
            """
        @paddingLower.setter
        def paddingLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def paddingUpper(self) -> list[int]:
            """
            By field dimension: the number of zeros added at the upper end.
            """
        @paddingUpper.setter
        def paddingUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationLower(self) -> list[int]:
            """
            By field dimension: the number of elements removed at the lower end.
            """
        @truncationLower.setter
        def truncationLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationUpper(self) -> list[int]:
            """
            By field dimension: the number of elements removed at the upper end.
            """
        @truncationUpper.setter
        def truncationUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...

    class OutputTransform:
        """
        Truncation, stride and padding of each field dimension, in this
        order. OutputTransform(size) changes nothing; raises
        poplibs_exception for more than 3 dimensions.
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
            By field dimension: the number of zeros added at the lower end.
            """
        @paddingLower.setter
        def paddingLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def paddingUpper(self) -> list[int]:
            """
            By field dimension: the number of zeros added at the upper end.
            """
        @paddingUpper.setter
        def paddingUpper(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def stride(self) -> list[int]:
            """
            By field dimension: elements 0, stride, 2 * stride and so on are kept.
            """
        @stride.setter
        def stride(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationLower(self) -> list[int]:
            """
            By field dimension: the number of elements removed at the lower end.
            """
        @truncationLower.setter
        def truncationLower(
            self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
        ) -> None: ...
        @property
        def truncationUpper(self) -> list[int]:
            """
            By field dimension: the number of elements removed at the upper end.
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
        The same convolution in a canonical form: padding and truncation that cancel are
        removed. So equivalent convolutions compare equal more often.
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
        By field dimension: the size of the result after its transform.
        """
    def getOutputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of field dimension `dim` of the result after its transform.
        """
    def getTransformedInputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of field dimension `dim` of the input after its transform.
        """
    def getTransformedKernelSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of field dimension `dim` of the kernel after its transform.
        """
    def getUntransformedOutputSize(self, dim: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of field dimension `dim` of the result before its transform.
        """
    def validate(self) -> None:
        """
        Raises poplibs_exception that names the wrong member: a list without one entry for
        each field dimension, a dilation or stride of 0, truncation of the whole size, a
        kernel that is larger than the field.
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
        By field dimension: the size of the input before its transform.
        """
    @inputFieldShape.setter
    def inputFieldShape(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def inputTransform(self) -> ConvParams.InputTransform:
        """
        The transform of the input's field.
        """
    @inputTransform.setter
    def inputTransform(self, arg0: ConvParams.InputTransform) -> None: ...
    @property
    def inputType(self) -> popir._device.poplar.Type:
        """
        The element type of the activations and the weights.
        """
    @inputType.setter
    def inputType(self, arg0: popir._device.poplar.Type) -> None: ...
    @property
    def kernelShape(self) -> list[int]:
        """
        By field dimension: the size of the kernel before its transform.
        """
    @kernelShape.setter
    def kernelShape(
        self, arg0: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> None: ...
    @property
    def kernelTransform(self) -> ConvParams.InputTransform:
        """
        The transform of the kernel's field.
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
        The transform of the result's field.
        """
    @outputTransform.setter
    def outputTransform(self, arg0: ConvParams.OutputTransform) -> None: ...
    @property
    def outputType(self) -> popir._device.poplar.Type:
        """
        The element type of the result.
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
    Raises poplibs_exception unless both have one type, `activations` is [batch,
    channels, field...] and `biases` [channels].
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
    The gradient of the weights of convolution(): a new variable
    of their shape and type.
    `zDeltas`: the gradient of the result, of its shape and type.
    `activations`: the input of the convolution.
    Raises poplibs_exception for shapes and types that do not match `params`,
    poplar_invalid_option for invalid options.
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
    The convolution of `in_` with `weights`: a new variable [batch, output channels,
    field...] of `params.outputType`.
    `in_`, `weights`: of the shapes of createInput() and createWeights(), and of
    `params.inputType`. Input and output type are any of FLOAT, HALF and BFLOAT16, or
    both DOUBLE. With `transposeAndFlipWeights` the weights are those of the forward
    pass, [groups, input channels, output channels, kernel...]; their channels are
    exchanged and their fields reversed. So parameters of getGradientParams() give the
    gradient of the forward pass's input.
    `options`: those of poplin.convolution in `popir options`; they change the costs on
    the machine and not the result. `cache` changes no result.
    Raises poplibs_exception for shapes and types that do not match `params`,
    poplar_invalid_option for invalid options.
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
    weights += scale * calculateWeightDeltas(...), which has the same errors. The
    weights have a type that popops.scaledAddTo() takes.
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
    The same as convolution(), with the result written to `out` [batch, output channels,
    field...] of `params.outputType`.
    """

def createBiases(
    graph: popir._device.poplar.Graph,
    activations: popir._device.poplar.Tensor,
    debugContext: popir._device.poplar.DebugContext | str = "biases",
) -> popir._device.poplar.Tensor:
    """
    A new variable [channels] of the type of `activations` [batch, channels, field...].
    Raises poplibs_exception for activations of rank below 2.
    """

def createConvOutput(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [batch, output channels, field...] of `params.outputType`, mapped to
    tiles as convolution() prefers.
    Raises poplibs_exception for invalid parameters,
    poplar_invalid_option for invalid options.
    """

def createInput(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [batch, input channels, field...] of `params.inputType`, mapped to
    tiles as convolution() prefers.
    Raises poplibs_exception for invalid parameters,
    poplar_invalid_option for invalid options.
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
    A new variable of `inputType` for the left operand [G, M, K] = `aShape` of
    matMulGrouped(), mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMulGrouped() does not take,
    poplar_invalid_option for invalid options.
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
    A new variable of `inputType` for the right operand [G, K, N] = `bShape` of
    matMulGrouped(), mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMulGrouped() does not take,
    poplar_invalid_option for invalid options.
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
    A new variable of `outputType` for the result [G, M, N] of matMulGrouped(),
    mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMulGrouped() does not take,
    poplar_invalid_option for invalid options.
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
    A new variable of `inputType` for the left operand [M, K] = `aShape` of matMul(),
    mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMul() does not take,
    poplar_invalid_option for invalid options.
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
    The same for operands and a result of one type.
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
    A new variable of `inputType` for the right operand [K, N] = `bShape` of matMul(),
    mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMul() does not take,
    poplar_invalid_option for invalid options.
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
    The same for operands and a result of one type.
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
    A new variable of `outputType` for the result [M, N] of matMul(),
    mapped to tiles as it prefers.
    Raises poplibs_exception for shapes and types that matMul() does not take,
    poplar_invalid_option for invalid options.
    """

def createWeights(
    graph: popir._device.poplar.Graph,
    params: ConvParams,
    debugContext: popir._device.poplar.DebugContext | str = "",
    options: popir._device.poplar.OptionFlags | dict[str, str] = {},
    cache: PlanningCache | None = None,
) -> popir._device.poplar.Tensor:
    """
    A new variable [groups, output channels, input channels, kernel...]
    of `params.inputType`, with the channels of one group, mapped to
    tiles as convolution() prefers.
    Raises poplibs_exception for invalid parameters,
    poplar_invalid_option for invalid options.
    """

def getBwdFlops(params: ConvParams) -> int:
    """
    The floating-point operations of the gradient of the input.
    """

def getFwdFlops(params: ConvParams) -> int:
    """
    The floating-point operations of the forward pass. Products with the zeros of
    padding and dilation are not counted.
    """

def getGradientParams(params: ConvParams) -> ConvParams:
    """
    The parameters of the convolution that computes the gradient of the input from the
    gradient of the output. Its weights have their channels exchanged and their fields
    reversed: see `transposeAndFlipWeights` of convolution().
    """

def getWuFlops(params: ConvParams) -> int:
    """
    The floating-point operations of the gradient of the weights.
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
    A [M, K] times B [K, N]: a new variable [M, N] of `outputType`. A and B have one
    type: FLOAT, HALF, BFLOAT16, DOUBLE, or an integer of 16, 32 or 64 bits. `outputType` is
    the same, or both are of FLOAT, HALF and BFLOAT16; of SHORT it is INT.
    `options`: those of poplin.matMul in `popir options`; they change the costs on the
    machine and not the result. `cache` changes no result.
    Raises poplibs_exception for shapes and types that do not match,
    poplar_invalid_option for invalid options.
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
    The same with a result of the type of A.
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
    C [M, N] += k * A [M, K] * B [K, N]. Types, options and
    errors are those of matMul().
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
    The same with a tensor of one element as `k`. `C` and `k` have types that
    popops.scaledAddTo() takes.
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
    A [G, M, K] times B [G, K, N], group by group: a new variable [G, M, N] of
    `outputType`. Types, options and errors are those of matMul().
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
    C [G, M, N] += k * A [G, M, K] * B [G, K, N]. Types, options and
    errors are those of matMul().
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
    The same with a tensor of one element as `k`. `C` and `k` have types that
    popops.scaledAddTo() takes.
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
    A [G, M, K] times B [G, K, N], written to `out` [G, M, N]. Types, options and
    errors are those of matMul().
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
    A [M, K] times B [K, N], written to `out` [M, N]. Types, options and
    errors are those of matMul().
    """

def matmulValidateOptions(options: popir._device.poplar.OptionFlags | dict[str, str]) -> None:
    """
    Raises poplar_invalid_option for an option or a value that
    matrix products do not take.
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
    B [K, N] in a layout that suits a product with A of shape `aShape` [M, K]: for a
    TRAINING_BWD whose option inputRHSIsPreArranged is true a transposed copy of it, else B.
    Raises poplibs_exception for shapes that do not match,
    poplar_invalid_option for invalid options.
    """

def transposeGroupedMatrix(A: popir._device.poplar.Tensor) -> popir._device.poplar.Tensor:
    """
    A [groups, rows, columns] as a view with the last two dimensions exchanged.
    Raises poplibs_exception for another rank.
    """

def weightsTransposeChansFlipXY(
    graph: popir._device.poplar.Graph,
    weightsIn: popir._device.poplar.Tensor,
    weightsOut: popir._device.poplar.Tensor,
    prog: popir._device.poplar.program.Sequence,
    debugContext: popir._device.poplar.DebugContext | str = "",
) -> None:
    """
    Copies `weightsIn` [groups, O, I, kernel...] to `weightsOut` [groups, I, O,
    kernel...], with reversed fields.
    Raises poplibs_exception for other shapes and for different types.
    """
