"""Finds the next segment: the nodes that can be one device program, for known types and shapes.

The nodes are imported one by one. A node that a device program cannot have ends the segment for
what depends on it. It waits for the values that it reads; so does a node that needs a value when it
is compiled, which the segment computes only at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from popir.budget import Budget
from popir.errors import LeavesDeviceError
from popir.host import HostValue, is_numbers
from popir.ir import Graph, Tensor
from popir.onnxio.importer import GraphImporter
from popir.onnxio.limits import subgraphs
from popir.onnxio.proto import NodeProto
from popir.transforms.prune import modified_weights, stays
from popir.types import DataType, TensorInfo

if TYPE_CHECKING:
    from popir.segments.program import Program

Array = np.ndarray[Any, Any]

FEW = 64
"""Values of so few integers are compiled in if an operator's shape depends on them."""


@dataclass(eq=False)
class Segment:
    """Nodes that are one device program."""

    nodes: list[NodeProto]
    inputs: dict[str, TensorInfo]
    constants: dict[str, Array]
    """The values compiled in, by name."""
    initializers: list[str]
    anchors: list[str]
    """What it computes at run time."""
    acts: bool
    """Whether it is run even if it computes nothing that others read."""
    updates: set[str]
    """The initializers that it changes."""
    values: dict[str, Array]
    """What is known without running it."""
    sequences: dict[str, list[str]]
    """The sequences that it makes: the ids of their elements."""
    results: list[str]
    """The tensors that others read."""
    remaining: tuple[int, ...]
    """The nodes that are left."""


class _Again(Exception):
    """More values are to be compiled in: import again."""


def discover(
    program: Program, remaining: Sequence[int], values: Mapping[str, HostValue]
) -> Segment:
    """The next segment. Adds to the values that are compiled in (`Program.constants`) and to the
    nodes that run on the host (`Program.on_host`) what it learns.

    Raises LeavesDeviceError for a node that runs nowhere.
    """
    while True:
        try:
            budget = Budget(f"Compiling '{program.context.name}'", len(remaining))
            with budget.spending():
                return _Discovery(program, values).run(remaining)
        except _Again:
            continue


@dataclass
class _Discovery:
    program: Program
    values: Mapping[str, HostValue]
    graph: Graph = field(init=False)
    importer: GraphImporter = field(init=False)
    nodes: list[NodeProto] = field(default_factory=list)
    deferred: list[int] = field(default_factory=list)
    wanted: dict[str, None] = field(default_factory=dict)
    """What the nodes that are left read."""
    initializers: dict[str, None] = field(default_factory=dict)
    constants: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.graph = Graph(self.program.context.name)
        self.graph.opsets = dict(self.program.opsets)
        # A value that a shape depends on is there in time.
        self.graph.assumed, self.graph.keeps_ragged = None, False
        self.importer = GraphImporter(self.graph, self.program.context.reader)

    def run(self, remaining: Sequence[int]) -> Segment:
        for i in remaining:
            if not self._add(i):
                self.deferred.append(i)
                self.wanted.update(dict.fromkeys(self.program.reads[i]))
        self.wanted.update(dict.fromkeys(self.program.outputs))
        if len(self.deferred) == len(remaining):
            self._stuck()
        return self._segment()

    def _add(self, i: int) -> bool:
        """Adds a node, and returns whether it is part of the segment."""
        program, names = self.program, self.program.reads[i]
        node = program.nodes[i]
        if i in program.on_host or not all(self._has(id) for id in names):
            return False
        lists = self.importer.sequences
        if any(True for _ in subgraphs(node)) and any(lists.has(id) for id in names):
            program.on_host.add(i)
            return False
        before = next(reversed(self.graph.ops), None)
        try:
            self.importer.addNode(node)
        except LeavesDeviceError as error:
            self._undo(node, before)
            self._leave(i, error)
            return False
        self.nodes.append(node)
        return True

    def _has(self, id: str) -> bool:
        """Adds the value `id` to the graph if it is known, and returns whether the graph has it. A
        node that reads strings waits, to run on the host.
        """
        program = self.program
        if self.importer.sequences.has(id):
            return True
        if id in self.graph.tensors:
            info = self.graph.tensors[id].info
            return info is None or info.dataType() is not DataType.STRING
        if id in self.values:
            value = self.values[id]
            if not is_numbers(value):
                return False
            if id in program.constants:
                self.constants[id] = value
                self.graph.addConstInit(id, value)
            else:
                self.graph.addStream(id, TensorInfo(value))
            return True
        if id in program.initializers:
            if program.is_text(id):
                return False
            self.initializers[id] = None
            self.importer.add_initializer(id, program.array(id))
            return True
        return False

    def _undo(self, node: NodeProto, before: Any) -> None:
        """Removes what a node has added that could not be added as a whole."""
        graph = self.graph
        while graph.ops and (last := next(reversed(graph.ops))) != before:
            graph.eraseOp(last)
        for id in filter(None, node.output):
            if id in graph.tensors:
                graph.removeTensor(id)

    def _leave(self, i: int, error: LeavesDeviceError) -> None:
        """Learns from the failure of node `i`: the values it needs, or that the host runs it."""
        program, tensors = self.program, self.graph.tensors
        reads = [id for id in program.reads[i] if id in tensors]
        needed = [id for id in error.needs if id in reads]
        if error.needs and not needed:
            needed = [id for id in reads if _is_few(tensors[id])]
        needed = [id for id in needed if not tensors[id].isConst()]
        program.context.left.setdefault(program.who(i), str(error))
        if not needed:
            program.on_host.add(i)
            return
        at_hand = [id for id in needed if id in self.values]
        for id in needed:
            sources = self._sources(tensors[id])
            if id not in self.values and sources is not None:
                at_hand += sources
        demanded = program.demanded.setdefault(i, set())
        demanded.update(needed, at_hand)
        program.constants.update(needed)
        if not program.constants.issuperset(at_hand) or any(
            id in self.values and id not in self.constants for id in at_hand
        ):
            program.constants.update(at_hand)
            raise _Again

    def _sources(self, tensor: Tensor) -> list[str] | None:
        """The values at hand that a tensor is computed from, if they are few integers."""
        found: dict[str, None] = {}
        seen, ahead = {tensor.id}, [tensor]
        while ahead:
            one = ahead.pop()
            if one.producer is None:
                if one.id in self.values and not one.isConst():
                    found[one.id] = None
                continue
            for each in one.producer.input.values():
                if each.id not in seen:
                    seen.add(each.id)
                    ahead.append(each)
        infos = [self.graph.tensors[id] for id in found]
        few = all(map(_is_few, infos)) and sum(_size(each) for each in infos) <= FEW
        return [*found] if found and few else None

    def _stuck(self) -> None:
        """Raises the error of nodes none of which can run."""
        program = self.program
        for i in self.deferred:
            if i in program.on_host and all(
                id in self.values or id in program.initializers for id in program.reads[i]
            ):
                return
        first = self.deferred[0]
        why = program.context.left.get(program.who(first), "one of its inputs is never computed")
        raise LeavesDeviceError(f"{program.who(first)} cannot run: {why}")

    def _segment(self) -> Segment:
        lists = self.importer.sequences
        made = {id for node in self.nodes for id in node.output if id}
        asked = [id for id in self.wanted if id in made]
        sequences = {id: lists.get(id) for id in asked if lists.has(id)}
        results = [id for id in asked if not lists.has(id)]
        inside = [*results, *(id for parts in sequences.values() for id in parts)]
        anchors: dict[str, None] = {}
        known: dict[str, Array] = {}
        for id in inside:
            tensor = self.graph.getTensor(id)
            if tensor.isConst() and tensor.data is not None:
                known[id] = tensor.data
            elif id not in self.values and id not in self.program.initializers:
                anchors[id] = None
        streams = {id: self.graph.getTensor(id).info for id in self.graph.inputs}
        return Segment(
            self.nodes,
            {id: info for id, info in streams.items() if info is not None},
            self.constants,
            [*self.initializers],
            [*anchors],
            any(map(stays, self.graph.ops.values())),
            {t.id for op in self.graph.ops.values() for t in modified_weights(op)},
            known,
            sequences,
            results,
            tuple(self.deferred),
        )


def _size(tensor: Tensor) -> int:
    return 0 if tensor.info is None else tensor.info.nelms()


def _is_few(tensor: Tensor) -> bool:
    """Whether a tensor is a few integers or truth values."""
    info = tensor.info
    return info is not None and info.dataType().numpy.kind in "iub" and info.nelms() <= FEW
