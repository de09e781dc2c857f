"""CastMap, DictVectorizer and ZipMap: from maps to tensors, and back.

A map is a dict in Python: from strings or integers to strings or numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, HostValue, host_operator, is_numbers, shown, strings
from popir.memory import require
from popir.ops.ml.scores import labels

Array = np.ndarray[Any, Any]
WHY = "a device program holds no map"

_CASTS: dict[str, Any] = {"TO_FLOAT": np.float32, "TO_STRING": object, "TO_INT64": np.int64}
_BLANKS: dict[str, Any] = {"TO_FLOAT": 0.0, "TO_STRING": "", "TO_INT64": 0}


def _map(call: Call, value: HostValue) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise call.wrong(f"its input is {shown(value)}; it must be a map.")
    return {key: each.item() if isinstance(each, (np.ndarray, np.generic)) else each
            for key, each in value.items()}  # fmt: skip


@host_operator("ai.onnx.ml", "CastMap", 1, why=WHY)
def cast_map(call: Call, x: HostValue) -> Array:
    """CastMap of ai.onnx.ml, version 1: the values of a map, [1, n], in the order of its keys
    (DENSE), or each at the place that its key is, of `max_map` (SPARSE).
    """
    given, to, form = _map(call, x), call["cast_to"], call["map_form"]
    if to not in _CASTS or form not in ("DENSE", "SPARSE"):
        raise call.wrong_attribute(
            f"'cast_to' is {to!r} and 'map_form' {form!r}; expected are one of {[*_CASTS]}, and "
            "DENSE or SPARSE."
        )
    if any(isinstance(key, str) for key in given):
        raise call.wrong("the keys of its map are strings; they must be integers.")
    size = len(given) if form == "DENSE" else call["max_map"]
    if form == "SPARSE":
        outside = [key for key in given if not 0 <= key < size]
        if outside:
            raise call.wrong(f"the key {outside[0]} is outside of [0, 'max_map' {size}).")
    require(call.who, 8 * size)
    found = np.full([1, size], _BLANKS[to], _CASTS[to])
    for i, key in enumerate(sorted(given)):
        found[0, i if form == "DENSE" else key] = _converted(call, given[key], to)
    return found


def _converted(call: Call, value: Any, to: str) -> Any:
    if to == "TO_STRING":
        return value if isinstance(value, str) else str(np.float32(value)).removesuffix(".0")
    try:
        number = float(value)
        return int(number) if to == "TO_INT64" else number
    except (ValueError, OverflowError):
        raise call.wrong(f"the value {value!r} does not convert, as 'cast_to' {to} asks.") from None


@host_operator("ai.onnx.ml", "DictVectorizer", 1, why=WHY)
def dict_vectorizer(call: Call, x: HostValue) -> Array:
    """DictVectorizer of ai.onnx.ml, version 1: the values of a map, [1, n], each at the place of
    its key in the vocabulary; 0 or an empty string where the map has no value. A key that is not in
    the vocabulary is left out, as in onnxruntime.
    """
    given = _map(call, x)
    texts, numbers = call["string_vocabulary"], call["int64_vocabulary"]
    if bool(texts) == bool(numbers):
        raise call.wrong_attribute(
            "it needs a vocabulary, in one of 'string_vocabulary' and 'int64_vocabulary'."
        )
    words = texts or numbers
    if any(isinstance(key, str) != bool(texts) for key in given):
        raise call.wrong(f"the keys of its map must be {'strings' if texts else 'integers'}.")
    values = list(given.values())
    dtype: Any = np.float32
    if any(isinstance(value, str) for value in values):
        found = strings([given.get(word, "") for word in words])
        return found.reshape(1, -1)
    if values and all(isinstance(value, (int, np.integer)) for value in values):
        dtype = np.int64
    elif any(isinstance(value, np.ndarray) and value.dtype == np.float64 for value in x.values()):
        dtype = np.float64
    return np.array([[given.get(word, 0) for word in words]], dtype)


@host_operator("ai.onnx.ml", "ZipMap", 1, why=WHY)
def zip_map(call: Call, x: Array) -> HostValue:
    """ZipMap of ai.onnx.ml, version 1: for each row a map from the labels of the classes to its
    elements; a vector is one row.
    """
    names = labels(call, "classlabels_int64s").tolist()
    if not is_numbers(x) or x.ndim not in (1, 2) or x.shape[-1] != len(names):
        raise call.wrong(
            f"its input is {shown(x)}; it must be [n, {len(names)}], an element for each label."
        )
    rows = x.reshape(-1, len(names)).tolist()
    return [dict(zip(names, row, strict=True)) for row in rows]
