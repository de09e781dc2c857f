"""LabelEncoder and CategoryMapper: tables from values to values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from popir.host import Call, host_operator, is_strings, kind_of, shown, strings

Array = np.ndarray[Any, Any]
WHY = "it looks values up in a table"

_KINDS: Mapping[str, Any] = {"strings": object, "int64s": np.int64, "floats": np.float32}


class _Table:
    """Values by keys. Of equal keys the last counts; NaN is a key as any other."""

    def __init__(self, keys: Array, values: Array, default: Any) -> None:
        self.keys, self.default = keys, default
        self._by_text: dict[str, int] = {}
        self._sorted = keys
        if is_strings(keys):
            self._by_text = {key: i for i, key in enumerate(keys.tolist())}
        else:
            self._sorted, at = np.unique(keys[::-1], return_index=True)
            values = values[::-1][at]
        self._values = np.empty(len(values) + 1, values.dtype)
        self._values[:-1] = values
        self._values[-1] = default

    def of(self, call: Call, x: Array) -> Array:
        """The values of the elements. Raises OperatorInputError for another type than the keys'."""
        if kind_of(x) is not kind_of(self.keys):
            raise call.wrong(f"its input is {shown(x)}; its keys are {kind_of(self.keys).name}.")
        if is_strings(x):
            get, none = self._by_text.get, len(self._values) - 1
            flat = x.reshape(-1).tolist()
            at = np.fromiter((get(text, none) for text in flat), np.int64, len(flat))
            return self._values[at].reshape(x.shape)
        if not len(self._sorted):
            return np.full(x.shape, self.default, self._values.dtype)
        at = np.minimum(np.searchsorted(self._sorted, x), len(self._sorted) - 1)
        key = self._sorted[at]
        found = (key == x) | ((key != key) & (x != x))
        return self._values[np.where(found, at, len(self._values) - 1)]


@host_operator("ai.onnx.ml", "LabelEncoder", 1, 2, 4, why=WHY)
def label_encoder(call: Call, x: Array) -> Array:
    """LabelEncoder of ai.onnx.ml, versions 1, 2 and 4: the value of each element in a table of keys
    and values, or a default.

    In version 1 the table is `classes_strings`, from a string to its place or back. Of equal keys
    the last counts, as version 4 says; onnxruntime takes the first. A NaN is found by a key that is
    NaN, in version 2 as in 4: so does onnxruntime in version 4, and in version 2 it does not.
    """
    if call.opid.version == 1:
        return call.once(_places)[is_strings(x)].of(call, x)
    return call.once(_encoder).of(call, x)


def _places(call: Call) -> tuple[_Table, _Table]:
    """The tables from places to classes, and back."""
    classes = strings(call["classes_strings"] or [])
    if not len(classes):
        raise call.wrong_attribute("it needs the attribute 'classes_strings'.")
    return (
        _Table(np.arange(len(classes)), classes, call["default_string"]),
        _Table(classes, np.arange(len(classes)), call["default_int64"]),
    )


def _encoder(call: Call) -> _Table:
    keys, _ = _listed(call, "keys")
    values, ending = _listed(call, "values")
    if len(keys) != len(values):
        raise call.wrong_attribute(f"it has {len(keys)} keys and {len(values)} values.")
    return _Table(keys, values, _default(call, values, ending))


def _listed(call: Call, what: str) -> tuple[Array, str]:
    """The keys or values, and the ending of the attribute that has them."""
    names = [f"{what}_{ending}" for ending in (*_KINDS, "tensor")]
    given = [name for name in names if name in call.given and call[name] is not None]
    if len(given) != 1:
        raise call.wrong_attribute(
            f"it has {', '.join(given) or 'none'} of {', '.join(names)}; it needs one of them."
        )
    ending = given[0].partition("_")[2]
    found = call[given[0]]
    array = np.asarray(found) if ending == "tensor" else _array(found, ending)
    if array.ndim != 1:
        raise call.wrong_attribute(f"'{given[0]}' is {shown(array)}; it must have one axis.")
    return array, ending


def _array(values: Sequence[Any], ending: str) -> Array:
    return strings(values) if ending == "strings" else np.array(values, _KINDS[ending])


def _default(call: Call, values: Array, ending: str) -> Any:
    if ending != "tensor":
        return call[f"default_{ending[:-1]}"]
    given = call["default_tensor"]
    if given is None:
        return "_Unused" if is_strings(values) else -0.0 if values.dtype.kind == "f" else -1
    given = np.asarray(given)
    if given.size != 1 or kind_of(given) is not kind_of(values):
        raise call.wrong_attribute(
            f"'default_tensor' is {shown(given)}; it must be one element of type "
            f"{kind_of(values).name}, as the values."
        )
    return given.reshape(-1)[0]


@host_operator("ai.onnx.ml", "CategoryMapper", 1, why=WHY)
def category_mapper(call: Call, x: Array) -> Array:
    """CategoryMapper of ai.onnx.ml, version 1: from the strings of `cats_strings` to the integers
    of `cats_int64s`, or back; a default for what is in neither.
    """
    return call.once(_categories)[is_strings(x)].of(call, x)


def _categories(call: Call) -> tuple[_Table, _Table]:
    texts, numbers = call["cats_strings"] or [], call["cats_int64s"] or []
    if len(texts) != len(numbers) or not texts:
        raise call.wrong_attribute(
            f"it has {len(texts)} 'cats_strings' and {len(numbers)} 'cats_int64s'; it needs as "
            "many of both, and one or more."
        )
    one, other = strings(texts), np.array(numbers, np.int64)
    return (
        _Table(other, one, call["default_string"]),
        _Table(one, other, call["default_int64"]),
    )
