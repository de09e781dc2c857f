"""Helpers of the patterns: make, replace and remove operators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.ops.support.shapes import product

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


def maker(tensor: Tensor, *types: str) -> Op | None:
    """The built-in operator of one of `types` whose only result the tensor is; None if no such one
    makes it.
    """
    op = tensor.producer
    return op if op is not None and is_built_in(op, *types) and len(op.output) == 1 else None


def constraint(op: Op) -> str | None:
    """The reason why an operator with constraints cannot be removed; None if it has none."""
    graph: Graph = op.graph
    if graph.constraints and (graph.befores(op) or graph.afters(op)):
        return "it has a constraint: it runs before or after another operator"
    return None


def number(tensor: Tensor) -> float | None:
    """The value of a constant or `Graph.frozen` variable of one element; None for other tensors."""
    data = tensor.data if tensor.isConst() or tensor.id in tensor.graph.frozen else None
    return float(data.reshape(-1)[0]) if data is not None and data.size == 1 else None


def size(tensor: Tensor) -> int:
    """The number of elements; 0 if it is not known."""
    return product(tensor.info.shape()) if tensor.info is not None else 0


def remove_dead(tensors: Iterable[Tensor], kept: Collection[str]) -> None:
    """Removes the producers of the tensors that nobody reads, then those of their inputs."""
    waiting = list(tensors)
    while waiting:
        tensor = waiting.pop()
        op = tensor.producer
        if op is None or op.id not in op.graph.ops or op.hasSideEffect():
            continue
        if any(each.uses or each.id in kept for each in op.output.values()):
            continue
        inputs = list(op.input.values())
        remove_unread(tensor)
        waiting += inputs


def compile_in(ops: Iterable[Op], name: str) -> None:
    """Records that the pattern `name` relies on the values of the frozen variables that `ops` read;
    the host may not change them.
    """
    for op in ops:
        for tensor in op.input.values():
            if tensor.id in op.graph.frozen:
                op.graph.compiled_in.setdefault(tensor.id, name)


def joined(ops: Collection[Op], last: Op, kept: Collection[str]) -> str | None:
    """The reason why the operators `ops` cannot become one in the place of `last`, one of them;
    None if they can. Only `last` may have a result that others read, and all must have the same
    annotations: one IPU, stage and phase.
    """
    for op in ops:
        if op.settings.nodeAttributes != last.settings.nodeAttributes:
            return f"{op.debugName()} has other annotations"
        if why := constraint(op):
            return why
        if op is last:
            continue
        for tensor in op.output.values():
            if tensor.id in kept:
                return f"'{tensor.id}' is kept: an anchor, the loss, or an output"
            if any(reader not in ops for reader in tensor.uses):
                return f"'{tensor.id}' has other readers"
    return None
