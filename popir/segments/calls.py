"""Runs one node on the host: `call`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from popir import host, registry
from popir.errors import LeavesDeviceError, UnknownOperatorError
from popir.host import HostValue, is_numbers, is_strings, shown
from popir.ir import Graph, Op
from popir.onnxio import bodies
from popir.onnxio.importer import GraphImporter
from popir.onnxio.proto import NodeProto
from popir.segments.control import CONTROL
from popir.segments.strings import MOVES, check_moves, moved
from popir.types import TensorInfo

if TYPE_CHECKING:
    from popir.segments.program import Program

Array = np.ndarray[Any, Any]


def call(
    program: Program, i: int, inputs: Sequence[HostValue], values: Mapping[str, HostValue]
) -> Sequence[HostValue]:
    """The outputs of node `i` of a program; `values` are those that its graphs may read.

    Ways, in this order: control flow, an operator of the host, a copy, strings by their positions,
    numpy for an operator that would be compiled again and again, a function's nodes. Raises
    LeavesDeviceError if there is none, UnknownOperatorError if there is no such operator.
    """
    node = program.nodes[i]
    domain = node.domain or "ai.onnx"
    is_onnx = domain == "ai.onnx"
    opset = program.opsets.get(domain, 0)
    entry = host.find(domain, node.op_type, opset)
    if is_onnx and node.op_type in CONTROL:
        program.leave(i, "it runs graphs that are no part of a device program")
        return CONTROL[node.op_type](program, i, node, inputs, dict(values))
    if entry is not None:
        program.leave(i, entry.reason)
        if i not in program.calls:
            attributes = program.attributes(node)
            program.calls[i] = entry.call(node.name, attributes, len(node.output))
        return entry.run(program.calls[i], inputs)
    if is_onnx and node.op_type == "Identity":
        return inputs
    if is_onnx and node.op_type in MOVES and any(map(is_strings, inputs)):
        program.leave(i, "it moves strings")
        check_moves(program.who(i), node.op_type, program.attributes(node))
        alone = program.inner(i, lambda: program.part([node], node))
        return moved(node, inputs, lambda numbers: alone.run({**numbers}))
    if i in program.demanded and (done := _evaluated(program, node, inputs)) is not None:
        program.leave(i, "what it needs when it is compiled is another value in each run")
        return done
    infos = [TensorInfo(each) if is_numbers(each) else None for each in inputs]
    body = bodies.body(node, opset, infos)
    if body is not None:
        program.leave(i, "its function has operators of the host")
        expanded = program.inner((i, *map(str, infos)), lambda: _expanded(program, node, body))
        return expanded.run({id: v for id, v in zip(node.input, inputs, strict=True) if id})
    _check_known(program, i, node, opset)
    raise LeavesDeviceError(
        f"{program.who(i)} cannot run: its inputs are {', '.join(map(shown, inputs))}, and popir's "
        f"{node.op_type} takes tensors of numbers whose shapes are known."
    )


def _check_known(program: Program, i: int, node: NodeProto, opset: int) -> None:
    """Raises UnknownOperatorError if there is no such operator at all, for any types of inputs."""
    if known := host.versions(node.domain, node.op_type):
        raise UnknownOperatorError(
            f"{program.who(i)}: the model imports version {opset} of the domain, and the "
            f"operator's versions are {', '.join(map(str, known))}, all newer."
        )
    try:
        registry.find(node.domain, node.op_type, opset)
    except UnknownOperatorError as error:
        raise UnknownOperatorError(f"{program.who(i)}: {error}") from None


def _expanded(program: Program, node: NodeProto, function: Any) -> Program:
    """The program of a function, made for one node."""
    count = iter(range(1 << 30))
    nodes = list(bodies.expanded(node, function, lambda id: f"{id}/{next(count)}"))
    versions = {each.domain or "ai.onnx": each.version for each in function.opset_import}
    return program.part(nodes, node, versions)


def is_evaluated(program: Program, i: int) -> bool:
    """Whether a node is one operator that numpy can compute (`Op.evaluate`)."""
    node = program.nodes[i]
    opset = program.opsets.get(node.domain or "ai.onnx", 0)
    if not any(v <= opset for v in registry.versions(node.domain, node.op_type)):
        return False
    kind = registry.find(node.domain, node.op_type, opset).opClass
    return kind.evaluate is not Op.evaluate


def _evaluated(
    program: Program, node: NodeProto, inputs: Sequence[HostValue]
) -> list[Array] | None:
    """The outputs of a node by numpy; None if there is no such way."""
    graph = Graph(program.context.name)
    graph.opsets = dict(program.opsets)
    for id, value in zip(node.input, inputs, strict=True):
        if id and id not in graph.tensors:
            graph.addConstInit(id, value)
    GraphImporter(graph, program.context.reader).addNode(node)
    found: dict[str, Array] = {}
    for op in graph.ops.values():
        made = op.evaluate({i: t.data for i, t in op.input.items() if t.data is not None})
        if made is None:
            return None
        for o, tensor in op.output.items():
            info = op.outInfo(o)
            value = np.asarray(made[o], info.dataType().numpy)
            found[tensor.id] = np.ascontiguousarray(value).reshape(info.shape())
    for id in filter(None, node.output):
        if id not in found and (data := graph.getTensor(id).data) is not None:
            found[id] = data
    return [found[id] if id else np.zeros(0) for id in node.output]
