"""Attributes of a custom call with the typed interface, as values, as text and as handlers get
them.

In a model they are JSON that keeps types: {"eps": {"f32": 1e-05}, "axes": {"s64": [0, 1]}, "mode":
"fast"}. Bytes that are no UTF-8 are {"bytes": "ff00"}, a dictionary is {"dictionary": {...}}.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from popir._device import xla as device
from popir.errors import OperatorAttributeError, PopirError, did_you_mean
from popir.foreign.xla import shapes
from popir.types import DataType

_Tree = dict[str, Any]
_DEEPEST = 100


def encoded(who: str, attributes: Mapping[str, Any]) -> str:
    """The attributes as text. A bool, int or float is pred, s64 or f64, and a list of one kind an
    array; numpy's numbers and arrays keep their types.

    Raises OperatorAttributeError, naming `who`, for values of other kinds.
    """
    return json.dumps(_dictionary(who, attributes, 0), sort_keys=True) if attributes else ""


def _dictionary(who: str, given: Mapping[Any, Any], depth: int) -> _Tree:
    if depth > _DEEPEST:
        raise OperatorAttributeError(f"{who}: its attributes are nested too deeply.")
    found: _Tree = {}
    for key, value in given.items():
        if not isinstance(key, str):
            raise OperatorAttributeError(f"{who}: the name of an attribute is text, not {key!r}.")
        found[key] = _value(f"{who}: the attribute '{key}'", value, depth)
    return found


def _value(who: str, value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, Mapping):
        return {"dictionary": _dictionary(who, value, depth + 1)}  # pyright: ignore
    array = np.asarray(_plain(who, value))
    if array.ndim > 1 or array.dtype.kind in "OSU":
        raise OperatorAttributeError(
            f"{who} is {value!r}; expected is a number, text, bytes, a list or array of numbers "
            "with one dimension, or a dict of these."
        )
    try:
        kind = shapes.name(DataType.of(array.dtype))
    except PopirError as error:
        raise OperatorAttributeError(f"{who}: {error}") from None
    return {kind: _numbers(array)}


def _plain(who: str, value: Any) -> Any:
    """The value, with numbers of Python as those of numpy that they stand for."""
    if not isinstance(value, (list, tuple)):
        return np.int64(value) if type(value) is int and abs(value) < 1 << 63 else value
    items: Sequence[Any] = value
    kinds = {type(item) for item in items}
    if not items or kinds <= {int} or kinds <= {float} or kinds <= {bool} or len(kinds) == 1:
        return np.asarray(items, np.int64 if kinds <= {int} else None)
    raise OperatorAttributeError(f"{who} is {value!r}; its items must have one type.")


def _numbers(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], -1).astype(float).tolist()
    if array.dtype.kind in "iub":
        return array.tolist()
    return array.astype(float).tolist()


def decoded(who: str, text: str) -> list[tuple[str, Any]]:
    """The attributes for the device's library, sorted by name.

    Raises OperatorAttributeError, naming `who`, for text that `encoded` does not write.
    """
    if not text:
        return []
    try:
        return _items(who, json.loads(text), 0)
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise OperatorAttributeError(
            f"{who}: the attribute 'attributes' is not of the form in which popir writes it: "
            f"{error}"
        ) from None


def _items(who: str, tree: _Tree, depth: int) -> list[tuple[str, Any]]:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    return [(key, _attribute(who, tree[key], depth)) for key in sorted(tree)]


def _attribute(who: str, value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return device.Attribute.text(value.encode(errors="surrogateescape"))
    ((kind, content),) = value.items()
    if kind == "bytes":
        return device.Attribute.text(bytes.fromhex(content))
    if kind == "dictionary":
        return device.Attribute.dictionary(_items(who, content, depth + 1))
    try:
        dtype = shapes.kind_of(kind).numpy
    except KeyError:
        raise ValueError(f"{kind!r} is no element type.{did_you_mean(kind, ['f32'])}") from None
    if dtype.kind == "c":
        pairs = np.asarray(content, float)
        array = (pairs[..., 0] + 1j * pairs[..., 1]).astype(dtype)
    else:
        array = np.asarray(content, object if dtype.kind in "iu" else None).astype(dtype)
    if array.ndim == 0:
        return device.Attribute.scalar(shapes.number(kind), array.tobytes())
    if array.ndim > 1:
        raise ValueError("it has an array of more than one dimension")
    return device.Attribute.array(shapes.number(kind), array.size, array.tobytes())
