"""Which operators run once after the batches whose gradients are accumulated."""

from __future__ import annotations

from popir.ir import Graph, Op


def after_accumulation(graph: Graph) -> set[Op]:
    """The operators that depend on what operators accumulate (`Op.accumulates`): clipping, updates,
    the clearing of accumulators. The others run for each batch.
    """
    found: set[Op] = set()
    stack = [op for op in graph.ops.values() if op.accumulates]
    while stack:
        for tensor in stack.pop().output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            found.update(fresh)
            stack += fresh
    return found
