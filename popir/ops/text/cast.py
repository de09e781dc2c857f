"""Cast and CastLike from and to strings. Between numbers they run on the device
(`popir.ops.elementwise.cast`).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from popir.host import Call, host_operator, is_strings, kind_of, strings
from popir.types import DataType

Array = np.ndarray[Any, Any]
WHY = "it handles strings"

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?inf|[+-]?nan", re.I)
_MOST_DIGITS = 400
"""The most characters of a number; beyond, it is no number of any type."""


@host_operator("ai.onnx", "Cast", 9, 13, 19, 21, 23, 24, 25, 28, why=WHY)
def cast(call: Call, x: Array) -> Array:
    """Cast from or to strings, versions 9, 13, 19, 21, 23, 24, 25 and 28.

    A float becomes the shortest text that says which float of its type it is, such as "3.14", "5"
    and "1e+20", or "INF", "-INF" and "NaN"; a truth value becomes "1" or "0". A text becomes the
    nearest float, or the integer below its point. Raises OperatorInputError for a text that is no
    number, or not in the range of the type. Not available are types of 8 bits and less but INT8,
    UINT8 and BOOL, and complex numbers.
    """
    return _cast(call, x, DataType.of(call["to"]))


@host_operator("ai.onnx", "CastLike", 15, 19, 21, 23, 24, 25, why=WHY)
def cast_like(call: Call, x: Array, like: Array) -> Array:
    """CastLike from or to strings, versions 15, 19, 21, 23, 24 and 25."""
    return _cast(call, x, kind_of(like))


def _cast(call: Call, x: Array, to: DataType) -> Array:
    given = kind_of(x)
    if to is given:
        return x
    other = to if given is DataType.STRING else given
    if other.is_narrow or other.numpy.kind not in "fiubV":
        raise call.wrong(
            f"{given.name} to {to.name} is not available; convert by way of FLOAT or INT32."
        )
    if to is DataType.STRING:
        return strings([_text(each) for each in x.reshape(-1)], x.shape)
    if not is_strings(x):
        raise call.wrong(f"{given.name} to {to.name} runs on the device.")
    found = np.empty(x.size, to.numpy)
    for i, text in enumerate(x.reshape(-1)):
        found[i] = _number(call, text, to)
    return found.reshape(x.shape)


def _text(value: Any) -> str:
    if isinstance(value, (np.bool_, np.integer)):
        return str(int(value))
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "INF" if value > 0 else "-INF"
    return str(value).removesuffix(".0")


def _number(call: Call, text: str, to: DataType) -> Any:
    plain = text.strip(" \t\n\v\f\r")
    if len(plain) > _MOST_DIGITS or not plain.isascii() or not _REAL.fullmatch(plain):
        shown = text if len(text) < 60 else f"{text[:60]}..."
        raise call.wrong(
            f"{shown!r} is no number; expected are digits with a point and an exponent, such as "
            "'3.14' and '1e-5', or 'INF', '-INF' and 'NaN'."
        )
    dtype = to.numpy
    if to is DataType.BOOL:
        return float(plain) != 0
    if dtype.kind not in "iu":
        return dtype.type(float(plain))
    if _WHOLE.fullmatch(plain):
        value = int(plain)
    else:
        real = float(plain)
        if not np.isfinite(real):
            raise call.wrong(f"'{plain}' is no integer, which {to.name} needs.")
        value = int(real)
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        raise call.wrong(
            f"'{plain}' is outside of the range of {to.name}, [{limits.min}, {limits.max}]."
        )
    return value
