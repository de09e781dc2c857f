"""Files of arrays, by name: `ArrayFile`, what .npz files and parquet files have in common."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from popir.errors import DataError, did_you_mean, require_path
from popir.types import DataType, TensorInfo

Array = np.ndarray[Any, Any]
_WIDE = {DataType.INT32: np.dtype(np.int64), DataType.UINT32: np.dtype(np.uint64)}
Header = tuple[tuple[int, ...], np.dtype[Any]]


class ArrayFile:
    """The arrays of a file, by name.

    A subclass overrides `_header` and `_read`, and gives the names. Both may raise anything for a
    damaged file: DataError comes of it, which names file and array.
    """

    PART = "array"
    """What the file calls an array, for messages."""

    def __init__(self, path: str, names: Iterable[str]) -> None:
        self.path = path
        self.names = list(names)

    def _header(self, name: str) -> Header:
        raise NotImplementedError

    def _read(self, name: str) -> Array:
        raise NotImplementedError

    def header(self, name: str) -> Header:
        """Shape and type of an array, read without its data. Raises DataError."""
        self._check_name(name)
        try:
            return self._header(name)
        except DataError:
            raise
        # There is no list of what damaged files raise.
        except Exception as error:
            raise self._damaged(name, error) from error

    def array(self, name: str, info: TensorInfo | None = None) -> Array:
        """The array `name`, C-contiguous. Raises DataError if it cannot be read, or if its type or
        shape is not that of `info`.
        """
        shape, dtype = self.header(name)
        if info is not None:
            self.check_type(name, dtype, info)
            if list(shape) != info.shape():
                raise DataError(
                    f"{self.path}: the {self.PART} '{name}' has the shape {list(shape)}; the model "
                    f"takes {info.shape()}."
                )
        try:
            found = self._read(name)
        except DataError:
            raise
        except Exception as error:
            raise self._damaged(name, error) from error
        expected = found.dtype if info is None else info.dataType().numpy
        if found.dtype.kind == "V":
            found = found.view(expected)
        elif info is not None and found.dtype.kind in "iu" and found.dtype.itemsize == 8:
            self._check_range(name, found, expected)
        return np.require(found, expected, "C")

    def arrays(self) -> list[Array]:
        """All arrays, in the order of the file. Raises DataError."""
        found: list[Array] = []
        for name in self.names:
            shape, dtype = self.header(name)
            found.append(self.array(name, TensorInfo(dtype, list(shape))))
        return found

    def _check_range(self, name: str, found: Array, expected: np.dtype[Any]) -> None:
        limits = np.iinfo(expected)
        for value in (found.min(), found.max()) if found.size else ():
            if not limits.min <= value <= limits.max:
                raise DataError(
                    f"{self.path}: the {self.PART} '{name}' is {found.dtype.name} and has {value}, "
                    f"which the model's {expected.name} does not hold."
                )

    def _check_name(self, name: str) -> None:
        if name not in self.names:
            raise DataError(
                f"{self.path} has no {self.PART} '{name}'; it has "
                f"{', '.join(map(repr, self.names)) or 'none'}.{did_you_mean(name, self.names)}"
            )

    def _damaged(self, name: str, error: BaseException) -> DataError:
        return DataError(f"{self.path}: the {self.PART} '{name}' cannot be read: {error}.")

    def check_type(self, name: str, dtype: np.dtype[Any], info: TensorInfo) -> None:
        """Raises DataError for another type than the model's; the byte order does not matter, and
        int64 and uint64 are taken for int32 and uint32.

        numpy stores types that it does not know, such as bfloat16, as bytes without a type.
        """
        expected = info.dataType().numpy
        if info.dataType() is DataType.STRING and dtype.kind in "US":
            return
        untyped = dtype.kind == "V" and expected.isbuiltin != 1
        if untyped and dtype.itemsize == expected.itemsize:
            return
        own = dtype.newbyteorder("=")
        wide = _WIDE.get(info.dataType())
        if own != expected and (wide is None or own != wide):  # None equals float64.
            lcase = info.data_type_lcase()
            raise DataError(
                f"{self.path}: the {self.PART} '{name}' is {dtype.name}; the model takes {lcase}. "
                f"Convert it: {self._advice(lcase)}."
            )

    def _advice(self, lcase: str) -> str:
        return f"array.astype('{lcase}')"

    def others(self, wanted: Iterable[str]) -> list[str]:
        """The names of the arrays that are not in `wanted`."""
        return sorted(set(self.names) - set(wanted))


def open_arrays(path: str) -> ArrayFile:
    """The arrays of a file: of a parquet file, by its name's end, or else of an .npz file.

    Raises DataError for anything malformed, MissingPackageError if pyarrow is not installed, which
    reads parquet files.
    """
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        from popir.data.parquet import Parquet

        return Parquet(path)
    from popir.data.npz import Npz

    return Npz(path)


def read_arrays(path: Any) -> dict[str, Array]:
    """All arrays of an .npz file, or all columns of a parquet file, by name. Raises as
    `open_arrays` does.
    """
    file = open_arrays(str(require_path("read_arrays", path)))
    return dict(zip(file.names, file.arrays(), strict=True))
