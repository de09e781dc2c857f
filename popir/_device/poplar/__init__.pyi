"""
Targets, graphs, tensors, programs and engines (Poplar).
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing
import typing_extensions
from . import program

__all__: list[str] = [
    "BFLOAT16",
    "BOOL",
    "CHAR",
    "ComputeSet",
    "DOUBLE",
    "DataStream",
    "DebugContext",
    "Device",
    "DeviceManager",
    "Engine",
    "Executable",
    "FLOAT",
    "FieldRef",
    "Function",
    "Graph",
    "HALF",
    "HostFunction",
    "INT",
    "IPUModel",
    "Interval",
    "LONGLONG",
    "MpiPeers",
    "OptionFlags",
    "QUARTER",
    "QuarterMetadata",
    "RemoteBuffer",
    "Replicas",
    "SHORT",
    "SIGNED_CHAR",
    "Target",
    "TargetType",
    "Tensor",
    "TensorCloneMethod",
    "Type",
    "UNSIGNED_CHAR",
    "UNSIGNED_INT",
    "UNSIGNED_LONGLONG",
    "UNSIGNED_SHORT",
    "VariableMappingMethod",
    "VertexFieldInfo",
    "VertexFieldRow",
    "VertexIntrospector",
    "VertexRef",
    "availableMemory",
    "budgetOfThread",
    "checkEngineOptions",
    "compileGraph",
    "concat",
    "createConstantMetadataTensor",
    "createVariableMetadataTensor",
    "deviceOptionTable",
    "engineOptionTable",
    "libraryOptionTable",
    "mappedAlike",
    "program",
    "programWrites",
    "setBudgetOfThread",
    "setStochasticRounding",
    "spend",
    "typeOf",
    "waitingThreads",
    "withEnvironment",
    "withMetadata",
]

class Type:
    """
    The type of a tensor's elements, such as poplar.FLOAT (Poplar: poplar/Type.hpp).
    """
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: str) -> None: ...
    def sizeInBytes(self) -> int:
        """
        The bytes that one element takes.
        """
    def toString(self) -> str:
        """
        The name of the type in codelets, such as "float".
        """
    @property
    def dtype(self) -> numpy.dtype[typing.Any]:
        """
        The numpy dtype of the same values; int8 for CHAR, ml_dtypes.bfloat16 for BFLOAT16.
        Raises poplar_type_error for QUARTER.
        """

class TargetType:
    """
    What executes a program (Poplar: poplar/TargetType.hpp). IPU is
    simulated as IPU_MODEL is.

    Members:

      IPU

      IPU_MODEL

      CPU
    """

    CPU: typing.ClassVar[TargetType]
    IPU: typing.ClassVar[TargetType]
    IPU_MODEL: typing.ClassVar[TargetType]
    __members__: typing.ClassVar[dict[str, TargetType]]
    @typing.overload
    def __eq__(self, other: TargetType) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: TargetType) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class VariableMappingMethod:
    """
    The tile mapping of a new variable (Poplar: poplar/VariableMappingMethod.hpp). NONE:
    no mapping yet. LINEAR: spread evenly over the tiles, in order.

    Members:

      NONE

      LINEAR
    """

    LINEAR: typing.ClassVar[VariableMappingMethod]
    NONE: typing.ClassVar[VariableMappingMethod]
    __members__: typing.ClassVar[dict[str, VariableMappingMethod]]
    @typing.overload
    def __eq__(self, other: VariableMappingMethod) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: VariableMappingMethod) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class TensorCloneMethod:
    """
    A method of cloning a tensor (Poplar: poplar/TensorCloneMethod.hpp). All give the
    same here: a new variable without aliases.

    Members:

      PRESERVE_ORDER_AND_ALIASES

      CREATE_NEW_ORDER

      PRESERVE_ORDER_UNLESS_ALIASES

      GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
    """

    CREATE_NEW_ORDER: typing.ClassVar[TensorCloneMethod]
    GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES: typing.ClassVar[TensorCloneMethod]
    PRESERVE_ORDER_AND_ALIASES: typing.ClassVar[TensorCloneMethod]
    PRESERVE_ORDER_UNLESS_ALIASES: typing.ClassVar[TensorCloneMethod]
    __members__: typing.ClassVar[dict[str, TensorCloneMethod]]
    @typing.overload
    def __eq__(self, other: TensorCloneMethod) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: TensorCloneMethod) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Interval:
    """
    The range [begin, end) of elements (Poplar: poplar/Interval.hpp).
    """

    __hash__: typing.ClassVar[None] = None
    def __eq__(self, other: typing.Any) -> bool: ...
    def __init__(
        self,
        begin: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def begin(self) -> int:
        """
        The first element of the range.
        """
    def end(self) -> int:
        """
        The element after the last.
        """
    def size(self) -> int:
        """
        The number of elements in the range.
        """

class DebugContext:
    """
    The path name of what a function adds to a graph, for messages and reports (Poplar:
    poplar/DebugContext.hpp). A str converts to it.
    """
    @typing.overload
    def __init__(self, name: str = "") -> None: ...
    @typing.overload
    def __init__(self, parent: DebugContext | str, name: str) -> None: ...
    def getPathName(self) -> str:
        """
        The names of its parents and its own, joined by slashes.
        """

class OptionFlags:
    """
    Options by name, with text as values (Poplar: poplar/OptionFlags.hpp). A dict
    converts to it; its keys and values are converted by str().
    """
    def __init__(self, values: dict[str, str] = {}) -> None: ...
    def __repr__(self) -> str: ...
    def at(self, option: str) -> str:
        """
        The value of an option. Raises poplar_invalid_option if it is not set.
        """
    def set(self, option: str, value: str) -> None:
        """
        Sets or replaces the value of an option.
        """

class Target:
    """
    The description of a machine (Poplar: poplar/Target.hpp). Times are in
    cycles of a tile's clock.
    """
    @staticmethod
    def createCPUTarget(
        accurateHalf: bool = False, numIPUs: typing.SupportsInt | typing.SupportsIndex = 1
    ) -> Target:
        """
        The host as a machine with one tile on each IPU. `accurateHalf` has no effect.
        Raises poplar_invalid_option for less than 1 or more than 64 IPUs.
        """
    @staticmethod
    @typing.overload
    def createIPUTarget(
        numIPUs: typing.SupportsInt | typing.SupportsIndex,
        systemType: str,
        options: OptionFlags | dict[str, str] = {},
    ) -> Target:
        """
        Simulated IPUs with all tiles of their version.
        `systemType`: ipu1, ipu2 or ipu21, or one of Graphcore's systems, such as IPU-POD16.
        `options`: values of figures by name, any of machine.figures().
        Raises poplar_invalid_option for another system type, an unknown figure, or
        a value out of its range.
        """
    @staticmethod
    @typing.overload
    def createIPUTarget(
        numIPUs: typing.SupportsInt | typing.SupportsIndex,
        tilesPerIPU: typing.SupportsInt | typing.SupportsIndex,
        systemType: str,
        options: OptionFlags | dict[str, str] = {},
    ) -> Target:
        """
        The same with `tilesPerIPU` tiles on each IPU.
        """
    def getAtomicStoreGranularity(self) -> int:
        """
        The bytes of the smallest store that leaves its neighbours unchanged.
        """
    def getBytesPerTile(self) -> int:
        """
        The memory of one tile, in bytes.
        """
    def getConvUnitCoeffLoadBytesPerCycle(self) -> int:
        """
        The bytes of weights that convolution units load in a cycle.
        """
    def getConvUnitInputLoadElemsPerCycle(self, type: Type) -> int:
        """
        The number of inputs that a convolution unit loads in a cycle, by the rate of HALF
        if `type` is HALF, else by that of FLOAT.
        """
    def getConvUnitMaxPipelineDepth(self, type: Type) -> int:
        """
        The depth of a convolution unit's pipeline, in steps; the same for every type.
        """
    def getDataPathWidth(self) -> int:
        """
        The number of bits that a tile loads in a cycle.
        """
    def getExchangeBytesPerCycle(self) -> int:
        """
        The bytes that a tile receives in a cycle.
        """
    def getGlobalSyncCycles(self) -> int:
        """
        The cycles that a synchronisation of all IPUs takes.
        """
    def getInterleavedMemoryElementIndex(self) -> int:
        """
        The index of the first memory element with interleaved words.
        """
    def getMaxIPUSyncDelay(self) -> int:
        """
        The largest delay of a synchronisation within an IPU, in cycles.
        """
    def getMemcpyBytesPerCycle(self) -> int:
        """
        The bytes that a tile copies within its memory in a cycle.
        """
    def getMemoryBytes(self) -> int:
        """
        The memory of all tiles, in bytes.
        """
    def getMemoryElementOffsets(self) -> list[int]:
        """
        The offset of each memory element of a tile, in bytes. A tile can access different
        memory elements in the same cycle.
        """
    def getMinIPUSyncDelay(self) -> int:
        """
        The smallest delay of a synchronisation within an IPU, in cycles.
        """
    def getNumConvUnits(self, inputType: Type, partialsType: Type) -> int:
        """
        The number of a tile's convolution units for inputs and partial sums of these types.
        """
    def getNumIPUs(self) -> int:
        """
        The number of IPUs in the machine.
        """
    def getNumStrideBits(self) -> int:
        """
        The width of the stride operand of load and store instructions, in bits.
        """
    def getNumTiles(self) -> int:
        """
        The number of tiles of all IPUs.
        """
    def getNumWorkerContexts(self) -> int:
        """
        The number of worker threads of a tile.
        """
    def getRptCountMax(self) -> int:
        """
        The largest iteration count of the repeat instruction.
        """
    def getTargetArchString(self) -> str:
        """
        The version of the IPU, such as "ipu2", or "cpu".
        """
    def getTargetType(self) -> TargetType:
        """
        The kind of machine: IPU, IPU_MODEL or CPU.
        """
    def getTileClockFrequency(self) -> float:
        """
        The clock of a tile, in Hz.
        """
    def getTilesPerIPU(self) -> int:
        """
        The number of tiles on each IPU.
        """
    def getTilesPerSharedExchangeBus(self) -> int:
        """
        The number of tiles that share a bus for exchange.
        """
    def getTypeSize(self, type: Type) -> int:
        """
        The bytes that one element of a type takes on the machine.
        """
    def getVectorWidth(self, type: Type) -> int:
        """
        The number of elements of `type` that the data path holds: at least 1.
        """
    def getWeightsPerConvUnit(self, type: Type) -> int:
        """
        The number of weights that a convolution unit holds, by the rates of FLOAT if `type`
        is FLOAT, else by those of HALF.
        """
    def supportsExchangeBusSharing(self) -> bool:
        """
        Whether tiles share a bus for exchange.
        """

class Device:
    """
    A simulated device, on which an engine is loaded (Poplar: poplar/Device.hpp).
    """
    @staticmethod
    def createCPUDevice() -> Device:
        """
        The host as a device with one tile.
        """
    def attach(self) -> bool:
        """
        Marks the device as attached. Always True, because devices are simulated.
        """
    def createVirtualDevice(self, tilesPerIPU: typing.SupportsInt | typing.SupportsIndex) -> Device:
        """
        The same device with `tilesPerIPU` tiles on each IPU.
        Raises poplar_invalid_option for less than 1 or more than 16384.
        """
    def detach(self) -> None:
        """
        Marks the device as not attached.
        """
    def getId(self) -> int:
        """
        The id of the device in its DeviceManager; 0 for a device made otherwise.
        """
    def getTarget(self) -> Target:
        """
        The description of the device.
        """
    def isAttached(self) -> bool:
        """
        Whether the device is marked as attached.
        """

class DeviceManager:
    """
    Lists devices, all of them simulated (Poplar: poplar/DeviceManager.hpp).
    """
    @staticmethod
    def createDeviceManager() -> DeviceManager:
        """
        A manager of all devices.
        """
    def getDevices(
        self, type: TargetType, requiredNumIPUs: typing.SupportsInt | typing.SupportsIndex
    ) -> list[Device]:
        """
        A list of one device with `requiredNumIPUs` IPUs: the host for CPU, else simulated
        IPUs of the version ipu2.
        Raises poplar_invalid_option for less than 1 or more than 64 IPUs.
        """

class IPUModel:
    """
    A simulated IPU of the version ipu1, ipu2 or ipu21, with adjustable figures (Poplar:
    poplar/IPUModel.hpp). A figure of 0 stands for that of the version.
    Raises poplar_invalid_option for a figure below 0.
    """
    def __init__(self, IPUVersion: str = "ipu2") -> None: ...
    def createDevice(self, options: OptionFlags | dict[str, str] = {}) -> Device:
        """
        A device with these figures.
        `options`: values of figures by name, any of machine.figures(), in place
        of those of this object.
        Raises poplar_invalid_option for another version, an unknown figure, or
        a value out of its range.
        """
    @property
    def convUnitCoeffLoadBytesPerCycle(self) -> int:
        """
        The bytes of weights that convolution units load in a cycle.
        """
    @convUnitCoeffLoadBytesPerCycle.setter
    def convUnitCoeffLoadBytesPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def dataPathWidth(self) -> int:
        """
        The number of bits that a tile loads in a cycle.
        """
    @dataPathWidth.setter
    def dataPathWidth(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def exchangeBytesPerCycle(self) -> int:
        """
        The bytes that a tile receives in a cycle.
        """
    @exchangeBytesPerCycle.setter
    def exchangeBytesPerCycle(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def fp16ConvUnitInputLoadElemsPerCycle(self) -> int:
        """
        The number of HALF inputs that a convolution unit loads in a cycle.
        """
    @fp16ConvUnitInputLoadElemsPerCycle.setter
    def fp16ConvUnitInputLoadElemsPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16ConvUnitMaxPipelineDepth(self) -> int:
        """
        The depth of a convolution unit's pipeline, in steps; here of every type.
        """
    @fp16ConvUnitMaxPipelineDepth.setter
    def fp16ConvUnitMaxPipelineDepth(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16InFp16OutConvUnitsPerTile(self) -> int:
        """
        The number of a tile's convolution units for HALF inputs and HALF partial sums.
        """
    @fp16InFp16OutConvUnitsPerTile.setter
    def fp16InFp16OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16InFp32OutConvUnitsPerTile(self) -> int:
        """
        The number of a tile's convolution units for HALF inputs and FLOAT partial sums.
        """
    @fp16InFp32OutConvUnitsPerTile.setter
    def fp16InFp32OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp32ConvUnitInputLoadElemsPerCycle(self) -> int:
        """
        The number of FLOAT inputs that a convolution unit loads in a cycle.
        """
    @fp32ConvUnitInputLoadElemsPerCycle.setter
    def fp32ConvUnitInputLoadElemsPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp32InFp32OutConvUnitsPerTile(self) -> int:
        """
        The number of a tile's convolution units for FLOAT inputs and FLOAT partial sums.
        """
    @fp32InFp32OutConvUnitsPerTile.setter
    def fp32InFp32OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def globalSyncCycles(self) -> int:
        """
        The cycles that a synchronisation of all IPUs takes. 0: by the number of IPUs.
        """
    @globalSyncCycles.setter
    def globalSyncCycles(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def memcpyBytesPerCycle(self) -> int:
        """
        The bytes that a tile copies within its memory in a cycle.
        """
    @memcpyBytesPerCycle.setter
    def memcpyBytesPerCycle(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def memoryBytesPerTile(self) -> int:
        """
        The memory of one tile, in bytes.
        """
    @memoryBytesPerTile.setter
    def memoryBytesPerTile(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def numIPUs(self) -> int:
        """
        The number of IPUs in the machine.
        """
    @numIPUs.setter
    def numIPUs(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def numWorkerContexts(self) -> int:
        """
        The number of worker threads of a tile.
        """
    @numWorkerContexts.setter
    def numWorkerContexts(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def tileClockFrequency(self) -> float:
        """
        The clock of a tile, in Hz.
        """
    @tileClockFrequency.setter
    def tileClockFrequency(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def tilesPerIPU(self) -> int:
        """
        The number of tiles on each IPU.
        """
    @tilesPerIPU.setter
    def tilesPerIPU(self, arg1: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class Tensor:
    """
    A view of elements of a graph's variables and constants (Poplar: poplar/Tensor.hpp).
    Methods that return a Tensor return another view of the same elements; nothing is
    copied. Methods raise poplar_index_error for dimensions, indices and shapes that do
    not fit the tensor's own.
    """
    def __bool__(self) -> bool:
        """
        The same as valid().
        """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> Tensor:
        """
        Element `index` of the first dimension, which is removed. Raises IndexError beyond its
        end, and poplar_index_error for a scalar.
        """
    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """
        The size of the first dimension.
        """
    def __repr__(self) -> str: ...
    def broadcast(
        self,
        N: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        The tensor repeated `N` times along a dimension, whose size grows by the factor `N`.
        The repetitions are views of the same elements.
        """
    def containsAliases(self) -> bool:
        """
        Whether an element occurs more than once.
        """
    def containsConstant(self) -> bool:
        """
        Whether an element belongs to a constant.
        """
    def dim(self, dimension: typing.SupportsInt | typing.SupportsIndex) -> int:
        """
        The size of a dimension.
        """
    def dimRoll(
        self,
        dimIdx: typing.SupportsInt | typing.SupportsIndex,
        newIdx: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> Tensor:
        """
        Dimension `dimIdx` moved to place `newIdx`; the others keep their order.
        """
    def dimShuffle(
        self, permutation: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        The dimensions in another order: dimension i is permutation[i] of this tensor.
        """
    def dimShufflePartial(
        self,
        source: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        destination: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> Tensor:
        """
        Dimension source[i] moved to place destination[i]; the others keep their order.
        """
    def elementType(self) -> Type:
        """
        The type of the elements.
        """
    def expand(
        self, indices: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        A dimension of size 1 inserted before each of the dimensions `indices`.
        """
    @typing.overload
    def flatten(self) -> Tensor:
        """
        All elements as one dimension, in row-major order.
        """
    @typing.overload
    def flatten(
        self,
        dimBegin: typing.SupportsInt | typing.SupportsIndex,
        dimEnd: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        Dimensions [dimBegin, dimEnd) as one.
        """
    def intersectsWith(self, other: Tensor) -> bool:
        """
        Whether an element belongs to both tensors.
        """
    def isContiguous(self) -> bool:
        """
        Whether the elements are adjacent in one variable, in row-major order.
        """
    def isParallelWriteable(self) -> bool:
        """
        Whether no element occurs twice and none is constant, so that
        vertices may write the tensor.
        """
    def isTangled(self) -> bool:
        """
        Whether the view is so complex that a copy is better than further views of it: it
        has more than 1024 pieces, or more than 32 levels of views.
        """
    def numElements(self) -> int:
        """
        The product of all sizes.
        """
    def numPieces(self) -> int:
        """
        The number of strided boxes that the view consists of.
        """
    def rank(self) -> int:
        """
        The number of dimensions, 0 for a scalar.
        """
    def reinterpret(self, type: Type) -> Tensor:
        """
        The same bits as elements of another type of the same size.
        Raises poplar_type_error for another size.
        """
    def reshape(
        self, shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        The same elements, in row-major order, with another shape of as many elements.
        """
    def reshapePartial(
        self,
        beginIndex: typing.SupportsInt | typing.SupportsIndex,
        endIndex: typing.SupportsInt | typing.SupportsIndex,
        newDims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> Tensor:
        """
        Dimensions [beginIndex, endIndex) replaced by `newDims`,
        which have as many elements.
        """
    def reverse(self, dimension: typing.SupportsInt | typing.SupportsIndex) -> Tensor:
        """
        The elements in reverse order along a dimension.
        """
    def shape(self) -> list[int]:
        """
        The size of each dimension.
        """
    @typing.overload
    def slice(
        self,
        begin: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> Tensor:
        """
        Elements [begin, end) of a dimension.
        """
    @typing.overload
    def slice(
        self,
        begin: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        end: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> Tensor:
        """
        Elements [begin[i], end[i]) of each dimension i.
        """
    @typing.overload
    def squeeze(self) -> Tensor:
        """
        All dimensions of size 1 removed.
        """
    @typing.overload
    def squeeze(
        self, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        The dimensions `dims` removed, all of which have size 1.
        """
    def subSample(
        self,
        stride: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        Every element whose index along a dimension is a multiple of `stride`.
        """
    def transpose(self) -> Tensor:
        """
        The matrix with rows and columns exchanged.
        Raises poplar_index_error unless the rank is 2.
        """
    def upsample(
        self,
        scale: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        Each element repeated `scale` times along a dimension, whose
        size grows by that factor.
        """
    def valid(self) -> bool:
        """
        Whether it is a view at all: Tensor() is not, and other methods refuse it.
        """
    def variables(self) -> set[int]:
        """
        The ids of the variables and constants with elements in the tensor.
        """

class ComputeSet:
    """
    A set of vertices that run in parallel (Poplar: poplar/GraphElements.hpp).
    Graph.addComputeSet makes it.
    """
    def getId(self) -> int:
        """
        The number of the compute set in its graph.
        """

class Function:
    """
    A program that other programs call by program.Call. Graph.addFunction makes it.
    """
    def getId(self) -> int:
        """
        The number of the function in its graph.
        """

class DataStream:
    """
    A stream between host and device (Poplar: poplar/DataStream.hpp);
    see Engine.connectStream.
    """
    def elementType(self) -> Type:
        """
        The type of the elements.
        """
    def handle(self) -> str:
        """
        The name by which the engine connects the stream.
        """
    def numElements(self) -> int:
        """
        The number of elements of one transfer.
        """

class RemoteBuffer:
    """
    Rows of memory beside the device's (Poplar: poplar/DataStream.hpp), which program.Copy
    reads and writes. Each engine has its own, zero at first. See
    Engine.copyToRemoteBuffer.
    """
    def elementType(self) -> Type:
        """
        The type of the elements.
        """
    def getRepeats(self) -> int:
        """
        The number of rows.
        """
    def handle(self) -> str:
        """
        The name by which an engine knows the buffer.
        """
    def numElements(self) -> int:
        """
        The number of elements of a row.
        """

class Graph:
    """
    Variables, constants, vertices, functions and streams, for programs (Poplar:
    poplar/Graph.hpp). Methods raise poplar_graph_connection_error for tensors, compute
    sets and vertices of another graph.
    """
    @typing.overload
    def __init__(
        self, target: Target, replicationFactor: typing.SupportsInt | typing.SupportsIndex = 1
    ) -> None: ...
    @typing.overload
    def __init__(
        self, device: Device, replicationFactor: typing.SupportsInt | typing.SupportsIndex = 1
    ) -> None: ...
    def addCodelets(self, src: str, compileFlags: str = "") -> bool:
        """
        Adds codelets. Returns False if the graph has them already.
        `src`: C++ text, which has a newline; or the path of a .cpp file,
        or of a .gp file of popc.
        `compileFlags`: for the compiler, separated by blanks.
        Raises poplar_graph_program_compilation_error with the compiler's messages, and for
        a file that cannot be read or that another version of popir has written.
        """
    def addComputeSet(self, debugContext: DebugContext | str = "") -> ComputeSet:
        """
        A new compute set, without vertices.
        """
    def addConstant(
        self,
        type: Type,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        values: numpy.typing.ArrayLike,
        debugContext: DebugContext | str = "",
    ) -> Tensor:
        """
        A new constant; its elements are on no tile yet.
        `values`: as many as the shape has elements, in row-major order, or one for all;
        they are converted to `type`.
        Raises poplar_graph_connection_error for another number of values, poplar_type_error
        for values that the device does not have.
        """
    def addDeviceToHostFIFO(
        self, handle: str, elementType: Type, numElements: typing.SupportsInt | typing.SupportsIndex
    ) -> DataStream:
        """
        A new stream to the host, which transfers `numElements` elements at a time.
        Engine.connectStream connects it by `handle`.
        Raises poplar_exception if another stream has the handle.
        """
    def addFunction(self, program: program.Program) -> Function:
        """
        Makes a program a function, for program.Call.
        """
    def addHostFunction(
        self,
        handle: str,
        inputs: collections.abc.Sequence[tuple[Type, typing.SupportsInt | typing.SupportsIndex]],
        outputs: collections.abc.Sequence[tuple[Type, typing.SupportsInt | typing.SupportsIndex]],
    ) -> HostFunction:
        """
        A new function of the host.
        `inputs`, `outputs`: (type, number of elements) of each argument.
        Raises poplar_exception if another function has the handle.
        """
    def addHostToDeviceFIFO(
        self, handle: str, elementType: Type, numElements: typing.SupportsInt | typing.SupportsIndex
    ) -> DataStream:
        """
        A new stream from the host, which transfers `numElements` elements at a time.
        Engine.connectStream connects it by `handle`.
        Raises poplar_exception if another stream has the handle.
        """
    def addRemoteBuffer(
        self,
        handle: str,
        elementType: Type,
        numElements: typing.SupportsInt | typing.SupportsIndex,
        repeats: typing.SupportsInt | typing.SupportsIndex = 1,
    ) -> RemoteBuffer:
        """
        A new remote buffer of `repeats` rows, of `numElements` elements each.
        Raises poplar_exception if another one has the handle, and for an empty one.
        """
    @typing.overload
    def addVariable(
        self,
        type: Type,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        debugContext: DebugContext | str = "",
    ) -> Tensor:
        """
        A new variable; its elements are on no tile yet.
        Raises poplar_graph_memory_allocation_error for a shape that no machine holds.
        """
    @typing.overload
    def addVariable(
        self,
        type: Type,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        method: VariableMappingMethod,
        debugContext: DebugContext | str = "",
    ) -> Tensor:
        """
        A new variable, mapped to tiles by `method`.
        """
    @typing.overload
    def addVariable(
        self,
        type: Type,
        metadata: Tensor,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        debugContext: DebugContext | str = "",
    ) -> Tensor:
        """
        A new variable of QUARTER with its metadata, one UNSIGNED_CHAR.
        Raises poplar_type_error for another type, and for metadata of another type or size.
        """
    def addVertex(
        self,
        cs: ComputeSet,
        vertexType: str,
        connections: dict[
            str, Tensor | collections.abc.Sequence[Tensor] | numpy.typing.ArrayLike
        ] = {},
    ) -> VertexRef:
        """
        Adds a vertex of a codelet to a compute set.
        `connections`: by field a Tensor, a list of Tensors, or numbers, as for
        connect() and setInitialValue().
        Raises poplar_graph_connection_error for an unknown vertex type or field.
        """
    @typing.overload
    def clone(
        self,
        tensor: Tensor,
        debugContext: DebugContext | str = "",
        method: TensorCloneMethod = TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
    ) -> Tensor:
        """
        A new variable of the same type, shape and tile mapping. Its values are not copied. One
        of a tensor that shows a part of one variable with its dimensions in another order has
        that order in memory, too. By a method that keeps aliases it has the order of any
        tensor, and shows an element twice where that does.
        """
    @typing.overload
    def clone(
        self,
        type: Type,
        tensor: Tensor,
        debugContext: DebugContext | str = "",
        method: TensorCloneMethod = TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
    ) -> Tensor:
        """
        The same with elements of another type.
        """
    @typing.overload
    def clone(
        self,
        type: Type,
        metadata: Tensor,
        tensor: Tensor,
        debugContext: DebugContext | str = "",
        method: TensorCloneMethod = TensorCloneMethod.PRESERVE_ORDER_UNLESS_ALIASES,
    ) -> Tensor:
        """
        The same with elements of QUARTER, and its metadata, one UNSIGNED_CHAR.
        Raises poplar_type_error for another type, and for metadata of another type or size.
        """
    def connect(self, field: FieldRef, tensors: Tensor | collections.abc.Sequence[Tensor]) -> None:
        """
        Connects a field to a Tensor: of one element, or of rank 0 or 1 for a vector. A list
        of edges is connected to a list of Tensors, or to the rows of one.
        Raises poplar_type_error for another element type,
        poplar_graph_connection_error for another shape or size, and for a tensor that
        is written and not isParallelWriteable().
        """
    def createHostRead(self, handle: str, tensor: Tensor) -> None:
        """
        Lets Engine.readTensor read the tensor by `handle`.
        Raises poplar_exception if the handle is taken.
        """
    def createHostWrite(self, handle: str, tensor: Tensor) -> None:
        """
        Lets Engine.writeTensor write the tensor by `handle`.
        Raises poplar_exception if the handle is taken, poplar_graph_connection_error if the
        tensor is not isParallelWriteable().
        """
    @typing.overload
    def createVirtualGraph(
        self,
        lowerTile: typing.SupportsInt | typing.SupportsIndex,
        upperTile: typing.SupportsInt | typing.SupportsIndex,
    ) -> Graph:
        """
        A virtual graph: the same graph restricted to tiles [lowerTile,
        upperTile), which it counts from 0.
        Raises poplar_invalid_tile_mapping for no tile, and for tiles that the graph lacks.
        """
    @typing.overload
    def createVirtualGraph(
        self, perIpuTiles: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Graph:
        """
        A virtual graph of these tiles of each IPU.
        Raises poplar_invalid_tile_mapping for no tile, for a tile that occurs twice, and
        for tiles that an IPU lacks.
        """
    def getFieldSize(self, field: FieldRef) -> int:
        """
        The number of edges of a list of edges, or the number of elements of another field
        that is connected or has values; else 0.
        """
    def getMetadata(self, tensor: Tensor) -> Tensor:
        """
        The metadata of a tensor of QUARTER, UNSIGNED_CHAR, [].
        Raises poplar_type_error for other tensors, and for one that joins tensors of
        different metadata or of none.
        """
    def getTarget(self) -> Target:
        """
        The target of the graph; that of a virtual graph has its tiles only.
        """
    def getTileMapping(
        self, tensor: Tensor, requireComplete: bool = True
    ) -> list[list[tuple[int, int]]]:
        """
        For each tile, a list of intervals (begin, end) of the flattened tensor.
        Raises poplar_invalid_tile_mapping if `requireComplete` and an element is
        on no tile of the graph.
        """
    def getTopLevelGraph(self) -> Graph:
        """
        The same graph with all tiles.
        """
    def numVariables(self) -> int:
        """
        The number of variables and constants in the graph.
        """
    def numVertices(self) -> int:
        """
        The number of vertices that addVertex has added; those of library
        functions are not counted.
        """
    def registerPerfEstimator(
        self,
        vertexType: str,
        estimator: collections.abc.Callable[
            [VertexIntrospector, Target],
            typing.SupportsInt
            | typing.SupportsIndex
            | tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ],
        ],
    ) -> None:
        """
        Sets the function that estimates what one run of a vertex of this type costs. It is
        called for vertices without setPerfEstimate(), when their cost is needed, and
        replaces an earlier one.
        `estimator`: called with (VertexIntrospector, Target), it returns cycles, or
        (cycles, FLOPs), as whole numbers; TypeError for anything else.
        """
    def setCycleEstimate(
        self, vertex: VertexRef, cycles: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Sets the cycles of one run of a vertex on its tile, and 0 FLOPs.
        """
    def setFieldSize(
        self, field: FieldRef, size: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Sets the number of edges of a list of edges, or the number of elements
        of a vector that is state.
        Raises poplar_graph_connection_error for other fields, and for a list that has
        another number of edges already.
        """
    @typing.overload
    def setInitialValue(self, tensor: Tensor, values: numpy.typing.ArrayLike) -> None:
        """
        Sets the values that the tensor's elements have after Engine.load: as
        many as the tensor has elements, in row-major order, or one for all; they
        are converted to its type.
        Raises poplar_graph_connection_error for another number of values or a tensor with
        aliases, poplar_type_error for values that the device does not have.
        """
    @typing.overload
    def setInitialValue(self, field: FieldRef, values: numpy.typing.ArrayLike) -> None:
        """
        Sets the value of state, or a constant value of an Input: a number, or an array for
        a vector. Values are converted to the field's type.
        Raises poplar_graph_connection_error for a field that takes no value, and for
        another number of values.
        """
    def setPerfEstimate(
        self,
        vertex: VertexRef,
        cycles: typing.SupportsInt | typing.SupportsIndex,
        flops: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> None:
        """
        Sets the cycles and FLOPs of one run of a vertex on its tile,
        for Engine.machineReport.
        """
    @typing.overload
    def setTileMapping(
        self, tensor: Tensor, tile: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Maps all elements to one tile.
        Raises poplar_invalid_tile_mapping for a tile that the target lacks.
        """
    @typing.overload
    def setTileMapping(
        self,
        tensor: Tensor,
        mapping: collections.abc.Sequence[
            collections.abc.Sequence[
                tuple[
                    typing.SupportsInt | typing.SupportsIndex,
                    typing.SupportsInt | typing.SupportsIndex,
                ]
            ]
        ],
    ) -> None:
        """
        Maps elements to tiles: `mapping[tile]` is a list of intervals (begin, end)
        of the flattened tensor.
        Raises poplar_invalid_tile_mapping for tiles and elements that do not exist, and for
        an element on two tiles.
        """
    @typing.overload
    def setTileMapping(
        self, vertex: VertexRef, tile: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Sets the tile on which a vertex runs.
        Raises poplar_invalid_tile_mapping for a tile that the target lacks.
        """
    def variableName(self, id: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        The path name of the variable or constant with this id.
        Raises IndexError if there is none.
        """
    def variableOf(self, id: typing.SupportsInt | typing.SupportsIndex) -> Tensor:
        """
        The whole variable or constant with this id, as a tensor.
        Raises IndexError if there is none.
        """

class QuarterMetadata:
    """
    What a tensor of QUARTER has beside its numbers: their format, and a scale s; an element
    is its number times 2^s (Poplar: poplar/Quarter.hpp).
    """
    class Format:
        """
        F143: 4 bits of exponent and 3 of mantissa, up to 240. F152: 5 and 2 bits, up
        to 57344. One zero, no infinity, one NaN: ONNX's FLOAT8E4M3FNUZ, FLOAT8E5M2FNUZ.

        Members:

          F143

          F152
        """

        F143: typing.ClassVar[QuarterMetadata.Format]
        F152: typing.ClassVar[QuarterMetadata.Format]
        __members__: typing.ClassVar[dict[str, QuarterMetadata.Format]]
        @typing.overload
        def __eq__(self, other: QuarterMetadata.Format) -> bool: ...
        @typing.overload
        def __eq__(self, other: typing.Any) -> bool: ...
        def __getstate__(self) -> int: ...
        def __hash__(self) -> int: ...
        def __index__(self) -> int: ...
        def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
        def __int__(self) -> int: ...
        @typing.overload
        def __ne__(self, other: QuarterMetadata.Format) -> bool: ...
        @typing.overload
        def __ne__(self, other: typing.Any) -> bool: ...
        def __repr__(self) -> str: ...
        def __setstate__(self, state: typing.SupportsInt | typing.SupportsIndex) -> None: ...
        def __str__(self) -> str: ...
        @property
        def name(self) -> str: ...
        @property
        def value(self) -> int: ...

    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __init__(
        self, fmt: QuarterMetadata.Format, scale: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Raises poplar_exception for a scale outside of [-32, 31].
        """
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def getBinary(self) -> int:
        """
        The byte on the device: the scale in 6 bits, and 0x80 for F143.
        """
    def getFormat(self) -> QuarterMetadata.Format:
        """
        The format of the numbers.
        """
    def getScale(self) -> int:
        """
        The logarithm of the factor.
        """

class VertexFieldRow:
    """
    One edge of a vertex field that is a list of edges.
    """
    def size(self) -> int:
        """
        The number of elements of the edge.
        """

class VertexFieldInfo:
    """
    The number of elements of a vertex field, and its initial values if it is state
    (Poplar: poplar/VertexIntrospector.hpp).
    """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> VertexFieldRow:
        """
        Edge `index` of a list of edges. Raises poplar_index_error if there is none.
        """
    def getInitialValue(self) -> bool | int | float:
        """
        The initial value of state that is one number.
        Raises poplar_graph_connection_error if the field has none.
        """
    def getInitialValues(self) -> numpy.ndarray:
        """
        The initial values of state, as an array of one dimension.
        Raises poplar_graph_connection_error if the field has none.
        """
    def size(self) -> int:
        """
        The number of elements; of a list of edges, the number of edges.
        """

class VertexIntrospector:
    """
    A vertex whose cost is estimated; see Graph.registerPerfEstimator.
    """
    def getFieldInfo(self, name: str) -> VertexFieldInfo:
        """
        The sizes and values of a field.
        Raises poplar_graph_connection_error if the vertex has no such field.
        """

class FieldRef:
    """
    A field of a vertex, or one edge of a field that is a list of edges.
    """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> FieldRef:
        """
        Edge `index` of a field that is a list of edges.
        """

class VertexRef:
    """
    A vertex that Graph.addVertex has added; `vertex[name]` is a field of it.
    """
    def __getitem__(self, field: str) -> FieldRef:
        """
        The field of that name. It is looked up when it is used.
        """
    def getId(self) -> int:
        """
        The number of the vertex in its graph.
        """

class HostFunction:
    """
    A function of the host that programs call by program.Call;
    Engine.connectHostFunction gives it a callback.
    """
    def handle(self) -> str:
        """
        The name by which the engine connects the function.
        """

class Executable:
    """
    A graph and its programs, checked and saved (Poplar: poplar/Executable.hpp). It has
    native code of codelets: load it only from a trusted source.
    """
    @staticmethod
    def deserialize(bytes: bytes) -> Executable:
        """
        The executable that serialize() gave these bytes for.
        Raises poplar_exception for damaged bytes, and for those of
        another version of popir.
        """
    def serialize(self) -> bytes:
        """
        The executable as bytes, for deserialize().
        """

class Engine:
    """
    Programs of a graph, planned once and run many times (Poplar: poplar/Engine.hpp).
    `options`: those of engineOptionTable(). The environment variable
    POPLAR_ENGINE_OPTIONS, a JSON object of strings, overrides them.
    `progress`: called with (done, total) steps of the planning.
    Raises poplar_invalid_option for invalid options, poplar_invalid_tile_mapping for
    an element or vertex without a tile, poplar_graph_connection_error for a vertex
    field without a value or parts of another graph, poplar_control_program_error for
    an invalid program, poplar_graph_memory_allocation_error if a tile or the host
    has too little memory.
    """
    @typing.overload
    def __init__(
        self,
        graph: Graph,
        programs: collections.abc.Sequence[program.Program],
        options: OptionFlags | dict[str, str] = {},
        progress: collections.abc.Callable[[int, int], None] | None = None,
    ) -> None: ...
    @typing.overload
    def __init__(
        self,
        graph: Graph,
        program: program.Program,
        options: OptionFlags | dict[str, str] = {},
        progress: collections.abc.Callable[[int, int], None] | None = None,
    ) -> None: ...
    @typing.overload
    def __init__(
        self, executable: Executable, options: OptionFlags | dict[str, str] = {}
    ) -> None: ...
    def _own(self) -> typing_extensions.CapsuleType:
        """
        The address of the poplar::Engine, for programs in C++.
        """
    def _remoteRowBytes(self, handle: str) -> int:
        """
        The bytes of a row of a remote buffer.
        """
    def _report(self) -> typing_extensions.CapsuleType:
        """
        The address of a pva::Report, for programs in C++.
        """
    def arenaBytes(self) -> int:
        """
        The bytes of host memory that the engine has for variables, temporaries and scratch.
        """
    def connectHostFunction(
        self,
        handle: str,
        callback: collections.abc.Callable[[list[numpy.ndarray], list[numpy.ndarray]], None],
    ) -> None:
        """
        Calls `callback` for each call of a function of the host, with two lists of new
        arrays of one dimension: the inputs, and zeros to fill for the outputs.
        Raises poplar_runtime_error for an unknown function.
        """
    def connectStream(self, handle: str, array: numpy.ndarray) -> None:
        """
        Connects a stream to an array: the device reads or writes its memory. The
        array is C-contiguous, has the stream's dtype, and holds one or more
        transfers; each transfer uses the next part of it, and after the last the
        first again. The engine keeps it alive.
        Raises poplar_stream_connection_error for an unknown stream, another array, and an
        array that is read-only where the device writes.
        """
    def connectStreamToCallback(
        self, handle: str, callback: collections.abc.Callable[[numpy.ndarray], None]
    ) -> None:
        """
        Calls `callback` for each transfer of a stream, with a new array of one dimension.
        For a stream from the host the array is zero and the callback fills it. For a stream
        to the host it has what the device sent.
        Raises poplar_stream_connection_error for an unknown stream.
        """
    def copyFromRemoteBuffer(
        self,
        handle: str,
        destination: numpy.ndarray,
        repeatIndex: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> None:
        """
        Copies a row of a remote buffer into a C-contiguous array of its bytes.
        Raises poplar_stream_connection_error for a buffer that no program uses, a row that
        it does not have, or another or a read-only array.
        """
    def copyToRemoteBuffer(
        self,
        source: numpy.ndarray,
        handle: str,
        repeatIndex: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> None:
        """
        Copies a C-contiguous array of the bytes of a row to a row of a remote buffer.
        Raises poplar_stream_connection_error for a buffer that no program uses, a row that
        it does not have, or another array.
        """
    def givenBackBytes(self) -> int:
        """
        The bytes of tensors that are there in packed form alone: those of arenaBytes() and of
        arrays that were lent, which the host's memory does not hold. readTensor unpacks them.
        """
    def hostProfile(
        self, program: typing.SupportsInt | typing.SupportsIndex = 0
    ) -> list[tuple[list[str], str, int, float]]:
        """
        (names, line, runs, seconds) of each instruction of a program, over all of its
        runs: the names of the steps it came from, its line of planText(), how often it
        ran, and how long in total.
        Raises poplar_profiling_disabled unless the engine has the option host.profile =
        'true', poplar_control_program_error if there is no such program.
        """
    def lendTensor(
        self,
        handle: str,
        array: numpy.ndarray,
        released: collections.abc.Callable[[], None] | None = None,
    ) -> bool:
        """
        Gives the tensor of Graph.createHostWrite the values of an array that nobody changes
        from now on. The engine keeps it alive, and reads it where it lies, if no program
        writes the tensor, none has it joined with others, the array begins at a multiple of
        64 bytes, and the option host.lendTensors is on; else it is copied. writeTensor and
        load end that, and so does the run that packs its values, if all readers take them
        packed: it lets go of the array and calls `released`, in the thread of the run;
        readTensor gives the same bits from then on. Returns whether it is read where it lies.
        Raises the errors of writeTensor, and poplar_tensor_io_state_error for an array that
        is not read-only.
        """
    def load(self, device: Device) -> None:
        """
        Sets variables, and the state of vertices, to their initial values.
        Raises poplar_exception if the device has another number of tiles
        than the graph's target.
        """
    def machineReport(
        self,
        program: typing.SupportsInt | typing.SupportsIndex = 0,
        progress: collections.abc.Callable[[int, int], None] | None = None,
    ) -> dict[str, typing.Any]:
        """
        What one run of a program costs on the graph's target, as a dict with the fields
        of MachineReport (cpp/machine/report.hpp), and the report as text under
        "summary". popir.profile reads it.
        `progress`: called with (done, total) steps.
        Raises poplar_control_program_error if there is no such program.
        """
    def numThreads(self) -> int:
        """
        The number of threads that the engine runs on.
        """
    def planText(self) -> str:
        """
        The engine's plan as text: one line for each instruction, with the layouts of its
        operands; then notes of what the engine's passes did.
        """
    def readTensor(self, handle: str, array: numpy.ndarray) -> None:
        """
        Copies the tensor of Graph.createHostRead into a C-contiguous array of its
        dtype and number of elements.
        Raises poplar_tensor_io_state_error for an unknown handle or another size,
        poplar_stream_connection_error for another array or a read-only one.
        """
    def run(self, program: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        Runs program number `program` of the engine's list. Errors of callbacks
        are passed on. Callbacks cannot use the engine that calls them: that
        raises poplar_runtime_error.
        Raises poplar_control_program_error if there is no such program,
        poplar_stream_connection_error for a stream that is not connected.
        """
    def writeTensor(self, handle: str, array: numpy.ndarray) -> None:
        """
        Copies a C-contiguous array of the tensor's dtype and number of elements to the
        tensor of Graph.createHostWrite.
        Raises poplar_tensor_io_state_error for an unknown handle or another size,
        poplar_stream_connection_error for another array.
        """

class MpiPeers:
    """
    The processes of a job, which talk by MPI.
    `library`: one of the standard ABI of MPI 5.0, which is loaded, and started.
    `limit`: after so many seconds it is an error to wait for another process.
    Raises poplar_runtime_error if it cannot be used.
    """
    def __init__(
        self, library: str, limit: typing.SupportsFloat | typing.SupportsIndex = 600.0
    ) -> None: ...
    def broadcast(
        self, array: numpy.ndarray, root: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Copies the C-contiguous array of the process `root` to those of all.
        Raises poplar_runtime_error if another one has failed, or has ended.
        """
    def end(self) -> None:
        """
        Waits until all processes end, and ends MPI.
        """
    def fail(self, why: str) -> None:
        """
        Tells the others that this process has failed; what waits for it raises.
        """
    def gather(self, own: bytes) -> list[bytes]:
        """
        The bytes that each process gives, in their order.
        Raises poplar_runtime_error if another one has failed, or has ended.
        """
    def rank(self) -> int:
        """
        The number of this process.
        """
    def ranks(self) -> int:
        """
        The number of processes.
        """

class Replicas:
    """
    The engines of the replicas of one program, which meet in collectives. With `peers`, all
    their processes have as many.
    Raises poplar_exception without an engine, for one that is given twice, and unless the
    graph was made for as many replicas.
    """
    def __init__(self, engines: list[Engine], peers: MpiPeers | None = None) -> None: ...
    def run(self, program: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        Runs a program on all engines, each in a thread.
        Raises what the first of them raises that fails; poplar_runtime_error for a
        collective that not all of its replicas come to.
        """

def _saved_kernel_names() -> list[str]:
    """
    The names of all kernels that an executable may contain.
    """

def availableMemory() -> int:
    """
    The bytes of host memory that this process can still allocate: the least of
    the system's available memory, the control group's limit and RLIMIT_AS.
    2**64 - 1 if none is known.
    """

def budgetOfThread() -> tuple[int, int]:
    """
    (spent, limit) of this thread, in units of work. A limit of 2**64 - 1 is none.
    """

def checkEngineOptions(options: OptionFlags | dict[str, str]) -> list[str]:
    """
    A note for each of the options of an Engine that is set and has no effect.
    Raises poplar_invalid_option for an unknown option, a refused one, and a value that
    an option does not take.
    """

def compileGraph(
    graph: Graph,
    programs: collections.abc.Sequence[program.Program],
    options: OptionFlags | dict[str, str] = {},
) -> Executable:
    """
    Checks programs and what they use of the graph, and saves both in their present
    state. Engine() takes the result.
    Raises the same errors as Engine(), except for lack of host memory.
    """

def concat(
    tensors: collections.abc.Sequence[Tensor],
    dimension: typing.SupportsInt | typing.SupportsIndex = 0,
) -> Tensor:
    """
    The tensors joined along a dimension, the only one in which their shapes may differ.
    Raises poplar_index_error for other shapes and for an empty list, poplar_type_error
    for different element types.
    """

def createConstantMetadataTensor(
    graph: Graph,
    fmt: QuarterMetadata.Format,
    scale: typing.SupportsInt | typing.SupportsIndex,
    debugContext: DebugContext | str = "",
) -> Tensor:
    """
    The metadata of a tensor of QUARTER: a constant, UNSIGNED_CHAR, [].
    Raises poplar_exception for a scale outside of [-32, 31].
    """

@typing.overload
def createVariableMetadataTensor(
    graph: Graph,
    fmt: QuarterMetadata.Format,
    scale: typing.SupportsInt | typing.SupportsIndex,
    prog: program.Sequence,
    debugContext: DebugContext | str = "",
) -> Tensor:
    """
    The same as a variable that `prog` sets.
    """

@typing.overload
def createVariableMetadataTensor(
    graph: Graph,
    fmt: QuarterMetadata.Format,
    scale: Tensor,
    prog: program.Sequence,
    debugContext: DebugContext | str = "",
) -> Tensor:
    """
    The same of a scale that the device knows: one element of an integer type, of which the
    lowest 6 bits count. Raises poplibs_exception for another number of elements.
    """

def deviceOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    The same as engineOptionTable() for the options of devices, without
    the figures of the machine.
    """

def engineOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    (name, kind, type, default, reason) of each option of an Engine. The kind is
    acts, refused or no-meaning.
    """

def libraryOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    The same as engineOptionTable() for the options of library functions,
    graph streams and host functions. A name begins with the functions that
    take it, as in popops.reduce.X.
    """

def mappedAlike(a: Tensor, b: Tensor) -> bool:
    """
    Whether two tensors of one shape show whole variables that are mapped to tiles by one rule.
    No plan is computed for it: rules that give the same tiles by chance differ.
    """

def programWrites(graph: Graph, program: program.Program) -> set[int]:
    """
    The ids of the variables that a program may write, over all of its branches.
    """

def setBudgetOfThread(
    spent: typing.SupportsInt | typing.SupportsIndex,
    limit: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    Sets what budgetOfThread() returns; see popir.budget.
    """

def setStochasticRounding(
    graph: Graph, prog: program.Sequence, enable: bool, debugContext: DebugContext | str = ""
) -> None:
    """
    Appends to `prog` a switch of the rounding of HALF and BFLOAT16 results: stochastic
    if `enable`, else to nearest, as at the start of a program. It holds for what `prog`
    runs afterwards; poprand.setSeed seeds it (Poplar: poplar/CSRFunctions.hpp).
    Raises poplar_exception for a virtual graph of some tiles.
    """

def spend(units: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Adds units of work to what this thread has spent; see popir.budget.
    Raises WorkLimitError beyond the thread's limit.
    """

def typeOf(dtype: numpy.typing.DTypeLike) -> Type:
    """
    The element type of a numpy dtype. Raises poplar_type_error if there is none.
    """

def waitingThreads() -> list[int]:
    """
    The numbers, as threading.get_ident() gives them, of the threads that wait for a call which
    this one makes.
    """

def withEnvironment(options: OptionFlags | dict[str, str]) -> OptionFlags:
    """
    `options`, and over them those of the environment variable POPLAR_ENGINE_OPTIONS: what
    an Engine made with `options` has. Raises poplar_invalid_option if the variable is not
    a JSON object of strings.
    """

def withMetadata(tensor: Tensor, metadata: Tensor) -> Tensor:
    """
    The elements of a tensor of QUARTER with metadata of their own, one UNSIGNED_CHAR, and
    not those of their variables. Nothing is copied.
    Raises poplar_type_error for other types, and for another number of elements.
    """

BFLOAT16: Type
BOOL: Type
CHAR: Type
DOUBLE: Type
FLOAT: Type
HALF: Type
INT: Type
LONGLONG: Type
QUARTER: Type
SHORT: Type
SIGNED_CHAR: Type
UNSIGNED_CHAR: Type
UNSIGNED_INT: Type
UNSIGNED_LONGLONG: Type
UNSIGNED_SHORT: Type
