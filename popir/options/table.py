"""The table of options: each field of an options class is one row.

A class of options is a dataclass derived from `Settings`. Each field is declared by `acts`,
`refused`, `no_meaning` or `nested`, with its type and default. Checks on assignment, refusals,
warnings, `popir options`, docs/options.md and the test of every field use these declarations.
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
    """The consequence of setting an option to another value than its default."""

    ACTS = "acts"
    """The option has the effect described in its row."""
    REFUSED = "refused"
    """Making a session with it raises popart_exception with the row's reason."""
    NO_MEANING = "no-meaning"
    """It has no effect, for the row's reason. An OptionWarning is given once."""


class OptionWarning(UserWarning):
    """A warning of an option that was set but has no effect."""


@dataclass(frozen=True)
class Row:
    """One option of the table: name, type, default, and its effect or the reason for having
    none.
    """

    name: str
    """The name; for a nested option, with dots."""
    type: str
    """The type and range, in words."""
    default: Any
    kind: Kind
    reason: str
    """What it does, why it is refused, or why it has no effect."""
    test: str = ""
    """For an option that acts: the id of the test that shows it."""
    is_compiled: bool = True
    """Whether the device program may depend on it."""
    refuses: Mapping[Any, str] = field(default_factory=dict)
    """For an option that acts: values that are refused, with the reasons."""
    needs: str = ""
    """For an option that acts only together with others: what these must be."""

    def as_json(self) -> dict[str, Any]:
        """The row as a dict of JSON values."""
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
    """A condition on other options, without which an option has no effect."""

    words: str
    """The condition in words, such as "virtualGraphMode is Auto"."""
    holds: Callable[[Any], bool]
    """Whether the condition holds, for the object with all options."""


@dataclass(frozen=True)
class _Declared:
    """The declaration of one field."""

    kind: Kind
    reason: str
    test: str = ""
    is_compiled: bool = True
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
    is_compiled: bool = True,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    refuses: Mapping[Any, str] | None = None,
    needs: Needs | None = None,
) -> T:
    """Declares an option that has an effect.

    Args:
        default: its default value.
        what: a description of the effect.
        test: the id of the test that shows it.
        is_compiled: whether the device program may depend on it.
        least, most: the range of a number.
        choices: the possible values of a string.
        refuses: single values that are refused, with the reasons.
        needs: a condition on other options; a session warns if it does not hold.
    """
    return _field(
        default,
        _Declared(Kind.ACTS, what, test, is_compiled, least, most, choices, refuses or {}, needs),
    )


def refused(
    default: T,
    why: str,
    *,
    least: float | None = None,
    most: float | None = None,
) -> T:
    """Declares an option that a session accepts only at its default; `why` is the reason for users.
    `least` and `most` are the range of a number.
    """
    return _field(default, _Declared(Kind.REFUSED, why, least=least, most=most))


def no_meaning(
    default: T,
    why: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declares an option that has no effect, whatever its value; `why` is the reason for users. The
    other arguments are those of `acts`.
    """
    declared = _Declared(
        Kind.NO_MEANING, why, is_compiled=False, least=least, most=most, choices=choices
    )
    return _field(default, declared)


def nested(make: Callable[[], T]) -> T:
    """Declares a field with further options: an object of a class derived from `Settings`."""
    return dataclasses.field(default_factory=make)  # pyright: ignore[reportReturnType]


def _field(default: Any, declared: _Declared) -> Any:
    metadata = {"declared": declared}
    if isinstance(default, (list, dict, set)):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class UnknownOptionError(popart_exception, AttributeError):
    """An unknown option name. Also an AttributeError, as for any unknown attribute."""


class Settings:
    """The base class of options classes; a subclass is a dataclass.

    Assigning a value of a wrong type or out of range raises popart_exception; assigning an unknown
    name raises UnknownOptionError. A nested object is copied when it is assigned.
    """

    _owner: tuple[Settings, str] | None = None
    """The object that contains this one, and the name of this part in it, ending in a dot."""
    _told: set[str]
    """The options already warned of."""
    ALIASES: ClassVar[Mapping[str, str]] = {}
    """PopART's old names of options, and the present ones."""
    EXCEPT: ClassVar[Mapping[str, Any]] = {}
    """Options of nested objects, by their whole names, that are declared otherwise than the others
    of their class.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        declared = _fields(type(self)).get(name)
        if declared is None:
            name = self._current(name)
            declared = _fields(type(self)).get(name)
        if declared is None:
            near = did_you_mean(name, _fields(type(self)))
            raise UnknownOptionError(f"{type(self).__name__} has no option '{name}'.{near}")
        if declared.is_constant(value):
            object.__setattr__(self, name, value)
            return
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
        """The session's options that contain this object, and the path from there to here."""
        if isinstance(self, SessionSettings):
            return self, ""
        if self._owner is None:
            return None, ""
        root, path = self._owner[0]._place()
        return root, path + self._owner[1]

    def _fitting(self, name: str, value: Any) -> Any:
        """The value converted to the option's type. Raises popart_exception if it does not fit."""
        known = _fields(type(self))[name]
        try:
            return _converted(known.hint, known.declared, value)
        except ValueError as error:
            root, path = self._place()
            who = f"{type(root or self).__name__}.{path}{name}"
            raise popart_exception(
                f"{who} takes {type_text(known.hint, known.declared)}; given was "
                f"{shown(value)}.{error}"
            ) from None


class SessionSettings(Settings):
    """The base class of the class with all options of a session."""

    def check(self) -> None:
        """Checks all options before a session is made.

        Raises popart_exception for refused options, and for lists and maps with wrong items. Warns,
        if that was not done on assignment, of options that have no effect at all or together with
        the other options.
        """
        for name, known, value in _leaves(self, "", changed=True):
            declared = _declared(type(self), name, known)
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
                self._warn_once(name, value, f"has no effect: it acts only where {needs.words}.")

    def tellOnce(self, name: str, known: _Known, value: Any) -> None:
        """Warns once of an option without effect that is not at its default."""
        declared = _declared(type(self), name, known)
        if declared is None or declared.kind is not Kind.NO_MEANING or value == known.default():
            return
        self._warn_once(name, value, f"has no meaning here: {declared.reason}")

    def tell(self, prefix: str, why: str) -> None:
        """Warns once of each option whose name begins with `prefix` and that is not at its default:
        it has no effect, for the reason `why`.
        """
        for name, known, value in _leaves(self, "", changed=True):
            if name.startswith(prefix) and value != known.default():
                self._warn_once(name, value, f"has no effect: {why}.")

    def tellWithout(self, needs: Needs, why: str) -> None:
        """Warns of the options that need the condition `needs`, when a session finds that it does
        not hold.
        """
        for name, known, value in _leaves(self, "", changed=True):
            declared = _declared(type(self), name, known)
            if declared is not None and declared.needs is needs and value != known.default():
                self._warn_once(name, value, f"has no effect: {why}.")

    def _warn_once(self, name: str, value: Any, words: str) -> None:
        told: set[str] = self.__dict__.setdefault("_told", set())
        if name not in told:
            told.add(name)
            warn(f"{type(self).__name__}.{name} = {shown(value)} {words}", OptionWarning)

    def compiled(self) -> dict[str, Any]:
        """The values on which a device program may depend, by name."""
        found: dict[str, Any] = {}
        for name, known, value in _leaves(self, ""):
            declared = _declared(type(self), name, known)
            assert declared is not None
            if declared.is_compiled:
                found[name] = value
        return found


def rows(cls: type[Settings]) -> list[Row]:
    """The rows of a class of options; nested names have dots."""
    return _rows(cls, cls, "")


def _rows(root: type[Settings], cls: type[Settings], path: str) -> list[Row]:
    found: list[Row] = []
    for name, known in _fields(cls).items():
        d = _declared(root, path + name, known)
        if d is None:
            found += _rows(root, known.hint, f"{path}{name}.")
            continue
        text = type_text(known.hint, d)
        needs = d.needs.words if d.needs is not None else ""
        reason = f"{d.reason} It acts only where {needs}." if needs else d.reason
        own = (d.kind, reason, d.test, d.is_compiled, d.refuses, needs)
        found.append(Row(path + name, text, known.default(), *own))
    return found


# How fields are found.


@dataclass(frozen=True)
class _Known:
    hint: Any
    declared: _Declared | None
    """None for a nested object."""
    default: Callable[[], Any]
    constant: Any
    """The default, if it cannot be changed; else what no option is."""

    def is_constant(self, value: Any) -> bool:
        """Whether a value is the default itself, which fits, and of which there is nothing to tell.
        Most options are left at it, and every session looks at all of them.
        """
        return value is self.constant


@functools.cache
def _fields(cls: type[Settings]) -> dict[str, _Known]:
    hints = typing.get_type_hints(cls)
    found: dict[str, _Known] = {}
    for each in dataclasses.fields(cls):  # pyright: ignore[reportArgumentType]
        make: Any = each.default_factory
        if make is dataclasses.MISSING:
            make = functools.partial(_same, each.default)
        declared = each.metadata.get("declared")
        found[each.name] = _Known(hints[each.name], declared, make, each.default)
    return found


def _same(value: T) -> T:
    return value


def _declared(root: type[Settings], name: str, known: _Known) -> _Declared | None:
    """The declaration of an option of `root`, by its whole name; None for a nested object."""
    other = root.EXCEPT.get(name)
    return known.declared if other is None else other.metadata["declared"]


def _leaves(
    settings: Settings, path: str, changed: bool = False
) -> Iterator[tuple[str, _Known, Any]]:
    """The options of an object that lies at `path`: their whole names, what is known of them, and
    their values. If `changed`, without those that are left at the default.
    """
    values = vars(settings)
    for name, known in _fields(type(settings)).items():
        value = values[name]
        if changed and value is known.constant:
            continue
        if known.declared is None:
            yield from _leaves(value, f"{path}{name}.", changed)
        else:
            yield path + name, known, value


# Types.


def _converted(hint: Any, declared: _Declared | None, value: Any) -> Any:
    """`value` converted to `hint`, as a copy. Raises ValueError, maybe with a hint, if it does not
    fit.
    """
    value = fitter(hint)(_without_paths(value))
    if isinstance(value, (list, dict, set)):
        if isinstance(value, list) and declared is not None:
            _check_range(declared, *value)
        return copy.copy(value)  # pyright: ignore[reportUnknownVariableType]
    if declared is None or value is None:
        return value
    if declared.choices and value not in declared.choices:
        raise ValueError(did_you_mean(value, declared.choices))
    _check_range(declared, value)
    return value


def _check_range(declared: _Declared, *values: Any) -> None:
    """Raises ValueError for a number that is out of range or NaN."""
    for value in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            is_below = declared.least is not None and value < declared.least
            is_above = declared.most is not None and value > declared.most
            if is_below or is_above or math.isnan(value):
                raise ValueError


def _without_paths(value: Any) -> Any:
    """`value` with paths replaced by their text, since options hold text."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list):
        return [_without_paths(each) for each in value]
    return value


def type_text(hint: Any, declared: _Declared | None = None) -> str:
    """A type and its range in words, such as "an integer of at least 1"."""
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
    """Gives a warning that points to the caller's line outside of popir."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("popir."):
        frame = frame.f_back
        level += 1
    warnings.warn(text, kind, stacklevel=level)
