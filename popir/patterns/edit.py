"""Helpers of the patterns: make, replace and remove operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from popir import registry
from popir.ir import Graph, Op, Tensor

SUMS = frozenset({"Sum", "Add"})
RESHAPES = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "ReshapeGrad"})
"""The types of operators that only change the shape of input 0."""


def make(
    like: Op,
    opid: tuple[str, str, int],
    inputs: Sequence[str],
    output: str,
    attributes: Mapping[str, Any] | None = None,
) -> Op:
    """Adds an operator with the settings of `like`, connected to `inputs` and `output`.

    `opid` is (domain, type, version). The tensor `output` is added if it does not exist.
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
    """Replaces `op` by another operator with the given inputs and the same output 0. Returns the
    new one.
    """
    tensors = [op.graph.getTensor(id) for id in inputs]
    made = registry.createOp(*opid, op.settings, dict(attributes or {}), tensors)
    op.disconnectAllInputs()
    for i, id in enumerate(inputs):
        op.connectInTensor(i, id)
    op.graph.replaceOp(op, made)
    return made


def remove_unread(tensor: Tensor) -> None:
    """Removes the producer of a tensor without readers, together with all its outputs."""
    op = tensor.getProducer()
    outputs = list(op.output.values())
    op.graph.eraseOp(op.id)
    for each in outputs:
        op.graph.removeTensor(each.id)


def is_built_in(op: Op | None, *types: str) -> bool:
    """Whether `op` is a built-in operator of one of `types`."""
    return op is not None and op.opid.type in types and op.source == registry.BUILT_IN


def constraint(op: Op) -> str | None:
    """The reason why an operator with constraints cannot be removed; None if it has none."""
    graph: Graph = op.graph
    if graph.constraints and (graph.befores(op) or graph.afters(op)):
        return "it has a constraint: it runs before or after another operator"
    return None
