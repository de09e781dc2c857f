"""Arrays in .npz files, read without trusting the file."""

from __future__ import annotations

import os
import zipfile
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from popir.data.files import ArrayFile, Header
from popir.errors import DataError

Array = np.ndarray[Any, Any]

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Npz(ArrayFile):
    """The arrays of an .npz file, by name. Pickled objects are refused.

    Raises DataError, naming file and array, for anything malformed.
    """

    def __init__(self, path: str) -> None:
        if not os.path.isfile(path):
            raise DataError(f"{path} is no .npz file: it is no regular file.")
        try:
            self._file = zipfile.ZipFile(path)
        # What damaged zip files raise is listed nowhere: TokenError, struct.error, zlib.error, ...
        except Exception as error:
            raise DataError(f"{path} is no .npz file: {error}. numpy.savez makes one.") from error
        names = (info.filename for info in self._file.infolist())
        super().__init__(path, [n.removesuffix(".npy") for n in names if n.endswith(".npy")])

    def _header(self, name: str) -> Header:
        with self._open(name) as stream:
            return self._shape(stream)

    def _open(self, name: str) -> IO[bytes]:
        return self._file.open(f"{name}.npy")

    def _shape(self, stream: IO[bytes]) -> Header:
        read = _HEADERS.get(npy.read_magic(stream))
        if read is None:
            raise ValueError("its header is of a version for structured types")
        shape, _, dtype = read(stream)
        if dtype.hasobject:
            raise ValueError("it holds pickled Python objects, which popir does not read")
        if any(size < 0 for size in shape):
            raise ValueError(f"its shape {list(shape)} has a negative dimension")
        return shape, dtype

    def _read(self, name: str) -> Array:
        with self._open(name) as stream:
            return npy.read_array(stream, allow_pickle=False)
