"""The folder of a checkpoint: `Writer` replaces what is in it, `read` finds what it has."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from popir import memory
from popir.checkpoint import shards
from popir.checkpoint.manifest import Manifest, is_shard, parse
from popir.checkpoint.shards import Shard
from popir.errors import CheckpointError, UnwritableError, require_path
from popir.files import flush, write
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]
MANIFEST = "checkpoint.json"
_LOCK = ".lock"
_MOST_MANIFEST = 1 << 28
_TRIES = 5


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in a folder, whose tensors are not read yet."""

    folder: Path
    manifest: Manifest

    @property
    def step(self) -> int:
        """The steps that were run."""
        return self.manifest.step

    @property
    def data(self) -> Any:
        """The position in the data; None if none was saved."""
        return self.manifest.data

    def tensors(self) -> dict[str, Array]:
        """All tensors, by id. Raises CheckpointError if one cannot be read, OutOfMemoryException
        if they do not fit the memory.
        """
        infos = self.manifest.tensors
        memory.require(f"Reading {self.folder}", sum(info.nbytes() for info in infos.values()))
        found = {id: np.empty(i.shape(), i.dataType().numpy) for id, i in infos.items()}
        for part, values in self._parts(self.manifest.shards):
            found[part.id].reshape(-1)[part.begin : part.end] = values
        return found

    def share(self, index: int, count: int) -> list[tuple[shards.Part, Array]]:
        """The part `index` of `count` of all tensors, flat; see `popir.checkpoint.share`.

        `count` need not be the number of shards. Only the shards that have something of it are
        read.
        """
        wanted = shards.share(self.manifest.tensors, index, count)
        found = [(part, np.empty(part.end - part.begin, self._dtype(part.id))) for part in wanted]
        by_id = {part.id: (part, values) for part, values in found}
        needed = [
            shard
            for shard in self.manifest.shards
            if any(_overlap(mine, by_id) for mine in shard.parts)
        ]
        for part, values in self._parts(needed):
            if overlap := _overlap(part, by_id):
                low, high = overlap
                mine, into = by_id[part.id]
                into[low - mine.begin : high - mine.begin] = values[
                    low - part.begin : high - part.begin
                ]
        return found

    def _dtype(self, id: str) -> np.dtype[Any]:
        return self.manifest.tensors[id].dataType().numpy

    def _parts(self, chosen: Any) -> Iterator[tuple[shards.Part, Array]]:
        for shard in chosen:
            try:
                yield from shards.read(self.folder, shard, self.manifest.tensors)
            except FileNotFoundError as error:
                raise _Gone(
                    f"{self.folder} is not whole: its shard {shard.file} is missing."
                ) from error
            except OSError as error:
                raise _unreadable(self.folder / shard.file, error) from error


class _Gone(CheckpointError):
    """A shard is missing: another process may have saved meanwhile."""


def _overlap(
    part: shards.Part, wanted: Mapping[str, tuple[shards.Part, Array]]
) -> tuple[int, int] | None:
    if part.id not in wanted:
        return None
    mine = wanted[part.id][0]
    low, high = max(part.begin, mine.begin), min(part.end, mine.end)
    return (low, high) if low < high else None


def read(folder: str | os.PathLike[str]) -> Checkpoint:
    """The checkpoint in a folder. Raises CheckpointError, which names the file, if there is none,
    or one that popir did not save.
    """
    folder = require_path("popir.checkpoint.read", folder)
    path = folder / MANIFEST
    try:
        with path.open("rb") as stream:
            text = stream.read(_MOST_MANIFEST)
    except FileNotFoundError as error:
        what = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        raise CheckpointError(f"{folder} has no checkpoint: {what}.") from error
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        return Checkpoint(folder, parse(text))
    except CheckpointError as error:
        raise CheckpointError(f"{path} {error}.") from error.__cause__


def tensors(folder: Path) -> tuple[Manifest, dict[str, Array]]:
    """The checkpoint in a folder, with its tensors, though another process may replace it
    meanwhile. Raises CheckpointError.
    """
    for _ in range(_TRIES):
        found = read(folder)
        try:
            return found.manifest, found.tensors()
        except _Gone as error:
            if read(folder).manifest == found.manifest:
                raise CheckpointError(str(error)) from error
    raise CheckpointError(f"{folder} is saved faster than it can be read.")


class Writer:
    """Replaces the checkpoint in a folder: `write` for each shard, then `commit`.

    Inside the `with` block the folder is locked against others that save there. Without `commit`,
    also after an exception, the folder has the checkpoint that it had.

    If several processes write shards, one makes the Writer, tells the others its `stem`, and gets
    their shards; the others call `write_shard`.
    """

    def __init__(self, folder: Path, step: int) -> None:
        self.folder = folder
        self.stem = f"step-{step}-{secrets.token_hex(4)}"
        """What the names of the shards begin with."""
        self._lock = -1
        self._is_done = False

    def __enter__(self) -> Writer:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(
                self.folder / _LOCK, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666
            )
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise CheckpointError(
                f"{self.folder}: another session saves a checkpoint there now. Give each a folder "
                "of its own."
            ) from error
        except OSError:
            pass  # Some file systems have no locks.
        try:
            self._clean()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_done:
            with contextlib.suppress(OSError):
                self._remove(lambda name: name.startswith(f"{self.stem}-"))
        os.close(self._lock)

    def _clean(self) -> None:
        """Removes shards that no checkpoint has, which a killed process left. Raises
        CheckpointError if the folder has something else in the place of a checkpoint.
        """
        used: set[str] = set()
        if (self.folder / MANIFEST).exists():
            used = {shard.file for shard in read(self.folder).manifest.shards}
        try:
            self._remove(lambda name: name not in used)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def _remove(self, unwanted: Any) -> None:
        for name in os.listdir(self.folder):
            if is_shard(name) and unwanted(name):
                (self.folder / name).unlink(missing_ok=True)

    def write(self, arrays: Mapping[str, Array], index: int, count: int) -> Shard:
        """Writes the shard `index` of `count`. Raises CheckpointError if that fails."""
        return write_shard(self.folder, self.stem, arrays, index, count)

    def commit(self, manifest: Manifest, written: list[Shard]) -> None:
        """Makes the written shards the checkpoint of the folder, and removes those of the one
        before. Raises CheckpointError if that fails.
        """
        text = dataclasses.replace(manifest, shards=tuple(written)).to_json()
        try:
            flush(self.folder)
            write(self.folder / MANIFEST, text)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        self._is_done = True
        used = {shard.file for shard in written}
        with contextlib.suppress(OSError):  # The next one removes them.
            self._remove(lambda name: name not in used)


def write_shard(
    folder: Path, stem: str, arrays: Mapping[str, Array], index: int, count: int
) -> Shard:
    """Writes the shard `index` of `count` to a new file. Raises CheckpointError if that fails."""
    file = f"{stem}-{index + 1:05}-of-{count:05}.safetensors"
    infos = {id: TensorInfo(array) for id, array in arrays.items()}
    try:
        return shards.write(folder, file, arrays, shards.share(infos, index, count))
    except OSError as error:
        raise _unwritable(folder / file, error) from error


def _unwritable(path: Path, error: OSError) -> UnwritableError:
    return UnwritableError(f"The checkpoint cannot be written to {path}: {error.strerror}.")


def _unreadable(path: Path, error: OSError) -> CheckpointError:
    return CheckpointError(f"{path} cannot be read: {error.strerror}.")
