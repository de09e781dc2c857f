"""ONNX's external data: tensor data in files beside the model, read and written.

A model file is not trusted: it must not give access to files that its author could not read. So
only files below the model's folder are read, links are not followed, and the names of written files
come from the caller only. docs/hostile_files.md explains the rules. They follow ONNX's threat model
(https://onnx.ai/onnx/repo-docs/Security.html).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto

from popir.errors import ModelError, UnwritableError
from popir.files import atomic_write
from popir.onnxio.serialised import filled

Array = np.ndarray[Any, Any]

_KEYS = ("location", "offset", "length", "checksum", "basepath")
"""The known keys. onnx writes `basepath`, which has no meaning. Other keys are skipped."""
_BLOCK = 1 << 24


@dataclass(frozen=True)
class Place:
    """The location of a tensor's data."""

    location: str
    """The path of the file, relative to the model's folder."""
    offset: int = 0
    length: int | None = None
    """The number of bytes; None for the rest of the file."""
    checksum: str = ""
    """The SHA-1 of the whole file in hexadecimal digits; "" if not given."""

    @staticmethod
    def of(who: str, tensor: TensorProto) -> Place:
        """The location that the tensor's entries give. Raises ModelError, naming `who`, for a
        malformed entry.
        """
        entries: dict[str, str] = {}
        for entry in tensor.external_data:
            if entry.key in entries:
                raise ModelError(f"{who} has the external data key '{entry.key}' twice.")
            if entry.key in _KEYS:
                entries[entry.key] = entry.value
        offset = _number(who, "offset", entries.get("offset", "0"))
        length = entries.get("length")
        checksum = entries.get("checksum", "").lower()
        if checksum and (len(checksum) != 40 or set(checksum) - set("0123456789abcdef")):
            raise ModelError(f"{who} has the checksum {checksum!r}; a SHA-1 is 40 digits.")
        return Place(
            entries.get("location", ""),
            offset,
            None if length is None else _number(who, "length", length),
            checksum,
        )


def _number(who: str, key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ModelError(
            f"{who} has the external data {key} {text!r}; expected a number of bytes, 0 or more."
        )
    return int(text)


class ExternalReader:
    """Reads the external data of one model. The checksum of each file is computed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checksums: dict[tuple[int, int, int, int], str] = {}

    def read(self, who: str, tensor: TensorProto, needed: int) -> Array:
        """The tensor's data, `needed` bytes, as UINT8[needed].

        Raises ModelError, naming `who`, if the file must not be read, cannot be read, or has
        another number of bytes.
        """
        place = Place.of(who, tensor)
        descriptor = self._open(who, place.location)
        try:
            status = os.fstat(descriptor)
            file = self.folder / place.location
            rest = status.st_size - place.offset
            if rest < 0:
                raise ModelError(
                    f"{who} starts at byte {place.offset} of {file}, which has {status.st_size}."
                )
            given = rest if place.length is None else place.length
            if given > rest:
                raise ModelError(
                    f"{who} has {given} bytes in {file}, which holds {rest} from {place.offset} on."
                )
            if given != needed:
                raise ModelError(f"{who} needs {needed} bytes of data; it has {given} in {file}.")
            if place.checksum and place.checksum != self._checksum(descriptor, status):
                raise ModelError(
                    f"{who} lies in {file}, whose SHA-1 is not {place.checksum} as the model says: "
                    f"the file was damaged, or belongs to another model."
                )
            return _read(who, descriptor, place.offset, needed)
        except OSError as error:
            raise ModelError(f"{who} cannot be read: {error.strerror}.") from error
        finally:
            os.close(descriptor)

    def _open(self, who: str, location: str) -> int:
        """Opens the file and returns its descriptor. The file must be regular, with one hard link,
        and no part of its path may be a symbolic link.

        Each part of the path is opened relative to the descriptor of the part before, and checked
        after opening, so that no part can be exchanged in between.
        """
        parts = location.split("/")
        if not location or "\0" in location or location.startswith("/") or ".." in parts:
            raise ModelError(
                f"{who} names the file {location!r}; expected a path inside of the model's folder, "
                f"relative to it and without '..'."
            )
        *folders, name = [part for part in parts if part not in ("", ".")] or ["."]
        descriptors: list[int] = []
        try:
            where: Any = self.folder
            for part in [None, *folders]:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
                if part is None:
                    where = os.open(where, flags)
                else:
                    where = os.open(part, flags | os.O_NOFOLLOW, dir_fd=where)
                descriptors.append(where)
            _check_kind(who, location, os.stat(name, dir_fd=where, follow_symlinks=False))
            # O_NONBLOCK: if a pipe has replaced the file in the meantime, open must not block.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            found = os.open(name, flags, dir_fd=where)
            try:
                _check_kind(who, location, os.fstat(found))
            except BaseException:
                os.close(found)
                raise
            return found
        except OSError as error:
            raise ModelError(
                f"{who} lies in {self.folder / location}, which cannot be opened without following "
                f"links: {error.strerror}."
            ) from error
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _checksum(self, descriptor: int, status: os.stat_result) -> str:
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if key not in self._checksums:
            digest = hashlib.sha1(usedforsecurity=False)
            offset = 0
            while block := os.pread(descriptor, _BLOCK, offset):
                digest.update(block)
                offset += len(block)
            self._checksums[key] = digest.hexdigest()
        return self._checksums[key]


def _check_kind(who: str, location: str, status: os.stat_result) -> None:
    mode = status.st_mode
    if stat.S_ISREG(mode) and status.st_nlink <= 1:
        return
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}
    what = kinds.get(stat.S_IFMT(mode), "no regular file")
    if stat.S_ISREG(mode):
        what = f"a file with {status.st_nlink} names (hard links)"
    raise ModelError(
        f"{who} lies in the file {location!r}, which is {what}; expected a regular file with one "
        f"name. If you trust it, put a copy in its place."
    )


def _read(who: str, descriptor: int, offset: int, needed: int) -> Array:
    def fill(data: Array) -> None:
        done = 0
        while done < needed:
            count = os.preadv(descriptor, [data[done : done + _BLOCK].data], offset + done)
            if count == 0:
                raise ModelError(f"{who}: its file was cut off while it was read.")
            done += count

    return filled(needed, fill)


# Writing.

_ALIGNMENT = 4096
"""Each tensor starts at a multiple of the page size, so that it can be memory-mapped."""


def location_of(tensor: TensorProto) -> str:
    """The file that a tensor with external data names; "" if it names none."""
    return next((entry.value for entry in tensor.external_data if entry.key == "location"), "")


def write_external(
    data: Mapping[str, Array], model: Path, file: str | os.PathLike[str] | None = None
) -> dict[str, Place]:
    """Writes tensors to a data file for the model at the path `model`, and returns the place of
    each.

    The file is `file`, which must be in or below the model's folder and is replaced if it is a
    link. By default it is `MODEL.DIGEST.data`, with a digest of its contents. Raises ModelError if
    it cannot be written.
    """
    places: dict[str, tuple[int, int]] = {}
    end = 0
    for id, array in data.items():
        end = -(-end // _ALIGNMENT) * _ALIGNMENT
        places[id] = (end, array.nbytes)
        end += array.nbytes
    digest = hashlib.sha1(usedforsecurity=False)
    for block in _blocks(data):
        digest.update(block)
    checksum = digest.hexdigest()
    own = f"{model.name}.{checksum[:_DIGITS]}.data"
    location = own if file is None else _inside(Path(file), model.parent)
    try:
        with atomic_write(model.parent / location, follow=False) as stream:
            for block in _blocks(data):
                stream.write(block)
    except OSError as error:
        raise UnwritableError(
            f"The data of {model} cannot be written to {location}: {error.strerror}."
        ) from error
    return {
        id: Place(location, offset, length, checksum) for id, (offset, length) in places.items()
    }


_DIGITS = 16


def _blocks(data: Mapping[str, Array]) -> Iterator[memoryview]:
    """The contents of the data file, in blocks: padding and data of each tensor."""
    end = 0
    for array in data.values():
        yield memoryview(bytes(-end % _ALIGNMENT))
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        end += -end % _ALIGNMENT + array.nbytes


def _is_text(name: str) -> bool:
    return name.encode(errors="replace").decode() == name


def _inside(file: Path, folder: Path) -> str:
    """The path of `file` relative to `folder`. Raises ModelError if it is outside, after links are
    resolved.
    """
    relative = os.path.relpath(os.path.realpath(file.parent), os.path.realpath(folder))
    location = os.path.normpath(os.path.join(relative, file.name))
    parts = location.split("/")
    if not _is_text(location):
        raise ModelError(f"The name {location!r} of the data file is not UTF-8: no model holds it.")
    if os.path.isabs(location) or ".." in parts or not file.name:
        raise ModelError(
            f"The data file {file} is not in the model's folder {folder} or below; a model finds "
            f"its data nowhere else."
        )
    return location


def remove_replaced(model: Path, kept: str) -> None:
    """Removes the data files that `write_external` has named after `model`, except `kept`."""
    prefix = f"{model.name}."
    length = len(prefix) + _DIGITS + len(".data")
    for name in os.listdir(model.parent):
        if name.startswith(prefix) and name.endswith(".data") and len(name) == length:
            digits = name[len(prefix) :][:_DIGITS]
            if name != kept and not set(digits) - set("0123456789abcdef"):
                with contextlib.suppress(OSError):
                    os.unlink(model.parent / name)


def points_to(tensor: TensorProto, place: Place) -> None:
    """Makes `tensor` refer to external data at `place`, and removes its own data."""
    for field in _DATA:
        tensor.ClearField(field)
    del tensor.external_data[:]
    tensor.data_location = TensorProto.EXTERNAL
    for key in ("location", "offset", "length", "checksum"):
        value = getattr(place, key)
        if value not in (None, ""):
            tensor.external_data.add(key=key, value=str(value))


_DATA = (
    "raw_data",
    "float_data",
    "int32_data",
    "string_data",
    "int64_data",
    "double_data",
    "uint64_data",
)
