"""The manifest of a checkpoint: `Manifest`, and its form as JSON."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from popir.checkpoint.shards import Part, Shard, check_cover, info_of
from popir.errors import CheckpointError, popart_exception
from popir.types import TensorInfo

FORMAT = "popir checkpoint"
VERSION = 1
_FILE = re.compile(r"step-\d{1,20}-[0-9a-f]{8}-\d{5}-of-\d{5}\.safetensors")
"""The names of shards: nothing else in a folder is read, or removed."""
_WRONG = (AttributeError, KeyError, TypeError, ValueError, RecursionError)
"""What comes of JSON that has another form than expected."""


@dataclass(frozen=True)
class Optimizer:
    """What a checkpoint has of an optimizer besides its states."""

    description: Mapping[str, Any]
    """What is compiled in; see `popir.optimizers.Optimizer.description`."""
    values: Mapping[str, float]
    """The changeable numbers, by the id of their tensor."""


@dataclass(frozen=True)
class Manifest:
    """What a checkpoint has."""

    step: int
    """The steps that were run."""
    seed: int | None
    """The seed of the next batch; None if the model draws no random numbers."""
    data: Any
    """The position in the data, as JSON has it; None if none was given."""
    optimizer: Optimizer | None
    """None for a checkpoint of an InferenceSession."""
    tensors: Mapping[str, TensorInfo]
    """Type and shape of each weight and state, by id."""
    shards: tuple[Shard, ...] = field(default=())

    def to_json(self) -> str:
        """The text of the manifest, with a digest of itself. Raises CheckpointError if the position
        in the data is nothing that JSON has.
        """
        optimizer = self.optimizer
        content = {
            "step": self.step,
            "randomSeed": self.seed,
            "data": self.data,
            "optimizer": optimizer and {"is": optimizer.description, "values": optimizer.values},
            "tensors": {id: [i.data_type(), i.shape()] for id, i in self.tensors.items()},
            "shards": [
                {
                    "file": shard.file,
                    "bytes": shard.nbytes,
                    "sha256": shard.sha256,
                    "parts": [[part.id, part.begin, part.end] for part in shard.parts],
                }
                for shard in self.shards
            ],
        }
        try:
            data = json.dumps(self.data, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise CheckpointError(
                f"The position in the data cannot be saved as JSON: {error}."
            ) from error
        # What is read back is what was meant: JSON has no tuples, and keys are text.
        if json.loads(data) != self.data:
            raise CheckpointError(
                "The position in the data would be another one when read: JSON has texts, numbers, "
                "lists, and dicts whose keys are texts."
            )
        head = {"format": FORMAT, "version": VERSION, "digest": digest(content)}
        return json.dumps({**head, **content}, indent=1) + "\n"


def digest(content: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest without its head."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def parse(text: bytes) -> Manifest:
    """The manifest in a file. Raises CheckpointError, whose words follow "FILE " or
    "FILE is damaged: ", for anything that popir did not write.
    """
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"is no manifest of a checkpoint: {error}") from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise CheckpointError("is no manifest of a checkpoint that popir saved")
    version = said.pop("version", None)
    if version != VERSION:
        raise CheckpointError(
            f"is of version {version}; this popir reads version {VERSION}. Use the popir that "
            "saved it"
        )
    del said["format"]
    try:
        if said.pop("digest", None) != digest(said):
            raise CheckpointError("it has another digest than what is in it")
        return _of(said)
    except (*_WRONG, popart_exception) as error:
        raise CheckpointError(f"is damaged: {error}") from error


def _of(said: dict[str, Any]) -> Manifest:
    tensors = {str(id): info_of(*info) for id, info in said["tensors"].items()}
    shards = tuple(
        Shard(
            _file(shard["file"]),
            _count(shard["bytes"]),
            str(shard["sha256"]),
            tuple(Part(id, _count(begin), _count(end)) for id, begin, end in shard["parts"]),
        )
        for shard in said["shards"]
    )
    check_cover(shards, tensors)
    optimizer = said["optimizer"]
    if optimizer is not None:
        values = {str(id): float(value) for id, value in optimizer["values"].items()}
        if not all(map(math.isfinite, values.values())):
            raise ValueError("a number of the optimizer is not finite")
        optimizer = Optimizer(dict(optimizer["is"]), values)
    seed = said["randomSeed"]
    if seed is not None and _count(seed) >> 64:
        raise ValueError(f"a random seed has 64 bits, not {seed}")
    return Manifest(_count(said["step"]), seed, said["data"], optimizer, tensors, shards)


def _file(name: object) -> str:
    if not is_shard(name):
        raise ValueError(f"no shard is called {name!r}")
    return str(name)


def is_shard(name: object) -> bool:
    """Whether a file of that name may be a shard."""
    return isinstance(name, str) and _FILE.fullmatch(name) is not None


def _count(number: object) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is no number of anything")
    return number
