"""Reads ONNX files, which are not to be trusted: whole models, with their tensors as arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto, numpy_helper

from popir.errors import ModelError, popart_exception
from popir.types import DataType

Source = ModelProto | bytes | str | os.PathLike[str]
"""A model: a file by its path, its bytes, or the message itself."""


def load(source: Source) -> tuple[ModelProto, Path | None]:
    """The model, and the folder that its external data may lie in (None unless it came from a
    file).

    Functions of the model's own are expanded into the nodes that they stand for. Raises ModelError
    if there is no such file, or if it is not an ONNX model.
    """
    if isinstance(source, ModelProto):
        model, where, folder = source, "The model", None
    elif isinstance(source, bytes):
        model, where, folder = _parse(source, "The model"), "The model", None
    else:
        path = Path(source)
        where, folder = f"The model {path}", path.parent
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ModelError(f"{where} cannot be read: {error.strerror}.") from error
        model = _parse(data, where)
    for text in _texts(model):
        if isinstance(text, bytes):  # What protobuf gives for text that is not UTF-8.
            raise ModelError(f"{where} is damaged: the name {text!r} in it is not UTF-8.")
    if not model.HasField("graph"):
        raise ModelError(f"{where} has no graph; it is empty, or no ONNX model.")
    if not model.opset_import:
        raise ModelError(
            f"{where} has no opset_import, so nothing says which version of each operator it means."
        )
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    return model, folder


def _parse(data: bytes, where: str) -> ModelProto:
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise ModelError(
            f"{where} is no ONNX model, or is cut off: its {len(data)} bytes cannot be parsed "
            f"({error})."
        ) from error
    return model


def embed(model: ModelProto, folder: Path | None) -> ModelProto:
    """`model`, changed to hold the data of its initializers that lay in other files of `folder`."""
    for tensor in model.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            tensor.CopyFrom(numpy_helper.from_array(array(tensor, folder), tensor.name))
    return model


def _texts(model: ModelProto) -> Iterator[str]:
    """Every name that an import reads."""
    graph = model.graph
    yield graph.name
    yield from (item.domain for item in model.opset_import)
    yield from (tensor.name for tensor in graph.initializer)
    for value in [*graph.input, *graph.output]:
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)


def array(tensor: TensorProto, folder: Path | None) -> np.ndarray[Any, Any]:
    """The tensor as an array, little-endian as stored; `folder` is where external data may lie.

    Raises ModelError, naming the tensor, for an element type that popir does not know, and for data
    that are missing, do not fit the shape, or lie outside of the folder.
    """
    who = f"The initializer '{tensor.name}'"
    try:
        kind = DataType.of(tensor.data_type)
        shape = tuple(tensor.dims)
        if kind is DataType.UNDEFINED or min(shape, default=0) < 0:
            raise ModelError(f"{who} has the element type {kind.name} and the shape {list(shape)}.")
        if tensor.data_location == TensorProto.EXTERNAL:
            return _external(who, tensor, kind, shape, folder)
        if tensor.HasField("raw_data"):
            _check_size(who, shape, kind, len(tensor.raw_data))
        found = numpy_helper.to_array(tensor)
    except popart_exception as error:
        raise error if isinstance(error, ModelError) else ModelError(f"{who}: {error}") from error
    except (TypeError, ValueError, KeyError) as error:
        raise ModelError(f"{who} of shape {list(tensor.dims)} cannot be read: {error}.") from error
    return found.astype(kind.numpy) if found.dtype != kind.numpy else found


def _check_size(who: str, shape: tuple[int, ...], kind: DataType, given: int) -> None:
    expected = math.prod(shape) * kind.nbytes
    if given != expected:
        raise ModelError(
            f"{who} of type {kind.name} and shape {list(shape)} needs {expected} bytes of data; "
            f"it has {given}."
        )


def _external(
    who: str, tensor: TensorProto, kind: DataType, shape: tuple[int, ...], folder: Path | None
) -> np.ndarray[Any, Any]:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise ModelError(
            f"{who} lies in the file '{location}' beside the model, which was given without its "
            f"folder; give the model's path instead."
        )
    path = _contained(who, location, folder)
    offset, length = int(entries.get("offset") or 0), entries.get("length")
    rest = path.stat().st_size - offset
    if offset < 0 or rest < 0:
        raise ModelError(f"{who} starts at byte {offset} of {path}, which is shorter.")
    given = int(length) if length else rest
    if given > rest:
        raise ModelError(f"{who} has {given} bytes in {path}, which holds {rest} from {offset} on.")
    _check_size(who, shape, kind, given)
    return np.fromfile(path, kind.numpy, math.prod(shape), offset=offset).reshape(shape)


def _contained(who: str, location: str, folder: Path) -> Path:
    """The file, if it lies below the model's folder once all links and dots are resolved."""
    root = folder.resolve()
    path = (root / location).resolve()
    if not location or Path(location).is_absolute() or root not in path.parents:
        raise ModelError(
            f"{who} names the file '{location}', which is not inside of the model's folder {root}."
        )
    if not path.is_file():
        raise ModelError(f"{who} lies in {path}, which does not exist.")
    return path
