"""Attribute binding: sets the attributes that an operator class declares.

A class declares its attributes as annotations:

    class LeakyReluOp(Op):
        alpha: float

`bind` takes the first of these that exists:

1. the value in the model;
2. the default of the operator's schema;
3. the default of the class (`alpha: float = 0.01`);
4. None, if the schema or the annotation (`float | None`) makes the attribute optional.

An attribute named like a Python keyword is declared with an underscore after it (`lambda_`).
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir.attributes import AttributeKind, AttributeSpec, coerce, truth, unknown_attribute


@dataclass(frozen=True)
class Declared:
    """One attribute that a class declares."""

    member: str
    """The name of the Python member, such as `lambda_`. The key in `declared` is the ONNX name."""
    kind: AttributeKind | None
    """None if the annotation matches no ONNX kind: then any value is accepted."""
    optional: bool
    """True if the annotation allows None."""
    boolean: bool
    """True if the annotation is `bool`: the model has 0 or 1."""


_LISTS: dict[Any, str] = {
    int: "INTS",
    bool: "INTS",
    float: "FLOATS",
    str: "STRINGS",
    np.ndarray: "TENSORS",
}
_TEXTS = {AttributeKind.STRING, AttributeKind.STRINGS}


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
    """The annotations of `cls` itself, without its bases' and without class variables.

    The value is None for an annotation that cannot be evaluated.
    """
    module = sys.modules.get(cls.__module__)  # None for code that was run from a string.
    scope = vars(module) if module else {}
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
    """The attributes that `cls` and its bases up to `root` declare, by ONNX name.

    Names with a leading underscore, class variables and the annotations of `root` itself are
    skipped. Raises OperatorAttributeError if an attribute has the name of a member of `root`.
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
    """The value of each declared attribute in `members`, by the name of its Python member.

    `given` has the model's values by ONNX name; `who` names the operator in messages. Raises
    OperatorAttributeError for an attribute that is unknown, missing, or of the wrong type. An
    attribute that is in the schema but not in the class is accepted only with its default value.
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
    return unknown_attribute(who, name, value, members)


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
    if spec is not None:
        value = spec.coerce(who, value)
    elif item.kind is not None:
        value = coerce(who, name, item.kind, value)
    elif isinstance(value, list):
        value = list(value)
    if item.kind in _TEXTS:
        texts = value if isinstance(value, list) else [value]
        wrong = next((text for text in texts if isinstance(text, bytes)), None)
        if wrong is not None:
            raise OperatorAttributeError(
                f"{who}: the attribute '{name}' is text in UTF-8; given was {wrong!r:.60}."
            )
    return bool(truth(who, name, value)) if item.boolean else value
