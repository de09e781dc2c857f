"""Operators that are alike: what one of them gives, all of them give.

Models repeat themselves. What an operator of popir itself computes, and how, depends on nothing
else than its class, members and annotations, types and shapes of its tensors, and the values of its
constants. `popir._device.popart.Likeness` has all that in one number. `may_be_copied` says which
operators may stand for others: a copy of one, connected elsewhere, is what its own code would make
there.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any

from popir.ir.graph import Op
from popir.types import TensorInfo

ELSEWHERE = frozenset({"id", "settings", "input", "output", "twin", "called_names"})
"""Members of an operator that say where it is, or that are compared by themselves."""
_PLAIN = frozenset({type(None), bool, int, str})
"""Types of which equal values of one type are the same."""
_PARAMETERS = "__dataclass_params__"
"""Where a dataclass has the arguments of its decorator."""


@functools.cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of immutable objects; None for any other class."""
    if not dataclasses.is_dataclass(kind) or not getattr(kind, _PARAMETERS).frozen:
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


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
        and all(_is_plain(value) for name, value in vars(op).items() if name not in ELSEWHERE)
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
