"""Changes a model to the form in which it is trained, using the exporter's metadata."""

from __future__ import annotations

from onnx import ModelProto

from popir.onnxio import fx
from popir.onnxio.load import Loaded
from popir.onnxio.merged import STATISTICS, separate_merged
from popir.onnxio.proto import opset

_DETACH = "torch.ops.aten.detach.default"


def in_training_form(loaded: Loaded) -> Loaded:
    """The model to train.

    - Merged initializers are separated; see `popir.onnxio.merged`.
    - An Identity that PyTorch's default exporter wrote for `x.detach()` becomes a Detach.
    - If a normalisation layer is used twice, both uses read the same statistics: the second one
      continues from those that the first one has updated.
    """
    if not any(map(fx.call, loaded.model.graph.node)):
        return separate_merged(loaded)
    model = ModelProto()
    model.CopyFrom(loaded.model)
    changed = [_with_detach(model), _with_shared_statistics(model)]
    return separate_merged(loaded._replace(model=model) if any(changed) else loaded)


def _with_detach(model: ModelProto) -> bool:
    nodes = model.graph.node
    found = [n for n in nodes if n.op_type == "Identity" and fx.target(n) == _DETACH]
    for node in found:
        node.op_type, node.domain = "Detach", "ai.graphcore"
    if found and all(item.domain != "ai.graphcore" for item in model.opset_import):
        model.opset_import.append(opset("ai.graphcore", 1))
    return bool(found)


def _with_shared_statistics(model: ModelProto) -> bool:
    """Makes normalisations read initializers instead of copies of them as statistics. Returns
    whether there was one.
    """
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
