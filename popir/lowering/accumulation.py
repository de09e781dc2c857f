"""Which operators run once after the batches whose gradients are accumulated."""

from __future__ import annotations

from popir.enums import CollectiveOperator
from popir.ir import Graph, Op
from popir.options.annotations import COLLECTIVE_OPERATOR


def after_accumulation(graph: Graph) -> set[Op]:
    """The operators that depend on what operators accumulate (`Op.accumulates`): clipping, updates,
    the clearing of accumulators. The others run for each batch, and so does what adds to the same
    accumulator after another one.

    Of accumulators that are off chip, the store behind each accumulation runs for each batch. A
    RemoteLoad runs where its readers do, and so does what takes a replica's shard of a weight.
    """
    found: set[Op] = set()
    stack = [op for op in graph.ops.values() if op.accumulates]
    while stack:
        op = stack.pop()
        for tensor in op.output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            if op.accumulates:
                fresh = [reader for reader in fresh if not reader.accumulates]
                stores = [reader for reader in fresh if reader.opid.type == "RemoteStore"]
                stack += stores
                fresh = [reader for reader in fresh if reader not in stores]
            found.update(fresh)
            stack += fresh
    if found:
        for takes in (_shards, _loads):
            taken = (op for op in graph.ops.values() if takes(op))
            found.update(op for op in taken if found.issuperset(op.outTensor(0).uses))
    return found


def _shards(op: Op) -> bool:
    is_local = op.settings.nodeAttributes.get(COLLECTIVE_OPERATOR) == CollectiveOperator.Local.value
    return is_local and op.opid.type == "ReplicatedReduceScatter" and bool(op.outTensor(0).uses)


def _loads(op: Op) -> bool:
    return op.opid.type == "RemoteLoad"
