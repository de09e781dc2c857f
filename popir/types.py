"""Element types and tensor types: `DataType`, `TensorInfo`."""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np

from popir.errors import popart_exception
from popir.typed import fitted, typed


class DataType(enum.Enum):
    """The type of the elements of a tensor. PopART's enum of this name.

    Floats of 8 bits and less, and integers of less, are stored, in a byte each, and converted:
    of operators, PopART's contractions alone compute with any, `FLOAT8` (`is_narrow`). Complex
    numbers and strings can be named, but no device holds them.
    """

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
    # Graphcore's 8-bit floats have no infinity and no minus zero: ONNX's FNUZ encodings.
    FLOAT8_143 = ("float8_143", ml_dtypes.float8_e4m3fnuz, 18, 1)
    FLOAT8_152 = ("float8_152", ml_dtypes.float8_e5m2fnuz, 20, 1)
    FLOAT8E4M3FNUZ = FLOAT8_143
    FLOAT8E5M2FNUZ = FLOAT8_152
    FLOAT8E4M3FN = ("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 17, 1)
    FLOAT8E5M2 = ("float8_e5m2", ml_dtypes.float8_e5m2, 19, 1)
    FLOAT8E8M0 = ("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, 24, 1)
    FLOAT6E2M3 = ("float6_e2m3fn", ml_dtypes.float6_e2m3fn, 27, 1)
    FLOAT6E3M2 = ("float6_e3m2fn", ml_dtypes.float6_e3m2fn, 28, 1)
    FLOAT4E2M1 = ("float4_e2m1fn", ml_dtypes.float4_e2m1fn, 23, 1)
    UINT4 = ("uint4", ml_dtypes.uint4, 21, 1)
    INT4 = ("int4", ml_dtypes.int4, 22, 1)
    UINT2 = ("uint2", ml_dtypes.uint2, 25, 1)
    INT2 = ("int2", ml_dtypes.int2, 26, 1)
    DOUBLE = ("float64", np.float64, 11, 8)
    COMPLEX64 = ("complex64", np.complex64, 14, 8)
    COMPLEX128 = ("complex128", np.complex128, 15, 16)
    STRING = ("string", np.object_, 8, 0)
    UNDEFINED = ("undefined", None, 0, 0)

    lcase: str
    """numpy's name of the type, such as "float32", or a similar one."""
    onnx: int
    """The number of the type in ONNX's TensorProto.DataType."""
    nbytes: int
    """Bytes of one element on host and device; 0 for STRING and UNDEFINED."""

    def __init__(self, lcase: str, scalar: Any, onnx: int, nbytes: int) -> None:
        self.lcase = lcase
        self.onnx = onnx
        self.nbytes = nbytes
        self._dtype = None if scalar is None else np.dtype(scalar)

    # Members are singletons, so identity is equality; enum's own hash is slower.
    __hash__ = object.__hash__

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy type of the elements. Raises popart_exception for UNDEFINED."""
        if self._dtype is None:
            raise popart_exception(f"DataType.{self.name} has no numpy type.")
        return self._dtype

    @property
    def record(self) -> np.dtype[Any]:
        """The numpy type that PopART has for elements of an 8-bit float: a record of one byte, with
        the name of the type.
        """
        return np.dtype([(self.lcase, np.uint8)])

    @property
    def is_integer(self) -> bool:
        """Whether the elements are integers; those of BOOL are not."""
        return "INT" in self.name

    @property
    def bits(self) -> int:
        """Bits of one element in an ONNX file: less than 8 for the types with 2, 4 or 6."""
        return _BITS.get(self, 8 * self.nbytes)

    @property
    def is_narrow(self) -> bool:
        """Whether the type is for storage alone: a float of 8 bits or less, or an integer of less.
        Its elements lie in the low bits of a byte each; the others are 0.
        """
        return self in _NARROW_KINDS

    @staticmethod
    def of(value: object) -> DataType:
        """The DataType for `value`: a DataType, a numpy type (np.float32, np.dtype("float32")), an
        ONNX number (1), PopART's name ("FLOAT") or numpy's name ("float32").

        Raises popart_exception for anything else.
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
    # np.dtype() would accept None as float64, and any class as a type of objects.
    is_type = isinstance(value, type) and issubclass(value, (np.generic, bool, int, float, complex))
    if not is_type and not isinstance(value, np.dtype):
        return None
    dtype: np.dtype[Any] = np.dtype(value)
    if dtype.kind == "V" and dtype.names:
        return next((kind for kind in FLOAT8 if kind.record == dtype), None)
    return DataType.STRING if dtype.kind in "US" else _BY_NUMPY.get(dtype)


_BY_CODE = {member.onnx: member for member in DataType}
_BY_NUMPY = {member.numpy: member for member in DataType if member is not DataType.UNDEFINED}
_BY_NAME = {member.lcase: member for member in DataType} | DataType.__members__
_BITS = {
    **dict.fromkeys((DataType.FLOAT6E2M3, DataType.FLOAT6E3M2), 6),
    **dict.fromkeys((DataType.FLOAT4E2M1, DataType.UINT4, DataType.INT4), 4),
    **dict.fromkeys((DataType.UINT2, DataType.INT2), 2),
}
_NARROW_KINDS = {*_BITS, *(member for member in DataType if member.name.startswith("FLOAT8"))}
_NARROW = {member.numpy for member in _NARROW_KINDS}

FLOAT8 = frozenset({DataType.FLOAT8_143, DataType.FLOAT8_152})
"""PopART's 8-bit floats, with which its contractions compute."""
TRAINABLE = frozenset({DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE})
"""The element types of weights and of gradients. Initializers of other types are constants."""


def as_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of an array of a narrow type as bytes, in which the device has it; any other array
    itself.
    """
    return array.view(np.uint8) if array.dtype in _NARROW else array


_INTEGERS = {int}
_MOST = (1 << 63) - 1
"""The largest dimension in an ONNX model."""


class ReductionType(enum.Enum):
    """How a loss over many elements is reduced to one number. PopART's enum of this name; a value
    is that of the operator's attribute `reduction`, `int` gives PopART's number.
    """

    Sum = "Sum"
    Mean = "Mean"
    NoReduction = "NoReduction"

    def __int__(self) -> int:
        return list(ReductionType).index(self)


@typed(by_hand=["__init__"])
class TensorInfo:
    """The element type and shape of a tensor; immutable, hashable, compared by value. PopART's
    `TensorInfo`.

    `TensorInfo(type, shape)`, with a type that `DataType.of` accepts, or `TensorInfo(array)`. `str`
    gives "FLOAT[2, 3]". Raises popart_exception for an unknown type, or a dimension that is not an
    integer from 0 to 2^63 - 1.
    """

    __slots__ = ("_data_type", "_shape")

    def __init__(self, data_type: Any, shape: Iterable[int] | None = None) -> None:
        if shape is None:
            if not isinstance(data_type, (np.ndarray, np.generic)):
                raise popart_exception(
                    "TensorInfo takes an element type and a shape, or one numpy array; "
                    f"given was {data_type!r} alone."
                )
            self._data_type = _BY_NUMPY.get(data_type.dtype) or DataType.of(data_type.dtype)
            self._shape = data_type.shape
            return
        self._data_type = DataType.of(data_type)
        is_list = shape.__class__ in (list, tuple)
        if not is_list or not set(map(type, shape)) <= _INTEGERS:
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
        """The dimensions, the outermost first; [] for a scalar."""
        return list(self._shape)

    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def nelms(self) -> int:
        """The number of elements; 1 for a scalar."""
        return math.prod(self._shape)

    def nbytes(self) -> int:
        """The number of bytes of all elements; 0 for strings."""
        return self.nelms() * self._data_type.nbytes

    def dim(self, i: int) -> int:
        """Dimension `i`; 0 is the outermost, -1 the innermost.

        Raises popart_exception if there is no such dimension.
        """
        try:
            return self._shape[i]
        except IndexError:
            raise popart_exception(f"{self} has no dimension {i}.") from None

    def dataType(self) -> DataType:
        """The element type of the tensor."""
        return self._data_type

    def data_type(self) -> str:
        """PopART's name of the element type, such as "FLOAT"."""
        return self._data_type.name

    def data_type_lcase(self) -> str:
        """numpy's name of the element type, such as "float32"."""
        return self._data_type.lcase

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorInfo):
            return NotImplemented
        return self._data_type is other._data_type and self._shape == other._shape

    def __hash__(self) -> int:
        return hash((self._data_type, self._shape))

    def __repr__(self) -> str:
        return f"{self._data_type.name}{list(self._shape)}"


@functools.lru_cache(1024)  # Weights share the numbers of their optimizer.
def rounded(value: float, kind: DataType) -> float:
    """`value` rounded to the floating-point type `kind`; infinite if it is out of range."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.asarray(value, kind.numpy))


def require_finite(who: str, value: float, kind: DataType) -> None:
    """Raises popart_exception, naming `who`, if `value` is not finite in the type `kind`."""
    if not math.isfinite(rounded(value, kind)):
        most = float(ml_dtypes.finfo(kind.numpy).max)
        raise popart_exception(
            f"{who} is {value:g}; {kind.lcase} holds finite numbers up to {most:.4g}."
        )


@typed
def getTensorInfo(array: np.ndarray[Any, Any]) -> TensorInfo:
    """The element type and shape of a numpy array. PopART's function of this name."""
    return TensorInfo(array)
