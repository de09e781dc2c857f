"""What the patterns of this folder share: making, replacing and removing operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir import registry
from popir.ir import Graph, Op, Tensor

SUMS = frozenset({"Sum", "Add"})
RESHAPES = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "ReshapeGrad"})
"""The types of operators that show input 0 in another shape, and do nothing else."""


def make(
    like: Op,
    opid: tuple[str, str, int],
    inputs: Sequence[str],
    output: str,
    attributes: Mapping[str, Any] | None = None,
) -> Op:
    """An operator with the settings of `like`, of those inputs and that output, which is added if
    the graph has none of that id.
    """
    graph = like.graph
    tensors = [graph.getTensor(id) for id in inputs]
    given = dict(attributes or {})
    return graph.createConnectedOp(
        registry.createOp,
        dict(enumerate(inputs)),
        {0: output},
        *(*opid, like.settings, given, tensors),
    )


def replace(
    op: Op,
    opid: tuple[str, str, int],
    inputs: Sequence[str],
    attributes: Mapping[str, Any] | None = None,
) -> Op:
    """Puts another operator, of those inputs and the same output 0, in the place of `op`."""
    tensors = [op.graph.getTensor(id) for id in inputs]
    made = registry.createOp(*opid, op.settings, dict(attributes or {}), tensors)
    op.disconnectAllInputs()
    for i, id in enumerate(inputs):
        op.connectInTensor(i, id)
    op.graph.replaceOp(op, made)
    return made


def removeUnread(tensor: Tensor) -> None:
    """Removes the operator that makes a tensor which nobody reads, and all of its outputs."""
    op = tensor.getProducer()
    outputs = list(op.output.values())
    op.graph.eraseOp(op.id)
    for each in outputs:
        op.graph.removeTensor(each.id)


def isBuiltIn(op: Op | None, *types: str) -> bool:
    """Whether it is an operator of popir's own, of one of those types."""
    return op is not None and op.opid.type in types and op.source == registry.BUILT_IN


def constraint(op: Op) -> str | None:
    """Why an operator cannot go: it waits for another one, or another one for it."""
    graph: Graph = op.graph
    if graph.constraints and (graph.befores(op) or graph.afters(op)):
        return "it has a constraint: it runs before or after another operator"
    return None
