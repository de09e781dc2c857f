"""Reads ONNX files, which are not trusted; see docs/hostile_files.md."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, TensorProto, numpy_helper

from popir import memory, poplar
from popir.budget import Budget
from popir.errors import ModelError
from popir.onnxio import wire
from popir.onnxio.external import location_of
from popir.onnxio.functions import expand
from popir.onnxio.limits import MAX_FILE, MAX_MESSAGES, check_model, each_node, subgraphs
from popir.onnxio.serialised import InFile, InMemory, Serialised, part, settled
from popir.onnxio.tensors import TensorReader
from popir.typed import typed


@typed
class ModelInFolder(bytes):
    """The bytes of a serialised model, with the folder of its external data: `ModelInFolder(data,
    folder)`. Where a model is expected it is one whose data files are read from `folder`.
    """

    folder: Path

    def __new__(cls, model: bytes, folder: str | os.PathLike[str]) -> ModelInFolder:
        found = super().__new__(cls, model)
        found.folder = Path(folder)
        return found


class Loaded(NamedTuple):
    """A model that has been read, checked, and its functions inlined."""

    model: ModelProto
    """The model without functions. It may be the caller's own ModelProto: it must not be
    changed.
    """
    folder: Path | None
    """The folder of its external data; None for a model that did not come from a file."""
    nodes: int
    """The number of nodes including those of functions, before they were inlined."""
    values: wire.Values = MappingProxyType({})
    """The bytes of large initializers, which `model` lacks. Only `load_apart` leaves any out."""


Source = ModelProto | bytes | str | os.PathLike[str] | Loaded
"""A model: the path of a file, its bytes, a ModelProto, or what `load` returned."""


def load(source: Source) -> Loaded:
    """Reads a model, checks it against the limits and inlines its functions.

    Raises ModelError if the file cannot be read, is not an ONNX model or is beyond the limits, and
    for an object that is no model; WorkLimitError if inlining is too much work.
    """
    return _load(source, is_apart=False)


def load_apart(source: Source) -> Loaded:
    """As `load`, but what a file or bytes have of large initializers is not copied into the model;
    it stays in `values`.
    """
    return _load(source, is_apart=True)


def _load(source: Source, is_apart: bool) -> Loaded:
    if isinstance(source, Loaded):
        return source
    if isinstance(source, ModelProto):
        model, where, folder, values = source, "The model", None, {}
    elif isinstance(source, bytes):
        where, folder = "The model", getattr(source, "folder", None)
        model, values = _parse(InMemory(source), where, is_apart)
    elif not isinstance(source, (str, os.PathLike)):
        hint = ", or of PyTorch export it first, with torch.onnx.export"
        raise ModelError(
            "A model is the path of an ONNX file, its bytes, or a ModelProto; given was an object "
            f"of {type(source).__name__}{hint if hasattr(source, 'state_dict') else ''}."
        )
    else:
        path = Path(source)
        where, folder = f"The model {path}", path.parent
        model, values = _read(path, where, is_apart)
    if not model.HasField("graph"):
        raise ModelError(f"{where} has no graph; it is empty, or no ONNX model.")
    if not model.opset_import:
        raise ModelError(
            f"{where} has no opset_import, so nothing says which version of each operator it means."
        )
    nodes = check_model(where, model)
    with Budget(f"Expanding the functions of {where[0].lower()}{where[1:]}", nodes).spending():
        return Loaded(expand(where, model), folder, nodes, values)


def _read(path: Path, where: str, is_apart: bool) -> tuple[ModelProto, wire.Values]:
    try:
        # O_NONBLOCK: opening a pipe must not block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0):
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ModelError(f"{where} cannot be read: it is no regular file.")
            return _parse(InFile(descriptor), where, is_apart)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{where} cannot be read: {reason}.") from error


def _check_size(where: str, size: int) -> None:
    if size > MAX_FILE:
        raise ModelError(
            f"{where} has {size} bytes; ONNX allows {MAX_FILE}, and larger tensors as external "
            f"data."
        )


def _parse(source: Serialised, where: str, is_apart: bool) -> tuple[ModelProto, wire.Values]:
    _check_size(where, source.size)
    memory.require(where, source.size)
    found = wire.apart(source, MAX_MESSAGES) if is_apart else None
    model = ModelProto()
    try:
        if found is not None:
            message, places = found
            _check_messages(where, message)
            model.ParseFromString(message)
            names = [tensor.name for tensor in model.graph.initializer]
            if len(set(names)) == len(names):  # Else, of which one is the value?
                return model, {name: settled(source, *places[name]) for name in places}
        message = part(source, 0, source.size)
        _check_messages(where, message)
        model.ParseFromString(message)
    except DecodeError as error:
        raise ModelError(
            f"{where} is no ONNX model, or is cut off: its {source.size} bytes cannot be parsed "
            f"({error})."
        ) from error
    return model, {}


def _check_messages(where: str, message: bytes) -> None:
    if (
        len(message) // 2 >= MAX_MESSAGES  # each field of a message takes two bytes or more
        and wire.worst_case(len(message)) > poplar.availableMemory() // 2
        and wire.count_messages(message, MAX_MESSAGES) > MAX_MESSAGES
    ):
        raise ModelError(f"{where} consists of more than {MAX_MESSAGES} parts.")


def embed(
    model: ModelProto, folder: Path | None, unless: Container[str] = frozenset()
) -> ModelProto:
    """Moves the external data of the model's tensors, from files in `folder`, into `model`, and
    returns it.

    Initializers of the main graph named in `unless` are not changed.
    """
    reader = TensorReader(folder)
    for tensor in _tensors(model, unless):
        if tensor.data_location == TensorProto.EXTERNAL:
            tensor.CopyFrom(numpy_helper.from_array(reader.array(tensor), tensor.name))
    return model


def data_files(loaded: Loaded) -> list[Path]:
    """The paths of the files that the model names as external data."""
    folder = loaded.folder or Path()
    external = (t for t in _tensors(loaded.model, ()) if t.data_location == TensorProto.EXTERNAL)
    return [folder / location for location in dict.fromkeys(map(location_of, external))]


def _tensors(model: ModelProto, unless: Container[str]) -> Iterator[TensorProto]:
    yield from (each for each in model.graph.initializer if each.name not in unless)
    yield from _sparse(model.graph)
    for node in each_node(model.graph.node):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
        for graph in subgraphs(node):
            yield from graph.initializer
            yield from _sparse(graph)


def _sparse(graph: GraphProto) -> Iterable[TensorProto]:
    for each in graph.sparse_initializer:
        yield each.values
        yield each.indices
