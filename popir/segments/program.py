"""A graph that is run in segments: `Program`.

Nodes run in topological order, in turns: first those that run on the host and whose inputs are
known; then one segment, all nodes that can be one device program, as far as it goes. A segment is
found by importing the nodes one by one (`popir.segments.discovery`); it is compiled once for the
types and shapes of its inputs, and for the values that its operators need when they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from popir import host, registry
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo
from popir.errors import ModelError
from popir.host import MISSING, HostValue, is_numbers
from popir.onnxio import proto, sequences
from popir.onnxio.attributes import to_python
from popir.onnxio.importer import in_order
from popir.onnxio.limits import subgraphs
from popir.onnxio.load import Loaded
from popir.onnxio.proto import AttributeProto, GraphProto, ModelProto, NodeProto
from popir.onnxio.subgraphs import reads
from popir.onnxio.tensors import TensorReader
from popir.options import SessionOptions
from popir.segments.calls import call, is_evaluated
from popir.segments.discovery import Segment, discover
from popir.segments.sessions import Sessions
from popir.session import InferenceSession
from popir.transforms.prune import may_stay
from popir.types import DataType

Array = np.ndarray[Any, Any]

MOST_VALUES = 4
"""A node that numpy can do is compiled for so many values of an input; then the host does it."""
MOST_KEPT = 256
"""The most segments that a graph remembers, by what they were found for."""


@dataclass
class Context:
    """What all graphs of a model share."""

    name: str
    folder: Path | None
    ir_version: int
    device: DeviceInfo
    options: SessionOptions
    reader: TensorReader
    sessions: Sessions = field(default_factory=Sessions)
    compiled: int = 0
    """The number of segments that have been compiled so far."""
    held: set[str] = field(default_factory=set[str])
    """The initializers that segments have been compiled with."""
    updated: set[str] = field(default_factory=set[str])
    """Those of them that a segment changes."""
    left: dict[str, str] = field(default_factory=dict)
    """The nodes that ran on the host, or before which a segment ended, and why."""


class Program:
    """The nodes of a model's graph, of a graph inside it, or of a function."""

    def __init__(
        self,
        context: Context,
        nodes: Iterable[NodeProto],
        outputs: Sequence[str],
        opsets: Mapping[str, int],
        initializers: Mapping[str, Any],
        known: Iterable[str],
    ) -> None:
        """`initializers` are the tensors of this graph and of those around it, by name; `known`
        are the names of its inputs and of what it may read from the graphs around it.
        """
        self.context = context
        self.opsets = opsets
        self.outputs = list(outputs)
        self.initializers = dict(initializers)
        self._arrays: dict[str, Array] = {}
        computing: list[NodeProto] = []
        for node in nodes:
            if node.op_type == "Constant" and not node.domain and _stored(node) is not None:
                self.initializers[node.output[0]] = _stored(node)
            else:
                computing.append(node)
        have = {*self.initializers, *known}
        self.nodes = self._needed(list(in_order(computing, have)))
        self.reads = [list(dict.fromkeys(filter(None, reads(node)))) for node in self.nodes]
        self.constants: set[str] = set()
        """The names of values that operators need when they are compiled: learnt by discovery."""
        self.demanded: dict[int, set[str]] = {}
        """Which of them each node needs."""
        self._compiled_in: dict[str, set[bytes]] = {}
        self.on_host = {i for i, node in enumerate(self.nodes) if self._is_host(node)}
        """The nodes that run on the host: those known from the start, and those learnt."""
        computed = {id for node in self.nodes for id in node.output}
        outer = {id for each in self.reads for id in each} | set(self.outputs)
        self.captures = [id for id in outer if id not in computed and id not in self.initializers]
        """What it reads and does not compute: its inputs, and values of graphs around it."""
        self._inner: dict[Any, Program] = {}
        self.calls: dict[int, host.Call] = {}
        """The calls of operators of the host, by node: their attributes are read once."""
        self._boundaries: dict[tuple[int, ...], list[str]] = {}
        self._segments: dict[Any, Segment] = {}

    def run(self, values: dict[str, HostValue]) -> list[HostValue]:
        """Runs the nodes on `values`, by name, to which it adds what it computes. Returns the
        outputs.
        """
        remaining = tuple(range(len(self.nodes)))
        while remaining := self._run_on_host(remaining, values):
            segment = self._segment(remaining, values)
            self._run_segment(segment, values)
            remaining = segment.remaining
        return [self.value(id, values) for id in self.outputs]

    def value(self, id: str, values: Mapping[str, HostValue]) -> HostValue:
        """A value by name: one of `values`, or an initializer. Raises ModelError if there is
        none.
        """
        if id in values:
            return values[id]
        if id not in self.initializers:
            raise ModelError(f"'{id}' is no tensor of the model.")
        if id not in self._arrays:
            self._arrays[id] = self.array(id)
        return self._arrays[id]

    def array(self, id: str) -> Array:
        """The value of an initializer, read from the model."""
        stored = self.initializers[id]
        reader = self.context.reader
        return reader.dense(stored) if hasattr(stored, "indices") else reader.array(stored)

    def is_text(self, id: str) -> bool:
        """Whether an initializer holds strings."""
        return getattr(self.initializers.get(id), "data_type", 0) == DataType.STRING.onnx

    def _needed(self, nodes: Sequence[NodeProto]) -> list[NodeProto]:
        """The nodes that the outputs depend on, and those that may do more than compute."""
        wanted = set(self.outputs)
        kept: list[NodeProto] = []
        for node in reversed(nodes):
            if wanted.intersection(filter(None, node.output)) or self._may_act(node):
                kept.append(node)
                wanted.update(reads(node))
        return kept[::-1]

    def _may_act(self, node: NodeProto) -> bool:
        """Whether a node, or one in a graph of its attributes, may do more than compute."""
        domain = node.domain or "ai.onnx"
        versions = registry.versions(domain, node.op_type)
        if not versions and domain in registry.loaders:
            return True  # Its library is loaded when a segment is made.
        found = (registry.find(domain, node.op_type, version) for version in versions)
        return any(may_stay(each.opClass) for each in found) or any(
            self._may_act(each) for graph in subgraphs(node) for each in graph.node
        )

    # The host.

    def _is_host(self, node: NodeProto) -> bool:
        """Whether a node can only run on the host."""
        domain = node.domain or "ai.onnx"
        if domain == "ai.onnx" and node.op_type in sequences.resolved():
            return False
        found = host.find(domain, node.op_type, self.opsets.get(domain, 0))
        return found is not None and not registry.versions(domain, node.op_type)

    def _run_on_host(
        self, remaining: Sequence[int], values: dict[str, HostValue]
    ) -> tuple[int, ...]:
        """Runs the nodes that are the host's and have their inputs; returns the others."""
        left: list[int] = []
        for i in remaining:
            names = self.reads[i]
            ready = all(id in values or id in self.initializers for id in names)
            if ready and (
                i in self.on_host
                or any(not is_numbers(self.value(id, values)) for id in names if id in values)
                or any(map(self.is_text, names))
            ):
                self._call(i, values)
            else:
                left.append(i)
        return tuple(left)

    def _call(self, i: int, values: dict[str, HostValue]) -> None:
        """Runs one node on the host."""
        node = self.nodes[i]
        inputs = [self.value(id, values) if id else MISSING for id in node.input]
        found = call(self, i, inputs, values)
        if len(found) < len(node.output):
            raise ModelError(
                f"{proto.who(node)} has {len(node.output)} outputs; the operator has {len(found)}."
            )
        for id, value in zip(node.output, found, strict=False):
            if id:
                values[id] = value

    def attributes(self, node: NodeProto) -> dict[str, Any]:
        """The attributes of a node as Python values."""
        reader = self.context.reader
        found = {each.name: to_python(each, reader) for each in node.attribute}
        return {name: value for name, value in found.items() if not name.startswith("__")}

    def who(self, i: int) -> str:
        """Node `i`, in messages."""
        return proto.who(self.nodes[i])

    def leave(self, i: int, why: str) -> None:
        """Notes why node `i` runs on the host."""
        self.context.left[self.who(i)] = why

    def part(
        self, nodes: Sequence[NodeProto], node: NodeProto, opsets: Mapping[str, int] | None = None
    ) -> Program:
        """The program of `nodes`, which stand for one node: they have its inputs and outputs."""
        outputs = [id for id in node.output if id]
        versions = {**self.opsets, **(opsets or {})}
        return Program(self.context, nodes, outputs, versions, {}, node.input)

    def inner(self, key: Any, make: Callable[[], Program]) -> Program:
        """The program of nodes inside one of this; made once for each key."""
        if key not in self._inner:
            self._inner[key] = make()
        return self._inner[key]

    def body(self, i: int, name: str) -> tuple[Program, GraphProto]:
        """The program of a graph in an attribute of node `i`, and that graph. Raises ModelError if
        the node has none.
        """
        node = self.nodes[i]
        given = [each.g for each in node.attribute if each.name == name and each.HasField("g")]
        if not given:
            raise ModelError(f"{proto.who(node)} has no graph in its attribute {name}.")
        return self.inner((i, name), lambda: self._of(given[0], self.reads[i])), given[0]

    def _of(self, graph: GraphProto, reads: Iterable[str]) -> Program:
        """The program of a graph inside this one, which `reads` values of this one."""
        inputs = {each.name for each in graph.input}
        around = {id: each for id, each in self.initializers.items() if id not in inputs}
        outputs = [each.name for each in graph.output]
        initializers = {**around, **initializers_of(graph)}
        known = {*inputs, *reads}
        return Program(self.context, graph.node, outputs, self.opsets, initializers, known)

    # Segments.

    def _segment(self, remaining: tuple[int, ...], values: Mapping[str, HostValue]) -> Segment:
        """The next segment of the remaining nodes, for the types and shapes of `values`."""
        key = self._key(remaining, values)
        found = self._segments.get(key)
        if found is None:
            self._prefer_host(values)
            found = discover(self, remaining, values)
            while len(self._segments) >= MOST_KEPT:
                self._segments.pop(next(iter(self._segments)))
            # Discovery may have learnt of further values that are compiled in.
            self._segments[self._key(remaining, values)] = found
        return found

    def _prefer_host(self, values: Mapping[str, HostValue]) -> None:
        """Takes nodes to the host that would be compiled for ever new values, if numpy can do
        them: a slice at a place that each run moves, for example.
        """
        changing: set[str] = set()
        for id in self.constants.intersection(values):
            seen = self._compiled_in.setdefault(id, set())
            if len(seen) <= MOST_VALUES:
                seen.add(values[id].tobytes())
            if len(seen) > MOST_VALUES:
                changing.add(id)
        for i, names in self.demanded.items():
            if names & changing and i not in self.on_host and is_evaluated(self, i):
                self.on_host.add(i)
        wanted = (names for i, names in self.demanded.items() if i not in self.on_host)
        self.constants &= {*(id for names in wanted for id in names)}

    def _key(self, remaining: tuple[int, ...], values: Mapping[str, HostValue]) -> Any:
        if remaining not in self._boundaries:
            names = dict.fromkeys(id for i in remaining for id in self.reads[i])
            self._boundaries[remaining] = [*names, *self.outputs]
        described: list[Any] = []
        for id in self._boundaries[remaining]:
            if id in values:
                value = values[id]
                if is_numbers(value):
                    described.append((id, value.dtype, value.shape))
                    if id in self.constants:
                        described.append(value.tobytes())
                else:
                    described.append((id, type(value)))
        return (remaining, *described)

    def _run_segment(self, segment: Segment, values: dict[str, HostValue]) -> None:
        """Runs a segment, and adds its results to `values`."""
        # Copies: a constant may be one element many times, and belongs to the segment.
        found: dict[str, HostValue] = {
            id: np.array(value, order="C") for id, value in segment.values.items()
        }
        if segment.anchors or segment.acts:
            session = self.context.sessions.get(segment)
            if session is None:
                session = self.context.sessions.add(segment, self._compiled(segment))
            found.update(session.run({id: values[id] for id in segment.inputs}))
        for id, parts in segment.sequences.items():
            values[id] = [found[p] if p in found else self.value(p, values) for p in parts]
        for id in segment.results:
            values[id] = found[id]

    def _compiled(self, segment: Segment) -> InferenceSession:
        context = self.context
        for id in sorted(context.updated.intersection(segment.initializers)) or sorted(
            context.held.intersection(segment.updates)
        ):
            raise ModelError(
                f"The initializer '{id}' is changed by one program of the model '{context.name}', "
                "and another one has it too, which would keep the value of its own. Run the model "
                "in an InferenceSession, which is one program."
            )
        context.held.update(segment.initializers)
        context.updated |= segment.updates
        context.compiled += 1
        model = ModelProto(ir_version=context.ir_version)
        model.opset_import.extend(proto.opset(*each) for each in self.opsets.items())
        graph = model.graph
        graph.name = context.name
        graph.node.extend(segment.nodes)
        graph.input.extend(proto.value_info(id, info) for id, info in segment.inputs.items())
        for id in segment.initializers:
            stored = self.initializers[id]
            kind = graph.sparse_initializer if hasattr(stored, "indices") else graph.initializer
            kind.append(stored)
        graph.initializer.extend(proto.tensor(id, v) for id, v in segment.constants.items())
        session = InferenceSession(
            Loaded(model, context.folder, len(segment.nodes)),
            DataFlow(1, segment.anchors),
            context.device,
            userOptions=context.options,
            name=f"{context.name}/{context.compiled}",
        )
        session.prepareDevice()
        # The sessions of a model draw different numbers: the device counts in the lower word.
        session.setRandomSeed((context.compiled - 1) << 32)
        return session


def _stored(node: NodeProto) -> Any:
    """The tensor of a Constant that has one."""
    for each in node.attribute:
        if each.name == "value" and each.type == AttributeProto.TENSOR and len(node.output) == 1:
            named = proto.TensorProto()
            named.CopyFrom(each.t)
            named.name = node.output[0]
            return named
    return None


def initializers_of(graph: GraphProto) -> dict[str, Any]:
    """The initializers of a graph, by name."""
    found: dict[str, Any] = {each.name: each for each in graph.initializer}
    return found | {each.values.name: each for each in graph.sparse_initializer}
