"""Element types and tensor types: `DataType`, `TensorInfo`."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np

from popir.errors import popart_exception
from popir.typed import fitted, typed


class DataType(enum.Enum):
    """The type of one element of a tensor; the members are PopART's."""

    UINT8 = ("uint8", np.uint8, 2, 1)
    INT8 = ("int8", np.int8, 3, 1)
    UINT16 = ("uint16", np.uint16, 4, 2)
    INT16 = ("int16", np.int16, 5, 2)
    INT32 = ("int32", np.int32, 6, 4)
    INT64 = ("int64", np.int64, 7, 8)
    UINT32 = ("uint32", np.uint32, 12, 4)
    UINT64 = ("uint64", np.uint64, 13, 8)
    BOOL = ("bool", np.bool_, 9, 1)
    FLOAT = ("float32", np.float32, 1, 4)
    FLOAT16 = ("float16", np.float16, 10, 2)
    BFLOAT16 = ("bfloat16", ml_dtypes.bfloat16, 16, 2)
    # Graphcore's 8-bit floats have neither infinity nor minus zero, which is ONNX's FNUZ encoding.
    FLOAT8_143 = ("float8_143", ml_dtypes.float8_e4m3fnuz, 18, 1)
    FLOAT8_152 = ("float8_152", ml_dtypes.float8_e5m2fnuz, 20, 1)
    DOUBLE = ("float64", np.float64, 11, 8)
    COMPLEX64 = ("complex64", np.complex64, 14, 8)
    COMPLEX128 = ("complex128", np.complex128, 15, 16)
    STRING = ("string", np.object_, 8, 0)
    UNDEFINED = ("undefined", None, 0, 0)

    lcase: str
    """numpy's name of the type, or one like it: "float32"."""
    onnx: int
    """The code of the type in ONNX's TensorProto.DataType."""
    nbytes: int
    """Bytes of one element; 0 for STRING and UNDEFINED."""

    def __init__(self, lcase: str, scalar: Any, onnx: int, nbytes: int) -> None:
        self.lcase = lcase
        self.onnx = onnx
        self.nbytes = nbytes
        self._dtype = None if scalar is None else np.dtype(scalar)

    # Members are singletons, so identity is equality; enum's own hash is slower.
    __hash__ = object.__hash__

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type of an array with these elements; UNDEFINED has none and raises
        popart_exception.
        """
        if self._dtype is None:
            raise popart_exception(f"DataType.{self.name} has no numpy type.")
        return self._dtype

    @staticmethod
    def of(value: object) -> DataType:
        """The DataType that `value` names.

        `value` is a DataType, a numpy type (np.float32, np.dtype("float32")), an ONNX code (1),
        PopART's name ("FLOAT") or numpy's ("float32"). Anything else raises popart_exception.
        """
        if isinstance(value, DataType):
            return value
        if isinstance(value, str):
            found = _BY_NAME.get(value) or _BY_NAME.get(value.upper())
        elif isinstance(value, int) and not isinstance(value, bool):
            found = _BY_CODE.get(value)
        else:
            found = _of_numpy(value)
        if found is None:
            names = ", ".join(member.name for member in DataType)
            raise popart_exception(f"{value!r} is not an element type; known are {names}.")
        return found


def _of_numpy(value: Any) -> DataType | None:
    # numpy takes None for float64, and any class for a type of objects.
    isType = isinstance(value, type) and issubclass(value, (np.generic, bool, int, float, complex))
    if not isType and not isinstance(value, np.dtype):
        return None
    dtype: np.dtype[Any] = np.dtype(value)
    return DataType.STRING if dtype.kind in "US" else _BY_NUMPY.get(dtype)


_BY_CODE = {member.onnx: member for member in DataType}
_BY_NUMPY = {member.numpy: member for member in DataType if member is not DataType.UNDEFINED}
_BY_NAME = {name: member for member in DataType for name in (member.name, member.lcase)}


_INTEGERS = {int}
_MOST = (1 << 63) - 1
"""The largest dimension that a model can hold."""


class ReductionType(enum.Enum):
    """How a loss of many elements becomes one; the names are what a model's attribute holds."""

    Sum = "Sum"
    Mean = "Mean"
    NoReduction = "NoReduction"


@typed(byHand=["__init__"])
class TensorInfo:
    """The element type and the shape of a tensor. Immutable; equal by value; hashable.

    `TensorInfo(dataType, shape)` with a DataType, a name or a numpy type, or `TensorInfo(array)`.
    Raises popart_exception for an unknown type or a dimension that is not an integer of at least 0.
    """

    __slots__ = ("_data_type", "_shape")

    def __init__(self, data_type: Any, shape: Iterable[int] | None = None) -> None:
        if shape is None:
            if not isinstance(data_type, (np.ndarray, np.generic)):
                raise popart_exception(
                    "TensorInfo takes an element type and a shape, or one numpy array; "
                    f"given was {data_type!r} alone."
                )
            self._data_type = DataType.of(data_type.dtype)
            self._shape = data_type.shape
            return
        self._data_type = DataType.of(data_type)
        isList = shape.__class__ in (list, tuple)
        if not isList or not set(map(type, shape)) <= _INTEGERS:
            self._shape = tuple[int, ...](fitted("TensorInfo", "shape", shape, Iterable[int]))
        else:
            self._shape = tuple(shape)
        if self._shape and min(self._shape) < 0:
            raise popart_exception(
                f"A tensor's dimensions are 0 or more; given was the shape {list(self._shape)}."
            )
        if self._shape and max(self._shape) > _MOST:
            raise popart_exception(
                f"A tensor's dimensions fit 64 bits; given was the shape {list(self._shape)}."
            )

    def shape(self) -> list[int]:
        """The dimensions, outermost first; [] for a scalar."""
        return list(self._shape)

    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def nelms(self) -> int:
        """The number of elements; 1 for a scalar."""
        return math.prod(self._shape)

    def nbytes(self) -> int:
        """The number of bytes of all elements."""
        return self.nelms() * self._data_type.nbytes

    def dim(self, i: int) -> int:
        """Dimension `i`, 0 the outermost; negative counts from the end. Raises popart_exception
        outside.
        """
        try:
            return self._shape[i]
        except IndexError:
            raise popart_exception(f"{self} has no dimension {i}.") from None

    def dataType(self) -> DataType:
        """The element type."""
        return self._data_type

    def data_type(self) -> str:
        """The element type by PopART's name: "FLOAT"."""
        return self._data_type.name

    def data_type_lcase(self) -> str:
        """The element type by numpy's name: "float32"."""
        return self._data_type.lcase

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorInfo):
            return NotImplemented
        return self._data_type is other._data_type and self._shape == other._shape

    def __hash__(self) -> int:
        return hash((self._data_type, self._shape))

    def __repr__(self) -> str:
        return f"{self._data_type.name}{list(self._shape)}"


def rounded(value: float, kind: DataType) -> float:
    """The number that an element of a floating-point type holds for `value`."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.asarray(value, kind.numpy))


def requireFinite(who: str, value: float, kind: DataType) -> None:
    """Raises popart_exception, beginning with `who`, if an element of that type cannot hold the
    number.
    """
    if not math.isfinite(rounded(value, kind)):
        most = float(ml_dtypes.finfo(kind.numpy).max)
        raise popart_exception(
            f"{who} is {value:g}; {kind.lcase} holds finite numbers up to {most:.4g}."
        )
