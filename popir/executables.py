"""Files with a compiled program, its weights, or both: `Session.saveExecutable` and its kin.

The file has a line "popir executable" with a SHA-256 digest of the rest, a line of JSON, a
serialised `poplar.Executable`, and the bytes of the weights one after another. It has native code:
load it only from a trusted source.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from popir.errors import UnwritableError, popart_exception
from popir.files import write
from popir.types import DataType, as_bytes

Array = np.ndarray[Any, Any]
_MAGIC = b"popir executable "
_MOST_HEADER = 1 << 24


@dataclass(frozen=True)
class Stored:
    """What a file has."""

    hash: int = 0
    """That of the session which saved it; see `Session.getHash`."""
    inputs: list[str] = field(default_factory=list)
    """The ids of the inputs that the host sends."""
    variables: list[str] = field(default_factory=list)
    """The ids of the weights and states on the device."""
    executable: bytes = b""
    """The serialised program; empty if the file has weights alone."""
    weights: Mapping[str, Array] = field(default_factory=dict)
    """The values of weights and states, by id."""

    def save(self, who: str, path: Path) -> None:
        """Writes the file atomically, and the folders above it. Raises popart_exception, naming
        `who`, if that fails.
        """
        header = {
            "hash": self.hash,
            "inputs": self.inputs,
            "variables": self.variables,
            "executable": len(self.executable),
            "weights": {
                id: [DataType.of(value.dtype).lcase, list(value.shape)]
                for id, value in self.weights.items()
            },
        }
        values = b"".join(as_bytes(value).tobytes() for value in self.weights.values())
        content = json.dumps(header).encode() + b"\n" + self.executable + values
        digest = hashlib.sha256(content).hexdigest().encode()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, _MAGIC + digest + b"\n" + content)
        except OSError as error:
            raise UnwritableError(
                f"{who}: {path} cannot be written: {error.strerror} ({error.filename})."
            ) from error


def load(who: str, path: Path) -> Stored:
    """Reads a file that `Stored.save` wrote. Raises popart_exception, naming `who`, if it cannot be
    read, is another file, or is damaged.
    """
    try:
        with path.open("rb") as file:
            line, content = file.readline(len(_MAGIC) + 65), file.read()
    except OSError as error:
        raise popart_exception(f"{who}: {path} cannot be read: {error.strerror}.") from error
    if line[: len(_MAGIC)] != _MAGIC:
        raise popart_exception(
            f"{who}: {path} is no executable that popir saved (PopEF files of PopART are none)."
        )
    if line[len(_MAGIC) :] != hashlib.sha256(content).hexdigest().encode() + b"\n":
        raise popart_exception(f"{who}: {path} is damaged.")
    header, _, rest = content.partition(b"\n")
    try:
        said = json.loads(header[:_MOST_HEADER])
        end = int(said["executable"])
        weights: dict[str, Array] = {}
        begin = end
        for id, (name, shape) in said["weights"].items():
            dtype = DataType.of(name).numpy
            count = math.prod(shape)
            weights[id] = np.frombuffer(rest, dtype, count, begin).reshape(shape)
            begin += count * dtype.itemsize
        return Stored(said["hash"], said["inputs"], said["variables"], rest[:end], weights)
    except (ValueError, KeyError, TypeError, RecursionError, popart_exception) as error:
        raise popart_exception(f"{who}: {path} is damaged: {error}.") from error


def place(path: Path, name: str) -> Path:
    """The file that a path of a user's means: in a folder, one called after the session."""
    is_folder = os.path.isdir(path)
    return path / f"{os.path.basename(name) or 'session'}.popir" if is_folder else path
