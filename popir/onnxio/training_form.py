"""A model as it is trained: what its file says of training beside what it computes."""

from __future__ import annotations

from onnx import ModelProto

from popir.onnxio import fx
from popir.onnxio.load import Loaded
from popir.onnxio.merged import STATISTICS, separateMerged
from popir.onnxio.proto import opset

_DETACH = "torch.ops.aten.detach.default"


def inTrainingForm(loaded: Loaded) -> Loaded:
    """The model with merged initializers apart, and with what PyTorch's default exporter writes as
    an Identity as what it was: `x.detach()` is a Detach, and the statistics that the second use of
    a normalisation reads are those that the first one has updated.
    """
    if not any(map(fx.call, loaded.model.graph.node)):
        return separateMerged(loaded)
    model = ModelProto()
    model.CopyFrom(loaded.model)
    changed = [_withDetach(model), _withSharedStatistics(model)]
    return separateMerged(loaded._replace(model=model) if any(changed) else loaded)


def _withDetach(model: ModelProto) -> bool:
    nodes = model.graph.node
    found = [n for n in nodes if n.op_type == "Identity" and fx.target(n) == _DETACH]
    for node in found:
        node.op_type, node.domain = "Detach", "ai.graphcore"
    if found and all(item.domain != "ai.graphcore" for item in model.opset_import):
        model.opset_import.append(opset("ai.graphcore", 1))
    return bool(found)


def _withSharedStatistics(model: ModelProto) -> bool:
    """Whether a normalisation read copies of initializers as its statistics; it reads these now."""
    nodes = model.graph.node
    initializers = {tensor.name for tensor in model.graph.initializer}
    of: dict[str, str] = {}
    for node in nodes:
        if node.op_type == "Identity" and not node.domain and fx.call(node):
            source = of.get(node.input[0], node.input[0])
            if source in initializers:
                of[node.output[0]] = source
    shared = {
        node.input[i]
        for node in nodes
        for i in STATISTICS.get(node.op_type, {})
        if i < len(node.input) and node.input[i] in of
    }
    for node in nodes:
        for i in STATISTICS.get(node.op_type, {}):
            if i < len(node.input) and node.input[i] in of:
                node.input[i] = of[node.input[i]]
    read = {id for node in nodes for id in node.input} | {v.name for v in model.graph.output}
    for n in reversed(range(len(nodes))):
        if nodes[n].output and nodes[n].output[0] in shared - read:
            del nodes[n]
    return bool(shared)
