"""Conversion of a model's tensors to arrays, for all ways of storing them. Sizes are checked
first.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from onnx import SparseTensorProto, TensorProto

from popir import memory
from popir.errors import ModelError, popart_exception
from popir.onnxio.external import ExternalReader
from popir.onnxio.limits import check_shape
from popir.onnxio.serialised import InMemory, settled
from popir.onnxio.wire import LARGE, Values
from popir.types import DataType

Array = np.ndarray[Any, Any]

_STORED_IN: dict[str, tuple[DataType, ...]] = {
    "float_data": (DataType.FLOAT, DataType.COMPLEX64),
    "int64_data": (DataType.INT64,),
    "double_data": (DataType.DOUBLE, DataType.COMPLEX128),
    "uint64_data": (DataType.UINT32, DataType.UINT64),
    "string_data": (DataType.STRING,),
}
"""The field that holds elements of a type; types not named here use int32_data."""
_FIELDS = {kind: field for field, kinds in _STORED_IN.items() for kind in kinds}
_BITS = {2: np.uint16, 1: np.uint8}
"""For small floating-point types, by their bytes: the type of the bits stored in int32_data."""


class TensorReader:
    """Reads the tensors of one model.

    `folder` has the external data; None if external data are not allowed. All tensors read from
    there, and all sparse tensors converted, must fit the host's memory together. `values` has what
    initializers lack.
    """

    def __init__(self, folder: Path | None = None, values: Values | None = None) -> None:
        self._values = values or {}
        self._external = None if folder is None else ExternalReader(folder)
        self._taken = 0

    def initializer(self, tensor: TensorProto) -> Array:
        """An initializer of the main graph as `array` gives it."""
        return self._array(tensor, "", self._values.get(tensor.name))

    def forget_initializers(self) -> None:
        """Lets go of the bytes that initializers lack; they have been read."""
        self._values = {}

    def array(self, tensor: TensorProto, who: str = "") -> Array:
        """The tensor as an array, which may be read-only.

        Raises ModelError, naming `who`, for an unknown element type, and for data that are missing,
        do not fit the shape or must not be read; OutOfMemoryException if the host has too little
        memory.
        """
        return self._array(tensor, who, None)

    def _array(self, tensor: TensorProto, who: str, raw: memoryview | None) -> Array:
        """`raw`: the bytes of a tensor that lacks them."""
        who = who or f"The initializer '{tensor.name}'"
        try:
            kind = DataType.of(tensor.data_type)
        except popart_exception as error:
            raise ModelError(f"{who}: {error}") from error
        shape = tensor.dims[:]
        if kind is DataType.UNDEFINED:
            raise ModelError(f"{who} of shape {shape} has no element type.")
        needed = check_shape(who, kind, shape)
        if tensor.HasField("segment"):
            raise ModelError(f"{who} is a segment of a tensor, which popir does not read.")
        if tensor.data_location == TensorProto.EXTERNAL:
            flat = self._elsewhere(who, tensor, kind, needed)
        else:
            flat = _inline(who, tensor, kind, shape, raw)
        return flat.reshape(shape)

    def dense(self, sparse: SparseTensorProto, who: str = "") -> Array:
        """A sparse tensor as a dense array.

        Raises the errors of `array`, and ModelError for indices outside of the shape or not
        ascending.
        """
        who = who or f"The sparse initializer '{sparse.values.name}'"
        values = self.array(sparse.values, f"{who} (values)")
        indices = self.array(sparse.indices, f"{who} (indices)")
        kind, shape = DataType.of(sparse.values.data_type), list(sparse.dims)
        if kind is DataType.STRING or not shape:
            raise ModelError(f"{who} is {kind.name}{shape}; expected numbers with a shape.")
        needed = check_shape(who, kind, shape)
        forms = [(len(values),), (len(values), len(shape))] if values.ndim == 1 else []
        if indices.dtype != np.int64 or indices.shape not in forms:
            raise ModelError(
                f"{who} of shape {shape} has values of shape {list(values.shape)} and indices "
                f"{indices.dtype}{list(indices.shape)}; expected [N] and int64 of [N] or "
                f"[N, {len(shape)}]."
            )
        limits = shape if indices.ndim == 2 else [math.prod(shape)]
        columns = indices.reshape(len(values), len(limits))
        if ((columns < 0) | (columns >= limits)).any():
            raise ModelError(f"{who} has an index outside of its shape {shape}.")
        flat = np.ravel_multi_index(tuple(columns.T), tuple(limits)) if len(values) else indices
        if (np.diff(flat) <= 0).any():
            raise ModelError(f"{who} has indices that do not ascend.")
        self._take(who, needed)
        found = np.zeros(math.prod(shape), kind.numpy)
        found[flat.reshape(-1)] = values
        return found.reshape(shape)

    def _elsewhere(self, who: str, tensor: TensorProto, kind: DataType, needed: int) -> Array:
        if kind is DataType.STRING:
            raise ModelError(f"{who} is of strings, which ONNX keeps inside of the model only.")
        if self._external is None:
            location = next((e.value for e in tensor.external_data if e.key == "location"), "")
            raise ModelError(
                f"{who} lies in the file '{location[:200]}' beside the model, which was given "
                f"without its folder; give the model's path instead, or "
                f"popir.ModelInFolder(model, folder)."
            )
        self._take(who, needed)
        count = math.prod(tensor.dims)
        return _of_bytes(self._external.read(who, tensor, _stored(kind, count)), kind, count)

    def _take(self, who: str, needed: int) -> None:
        memory.require(who, needed)
        self._taken += needed
        memory.require(f"{who}, with the tensors before it,", self._taken)


def _inline(
    who: str, tensor: TensorProto, kind: DataType, shape: list[int], raw: memoryview | None
) -> Array:
    field = _FIELDS.get(kind, "int32_data")
    count = math.prod(shape) * (2 if kind.name.startswith("COMPLEX") else 1)
    given = [name for name in (*_STORED_IN, "int32_data") if len(getattr(tensor, name))]
    if raw is not None or tensor.HasField("raw_data"):
        given.append("raw_data")
    if any(name not in (field, "raw_data") for name in given) or len(given) > 1:
        raise ModelError(
            f"{who} of type {kind.name} has data in {' and '.join(given)}; expected raw_data or "
            f"{field}."
        )
    if given == ["raw_data"] and kind is not DataType.STRING:
        nbytes = _stored(kind, math.prod(shape))
        data = raw
        if data is None:
            inside = tensor.raw_data
            data = settled(InMemory(inside), 0, len(inside)) if len(inside) >= LARGE else inside
        _check_size(who, shape, kind, count, len(data), nbytes)
        return _of_bytes(np.frombuffer(data, np.uint8), kind, count)
    data = getattr(tensor, field)
    if kind.bits in (2, 4):  # Of 6 bits each number is one element.
        _check_size(who, shape, kind, count, len(data), _stored(kind, count))
        packed = _narrow(who, np.array(data, np.int32), np.dtype(np.uint8))
        return _of_bytes(packed, kind, count)
    if kind is DataType.FLOAT16 and len(data) == -(-count // 2) != count:  # as PopART packs them
        return np.array(data, np.int32).view(np.float16)[:count]
    _check_size(who, shape, kind, count, len(data))
    if kind is DataType.STRING:
        return _strings(who, tensor)
    if field != "int32_data":
        wide = np.array(data, _WIDE[field])
        if kind.name.startswith("COMPLEX"):
            return wide.view(kind.numpy)
        return _narrow(who, wide, kind.numpy)
    wide = np.array(data, np.int32)
    if kind is DataType.BOOL:
        return wide != 0
    if kind.numpy.kind in "iu":  # Not those of less than 8 bits, whose kind is V.
        return _narrow(who, wide, kind.numpy)
    if kind.bits == 6 and (wide >> 6).any():
        raise ModelError(f"{who} has elements of more than the 6 bits of {kind.name}.")
    return _narrow(who, wide, np.dtype(_BITS[kind.nbytes])).view(kind.numpy)


_WIDE = {
    "float_data": np.float32,
    "int64_data": np.int64,
    "double_data": np.float64,
    "uint64_data": np.uint64,
}


def _check_size(
    who: str, shape: list[int], kind: DataType, count: int, given: int, nbytes: int | None = None
) -> None:
    expected, what = (count, "elements") if nbytes is None else (nbytes, "bytes")
    if given != expected:
        raise ModelError(
            f"{who} of type {kind.name} and shape {shape} needs {expected} {what} of data; it has "
            f"{given}."
        )


def _stored(kind: DataType, count: int) -> int:
    """The bytes of `count` elements in a file; those of less than 8 bits are packed."""
    return -(-kind.bits * count // 8) if kind.nbytes == 1 else kind.nbytes * count


def _of_bytes(data: Array, kind: DataType, count: int) -> Array:
    """`count` elements from their bytes. For BOOL, any byte but 0 is True. Of elements of less than
    8 bits, the first lies in the lowest bits.
    """
    if kind.bits in (2, 4):
        mask = (1 << kind.bits) - 1
        parts = [data >> shift & mask for shift in range(0, 8, kind.bits)]
        return np.stack(parts, -1).reshape(-1)[:count].view(kind.numpy)
    if kind.bits == 6:
        bits = np.unpackbits(data, count=6 * count, bitorder="little").reshape(count, 6)
        return np.packbits(bits, 1, "little").reshape(-1).view(kind.numpy)
    return data != 0 if kind is DataType.BOOL else data.view(kind.numpy)


def _narrow(who: str, values: Array, dtype: np.dtype[Any]) -> Array:
    found = values.astype(dtype)
    if found.dtype.kind in "iu" and (found != values).any():
        raise ModelError(f"{who} has elements that no {dtype} holds.")
    return found


def _strings(who: str, tensor: TensorProto) -> Array:
    try:
        texts = [item.decode() for item in tensor.string_data]
    except UnicodeDecodeError as error:
        raise ModelError(f"{who} has an element that is not UTF-8: {error}.") from error
    found = np.empty(len(texts), object)
    found[:] = texts
    return found
