"""
Operators, lowerings and patterns that are written in C++.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import popir.ir.graph
import popir.types
import typing

__all__: list[str] = [
    "Devicex",
    "GraphTwin",
    "OpTwin",
    "OpxTwin",
    "PatternTwin",
    "TensorTwin",
    "aliases",
    "attributeTexts",
    "bwdRegMap",
    "canBeReplacedByIdentity",
    "clone",
    "connectInTensor",
    "createOp",
    "crossings",
    "fwdRegMap",
    "generation",
    "getGradOps",
    "getInplaceVariant",
    "getSeedInIndex",
    "gradInputInfo",
    "gradOutToNonGradIn",
    "inferShapes",
    "inplacePriorityDefault",
    "install",
    "liveOps",
    "modifies",
    "nameLibrary",
    "ops",
    "optionalInputs",
    "opxs",
    "patterns",
    "setup",
    "takeFaults",
    "traits",
    "uses",
]

class GraphTwin:
    """
    The C++ side of a Graph.
    """

class TensorTwin:
    """
    The C++ side of a Tensor.
    """

class OpTwin:
    """
    The C++ side of an Op.
    """
    def bind(self, op: popir.ir.graph.Op) -> None:
        """
        Ties the twin to the compiler's operator, which holds it.
        """
    def connectsItself(self) -> bool:
        """
        Whether its class has a connectInTensor() of its own.
        """
    def excludePatterns(self) -> set[str]:
        """
        Names of the patterns that leave the operator alone.
        """
    def inplacePriorityVeto(self) -> list[tuple[str, float]]:
        """
        Priorities of in-place variants that the settings ask for, by their names.
        """
    def library(self) -> str:
        """
        Path of the library that defines the operator's class.
        """
    def moveTo(self, graph: popir.ir.graph.Graph) -> None:
        """
        Says that the operator is in another graph now.
        """
    def pruneable(self) -> bool:
        """
        Whether pruning may remove the operator.
        """

class Devicex:
    """
    The device program of one lowering, and its tensors by id.
    """
    def __init__(self, graph: popir._device.poplar.Graph) -> None: ...
    def contains(self, id: str) -> bool:
        """
        Whether there is a tensor of that id.
        """
    def erase(self, id: str) -> None:
        """
        Forgets the tensor of that id.
        """
    def get(self, id: str) -> popir._device.poplar.Tensor:
        """
        The tensor of that id. Raises popart_exception if there is none.
        """
    def graph(self) -> popir._device.poplar.Graph:
        """
        The graph that operators grow into.
        """
    def insert(self, id: str, tensor: popir._device.poplar.Tensor) -> None:
        """
        Sets or replaces a tensor.
        """
    def useOptions(
        self,
        matmulOptions: popir._device.poplar.OptionFlags | dict[str, str],
        lstmOptions: popir._device.poplar.OptionFlags | dict[str, str],
    ) -> None:
        """
        Sets the options that operators of libraries find in the lowering.
        """
    def useTiles(
        self,
        lowerTile: typing.SupportsInt | typing.SupportsIndex,
        upperTile: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """
        Makes the graph object that it was made with stand for these tiles of the same graph.
        """

class OpxTwin:
    """
    An Opx of a library.
    """
    def __init__(self, op: popir.ir.graph.Op, devicex: Devicex) -> None:
        """
        Makes the Opx of the operator. Raises MissingOpxError if no library has one.
        """
    def canUnwind(
        self,
        inIndex: typing.SupportsInt | typing.SupportsIndex,
        outIndex: typing.SupportsInt | typing.SupportsIndex,
    ) -> bool:
        """
        Whether the layout of an output says that of an input.
        """
    def createInputTensor(
        self, inIndex: typing.SupportsInt | typing.SupportsIndex, name: str
    ) -> popir._device.poplar.Tensor:
        """
        A new tensor for an input, laid out as the Opx likes it.
        """
    def getInputCreatorType(self, inIndex: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        How the Opx makes the tensor of an input: the name of an InputCreatorType.
        """
    def grow(self, prog: popir._device.poplar.program.Sequence) -> None:
        """
        Adds the operator to `prog` and its outputs to the Devicex. Raises popart_exception for an output that is missing or is not of the shape and type that setup() said.
        """
    def inputCreatorPriority(self) -> float:
        """
        Which Opx creates a tensor that several could: the largest number.
        """
    def mustExistBeforeCreate(
        self, inIndex: typing.SupportsInt | typing.SupportsIndex
    ) -> list[set[str]]:
        """
        Ids of the tensors that createInputTensor() needs: any of these sets is enough.
        """
    def unwindTensorLayout(
        self,
        tensor: popir._device.poplar.Tensor,
        inIndex: typing.SupportsInt | typing.SupportsIndex,
        outIndex: typing.SupportsInt | typing.SupportsIndex,
    ) -> popir._device.poplar.Tensor:
        """
        A tensor for an input from one that is laid out as the output.
        """

class PatternTwin:
    """
    A PreAliasPattern of a library.
    """
    def __init__(self, name: str) -> None:
        """
        Makes the pattern of that name. Raises popart_internal_exception if there is none.
        """
    def apply(self, op: popir.ir.graph.Op) -> bool:
        """
        Changes the graph around the operator. Whether it did.
        """
    def matches(self, op: popir.ir.graph.Op) -> bool:
        """
        Whether the pattern applies to the operator.
        """
    def touches(self, op: popir.ir.graph.Op) -> list[popir.ir.graph.Tensor]:
        """
        The tensors that apply() may change or remove.
        """

def aliases(
    op: popir.ir.graph.Op,
    inIndex: typing.SupportsInt | typing.SupportsIndex,
    outIndex: typing.SupportsInt | typing.SupportsIndex,
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    Regions of an input that an output shows, as (lower, upper) indices of each dimension.
    """

def attributeTexts(op: popir.ir.graph.Op, outline: bool) -> list[tuple[str, str]]:
    """
    (name, text) of each attribute. `outline`: of those that outlining compares.
    """

def bwdRegMap(
    op: popir.ir.graph.Op,
    inIndex: typing.SupportsInt | typing.SupportsIndex,
    outIndex: typing.SupportsInt | typing.SupportsIndex,
    region: tuple[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ],
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    Where a region of an output comes from in an input.
    """

def canBeReplacedByIdentity(op: popir.ir.graph.Op) -> bool:
    """
    Whether the operator gives its first input as it is.
    """

def clone(op: popir.ir.graph.Op) -> popir.ir.graph.Op:
    """
    A copy of the operator, in no graph.
    """

def connectInTensor(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex, tensorId: str
) -> None:
    """
    Connects a tensor by the operator's own connectInTensor().
    """

def createOp(
    settings: popir.ir.graph.OpSettings,
    opid: tuple[str, str, int],
    attributes: dict[str, typing.Any],
    inputs: collections.abc.Sequence[str],
    outputs: collections.abc.Sequence[str],
) -> popir.ir.graph.Op | OpTwin:
    """
    A new operator by its library's factory. The compiler's own object if the factory has put it into the graph. `inputs`, `outputs`: ids of tensors, '' for none.
    """

def crossings() -> int:
    """
    How many calls were made between Python and operators in C++.
    """

def fwdRegMap(
    op: popir.ir.graph.Op,
    inIndex: typing.SupportsInt | typing.SupportsIndex,
    outIndex: typing.SupportsInt | typing.SupportsIndex,
    region: tuple[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ],
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    Where a region of an input appears in an output.
    """

def generation() -> int:
    """
    Changes whenever a library registers something.
    """

def getGradOps(op: popir.ir.graph.Op) -> list[popir.ir.graph.Op]:
    """
    New operators that compute the operator's gradients.
    """

def getInplaceVariant(op: popir.ir.graph.Op, opid: tuple[str, str, int]) -> popir.ir.graph.Op:
    """
    A new operator: the in-place variant of that opid.
    """

def getSeedInIndex(op: popir.ir.graph.Op) -> int:
    """
    The input that takes the random seed. -1 if the operator does not say.
    """

def gradInputInfo(op: popir.ir.graph.Op) -> list[tuple[int, int, str]]:
    """
    Where inputs of a gradient operator come from, as (input, index of what it is, kind): a kind is In, Out or GradOut.
    """

def gradOutToNonGradIn(op: popir.ir.graph.Op) -> dict[int, int]:
    """
    By output of a gradient operator, the input that it is the gradient of.
    """

def inferShapes(
    opid: tuple[str, str, int],
    inputs: dict[int, popir.types.TensorInfo],
    attributes: dict[str, typing.Any],
    numOutputs: typing.SupportsInt | typing.SupportsIndex,
) -> list[popir.types.TensorInfo | None] | None:
    """
    The infos of the outputs; None if no function is registered.
    """

def inplacePriorityDefault(op: popir.ir.graph.Op) -> list[tuple[tuple[str, str, int], float]]:
    """
    (opid, priority) of each in-place variant of the operator.
    """

def install(
    adopt: collections.abc.Callable[
        [OpTwin, popir.ir.graph.Graph, tuple[str, str, int], str], popir.ir.graph.Op
    ],
    createOp: collections.abc.Callable[
        [popir.ir.graph.Graph, tuple[str, str, int], str, dict[str, typing.Any]], popir.ir.graph.Op
    ],
    registerSchema: collections.abc.Callable[
        [dict[str, typing.Any], collections.abc.Callable[..., typing.Any] | None], None
    ],
) -> None:
    """
    Lets C++ code call the compiler.
    """

def liveOps() -> int:
    """
    How many operators live in C++.
    """

def modifies(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    Regions of an input that the operator writes.
    """

def nameLibrary(path: bytes, name: str) -> None:
    """
    What is loaded from `path` from now on is called `name`, and replaces what has that name.
    """

def ops() -> list[tuple[tuple[str, str, int], str, bool, dict[str, typing.Any], bool]]:
    """
    (opid, library, isPublic, definition, hasGradOps) of each operator.
    """

def optionalInputs(op: popir.ir.graph.Op) -> set[int]:
    """
    Indices of the inputs that may be left out.
    """

def opxs() -> list[tuple[tuple[str, str, int], str]]:
    """
    (opid, library) of each Opx.
    """

def patterns() -> list[tuple[str, bool, bool, str]]:
    """
    (name, enabled, mandatory, library) of each pattern.
    """

def setup(op: popir.ir.graph.Op) -> None:
    """
    Has the operator set type and shape of its outputs. Raises popart_exception if it leaves one out, or changes what is not its own.
    """

def takeFaults() -> list[str]:
    """
    What libraries registered wrongly since the last call, one message each.
    """

def traits(op: popir.ir.graph.Op) -> dict[str, typing.Any]:
    """
    What the compiler asks of every operator, by name: subgraphValue, requiresRandomSeed, hasSideEffect, isOutlineable, modifies (inputs) and aliases (pairs of input and output).
    """

def uses(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    Regions of an input that the operator reads.
    """
