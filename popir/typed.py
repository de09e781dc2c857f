"""Arguments checked by the annotations of the functions that take them: `typed`.

Each expected type is stated once, in the signature. What a value may be:
- an int is an int or an integer of numpy's, a float also an int; neither is a bool, or text;
- an Iterable, Sequence or Collection holds values of its type; neither text nor a dict is one;
- for an enumeration it is a member, for `type[X]` a class derived from X, for a Callable anything
  that can be called; for any other class an object of it.
"""

from __future__ import annotations

import collections.abc
import enum
import functools
import inspect
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar, overload

import numpy as np

from popir.errors import PopirError, did_you_mean, popart_exception

T = TypeVar("T")
Fit = Callable[[Any], Any]
"""The value as an object of a type; raises ValueError, whose words may help, if it is none."""


@overload
def typed(what: T) -> T: ...


@overload
def typed(
    *, error: type[PopirError] = popart_exception, byHand: Collection[str] = ()
) -> Callable[[T], T]: ...


def typed(
    what: Any = None, *, error: type[PopirError] = popart_exception, byHand: Collection[str] = ()
) -> Any:
    """Makes a function, or all public methods of a class and its construction, raise `error` for an
    argument that is not what its annotation says; numbers and lists arrive in the type it says.

    A call costs 0.3 microseconds more. The methods `byHand` are called too often for that, and look
    at their arguments themselves.
    """
    if what is None:
        return lambda what: _typed(what, error, byHand)
    return _typed(what, error, byHand)


def _typed(what: Any, error: type[PopirError], byHand: Collection[str]) -> Any:
    if not isinstance(what, type):
        return _checked(what, what.__module__, error)
    for name, member in list(vars(what).items()):
        if (name.startswith("_") and name not in ("__init__", "__new__")) or name in byHand:
            continue
        if isinstance(member, (staticmethod, classmethod)):
            function = _checked(member.__func__, what.__module__, error)
            setattr(what, name, type(member)(function))
        elif isinstance(member, types.FunctionType):
            setattr(what, name, _checked(member, what.__module__, error))
    return what


def _checked(function: Any, module: str, error: type[PopirError]) -> Any:
    if not function.__annotations__.keys() - {"return"}:
        return function
    plan: _Plan | None = None

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        nonlocal plan
        if plan is None:
            plan = _Plan(function, module, error)
        for value, classes in zip(args, plan.classes, strict=False):
            if classes is not None and value.__class__ not in classes:
                args = plan.positional(args)
                break
        if kwargs:
            kwargs = plan.named(args, kwargs)
        return function(*args, **kwargs)

    return checked


class _Plan:
    """What the arguments of one function are to be."""

    def __init__(self, function: Any, module: str, error: type[PopirError]) -> None:
        self._function = function
        self._error = error
        self._hints: dict[str, Any] = {}
        self._inOrder: list[str] = []
        # A module may import names of its package for annotations alone.
        names = {**vars(sys.modules[module.rpartition(".")[0]]), **vars(sys.modules[module])}
        for name, parameter in inspect.signature(function).parameters.items():
            isOne = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            hint = parameter.annotation if isOne else Any
            self._hints[name] = Any if hint is parameter.empty else evaluated(hint, names)
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                self._inOrder.append(name)
        self.classes = [_exact(self._hints[name]) for name in self._inOrder]
        """By position the classes whose objects fit as they are, so far; None for any."""

    def positional(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments in the types they should have."""
        made = list(args)
        for i, (value, classes) in enumerate(zip(args, self.classes, strict=False)):
            if classes is not None and value.__class__ not in classes:
                name = self._inOrder[i]
                made[i] = self._fitted(args, name, value)
                if made[i] is value and _isByClass(self._hints[name]):
                    self.classes[i] = (*classes, value.__class__)
        return tuple(made)

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The same of those given by name; `args` are the others."""
        return {name: self._fitted(args, name, value) for name, value in kwargs.items()}

    def _fitted(self, args: tuple[Any, ...], name: str, value: Any) -> Any:
        hint = self._hints.get(name, Any)
        try:
            return fitter(hint)(value)
        except ValueError as wrong:
            raise _refusal(self._error, self._who(args), name, value, hint, wrong) from None

    def _who(self, args: tuple[Any, ...]) -> str:
        """The function; a method by the class of its object, which may be derived."""
        own = self._function.__name__
        first = next(iter(self._hints))
        isMade = own in ("__init__", "__new__")
        if first not in ("self", "cls") and not isMade:
            return self._function.__qualname__
        cls = args[0] if isinstance(args[0], type) else type(args[0])
        return cls.__name__ if isMade else f"{cls.__name__}.{own}"


def fitted(
    who: str, what: str, value: Any, hint: Any, error: type[PopirError] = popart_exception
) -> Any:
    """`value` as an object of `hint`. Raises `error`, which names the argument `what` of `who`."""
    try:
        return fitter(hint)(value)
    except ValueError as wrong:
        raise _refusal(error, who, what, value, hint, wrong) from None


def _refusal(
    error: type[PopirError], who: str, what: str, value: Any, hint: Any, wrong: ValueError
) -> PopirError:
    return error(f"{who} takes {words(hint)} as {what}; given was {shown(value)}.{wrong}")


def evaluated(hint: Any, names: Mapping[str, Any]) -> Any:
    """An annotation as an object, of its text in a module of these names."""
    # The parts of an alias, such as Mapping[str, "Given"], may be text too.
    holder = types.SimpleNamespace(__annotations__={"hint": hint}, __module__="")
    return typing.get_type_hints(holder, dict(names))["hint"]


# Types.


@functools.cache
def _exact(hint: Any) -> tuple[type, ...] | None:
    """The classes whose objects need no look; None where any will do."""
    if isinstance(hint, TypeVar):
        return _exact(hint.__bound__ or Any)
    if hint in (Any, object):
        return None
    if _isUnion(hint):
        parts = [_exact(part) for part in typing.get_args(hint)]
        return None if None in parts else tuple(c for part in parts for c in part or ())
    kind = typing.get_origin(hint) or hint
    isPlain = kind is hint or not (kind in (type, tuple) or _holds(kind))
    return (kind,) if isinstance(kind, type) and isPlain else ()


def _isByClass(hint: Any) -> bool:
    """Whether the class of a value says if it fits."""
    if _isUnion(hint):
        return all(map(_isByClass, typing.get_args(hint)))
    return isinstance(hint, type) and typing.get_origin(hint) is None


@functools.cache
def fitter(hint: Any) -> Fit:
    """What makes an object of `hint`, an annotation, of a value."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, TypeVar):
        return fitter(hint.__bound__ or Any)
    if hint in (Any, object):
        return lambda value: value
    if _isUnion(hint):
        return functools.partial(_either, [fitter(part) for part in parts])
    if origin is type:
        return functools.partial(_class, getattr(parts[0], "__bound__", parts[0]))
    if origin is tuple and parts[-1:] != (...,):
        return functools.partial(_tuple, [fitter(part) for part in parts])
    if origin is collections.abc.Callable or hint is collections.abc.Callable:
        return _callable
    if origin is not None and issubclass(origin, collections.abc.Mapping):
        return functools.partial(_mapping, origin, *map(_Member, parts))
    if origin is not None and issubclass(origin, collections.abc.Iterable) and _holds(origin):
        return functools.partial(_several, origin, _Member(parts[0]))
    return _PLAIN.get(hint) or functools.partial(_object, origin or hint)


def _isUnion(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _holds(origin: type) -> bool:
    """Whether the members of the iterable class are looked at; those of an array are not."""
    return origin in (list, set, frozenset, tuple) or origin.__module__ == "collections.abc"


def _either(fits: Iterable[Fit], value: Any) -> Any:
    why = ""
    for fit in fits:
        try:
            return fit(value)
        except ValueError as error:
            why = why or str(error)
    raise ValueError(why)


def _class(base: type, value: Any) -> Any:
    if not isinstance(value, type) or not issubclass(value, base):
        raise ValueError
    return value


def _tuple(fits: list[Fit], value: Any) -> Any:
    if not isinstance(value, tuple) or len(value) != len(fits):
        raise ValueError
    return tuple(fit(each) for fit, each in zip(fits, value, strict=True))


def _callable(value: Any) -> Any:
    if not callable(value):
        raise ValueError
    return value


class _Member:
    """What the members of a list, or the keys or values of a dict, are to be."""

    def __init__(self, hint: Any) -> None:
        self.fit = fitter(hint)
        self._classes = _exact(hint)

    def allFit(self, values: Iterable[Any]) -> bool:
        """Whether all of them are so as they are."""
        return self._classes is None or set(map(type, values)).issubset(self._classes)


def _mapping(kind: type, key: _Member, item: _Member, value: Any) -> Any:
    if not isinstance(value, collections.abc.Mapping):
        raise ValueError
    if isinstance(value, kind) and key.allFit(value) and item.allFit(value.values()):
        return value
    pairs = [(key.fit(k), item.fit(v)) for k, v in value.items()]
    if isinstance(value, kind) and all(
        k is a and v is b for (k, v), (a, b) in zip(value.items(), pairs, strict=True)
    ):
        return value
    return dict(pairs)


def _several(kind: type, member: _Member, value: Any) -> Any:
    isText = isinstance(value, (str, bytes, bytearray, collections.abc.Mapping))
    if isText or not isinstance(value, collections.abc.Iterable):
        raise ValueError
    if kind is collections.abc.Sequence and isinstance(value, (set, frozenset)):
        raise ValueError
    isArray = isinstance(value, np.ndarray)  # Its truth is that of its elements.
    isKept = isinstance(value, collections.abc.Collection) and isinstance(value, kind)
    isKept = isKept and not isArray
    if isKept and isinstance(value, (list, tuple)) and member.allFit(value):
        return value
    made = [member.fit(each) for each in _items(value)]
    if isKept and all(map(operator.is_, value, made)):
        return value
    if kind is tuple:
        return tuple(made)
    return set(made) if kind is set or isinstance(value, (set, frozenset)) else made


def _items(value: Iterable[Any]) -> list[Any]:
    try:
        return list(value)
    except TypeError:  # An array without dimensions says that it is iterable.
        raise ValueError from None


def _object(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        names = getattr(kind, "__members__", {})
        raise ValueError(did_you_mean(value, names) if isinstance(value, str) else "")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError
    return bool(value)


def _int(value: Any) -> int:
    try:
        if not isinstance(value, (bool, np.bool_)):
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError


def _float(value: Any) -> float:
    if isinstance(value, float) and type(value) is float:
        return value
    wrong = isinstance(value, (bool, np.bool_, str, bytes, bytearray, np.complexfloating))
    if not wrong and not getattr(value, "ndim", 0):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ValueError


_PLAIN: dict[Any, Fit] = {bool: _bool, int: _int, float: _float}


# Words.


def words(hint: Any) -> str:
    """A type, for people: "a list of strings or None"."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if _isUnion(hint):
        return " or ".join(dict.fromkeys(map(words, parts)))
    if origin is type:
        return f"a class derived from {getattr(parts[0], '__bound__', parts[0]).__name__}"
    if origin is tuple and parts[-1:] != (...,):
        return f"a tuple ({', '.join(map(words, parts))})"
    if origin is collections.abc.Callable or hint is collections.abc.Callable:
        return "a function"
    if origin is not None and issubclass(origin, collections.abc.Mapping):
        return f"a dict of {_plural(parts[0])} to {_plural(parts[1])}"
    if origin is not None and issubclass(origin, collections.abc.Iterable) and _holds(origin):
        kind = "a set" if origin in (set, frozenset) else "a list"
        return f"{kind} of {_plural(parts[0])}"
    if hint in (Any, object):
        return "anything"
    kind = origin or hint
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return f"a member of {kind.__name__} ({', '.join(kind.__members__)})"
    return _WORDS.get(kind) or f"an object of {kind.__name__}"


def _plural(hint: Any) -> str:
    if _isUnion(hint):
        return " or ".join(map(_plural, typing.get_args(hint)))
    kind: Any = typing.get_origin(hint) or hint
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return f"members of {kind.__name__}"
    if known := _PLURALS.get(kind):
        return known
    what = words(hint)
    for article in ("a ", "an "):
        if what.startswith(article):
            head, of, rest = what.removeprefix(article).partition(" ")
            return f"{head}s{of}{rest}"
    return what


_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
    types.NoneType: "None",
    np.ndarray: "a numpy array",
    os.PathLike: "a path",
}
_PLURALS: dict[Any, str] = {
    bool: "True or False",
    int: "integers",
    float: "numbers",
    str: "strings",
    types.NoneType: "None",
    np.ndarray: "numpy arrays",
    os.PathLike: "paths",
    Any: "anything",
    object: "anything",
}


def shown(value: Any) -> str:
    """A value as a program writes it; not more of it than a line."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(shown, value)))}}}" if value else "set()"
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
