"""What of a model its results depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnx import NodeProto

from popir.onnxio.subgraphs import reads

_ACTING = ("Abort", "PrintTensor")
"""Operators that do something besides computing their outputs."""


def living(nodes: Sequence[NodeProto], ends: Iterable[str]) -> list[NodeProto]:
    """The nodes that a tensor among `ends` depends on, or one that acts, in their order."""
    makers = {id: node for node in nodes for id in node.output if id}
    ahead = [*ends]
    for node in nodes:
        if node.op_type in _ACTING or not any(node.output):
            ahead += [*node.output, *reads(node)]
    found: set[str] = set()
    while ahead:
        id = ahead.pop()
        if id in found or id not in makers:
            continue
        found.update(filter(None, makers[id].output))
        ahead += reads(makers[id])
    return [n for n in nodes if not any(n.output) or not found.isdisjoint(filter(None, n.output))]
