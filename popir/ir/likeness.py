"""Operators that are alike: what one of them gives, all of them give.

Models repeat themselves. What an operator of popir itself computes, and how, depends on nothing
else than its class, members and annotations, types and shapes of its tensors, and the values of its
constants. `Likeness.of` has all that in one key. `may_be_copied` says which operators may stand for
others: a copy of one, connected elsewhere, is what its own code would make there.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Hashable
from typing import Any

from popir.ir.graph import Op, Tensor, TensorType
from popir.types import TensorInfo

_ELSEWHERE = frozenset({"id", "settings", "input", "output", "twin", "called_names"})
"""Members of an operator that say where it is, or that are compared by themselves."""
_PLAIN = frozenset({type(None), bool, int, str})
"""Types of which equal values of one type are the same."""
_INTEGERS = frozenset({int})
_PARAMETERS = "__dataclass_params__"
"""Where a dataclass has the arguments of its decorator."""
_SMALL = 1 << 10
"""The bytes up to which constants are compared by value; larger ones must be the same array."""


class Likeness:
    """Keys of operators, which are equal if the operators are alike as far as the IR says."""

    def __init__(self) -> None:
        self._forms: dict[int, tuple[object, Hashable]] = {}
        """The forms of immutable objects, which many operators share, by id; and the objects."""
        self._infos: dict[TensorInfo | None, int] = {}
        self._numbers: dict[int, tuple[int, TensorInfo | None]] = {}
        """For each type and shape a number, by id; and the object."""

    def of(self, op: Op) -> Hashable:
        """The key of an operator."""
        key: list[Hashable] = [op.__class__]
        for name, value in vars(op).items():
            if name not in _ELSEWHERE:
                kind = value.__class__
                key += (name, kind, value if kind in _PLAIN else self._form(value))
        if notes := op.settings.nodeAttributes:
            key.append(self._form(notes))
        key.append(len(op.input))
        for i, tensor in op.input.items():
            key += (i, self._number(tensor.info), id(tensor.tensorType))
            if tensor.tensorType is TensorType.Const:
                key.append(_value(tensor))
        for o, tensor in op.output.items():
            key += (o, self._number(tensor.info))
        return tuple(key)

    def _number(self, info: TensorInfo | None) -> int:
        known = self._numbers.get(id(info))
        if known is None:
            number = self._infos.setdefault(info, len(self._infos))
            known = self._numbers[id(info)] = number, info
        return known[0]

    def _form(self, value: Any) -> Hashable:
        """A value to compare: numbers, text, collections and immutable dataclasses by what they
        hold, anything else by identity.
        """
        kind = value.__class__
        if kind in _PLAIN:
            return kind, value
        if kind is TensorInfo:
            return kind, self._number(value)
        if kind is float:
            return kind, value.hex()
        if kind is list or kind is tuple:
            if _INTEGERS.issuperset(map(type, value)):
                return kind, tuple(value)
            return kind, tuple([self._form(each) for each in value])
        if kind is dict:
            if not value:
                return kind
            return kind, tuple([(self._form(k), self._form(v)) for k, v in value.items()])
        known = self._forms.get(id(value))
        if known is None:
            fields = _fields(kind)
            if fields is None:
                return kind, id(value)
            form = kind, tuple([self._form(getattr(value, field)) for field in fields])
            known = self._forms[id(value)] = value, form
        return known[1]


@functools.cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of immutable objects; None for any other class."""
    if not dataclasses.is_dataclass(kind) or not getattr(kind, _PARAMETERS).frozen:
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


def _value(tensor: Tensor) -> Hashable:
    data = tensor.data
    if data is None:
        return None
    return data.tobytes() if data.nbytes <= _SMALL and data.dtype != object else id(data)


def is_own(op: Op) -> bool:
    """Whether the operator is popir's own, in Python: it asks for nothing but what is compared."""
    return op.source == "built in" and type(op).__module__.startswith("popir.")


def may_be_copied(op: Op) -> bool:
    """Whether `Op.clone` of an operator may stand for another one like it. Not those of users and
    libraries, nor those that call graphs, draw random numbers, or hold what is not a plain value.
    """
    return (
        is_own(op)
        and type(op).clone is Op.clone
        and not (op.openAttributes or op.getCalledGraphs())
        and not (op.requiresRandomSeed() or op.hasSideEffect())
        and all(_is_plain(value) for name, value in vars(op).items() if name not in _ELSEWHERE)
    )


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind in _PLAIN or kind in (float, TensorInfo) or isinstance(value, enum.Enum):
        return True
    if kind in (list, tuple, set, frozenset):
        return all(map(_is_plain, value))
    if kind is dict:
        return all(_is_plain(each) for item in value.items() for each in item)
    fields = _fields(kind)
    return fields is not None and all(_is_plain(getattr(value, name)) for name in fields)
