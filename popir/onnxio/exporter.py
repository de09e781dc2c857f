"""Conversion of graphs and trained weights to ONNX models and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from google.protobuf.message import EncodeError

from popir.errors import ModelError, UnwritableError, did_you_mean
from popir.files import write
from popir.ir import Graph, Op
from popir.onnxio import schemas
from popir.onnxio.attributes import to_proto
from popir.onnxio.proto import ModelProto, NodeProto, finish, tensor, value_info
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]


def with_weights(model: ModelProto, weights: Mapping[str, Array]) -> ModelProto:
    """A copy of `model` with the values in `weights` for the initializers named there.

    Raises ModelError for a name that is no initializer, and for a value of another type or shape.
    """
    copy = ModelProto()
    copy.CopyFrom(model)
    initializers = {each.name: each for each in copy.graph.initializer}
    for id, value in weights.items():
        target = initializers.get(id)
        if target is None:
            near = did_you_mean(id, initializers)
            raise ModelError(f"The model has no initializer '{id}' to take a weight.{near}")
        old = TensorInfo(target.data_type, target.dims)
        if TensorInfo(value) != old:
            raise ModelError(
                f"The weight '{id}' is {old} in the model; given was {TensorInfo(value)}."
            )
        new = tensor(id, np.asarray(value))
        new.doc_string = target.doc_string
        new.metadata_props.extend(target.metadata_props)
        target.CopyFrom(new)
    return finish(copy, {item.domain: item.version for item in copy.opset_import})


def to_model(graph: Graph) -> ModelProto:
    """The ONNX model equivalent to `graph`: nodes in scheduled order, variables and constants as
    initializers.

    Raises OperatorAttributeError for an attribute that ONNX cannot store.
    """
    model = ModelProto(producer_name="popir")
    proto = model.graph
    proto.name = graph.name or "graph"
    for op in graph.schedule():
        proto.node.append(_node(op))
    for each in graph.tensors.values():
        if each.data is not None:
            proto.initializer.append(tensor(each.id, each.data))
    proto.input.extend(value_info(id, graph.getTensor(id).info) for id in graph.inputs)
    proto.output.extend(value_info(id, graph.getTensor(id).info) for id in graph.outputs)
    return finish(model, graph.opsets)


def _node(op: Op) -> NodeProto:
    specs = schemas.attributes(op.opid) or {}
    node = NodeProto(
        name=op.name(),
        op_type=op.opid.type,
        domain="" if op.opid.domain == "ai.onnx" else op.opid.domain,
        input=_ids(op.input),
        output=_ids(op.output),
    )
    for name, value in [*op.attributes.items(), *op.settings.nodeAttributes.items()]:
        kind = specs[name].kind if name in specs else None
        node.attribute.append(to_proto(op.debugName(), name, value, kind))
    return node


def _ids(tensors: Mapping[int, Any]) -> list[str]:
    return [tensors[i].id if i in tensors else "" for i in range(max(tensors, default=-1) + 1)]


def save(model: ModelProto | bytes, path: str | os.PathLike[str]) -> None:
    """Writes the model atomically (see `popir.files`).

    Raises ModelError if the file cannot be written, or would be larger than ONNX allows.
    """
    try:
        write(path, model if isinstance(model, bytes) else model.SerializeToString())
    except (ValueError, EncodeError) as error:
        raise ModelError(f"The model cannot be saved as {path}: {error}.") from error
    except OSError as error:
        raise UnwritableError(f"The model cannot be saved as {path}: {error.strerror}.") from error
