"""Which operators run once after the batches whose gradients are accumulated."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from popir.enums import CollectiveOperator
from popir.ir import Graph, Op
from popir.options.annotations import COLLECTIVE_OPERATOR


def after_accumulation(graph: Graph) -> set[Op]:
    """The operators that depend on what operators accumulate (`Op.accumulates`): clipping, updates,
    the clearing of accumulators. The others run for each batch, and so does what adds to the same
    accumulator after another one, and what it adds depends on: the share of a batch in a mean, from
    the count of the batches so far.

    Of accumulators that are off chip, the store behind each accumulation runs for each batch. A
    RemoteLoad runs where its readers do, and so does what takes a replica's shard of a weight.
    """
    accumulating = [op for op in graph.ops.values() if op.accumulates]
    found = _behind(accumulating, set())
    each = _added(accumulating, found)
    if each:
        found = _behind(accumulating, each)
    if found:
        for takes in (_shards, _loads):
            taken = (op for op in graph.ops.values() if takes(op))
            found.update(op for op in taken if found.issuperset(op.outTensor(0).uses))
    return found


def _behind(accumulating: Iterable[Op], each: Collection[Op]) -> set[Op]:
    """What depends on sums, but for the operators `each`, which run for each batch."""
    found: set[Op] = set()
    stack = list(accumulating)
    while stack:
        op = stack.pop()
        for tensor in op.output.values():
            fresh = [reader for reader in tensor.uses if reader not in found]
            fresh = [reader for reader in fresh if reader not in each and not reader.accumulates]
            if op.accumulates:
                stores = [reader for reader in fresh if reader.opid.type == "RemoteStore"]
                stack += stores
                fresh = [reader for reader in fresh if reader not in stores]
            found.update(fresh)
            stack += fresh
    return found


def _added(accumulating: Iterable[Op], behind: Collection[Op]) -> set[Op]:
    """Of the operators behind sums, those that what is added depends on."""
    stack = [t for op in accumulating for i, t in op.input.items() if not op.modifies(i)]
    found: set[Op] = set()
    while stack:
        maker = stack.pop().producer
        if maker is not None and maker in behind and maker not in found:
            found.add(maker)
            stack += maker.input.values()
    return found


def _shards(op: Op) -> bool:
    is_local = op.settings.nodeAttributes.get(COLLECTIVE_OPERATOR) == CollectiveOperator.Local.value
    return is_local and op.opid.type == "ReplicatedReduceScatter" and bool(op.outTensor(0).uses)


def _loads(op: Op) -> bool:
    return op.opid.type == "RemoteLoad"
