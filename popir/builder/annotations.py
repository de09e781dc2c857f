"""Annotations, which say how to run a node: `Annotations`, the part of the Builder that sets them.

They are attributes in the model, with PopART's names, which begin with two underscores. Most can be
set for one node, named by its outputs, or for all nodes added inside a `with` block:

    builder.virtualGraph(out, 1)
    with builder.virtualGraph(1):
        out = builder.aiOnnx.relu([x])
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from popir.builder.contexts import AttributeContextManager, KeyValueContextManager
from popir.errors import OperatorAttributeError, popart_exception
from popir.ir import AttributeKind
from popir.onnxio.attributes import to_proto, to_python
from popir.onnxio.proto import AttributeProto, NodeProto
from popir.options.annotations import (
    AVAILABLE_MEMORY,
    COMM_GROUP,
    CONV_DITHERING,
    EXCLUDE_PATTERNS,
    EXECUTION_PHASE,
    INPLACE_NAMES,
    INPLACE_PRIORITIES,
    OUTLINE,
    PARTIALS_TYPE,
    PIPELINE_STAGE,
    RECOMPUTE,
    RECOMPUTED,
    SCHEDULE_PRIORITY,
    SERIALIZE_FACTOR,
    SERIALIZE_MODE,
    SERIALIZE_PRECISION,
    VIRTUAL_GRAPH,
)
from popir.typed import shown, typed

Outputs = str | Iterable[str]
"""The outputs of a node, which identify it."""

_SERIALIZE_MODES = ("none", "input_channels", "reducing_dim", "output_channels")


Number = int | enum.Enum
"""An integer, or a member of an enumeration with an integer value."""


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value


def _who(node: NodeProto) -> str:
    return f"{node.op_type} '{node.name}'" if node.name else node.op_type


def _annotation(name: str, attribute: str, kind: Any, what: str) -> Callable[..., Any]:
    def method(self: Annotations, nodeOutputNames: Any = None, value: Any = None) -> Any:
        # A method of Annotations, so it may call a private one.
        return self._annotate(attribute, nodeOutputNames, value)  # pyright: ignore[reportPrivateUsage]

    method.__name__ = name
    method.__annotations__ = {"nodeOutputNames": Outputs | kind | None, "value": kind | None}
    method.__doc__ = f"""Sets {what}: of the node with these outputs or, given a value alone, of all
        nodes added within the `with` that this is called in."""
    return method


@typed
class Annotations:
    """Gets and sets attributes of nodes. The methods are those of PopART's `Builder`.

    A node is named by one or all of its outputs; every method raises popart_exception if no node
    has them. docs/options.md and `popir options` say which annotations have an effect, and which
    ones a session refuses (OperatorAttributeError).
    """

    def __init__(self) -> None:
        self._nodes: dict[str, NodeProto] = {}
        """Maps the id of each output to its node."""
        self._in_force: dict[str, Any] = {}
        """The annotations set by the enclosing `with` blocks."""

    # Attributes of all nodes that follow.

    def setAttribute(self, attribute: str, value: Any) -> None:
        """Sets an attribute, such as "__ipu_number", of all nodes added from now on. PopART has it
        in C++; in Python, a `with` block of `virtualGraph` and its kin does the same.

        Raises OperatorAttributeError for a value that no attribute has.
        """
        to_proto("Builder.setAttribute", attribute, _plain(value))
        self._in_force = {**self._in_force, attribute: _plain(value)}

    def getAttribute(self, attribute: str) -> Any:
        """The attribute that nodes get. Raises popart_exception if it is not set."""
        return self._annotated(attribute, None)

    def hasAttribute(self, attribute: str) -> bool:
        """Whether nodes get the attribute."""
        return attribute in self._in_force

    def clearAttribute(self, attribute: str) -> None:
        """Ends what `setAttribute` does. Nothing happens if it is not set."""
        self._in_force = {k: v for k, v in self._in_force.items() if k != attribute}

    # Any attribute.

    def addNodeAttribute(
        self, attributeName: str, attributeValue: Any, nodeOutputNames: Outputs
    ) -> None:
        """Adds an attribute to a node: int, float, str, ndarray, or a list of one of these.

        Raises OperatorAttributeError if the node has the attribute already or the value is of no
        such type, popart_exception if there is no such node.
        """
        node = self._node(nodeOutputNames)
        if self._attribute(node, attributeName) is not None:
            raise OperatorAttributeError(
                f"Node already has attribute {attributeName}: {_who(node)}. Remove it first.",
                popart=f"Node already has attribute {attributeName}.",
            )
        self._set(node, attributeName, attributeValue)

    def nodeHasAttribute(self, attributeName: str, nodeOutputNames: Outputs) -> bool:
        """Whether the node has the attribute. Raises popart_exception if there is no such node."""
        return self._attribute(self._node(nodeOutputNames), attributeName) is not None

    def removeNodeAttribute(self, attributeName: str, nodeOutputNames: Outputs) -> None:
        """Removes an attribute from a node.

        Raises OperatorAttributeError if the node does not have it, popart_exception if there is no
        such node.
        """
        node = self._node(nodeOutputNames)
        gone = f"Cannot remove attribute {attributeName} as it does not exist."
        node.attribute.remove(self._need(node, attributeName, gone))
        self._changed(attributeName)

    def getAllNodeAttributeNames(self, nodeOutputNames: Outputs) -> list[str]:
        """The names of the node's attributes, annotations included. Raises popart_exception if
        there is no such node.
        """
        return [attribute.name for attribute in self._node(nodeOutputNames).attribute]

    def getInt64NodeAttribute(self, attributeName: str, nodeOutputNames: Outputs) -> int:
        """An integer attribute. Raises OperatorAttributeError if the node has none of that name and
        type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.INT)

    def getInt64VectorNodeAttribute(
        self, attributeName: str, nodeOutputNames: Outputs
    ) -> list[int]:
        """An attribute that is a list of integers. Raises OperatorAttributeError if the node has
        none of that name and type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.INTS)

    def getFloatNodeAttribute(self, attributeName: str, nodeOutputNames: Outputs) -> float:
        """A float attribute. Raises OperatorAttributeError if the node has none of that name and
        type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.FLOAT)

    def getFloatVectorNodeAttribute(
        self, attributeName: str, nodeOutputNames: Outputs
    ) -> list[float]:
        """An attribute that is a list of floats. Raises OperatorAttributeError if the node has none
        of that name and type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.FLOATS)

    def getStringNodeAttribute(self, attributeName: str, nodeOutputNames: Outputs) -> str:
        """A string attribute. Raises OperatorAttributeError if the node has none of that name and
        type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.STRING)

    def getStringVectorNodeAttribute(
        self, attributeName: str, nodeOutputNames: Outputs
    ) -> list[str]:
        """An attribute that is a list of strings. Raises OperatorAttributeError if the node has
        none of that name and type.
        """
        return self._get(attributeName, nodeOutputNames, AttributeKind.STRINGS)

    # Annotations.

    virtualGraph = _annotation(
        "virtualGraph", VIRTUAL_GRAPH, int, "the virtual graph (IPU) of a node"
    )
    pipelineStage = _annotation(
        "pipelineStage", PIPELINE_STAGE, int, "the stage of the pipeline that a node is in"
    )
    executionPhase = _annotation(
        "executionPhase", EXECUTION_PHASE, int, "the phase of execution that a node is in"
    )
    recomputeOutput = _annotation(
        "recomputeOutput", RECOMPUTE, Number, "the RecomputeType of a node"
    )
    schedulePriority = _annotation(
        "schedulePriority", SCHEDULE_PRIORITY, float, "how early a node should run"
    )

    def getVirtualGraph(self, nodeOutputNames: Outputs | None = None) -> int:
        """The virtual graph of a node or, without an argument, of the enclosing `with`.

        Raises popart_exception or OperatorAttributeError if it is not set.
        """
        return self._annotated(VIRTUAL_GRAPH, nodeOutputNames)

    def hasVirtualGraph(self) -> bool:
        """Whether an enclosing `with` sets the virtual graph."""
        return VIRTUAL_GRAPH in self._in_force

    def getPipelineStage(self, nodeOutputNames: Outputs | None = None) -> int:
        """The pipeline stage of a node or, without an argument, of the enclosing `with`.

        Raises popart_exception or OperatorAttributeError if it is not set.
        """
        return self._annotated(PIPELINE_STAGE, nodeOutputNames)

    def hasPipelineStage(self) -> bool:
        """Whether an enclosing `with` sets the pipeline stage."""
        return PIPELINE_STAGE in self._in_force

    def getExecutionPhase(self, nodeOutputNames: Outputs | None = None) -> int:
        """The execution phase of a node or, without an argument, of the enclosing `with`.

        Raises popart_exception or OperatorAttributeError if it is not set.
        """
        return self._annotated(EXECUTION_PHASE, nodeOutputNames)

    def hasExecutionPhase(self) -> bool:
        """Whether an enclosing `with` sets the execution phase."""
        return EXECUTION_PHASE in self._in_force

    def outlineAttributes(self, attributes: Mapping[str, str]) -> KeyValueContextManager:
        """Inside the `with` block, nodes get these pairs of strings. Nodes with different pairs are
        not outlined together.
        """
        pairs = [text for pair in attributes.items() for text in pair]
        return KeyValueContextManager(self._annotating({OUTLINE: pairs}))

    def commGroup(self, type: Number = 0, groupSize: int = 0) -> AttributeContextManager:
        """Inside the `with` block, collective operators are over groups of replicas: a
        CommGroupType, and the size of the groups.
        """
        return AttributeContextManager(self._annotating({COMM_GROUP: [_plain(type), groupSize]}))

    def recomputeOutputInBackwardPass(self, nodeOutputNames: Outputs, value: Number = 2) -> None:
        """Sets the RecomputeType of a node; 2, the default, is Recompute, 1 Checkpoint.

        The backward pass of a TrainingSession computes the result of a node with Recompute again.
        """
        self._set(self._node(nodeOutputNames), RECOMPUTE, _plain(value))

    def getRecomputeOutputInBackwardPass(self, nodeOutputNames: Outputs) -> bool:
        """Whether the RecomputeType of a node is Recompute."""
        found = self._attribute(self._node(nodeOutputNames), RECOMPUTE)
        return found is not None and found.i == RECOMPUTED

    def setPartialsType(self, nodeOutputName: Outputs, partialsType: str) -> None:
        """Sets the type of partial sums of a matmul or convolution: "FLOAT" or "HALF".

        A session raises OperatorAttributeError for another text. The Cpu device adds up in float
        whatever is set.
        """
        self._set(self._node(nodeOutputName), PARTIALS_TYPE, partialsType)

    def getPartialsType(self, nodeOutputName: Outputs) -> str:
        """The type of partial sums of a node; "FLOAT" if it is not set. Raises popart_exception if
        there is no such node.
        """
        found = self._attribute(self._node(nodeOutputName), PARTIALS_TYPE)
        return "FLOAT" if found is None else found.s.decode()

    def setAvailableMemoryProportion(self, nodeOutputNames: Outputs, proportion: float) -> None:
        """Sets the proportion of a tile's memory for temporary data of a node: above 0, at most 1.

        Raises popart_exception for another number.
        """
        if not 0 < proportion <= 1:
            raise popart_exception(
                f"availableMemoryProportion must be in (0,1], but is: {proportion}."
            )
        self._set(self._node(nodeOutputNames), AVAILABLE_MEMORY, proportion)

    def setEnableConvDithering(self, nodeOutputNames: Outputs, enable: int) -> None:
        """Sets whether the first tile of a convolution is chosen at random. A session refuses 1
        (OperatorAttributeError).
        """
        self._set(self._node(nodeOutputNames), CONV_DITHERING, enable)

    def setSerializeMatMul(
        self, nodeOutputNames: Outputs, mode: str, factor: int = 0, keep_precision: bool = False
    ) -> None:
        """Splits a matmul [input_channels, reducing_dim] x [reducing_dim, output_channels] into
        `factor` smaller ones along the dimension `mode`: "input_channels", "output_channels" or
        "reducing_dim"; "none" leaves it whole.

        With `keep_precision`, partial results are summed in float. Raises popart_exception for
        another mode. A session raises OperatorAttributeError if `factor` does not divide the
        dimension.
        """
        if mode not in _SERIALIZE_MODES:
            raise popart_exception(
                f"Unsupported mat mul serialization mode '{mode}'. Supported modes are: "
                f"{', '.join(_SERIALIZE_MODES)}."
            )
        if mode != "none":
            node = self._node(nodeOutputNames)
            self._set(node, SERIALIZE_MODE, mode)
            self._set(node, SERIALIZE_FACTOR, factor)
            self._set(node, SERIALIZE_PRECISION, int(keep_precision))

    def excludePatterns(self, nodeOutputName: Outputs, patternNames: Iterable[str]) -> None:
        """Sets the names of the patterns that must not change a node, such as "PostNRepl"."""
        self._set(self._node(nodeOutputName), EXCLUDE_PATTERNS, list(patternNames))

    def setInplacePreferences(self, nodeOutputName: Outputs, prefs: Mapping[str, float]) -> None:
        """Sets the priorities of a node's in-place variants, by operator type: {"AddLhsInplace":
        20.0}. A variant with a priority of 0 or less is not used; one with more moves behind the
        other readers of what it overwrites, where it can, and overwrites inputs. Operators whose
        output is a view of the input, as that of Reshape, always are their variant, such as
        ReshapeInplace.

        Raises popart_exception for a priority that is not finite. A session raises
        OperatorAttributeError for a variant that the operator does not have.
        """
        if not all(map(math.isfinite, prefs.values())):
            raise popart_exception(
                f"setInplacePreferences: preferences are finite numbers; given was {shown(prefs)}."
            )
        node = self._node(nodeOutputName)
        self._set(node, INPLACE_NAMES, list(prefs))
        self._set(node, INPLACE_PRIORITIES, list(prefs.values()))

    # Implementation.

    def _annotate(self, attribute: str, nodeOutputNames: Any, value: Any) -> Any:
        """Sets an annotation of the node with these outputs.

        If `nodeOutputNames` is a value, returns a context manager that sets it for all nodes added
        inside.
        """
        if isinstance(nodeOutputNames, Collection):
            self._set(self._node(nodeOutputNames), attribute, _plain(value or 0))
            return None
        if nodeOutputNames is not None and value is not None:
            raise popart_exception(
                f"{attribute}: outputs of a node and a value were expected, or a value alone; "
                f"given were {nodeOutputNames!r} and {value!r}."
            )
        value = nodeOutputNames if value is None else value
        return AttributeContextManager(self._annotating({attribute: _plain(value or 0)}))

    def _node(self, outputs: Outputs) -> NodeProto:
        ids = [outputs] if isinstance(outputs, str) else list(outputs)
        node = self._nodes.get(ids[0]) if ids else None
        if node is None or not set(ids) <= set(node.output):
            raise popart_exception(f"Could not find a node with outputs {', '.join(ids)}.")
        return node

    def _attribute(self, node: NodeProto, name: str) -> AttributeProto | None:
        return next((each for each in node.attribute if each.name == name), None)

    def _need(self, node: NodeProto, name: str, popart: str = "") -> AttributeProto:
        found = self._attribute(node, name)
        if found is None:
            names = [each.name for each in node.attribute]
            raise OperatorAttributeError(
                f"{_who(node)} has no attribute '{name}'; it has: {', '.join(names) or 'none'}.",
                popart=popart or f"Node does not have an attribute {name}.",
            )
        return found

    def _get(self, name: str, outputs: Outputs, kind: AttributeKind) -> Any:
        node = self._node(outputs)
        value = to_python(self._need(node, name))
        if AttributeKind.of(value) is not kind:
            raise OperatorAttributeError(
                f"{_who(node)}: the attribute '{name}' is {value!r}, not {kind.words}."
            )
        return value

    def _set(self, node: NodeProto, name: str, value: Any) -> None:
        old = self._attribute(node, name)
        new = to_proto(_who(node), name, value)
        if old is None:
            node.attribute.append(new)
        else:
            old.CopyFrom(new)
        self._changed(name)

    def _changed(self, name: str) -> None:
        """Called when an attribute of that name has changed on some node."""

    def _note(self, node: NodeProto) -> None:
        for name, value in self._in_force.items():
            self._set(node, name, value)

    def _annotated(self, name: str, outputs: Outputs | None) -> Any:
        if outputs is not None:
            return to_python(self._need(self._node(outputs), name))
        if name not in self._in_force:
            raise popart_exception(f"No surrounding `with` of the builder sets {name}.")
        return self._in_force[name]

    def _annotating(self, annotations: Mapping[str, Any]) -> Callable[[], Callable[[], None]]:
        def enter() -> Callable[[], None]:
            before = self._in_force
            self._in_force = {**before, **annotations}
            return lambda: setattr(self, "_in_force", before)

        return enter
