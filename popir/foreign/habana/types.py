"""Element types in the two interfaces of Habana: numbers of TensorFlow, and of kernel libraries."""

from __future__ import annotations

from popir.errors import OperatorInputError
from popir.types import DataType, TensorInfo

_ROWS = [
    (DataType.FLOAT, 1, "float", 1 << 12),
    (DataType.INT32, 3, "int32", 1 << 10),
    (DataType.UINT8, 4, "uint8", 1 << 3),
    (DataType.INT16, 5, "int16", 1 << 6),
    (DataType.INT8, 6, "int8", 1 << 2),
    (DataType.INT64, 9, "int64", 1 << 13),
    (DataType.BOOL, 10, "bool", 1 << 2),
    (DataType.BFLOAT16, 14, "bfloat16", 1 << 8),
    (DataType.UINT16, 17, "uint16", 1 << 7),
    (DataType.FLOAT16, 19, "half", 1 << 9),
    (DataType.UINT32, 22, "uint32", 1 << 11),
    (DataType.UINT64, 23, "uint64", 1 << 14),
    (DataType.DOUBLE, 2, "double", 0),
]
"""popir's type, TensorFlow's number and name, the number of kernel libraries or 0."""

NAMES = {row[2]: row[0] for row in _ROWS} | {
    "float32": DataType.FLOAT,
    "float16": DataType.FLOAT16,
}
"""popir's types by TensorFlow's names."""
TENSORFLOW = {row[0]: row[1] for row in _ROWS}
"""TensorFlow's numbers by popir's types."""
TENSORFLOW_NAMES = {row[0]: row[2] for row in _ROWS}
"""TensorFlow's names by popir's types."""
OF_TENSORFLOW = {row[1]: row[0] for row in _ROWS}
"""popir's types by TensorFlow's numbers."""
_OTHERS = {
    number: name
    for names in (
        {7: "string", 8: "complex64", 11: "qint8", 12: "quint8", 13: "qint32", 15: "qint16"},
        {16: "quint16", 18: "complex128", 20: "resource", 21: "variant", 24: "float8_e5m2"},
        {25: "float8_e4m3fn", 29: "int4", 30: "uint4"},
    )
    for number, name in names.items()
}
"""TensorFlow's names of types of which there are no tensors here."""
_KERNEL = {row[0]: row[3] for row in _ROWS if row[3]}

Spec = tuple[int, list[int]]
"""A type's number and a shape."""


def tensorflow_spec(who: str, info: TensorInfo) -> Spec:
    """Type and shape in TensorFlow's terms. Raises OperatorInputError for a type it has not."""
    kind = info.dataType()
    if kind not in TENSORFLOW:
        raise OperatorInputError(
            f"{who}: tensors of {kind.name} are none of Habana's TensorFlow API; it has "
            f"{', '.join(sorted(NAMES))}."
        )
    return TENSORFLOW[kind], info.shape()


def type_named(number: int) -> str:
    """The name of the type with TensorFlow's number: popir's, or else TensorFlow's."""
    known = OF_TENSORFLOW.get(number)
    return known.name if known else _OTHERS.get(number, f"the type {number}")


def kernel_spec(who: str, info: TensorInfo) -> Spec:
    """Type and shape in the terms of kernel libraries. Raises OperatorInputError for a type that
    TPCs do not have.
    """
    kind = info.dataType()
    if kind not in _KERNEL:
        raise OperatorInputError(
            f"{who}: TPC kernels have no tensors of {kind.name}, only of "
            f"{', '.join(each.name for each in _KERNEL)}. Convert it by Cast."
        )
    return _KERNEL[kind], info.shape()
