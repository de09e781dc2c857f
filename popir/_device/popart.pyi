"""
Operators, Opxs and patterns of libraries in C++, for popir.foreign.popart. A twin
owns the C++ object of an object of the compiler.
"""

from __future__ import annotations
import collections.abc
import popir._device.poplar
import popir._device.poplar.program
import popir.ir.graph
import popir.types
import typing
import typing_extensions

__all__: list[str] = [
    "Devicex",
    "GraphTwin",
    "Growth",
    "KnownGrowths",
    "Likeness",
    "OpTwin",
    "OpxTwin",
    "PatternTwin",
    "TensorTwin",
    "aliases",
    "applyTransform",
    "attributeTexts",
    "bwdRegMap",
    "calledGraphs",
    "canBeReplacedByIdentity",
    "clone",
    "connectInTensor",
    "constExpr",
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
    "irOf",
    "liveOps",
    "modifies",
    "nameLibrary",
    "ops",
    "optionalInputs",
    "opxs",
    "originOf",
    "patterns",
    "setup",
    "takeApart",
    "takeFaults",
    "traits",
    "uses",
]

class GraphTwin:
    """
    Owns the C++ object of a Graph.
    """

class TensorTwin:
    """
    Owns the C++ object of a Tensor.
    """

class OpTwin:
    """
    Owns the C++ object of an Op. Methods raise popart_exception if
    C++ code has deleted it.
    """
    def bind(self, op: popir.ir.graph.Op) -> None:
        """
        Links the C++ operator to the compiler's operator, which holds the twin.
        """
    def callsGraphs(self) -> bool:
        """
        Whether the operator calls graphs.
        """
    def connectsItself(self) -> bool:
        """
        Whether the operator's class overrides connectInTensor().
        """
    def excludePatterns(self) -> set[str]:
        """
        The names of the patterns that must not be applied to the operator.
        """
    def inplacePriorityVeto(self) -> list[tuple[str, float]]:
        """
        The priorities of in-place variants in the operator's settings: (name, priority).
        """
    def library(self) -> str:
        """
        The path of the library that defines the operator's class, or
        the name of nameLibrary().
        """
    def moveTo(self, graph: popir.ir.graph.Graph) -> None:
        """
        Records that the operator is in another graph now.
        """
    def pruneable(self) -> bool:
        """
        Whether pruning may remove the operator.
        """

class Devicex:
    """
    The graph and the tensors, by id, of one lowering. Python and C++ Opxs share it
    (PopART: popart/popx/devicex.hpp).
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
        The graph to which Opxs add.
        """
    def insert(self, id: str, tensor: popir._device.poplar.Tensor) -> None:
        """
        Sets or replaces the tensor of that id.
        """
    def mapLinearly(self, tensor: popir._device.poplar.Tensor) -> None:
        """
        Spreads the tensor over the tiles of the graph object, from the tile on where the one
        before ended, as PopART's LinearMapper does. Raises popart_exception for a tensor of
        another graph.
        """
    def shown(self, id: str) -> tuple[list[int], bool]:
        """
        What `variables` returns, and whether the tensor of that id is tangled.
        Raises popart_exception if there is none.
        """
    def useOptions(
        self,
        matmulOptions: popir._device.poplar.OptionFlags | dict[str, str],
        lstmOptions: popir._device.poplar.OptionFlags | dict[str, str],
    ) -> None:
        """
        Sets the options of matrix products and LSTMs that Opxs of
        libraries read from the lowering.
        """
    def useTiles(
        self,
        lowerTile: typing.SupportsInt | typing.SupportsIndex,
        upperTile: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """
        Restricts the graph object of the constructor to tiles [lowerTile, upperTile) of the
        same graph: it becomes a virtual graph of them.
        Raises poplar_invalid_tile_mapping as Graph.createVirtualGraph does.
        """
    def variables(self, id: str) -> list[int]:
        """
        The ids of the variables that the tensor of that id is a view of, ascending.
        Raises popart_exception if there is no such tensor.
        """

class Growth:
    """
    What one operator has added to the graph of a Devicex: variables, bulk
    vertices and a program. The same can be added again for operators like it.
    """
    def __init__(self, devicex: Devicex) -> None:
        """
        Begins: what the graph gets from now on.
        """
    def end(
        self,
        devicex: Devicex,
        prog: popir._device.poplar.program.Sequence,
        inputs: collections.abc.Sequence[str],
        outputs: collections.abc.Sequence[str],
        prefix: str,
    ) -> bool:
        """
        Ends, with the program, the ids of the operator's tensors, and the prefix of all
        names. Returns whether it can be repeated: not if a tensor shows a variable that is
        neither new nor an input's, if a name lacks the prefix, or if something else was
        added, such as a codelet's vertex, a stream or a function. Raises
        popart_exception for an id without a tensor.
        """

class KnownGrowths:
    """
    Growths of operators that are alike, but whose inputs lie in different
    ways.
    """
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(self, growth: Growth) -> None:
        """
        Adds a growth whose `end` has returned True.
        """
    def repeat(
        self,
        devicex: Devicex,
        inputs: collections.abc.Sequence[str],
        outputs: collections.abc.Sequence[str],
        prefix: str,
        name: str,
    ) -> (
        tuple[popir._device.poplar.program.Sequence, list[int], list[tuple[list[int], bool]]] | None
    ):
        """
        Adds the same for other inputs and another prefix, by the first growth with inputs
        that lie as these, and inserts the outputs into the Devicex. Returns the program, of
        this name; the ids of the variables that it writes and that were there before,
        ascending; and of each output what `Devicex.shown` returns. Returns None, and adds
        nothing, if there is no such growth. Raises popart_exception for an input without
        a tensor, WorkLimitError as growing does.
        """

class OpxTwin:
    """
    An Opx of a library, for the compiler's CppOpx. Errors in its code become the
    exception of the same name, or popart_exception; the message names the
    operator and the library.
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
        Whether the layout of an output determines that of an input.
        """
    def createInputTensor(
        self, inIndex: typing.SupportsInt | typing.SupportsIndex, name: str
    ) -> popir._device.poplar.Tensor:
        """
        A new tensor for an input, in the layout that the Opx prefers.
        Raises popart_exception if it has another shape or type than the input.
        """
    def getInputCreatorType(self, inIndex: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        How the Opx determines the layout of an input: the name of an InputCreatorType.
        CanDelegateOrUnwind is given as CanUnwind.
        """
    def grow(self, prog: popir._device.poplar.program.Sequence) -> None:
        """
        Appends the operator to `prog`, and inserts its outputs into the Devicex.
        Raises popart_exception for an output that is missing, or has another shape or
        type than setup() has set.
        """
    def inputCreatorPriority(self) -> float:
        """
        The Opx's priority: of several Opxs that can create a tensor, the one with
        the largest number does.
        """
    def mustExistBeforeCreate(
        self, inIndex: typing.SupportsInt | typing.SupportsIndex
    ) -> list[set[str]]:
        """
        The tensors that createInputTensor() needs, as alternative sets of ids: all
        tensors of one set must exist.
        """
    def unwindTensorLayout(
        self,
        tensor: popir._device.poplar.Tensor,
        inIndex: typing.SupportsInt | typing.SupportsIndex,
        outIndex: typing.SupportsInt | typing.SupportsIndex,
    ) -> popir._device.poplar.Tensor:
        """
        A new tensor for an input, in a layout that gives the output the layout of `tensor`.
        Raises popart_exception if it has another shape or type than the input.
        """

class Likeness:
    """
    Numbers of operators of popir's own, of which those have the same that are
    alike as far as the IR says.
    """
    def __init__(self) -> None: ...
    def of(self, op: popir.ir.graph.Op) -> int:
        """
        The number of an operator.
        """

class PatternTwin:
    """
    A PreAliasPattern of a library, for the compiler's CppPattern. Errors in its code
    become exceptions as for OpxTwin.
    """
    def __init__(self, name: str) -> None:
        """
        Makes the pattern of that name. Raises popart_internal_exception if there is none.
        """
    def apply(self, op: popir.ir.graph.Op) -> bool:
        """
        Changes the graph around the operator. Returns whether it has changed it.
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
    The regions of an input that an output aliases. A region is (lower, upper), with an
    index for each dimension; upper is excluded.
    Raises popart_exception for a region outside of the tensor.
    """

def applyTransform(
    name: str,
    graph: typing.Any,
    batchesPerStep: typing.SupportsInt | typing.SupportsIndex,
    anchors: collections.abc.Mapping[str, tuple[str, typing.SupportsInt | typing.SupportsIndex]],
    loss: str,
) -> bool:
    """
    Runs a transform of a library or program. Returns whether it has changed the graph.
    The graph's Ir has the anchors, with their return types and periods, and the loss if it is
    not empty; its operators know where they stand with respect to the loss.
    Raises popart_exception if none has that name.
    """

def attributeTexts(op: popir.ir.graph.Op, outline: bool) -> list[tuple[str, str]]:
    """
    (name, text) of each attribute of appendAttributes(), or of
    appendOutlineAttributes() if `outline`.
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
    The regions of an input that a region of an output maps to; see aliases().
    """

def calledGraphs(op: popir.ir.graph.Op) -> list[popir.ir.graph.Graph]:
    """
    The graphs that the operator calls, by the library's getCalledGraphs().
    """

def canBeReplacedByIdentity(op: popir.ir.graph.Op) -> bool:
    """
    Whether the operator returns its first input unchanged.
    """

def clone(op: popir.ir.graph.Op) -> popir.ir.graph.Op:
    """
    A copy of the operator, in no graph.
    """

def connectInTensor(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex, tensorId: str
) -> None:
    """
    Connects a tensor to an input by the operator's connectInTensor().
    """

def constExpr(op: popir.ir.graph.Op) -> bytes | None:
    """
    The bytes of output 0, by the ConstExprOp of a library for the operator's type; None if no library has one.
    """

def createOp(
    settings: popir.ir.graph.OpSettings,
    opid: tuple[str, str, int],
    attributes: dict[str, typing.Any],
    inputs: collections.abc.Sequence[str],
    outputs: collections.abc.Sequence[str],
) -> popir.ir.graph.Op | OpTwin:
    """
    Makes an operator by its library's factory. Returns its twin, or the compiler's
    operator if the factory has put it into the graph.
    `opid`: (domain, type, version).
    `inputs`, `outputs`: ids of tensors, '' for one that is left out.
    Raises popart_internal_exception if no library has the operator,
    popart_exception for an error in the factory, OperatorAttributeError for an
    attribute that C++ cannot take.
    """

def crossings() -> int:
    """
    The number of calls so far between Python and C++ code of
    operators, in both directions.
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
    The regions of an output that a region of an input maps to; see aliases().
    """

def generation() -> int:
    """
    A number that changes whenever a library registers something.
    """

def getGradOps(op: popir.ir.graph.Op) -> list[popir.ir.graph.Op]:
    """
    New operators that compute the operator's gradients.
    """

def getInplaceVariant(op: popir.ir.graph.Op, opid: tuple[str, str, int]) -> popir.ir.graph.Op:
    """
    A new operator: the in-place variant of that opid.
    Raises popart_exception if the operator returns another or none.
    """

def getSeedInIndex(op: popir.ir.graph.Op) -> int:
    """
    The index of the input that takes the random seed; below 0 if the operator has none.
    """

def gradInputInfo(op: popir.ir.graph.Op) -> list[tuple[int, int, str]]:
    """
    The source of each input of a gradient operator: (input, index, kind). It is
    input (In) or output (Out) number `index` of the forward operator, or the
    gradient of that output (GradOut).
    Raises popart_exception for an index below 0 and for another kind.
    """

def gradOutToNonGradIn(op: popir.ir.graph.Op) -> dict[int, int]:
    """
    For each output of a gradient operator, the index of the forward operator's
    input whose gradient it is.
    """

def inferShapes(
    opid: tuple[str, str, int],
    inputs: dict[int, popir.types.TensorInfo],
    attributes: dict[str, typing.Any],
    numOutputs: typing.SupportsInt | typing.SupportsIndex,
) -> list[popir.types.TensorInfo | None] | None:
    """
    A list with the TensorInfo of each output, or None for an output that is not set, by
    the shape inference function of a library; None if no library has one for `opid`.
    `inputs`: by index.
    Raises popart_exception for an error in the function, OperatorAttributeError for an
    attribute that C++ cannot take.
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
    Connects C++ code with the compiler: calls, ONNX schemas and log messages.
    `adopt`: makes the compiler's operator that holds a twin.
    `createOp`: makes an operator by the compiler's registry.
    `registerSchema`: takes a description and an inference function, or None.
    """

def irOf(graph: typing.Any) -> typing_extensions.CapsuleType:
    """
    The address of a graph's popart::Ir, for programs in C++.
    """

def liveOps() -> int:
    """
    The number of operators that exist in C++, for tests of ownership.
    """

def modifies(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    The regions of an input that the operator writes; see aliases().
    """

def nameLibrary(path: bytes, name: str) -> None:
    """
    Gives the library that is loaded from `path`, absolute, a name after this call. Its
    registrations replace those of an earlier library of that name.
    """

def ops() -> list[tuple[tuple[str, str, int], str, bool, dict[str, typing.Any], bool]]:
    """
    (opid, library, isPublic, definition, hasGradOps) of each operator that libraries
    have registered. An opid is (domain, type, version); `library` is a path or the name
    of nameLibrary(); the definition is a dict of the arguments of
    popir.definitions.OpDefinition.
    """

def optionalInputs(op: popir.ir.graph.Op) -> set[int]:
    """
    Indices of the inputs that may be left out.
    """

def opxs() -> list[tuple[tuple[str, str, int], str]]:
    """
    (opid, library) of each Opx that libraries have registered.
    """

def originOf(op: popir.ir.graph.Op) -> typing.Any:
    """
    What an object of PopART's classes keeps of the operator whose gradient or variant it is:
    (opid, attributes, infos of inputs by index, infos of outputs, bytes of constant inputs).
    None for other operators.
    """

def patterns() -> list[tuple[str, bool, bool, str]]:
    """
    (name, enabled, mandatory, library) of each pattern that libraries have
    registered, in that order.
    """

def setup(op: popir.ir.graph.Op) -> None:
    """
    Calls the operator's setup(), which sets type and shape of its outputs.
    Raises popart_exception if one is not set or not valid, or if it changes an input.
    """

def takeApart(op: popir.ir.graph.Op) -> bool:
    """
    Puts what an operator of PopART that the compiler does not have consists of, such as a
    gradient of an element-wise operator, in its place. Returns whether it is one.
    """

def takeFaults() -> list[str]:
    """
    Messages about registrations that failed since the last call.
    """

def traits(op: popir.ir.graph.Op) -> dict[str, typing.Any]:
    """
    Values that the compiler needs of every operator, by name: subgraphValue,
    requiresRandomSeed, hasSideEffect, isOutlineable; modifies, a set of indices of
    inputs; aliases, a set of (input, output).
    Raises popart_exception for a region outside of its tensor.
    """

def uses(
    op: popir.ir.graph.Op, inIndex: typing.SupportsInt | typing.SupportsIndex
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """
    The regions of an input that the operator reads; see aliases().
    """
