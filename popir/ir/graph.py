"""The intermediate representation: `Graph`, its operators `Op` and its tensors `Tensor`.

The three are one long module because their types are mutually recursive: a graph has operators, an
operator has tensors, a tensor has the operator that computes it. The properties of an operator that
need no graph are in `traits.py`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from popir.dataflow import Exchange
from popir.enums import RecomputeType
from popir.errors import LeavesDeviceError, did_you_mean, popart_exception
from popir.ir import binding
from popir.ir.attributes import AttributeSpec, schema_attributes
from popir.ir.identifier import OperatorIdentifier
from popir.ir.origin import Origin
from popir.ir.schedule import schedule
from popir.ir.traits import Traits
from popir.options.annotations import EXCLUDE_PATTERNS, INPLACE_NAMES, INPLACE_PRIORITIES
from popir.options.session import SessionOptions
from popir.options.table import OptionWarning, warn
from popir.replicas import Sharding, Shared, VariableSettings
from popir.typed import fitted, shown, typed
from popir.types import TensorInfo


class TensorType(enum.Enum):
    """Where the value of a tensor comes from."""

    ActGrad = "actgrad"
    """An operator computes it, or a caller passes it to a subgraph."""
    Const = "const"
    """It is known when the model is compiled and never changes."""
    Stream = "stream"
    """The host sends it for each batch."""
    Variable = "variable"
    """It stays on the device between steps: a weight or a state."""


# Looked up once: until Python 3.12 a member of an Enum takes as long to look up as a call.
_ACT_GRAD, _CONST, _VARIABLE = TensorType.ActGrad, TensorType.Const, TensorType.Variable


class Tensor:
    """One value of a graph. At most one operator writes it; any number of operators read it.

    `Graph` makes tensors (`addStream`, `addVarInit`, `addConstInit`, `addActGrad`); `Op` connects
    them. Members: `id`; `tensorType`; `info`, the type and shape, None until the producer's
    `setup()` has run; `data`, the value of a constant or the initial value of a variable, else
    None. PopART's `Tensor`.
    """

    __slots__ = (
        "__weakref__",
        "graph",
        "held",
        "id",
        "info",
        "producer",
        "tensorType",
        "twin",
        "uses",
    )

    def __init__(
        self,
        graph: Graph,
        id: str,
        tensorType: TensorType,
        info: TensorInfo | None = None,
        data: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.graph = graph
        self.id = id
        self.tensorType = tensorType
        self.info = info
        """Element type and shape; None until the producer's setup() has run."""
        self.held: np.ndarray[Any, Any] | Callable[[], np.ndarray[Any, Any]] | None = data
        """`data`, or what gives it: a weight that a device has in packed form."""
        self.producer: Op | None = None
        self.twin: Any = None
        """The C++ object for this tensor, made when C++ code first needs it."""
        self.uses: dict[Op, int] = {}
        """For each operator that reads the tensor, at how many inputs."""

    @property
    def data(self) -> np.ndarray[Any, Any] | None:
        """The value of a Const, the initial value of a Variable; None for all others."""
        held = self.held
        return held() if callable(held) else held

    @data.setter
    def data(self, data: np.ndarray[Any, Any] | None) -> None:
        self.held = data

    @property
    def consumers(self) -> list[Op]:
        """The operators that read the tensor, in the order of connection. An operator that reads it
        at two inputs is there twice.
        """
        return [op for op, uses in self.uses.items() for _ in range(uses)]

    def hasProducer(self) -> bool:
        """Whether an operator computes the tensor."""
        return self.producer is not None

    def getProducer(self) -> Op:
        """The operator that computes the tensor. Raises popart_exception if there is none."""
        if self.producer is None:
            raise popart_exception(f"{self} has no producer: no operator computes it.")
        return self.producer

    def isConst(self) -> bool:
        """Whether the tensor is a constant: its value is known at compile time."""
        return self.tensorType is _CONST

    def is_variable(self) -> bool:
        """Whether the tensor is a weight or a state."""
        return self.tensorType is _VARIABLE

    def is_stream(self) -> bool:
        """Whether the host sends the tensor."""
        return self.tensorType is TensorType.Stream

    def __repr__(self) -> str:
        return f"Tensor('{self.id}', {self.tensorType.name}, {self.info})"


@typed(by_hand=["copy"])
@dataclass(slots=True)
class OpSettings:
    """The settings of an operator besides its attributes. PopART's `Op::Settings`; also
    `Op.Settings`.
    """

    graph: Graph
    """The graph that the operator is made for."""
    name: str = ""
    """The name in the model; "" if it has none."""
    nodeAttributes: dict[str, Any] = field(default_factory=dict)
    """Annotations such as "__ipu_number", by PopART's names. They affect how the operator runs, not
    what it computes.
    """

    def copy(self, name: str | None = None) -> OpSettings:
        """A copy with its own `nodeAttributes`, and with another name if one is given."""
        if name is not None and name.__class__ is not str:
            name = fitted("OpSettings.copy", "name", name, str | None)
        twin = object.__new__(OpSettings)  # The members have been checked when this was made.
        twin.graph = self.graph
        twin.name = self.name if name is None else name
        twin.nodeAttributes = dict(self.nodeAttributes)
        return twin


_ASKED = [
    *(
        f"{way}{what}"
        for way in ("in", "out")
        for what in ("Tensor", "Id", "Info", "Shape", "Rank")
    ),
    *("__init__", "hasInput", "hasOutput", "setOutInfo"),
    *("connectInTensor", "connectOutTensor", "createAndConnectOutTensor"),
]
"""The most frequently called methods: they check their arguments themselves, which is faster."""

_TEXT = {str}
"""The type of the names of attributes."""

CalledNames = dict[int, "str | CalledNames"]
"""Names for the operators of a called graph, in profiles and reports of one particular call.

The key is the id of an operator of the called graph. The value is its name; for an operator that
calls another graph, it is the table of that graph. Example, for a Call of a graph with a MatMul and
a nested Call: {3: "layer1/matmul", 4: {7: "layer1/block/relu"}}.
"""


@typed(by_hand=_ASKED)
class Op(Traits):
    """One operator of a graph. PopART's `Op`.

    A subclass declares its attributes as annotations, infers the types and shapes of its outputs in
    `setup()`, and returns its gradient operators from `getGradOps()`. Everything else has a
    default; see `Traits`.

        class LeakyReluOp(Op):
            alpha: float

            def setup(self):
                self.setOutInfo(0, self.inInfo(0))
    """

    Settings = OpSettings
    _declared: ClassVar[dict[str, binding.Declared]] = {}

    id: int
    """The number of the operator, unique in its graph."""
    opid: OperatorIdentifier
    """Domain, type and version."""
    settings: OpSettings
    input: dict[int, Tensor]
    """The connected inputs, by index."""
    output: dict[int, Tensor]
    """The connected outputs, by index."""
    source: str = "built in"
    """Where the operator comes from: "built in", "python", or the path of a library."""
    is_conversion: bool = False
    """Whether it is a Cast that a model does not have: one to a type that an operator takes."""
    expanded: tuple[Sequence[str], Sequence[str]] = ((), ())
    """The ids of the inputs and outputs of an operator for which others stand in the graph."""
    twin: Any
    """The C++ object for this operator, made when C++ code first needs it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.source = "built in" if cls.__module__.startswith("popir.") else "python"

    def __init__(
        self,
        opid: OperatorIdentifier,
        settings: OpSettings,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes an operator that is not connected and not yet in a graph; `Graph.moveIntoGraph`
        adds it.

        Raises OperatorAttributeError for an attribute that is unknown, missing, or of the wrong
        type.
        """
        if opid.__class__ is not OperatorIdentifier or settings.__class__ is not OpSettings:
            who = type(self).__name__
            opid = fitted(who, "opid", opid, OperatorIdentifier)
            settings = fitted(who, "settings", settings, OpSettings)
        if attributes is None:
            attributes = {}
        elif attributes.__class__ is not dict or not _TEXT.issuperset(map(type, attributes)):
            who = type(self).__name__
            attributes = fitted(who, "attributes", attributes, Mapping[str, Any] | None)
        self.opid = opid
        self.settings = settings.copy()
        self.id = settings.graph.nextOpId()
        self.input = {}
        self.output = {}
        self.twin = None
        self.variant_of: OperatorIdentifier | None = None
        """For an in-place variant: the identifier of the operator that it replaces."""
        self.called_names: CalledNames = {}
        """Names of the operators in the called graph; empty if this operator calls no graph."""
        self._open: dict[str, Any] = {}
        self._bind(attributes or {})

    def bindAttributes(self, attributes: Mapping[str, Any]) -> None:
        """Sets every declared attribute, from `attributes` or defaults; see `popir.ir.binding`.

        Raises OperatorAttributeError for an attribute that is unknown, missing, or of the wrong
        type.
        """
        self._bind(attributes)

    def _bind(self, attributes: Mapping[str, Any]) -> None:
        if self.openAttributes:
            self._open = dict(attributes)
            return
        members = self.declaredAttributes()
        if members or attributes:
            schema = schema_attributes(self.opid)
            self.__dict__.update(binding.bind(self._who(), type(self), members, schema, attributes))
            self._tell_without_meaning(attributes, schema)

    def _tell_without_meaning(
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
        """The attributes that the class and its bases declare, by ONNX name."""
        if "_declared" not in cls.__dict__:
            cls._declared = binding.declared(cls, Op)
        return cls._declared

    def _who(self) -> str:
        return f"{self.opid} '{self.settings.name}'" if self.settings.name else str(self.opid)

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes that are not None, by ONNX name."""
        if self.openAttributes:
            return self._open
        if not self._declared:
            return {}
        values = ((name, getattr(self, item.member)) for name, item in self._declared.items())
        return {name: value for name, value in values if value is not None}

    @property
    def graph(self) -> Graph:
        """The graph that contains the operator, or that it was made for."""
        return self.settings.graph

    def name(self) -> str:
        """The operator's name in the model; "" if it has none."""
        return self.settings.name

    def plainType(self) -> str:
        """The type to show to users, such as "Relu"; also for its in-place variant ReluInplace."""
        return (self.variant_of or self.opid).type

    def debugName(self) -> str:
        """A description for messages: id, identifier, name, and up to 8 inputs and outputs. Those
        are left out as long as none is known.
        """
        who = f"{self.id}, {self.opid}, name='{self.name()}'"
        ins, outs = self.expanded
        if self.input or self.output:
            ins, outs = _ids(self.input), _ids(self.output)
        if not ins and not outs:
            return f"Op({who})"
        return f"Op({who}, inputs=[{_shown(ins)}], outputs=[{_shown(outs)}])"

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
        """The id of the tensor at input `i`. Raises popart_exception if there is none."""
        return self.inTensor(i).id

    def outId(self, i: int) -> str:
        """The id of the tensor at output `i`. Raises popart_exception if there is none."""
        return self.outTensor(i).id

    def inInfo(self, i: int) -> TensorInfo:
        """Type and shape of input `i`. Raises popart_exception if it is not connected, or if they
        are not set yet.
        """
        if i.__class__ is int and i in self.input and (info := self.input[i].info) is not None:
            return info
        return self._info(self.inTensor(i))

    def outInfo(self, i: int) -> TensorInfo:
        """Type and shape of output `i`. Raises popart_exception if it is not connected, or if
        setup() has not set them.
        """
        if i.__class__ is int and i in self.output and (info := self.output[i].info) is not None:
            return info
        return self._info(self.outTensor(i))

    def _info(self, tensor: Tensor) -> TensorInfo:
        if tensor.info is None:
            why = f"; {tensor.producer} has not set them" if tensor.producer else ""
            raise popart_exception(
                f"{self.debugName()}: type and shape of '{tensor.id}' are not known{why}."
            )
        return tensor.info

    def setOutInfo(self, i: int, info: TensorInfo) -> None:
        """Sets type and shape of output `i`. Does nothing if the output is not connected."""
        if i.__class__ is not int or info.__class__ is not TensorInfo:
            who = f"{type(self).__name__}.setOutInfo"
            i, info = fitted(who, "i", i, int), fitted(who, "info", info, TensorInfo)
        if i in self.output:
            self.output[i].info = info

    def inShape(self, i: int) -> list[int]:
        """The shape of input `i`. Raises popart_exception as `inInfo` does."""
        return self.inInfo(i).shape()

    def outShape(self, i: int) -> list[int]:
        """The shape of output `i`. Raises popart_exception as `outInfo` does."""
        return self.outInfo(i).shape()

    def inRank(self, i: int) -> int:
        """The number of dimensions of input `i`. Raises popart_exception as `inInfo` does."""
        return self.inInfo(i).rank()

    def outRank(self, i: int) -> int:
        """The number of dimensions of output `i`. Raises popart_exception as `outInfo` does."""
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
        """The number of connected inputs."""
        return len(self.input)

    def numOutputs(self) -> int:
        """The number of connected outputs."""
        return len(self.output)

    # Connection. Only these functions, `Graph.replaceOp` and `add_alike` change `input`,
    # `output`, `producer` and `uses`, and count that in `Graph.changes`.

    def connectInTensor(self, i: int, tensorId: str) -> None:
        """Connects the tensor as input `i`.

        Raises popart_exception if input `i` is already connected or the tensor does not exist.
        """
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.connectInTensor", "i", i, int)
        if i in self.input:
            raise popart_exception(
                f"{self.debugName()}: input {i} is '{self.input[i].id}' already; disconnect it "
                f"before connecting '{tensorId}'."
            )
        tensor = self.graph.getTensor(tensorId)
        self.input[i] = tensor
        tensor.uses[self] = tensor.uses.get(self, 0) + 1
        tensor.graph.changes += 1

    def connectOutTensor(self, i: int, tensorId: str) -> None:
        """Connects the tensor as output `i`: the operator becomes its producer.

        Raises popart_exception if output `i` is already connected, or if the tensor does not exist,
        has a producer or is not an ActGrad.
        """
        if i.__class__ is not int:
            i = fitted(f"{type(self).__name__}.connectOutTensor", "i", i, int)
        tensor = self.graph.getTensor(tensorId)
        if i in self.output or tensor.producer or tensor.tensorType is not _ACT_GRAD:
            raise popart_exception(
                f"{self.debugName()}: cannot write {tensor} as output {i}; output {i} is "
                f"{self.output.get(i)}, the tensor's producer {tensor.producer}."
            )
        self.output[i] = tensor
        tensor.producer = self
        tensor.graph.changes += 1

    def createAndConnectOutTensor(self, i: int, tensorId: str) -> None:
        """Adds an ActGrad tensor to the graph and connects it as output `i`.

        Raises popart_exception if the graph has a tensor of that id, or output `i` is already
        connected.
        """
        if i.__class__ is not int or tensorId.__class__ is not str:
            who = f"{type(self).__name__}.createAndConnectOutTensor"
            i, tensorId = fitted(who, "i", i, int), fitted(who, "tensorId", tensorId, str)
        self.graph.addActGrad(tensorId)
        self.connectOutTensor(i, tensorId)

    def disconnectInTensor(self, i: int) -> None:
        """Disconnects input `i`. The tensor stays in the graph. Raises popart_exception if there is
        no input `i`.
        """
        tensor = self.inTensor(i)
        del self.input[i]
        tensor.graph.changes += 1
        if tensor.uses[self] == 1:
            del tensor.uses[self]
        else:
            tensor.uses[self] -= 1

    def disconnectOutTensor(self, i: int) -> None:
        """Disconnects output `i`. The tensor stays in the graph, without a producer. Raises
        popart_exception if there is no output `i`.
        """
        tensor = self.outTensor(i)
        tensor.producer = None
        tensor.graph.changes += 1
        del self.output[i]

    def disconnectAllInputs(self) -> None:
        """Disconnects all inputs; the tensors stay in the graph."""
        for tensor in self.input.values():
            tensor.uses.pop(self, None)
            tensor.graph.changes += 1
        self.input.clear()

    def disconnectAllOutputs(self) -> None:
        """Disconnects all outputs; the tensors stay in the graph, without a producer."""
        for tensor in self.output.values():
            tensor.producer = None
            tensor.graph.changes += 1
        self.output.clear()

    # Functions for subclasses to override; more in `Traits`.

    def clone(self) -> Op:
        """A copy with a new id and no connections: same class, settings and attributes."""
        # copy.copy() does the same, in several times the time.
        twin = object.__new__(self.__class__)
        twin.__dict__ = members = self.__dict__.copy()
        members["settings"] = self.settings.copy()
        members["id"] = self.settings.graph.nextOpId()
        members["input"] = {}
        members["output"] = {}
        members["twin"] = None
        if self._open:
            members["_open"] = dict(self._open)
        for item in self._declared.values():
            if isinstance(value := members.get(item.member), list):
                members[item.member] = list(value)
        return twin

    def getGradOps(self) -> list[Op]:
        """New operators that compute the gradients of the inputs, usually objects of a GradOp. [],
        the default, if there is no gradient: then autodiff raises MissingGradientError where it
        needs one.
        """
        return []

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        """A new operator: the in-place variant `opid`, which inplacePriorityDefault() lists.

        Raises popart_exception if there is no such variant.
        """
        raise popart_exception(f"{self.debugName()} has no in-place variant {opid}.")

    def turnInto(self, opid: OperatorIdentifier) -> bool:
        """Makes the operator its in-place variant `opid` where it stands, with all connections, or
        a variant again what it was, and returns True. False, the default, if it cannot: then
        `getInplaceVariant` makes another operator, which takes its place.
        """
        return False

    def inplacePriorityVeto(self) -> list[tuple[str, float]]:
        """Pairs (type of an in-place variant, priority) that override the default priorities.

        They come from annotations of the model or from patterns.
        """
        if self.twin is not None:
            return self.twin.inplacePriorityVeto()
        notes = self.settings.nodeAttributes
        if INPLACE_NAMES not in notes:
            return []
        return list(zip(notes[INPLACE_NAMES], notes.get(INPLACE_PRIORITIES, ()), strict=False))

    def excludePatterns(self) -> Collection[str]:
        """The names of the patterns that must not change this operator."""
        if self.twin is not None:
            return self.twin.excludePatterns()
        return self.settings.nodeAttributes.get(EXCLUDE_PATTERNS, ())

    def modified_inputs(self) -> list[int]:
        """The indices of the inputs that the operator modifies, by `modifies`."""
        if type(self).modifies is Traits.modifies:
            return []
        return [i for i in self.input if self.modifies(i)]

    def expand(self, inputs: Sequence[Tensor | None], outputs: Sequence[str]) -> bool:
        """Adds other operators that compute the outputs, for an operator that consists of these,
        and returns True; by default False, and the operator is added itself.

        `inputs` are in order, with None for one that is left out; `outputs` are the ids of the
        tensors to be added, "" for one that is not needed.
        """
        return False

    def isPruneable(self) -> bool:
        """Whether the operator may be removed if its outputs are not used. True unless C++ code of
        an operator library forbids it.
        """
        return self.twin is None or self.twin.pruneable()

    def getCalledGraphs(self) -> list[Graph]:
        """The graphs that the operator calls, such as the body of a Loop; [] by default."""
        return []

    def argumentsOf(self, callee: Graph) -> list[int | None]:
        """For each input of a called graph, the index of the operator's input that it is throughout
        the operator; None for one that the operator makes or changes, such as a loop's iteration
        number. By default the operator's inputs, in order.
        """
        return list(range(len(callee.inputs)))

    def furtherGradients(self) -> dict[int, str]:
        """For a gradient operator that is connected: adds operators that compute gradients from its
        outputs, and returns their ids, by the index of the forward operator's input. {} by default.
        """
        return {}

    def gradOpsOfCalls(
        self, calls: GradientsOfCalls, given: Collection[int], wanted: Collection[int]
    ) -> list[Op]:
        """As `getGradOps`, for an operator that calls graphs: it makes gradients of these by
        `calls`.

        `given` are the outputs that have a gradient, `wanted` the inputs whose gradient is needed.
        A wanted input that no gradient operator leads to has none: it is 0.
        """
        raise popart_exception(f"{self.debugName()} has no gradOpsOfCalls().")

    def optimizerInputs(self) -> dict[int, Tensor]:
        """The inputs set by the optimizer, such as the learning rate, by index; {} by default."""
        return {}


_FEW = 8
"""The most inputs, and the most outputs, that `Op.debugName` lists."""


def _ids(tensors: Mapping[int, Tensor]) -> list[str]:
    return [tensors[i].id for i in sorted(tensors)]


def _shown(ids: Sequence[str]) -> str:
    names = [f"'{id}'" for id in ids[:_FEW]]
    if len(ids) > _FEW:
        names.append(f"{len(ids) - _FEW} more")
    return ", ".join(names)


AnyOp = TypeVar("AnyOp", bound=Op)

_MANY_READERS = 64
"""`Graph.replaceOp` keeps the order of a tensor's readers up to this number."""


_ASKED_OF_GRAPHS = [
    *("addActGrad", "getTensor", "hasTensor", "uniqueId"),
    *("createConnectedOp", "moveIntoGraph", "replaceOp"),
]
"""The most frequently called methods of graphs: they check their arguments themselves."""


@typed(by_hand=_ASKED_OF_GRAPHS)
class Graph:
    """A graph: operators and tensors by id, and the ids of its inputs and outputs in order.

    PopART's `Graph`.
    """

    def __init__(self, name: str = "", caller: Graph | None = None) -> None:
        """Makes an empty graph. With `caller`, a graph that will call this one, the two share a
        counter of operator ids, so that an id is unique in both.
        """
        self.name = name
        self.is_main = caller is None
        """Whether it is a model's graph, and not one that operators call."""
        self.ops: dict[int, Op] = {}
        self.tensors: dict[str, Tensor] = {}
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.opsets: dict[str, int] = {}
        """The opset version of the model for each operator domain."""
        self.differentiated: frozenset[str] = frozenset()
        """Ids of tensors whose gradients are asked for: what reads them is not folded."""
        self.origin = Origin()
        """The tool that wrote the model."""
        self.constraints: dict[Op, dict[Op, None]] = {}
        """For each key, the operators that must run before it besides its inputs' producers. The
        inner dict is an ordered set.
        """
        self.isTraining = False
        """Whether the graph is compiled for training. Dropout, for example, computes something else
        then.
        """
        self.has_gradients = False
        """Whether autodiff has added the gradients of the loss."""
        self.has_updates = False
        """Whether the updates of the weights are there, with what they accumulate; PopART's
        `Ir::hasDecomposedOptimizers`.
        """
        self.outer: set[int] = set()
        """The ids of the operators that run once after accumulation, once the updates are there:
        those in PopART's AccumulateOuterFragment, for patterns in C++.
        """
        self.session_options: SessionOptions | None = None
        """The options of the session that compiles the graph, for operators in C++."""
        self.replicas: int = caller.replicas if caller else 1
        """The replicas of the model that run it, in all processes."""
        self.shared: dict[str, Shared] = {}
        """The variables of which the host has several values, by id."""
        self.variable_settings: dict[str, VariableSettings] = {}
        """What the model says of replicas that share a variable, by id; for programs in C++."""
        self.sharded: dict[str, Sharding] = {}
        """The variables of which each replica has a part, and the host the whole, by id."""
        self.broadcast: set[str] = set()
        """The inputs of which all replicas get the same values."""
        self.exchanges: dict[str, Exchange] = {}
        """By which tiles and when inputs come, by id, where settings of inputs say so."""
        self.passes: tuple[set[int], set[int]] = (set(), set())
        """The ids of the operators of the forward and of the backward pass, in training,
        before what is unused is removed; for programs in C++.
        """
        self.recomputed: dict[str, RecomputeType] = {}
        """For each result that is not kept for the backward pass whether it is that of the forward
        pass (Recompute) or the one that is computed again (Recomputed), by id.
        """
        self.saved: list[str] = []
        """Variables to save in addition to those of the original model, such as momenta."""
        self.frozen: set[str] = set()
        """Variables of one element whose values patterns may compile in: nothing but the host could
        change them.
        """
        self.compiled_in: dict[str, str] = {}
        """Those whose values are compiled in, by id, and the pattern that did it."""
        self.told: set[str] = set()
        """Attributes without effect, such as `Cast.saturate`, that a warning was given for."""
        self.ranges: dict[str, tuple[int, int]] = {}
        """The least and the greatest value of integers that are computed at run time, as far as
        that is not seen from the operators: the number of an iteration, for example.
        """
        self.assumed: list[str] | None = caller.assumed if caller else []
        """What was assumed of values at run time so that shapes are fixed; None if nothing may be.
        Shared with the graphs that operators call.
        """
        self.keeps_ragged: bool = caller.keeps_ragged if caller else True
        """Whether a tensor of which one size depends on the data may be imported, padded."""
        self.remapped: dict[str, str] = {}
        """For each anchor the tensor that the host gets, of a graph that a program has made."""
        self.remote_rows: dict[str, int] = {}
        """The rows of the remote buffers of such a graph, by their numbers."""
        self.copied: dict[str, int] = {}
        """How often loops of such a graph copy what the host sends or gets at once, by its id."""
        self.made: dict[str, Graph] = {}
        """The graphs of `createGraph`, by name, which operators may call."""
        self.twin: Any = None
        """The C++ object for this graph, made when C++ code first needs it."""
        self.changes = 0
        """How often operators, tensors, connections or constraints have changed so far."""
        self._scheduled: tuple[int, list[Op]] | None = None
        """The result of `schedule`, and `changes` when it was computed."""
        self._last_op_id: list[int] = caller._last_op_id if caller else [-1]
        self._taken: dict[str, int] = {}

    def require_exact(self) -> None:
        """Raises LeavesDeviceError if shapes are fixed by what is assumed of values at run time."""
        if self.assumed:
            raise LeavesDeviceError(f"A shape may depend on the data: {self.assumed[0]}")

    # Tensors.

    def addStream(self, id: str, info: TensorInfo) -> Tensor:
        """Adds a tensor that the host sends, and appends it to the graph's inputs.

        Raises popart_exception if there is a tensor of that id.
        """
        tensor = self._add(Tensor(self, id, TensorType.Stream, info))
        self.inputs.append(id)
        return tensor

    def addVarInit(self, id: str, data: np.ndarray[Any, Any]) -> Tensor:
        """Adds a weight or a state, with its initial value, which gives its type and shape.

        Raises popart_exception if there is a tensor of that id.
        """
        return self._add(Tensor(self, id, _VARIABLE, TensorInfo(data), data))

    def addState(self, id: str, initial: np.ndarray[Any, Any]) -> Tensor:
        """Adds a state variable, or turns the initializer of that id into one.

        A saved model contains its states as initializers; their values are kept, so that training
        continues where it stopped. Otherwise the state starts with `initial`. Raises
        popart_exception if the initializer has another type or shape than `initial`.
        """
        if id not in self.tensors:
            self.addVarInit(id, initial)
        state = self.tensors[id]
        if state.data is None or state.info != TensorInfo(initial):
            raise popart_exception(
                f"The model has a tensor '{id}', {state.info}; the state of that id must be an "
                f"initializer {TensorInfo(initial)}. Was it saved for another model?"
            )
        state.tensorType = _VARIABLE
        self.changes += 1
        return state

    def saveVariable(self, id: str) -> None:
        """Marks a variable to be saved with the model. Raises popart_exception for a tensor that is
        not a variable.
        """
        if not self.getTensor(id).is_variable():
            raise popart_exception(f"{self.getTensor(id)} is no variable; a model saves those.")
        if id not in self.saved:
            self.saved.append(id)

    def addConstInit(self, id: str, data: np.ndarray[Any, Any]) -> Tensor:
        """Adds a constant with the value `data`, its type and its shape. Raises popart_exception if
        there is a tensor of that id.
        """
        return self._add(Tensor(self, id, _CONST, TensorInfo(data), data))

    def addActGrad(self, id: str) -> Tensor:
        """Adds a tensor that an operator will compute. Its `setup()` sets type and shape. Raises
        popart_exception if there is a tensor of that id.
        """
        if id.__class__ is not str:
            id = fitted("Graph.addActGrad", "id", id, str)
        return self._add(Tensor(self, id, _ACT_GRAD))

    def _add(self, tensor: Tensor) -> Tensor:
        if tensor.id in self.tensors:
            raise popart_exception(
                f"The graph '{self.name}' has a tensor '{tensor.id}' already: "
                f"{self.tensors[tensor.id]}."
            )
        self.tensors[tensor.id] = tensor
        self.changes += 1
        return tensor

    def hasTensor(self, id: str) -> bool:
        """Whether the graph has a tensor of that id."""
        if id.__class__ is not str:
            id = fitted("Graph.hasTensor", "id", id, str)
        return id in self.tensors

    def getTensor(self, id: str) -> Tensor:
        """The tensor of that id. Raises popart_exception, with similar ids, if there is none."""
        try:
            return self.tensors[id]
        except (KeyError, TypeError):
            fitted("Graph.getTensor", "id", id, str)
            raise popart_exception(
                f"The graph '{self.name}' has no tensor '{id}'.{did_you_mean(id, self.tensors)}"
            ) from None

    def removeTensor(self, id: str) -> None:
        """Removes a tensor. Raises popart_exception if it has a producer or consumers, or is an
        input or output of the graph.
        """
        tensor = self.getTensor(id)
        if tensor.producer or tensor.uses or id in self.inputs or id in self.outputs:
            raise popart_exception(
                f"{tensor} is in use and cannot be removed: producer {tensor.producer}, "
                f"consumers {tensor.consumers}, graph input {id in self.inputs}, "
                f"graph output {id in self.outputs}."
            )
        del self.tensors[id]
        self.changes += 1

    def renameTensor(self, id: str, new: str) -> None:
        """Gives a tensor another id. Raises popart_exception if a tensor has it already, or if the
        graph's inputs or outputs name the tensor.
        """
        tensor = self.getTensor(id)
        if new in self.tensors or id in self.inputs or id in self.outputs:
            raise popart_exception(f"{tensor} cannot be renamed to '{new}'.")
        del self.tensors[id]
        tensor.id = new
        self.tensors[new] = tensor
        self.changes += 1

    def uniqueId(self, base: str) -> str:
        """The first of `base`, `base/1`, `base/2`, ... that is not the id of a tensor."""
        if base.__class__ is not str:
            base = fitted("Graph.uniqueId", "base", base, str)
        if base not in self.tensors:
            return base
        n = self._taken.get(base, 0) + 1
        while f"{base}/{n}" in self.tensors:
            n += 1
        self._taken[base] = n
        return f"{base}/{n}"

    def setExchanges(self, texts: Mapping[str, str]) -> None:
        """Sets by which tiles and when inputs come, each as `Exchange.of_text` has it, for programs
        in C++. Raises popart_exception for a text that is none, and for an exchange that cannot be.
        """
        found: dict[str, Exchange] = {}
        for id, text in texts.items():
            try:
                found[id] = Exchange.of_text(f"The input '{id}'", text)
            except (ValueError, KeyError):
                raise popart_exception(
                    f"The input '{id}': '{text}' is no tile set and exchange strategy. Give, for "
                    "example, TileSet::IO and ExchangeStrategy::OverlapLoops."
                ) from None
        self.exchanges = found

    def setInputs(self, ids: Sequence[str]) -> None:
        """Sets the inputs of a called graph; earlier ones that nothing reads are removed."""
        dropped = set(self.inputs).difference(ids)
        self.inputs = list(ids)
        self.changes += 1
        for id in dropped:
            if not self.tensors[id].uses and id not in self.outputs:
                del self.tensors[id]

    def setOutputs(self, ids: Sequence[str]) -> None:
        """Sets the outputs of a called graph. Raises popart_exception for an id of no tensor."""
        for id in ids:
            self.getTensor(id)
        self.outputs = list(ids)
        self.changes += 1

    # Graphs.

    def createGraph(self, name: str) -> Graph:
        """A new graph that operators of this one, the main graph, may call; this one keeps it.
        PopART's function of this name, of Ir.

        Raises popart_exception if there is a graph of that name.
        """
        if any(graph.name == name for graph in self.allGraphs()):
            raise popart_exception(f"There is a graph '{name}' already.")
        graph = self.made[name] = Graph(name, self)
        graph.opsets, graph.origin, graph.isTraining = self.opsets, self.origin, self.isTraining
        return graph

    def removeGraph(self, name: str) -> None:
        """Removes a graph of `createGraph`. Raises popart_exception if there is none of that name,
        or if operators call it.
        """
        if name not in self.made:
            raise popart_exception(f"createGraph() has made no graph '{name}'.")
        if self.made[name] in called_graphs(self):
            raise popart_exception(f"The graph '{name}' cannot be removed: operators call it.")
        del self.made[name]

    def allGraphs(self) -> list[Graph]:
        """This graph, those that its operators call, directly or not, and `createGraph` made."""
        found = dict.fromkeys(called_graphs(self))
        for graph in self.made.values():
            found.update(dict.fromkeys(called_graphs(graph)))
        return list(found)

    # Operators.

    @property
    def lastOpId(self) -> int:
        """The greatest operator id given so far."""
        return self._last_op_id[0]

    def nextOpId(self) -> int:
        """A new operator id, greater than all ids given so far."""
        self._last_op_id[0] += 1
        return self._last_op_id[0]

    def moveIntoGraph(self, op: Op) -> int:
        """Adds an operator that is not connected, and returns its id.

        An operator made for another graph gets a new id. Raises popart_exception if the id is
        taken.
        """
        if not isinstance(op, Op):
            fitted("Graph.moveIntoGraph", "op", op, Op)
        if op.settings.graph is not self:
            op.settings.graph = self
            if op.twin is not None:
                op.twin.moveTo(self)
            op.id = self.nextOpId()
        if op.id in self.ops:
            raise popart_exception(
                f"{self!r} has an operator of the id of {op.debugName()} already."
            )
        self._last_op_id[0] = max(self._last_op_id[0], op.id)
        self.ops[op.id] = op
        self.changes += 1
        return op.id

    def createConnectedOp(
        self,
        factory: Callable[..., AnyOp],
        in_: dict[int, str],
        out: dict[int, str],
        *args: Any,
        **kwargs: Any,
    ) -> AnyOp:
        """Makes an operator with `factory(*args, **kwargs)`, adds it to the graph, connects it,
        calls its `setup()`, and returns it.

        `in_` maps input indices to ids of existing tensors. `out` maps output indices to ids of
        tensors; missing ones are added. Raises popart_exception if an input does not exist or an
        output cannot be connected, and the errors of `setup()`.
        """
        if not callable(factory) or in_.__class__ is not dict or out.__class__ is not dict:
            who = "Graph.createConnectedOp"
            fitted(who, "factory", factory, Callable)
            fitted(who, "in_", in_, dict[int, str])
            fitted(who, "out", out, dict[int, str])
        op = factory(*args, **kwargs)
        self.moveIntoGraph(op)
        for i, id in in_.items():
            op.connectInTensor(i, id)
        for i, id in out.items():
            if id in self.tensors:
                op.connectOutTensor(i, id)
            else:
                op.createAndConnectOutTensor(i, id)
        op.setup()
        return op

    def eraseOp(self, id: int) -> None:
        """Disconnects and removes an operator. Its output tensors stay, without a producer.

        Raises popart_exception if there is no operator of that id.
        """
        op = self.ops.get(id)
        if op is None:
            raise popart_exception(f"The graph '{self.name}' has no operator of id {id}.")
        op.disconnectAllInputs()
        op.disconnectAllOutputs()
        self.constraints.pop(op, None)
        for befores in self.constraints.values():
            befores.pop(op, None)
        del self.ops[id]
        self.changes += 1

    def replaceOp(self, old: Op, new: Op) -> None:
        """Replaces `old` by `new`, which is not connected yet, and calls `new.setup()`.

        `new` gets the id, the connections and the constraints of `old`. It keeps the position of
        `old` among the readers of each input, unless the tensor has more than 64 readers: then it
        becomes the last one.
        """
        if not isinstance(old, Op) or not isinstance(new, Op):
            fitted("Graph.replaceOp", "old", old, Op)
            fitted("Graph.replaceOp", "new", new, Op)
        new.id = old.id
        new.input, new.output = old.input, old.output
        old.input, old.output = {}, {}
        for tensor in dict.fromkeys(new.input.values()):
            if len(tensor.uses) == 1:
                tensor.uses = {new: tensor.uses[old]}
                continue
            if len(tensor.uses) > _MANY_READERS:  # Rebuilding a large dict takes too long.
                tensor.uses[new] = tensor.uses.pop(old)
            else:
                tensor.uses = {(new if op is old else op): n for op, n in tensor.uses.items()}
        for tensor in new.output.values():
            tensor.producer = new
        self.ops[old.id] = new
        self.changes += 1
        if self.constraints:
            self.constraints = {
                (new if after is old else after): {
                    (new if before is old else before): None for before in befores
                }
                for after, befores in self.constraints.items()
            }
        new.setup()

    # Order.

    def addConstraint(self, before: Op, after: Op) -> None:
        """Makes `before` run before `after`, in addition to the order given by their tensors. If
        `after` reads a variable that `before` changes, or what others before it have made of that,
        it reads what `before` makes of it.
        """
        self.constraints.setdefault(after, {})[before] = None
        for i in before.modified_inputs():
            values = _earlier(before.input[i])
            made = (t for o, t in before.output.items() if before.aliases(i, o))
            if not values[-1].is_variable() or (new := next(made, None)) is None:
                continue
            at = [j for j, tensor in after.input.items() if tensor in values]
            for j in () if any(map(after.modifies, at)) else at:
                after.disconnectInTensor(j)
                after.connectInTensor(j, new.id)
        self.changes += 1

    def removeConstraint(self, before: Op, after: Op) -> None:
        """Undoes `addConstraint`, but for what `after` reads: that stays what `before` makes. Does
        nothing if there is no such constraint.
        """
        self.constraints.get(after, {}).pop(before, None)
        self.changes += 1

    def befores(self, op: Op) -> list[Op]:
        """The operators that constraints put before `op`."""
        return list(self.constraints.get(op, {}))

    def afters(self, op: Op) -> list[Op]:
        """The operators that constraints put after `op`."""
        return [after for after, befores in self.constraints.items() if op in befores]

    def schedule(self) -> list[Op]:
        """All operators in an order in which they can run. Deterministic; see `popir.ir.schedule`.

        It is computed again after changes alone: most passes ask for it, and few change the graph.
        Raises VerificationError, naming the operators, if their dependencies form a cycle.
        """
        if self._scheduled is None or self._scheduled[0] != self.changes:
            self._scheduled = self.changes, schedule(self.ops.values(), self.constraints)
        return list(self._scheduled[1])

    def __repr__(self) -> str:
        return f"Graph('{self.name}', {len(self.ops)} ops, {len(self.tensors)} tensors)"


def _earlier(tensor: Tensor) -> list[Tensor]:
    """A tensor and what it was before operators changed it, the latest value first."""
    found = [tensor]
    while (op := found[-1].producer) is not None:
        o = next(o for o, t in op.output.items() if t is found[-1])
        changed = (i for i in op.modified_inputs() if op.aliases(i, o))
        if (i := next(changed, None)) is None:
            break
        found.append(op.input[i])
    return found


@dataclass
class GradientGraph:
    """A graph that computes gradients of a graph: it computes that again, then walks back."""

    graph: Graph
    """Its outputs are the gradients of the wanted inputs, in order."""
    inputs: list[str]
    """The ids that the inputs of the differentiated graph have here."""
    given: list[str]
    """The ids of the gradients of its outputs."""

    def is_read(self, id: str) -> bool:
        """Whether the gradients depend on an input or a given gradient."""
        return bool(self.graph.getTensor(id).uses) or id in self.graph.outputs


class GradientsOfCalls(Protocol):
    """What `Op.gradOpsOfCalls` gets: autodiff, for called graphs."""

    def reached(self, graph: Graph, inputs: Collection[int]) -> set[int]:
        """The outputs of a graph that depend differentiably on some of its inputs."""
        ...

    def of(
        self, graph: Graph, given: Sequence[int], wanted: Sequence[int | TensorInfo]
    ) -> GradientGraph:
        """The gradients of the inputs `wanted` of a graph, from those of its outputs `given`. A
        TensorInfo asks for zeros, for an input that this graph does not have.
        """
        ...

    def remove_unused(self, graph: Graph) -> None:
        """Removes the operators that no output of a graph depends on."""
        ...


def add_alike(
    graph: Graph,
    op: Op,
    inputs: Mapping[int, Tensor],
    outputs: Mapping[int, tuple[str, TensorInfo]],
) -> None:
    """Adds a copy of an operator (`Op.clone`) to a graph and connects it, without its `setup()`:
    `outputs` are the ids and infos of tensors that are added.

    Raises popart_exception if there is a tensor of such an id.
    """
    graph.moveIntoGraph(op)
    for i, tensor in inputs.items():
        op.input[i] = tensor
        tensor.uses[op] = tensor.uses.get(op, 0) + 1
    for o, (id, info) in outputs.items():
        if id in graph.tensors:
            graph.addActGrad(id)  # It raises the error.
        op.output[o] = graph.tensors[id] = tensor = Tensor(graph, id, _ACT_GRAD, info)
        tensor.producer = op
    graph.changes += 1


def copied(graph: Graph, name: str) -> Graph:
    """A copy of a called graph, and of the graphs that it calls, with another name, which computes
    again what that one has computed (`Op.only_compute`). The ids of its tensors are `name/` and the
    old ids.
    """
    new = Graph(name, graph)
    new.opsets, new.origin, new.isTraining = graph.opsets, graph.origin, graph.isTraining
    twins: dict[Op, Op] = {}
    for tensor in graph.tensors.values():
        new.tensors[f"{name}/{tensor.id}"] = Tensor(
            new, f"{name}/{tensor.id}", tensor.tensorType, tensor.info, tensor.data
        )
    for op in graph.schedule():
        twin = twins[op] = op.clone()
        twin.source, twin.called_names = op.source, op.called_names
        twin.only_compute()
        new.moveIntoGraph(twin)
        for member, value in list(vars(twin).items()):
            if isinstance(value, Graph):
                setattr(twin, member, copied(value, f"{name}/{value.name}"))
        for i, tensor in op.input.items():
            twin.connectInTensor(i, f"{name}/{tensor.id}")
        for o, tensor in op.output.items():
            twin.connectOutTensor(o, f"{name}/{tensor.id}")
    for after, befores in graph.constraints.items():
        for before in befores:
            new.addConstraint(twins[before], twins[after])
    new.inputs = [f"{name}/{id}" for id in graph.inputs]
    new.outputs = [f"{name}/{id}" for id in graph.outputs]
    return new


def called_graphs(graph: Graph) -> list[Graph]:
    """The graph and all graphs that its operators call, directly or not, each once."""
    found = {graph: None}
    stack = [graph]
    while stack:
        ops = stack.pop().ops.values()
        classes = set(map(type, ops))  # Few, and most often none that calls a graph.
        calling = {cls for cls in classes if cls.getCalledGraphs is not Op.getCalledGraphs}
        for op in ops if calling else ():
            if type(op) in calling:
                fresh = [each for each in op.getCalledGraphs() if each not in found]
                found.update(dict.fromkeys(fresh))
                stack += fresh
    return list(found)
