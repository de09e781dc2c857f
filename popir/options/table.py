"""What an option is: a row of one table, which stands in the classes that hold the options.

A class of options is a dataclass below `Settings`. Each of its fields is declared by `acts`,
`refused`, `noMeaning` or `nested`, beside its type and default. Checks on assignment, refusals,
warnings, `popir options`, docs/options.md and the test of every field read these declarations.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import inspect
import math
import os
import types
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from popir.errors import did_you_mean, popart_exception
from popir.typed import fitter, shown, words

T = TypeVar("T")


class Kind(enum.Enum):
    """What setting an option to another value than its default comes to."""

    ACTS = "acts"
    """It does what its name says."""
    REFUSED = "refused"
    """Making a session with it raises popart_exception, with the row's words."""
    NO_MEANING = "no-meaning"
    """Nothing here depends on it, for the row's reason: OptionWarning says so, once."""


class OptionWarning(UserWarning):
    """An option was set that has no meaning here."""


@dataclass(frozen=True)
class Row:
    """One option."""

    name: str
    """Its name; of a nested one, with dots."""
    type: str
    """Type and range, in words."""
    default: Any
    kind: Kind
    reason: str
    """What it does; why it is refused; why it has no meaning."""
    test: str = ""
    """Of an option that acts: the id of the test that shows it."""
    isCompiled: bool = True
    """Whether the device program may depend on it."""
    refuses: Mapping[Any, str] = field(default_factory=dict)
    """Single values of an option that acts which are refused, with the words."""
    needs: str = ""
    """Of an option that acts only beside others: what these have to be."""

    def asJson(self) -> dict[str, Any]:
        """The row as JSON."""
        return {
            "name": self.name,
            "kind": self.kind.value,
            "reason": self.reason,
            "type": self.type,
            "default": shown(self.default),
            "test": self.test or None,
            "needs": self.needs or None,
            "refused_values": {shown(value): why for value, why in self.refuses.items()},
        }


@dataclass(frozen=True)
class Needs:
    """What the other options of a session have to be for one to act."""

    words: str
    """As "virtualGraphMode is Auto"."""
    holds: Callable[[Any], bool]
    """Whether they are, in the object that holds all of them."""


@dataclass(frozen=True)
class _Declared:
    """What a class says of one of its fields."""

    kind: Kind
    reason: str
    test: str = ""
    isCompiled: bool = True
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    refuses: Mapping[Any, str] = field(default_factory=dict)
    needs: Needs | None = None


def acts(
    default: T,
    what: str,
    test: str,
    *,
    isCompiled: bool = True,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    refuses: Mapping[Any, str] | None = None,
    needs: Needs | None = None,
) -> T:
    """Declares an option that does something: `what`, as the test of the id `test` shows.

    Args:
        isCompiled: whether the device program may depend on it.
        least, most: the range of a number.
        choices: the values of a string.
        refuses: single values that are refused, with the reasons.
        needs: what other options have to be; where they are not, a session warns that it has no
            effect.
    """
    return _field(
        default,
        _Declared(Kind.ACTS, what, test, isCompiled, least, most, choices, refuses or {}, needs),
    )


def refused(default: T, why: str, *, least: float | None = None, most: float | None = None) -> T:
    """Declares an option that a session refuses unless it is at its default."""
    return _field(default, _Declared(Kind.REFUSED, why, least=least, most=most))


def noMeaning(
    default: T,
    why: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declares an option that nothing here depends on, whatever its value."""
    declared = _Declared(
        Kind.NO_MEANING, why, isCompiled=False, least=least, most=most, choices=choices
    )
    return _field(default, declared)


def nested(make: Callable[[], T]) -> T:
    """Declares a field that holds further options: an object of a class below `Settings`."""
    return dataclasses.field(default_factory=make)  # pyright: ignore[reportReturnType]


def _field(default: Any, declared: _Declared) -> Any:
    metadata = {"declared": declared}
    if isinstance(default, (list, dict, set)):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class UnknownOptionError(popart_exception, AttributeError):
    """A name that no option has; an AttributeError too, as for any name."""


class Settings:
    """Base of classes of options; a subclass is a dataclass.

    Assigning a value of another type, or outside of the range, raises popart_exception; a name that
    does not exist, UnknownOptionError. A nested object is copied when it is assigned.
    """

    _owner: tuple[Settings, str] | None = None
    """The object that this one is part of, and the name of this part there, ending in a dot."""
    _told: set[str]
    """The options of which a warning was given."""
    ALIASES: ClassVar[Mapping[str, str]] = {}
    """Names that PopART has given up, and those that it has now."""

    def __setattr__(self, name: str, value: Any) -> None:
        name = self._current(name)
        declared = _fields(type(self)).get(name)
        if declared is None:
            near = did_you_mean(name, _fields(type(self)))
            raise UnknownOptionError(f"{type(self).__name__} has no option '{name}'.{near}")
        value = self._fitting(name, value)
        if isinstance(value, Settings):
            value = dataclasses.replace(value)  # pyright: ignore[reportArgumentType]
            object.__setattr__(value, "_owner", (self, f"{name}."))
        object.__setattr__(self, name, value)
        root, path = self._place()
        if root is not None:
            leaves = list(_leaves(value, f"{path}{name}.")) if declared.declared is None else []
            for leaf in leaves or [(f"{path}{name}", declared, value)]:
                root.tellOnce(*leaf)

    def __getattr__(self, name: str) -> Any:
        if name in type(self).ALIASES:
            return getattr(self, self._current(name))
        raise UnknownOptionError(
            f"{type(self).__name__} has no option '{name}'."
            f"{did_you_mean(name, _fields(type(self)))}"
        )

    def _current(self, name: str) -> str:
        now = type(self).ALIASES.get(name)
        if now is None:
            return name
        warn(f"{type(self).__name__}.{name} is PopART's former name of {now}.", DeprecationWarning)
        return now

    def _place(self) -> tuple[SessionSettings | None, str]:
        """The object of a session's options that this is part of, and the path to here."""
        if isinstance(self, SessionSettings):
            return self, ""
        if self._owner is None:
            return None, ""
        root, path = self._owner[0]._place()
        return root, path + self._owner[1]

    def _fitting(self, name: str, value: Any) -> Any:
        """The value in the option's own type. Raises popart_exception if it does not fit."""
        known = _fields(type(self))[name]
        try:
            return _converted(known.hint, known.declared, value)
        except ValueError as error:
            root, path = self._place()
            who = f"{type(root or self).__name__}.{path}{name}"
            raise popart_exception(
                f"{who} takes {typeText(known.hint, known.declared)}; given was "
                f"{shown(value)}.{error}"
            ) from None


class SessionSettings(Settings):
    """Base of the class that holds all options of a session."""

    def check(self) -> None:
        """What a session asks of its options before it is made.

        Raises popart_exception for what is refused, and for lists and maps that have got what does
        not fit. Warns of lists and maps that have no meaning, and of what has no effect beside the
        other options, if nobody has yet.
        """
        for name, known, value in _leaves(self, ""):
            declared = known.declared
            assert declared is not None
            holder, _, own = name.rpartition(".")
            operator_ = functools.reduce(getattr, holder.split("."), self) if holder else self
            operator_._fitting(own, value)
            if declared.kind is Kind.REFUSED and value != known.default():
                raise popart_exception(
                    f"{type(self).__name__}.{name} = {shown(value)}: {declared.reason} "
                    f"Leave it at {shown(known.default())}."
                )
            if declared.refuses and value in declared.refuses:
                raise popart_exception(
                    f"{type(self).__name__}.{name} = {shown(value)}: {declared.refuses[value]}"
                )
            self.tellOnce(name, known, value)
            needs = declared.needs
            if needs is not None and value != known.default() and not needs.holds(self):
                self._warnOnce(name, value, f"has no effect: it acts only where {needs.words}.")

    def tellOnce(self, name: str, known: _Known, value: Any) -> None:
        """Warns of an option that has no meaning, unless it is at its default or that was said."""
        declared = known.declared
        if declared is None or declared.kind is not Kind.NO_MEANING or value == known.default():
            return
        self._warnOnce(name, value, f"has no meaning here: {declared.reason}")

    def tellWithout(self, needs: Needs, why: str) -> None:
        """Warns of the options that act only where `needs` holds, where a session knows better."""
        for name, known, value in _leaves(self, ""):
            declared = known.declared
            if declared is not None and declared.needs is needs and value != known.default():
                self._warnOnce(name, value, f"has no effect: {why}.")

    def _warnOnce(self, name: str, value: Any, words: str) -> None:
        told: set[str] = self.__dict__.setdefault("_told", set())
        if name not in told:
            told.add(name)
            warn(f"{type(self).__name__}.{name} = {shown(value)} {words}", OptionWarning)

    def compiled(self) -> dict[str, Any]:
        """The values that a device program may depend on, by name."""
        found: dict[str, Any] = {}
        for name, known, value in _leaves(self, ""):
            assert known.declared is not None
            if known.declared.isCompiled:
                found[name] = value
        return found


def rows(cls: type[Settings], path: str = "") -> list[Row]:
    """The table of a class of options, nested ones with dots."""
    found: list[Row] = []
    for name, known in _fields(cls).items():
        if known.declared is None:
            found += rows(known.hint, f"{path}{name}.")
            continue
        d = known.declared
        text = typeText(known.hint, d)
        needs = d.needs.words if d.needs is not None else ""
        reason = f"{d.reason} It acts only where {needs}." if needs else d.reason
        own = (d.kind, reason, d.test, d.isCompiled, d.refuses, needs)
        found.append(Row(path + name, text, known.default(), *own))
    return found


# How fields are found.


@dataclass(frozen=True)
class _Known:
    hint: Any
    declared: _Declared | None
    """None for a nested object."""
    default: Callable[[], Any]


@functools.cache
def _fields(cls: type[Settings]) -> dict[str, _Known]:
    hints = typing.get_type_hints(cls)
    found: dict[str, _Known] = {}
    for each in dataclasses.fields(cls):  # pyright: ignore[reportArgumentType]
        make: Any = each.default_factory
        if make is dataclasses.MISSING:
            make = functools.partial(_same, each.default)
        found[each.name] = _Known(hints[each.name], each.metadata.get("declared"), make)
    return found


def _same(value: T) -> T:
    return value


def _leaves(settings: Settings, path: str) -> Iterator[tuple[str, _Known, Any]]:
    for name, known in _fields(type(settings)).items():
        value = getattr(settings, name)
        if known.declared is None:
            yield from _leaves(value, f"{path}{name}.")
        else:
            yield path + name, known, value


# Types.


def _converted(hint: Any, declared: _Declared | None, value: Any) -> Any:
    """`value` as an object of `hint`, of its own. Raises ValueError, whose words may help, if it is
    none.
    """
    value = fitter(hint)(_withoutPaths(value))
    if isinstance(value, (list, dict, set)):
        if isinstance(value, list) and declared is not None:
            _checkRange(declared, *value)
        return copy.copy(value)  # pyright: ignore[reportUnknownVariableType]
    if declared is None or value is None:
        return value
    if declared.choices and value not in declared.choices:
        raise ValueError(did_you_mean(value, declared.choices))
    _checkRange(declared, value)
    return value


def _checkRange(declared: _Declared, *values: Any) -> None:
    """Raises ValueError for a number that is not in the range, or is none."""
    for value in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            isBelow = declared.least is not None and value < declared.least
            isAbove = declared.most is not None and value > declared.most
            if isBelow or isAbove or math.isnan(value):
                raise ValueError


def _withoutPaths(value: Any) -> Any:
    """Options are text, also those that name files: a path is given as what it is called."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list):
        return [_withoutPaths(each) for each in value]
    return value


def typeText(hint: Any, declared: _Declared | None = None) -> str:
    """A type and its range, in words: "an integer of at least 1"."""
    optional = " or None" if types.NoneType in typing.get_args(hint) else ""
    if declared is not None and declared.choices:
        return f"one of {', '.join(map(repr, declared.choices))}{optional}"
    return words(hint).removesuffix(optional) + _range(declared) + optional


def _range(declared: _Declared | None) -> str:
    if declared is None or (declared.least is None and declared.most is None):
        return ""
    if declared.most is None:
        return f" of at least {declared.least:g}"
    if declared.least is None:
        return f" of at most {declared.most:g}"
    return f" from {declared.least:g} to {declared.most:g}"


# Warnings.


def warn(text: str, kind: type[Warning]) -> None:
    """Gives a warning, at the line outside of popir that led here."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("popir."):
        frame = frame.f_back
        level += 1
    warnings.warn(text, kind, stacklevel=level)
