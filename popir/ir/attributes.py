"""Attributes of operators: their kinds, and how a class's annotations are bound to values.

A class declares its attributes by annotation:

    class LeakyReluOp(Op):
        alpha: float

`bind` gives each a value: the one that the model gives, else the default of the operator's schema,
else the class's own default, else None if the schema or the annotation makes it optional. An
attribute whose name is a Python keyword is declared with an underscore after it (`lambda_`).
"""

from __future__ import annotations

import enum
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from popir.errors import OperatorAttributeError, did_you_mean

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


def _real(value: Any) -> float:
    if isinstance(value, str):
        raise TypeError
    return float(value)


def _array(value: Any) -> np.ndarray[Any, Any]:
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    raise TypeError


def _any(value: Any) -> Any:
    return value


class AttributeKind(enum.Enum):
    """What an attribute holds; the names are ONNX's."""

    INT = ("an integer", operator.index, int)
    FLOAT = ("a float", _real, float)
    STRING = ("a string", _text, str)
    TENSOR = ("a numpy array", _array, np.ndarray)
    GRAPH = ("a graph", _any, None)
    SPARSE_TENSOR = ("a sparse tensor", _any, None)
    TYPE_PROTO = ("a type", _any, None)
    INTS = ("a list of integers", operator.index, int)
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
        if isinstance(value, (str, bytes)):
            raise TypeError
        return [self.convert(item) for item in value]

    @staticmethod
    def of(value: Any) -> AttributeKind | None:
        """The kind that holds `value` when nothing declares it, None if none does.

        An empty list is INTS.
        """
        if isinstance(value, (list, tuple)):
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


class SchemaSource(typing.Protocol):
    """Looks up the attributes that an operator's schema declares, None for an operator without a
    schema.
    """

    def __call__(self, opid: OperatorIdentifier, /) -> Mapping[str, AttributeSpec] | None: ...


def _no_schema(opid: OperatorIdentifier, /) -> None:
    del opid


schema_attributes: SchemaSource = _no_schema
"""Installed by `onnxio.schemas`, which this layer must not import."""


@dataclass(frozen=True)
class Declared:
    """One attribute that a class declares."""

    member: str
    """The Python attribute that holds it; the model's name is its key in `declared`."""
    kind: AttributeKind | None
    """None if the annotation is of no kind that ONNX has: anything is accepted."""
    optional: bool
    boolean: bool


_LISTS: dict[Any, str] = {
    int: "INTS",
    bool: "INTS",
    float: "FLOATS",
    str: "STRINGS",
    np.ndarray: "TENSORS",
}


def _parse_annotation(member: str, hint: Any) -> Declared:
    optional = False
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        arms = [arm for arm in typing.get_args(hint) if arm is not type(None)]
        optional = len(arms) < len(typing.get_args(hint))
        hint = arms[0] if len(arms) == 1 else None
    base = typing.get_origin(hint) or hint
    name = ""
    if base is list:
        (item,) = typing.get_args(hint) or (Any,)
        name = _LISTS.get(typing.get_origin(item) or item, "")
    elif isinstance(base, type):
        name = _LISTS.get(base, "")[:-1]
    return Declared(member, AttributeKind[name] if name else None, optional, base is bool)


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of `cls` alone, without class variables; None for one that cannot be
    evaluated.
    """
    scope = vars(sys.modules[cls.__module__])
    found: dict[str, Any] = {}
    for member, hint in inspect.get_annotations(cls).items():
        if isinstance(hint, str):
            if "ClassVar" in hint:
                continue
            try:
                hint = eval(hint, dict(scope), dict(vars(cls)))
            except (NameError, AttributeError, TypeError):
                hint = None
        if typing.get_origin(hint) is not typing.ClassVar and not member.startswith("_"):
            found[member] = hint
    return found


def declared(cls: type, root: type) -> dict[str, Declared]:
    """The attributes that `cls` and its bases below `root` declare, by the model's name.

    Names with a leading underscore, class variables and what `root` annotates itself declare
    nothing.
    """
    reserved = inspect.get_annotations(root)
    found: dict[str, Declared] = {}
    for base in reversed(cls.__mro__):
        if base in root.__mro__:
            continue
        for member, hint in _annotations(base).items():
            if member in reserved:
                continue
            if hasattr(root, member):
                raise OperatorAttributeError(
                    f"{cls.__name__} declares the attribute '{member}', which {root.__name__} "
                    f"itself uses; declare it as '{member}_'."
                )
            found[member.removesuffix("_")] = _parse_annotation(member, hint)
    return found


def bind(
    who: str,
    cls: type,
    members: Mapping[str, Declared],
    schema: Mapping[str, AttributeSpec],
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """A value for each of the declared `members` of `cls`, by Python member.

    `who` names the operator in messages. Raises OperatorAttributeError for an attribute that is
    unknown, missing, or of the wrong type. One that the schema has and the class does not declare
    may be given with its default value only.
    """
    for name, value in given.items():
        if name not in members and not _is_default(schema.get(name), value):
            raise _unknown(who, name, value, members, schema)
    return {
        item.member: _value(who, cls, name, item, schema.get(name), given)
        for name, item in members.items()
    }


def _is_default(spec: AttributeSpec | None, value: Any) -> bool:
    return spec is not None and spec.default is not None and spec.default == value


def _unknown(
    who: str, name: str, value: Any, members: Mapping[str, Any], schema: Mapping[str, Any]
) -> OperatorAttributeError:
    if name in schema:
        return OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r}, which popir's implementation does not "
            f"support."
        )
    takes = f"the operator takes {', '.join(members)}" if members else "the operator takes none"
    return OperatorAttributeError(
        f"{who}: unknown attribute '{name}' (value {value!r}); {takes}."
        f"{did_you_mean(name, members)}"
    )


def _value(
    who: str,
    cls: type,
    name: str,
    item: Declared,
    spec: AttributeSpec | None,
    given: Mapping[str, Any],
) -> Any:
    value = given.get(name)
    if value is None and spec is not None:
        value = spec.default
    if value is None:
        value = getattr(cls, item.member, None)
    if value is None:
        if item.optional or (spec is not None and not spec.required):
            return None
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is required, and was not given."
        )
    return _coerce(who, name, value, item, spec)


def _coerce(who: str, name: str, value: Any, item: Declared, spec: AttributeSpec | None) -> Any:
    kind = spec.kind if spec is not None else item.kind
    if kind is not None:
        value = coerce(who, name, kind, value)
    elif isinstance(value, list):
        value = list(value)
    return bool(value) if item.boolean else value


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
