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
from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
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
        self._numbers: dict[int, tuple[int, object]] = {}
        """For each object that operators share, the number of its form, by id; and the object."""
        self._forms: dict[Hashable, int] = {}
        """The numbers of forms: see `_number`."""
        self._members: dict[tuple[str, ...], _Members] = {}
        """What to compare of operators, by the names of their members."""
        self._kinds: dict[tuple[Any, ...], tuple[int, list[int], list[int]]] = {}
        """By a class, its members and their types: a number, and the positions of members that are
        not plain, those that copies of an operator share and those that they do not.
        """

    def of(self, op: Op) -> Hashable:
        """The key of an operator."""
        values = op.__dict__
        names = tuple(values)
        members = self._members.get(names)
        if members is None:
            members = self._members[names] = _Members(names)
        compared = members.of(values)
        kinds = op.__class__, members, *map(type, compared)
        known = self._kinds.get(kinds)
        if known is None:
            known = self._kinds[kinds] = self._positions(op, members, kinds[2:])
        key: list[Hashable] = [known[0], len(op.input), *compared]
        numbers = self._numbers
        for n in known[1]:
            value = compared[n]
            found = numbers.get(id(value))
            key[n + 2] = self._shared(value) if found is None else found[0]
        for n in known[2]:
            key[n + 2] = self._number(compared[n])
        if notes := op.settings.nodeAttributes:
            key += (None, self._number(notes))
        for i, tensor in op.input.items():
            found = numbers.get(id(tensor.info))
            number = self._number(tensor.info) if found is None else found[0]
            kind = tensor.tensorType
            key += (i, number, id(kind))
            if kind is TensorType.Const:
                key.append(_value(tensor))
        for o, tensor in op.output.items():
            found = numbers.get(id(tensor.info))
            key += (o, self._number(tensor.info) if found is None else found[0])
        return tuple(key)

    def _positions(
        self, op: Op, members: _Members, kinds: Sequence[type]
    ) -> tuple[int, list[int], list[int]]:
        own = {item.member for item in op.declaredAttributes().values()} | {"_open"}
        others = [n for n, kind in enumerate(kinds) if kind not in _PLAIN]
        return (
            len(self._kinds),
            [n for n in others if members.names[n] not in own],
            [n for n in others if members.names[n] in own],
        )

    def _shared(self, value: Any) -> int:
        """The number of the form of a member that `Op.clone` does not copy. So nobody changes what
        it holds, and the number is kept.
        """
        number = self._number(value)
        self._numbers[id(value)] = number, value
        return number

    def _number(self, value: Any) -> int:
        """The number of the form of a value. That of an immutable object is kept."""
        kind = value.__class__
        known = self._numbers.get(id(value))
        if known is not None:
            return known[0]
        if kind is dict and not value:
            return -1
        number = self._forms.setdefault(self._form(value), len(self._forms))
        if kind is TensorInfo or _fields(kind) is not None:
            self._numbers[id(value)] = number, value
        return number

    def _form(self, value: Any) -> Hashable:
        """A value to compare: numbers, text, collections and immutable dataclasses by what they
        hold, anything else by identity.
        """
        kind = value.__class__
        if kind in _PLAIN or kind is TensorInfo:
            return kind, value
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
        fields = _fields(kind)
        if fields is None:
            return kind, id(value)
        return kind, tuple([self._number(getattr(value, field)) for field in fields])


class _Members:
    """The members of an operator that are compared."""

    def __init__(self, names: tuple[str, ...]) -> None:
        compared = self.names = [name for name in names if name not in _ELSEWHERE]
        self.of: Callable[[dict[str, Any]], tuple[Any, ...]] = (
            itemgetter(*compared)
            if len(compared) > 1
            else lambda values: tuple(values[name] for name in compared)
        )
        """Takes them out of the dict of all members."""


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
    return op.source == "built in" and is_of_popir(op.__class__)


@functools.cache
def is_of_popir(cls: type) -> bool:
    """Whether a class is popir's own."""
    return cls.__module__.startswith("popir.")


def _may_draw(cls: type[Op]) -> bool:
    """Whether operators of a class may draw random numbers: at the latest when it is known that the
    graph is trained, as Dropout.
    """
    return cls.requiresRandomSeed is not Op.requiresRandomSeed


def may_be_copied(op: Op) -> bool:
    """Whether `Op.clone` of an operator may stand for another one like it. Not those of users and
    libraries, nor those that call graphs, draw random numbers, or hold what is not a plain value.
    """
    return (
        is_own(op)
        and type(op).clone is Op.clone
        and not (op.openAttributes or op.getCalledGraphs())
        and not (_may_draw(type(op)) or op.hasSideEffect())
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
