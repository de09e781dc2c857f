"""Attributes of operators: the kinds of values they hold, and their schema entries."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from popir.errors import OperatorAttributeError, did_you_mean
from popir.typed import fitter

if TYPE_CHECKING:
    from popir.ir.identifier import OperatorIdentifier


def _text(value: Any) -> str | bytes:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if isinstance(value, str):
        return value
    raise TypeError


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, np.bool_) else operator.index(value)


_real = fitter(float)


def _array(value: Any) -> np.ndarray[Any, Any]:
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    raise TypeError


def _any(value: Any) -> Any:
    return value


class AttributeKind(enum.Enum):
    """The type of an attribute's value. The names are those of ONNX's AttributeProto.

    Each member has the kind in words (for messages), a function that converts one item and the
    Python type of an item.
    """

    INT = ("an integer", _whole, int)
    FLOAT = ("a float", _real, float)
    STRING = ("a string", _text, str)
    TENSOR = ("a numpy array", _array, np.ndarray)
    GRAPH = ("a graph", _any, None)
    SPARSE_TENSOR = ("a sparse tensor", _any, None)
    TYPE_PROTO = ("a type", _any, None)
    INTS = ("a list of integers", _whole, int)
    FLOATS = ("a list of floats", _real, float)
    STRINGS = ("a list of strings", _text, str)
    TENSORS = ("a list of numpy arrays", _array, np.ndarray)
    GRAPHS = ("a list of graphs", _any, None)

    def __init__(self, words: str, convert: Callable[[Any], Any], python: type | None) -> None:
        self.words = words
        self.convert = convert
        self.python = python

    __hash__ = object.__hash__

    @property
    def is_list(self) -> bool:
        """True for a kind that holds a list, such as INTS."""
        return self.words.startswith("a list")

    def coerce(self, value: Any) -> Any:
        """Converts `value` to this kind: int, float, str (bytes if not UTF-8), ndarray, or a list
        of these.

        Raises TypeError or ValueError for any other value. A number is never rounded to fit.
        """
        if not self.is_list:
            return self.convert(value)
        if isinstance(value, (str, bytes, Mapping)):
            raise TypeError
        return [self.convert(item) for item in value]

    @staticmethod
    def of(value: Any) -> AttributeKind | None:
        """The kind inferred from `value` alone, for an attribute that nothing declares.

        An empty list is INTS; integers and floats mixed are FLOATS. None if no kind fits.
        """
        if isinstance(value, (list, tuple, range)):
            kinds = {AttributeKind.of(item) for item in value} or {AttributeKind.INT}
            if kinds == {AttributeKind.INT, AttributeKind.FLOAT}:
                kinds = {AttributeKind.FLOAT}
            kind = kinds.pop()
            if kinds or kind is None or kind.is_list:
                return None
            return AttributeKind[kind.name + "S"]
        if isinstance(value, (bool, np.bool_, int, np.integer)):
            return AttributeKind.INT
        if isinstance(value, (float, np.floating)):
            return AttributeKind.FLOAT
        if isinstance(value, (str, bytes)):
            return AttributeKind.STRING
        return AttributeKind.TENSOR if isinstance(value, np.ndarray) else None


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute as an operator's schema declares it.

    `default` is None for an optional attribute that has no default.
    """

    name: str
    kind: AttributeKind
    required: bool = False
    default: Any = None
    doc: str = ""
    is_truth: bool = False
    """Whether the integer is a truth value, 0 or 1."""

    def coerce(self, who: str, value: Any) -> Any:
        """`value` as this attribute of the operator `who`. Raises OperatorAttributeError for one of
        another kind, and for a truth value other than 0 and 1.
        """
        found = coerce(who, self.name, self.kind, value)
        return truth(who, self.name, found) if self.is_truth else found

    @property
    def shown_default(self) -> Any:
        """The default in its shortest form: 0.01. The schema stores the nearest 32-bit float,
        0.009999999776482582.
        """
        return _shortest(self.default)


def _shortest(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortest(item) for item in value]
    return float(str(np.float32(value))) if isinstance(value, float) else value


SchemaSource = Callable[["OperatorIdentifier"], Mapping[str, AttributeSpec] | None]
"""Maps an operator to the attributes of its schema, by name; to None if it has no schema."""

_sources: list[SchemaSource] = []


def use_schemas(source: SchemaSource) -> None:
    """Sets the function that looks up schemas. `onnxio` calls this, because `ir` must not import
    `onnxio`.
    """
    _sources[:] = [source]


def schema_attributes(opid: OperatorIdentifier) -> Mapping[str, AttributeSpec]:
    """The attributes of the operator's schema, by name; empty if it has no schema."""
    return (_sources[0](opid) if _sources else None) or {}


def coerce(who: str, name: str, kind: AttributeKind, value: Any) -> Any:
    """Returns `kind.coerce(value)`.

    Raises OperatorAttributeError instead of TypeError or ValueError; its message names the operator
    `who`, the attribute, the expected kind and the given value.
    """
    try:
        return kind.coerce(value)
    except (TypeError, ValueError):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {kind.words}; given was {value!r} "
            f"({type(value).__name__})."
        ) from None


def truth(who: str, name: str, value: Any) -> Any:
    """Returns a truth value as it is. Raises OperatorAttributeError for another than 0 and 1: one
    runtime takes 2 for true, the next for false.
    """
    if value not in (0, 1):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r}; expected is 0 or 1."
        )
    return value


def unknown_attribute(
    who: str, name: str, value: Any, known: Iterable[str]
) -> OperatorAttributeError:
    """Returns the error for an attribute that is not among the `known` names."""
    names = list(known)
    takes = f"takes {', '.join(names)}" if names else "takes none"
    return OperatorAttributeError(
        f"{who}: unknown attribute '{name}' (value {value!r}); the operator {takes}."
        f"{did_you_mean(name, names)}"
    )
