"""Operators: `Op`, what an operator means.

Long, because PopART's Op has many methods, each a few lines with a default of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from popir.errors import popart_exception
from popir.ir import binding
from popir.ir.attributes import AttributeSpec, schema_attributes
from popir.ir.identifier import GradInOutMapper, OperatorIdentifier
from popir.ir.origin import Origin
from popir.ir.region import Region
from popir.ir.settings import OpSerialiser, OpSettings
from popir.ir.tensor import Tensor, TensorType
from popir.options.annotations import EXCLUDE_PATTERNS, INPLACE_NAMES, INPLACE_PRIORITIES
from popir.options.table import OptionWarning, warn
from popir.typed import fitted, shown, typed
from popir.types import TensorInfo

if TYPE_CHECKING:
    from popir.ir.graph import Graph

Array = np.ndarray[Any, Any]


_ASKED = [
    f"{way}{what}" for way in ("in", "out") for what in ("Tensor", "Id", "Info", "Shape", "Rank")
] + ["hasInput", "hasOutput", "aliases", "modifies"]
"""The methods that everything else asks."""

CalledNames = dict[int, "str | CalledNames"]
"""By the id of an operator of a called graph: under which name its work is filed for this call; for
an operator that calls a graph itself, all names below.
"""


@typed(byHand=_ASKED)
class Op:
    """One operator of a graph.

    A subclass declares its attributes as annotations, sets the infos of its outputs in `setup()`,
    and returns its gradient operators from `getGradOps()`; all else has a default.

        class LeakyReluOp(Op):
            alpha: float

            def setup(self):
                self.setOutInfo(0, self.inInfo(0))
    """

    Settings = OpSettings
    openAttributes: ClassVar[bool] = False
    """True for a class that takes any attribute; `attributes` holds them, and no annotation
    declares them.
    """
    constantInputs: ClassVar[frozenset[int]] = frozenset()
    """The inputs whose values `setup()` or the lowering needs, such as the shape of a Reshape."""
    variableInputs: ClassVar[frozenset[int]] = frozenset()
    """The inputs that the operator gives new values: initializers that stand there are variables,
    of whatever type.
    """
    nonDifferentiableOutputs: ClassVar[frozenset[int]] = frozenset()
    """The outputs that no gradient flows back through, such as statistics that are kept."""
    nonDifferentiableInputs: ClassVar[frozenset[int]] = frozenset()
    """The inputs that the operator takes for given: no gradient flows through them, and none is
    missed. What ONNX's schemas call NonDifferentiable, of inputs of a floating-point type.
    """
    withoutMeaning: ClassVar[Mapping[str, str]] = {}
    """The declared attributes that nothing here depends on, with the reasons: OptionWarning says so
    of one that is not at its default, once for a model.
    """
    mostFolded: ClassVar[int] = 1 << 16
    """The most elements of a result that is computed, by `evaluate`, when a model is compiled."""
    _declared: ClassVar[dict[str, binding.Declared]] = {}

    id: int
    opid: OperatorIdentifier
    settings: OpSettings
    input: dict[int, Tensor]
    output: dict[int, Tensor]
    source: str = "built in"
    """Whose operator this is: "built in", "python", or the path of a library."""
    twin: Any
    """What stands for this operator in C++, once C++ has looked at it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.source = "built in" if cls.__module__.startswith("popir.") else "python"

    def __init__(
        self,
        opid: OperatorIdentifier,
        settings: OpSettings,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes an operator that belongs to no graph yet (`Graph.moveIntoGraph`) and is not
        connected.

        Raises OperatorAttributeError for an attribute that is unknown, missing, or of the wrong
        type.
        """
        self.opid = opid
        self.settings = settings.copy()
        self.id = settings.graph.nextOpId()
        self.input = {}
        self.output = {}
        self.twin = None
        self.variantOf: OperatorIdentifier | None = None
        """Of an in-place variant: the operator that it stands for."""
        self.calledNames: CalledNames = {}
        """How the operators of a called graph are named; empty if this calls none."""
        self._open: dict[str, Any] = {}
        self._bind(attributes or {})

    def bindAttributes(self, attributes: Mapping[str, Any]) -> None:
        """Gives every declared attribute its value; see `popir.ir.binding`."""
        self._bind(attributes)

    def _bind(self, attributes: Mapping[str, Any]) -> None:
        if self.openAttributes:
            self._open = dict(attributes)
            return
        members = self.declaredAttributes()
        if members or attributes:
            schema = schema_attributes(self.opid)
            self.__dict__.update(binding.bind(self._who(), type(self), members, schema, attributes))
            self._tellWithoutMeaning(attributes, schema)

    def _tellWithoutMeaning(
        self, attributes: Mapping[str, Any], schema: Mapping[str, AttributeSpec]
    ) -> None:
        for name, why in self.withoutMeaning.items():
            value, what = attributes.get(name), f"{self.opid.type}.{name}"
            default = schema[name].default if name in schema else None
            if value in (None, default) or what in self.graph.told:
                continue
            self.graph.told.add(what)
            warn(
                f"{self._who()}: the attribute {name} = {shown(value)} has no meaning here: {why}",
                OptionWarning,
            )

    @classmethod
    def declaredAttributes(cls) -> dict[str, binding.Declared]:
        """The attributes that the class and its bases declare, by the model's names."""
        if "_declared" not in cls.__dict__:
            cls._declared = binding.declared(cls, Op)
        return cls._declared

    def _who(self) -> str:
        return f"{self.opid} '{self.settings.name}'" if self.settings.name else str(self.opid)

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes that have a value, by the model's names."""
        if self.openAttributes:
            return self._open
        values = ((name, getattr(self, item.member)) for name, item in self._declared.items())
        return {name: value for name, value in values if value is not None}

    @property
    def graph(self) -> Graph:
        """The graph that the operator belongs to, or was made for."""
        return self.settings.graph

    def name(self) -> str:
        """The name that the model gives the operator, or ""."""
        return self.settings.name

    def plainType(self) -> str:
        """The operator's type, for people: of an in-place variant, the type that it had before."""
        return (self.variantOf or self.opid).type

    def debugName(self) -> str:
        """Who this is, for messages: id, identifier, name and tensors, of many the first ones."""
        who = f"{self.id}, {self.opid}, name='{self.name()}'"
        return f"Op({who}, inputs=[{_shown(self.input)}], outputs=[{_shown(self.output)}])"

    __repr__ = debugName

    # Tensors, by index.

    def inTensor(self, i: int) -> Tensor:
        """The tensor at input `i`. Raises popart_exception if there is none."""
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.inTensor", "i", i, int)
        try:
            return self.input[i]
        except KeyError:
            raise popart_exception(f"{self.debugName()} has no input {i}.") from None

    def outTensor(self, i: int) -> Tensor:
        """The tensor at output `i`. Raises popart_exception if there is none."""
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.outTensor", "i", i, int)
        try:
            return self.output[i]
        except KeyError:
            raise popart_exception(f"{self.debugName()} has no output {i}.") from None

    def inId(self, i: int) -> str:
        """The id of the tensor at input `i`."""
        return self.inTensor(i).id

    def outId(self, i: int) -> str:
        """The id of the tensor at output `i`."""
        return self.outTensor(i).id

    def inInfo(self, i: int) -> TensorInfo:
        """Type and shape of input `i`. Raises popart_exception if they are not known yet."""
        return self._info(self.inTensor(i))

    def outInfo(self, i: int) -> TensorInfo:
        """Type and shape of output `i`. Raises popart_exception if setup() has not set them."""
        return self._info(self.outTensor(i))

    def _info(self, tensor: Tensor) -> TensorInfo:
        if tensor.info is None:
            why = f"; {tensor.producer} has not set them" if tensor.producer else ""
            raise popart_exception(
                f"{self.debugName()}: type and shape of '{tensor.id}' are not known{why}."
            )
        return tensor.info

    def setOutInfo(self, i: int, info: TensorInfo) -> None:
        """Sets type and shape of output `i`; an output that is not connected is skipped."""
        if i in self.output:
            self.output[i].info = info

    def inShape(self, i: int) -> list[int]:
        """The shape of input `i`."""
        return self.inInfo(i).shape()

    def outShape(self, i: int) -> list[int]:
        """The shape of output `i`."""
        return self.outInfo(i).shape()

    def inRank(self, i: int) -> int:
        """The number of dimensions of input `i`."""
        return self.inInfo(i).rank()

    def outRank(self, i: int) -> int:
        """The number of dimensions of output `i`."""
        return self.outInfo(i).rank()

    def hasInput(self, i: int) -> bool:
        """Whether input `i` is connected."""
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.hasInput", "i", i, int)
        return i in self.input

    def hasOutput(self, i: int) -> bool:
        """Whether output `i` is connected."""
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.hasOutput", "i", i, int)
        return i in self.output

    def numInputs(self) -> int:
        """How many inputs are connected."""
        return len(self.input)

    def numOutputs(self) -> int:
        """How many outputs are connected."""
        return len(self.output)

    # Connection. Nothing else changes `input`, `output`, or a tensor's producer and consumers.

    def connectInTensor(self, i: int, tensorId: str) -> None:
        """Makes the tensor input `i`.

        Raises popart_exception if `i` is taken or no such tensor exists.
        """
        if i in self.input:
            raise popart_exception(
                f"{self.debugName()}: input {i} is '{self.input[i].id}' already; disconnect it "
                f"before connecting '{tensorId}'."
            )
        tensor = self.graph.getTensor(tensorId)
        self.input[i] = tensor
        tensor.uses[self] = tensor.uses.get(self, 0) + 1

    def connectOutTensor(self, i: int, tensorId: str) -> None:
        """Makes the operator the producer of the tensor, at output `i`.

        Raises popart_exception if `i` is taken, or the tensor has a producer or is no ActGrad.
        """
        tensor = self.graph.getTensor(tensorId)
        if i in self.output or tensor.producer or tensor.tensorType is not TensorType.ActGrad:
            raise popart_exception(
                f"{self.debugName()}: cannot write {tensor} as output {i}; output {i} is "
                f"{self.output.get(i)}, the tensor's producer {tensor.producer}."
            )
        self.output[i] = tensor
        tensor.producer = self

    def createAndConnectOutTensor(self, i: int, tensorId: str) -> None:
        """Adds the tensor to the graph and makes it output `i`."""
        self.graph.addActGrad(tensorId)
        self.connectOutTensor(i, tensorId)

    def disconnectInTensor(self, i: int) -> None:
        """Takes input `i` away; the tensor stays in the graph."""
        tensor = self.inTensor(i)
        del self.input[i]
        if tensor.uses[self] == 1:
            del tensor.uses[self]
        else:
            tensor.uses[self] -= 1

    def disconnectOutTensor(self, i: int) -> None:
        """Takes output `i` away; the tensor stays in the graph, without a producer."""
        self.outTensor(i).producer = None
        del self.output[i]

    def disconnectAllInputs(self) -> None:
        """Takes all inputs away."""
        for i in list(self.input):
            self.disconnectInTensor(i)

    def disconnectAllOutputs(self) -> None:
        """Takes all outputs away."""
        for i in list(self.output):
            self.disconnectOutTensor(i)

    # What a subclass says of itself.

    def setup(self) -> None:
        """Sets the info of every output from the inputs' infos and the attributes; may be called
        repeatedly.
        """
        raise popart_exception(
            f"{self.debugName()}: the class {type(self).__name__} has no setup()."
        )

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """The outputs, computed by numpy; None where that is not possible, the default.

        `inputs` are the values of those inputs that are constants. Called after setup(); types and
        shapes of the results are those that it has set.
        """
        return None

    def clone(self) -> Op:
        """An operator of the same class, settings and attributes with an id of its own, not
        connected.
        """
        twin = copy(self)
        twin.settings = self.settings.copy()
        twin.id = self.graph.nextOpId()
        twin.input = {}
        twin.output = {}
        twin.twin = None
        twin._open = dict(self._open)
        for item in self._declared.values():
            if isinstance(value := getattr(twin, item.member), list):
                setattr(twin, item.member, list(value))
        return twin

    def getGradOps(self) -> list[Op]:
        """The operators that compute the gradients of the inputs; [] if there is no gradient."""
        return []

    def gradInputInfo(self) -> list[GradInOutMapper]:
        """For a gradient operator: what each of its inputs is, seen from the forward operator."""
        raise popart_exception(
            f"{self.debugName()} is no gradient operator: it has no gradInputInfo()."
        )

    def gradOutToNonGradIn(self) -> dict[int, int]:
        """For a gradient operator: the forward operator's input that each of its outputs is the
        gradient of.
        """
        raise popart_exception(
            f"{self.debugName()} is no gradient operator: it has no gradOutToNonGradIn()."
        )

    def appendAttributes(self, os: OpSerialiser) -> None:
        """Appends what decides what the operator computes; by default, all attributes."""
        for name, value in self.attributes.items():
            os.appendAttribute(name, value)

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """Appends what must be equal for two operators to share one piece of code; by default, all
        attributes.
        """
        self.appendAttributes(os)

    def getSubgraphValue(self) -> float:
        """How much is gained by sharing this operator's code."""
        return self.getLowSubgraphValue()

    def getLowSubgraphValue(self) -> float:
        """The subgraph value of a cheap operator."""
        return 0.1

    def getHighSubgraphValue(self) -> float:
        """The subgraph value of an expensive operator."""
        return 1000.0

    def requiresRandomSeed(self) -> bool:
        """Whether the operator needs a random seed as input."""
        return False

    def getSeedInIndex(self) -> int:
        """The input that the compiler connects the random seed to, UINT32[2]; for an operator that
        requires one.
        """
        raise popart_exception(
            f"{self.debugName()} requires a random seed and does not say where: let "
            f"getSeedInIndex() of {type(self).__name__} return the index of an input."
        )

    def hasSideEffect(self) -> bool:
        """Whether the operator does more than computing its outputs, so that it must stay without a
        reader.
        """
        return False

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        """The in-place variants of the operator and how much each is wanted."""
        return []

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        """The in-place variant of that identifier, one of inplacePriorityDefault()."""
        raise popart_exception(f"{self.debugName()} has no in-place variant {opid}.")

    def inplacePriorityVeto(self) -> list[tuple[str, float]]:
        """What the model or a pattern says of in-place variants, by operator name: a priority in
        place of the default one.
        """
        if self.twin is not None:
            return self.twin.inplacePriorityVeto()
        notes = self.settings.nodeAttributes
        names, priorities = notes.get(INPLACE_NAMES, ()), notes.get(INPLACE_PRIORITIES, ())
        return list(zip(names, priorities, strict=False))

    def mayLackInput(self, i: int) -> bool:
        """Whether a model may leave input `i` out; asked of one that it has left out."""
        return True

    def mayLackOutput(self, i: int) -> bool:
        """The same of output `i`."""
        return True

    def excludePatterns(self) -> Collection[str]:
        """The names of the patterns that leave this operator alone."""
        if self.twin is not None:
            return self.twin.excludePatterns()
        return self.settings.nodeAttributes.get(EXCLUDE_PATTERNS, ())

    def isPruneable(self) -> bool:
        """Whether the operator may go when nobody needs what it computes; C++ code may say no."""
        return self.twin is None or self.twin.pruneable()

    def stateUpdates(self) -> dict[int, int]:
        """Of an operator that keeps a state from batch to batch: the output that is the state after
        the batch, by the input that is the state before it.
        """
        return {}

    def keepStateOf(self, origin: Origin) -> None:
        """Tells an operator with such a state, when a model is compiled for training, who wrote the
        model, where that decides what becomes of the state.
        """

    def runsAs(self) -> str:
        """How an operator runs that computes otherwise in training, in words; "" for all others."""
        return ""

    def canBeReplacedByIdentity(self) -> bool:
        """Whether the operator, as it is connected, gives its input 0 as it is."""
        return False

    def getCalledGraphs(self) -> list[Graph]:
        """The graphs that the operator runs."""
        return []

    def isOutlineable(self) -> bool:
        """Whether the operator may be part of a piece of code that is shared."""
        return True

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the output shares the input's memory."""
        return False

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Of an output that shares the input's memory: whether its elements, row by row, lie one
        behind the other there, if those of the input do.
        """
        return True

    def modifies(self, inIndex: int) -> bool:
        """Whether the operator writes the memory of the input."""
        return False

    # The same, element by element.

    def aliasedRegions(self, inIndex: int, outIndex: int) -> list[Region]:
        """The elements of the input that the output shows."""
        return [Region.full(self.inShape(inIndex))] if self.aliases(inIndex, outIndex) else []

    def modifiedRegions(self, inIndex: int) -> list[Region]:
        """The elements of the input that the operator writes."""
        return [Region.full(self.inShape(inIndex))] if self.modifies(inIndex) else []

    def usedRegions(self, inIndex: int) -> list[Region]:
        """The elements of the input that the operator reads."""
        return [Region.full(self.inShape(inIndex))]

    def fwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        """The elements of the output that belong to those of the input; by default one to one, all
        of them where the shapes differ.
        """
        inside, out = self.inShape(inIndex), self.outShape(outIndex)
        return [region if inside == out else Region.full(out)]

    def bwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        """The elements of the input that belong to those of the output; as `fwdRegMap`."""
        inside, out = self.inShape(inIndex), self.outShape(outIndex)
        return [region if inside == out else Region.full(inside)]

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The inputs that the optimizer sets, by index."""
        return {}


_FEW = 8
"""So many tensors of an operator a message names."""


def _shown(tensors: Mapping[int, Tensor]) -> str:
    names = [f"'{tensors[i].id}'" for i in sorted(tensors)[:_FEW]]
    if len(tensors) > _FEW:
        names.append(f"{len(tensors) - _FEW} more")
    return ", ".join(names)
