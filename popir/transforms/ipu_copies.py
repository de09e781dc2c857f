"""Adds the copies between IPUs, as operators: an IpuCopy for each tensor and each IPU, other than
its own, on which operators read it. The copy of x on IPU 1 is `x_c1`.

Constants are not copied so: each IPU that reads one gets it with the program.
"""

from __future__ import annotations

from popir import registry
from popir.ir import Graph, Op, Tensor
from popir.options.annotations import PIPELINE_STAGE, RECOMPUTE, VIRTUAL_GRAPH
from popir.virtual_graphs import Places


def copy_between_ipus(graph: Graph) -> None:
    """Places all operators, notes the IPU of each in its annotation, and adds the copies."""
    places = Places(graph)
    copies: dict[tuple[Tensor, int], str] = {}
    order = graph.schedule()
    at = {op: places.of(op) for op in order}
    homes = {t: places.home(t) for op in order for t in op.input.values()}
    for op in order:
        ipu = at[op]
        op.settings.nodeAttributes[VIRTUAL_GRAPH] = ipu
        for i, tensor in list(op.input.items()):
            if homes[tensor] == ipu or tensor.isConst() or op.modifies(i):
                continue
            if (tensor, ipu) not in copies:
                copies[tensor, ipu] = _copy(graph, tensor, homes[tensor], ipu)
            op.disconnectInTensor(i)
            op.connectInTensor(i, copies[tensor, ipu])


def _copy(graph: Graph, tensor: Tensor, source: int, ipu: int) -> str:
    settings = Op.Settings(graph, "", {VIRTUAL_GRAPH: ipu})
    if tensor.producer is not None:
        notes = tensor.producer.settings.nodeAttributes
        kept = {key: notes[key] for key in (PIPELINE_STAGE, RECOMPUTE) if key in notes}
        settings.nodeAttributes.update(kept)
    id = graph.uniqueId(f"{tensor.id}_c{ipu}")
    graph.createConnectedOp(
        registry.createOp,
        {0: tensor.id},
        {0: id},
        *("ai.graphcore", "IpuCopy", 1, settings),
        *({"source_ipu": source, "destination_ipu": ipu}, [tensor]),
    )
    return id
