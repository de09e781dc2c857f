"""The base class of the Builder: a growing model with nodes, ids, name scopes and element types."""

from __future__ import annotations

import abc
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from popir import definitions
from popir.builder.annotations import Annotations
from popir.builder.contexts import NameContextManager
from popir.builder.opsets import Opsets
from popir.builder.tensor_id import TensorId
from popir.errors import OperatorInputError, did_you_mean, popart_exception
from popir.ir import AttributeKind
from popir.onnxio.attributes import to_proto
from popir.onnxio.proto import GraphProto, ModelProto, NodeProto
from popir.onnxio.schema_text import Schema
from popir.typed import fitted, shown, typed
from popir.types import DataType

_MOST_OUTPUTS = 1 << 16


@typed(by_hand=["addNode"])
class Core(Annotations, abc.ABC):
    """A model under construction; `addNode` adds nodes."""

    def __init__(self) -> None:
        super().__init__()
        self._parent: Core | None = None
        """The builder of the parent graph, for a subgraph."""
        self._model = ModelProto(producer_name="popir")
        self._model.graph.name = "BuilderGraph"
        self._opsets = Opsets()
        self._inputs: list[str] = []
        self._kinds: dict[str, DataType | None] = {}
        """Maps the id of each tensor to its element type, or to None if that is not known."""
        self._taken: dict[str, int] = {}
        """Maps each id to the number to try for the next id with the same base."""
        self._scopes: list[str] = []
        self._reference = weakref.ref(self)
        """For the ids that are given out."""

    def addNode(
        self,
        domain: str,
        type: str,
        inputs: Sequence[str],
        numOutputs: int,
        attributes: Mapping[str, tuple[AttributeKind | None, Any]],
        debugContext: Any,
        schema: Schema | None = None,
    ) -> list[str]:
        """Adds a node and returns the ids of its outputs.

        Inputs, attributes and outputs are checked against `schema`, as far as element types are
        known. `attributes` maps a name to (kind, value); the kind None is inferred from the value.
        Raises OperatorInputError, OperatorAttributeError or popart_exception.
        """
        debug = name_of(debugContext)
        check_text(domain)
        check_text(type)
        name = self._scoped(debug or type) if debug or self._scopes else ""
        who = f"{type} '{name}'" if name else type
        if inputs.__class__ not in (list, tuple):
            inputs = fitted(who, "inputs", inputs, Sequence[str], OperatorInputError)
        if numOutputs.__class__ is not int:
            numOutputs = fitted(who, "number of outputs", numOutputs, int)
        if numOutputs > _MOST_OUTPUTS:
            raise popart_exception(
                f"{who} is to have {numOutputs} outputs; a node has up to {_MOST_OUTPUTS}."
            )
        for i, id in enumerate(inputs):
            if not isinstance(id, str):
                fitted(who, f"input {i}", id, str, OperatorInputError)
            if id and not self._knows(id):
                near = did_you_mean(id, self._kinds)
                raise OperatorInputError(f"Unknown tensor '{id}', input {i} of {who}.{near}")
        bound: dict[str, DataType] = {}
        if schema is not None:
            given = [(id, self._kind(id)) if id else None for id in inputs]
            bound = definitions.check_inputs(who, schema.inputs, given, converting=True)
            schema.outputs.check_count(who, "output", numOutputs)
        node = NodeProto(name=name, op_type=type, domain="" if domain == "ai.onnx" else domain)
        node.input.extend(inputs)
        for key, (kind, value) in attributes.items():
            value = value.subgraph() if isinstance(value, Core) else value
            node.attribute.append(to_proto(who, key, value, kind))
        self._note(node)
        base = f"{debug}/{type}" if debug and not _as_popart else type
        outputs = [self._next_id(f"{base}:{i}") for i in range(numOutputs)]
        node.output.extend(outputs)
        self._model.graph.node.append(node)
        for i, id in enumerate(outputs):
            self._nodes[id] = self._model.graph.node[-1]
            is_narrow = i == definitions.narrow_index(domain, type)
            self._kinds[id] = DataType.INT32 if is_narrow else _output_kind(schema, i, bound)
        return outputs

    @abc.abstractmethod
    def subgraph(self) -> GraphProto:
        """The graph as an onnx.GraphProto, for an attribute of a node in the parent graph."""

    def nameScope(self, name: str) -> NameContextManager:
        """Inside the `with` block, names and ids begin with `name/`. Scopes nest."""
        check_text(name)

        def enter() -> Callable[[], None]:
            self.pushNameScope(name)
            return self.popNameScope

        return NameContextManager(enter)

    def pushNameScope(self, name: str) -> None:
        """Names and ids begin with `name/` until `popNameScope`. Scopes nest."""
        check_text(name)
        self._scopes.append(name)

    def popNameScope(self) -> None:
        """Ends the innermost name scope. Raises popart_exception if there is none."""
        if not self._scopes:
            raise popart_exception("popNameScope: there is no name scope to leave.")
        self._scopes.pop()

    def getNameScope(self, name: str = "") -> str:
        """`name` in the current scope, such as "outer/inner/name"."""
        return self._scoped(name)

    def _scoped(self, name: str) -> str:
        return "/".join([*self._scopes, name])

    # Ids.

    def _declare(self, id: str, kind: DataType | None) -> str:
        self._taken.setdefault(id, 1)
        self._kinds[id] = kind
        return id

    def _ids(self, found: Iterable[str]) -> list[str]:
        """Ids to be given out."""
        return [TensorId(id, self._reference) for id in found]

    def _knows(self, id: str) -> bool:
        return id in self._kinds or (self._parent is not None and self._parent._knows(id))

    def _kind(self, id: str) -> DataType | None:
        if id in self._kinds or self._parent is None:
            return self._kinds.get(id)
        return self._parent._kind(id)

    def _next_id(self, name: str) -> str:
        """`name` in the current scope; if that is taken, with /1, /2, ... at the end."""
        base = id = self._scoped(name)
        while id in self._taken:
            id = f"{base}/{self._taken[base]}"
            self._taken[base] += 1
        self._taken[id] = 1
        return TensorId(id, self._reference)


_as_popart = False
"""Whether the ids of results are PopART's."""


def name_as_popart() -> None:
    """Lets the ids of results from now on begin with the type of the node, `Exp:0`, as programs for
    PopART expect it, and not with its name, `name/Exp:0`.
    """
    global _as_popart
    _as_popart = True


def check_text(text: str) -> None:
    """Raises popart_exception for text that is no Unicode (an unpaired surrogate): no model can
    hold it.
    """
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise popart_exception(
            f"The text in a model is UTF-8, which {shown(text)} cannot be written in."
        ) from None


def name_of(debugContext: Any) -> str:
    """The name in a debug context: a str, or an object with a `name`. None and, as in PopART, False
    are "".

    Raises popart_exception for other objects.
    """
    if isinstance(debugContext, str):
        check_text(debugContext)
        return debugContext
    if debugContext is None or debugContext is False:
        return ""
    name = getattr(debugContext, "name", None)
    if not isinstance(name, str):
        raise popart_exception(
            "A debug context is a string, or an object whose `name` is one; given was "
            f"{shown(debugContext)}."
        )
    check_text(name)
    return name


def _output_kind(schema: Schema | None, i: int, bound: Mapping[str, DataType]) -> DataType | None:
    """The element type of output `i`; None if the schema does not determine it."""
    if schema is None or not schema.outputs:
        return None
    formal = schema.outputs.at(i)
    if formal.constraint in bound:
        return bound[formal.constraint]
    return next(iter(formal.types)) if len(formal.types) == 1 else None
