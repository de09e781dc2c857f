"""The files of a checkpoint that have its tensors: which part of them is in which, `share`, and
writing and reading one.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, TensorSpec, deserialize, serialize

from popir import memory
from popir.errors import CheckpointError
from popir.types import DataType, TensorInfo

Array = np.ndarray[Any, Any]

_NAMED = frozenset(
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bfloat16 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu complex64".split()
)
"""numpy's names of the types that the safetensors format has; others are stored as bytes."""
_RESERVED = "__metadata__"


@dataclass(frozen=True)
class Part:
    """The elements from `begin` to `end` of a tensor, in row-major order."""

    id: str
    begin: int
    end: int


@dataclass(frozen=True)
class Shard:
    """A file with parts of tensors."""

    file: str
    nbytes: int
    sha256: str
    parts: tuple[Part, ...]


def share(infos: Mapping[str, TensorInfo], index: int, count: int) -> list[Part]:
    """The parts of tensors in the shard `index` of `count`.

    All bytes of the tensors, in the order of their ids, are divided evenly; a tensor at a border is
    cut. The shares of all indices together have each element once. A tensor without elements is in
    the first share.
    """
    if not 0 <= index < count:
        raise CheckpointError(f"A checkpoint of {count} shards has no shard {index}.")
    total = sum(info.nbytes() for info in infos.values())
    first, last = total * index // count, total * (index + 1) // count
    parts: list[Part] = []
    begin = 0
    for id in sorted(infos):
        size, width = infos[id].nelms(), infos[id].dataType().nbytes
        end = begin + size * width
        # An element belongs to the share in which its first byte is.
        low = min(max(-(-(first - begin) // width), 0), size)
        high = min(max(-(-(last - begin) // width), 0), size)
        if low < high or (not size and index == 0):
            parts.append(Part(id, low, high))
        begin = end
    return parts


def write(folder: Path, file: str, arrays: Mapping[str, Array], parts: list[Part]) -> Shard:
    """Writes the parts of the arrays to a new file, and has it on the disk. Raises OSError."""
    memory.require(
        "Writing a shard of the checkpoint",
        sum((p.end - p.begin) * arrays[p.id].itemsize for p in parts),
    )
    specs: dict[str, TensorSpec] = {}
    kept: list[Array] = []
    for part in parts:
        array = np.require(_cut(arrays[part.id], part), requirements="C")
        name = array.dtype.name
        if name not in _NAMED:
            name, array = "uint8", array.view(np.uint8)
        kept.append(array)
        specs[_key(part.id)] = TensorSpec(
            dtype=name, shape=array.shape, data_ptr=array.ctypes.data, data_len=array.nbytes
        )
    content = serialize(specs, metadata={"format": "popir checkpoint"})
    with open(folder / file, "xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    return Shard(file, len(content), hashlib.sha256(content).hexdigest(), tuple(parts))


def read(
    folder: Path, shard: Shard, infos: Mapping[str, TensorInfo]
) -> Iterator[tuple[Part, Array]]:
    """The parts of a shard, flat. Raises CheckpointError for a file that is not as it was
    written, OSError for one that cannot be read.
    """
    path = folder / shard.file
    with path.open("rb") as stream:
        found = os.fstat(stream.fileno()).st_size
        if found != shard.nbytes:
            raise CheckpointError(
                f"{path} is damaged: it has {found} bytes, its manifest says {shard.nbytes}."
            )
        memory.require(f"Reading {path}", 2 * found)
        content = stream.read()
    if hashlib.sha256(content).hexdigest() != shard.sha256:
        raise CheckpointError(
            f"{path} is damaged: its bytes have another SHA-256 than its manifest says."
        )
    try:
        tensors = dict(deserialize(content))
    except SafetensorError as error:
        raise CheckpointError(f"{path} is no safetensors file: {error}.") from error
    for part in shard.parts:
        held = tensors.get(_key(part.id))
        kind = infos[part.id].dataType()
        count = part.end - part.begin
        if held is None or len(held["data"]) != count * kind.numpy.itemsize:
            raise CheckpointError(f"{path}: {_named(part)} is not in it, as its manifest says.")
        yield part, np.frombuffer(held["data"], kind.numpy)


def _cut(array: Array, part: Part) -> Array:
    """The elements of a part, with the array's shape if they are all."""
    is_whole = part.begin == 0 and part.end == array.size
    return array if is_whole else array.reshape(-1)[part.begin : part.end]


def _key(id: str) -> str:
    """The name of a tensor in a file: its id. The format has one name for itself."""
    return f"{id}_" if id.startswith(_RESERVED) else id


def _named(part: Part) -> str:
    return f"the part {part.begin} to {part.end} of '{part.id}'"


def check_cover(shards: tuple[Shard, ...], infos: Mapping[str, TensorInfo]) -> None:
    """Raises CheckpointError unless the shards have each element of each tensor once."""
    parts: dict[str, list[Part]] = {id: [] for id in infos}
    for shard in shards:
        for part in shard.parts:
            if part.id not in parts:
                raise CheckpointError(f"a shard has '{part.id}', which is no tensor of it")
            parts[part.id].append(part)
    for id, info in infos.items():
        at = 0
        for part in sorted(parts[id], key=lambda part: part.begin):
            if part.begin != at or part.end < at:
                raise CheckpointError(f"{_named(part)} follows element {at}")
            at = part.end
        if at != info.nelms() or not parts[id]:
            raise CheckpointError(f"its shards have {at} of the {info.nelms()} elements of '{id}'")


def info_of(name: object, shape: object) -> TensorInfo:
    """The type and shape in a manifest. Raises ValueError, or CheckpointError, for others."""
    if not isinstance(name, str) or not isinstance(shape, list):
        raise ValueError("a tensor has no type and shape")
    kind = DataType.of(name)
    if kind in (DataType.STRING, DataType.UNDEFINED):
        raise ValueError(f"a tensor has elements {name}")
    if not all(type(size) is int and size >= 0 for size in shape) or math.prod(shape) >> 63:
        raise ValueError(f"a tensor has the shape {shape}")
    return TensorInfo(kind, shape)
