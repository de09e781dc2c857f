"""What the replicas of a compiled graph exchange in a step, for `Session.getPodReport`."""

from __future__ import annotations

from collections.abc import Callable

from popir.enums import CollectiveOperator
from popir.ir import Graph, Op, Tensor
from popir.lowering.accumulation import after_accumulation
from popir.ops.collectives.replicated import (
    ReplicatedAllGatherOp,
    ReplicatedAllReduceOp,
    ReplicatedReduceScatterOp,
    ShardGatherOp,
    grouping_of,
    operator_of,
)
from popir.ops.update.var_update import VarUpdateOp
from popir.profile import Kind, Traffic
from popir.step import Loops

_KINDS = (
    (ReplicatedAllReduceOp, Kind.AllReduce),
    (ReplicatedReduceScatterOp, Kind.ReduceScatter),
    (ReplicatedAllGatherOp, Kind.AllGather),
)


def traffic_of(
    graph: Graph, home: Callable[[Tensor], int | None], ipus: int, loops: Loops
) -> list[Traffic]:
    """The collectives of a graph. Those of one kind, for one purpose and equally often are one.

    `home` has the IPU of a tensor, None if operators are not placed. Left out are sums of single
    numbers within an update, as of norms.
    """
    later = after_accumulation(graph)
    found: dict[tuple[Kind, str, int, int | None], list[int]] = {}
    for op in graph.schedule():
        kind = next((kind for each, kind in _KINDS if isinstance(op, each)), None)
        if kind is None:
            continue
        grouping = grouping_of(op)
        if grouping.size == 1 or _is_local(op):
            continue
        whole = op.outTensor(0) if kind is Kind.AllGather else op.inTensor(0)
        assert whole.info is not None
        times = loops.updates * (1 if op in later else loops.accumulated)
        size = None if grouping.size == graph.replicas else grouping.size
        key = kind, _purpose(op), times, size
        spread(found.setdefault(key, [0] * ipus), whole.info.nbytes(), home(op.inTensor(0)))
    return [
        Traffic(kind, what, bytes, times, size)
        for (kind, what, times, size), bytes in found.items()
    ]


def spread(found: list[int], bytes: int, ipu: int | None) -> None:
    """Adds bytes to those of an IPU, or evenly to those of all if it is None."""
    if ipu is not None:
        found[ipu] += bytes
        return
    share, rest = divmod(bytes, len(found))
    for i in range(len(found)):
        found[i] += share + (i < rest)


def _is_local(op: Op) -> bool:
    return operator_of(op) is CollectiveOperator.Local


def _purpose(op: Op) -> str:
    """What is exchanged: sums that an update reads are those of gradients."""
    if isinstance(op, ShardGatherOp):
        return "shards"
    stack = list(op.outTensor(0).uses)
    for reader in stack:
        if isinstance(reader, VarUpdateOp):
            return "gradients"
        if isinstance(reader, ReplicatedAllReduceOp):
            stack += reader.outTensor(0).uses
    return "values"
