"""Graphs in attributes of nodes: the branches of an If, the body of a Loop or Scan.

The importer wraps such an attribute in a `Subgraph`, and the operator decides: `build` imports it
as a graph that the operator calls, `inline` adds its nodes to the operator's own graph.

Every tensor that a subgraph defines is renamed: `y` of the branch of `z = If(...)` becomes
`z/then_branch/y`. So two branches may use the same names. What a subgraph reads from the graphs
around it becomes a further input; a constant becomes a constant of the subgraph, so that shapes may
depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto

from popir.errors import LeavesDeviceError, ModelError, popart_exception
from popir.ir import Graph, Op, Tensor
from popir.ir.schedule import modified
from popir.onnxio.limits import subgraphs
from popir.types import DataType, TensorInfo

if TYPE_CHECKING:
    from popir.onnxio.importer import GraphImporter


class Bounded(NamedTuple):
    """An input of integers of which the least and the greatest value are known."""

    info: TensorInfo
    low: int
    high: int


Given = TensorInfo | Bounded | Tensor | np.ndarray
"""An input of a subgraph: its type and shape, or a tensor around it that it always is, or a
value.
"""


@dataclass(frozen=True)
class Built:
    """A subgraph as a graph of its own."""

    graph: Graph
    captured: list[Tensor]
    """The tensors around the subgraph that its last inputs are, in order."""
    written: dict[int, str]
    """For each input that operators of the graph write: the tensor that it is in the end."""

    def captures_written(self) -> list[Tensor]:
        """The tensors around the subgraph that operators of it write."""
        own = len(self.graph.inputs) - len(self.captured)
        return [self.captured[i - own] for i in sorted(self.written) if i >= own]

    def hand_on(self, around: Iterable[Tensor]) -> None:
        """Makes further outputs of the graph: what these tensors around it are in the end."""
        graph, captured = self.graph, self.captured
        for tensor in around:
            if tensor not in captured:
                graph.addActGrad(f"{graph.name}/{tensor.id}/around").info = tensor.info
                graph.inputs.append(f"{graph.name}/{tensor.id}/around")
                captured.append(tensor)
            i = len(graph.inputs) - len(captured) + captured.index(tensor)
            graph.outputs.append(self.written.get(i, graph.inputs[i]))


class Subgraph:
    """A graph in an attribute of a node that is being imported."""

    def __init__(self, proto: GraphProto, importer: GraphImporter, who: str) -> None:
        """`who` names the node and the attribute in messages."""
        self._proto = proto
        self._importer = importer
        self._who = who

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs in the model."""
        return [each.name for each in self._proto.input]

    @property
    def outputs(self) -> list[str]:
        """The names of its outputs in the model."""
        return [each.name for each in self._proto.output]

    def has_shape(self, i: int) -> bool:
        """Whether the model declares the shape of input `i`."""
        return self._proto.input[i].type.tensor_type.HasField("shape")

    def returned(self) -> dict[int, int]:
        """For each output that is one of its inputs, by way of Identity nodes: its index to that of
        the input.
        """
        nodes = (node for node in self._proto.node if node.op_type == "Identity")
        copies = {node.output[0]: node.input[0] for node in nodes if node.output and node.input}
        found: dict[int, int] = {}
        for o, id in enumerate(self.outputs):
            seen = {id}
            while id in copies and copies[id] not in seen:
                id = copies[id]
                seen.add(id)
            if id in self.inputs:
                found[o] = self.inputs.index(id)
        return found

    def build(self, name: str, given: Sequence[Given], exact: bool = False) -> Built:
        """Imports it as a graph called `name`, whose inputs are those that are given by type and
        shape, then what it reads around itself. If it is `exact`, nothing is assumed of values at
        run time (`Graph.assumed`). The graph has copies of its inputs: what it writes there
        (`Built.written`) the caller has to hand on.

        Raises ModelError for another number of inputs, or of another element type than the model
        declares, popart_exception for an operator that writes an input and does not return it, and
        the errors of the importer.
        """
        self._check(given)
        outer = self._importer
        graph = Graph(name, outer.graph)
        graph.opsets, graph.origin, graph.told = (
            dict(outer.opsets),
            outer.graph.origin,
            outer.graph.told,
        )
        if exact:
            graph.assumed = None
        inner = type(outer)(graph, outer.reader, parent=outer)
        names: dict[str, str] = {}
        for value, what in zip(self._proto.input, given, strict=False):
            names[value.name] = f"{name}/{value.name}"
            if isinstance(what, Tensor):
                names[value.name] = what.id
            elif isinstance(what, (TensorInfo, Bounded)):
                if isinstance(what, Bounded):
                    what, *bounds = what
                    graph.ranges[names[value.name]] = bounds[0], bounds[1]
                graph.addActGrad(names[value.name]).info = what
                graph.inputs.append(names[value.name])
            else:
                graph.addConstInit(names[value.name], what)
        outputs = self._add(inner, name, names)
        graph.outputs = [tensor.id for tensor in outputs]
        captured = {id: t for id, t in inner.captured.items() if _is_read(graph, id)}
        for id in set(inner.captured).difference(captured):
            graph.removeTensor(id)
        graph.inputs += captured
        last = written_by(graph.ops.values())
        written = {i: last[id].outId(0) for i, id in enumerate(graph.inputs) if id in last}
        return Built(graph, list(captured.values()), written)

    def inline(self, name: str, given: Sequence[Tensor]) -> list[Tensor]:
        """Adds its nodes to the graph around it, and returns its outputs. `name` is the prefix of
        their ids. Raises as `build` does.
        """
        self._check(given)
        inputs = zip(self._proto.input, given, strict=False)
        names = {value.name: tensor.id for value, tensor in inputs}
        return self._add(self._importer, name, names)

    def inline_ids(self, name: str, given: Sequence[str]) -> list[str]:
        """Does what `inline` does, with the ids of tensors or of sequences, and returns ids."""
        names = dict(zip(self.inputs, given, strict=True))
        self._add_nodes(self._importer, name, names)
        return [names.get(each.name, each.name) for each in self._proto.output]

    def _add_nodes(self, into: GraphImporter, name: str, names: dict[str, str]) -> None:
        """Adds constants and nodes, and to `names` the new names of what they define."""
        proto = self._proto
        constants = [(each.name, into.reader.array(each)) for each in proto.initializer]
        sparse = proto.sparse_initializer
        constants += [(each.values.name, into.reader.dense(each)) for each in sparse]
        for id, data in constants:
            if id not in names:  # Otherwise it is the default of an input, which is given.
                names[id] = into.graph.addConstInit(f"{name}/{id}", data).id
        for id in (id for node in proto.node for id in node.output if id):
            if id in names:
                raise ModelError(f"{self._who} defines '{id}' twice.")
            names[id] = f"{name}/{id}"
        into.add_nodes([renamed(node, names) for node in proto.node])

    def _add(self, into: GraphImporter, name: str, names: dict[str, str]) -> list[Tensor]:
        proto = self._proto
        self._add_nodes(into, name, names)
        found: list[Tensor] = []
        for value in proto.output:
            tensor = into.find(names.get(value.name, value.name))
            if tensor is None and into.sequences.has(names.get(value.name, value.name)):
                raise LeavesDeviceError(
                    f"{self._who} has the output '{value.name}', a sequence, which a device "
                    "program does not hold."
                )
            if into.ragged.has(names.get(value.name, value.name)):
                raise into.ragged.refusal(names.get(value.name, value.name))
            if tensor is None:
                raise ModelError(
                    f"{self._who} has the output '{value.name}', which is no tensor of it."
                )
            found.append(into.output_as_declared(tensor, value))
        return found

    def _check(self, given: Sequence[Given]) -> None:
        proto = self._proto
        # PopART's Builder names tensors around a branch as its inputs; they are read all the same.
        around = [each for each in self.inputs[len(given) :] if self._importer.find(each)]
        count = len(proto.input) - len(around)
        if count != len(given) or len(set(self.inputs)) < len(self.inputs):
            raise ModelError(
                f"{self._who} has the inputs {self.inputs}; the operator gives it {len(given)}."
            )
        for value, what in zip(proto.input, given, strict=False):
            declared = value.type.tensor_type.elem_type
            info = TensorInfo(what) if isinstance(what, np.ndarray) else what
            info = info.info if isinstance(info, (Tensor, Bounded)) else info
            if declared and info is not None and DataType.of(declared) is not info.dataType():
                raise ModelError(
                    f"{self._who} declares its input '{value.name}' as "
                    f"{DataType.of(declared).name}; the operator gives it {info}."
                )


def written_by(ops: Iterable[Op]) -> dict[str, Op]:
    """The tensors that operators of a model write without having computed them, by id: each with
    the last operator that writes it. Output 0 of that is the tensor afterwards.

    Raises popart_exception for an operator that writes a tensor which it does not return.
    """
    found: dict[str, Op] = {}
    for op in ops:
        for i in op.modified_inputs():
            if not op.hasOutput(0) or not op.aliases(i, 0):
                raise popart_exception(
                    f"{op.debugName()} writes input {i}, '{op.inId(i)}', in a graph that an "
                    "operator calls, and its output 0 is not that tensor, so the graph cannot hand "
                    "it on. Let the operator stand outside of the graph."
                )
            source = op.inTensor(i)
            while (before := modified(source)) is not None:
                source = before
            found[source.id] = op
    return found


def _is_read(graph: Graph, id: str) -> bool:
    return bool(graph.getTensor(id).uses) or id in graph.outputs


def renamed(node: NodeProto, names: Mapping[str, str]) -> NodeProto:
    """A copy of a node that reads and computes values of other names; in its subgraphs too, as far
    as these do not define the names themselves.
    """
    found = NodeProto()
    found.CopyFrom(node)
    _rename(found, names)
    return found


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    rename_read(node, names)
    node.output[:] = [names.get(id, id) for id in node.output]
    for graph in subgraphs(node):
        own = _defined(graph)
        left = {id: new for id, new in names.items() if id not in own}
        for each in graph.node:
            _rename(each, left)
        for value in graph.output:
            value.name = left.get(value.name, value.name)


def rename_read(node: NodeProto, names: Mapping[str, str]) -> None:
    """Renames what a node reads, and what a Gradient names in its attributes."""
    node.input[:] = [names.get(id, id) for id in node.input]
    for each in _naming(node):
        if each.name == "y":
            each.s = names.get(each.s.decode(), each.s.decode()).encode()
        else:
            each.strings[:] = [names.get(s.decode(), s.decode()).encode() for s in each.strings]


def differentiated(node: NodeProto) -> list[str]:
    """The tensors that a Gradient names in its attributes; none for other operators."""
    return [
        id.decode()
        for each in _naming(node)
        for id in ([each.s] if each.name == "y" else each.strings)
    ]


def _naming(node: NodeProto) -> list[AttributeProto]:
    if node.op_type != "Gradient" or node.domain != "ai.onnx.preview.training":
        return []
    return [each for each in node.attribute if each.name in ("xs", "zs", "y")]


def _defined(graph: GraphProto) -> set[str]:
    named = [*graph.input, *graph.initializer, *(each.values for each in graph.sparse_initializer)]
    return {each.name for each in named} | {id for node in graph.node for id in node.output}


def reads(node: NodeProto) -> Iterator[str]:
    """The ids that a node reads, those that only its subgraphs read included; "" for an input left
    out.
    """
    yield from node.input[:]
    if not node.attribute:
        return
    for graph in subgraphs(node):
        own = _defined(graph)
        for each in graph.node:
            yield from (id for id in reads(each) if id not in own)
        yield from (each.name for each in graph.output if each.name not in own)
