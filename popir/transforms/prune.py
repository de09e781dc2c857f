"""Dead code elimination: removes operators that nothing depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from popir.ir import Graph, Op, Tensor, TensorType


def prune(graph: Graph, kept: Collection[str]) -> None:
    """Removes every operator that no tensor in `kept` depends on.

    Operators stay if they have side effects, modify a weight, or are not pruneable; so does what
    they depend on. Output tensors of removed operators are removed, and graph outputs that are not
    in `kept` are no longer outputs. Weights, constants and streams stay.
    """
    kept = set(kept)
    graph.outputs = [id for id in graph.outputs if id in kept]
    needed = _needed(graph, kept)
    removed = [op for op in graph.ops.values() if op not in needed]
    outputs = [tensor for op in removed for tensor in op.output.values()]
    for op in removed:
        graph.eraseOp(op.id)
    for tensor in outputs:
        graph.removeTensor(tensor.id)
    for tensor in list(graph.tensors.values()):
        if (
            tensor.producer is not None
            or tensor.uses
            or tensor.tensorType is not TensorType.ActGrad
        ):
            continue
        if tensor.id not in graph.inputs:
            graph.removeTensor(tensor.id)


def _needed(graph: Graph, kept: Collection[str]) -> set[Op]:
    stack = [op for op in graph.ops.values() if stays(op)]
    stack += [t.producer for id in kept if (t := graph.tensors.get(id)) and t.producer]
    needed = set(stack)
    while stack:
        op = stack.pop()
        before = [t.producer for t in op.input.values() if t.producer is not None]
        for producer in (*before, *graph.constraints.get(op, ())):
            if producer not in needed:
                needed.add(producer)
                stack.append(producer)
    return needed


def stays(op: Op) -> bool:
    """Whether an operator stays even if nobody reads its outputs."""
    return op.hasSideEffect() or _modifies_weight(op) or not op.isPruneable()


def may_stay(cls: type[Op]) -> bool:
    """Whether there may be operators of a class that stay."""
    return any(
        getattr(cls, name) is not getattr(Op, name)
        for name in ("hasSideEffect", "isPruneable", "modifies")
    )


def _modifies_weight(op: Op) -> bool:
    return any(True for _ in modified_weights(op))


def modified_weights(op: Op) -> Iterator[Tensor]:
    """The weights that an operator changes, as they are or through a view."""
    if type(op).modifies is Op.modifies:
        return
    for i in op.modified_inputs():
        yield from _weights_shown(op.input[i])


def _weights_shown(tensor: Tensor) -> Iterator[Tensor]:
    """The weights that the tensor is, or is a view of."""
    stack, seen = [tensor], {tensor}
    while stack:
        shown = stack.pop()
        if shown.is_variable():
            yield shown
        op = shown.producer
        if op is None or type(op).aliases is Op.aliases:
            continue
        at = next(i for i, t in op.output.items() if t is shown)
        for i, source in op.input.items():
            if source not in seen and op.aliases(i, at):
                seen.add(source)
                stack.append(source)
