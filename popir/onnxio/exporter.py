"""Graphs and trained weights to ONNX models and files."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import EncodeError

from popir.errors import ModelError, did_you_mean
from popir.files import write
from popir.ir import Graph, Op
from popir.onnxio import schemas
from popir.onnxio.attributes import to_proto
from popir.onnxio.external import location_of, points_to, removeReplaced, writeExternal
from popir.onnxio.limits import MAX_FILE
from popir.onnxio.load import Loaded, embed
from popir.onnxio.proto import ModelProto, NodeProto, TensorProto, finish, tensor, value_info
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Skeleton:
    """A model without the values of its weights, to be written again with others."""

    model: ModelProto
    external: Mapping[str, str]
    """The initializers whose data lay in a file beside the model, with that file's location."""

    @staticmethod
    def of(loaded: Loaded, weights: Container[str]) -> Skeleton:
        """That of a model; external data that are no weights are taken in."""
        model = ModelProto()
        for field, value in loaded.model.ListFields():
            if field.name != "graph":
                _copy(model, field.name, value)
        model.graph.SetInParent()
        for field, value in loaded.model.graph.ListFields():
            if field.name != "initializer":
                _copy(model.graph, field.name, value)
        for old in loaded.model.graph.initializer:
            new = model.graph.initializer.add()
            if old.name in weights:
                new.name, new.data_type = old.name, old.data_type
                new.dims.extend(old.dims)
            else:
                new.CopyFrom(old)
        external = {
            each.name: location_of(each)
            for each in loaded.model.graph.initializer
            if each.data_location == TensorProto.EXTERNAL
        }
        return Skeleton(embed(model, loaded.folder, weights), external)

    def withWeights(
        self, weights: Mapping[str, Array], unless: Container[str] = frozenset()
    ) -> ModelProto:
        """A copy of the model whose initializers have the values of `weights`; those named in
        `unless` keep theirs.

        Raises ModelError for a name that is no initializer, and for a value of another type or
        shape.
        """
        return withWeights(
            self.model, {id: value for id, value in weights.items() if id not in unless}
        )


def _copy(message: Any, field: str, value: Any) -> None:
    if isinstance(value, (int, str)):
        setattr(message, field, value)
    else:
        getattr(message, field).MergeFrom(value)


def withWeights(model: ModelProto, weights: Mapping[str, Array]) -> ModelProto:
    """A copy of `model` whose initializers have the values of `weights`; those not named keep
    theirs.

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
        target.CopyFrom(tensor(id, np.ascontiguousarray(value)))
    return finish(copy, {item.domain: item.version for item in copy.opset_import})


def toModel(graph: Graph) -> ModelProto:
    """The ONNX model that says what `graph` does: operators in the order of the schedule, Variables
    and Consts as initializers.
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
    """Writes the model whole or not at all: under another name first, then renamed.

    Raises ModelError if the file cannot be written, or would be larger than ONNX allows.
    """
    try:
        write(path, model if isinstance(model, bytes) else model.SerializeToString())
    except (ValueError, EncodeError) as error:
        raise ModelError(f"The model cannot be saved as {path}: {error}.") from error
    except OSError as error:
        raise ModelError(f"The model cannot be saved as {path}: {error.strerror}.") from error


def saveSkeleton(
    skeleton: Skeleton,
    weights: Mapping[str, Array],
    path: str | os.PathLike[str],
    files: Mapping[str, str | os.PathLike[str]],
) -> None:
    """Writes a model with the values of `weights`.

    Those that were external are again, in one file beside the model; `files` names another for
    those of a location. The rest lies in the model, unless it would be too large for that: then all
    weights are external. The model is written last, and data whose file has no name of the caller's
    stand under a name of their own, so that at any moment the old model or the new one is there
    with its data.

    Raises ModelError if a file cannot be written.
    """
    outside = {id: files.get(location) for id, location in skeleton.external.items()}
    total = sum(value.nbytes for id, value in weights.items() if id not in outside)
    if total + skeleton.model.ByteSize() > _MAX_INSIDE:
        outside = {**dict.fromkeys(weights), **outside}
    outside = {id: file for id, file in outside.items() if id in weights}
    model = skeleton.withWeights(weights, outside)
    initializers = {each.name: each for each in model.graph.initializer}
    target = Path(path)
    own = ""
    for file in dict.fromkeys(outside.values()):
        data = {id: weights[id] for id in outside if outside[id] == file}
        for id, place in writeExternal(data, target, file).items():
            points_to(initializers[id], place)
            own = own if file is not None else place.location
    save(model, target)
    removeReplaced(target, own)


_MAX_INSIDE = MAX_FILE - (1 << 24)
"""Bytes of weights and model up to which they share a file."""
