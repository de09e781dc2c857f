"""SequenceMap, and Loop that carries sequences, at import: the nodes of each iteration.

A sequence is a list of tensors there (`popir.onnxio.sequences`), so how often such a graph runs
must be known: PyTorch's exporter writes `hstack` and `embedding_bag` so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import NodeProto, helper

from popir.errors import LeavesDeviceError, ModelError
from popir.onnxio.limits import subgraphs
from popir.onnxio.proto import who as _who
from popir.onnxio.subgraphs import Subgraph

if TYPE_CHECKING:
    from popir.onnxio.importer import GraphImporter

MOST = 1 << 10
"""The most iterations."""


def unrolls(importer: GraphImporter, node: NodeProto) -> bool:
    """Whether a node is a SequenceMap or Loop that reads sequences."""
    if node.domain not in ("", "ai.onnx") or node.op_type not in ("SequenceMap", "Loop"):
        return False
    return any(map(importer.sequences.has, node.input))


def unroll(importer: GraphImporter, node: NodeProto) -> None:
    """Adds the nodes of all iterations. Raises LeavesDeviceError if their number is not known,
    ModelError for a malformed node.
    """
    graphs = list(subgraphs(node))
    if len(graphs) != 1:
        raise ModelError(f"{_who(node)} has {len(graphs)} graphs; it takes one, its body.")
    body = Subgraph(graphs[0], importer, f"{_who(node)}: its body")
    nodes = _mapped if node.op_type == "SequenceMap" else _looped
    for each in nodes(importer, node, body):
        importer.addNode(each)


def _mapped(importer: GraphImporter, node: NodeProto, body: Subgraph) -> Iterator[NodeProto]:
    lists = [importer.sequences.get(id) for id in node.input if importer.sequences.has(id)]
    if not importer.sequences.has(node.input[0]) or len({len(each) for each in lists}) > 1:
        raise ModelError(
            f"{_who(node)} has sequences of {[len(each) for each in lists]} elements; the first "
            "input is a sequence, and all sequences have equally many."
        )
    if len(body.inputs) != len(node.input) or len(body.outputs) != len(node.output):
        raise ModelError(
            f"{_who(node)} has {len(node.input)} inputs and {len(node.output)} outputs, and its "
            f"body {len(body.inputs)} and {len(body.outputs)}; they must be equal."
        )
    parts: list[list[str]] = [[] for _ in node.output]
    for n in range(len(lists[0])):
        given = [
            importer.sequences.get(id)[n] if importer.sequences.has(id) else id for id in node.input
        ]
        for each, id in zip(parts, body.inline_ids(f"{node.output[0]}/{n}", given), strict=True):
            if importer.sequences.has(id):
                raise ModelError(f"{_who(node)}: an output of its body is a sequence.")
            each.append(id)
    for id, each in zip(node.output, parts, strict=True):
        importer.sequences.add(_who(node), id, each)
    return iter(())


def _looped(importer: GraphImporter, node: NodeProto, body: Subgraph) -> Iterator[NodeProto]:
    trip, goes_on = [*node.input, "", ""][:2]
    values = list(node.input[2:])
    states = len(values)
    if len(body.inputs) != states + 2 or len(body.outputs) < states + 1:
        raise ModelError(
            f"{_who(node)} has {states} carried values; its body has {len(body.inputs)} inputs and "
            f"{len(body.outputs)} outputs."
        )
    most = int(_known(importer, node, trip, "its trip count")) if trip else None
    going = not goes_on or bool(_known(importer, node, goes_on, "its condition"))
    slices: list[list[str]] = [[] for _ in body.outputs[1 + states :]]
    base, n = next(filter(None, node.output), node.name), 0
    while going and (most is None or n < most):
        if n == MOST:
            raise LeavesDeviceError(
                f"{_who(node)} carries sequences through more than {MOST} iterations."
            )
        number = importer.graph.addConstInit(f"{base}/{n}/number", np.array(n, np.int64))
        true = importer.graph.addConstInit(f"{base}/{n}/condition", np.array(True))
        given = [number.id, true.id, *values]
        again, *made = body.inline_ids(f"{base}/{n}", given)
        values = made[:states]
        for part, id in zip(slices, made[states:], strict=True):
            part.append(id)
        n += 1
        if most is None or n < most:
            going = bool(_known(importer, node, again, "the condition of a further iteration"))
    for id, value in zip(node.output, values, strict=False):
        if id and importer.sequences.has(value):
            importer.sequences.add(_who(node), id, importer.sequences.get(value))
        elif id:
            yield helper.make_node("Identity", [value], [id])
    for id, part in zip(node.output[states:], slices, strict=False):
        if not id:
            continue
        if not part:
            raise LeavesDeviceError(f"{_who(node)} has scan outputs of no iterations.")
        importer.sequences.add(_who(node), f"{id}/slices", part)
        yield helper.make_node("ConcatFromSequence", [f"{id}/slices"], [id], axis=0, new_axis=1)


def _known(importer: GraphImporter, node: NodeProto, id: str, what: str) -> Any:
    found = importer.find(id)
    if found is None or found.data is None or not found.isConst() or found.data.size != 1:
        raise LeavesDeviceError(
            f"{_who(node)} carries sequences, and {what}, '{id}', is not known when the model is "
            "compiled.",
            [id],
        )
    return found.data.item()
