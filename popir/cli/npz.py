"""Arrays in .npz files: read without trusting the file, written atomically."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from popir.cli.exits import CommandError, ExitCode
from popir.errors import did_you_mean
from popir.files import atomic_write
from popir.types import DataType, TensorInfo

Array = np.ndarray[Any, Any]
Header = tuple[tuple[int, ...], np.dtype[Any]]

# There is no list of what damaged zip files and headers raise: TokenError, struct.error, zlib.error
_DAMAGED = Exception
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Npz:
    """The arrays of an .npz file, by name. Pickled objects are refused.

    Raises CommandError, naming file and array, for anything malformed.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if not Path(path).is_file():
            raise CommandError(f"{path} is no .npz file: it is no regular file.")
        try:
            self._file = zipfile.ZipFile(path)
        except _DAMAGED as error:
            raise CommandError(
                f"{path} is no .npz file: {error}. numpy.savez makes one."
            ) from error
        names = (info.filename for info in self._file.infolist())
        self.names = [name.removesuffix(".npy") for name in names if name.endswith(".npy")]

    def arrays(self) -> list[Array]:
        """All arrays, in the order of the file."""
        found: list[Array] = []
        for name in self.names:
            shape, dtype = self.header(name)
            found.append(self.array(name, TensorInfo(dtype, list(shape))))
        return found

    def header(self, name: str) -> Header:
        """Shape and type of an array, read without its data."""
        with self._open(name) as stream:
            try:
                return self._header(stream)
            except _DAMAGED as error:
                raise self._damaged(name, error) from error

    def _open(self, name: str) -> IO[bytes]:
        if name not in self.names:
            raise CommandError(
                f"{self.path} has no array '{name}'; it has "
                f"{', '.join(map(repr, self.names)) or 'none'}.{did_you_mean(name, self.names)}"
            )
        try:
            return self._file.open(f"{name}.npy")
        except _DAMAGED as error:
            raise self._damaged(name, error) from error

    def _header(self, stream: IO[bytes]) -> Header:
        read = _HEADERS.get(npy.read_magic(stream))
        if read is None:
            raise ValueError("its header is of a version for structured types")
        shape, _, dtype = read(stream)
        if dtype.hasobject:
            raise ValueError("it holds pickled Python objects, which popir does not read")
        if any(size < 0 for size in shape):
            raise ValueError(f"its shape {list(shape)} has a negative dimension")
        return shape, dtype

    def _damaged(self, name: str, error: BaseException) -> CommandError:
        return CommandError(f"{self.path}: the array '{name}' cannot be read: {error}.")

    def array(self, name: str, info: TensorInfo) -> Array:
        """The array `name`, C-contiguous. Raises CommandError if its type or shape is not that of
        `info`.
        """
        shape, dtype = self.header(name)
        self.check_type(name, dtype, info)
        if list(shape) != info.shape():
            raise CommandError(
                f"{self.path}: the array '{name}' has the shape {list(shape)}; the model takes "
                f"{info.shape()}."
            )
        with self._open(name) as stream:
            try:
                found = npy.read_array(stream, allow_pickle=False)
            except _DAMAGED as error:
                raise self._damaged(name, error) from error
        expected = info.dataType().numpy
        if found.dtype.kind == "V":
            found = found.view(expected)
        return np.require(found, expected, "C")

    def check_type(self, name: str, dtype: np.dtype[Any], info: TensorInfo) -> None:
        """Raises CommandError for another type than the model's; the byte order does not matter.

        numpy stores types that it does not know, such as bfloat16, as bytes without a type.
        """
        expected = info.dataType().numpy
        if info.dataType() is DataType.STRING and dtype.kind in "US":
            return
        untyped = dtype.kind == "V" and expected.isbuiltin != 1
        if untyped and dtype.itemsize == expected.itemsize:
            return
        if dtype.newbyteorder("=") != expected:
            lcase = info.data_type_lcase()
            raise CommandError(
                f"{self.path}: the array '{name}' is {dtype.name}; the model takes {lcase}. "
                f"Convert it: array.astype('{lcase}')."
            )

    def others(self, wanted: Iterable[str]) -> list[str]:
        """The names of the arrays that are not in `wanted`."""
        return sorted(set(self.names) - set(wanted))


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """Writes an .npz file atomically.

    Raises CommandError if the file cannot be written.
    """
    try:
        with atomic_write(path) as whole, zipfile.ZipFile(whole, "w") as file:
            for name, given in arrays.items():
                array = np.asanyarray(given)
                if array.dtype.kind == "O":  # Without a pickle, a file holds strings of one width.
                    array = array.astype(np.str_)
                with file.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    npy.write_array(stream, array, allow_pickle=False)
    except OSError as error:
        raise CommandError(
            f"{path} cannot be written: {error.strerror}.", ExitCode.SYSTEM
        ) from error
