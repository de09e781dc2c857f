"""Attributes of operators: their kinds, and what a schema says of one."""

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
    """What an attribute holds; the names are ONNX's."""

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
    def isList(self) -> bool:
        """Whether the attribute holds a list."""
        return self.words.startswith("a list")

    def coerce(self, value: Any) -> Any:
        """`value` as this kind holds it: int, float, str (bytes if not UTF-8), ndarray, or a list
        of these.

        Raises TypeError or ValueError if it is something else; no number is rounded to fit.
        """
        if not self.isList:
            return self.convert(value)
        if isinstance(value, (str, bytes, Mapping)):
            raise TypeError
        return [self.convert(item) for item in value]

    @staticmethod
    def of(value: Any) -> AttributeKind | None:
        """The kind that holds `value` when nothing declares it, None if none does.

        An empty list is INTS.
        """
        if isinstance(value, (list, tuple, range)):
            kinds = {AttributeKind.of(item) for item in value} or {AttributeKind.INT}
            if kinds == {AttributeKind.INT, AttributeKind.FLOAT}:
                kinds = {AttributeKind.FLOAT}
            kind = kinds.pop()
            if kinds or kind is None or kind.isList:
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
    """What a schema says of one attribute.

    `default` is None for an optional attribute without a default.
    """

    name: str
    kind: AttributeKind
    required: bool = False
    default: Any = None
    doc: str = ""

    @property
    def shownDefault(self) -> Any:
        """The default as a person would write it: 0.01, where a model has the nearest 32-bit
        float, 0.009999999776482582.
        """
        return _shortest(self.default)


def _shortest(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortest(item) for item in value]
    return float(str(np.float32(value))) if isinstance(value, float) else value


SchemaSource = Callable[["OperatorIdentifier"], Mapping[str, AttributeSpec] | None]
"""Looks up the attributes in an operator's schema; None for an operator without one."""

_sources: list[SchemaSource] = []


def use_schemas(source: SchemaSource) -> None:
    """Says where schemas are; `onnxio` does, which this layer must not import."""
    _sources[:] = [source]


def schema_attributes(opid: OperatorIdentifier) -> Mapping[str, AttributeSpec]:
    """The attributes in the operator's schema, by name; none if it has no schema."""
    return (_sources[0](opid) if _sources else None) or {}


def coerce(who: str, name: str, kind: AttributeKind, value: Any) -> Any:
    """`kind.coerce(value)`, with an OperatorAttributeError that says who, what was given and what
    was expected.
    """
    try:
        return kind.coerce(value)
    except (TypeError, ValueError):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {kind.words}; given was {value!r} "
            f"({type(value).__name__})."
        ) from None


def unknown_attribute(
    who: str, name: str, value: Any, known: Iterable[str]
) -> OperatorAttributeError:
    """The error for an attribute that is not one of the `known`."""
    names = list(known)
    takes = f"takes {', '.join(names)}" if names else "takes none"
    return OperatorAttributeError(
        f"{who}: unknown attribute '{name}' (value {value!r}); the operator {takes}."
        f"{did_you_mean(name, names)}"
    )
