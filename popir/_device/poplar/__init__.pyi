"""
Poplar: graphs, tensors, programs, engines.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing
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
    "OptionFlags",
    "QUARTER",
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
    "deviceOptionTable",
    "engineOptionTable",
    "libraryOptionTable",
    "program",
    "programAccesses",
    "setBudgetOfThread",
    "setStochasticRounding",
    "spend",
    "typeOf",
]

class Type:
    """
    The type of an element, such as poplar.FLOAT (Poplar: poplar/Type.hpp).
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
        The name of the type in C++, such as "float".
        """
    @property
    def dtype(self) -> numpy.dtype[typing.Any]:
        """
        The numpy dtype of the same values.
        """

class TargetType:
    """
    What executes a program (Poplar: poplar/TargetType.hpp).

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
    How a new variable is spread over tiles: not at all, or evenly in order.

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
    What a clone keeps of the order and the aliases of its original.

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
    The range [begin, end) of elements.
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
    A path name, under which the device files what is added. A str converts to it.
    """
    @typing.overload
    def __init__(self, name: str = "") -> None: ...
    @typing.overload
    def __init__(self, parent: DebugContext | str, name: str) -> None: ...
    def getPathName(self) -> str:
        """
        The names of the parents and the own one, joined by slashes.
        """

class OptionFlags:
    """
    Options by name (Poplar: poplar/OptionFlags.hpp). A dict of str converts to it.
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
    A description of a machine (Poplar: poplar/Target.hpp). Sizes are in bytes, times in cycles of a tile.
    """
    @staticmethod
    def createCPUTarget(
        accurateHalf: bool = False, numIPUs: typing.SupportsInt | typing.SupportsIndex = 1
    ) -> Target:
        """
        The host as a machine of one tile on each IPU.
        """
    @staticmethod
    @typing.overload
    def createIPUTarget(
        numIPUs: typing.SupportsInt | typing.SupportsIndex,
        systemType: str,
        options: OptionFlags | dict[str, str] = {},
    ) -> Target:
        """
        IPUs with the tiles of their version. `systemType`: ipu1, ipu2 or ipu21. `options`: figures of the machine by name. Raises poplar_invalid_option.
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
        IPUs of `tilesPerIPU` tiles. `options`: figures of the machine by name. Raises poplar_invalid_option.
        """
    def getAtomicStoreGranularity(self) -> int:
        """
        The bytes of the smallest store.
        """
    def getBytesPerTile(self) -> int:
        """
        The memory of one tile, in bytes.
        """
    def getConvUnitCoeffLoadBytesPerCycle(self) -> int:
        """
        The bytes of weights that a unit for convolutions loads in a cycle.
        """
    def getConvUnitInputLoadElemsPerCycle(self, type: Type) -> int:
        """
        The inputs of a type that a unit for convolutions loads in a cycle.
        """
    def getConvUnitMaxPipelineDepth(self, type: Type) -> int:
        """
        The steps that a unit for convolutions takes with partial sums of a type.
        """
    def getDataPathWidth(self) -> int:
        """
        The bits that one access to memory moves.
        """
    def getExchangeBytesPerCycle(self) -> int:
        """
        The bytes that a tile receives in a cycle.
        """
    def getGlobalSyncCycles(self) -> int:
        """
        The cycles of a synchronisation of all IPUs.
        """
    def getInterleavedMemoryElementIndex(self) -> int:
        """
        The first memory element whose words are interleaved with a neighbour's.
        """
    def getMaxIPUSyncDelay(self) -> int:
        """
        The most cycles of a synchronisation within an IPU.
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
        Where each memory element of a tile begins, in bytes. Two accesses in one cycle go to different elements.
        """
    def getMinIPUSyncDelay(self) -> int:
        """
        The least cycles of a synchronisation within an IPU.
        """
    def getNumConvUnits(self, inputType: Type, partialsType: Type) -> int:
        """
        The units of a tile for convolutions of such inputs with such partial sums.
        """
    def getNumIPUs(self) -> int:
        """
        The number of IPUs in the machine.
        """
    def getNumStrideBits(self) -> int:
        """
        The bits that an instruction has for a stride.
        """
    def getNumTiles(self) -> int:
        """
        The number of tiles of all IPUs.
        """
    def getNumWorkerContexts(self) -> int:
        """
        The number of threads that a tile runs in turn.
        """
    def getRptCountMax(self) -> int:
        """
        The most times that one repeat instruction repeats.
        """
    def getTargetArchString(self) -> str:
        """
        The version of the IPU, such as "ipu2", or "cpu".
        """
    def getTargetType(self) -> TargetType:
        """
        What kind of machine it is.
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
        The elements of a type in one vector instruction.
        """
    def getWeightsPerConvUnit(self, type: Type) -> int:
        """
        The weights of a type that a unit for convolutions holds.
        """
    def supportsExchangeBusSharing(self) -> bool:
        """
        Whether tiles share a bus for exchange.
        """

class Device:
    """
    A simulated device, that an engine is loaded on.
    """
    @staticmethod
    def createCPUDevice() -> Device:
        """
        The host as a device.
        """
    def attach(self) -> bool:
        """
        Takes the device for this process. Whether that was possible.
        """
    def createVirtualDevice(self, tilesPerIPU: typing.SupportsInt | typing.SupportsIndex) -> Device:
        """
        A device of the first `tilesPerIPU` tiles of each IPU.
        """
    def detach(self) -> None:
        """
        Gives the device back that attach() has taken.
        """
    def getId(self) -> int:
        """
        The number of the device among those of its DeviceManager.
        """
    def getTarget(self) -> Target:
        """
        The machine that the device is.
        """
    def isAttached(self) -> bool:
        """
        Whether this process has the device.
        """

class DeviceManager:
    """
    Finds the devices that there are; all are simulated.
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
        The devices of a type with so many IPUs.
        """

class IPUModel:
    """
    A simulated IPU of a version, ipu1, ipu2 or ipu21 (Poplar: poplar/IPUModel.hpp). A figure that is 0 keeps that of the version.
    """
    def __init__(self, IPUVersion: str = "ipu2") -> None: ...
    def createDevice(self, options: OptionFlags | dict[str, str] = {}) -> Device:
        """
        `options`: figures of the machine by name, any of machine.figures(). Raises poplar_invalid_option.
        """
    @property
    def convUnitCoeffLoadBytesPerCycle(self) -> int:
        """
        The bytes of weights that a unit for convolutions loads in a cycle.
        """
    @convUnitCoeffLoadBytesPerCycle.setter
    def convUnitCoeffLoadBytesPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def dataPathWidth(self) -> int:
        """
        The bits that one access to memory moves.
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
        The halves that a unit for convolutions loads in a cycle.
        """
    @fp16ConvUnitInputLoadElemsPerCycle.setter
    def fp16ConvUnitInputLoadElemsPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16ConvUnitMaxPipelineDepth(self) -> int:
        """
        The steps that a unit for convolutions takes with halves as partial sums.
        """
    @fp16ConvUnitMaxPipelineDepth.setter
    def fp16ConvUnitMaxPipelineDepth(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16InFp16OutConvUnitsPerTile(self) -> int:
        """
        The units of a tile for convolutions from half to half.
        """
    @fp16InFp16OutConvUnitsPerTile.setter
    def fp16InFp16OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp16InFp32OutConvUnitsPerTile(self) -> int:
        """
        The units of a tile for convolutions from half to float.
        """
    @fp16InFp32OutConvUnitsPerTile.setter
    def fp16InFp32OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp32ConvUnitInputLoadElemsPerCycle(self) -> int:
        """
        The floats that a unit for convolutions loads in a cycle.
        """
    @fp32ConvUnitInputLoadElemsPerCycle.setter
    def fp32ConvUnitInputLoadElemsPerCycle(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def fp32InFp32OutConvUnitsPerTile(self) -> int:
        """
        The units of a tile for convolutions from float to float.
        """
    @fp32InFp32OutConvUnitsPerTile.setter
    def fp32InFp32OutConvUnitsPerTile(
        self, arg1: typing.SupportsInt | typing.SupportsIndex
    ) -> None: ...
    @property
    def globalSyncCycles(self) -> int:
        """
        The cycles of a synchronisation of all IPUs.
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
        The number of threads that a tile runs in turn.
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
    A view of variables of a graph (Poplar: poplar/Tensor.hpp). Its methods give other views and copy nothing. They raise poplar_index_error for dimensions and elements that there are not.
    """
    def __bool__(self) -> bool: ...
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> Tensor: ...
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def broadcast(
        self,
        N: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        `N` copies along a dimension, which grows by the factor N. All show the same elements.
        """
    def containsAliases(self) -> bool:
        """
        Whether an element is shown more than once.
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
        A dimension of size 1 put before each of the dimensions `indices`.
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
        Whether both tensors show an element of the same variable.
        """
    def isContiguous(self) -> bool:
        """
        Whether the elements lie in one variable, one after another.
        """
    def isParallelWriteable(self) -> bool:
        """
        Whether no element appears twice and none is constant, so that vertices may write it.
        """
    def isTangled(self) -> bool:
        """
        Whether the view consists of so many pieces that copying it pays.
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
        The same bits as elements of another type of the same size. Raises poplar_type_error for another size.
        """
    def reshape(
        self, shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        The same elements in row-major order, as another shape of as many.
        """
    def reshapePartial(
        self,
        beginIndex: typing.SupportsInt | typing.SupportsIndex,
        endIndex: typing.SupportsInt | typing.SupportsIndex,
        newDims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> Tensor:
        """
        Dimensions [beginIndex, endIndex) replaced by `newDims`, of as many elements.
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
        Elements [begin, end) of one dimension.
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
        Dimensions of size 1 removed.
        """
    @typing.overload
    def squeeze(
        self, dims: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Tensor:
        """
        The dimensions `dims` removed, which have size 1.
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
        A matrix with rows and columns exchanged.
        """
    def upsample(
        self,
        scale: typing.SupportsInt | typing.SupportsIndex,
        dimension: typing.SupportsInt | typing.SupportsIndex,
    ) -> Tensor:
        """
        Each element `scale` times in a row along a dimension.
        """
    def valid(self) -> bool:
        """
        Whether the tensor shows anything: Tensor() does not.
        """
    def variables(self) -> set[int]:
        """
        The ids of the variables that the tensor shows.
        """

class ComputeSet:
    """
    Vertices that run in one step, in any order.
    """
    def getId(self) -> int:
        """
        The number of the compute set in its graph.
        """

class Function:
    """
    A program that is there once and called from several places.
    """
    def getId(self) -> int:
        """
        The number of the function in its graph.
        """

class DataStream:
    """
    A way of elements between host and device; see Engine.connectStream.
    """
    def elementType(self) -> Type:
        """
        The type of the elements.
        """
    def handle(self) -> str:
        """
        The name that the host connects it by.
        """
    def numElements(self) -> int:
        """
        The elements of one transfer.
        """

class Graph:
    """
    Variables, constants, vertices, functions and streams of one program (Poplar: poplar/Graph.hpp).
    """
    @typing.overload
    def __init__(self, target: Target) -> None: ...
    @typing.overload
    def __init__(self, device: Device) -> None: ...
    def addCodelets(self, src: str, compileFlags: str = "") -> bool:
        """
        Codelets of a .cpp or .gp file, or of C++ text, which has newlines. False if the graph has them already.
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
        A constant of numpy values, converted to `type`; one value fills the shape.
        """
    def addDeviceToHostFIFO(
        self, handle: str, elementType: Type, numElements: typing.SupportsInt | typing.SupportsIndex
    ) -> DataStream:
        """
        A new stream to the host.
        """
    def addFunction(self, program: program.Program) -> Function:
        """
        A function of a program, to be called by program.Call.
        """
    def addHostFunction(
        self,
        handle: str,
        inputs: collections.abc.Sequence[tuple[Type, typing.SupportsInt | typing.SupportsIndex]],
        outputs: collections.abc.Sequence[tuple[Type, typing.SupportsInt | typing.SupportsIndex]],
    ) -> HostFunction:
        """
        A new function of the host. Its arguments are pairs of a type and a number of elements.
        """
    def addHostToDeviceFIFO(
        self, handle: str, elementType: Type, numElements: typing.SupportsInt | typing.SupportsIndex
    ) -> DataStream:
        """
        A new stream from the host.
        """
    @typing.overload
    def addVariable(
        self,
        type: Type,
        shape: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        debugContext: DebugContext | str = "",
    ) -> Tensor:
        """
        A new variable, on no tile yet.
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
        A new variable, on tiles as `method` says.
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
        `connections`: by field a Tensor, a list of Tensors, or numbers.
        """
    @typing.overload
    def clone(self, tensor: Tensor, debugContext: DebugContext | str = "") -> Tensor:
        """
        A new variable of the same type, shape and tiles.
        """
    @typing.overload
    def clone(self, type: Type, tensor: Tensor, debugContext: DebugContext | str = "") -> Tensor:
        """
        The same with elements of another type.
        """
    def connect(self, field: FieldRef, tensors: Tensor | collections.abc.Sequence[Tensor]) -> None:
        """
        Connects a field to a Tensor, or a list of edges to a list of them. Raises poplar_graph_connection_error for a type or size that does not fit.
        """
    def createHostRead(self, handle: str, tensor: Tensor) -> None:
        """
        Lets Engine.readTensor reach a tensor by `handle`.
        """
    def createHostWrite(self, handle: str, tensor: Tensor) -> None:
        """
        Lets Engine.writeTensor reach a tensor by `handle`.
        """
    @typing.overload
    def createVirtualGraph(
        self,
        lowerTile: typing.SupportsInt | typing.SupportsIndex,
        upperTile: typing.SupportsInt | typing.SupportsIndex,
    ) -> Graph:
        """
        The same graph seen through tiles [lowerTile, upperTile) alone, which it counts from 0.
        """
    @typing.overload
    def createVirtualGraph(
        self, perIpuTiles: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]
    ) -> Graph:
        """
        The same graph seen through these tiles of each IPU alone.
        """
    def getFieldSize(self, field: FieldRef) -> int:
        """
        How many elements a list of edges, or a vector that is state, has.
        """
    def getTarget(self) -> Target:
        """
        The machine that the graph is for, with the tiles that the graph sees.
        """
    def getTileMapping(
        self, tensor: Tensor, requireComplete: bool = True
    ) -> list[list[tuple[int, int]]]:
        """
        By tile, a list of (begin, end) in the flattened tensor. Raises poplar_invalid_tile_mapping for elements on no tile, if `requireComplete`.
        """
    def getTopLevelGraph(self) -> Graph:
        """
        The graph that a virtual graph is a part of, with all tiles.
        """
    def numVariables(self) -> int:
        """
        The number of variables and constants in the graph.
        """
    def numVertices(self) -> int:
        """
        The number of vertices in the graph; one may stand for many of an IPU.
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
        `estimator`: a function of a VertexIntrospector and the Target, to cycles, or cycles and FLOPs; asked for vertices of the type without setPerfEstimate when they are costed.
        """
    def setCycleEstimate(
        self, vertex: VertexRef, cycles: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Says the cycles that one run of a vertex takes on its tile.
        """
    def setFieldSize(
        self, field: FieldRef, size: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Says how many elements a list of edges, or a vector that is state, is going to have.
        """
    @typing.overload
    def setInitialValue(self, tensor: Tensor, values: numpy.typing.ArrayLike) -> None:
        """
        Gives a variable the values that it has when an engine is loaded. One value fills the shape. Raises poplar_type_error for values that the device does not have.
        """
    @typing.overload
    def setInitialValue(self, field: FieldRef, values: numpy.typing.ArrayLike) -> None:
        """
        Sets a field that is state to a number, or to an array of them.
        """
    def setPerfEstimate(
        self,
        vertex: VertexRef,
        cycles: typing.SupportsInt | typing.SupportsIndex,
        flops: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> None:
        """
        Says the cycles and FLOPs that one run of a vertex takes on its tile, for Engine.machineReport.
        """
    @typing.overload
    def setTileMapping(
        self, tensor: Tensor, tile: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Puts all elements on one tile.
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
        Puts elements on tiles: `mapping[tile]` is a list of (begin, end) in the flattened tensor.
        """
    @typing.overload
    def setTileMapping(
        self, vertex: VertexRef, tile: typing.SupportsInt | typing.SupportsIndex
    ) -> None:
        """
        Puts a vertex on a tile.
        """
    def variableName(self, id: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        The path name of a variable, by its id.
        """
    def variableOf(self, id: typing.SupportsInt | typing.SupportsIndex) -> Tensor:
        """
        The whole of a variable, by its id.
        """

class VertexFieldRow:
    """
    One edge of a field that is a list of edges.
    """
    def size(self) -> int:
        """
        The number of elements of the edge.
        """

class VertexFieldInfo:
    """
    How many elements a field has, and what state holds.
    """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> VertexFieldRow: ...
    def getInitialValue(self) -> bool | int | float:
        """
        The value of state that is one number.
        """
    def getInitialValues(self) -> numpy.ndarray:
        """
        The values of state, one dimension.
        """
    def size(self) -> int:
        """
        Elements; of a list of edges, edges.
        """

class VertexIntrospector:
    """
    What an estimator may ask of a vertex.
    """
    def getFieldInfo(self, name: str) -> VertexFieldInfo:
        """
        What is known of a field. Raises poplar_exception if the vertex has none of that name.
        """

class FieldRef:
    """
    A field of a vertex, or an element of a list of edges.
    """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> FieldRef: ...

class VertexRef:
    """
    A vertex of a graph; `vertex[name]` is a field of it.
    """
    def __getitem__(self, field: str) -> FieldRef: ...
    def getId(self) -> int:
        """
        The number of the vertex in its graph.
        """

class HostFunction:
    """
    A function of the host that programs call; see Engine.connectHostFunction.
    """
    def handle(self) -> str:
        """
        The name that the host connects it by.
        """

class Executable:
    """
    A graph and its programs, checked, as bytes.
    """
    @staticmethod
    def deserialize(bytes: bytes) -> Executable:
        """
        An executable from its bytes. Raises poplar_exception for bytes that are none.
        """
    def serialize(self) -> bytes:
        """
        The executable as bytes, for deserialize.
        """

class Engine:
    """
    Programs of a graph, planned once and run many times (Poplar: poplar/Engine.hpp). `progress` is called with how much of the planning is done, and of how much.
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
    def arenaBytes(self) -> int:
        """
        The bytes of the memory that the engine's variables share.
        """
    def connectHostFunction(
        self,
        handle: str,
        callback: collections.abc.Callable[[list[numpy.ndarray], list[numpy.ndarray]], None],
    ) -> None:
        """
        Called with two lists of arrays: inputs, to read, and outputs, to fill.
        """
    def connectStream(self, handle: str, array: numpy.ndarray) -> None:
        """
        Binds an array: the device works on its memory. It is kept alive until another one is connected.
        """
    def connectStreamToCallback(
        self, handle: str, callback: collections.abc.Callable[[numpy.ndarray], None]
    ) -> None:
        """
        Called with an array of the stream's elements: of a host-to-device stream to fill, it begins with zeros; of a device-to-host stream to read, it may be kept.
        """
    def hostProfile(
        self, program: typing.SupportsInt | typing.SupportsIndex = 0
    ) -> list[tuple[list[str], str, int, float]]:
        """
        Names of the steps that it came from, line of planText(), runs and seconds of each instruction, over all runs of an engine made with the option host.profile = 'true'.
        """
    def load(self, device: Device) -> None:
        """
        Prepares a device for the programs, and sets variables to their initial values.
        """
    def machineReport(
        self,
        program: typing.SupportsInt | typing.SupportsIndex = 0,
        progress: collections.abc.Callable[[int, int], None] | None = None,
    ) -> dict[str, typing.Any]:
        """
        What one run of a program costs on the graph's target; popir.profile reads it.
        """
    def numThreads(self) -> int:
        """
        The number of threads that the engine runs on.
        """
    def planText(self) -> str:
        """
        One line an instruction: what runs and in which layouts; then what the engine's passes did.
        """
    def readTensor(self, handle: str, array: numpy.ndarray) -> None:
        """
        Copies a tensor of the device into a C-contiguous array of its type and size; see Graph.createHostRead.
        """
    def run(self, program: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        """
        Runs one of the programs. Raises poplar_stream_connection_error for a stream that is not connected.
        """
    def writeTensor(self, handle: str, array: numpy.ndarray) -> None:
        """
        Copies a C-contiguous array of the tensor's type and size to the device; see Graph.createHostWrite.
        """

def _saved_kernel_names() -> list[str]:
    """
    Kernels that an executable may have.
    """

def availableMemory() -> int:
    """
    Bytes that this process can still take from the host.
    """

def budgetOfThread() -> tuple[int, int]:
    """
    What this thread has spent, and may spend at most.
    """

def checkEngineOptions(options: OptionFlags | dict[str, str]) -> list[str]:
    """
    What is to be said of options that have no meaning. Raises poplar_invalid_option for those that there are not, that are refused, or that have a value which they do not take.
    """

def compileGraph(
    graph: Graph,
    programs: collections.abc.Sequence[program.Program],
    options: OptionFlags | dict[str, str] = {},
) -> Executable:
    """
    Checks programs and what they use, for engines that are made of the result. Raises poplar_exception and its kinds for what is wrong with them.
    """

def concat(
    tensors: collections.abc.Sequence[Tensor],
    dimension: typing.SupportsInt | typing.SupportsIndex = 0,
) -> Tensor:
    """
    The tensors joined along a dimension, in which alone their shapes may differ.
    """

def deviceOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    The same of the options of devices that are no figures of the machine.
    """

def engineOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    Name, kind, type, default and reason of each option of an Engine.
    """

def libraryOptionTable() -> list[tuple[str, str, str, str, str]]:
    """
    The same of the options of functions of poplin, popops, popnn and gcl.
    """

def programAccesses(graph: Graph, program: program.Program) -> tuple[set[int], set[int]]:
    """
    Ids of the variables that a program reads and of those it writes, whatever way its branches go.
    """

def setBudgetOfThread(
    spent: typing.SupportsInt | typing.SupportsIndex,
    limit: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    Sets what budgetOfThread gives; see popir.budget.
    """

def setStochasticRounding(
    graph: Graph, prog: program.Sequence, enable: bool, debugContext: DebugContext | str = ""
) -> None:
    """
    How what prog does from here on rounds to 16-bit floats: stochastically, or to nearest.
    """

def spend(units: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Counts work of this thread; see popir.budget.
    """

def typeOf(dtype: numpy.typing.DTypeLike) -> Type:
    """
    The device type of a numpy dtype.
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
