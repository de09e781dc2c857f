"""Columns of parquet files, as arrays with the rows along the first dimension."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from popir.data.files import ArrayFile, Header
from popir.errors import DataError
from popir.extras import imported

Array = np.ndarray[Any, Any]


class Parquet(ArrayFile):
    """The columns of a parquet file: numbers and truth values, and lists of these that have one
    length in all rows, also lists of lists.

    Raises DataError, naming file and column, for anything else, MissingPackageError without
    pyarrow.
    """

    PART = "column"

    def __init__(self, path: str) -> None:
        self._arrow, self._compute, parquet = (
            imported(name, path, "parquet files are read by pyarrow", "parquet")
            for name in ("pyarrow", "pyarrow.compute", "pyarrow.parquet")
        )
        if not os.path.isfile(path):
            raise DataError(f"{path} is no parquet file: it is no regular file.")
        try:
            self._file = parquet.ParquetFile(path)
            self._schema = self._file.schema_arrow
        except (self._arrow.ArrowException, OSError, ValueError) as error:
            raise DataError(f"{path} is no parquet file: {error}.") from error
        super().__init__(path, self._schema.names)
        self._found: dict[str, Array] = {}
        if len(set(self.names)) < len(self.names):
            raise DataError(f"{path} has several columns of one name.")

    def _header(self, name: str) -> Header:
        kind = self._schema.field(name).type
        if self._is_list(kind):
            # How long the lists are, only the rows say.
            array = self._read(name)
            return array.shape, array.dtype
        return (self._file.metadata.num_rows,), self._dtype(name, kind)

    def _is_list(self, kind: Any) -> bool:
        types = self._arrow.types
        return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)

    def _dtype(self, name: str, kind: Any) -> np.dtype[Any]:
        types = self._arrow.types
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise DataError(
                f"{self.path}: the column '{name}' is {kind}; numbers, truth values and lists of "
                "them are read."
            )
        return np.dtype(kind.to_pandas_dtype())

    def _read(self, name: str) -> Array:
        if name not in self._found:
            column = self._file.read([name]).column(name).combine_chunks()
            if isinstance(column, self._arrow.ChunkedArray):  # One without any chunk.
                column = self._arrow.concat_arrays(column.chunks)
            self._found[name] = self._values(name, column, [len(column)])
        return self._found[name]

    def _values(self, name: str, column: Any, shape: list[int]) -> Array:
        """The array of a column; `shape` has the dimensions so far."""
        if column.null_count:
            raise DataError(
                f"{self.path}: the column '{name}' has no value in {column.null_count} places."
            )
        if not self._is_list(column.type):
            dtype = self._dtype(name, column.type)
            return np.asarray(column.to_numpy(zero_copy_only=False), dtype).reshape(shape)
        lengths = set(self._compute.list_value_length(column).unique().to_pylist())
        if len(lengths) > 1:
            raise DataError(
                f"{self.path}: the lists in the column '{name}' have {min(lengths)} to "
                f"{max(lengths)} elements; an array has one length."
            )
        return self._values(name, column.flatten(), [*shape, *(lengths or {0})])

    def _advice(self, lcase: str) -> str:
        return f"table.cast, to {lcase}"
