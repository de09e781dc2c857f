"""Reads the tool that wrote a model and its metadata about initializers: `origin_of`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from onnx import ModelProto, StringStringEntryProto

from popir.ir import Origin
from popir.ir.origin import BUILDER

KIND = "pkg.torch.export.graph_signature.InputSpec.kind"
"""The key of the kind of an initializer, see `Origin.declared`."""
_NAME = "pkg.torch.onnx.original_node_name"
_FOLDED = "pkg.onnxscript.optimizer.folded_from"


def origin_of(model: ModelProto) -> Origin:
    """The origin of a model. The metadata are those of PyTorch's default exporter."""
    graph = model.graph
    names = [tensor.name for tensor in graph.initializer]
    names += [tensor.values.name for tensor in graph.sparse_initializer]
    known = set(names)
    found = Origin(producer_of(model), names)
    found.values = {id for node in graph.node for id in node.output[:]}
    found.values.update(value.name for value in graph.input if value.name not in known)
    for name, entry in _metadata(model):
        if name in known and entry.key == KIND:
            found.declared[name] = entry.value
        elif name in known and entry.key == _FOLDED:
            found.folded[name] = re.findall(r"'([^']*)'", entry.value)
        elif name in found.values and entry.key == _NAME:
            found.values.add(entry.value)
    return found


def _metadata(model: ModelProto) -> Iterator[tuple[str, StringStringEntryProto]]:
    graph = model.graph
    for each in itertools.chain(graph.initializer, graph.input, graph.value_info):
        for entry in each.metadata_props[:]:
            yield each.name, entry


def producer_of(model: ModelProto) -> str:
    """The name of the producer. PopART writes none; its models import ai.graphcore and list each
    initializer as an input, too.
    """
    graph = model.graph
    if model.producer_name or all(item.domain != "ai.graphcore" for item in model.opset_import):
        return model.producer_name.lower()
    inputs = {value.name for value in graph.input}
    listed = all(tensor.name in inputs for tensor in graph.initializer)
    return BUILDER if listed else ""
