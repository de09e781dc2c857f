"""Operators, lowerings and patterns in C++ that were written against PopART's headers.

The static creators of a library record what they register. Before each look-up, new records are
taken over into the registries: an operator as a factory of `CppOp`, a lowering as `CppOpx`, a
pattern as `CppPattern`. Each has a C++ object of the library, its twin, and forwards calls to it.
Methods without documentation here forward to the C++ method of the same name.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from popir import pattern, poplar, registry
from popir._device import popart as device
from popir.adding import expand_in_place
from popir.dataflow import DataFlow
from popir.definitions import OpDefinition
from popir.errors import DuplicateOperatorError, did_you_mean, popart_exception
from popir.ir import GradInOutMapper, GradOpInType, Graph, Op, OperatorIdentifier, Region, Tensor
from popir.ir.traits import Array, OpSerialiser
from popir.onnxio import registered
from popir.opx import InputCreatorType, Opx
from popir.registry import OpCreatorInfo, OpEntry, OpxEntry
from popir.types import TensorInfo

_Opid = tuple[str, str, int]


class CppOp(Op):
    """An operator of a library. It owns the C++ object `twin` for its whole life.

    Methods without documentation call the C++ method of the same name.
    """

    openAttributes = True

    def __init__(
        self,
        opid: OperatorIdentifier,
        settings: Op.Settings,
        attributes: Mapping[str, Any],
        twin: device.OpTwin,
    ) -> None:
        super().__init__(opid, settings, attributes)
        self.twin = twin
        twin.bind(self)
        self.source = twin.library()
        self._connects_itself = twin.connectsItself()
        self._calls_graphs = twin.callsGraphs()
        self._traits: dict[str, Any] | None = None

    def setup(self) -> None:
        device.setup(self)

    def evaluate(self, inputs: Mapping[int, Array]) -> list[Array] | None:
        """Output 0 by the library's ConstExprOp for the type, if all inputs are known."""
        if len(inputs) < len(self.input) or len(self.output) > 1:
            return None
        elements = device.constExpr(self)
        dtype = self.outInfo(0).dataType().numpy
        return None if elements is None else [np.frombuffer(elements, dtype)]

    def clone(self) -> Op:
        return self._like(device.clone(self))

    def getGradOps(self) -> list[Op]:
        return [self._like(op) for op in device.getGradOps(self)]

    def _like(self, made: Op) -> Op:
        made.settings.nodeAttributes = dict(self.settings.nodeAttributes)
        if isinstance(made, CppOp) and made.opid == self.opid:
            made.bindAttributes(self.attributes)
        return made

    def getCalledGraphs(self) -> list[Graph]:
        return device.calledGraphs(self) if self._calls_graphs else []

    def getSeedInIndex(self) -> int:
        """The library's getSeedInIndex(): negative for an operator that takes no seed, but draws by
        itself. Such an operator may require one all the same, as in PopART.
        """
        return device.getSeedInIndex(self)

    def gradInputInfo(self) -> list[GradInOutMapper]:
        return [
            GradInOutMapper(iGrad, iNonGrad, GradOpInType[kind])
            for iGrad, iNonGrad, kind in device.gradInputInfo(self)
        ]

    def gradOutToNonGradIn(self) -> dict[int, int]:
        return device.gradOutToNonGradIn(self)

    def appendAttributes(self, os: OpSerialiser) -> None:
        """The attributes that the library's appendAttributes() gives, as text."""
        for name, text in device.attributeTexts(self, False):
            os.appendAttribute(name, text)

    def appendOutlineAttributes(self, os: OpSerialiser) -> None:
        """The attributes that the library's appendOutlineAttributes() gives, as text."""
        for name, text in device.attributeTexts(self, True):
            os.appendAttribute(name, text)

    def inplacePriorityDefault(self) -> list[tuple[OperatorIdentifier, float]]:
        return [
            (OperatorIdentifier(*opid), priority)
            for opid, priority in device.inplacePriorityDefault(self)
        ]

    def getInplaceVariant(self, opid: OperatorIdentifier) -> Op:
        return self._like(device.getInplaceVariant(self, (opid.domain, opid.type, opid.version)))

    def mayLackInput(self, i: int) -> bool:
        """Whether the library's optionalInputs() contains `i`."""
        return i in device.optionalInputs(self)

    def mayLackGradient(self, i: int) -> bool:
        """True: what the library's gradient operators leave out has no gradient, as in PopART."""
        return True

    def mayLackOutput(self, i: int) -> bool:
        """Whether a later output is connected, or the library's definition has output `i`."""
        if self.output and i < max(self.output):
            return True
        entry = registry.registered(self.opid)
        known = entry.definition if entry else None
        return known is not None and i < len(known.outputs)

    # These properties are read often. `_ask` gets all of them from the library at once; they are
    # cached until a connection changes.

    def _ask(self) -> dict[str, Any]:
        self._traits = traits = device.traits(self)
        return traits

    def getSubgraphValue(self) -> float:
        return (self._traits or self._ask())["subgraphValue"]

    def requiresRandomSeed(self) -> bool:
        return (self._traits or self._ask())["requiresRandomSeed"]

    def hasSideEffect(self) -> bool:
        return (self._traits or self._ask())["hasSideEffect"]

    def modifies(self, inIndex: int) -> bool:
        """Whether the library's modifies() gives a region that is not empty."""
        return inIndex in (self._traits or self._ask())["modifies"]

    def aliases(self, inIndex: int, outIndex: int) -> bool:
        """Whether the library's aliases() gives a region that is not empty."""
        return (inIndex, outIndex) in (self._traits or self._ask())["aliases"]

    def showsInOrder(self, inIndex: int, outIndex: int) -> bool:
        """Whether, by the library's bwdRegMap(), elements have the same distances in input and
        output.

        It is checked for the second and the last element along each dimension of the output.
        """
        inside, out = self.inShape(inIndex), self.outShape(outIndex)
        first = [0] * len(out)
        ends = [[*first[:d], n - 1, *first[d + 1 :]] for d, n in enumerate(out) if n > 1]
        ends += [[*first[:d], 1, *first[d + 1 :]] for d, n in enumerate(out) if n > 1]
        try:
            begin = self._source(inIndex, outIndex, first, inside)
            found = [self._source(inIndex, outIndex, at, inside) for at in ends]
        except popart_exception:
            return False  # The library has no bwdRegMap() for these.
        return begin is not None and all(
            there is not None and there - begin == _flat(at, out)
            for at, there in zip(ends, found, strict=True)
        )

    def _source(self, i: int, o: int, at: list[int], shape: list[int]) -> int | None:
        """The row-major position in the input of the output element `at`; None if it is not one
        element.
        """
        regions = self.bwdRegMap(i, o, Region(tuple(at), tuple(n + 1 for n in at)))
        if len(regions) != 1 or regions[0].upper != tuple(n + 1 for n in regions[0].lower):
            return None
        return _flat(list(regions[0].lower), shape)

    def canBeReplacedByIdentity(self) -> bool:
        return device.canBeReplacedByIdentity(self)

    def isOutlineable(self) -> bool:
        return (self._traits or self._ask())["isOutlineable"]

    def aliasedRegions(self, inIndex: int, outIndex: int) -> list[Region]:
        return [Region(*r) for r in device.aliases(self, inIndex, outIndex)]

    def modifiedRegions(self, inIndex: int) -> list[Region]:
        return [Region(*r) for r in device.modifies(self, inIndex)]

    def usedRegions(self, inIndex: int) -> list[Region]:
        return [Region(*r) for r in device.uses(self, inIndex)]

    def fwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        return [Region(*r) for r in device.fwdRegMap(self, inIndex, outIndex, region)]

    def bwdRegMap(self, inIndex: int, outIndex: int, region: Region) -> list[Region]:
        return [Region(*r) for r in device.bwdRegMap(self, inIndex, outIndex, region)]

    def connectInTensor(self, i: int, tensorId: str) -> None:
        """Connects an input, through the library's function if it overrides connectInTensor()."""
        if self._connects_itself:
            device.connectInTensor(self, i, tensorId)
        else:
            self.connect_unconverted(i, tensorId)

    def connect_unconverted(self, i: int, tensorId: str) -> None:
        """Connects an input as `Op` does, to the tensor before the Cast if the importer has made
        one of it to an integer type (`Op.is_conversion`). The library's connectInTensor() calls it.

        An operator that a pattern puts in the place of one of ONNX's reads what the model has, and
        not what was converted for ONNX's.
        """
        producer = self.graph.getTensor(tensorId).producer
        if producer is not None and producer.is_conversion:
            tensorId = producer.inId(0)
        self._traits = None
        super().connectInTensor(i, tensorId)

    def connectOutTensor(self, i: int, tensorId: str) -> None:
        self._traits = None
        super().connectOutTensor(i, tensorId)

    def disconnectInTensor(self, i: int) -> None:
        self._traits = None
        super().disconnectInTensor(i)

    def disconnectOutTensor(self, i: int) -> None:
        self._traits = None
        super().disconnectOutTensor(i)

    def disconnectAllInputs(self) -> None:
        self._traits = None
        super().disconnectAllInputs()

    def disconnectAllOutputs(self) -> None:
        self._traits = None
        super().disconnectAllOutputs()


def _flat(at: list[int], shape: list[int]) -> int:
    """The row-major position of the element with the index `at`."""
    number = 0
    for index, size in zip(at, shape, strict=True):
        number = number * size + index
    return number


class CppOpx(Opx):
    """A lowering of a library, with its C++ object. Methods without documentation call the C++
    method of the same name.
    """

    def __init__(self, op: Op, devicex: device.Devicex) -> None:
        super().__init__(op, devicex)
        self._twin = device.OpxTwin(op, devicex)
        self.inputCreatorPriority = self._twin.inputCreatorPriority()

    def grow(self, prog: poplar.program.Sequence) -> None:
        self._twin.grow(prog)

    def getInputCreatorType(self, i: int) -> InputCreatorType:
        return InputCreatorType[self._twin.getInputCreatorType(i)]

    def createInputTensor(self, i: int, debugContext: str) -> poplar.Tensor:
        return self._twin.createInputTensor(i, debugContext)

    def unwindTensorLayout(
        self, tensor: poplar.Tensor, inIndex: int, outIndex: int
    ) -> poplar.Tensor:
        return self._twin.unwindTensorLayout(tensor, inIndex, outIndex)

    def canUnwind(self, inIndex: int, outIndex: int) -> bool:
        return self._twin.canUnwind(inIndex, outIndex)

    def mustExistBeforeCreate(self, i: int) -> list[str]:
        """The first alternative of `mustExistBeforeCreateDNF`."""
        return next(iter(self.mustExistBeforeCreateDNF(i)), [])

    def mustExistBeforeCreateDNF(self, i: int) -> list[list[str]]:
        """The library's mustExistBeforeCreate(). Raises popart_exception for unknown tensor ids."""
        choices = [sorted(ids) for ids in self._twin.mustExistBeforeCreate(i)]
        tensors = self.op_p.graph.tensors
        for id in itertools.chain(*choices):
            if id not in tensors:
                raise popart_exception(
                    f"{self.op_p.debugName()}: mustExistBeforeCreate({i}) of '{self.op_p.source}' "
                    f"names '{id}', which is no tensor of the graph.{did_you_mean(id, tensors)}"
                )
        return choices


class CppPattern(pattern.PreAliasPattern):
    """A pattern of a library, with its C++ object. Its methods call the C++ methods of the same
    name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._twin = device.PatternTwin(name)

    def matches(self, op: Op) -> bool:
        return self._twin.matches(op)

    def touches(self, op: Op) -> list[Tensor]:
        return self._twin.touches(op)

    def apply(self, op: Op) -> bool:
        """The library's apply(). What it makes that consists of other operators becomes these."""
        graph, last = op.graph, op.graph.lastOpId
        changed = self._twin.apply(op)
        _expand_since(graph, last)
        return changed


def apply_transform(name: str, graph: Graph, flow: DataFlow, loss: str | None) -> bool:
    """Runs a transform that a library has registered, by its name; returns whether the graph has
    changed. What it makes that consists of other operators becomes these.
    """
    arts = {id: flow.art(id) for id in flow.anchors()}
    anchors = {id: (art.id().name, art.period) for id, art in arts.items()}
    last = graph.lastOpId
    changed = device.applyTransform(name, graph, flow.batchesPerStep(), anchors, loss or "")
    _expand_since(graph, last)
    return changed


def _expand_since(graph: Graph, last: int) -> None:
    fresh = itertools.takewhile(lambda each: each.id > last, reversed(graph.ops.values()))
    for made in list(fresh):
        if made.__class__.expand is not Op.expand:
            expand_in_place(made)


# Functions that C++ code calls.


def _adopt(twin: device.OpTwin, graph: Graph, opid: _Opid, name: str) -> Op:
    """The CppOp for a C++ operator that C++ code has made."""
    return CppOp(OperatorIdentifier(*opid), Op.Settings(graph, name), {}, twin)


def _create_op(graph: Graph, opid: _Opid, name: str, attributes: dict[str, Any]) -> Op:
    """Makes an operator for C++ code. Its inputs are not known yet, so they are not checked."""
    entry = registry.find(*opid)
    op = entry.factory(OpCreatorInfo(entry.opid, Op.Settings(graph, name), attributes, ()))
    op.source = entry.source
    return op


device.install(_adopt, _create_op, registered.register)


# Taking over the registrations of libraries.

_begun = 0
_done = 0
"""The generation of the library registry for which taking over has started (`_begun`), and finished
(`_done`).
"""
_taken: dict[tuple[str, object, str], str] = {}
"""What was taken over, by kind, key and library, with its description; a rebuilt library may have
another.
"""


def sync() -> None:
    """Takes over what libraries have registered since the last call.

    Raises DuplicateOperatorError, once, if some of it was refused. Everything else is taken over.
    """
    if device.generation() == _done:
        return
    with registry.lock.rlock:
        _sync()


def _sync() -> None:
    global _begun, _done
    generation = device.generation()
    if generation == _begun:  # Another thread, or a caller up the stack, has started it already.
        return
    _begun = generation
    try:
        _take_over()
    finally:
        _done = generation


def _take_over() -> None:
    faults: list[str] = device.takeFaults()
    for opid, library, isPublic, definition, hasGradOps in device.ops():
        if _is_new("op", opid, library, f"{isPublic} {definition} {hasGradOps}"):
            entry = _op_entry(OperatorIdentifier(*opid), library, isPublic, definition, hasGradOps)
            _collect(faults, functools.partial(registry.register_op, entry))
    for opid, library in device.opxs():
        if _is_new("opx", opid, library):
            entry = OpxEntry(OperatorIdentifier(*opid), CppOpx, library)
            _collect(faults, functools.partial(registry.register_opx, entry))
    for name, enabled, mandatory, library in device.patterns():
        if _is_new("pattern", name, library):
            make = functools.partial(CppPattern, name)
            create = functools.partial(
                pattern.PatternCreator, make, name, enabled, mandatory, library
            )
            _collect(faults, create)
    if faults:
        raise DuplicateOperatorError("\n".join(f"{fault.rstrip('.')}." for fault in faults))


def _is_new(what: str, key: object, library: str, said: str = "") -> bool:
    known = _taken.get((what, key, library))
    _taken[what, key, library] = said
    return known != said


def _collect(faults: list[str], register: functools.partial[Any]) -> None:
    try:
        register()
    except DuplicateOperatorError as error:
        faults.append(str(error))


def _op_entry(
    opid: OperatorIdentifier,
    library: str,
    isPublic: bool,
    definition: dict[str, Any],
    hasGradOps: bool,
) -> OpEntry:
    key = (opid.domain, opid.type, opid.version)

    def make(info: OpCreatorInfo) -> Op:
        settings = info.settings
        inputs = [tensor.id if tensor else "" for tensor in info.inputs]
        outputs = list(info.outputs)
        attributes = dict(info.attributes)
        made = device.createOp(settings, key, attributes, inputs, outputs)
        if isinstance(made, Op):
            return made
        return CppOp(opid, settings, info.attributes, made)

    known = OpDefinition(**definition) if any(definition.values()) else None
    return OpEntry(opid, CppOp, known, make, isPublic, library, hasGradOps)


registry.sync.append(sync)
pattern.sync.append(sync)


def inferShapes(
    opid: OperatorIdentifier,
    inputs: Mapping[int, TensorInfo],
    attributes: Mapping[str, Any],
    numOutputs: int,
) -> list[TensorInfo | None] | None:
    """The infos of the outputs by the library's shape inference function; None if it has none.

    `inputs` has the infos that are known. An output that the function does not set is None.
    """
    key = (opid.domain, opid.type, opid.version)
    return device.inferShapes(key, dict(inputs), dict(attributes), numOutputs)


registry.shape_functions.append(inferShapes)
