"""Limits of the size of a model. They are far above models in use, and bound the time and memory
that a hostile file can take.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

import onnx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

from popir.errors import ModelError
from popir.types import DataType

MAX_FILE = 2**31 - 1
"""The most bytes of a model without its external data; protobuf's own limit."""
MAX_MESSAGES = 5_000_000
"""The most protobuf messages: nodes, attributes, tensors, inputs, ..."""
MAX_NODES = 500_000
"""The most nodes, including those of subgraphs and of all calls of functions, inlined."""
MAX_TENSORS = 2_000_000
"""The most inputs and outputs of all nodes together."""
MAX_ATTRIBUTES = 1_000
"""The most attributes of one node."""
MAX_DEPTH = 32
"""The deepest nesting of subgraphs, and of function calls."""
MAX_NAME = 10_000
"""The most characters of a name."""
MAX_RANK = 32
"""The most dimensions of a tensor."""
MAX_BYTES = 2**62
"""The most bytes of a tensor, so that sizes and strides fit 64 bits."""
MAX_EMPTY = 2**34
"""The same for a tensor without elements, with dimensions of 0 counted as 1."""

_TOGETHER = 10_000
"""The names that are looked at together."""
_TEXT = frozenset({str})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def check_shape(who: str, kind: DataType, shape: Iterable[int]) -> int:
    """The number of bytes of a tensor. Raises ModelError, naming `who`, for an impossible shape."""
    shape = list(shape)
    if len(shape) > MAX_RANK:
        raise ModelError(f"{who} has {len(shape)} dimensions; popir takes up to {MAX_RANK}.")
    if min(shape, default=0) < 0:
        raise ModelError(f"{who} has the shape {shape}; dimensions are 0 or more.")
    most = MAX_BYTES if 0 not in shape else MAX_EMPTY
    if math.prod(max(dim, 1) for dim in shape) * max(kind.nbytes, 8) > most:
        raise ModelError(f"{who} has the shape {shape}, more than fits an address.")
    return math.prod(shape) * kind.nbytes


def check_name(what: str, name: str | bytes, where: str = "") -> None:
    """Raises ModelError for text that is not UTF-8, too long, or has control characters."""
    if isinstance(name, bytes):  # protobuf returns bytes for text that is not UTF-8.
        raise ModelError(f"{where} is damaged: the name {name[:100]!r} in it is not UTF-8.")
    if len(name) > MAX_NAME:
        raise ModelError(
            f"{where} has {what} of {len(name)} characters, {name[:50]!r}...; popir takes up to "
            f"{MAX_NAME}."
        )
    if not name.isprintable() and _CONTROL.search(name):
        raise ModelError(f"{where} has {what} with control characters: {name[:100]!r}.")


def check_model(where: str, model: ModelProto) -> int:
    """Checks a model against the limits and returns its number of nodes, including those of
    subgraphs and functions.

    Raises ModelError, naming `where`, for a model beyond the limits, a name that is not UTF-8 or
    has control characters, and a newer IR version than onnx's.
    """
    if model.ir_version > onnx.IR_VERSION:
        raise ModelError(
            f"{where} is of IR version {model.ir_version}; the installed onnx {onnx.__version__} "
            f"knows {onnx.IR_VERSION}."
        )
    for item in model.opset_import:
        check_name("a domain", item.domain, where)
    for message in (model, model.graph):
        for field, value in message.ListFields():
            if field.type == field.TYPE_STRING and isinstance(value, bytes):
                raise ModelError(f"{where} is damaged: its {field.name} is not UTF-8.")
    bodies: list[tuple[Iterable[NodeProto], Iterable[str]]] = [
        (model.graph.node, _names_of_graph(model.graph))
    ]
    for function in model.functions:
        names = (function.domain, function.name, function.overload)
        bodies.append((function.node, [*names, *function.input, *function.output]))
        for item in function.opset_import:
            check_name("a domain", item.domain, where)
    seen = Count(where)
    for nodes, names in bodies:
        seen.names(names)
        for node in each_node(nodes):
            seen.node(node)
    seen.finish()
    return seen.nodes


def each_node(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """The nodes and those of their subgraphs. Raises ModelError for subgraphs nested too deeply."""
    waiting = [(iter(nodes), 0)]
    while waiting:
        rest, depth = waiting[-1]
        node = next(rest, None)
        if node is None:
            waiting.pop()
            continue
        yield node
        if not node.attribute:
            continue
        for graph in subgraphs(node):
            if depth == MAX_DEPTH:
                raise ModelError(f"Graphs lie in graphs more than {MAX_DEPTH} deep.")
            waiting.append((iter(graph.node), depth + 1))


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs in the attributes of a node."""
    for attribute in node.attribute[:]:
        yield from _graphs(attribute)


def _names_of_graph(graph: GraphProto) -> Iterator[str]:
    yield graph.name
    yield from (tensor.name for tensor in graph.initializer)
    yield from (tensor.values.name for tensor in graph.sparse_initializer)
    for value in (*graph.input, *graph.output):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)


class Count:
    """Counts the parts of a model and checks them against the limits."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.nodes = 0
        self._tensors = 0
        self._names: list[str] = []

    def names(self, names: Iterable[str]) -> None:
        """Checks names for length, encoding and control characters, these or, together with them,
        some of later calls: `finish` ends that.
        """
        self._names.extend(names)
        if len(self._names) >= _TOGETHER:
            self.finish()

    def finish(self) -> None:
        """Checks the names that are left."""
        names, self._names = self._names, []
        # One look at all of them, for a model has a few for each node.
        is_text = _TEXT.issuperset(map(type, names))
        if is_text and max(map(len, names), default=0) <= MAX_NAME and "".join(names).isprintable():
            return
        for name in names:
            check_name("a name", name, self._where)

    def node(self, node: NodeProto) -> None:
        """Counts a node and checks its names and attributes."""
        self.nodes += 1
        inputs, outputs, attributes = node.input[:], node.output[:], node.attribute[:]
        self._tensors += len(inputs) + len(outputs)
        if self.nodes > MAX_NODES:
            raise ModelError(f"{self._where} has more than {MAX_NODES} nodes.")
        if self._tensors > MAX_TENSORS:
            raise ModelError(
                f"{self._where} has more than {MAX_TENSORS} inputs and outputs of nodes."
            )
        self.names((node.name, node.op_type, node.domain, node.overload, *inputs, *outputs))
        if len(attributes) > MAX_ATTRIBUTES:
            self.finish()
            raise ModelError(
                f"{self._where}: the node '{node.name}' ({node.op_type}) has "
                f"{len(attributes)} attributes; popir takes up to {MAX_ATTRIBUTES}."
            )
        if attributes:
            self._attributes(node, attributes)

    def _attributes(self, node: NodeProto, attributes: list[AttributeProto]) -> None:
        names: set[str] = set()
        for attribute in attributes:
            self.names((attribute.name, attribute.ref_attr_name))
            if attribute.name in names:
                self.finish()
                raise ModelError(
                    f"{self._where}: the node '{node.name}' ({node.op_type}) has the attribute "
                    f"'{attribute.name}' twice."
                )
            names.add(attribute.name)
            for graph in _graphs(attribute):
                self.names(_names_of_graph(graph))


def _graphs(attribute: AttributeProto) -> Iterator[GraphProto]:
    if attribute.HasField("g"):
        yield attribute.g
    yield from attribute.graphs[:]
