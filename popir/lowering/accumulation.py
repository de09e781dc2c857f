"""Which operators run once after the batches whose gradients are accumulated."""

from __future__ import annotations

from popir.ir import Graph, Op


def after_accumulation(graph: Graph) -> set[Op]:
    """The operators that depend on what operators accumulate (`Op.accumulates`): clipping, updates,
    the clearing of accumulators. The others run for each batch.

    Of accumulators that are off chip, the store behind each accumulation runs for each batch. A
    RemoteLoad runs where its readers do.
    """
    found: set[Op] = set()
    stack = [op for op in graph.ops.values() if op.accumulates]
    while stack:
        op = stack.pop()
        for tensor in op.output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            if op.accumulates:
                stores = [reader for reader in fresh if reader.opid.type == "RemoteStore"]
                stack += stores
                fresh = [reader for reader in fresh if reader not in stores]
            found.update(fresh)
            stack += fresh
    if found:
        found.update(op for op in graph.ops.values() if _is_loaded_for(op, found))
    return found


def _is_loaded_for(op: Op, readers: set[Op]) -> bool:
    return op.opid.type == "RemoteLoad" and readers.issuperset(op.outTensor(0).uses)
