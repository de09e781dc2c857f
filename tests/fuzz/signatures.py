"""What the bindings say of themselves: every function and method of popir._device, with the types
of its parameters, read from the docstrings that pybind11 writes.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import popir
from popir import _device

assert popir.__name__  # popir first: it loads the library that _device is linked with

_SIGNATURE = re.compile(r"^(?:\d+\. )?(\w+)(\(.*\)) -> (.+)$")
_LIBRARY = "popir._device."
_INHERITED = {"__doc__", "__module__", "__getstate__", "__setstate__"}


@dataclass(frozen=True)
class Parameter:
    """A parameter, whose type is an expression as in an annotation."""

    name: str
    type: ast.expr
    optional: bool


@dataclass(frozen=True)
class Signature:
    """One overload."""

    name: str
    """Where it is below popir._device, such as "poplar.Tensor.slice"."""
    call: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    """A method's object is the first."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(each.name for each in self.parameters)})"

    def types(self) -> set[str]:
        """The types of the parameters."""
        return {ast.unparse(p.type) for p in self.parameters}


def signatures() -> list[Signature]:
    """All of them, in the order of their names. ValueError for a docstring that is not understood,
    so that nothing is left out unseen.
    """
    found: list[Signature] = []
    for name, call, text in sorted(_functions(_device, ""), key=lambda each: each[0]):
        lines = [line for line in text.splitlines() if " -> " in line]
        overloads = [line for line in lines if re.match(r"\d+\. ", line)] or lines[:1]
        for line in overloads:
            match = _SIGNATURE.match(line)
            if match is None:
                raise ValueError(f"{name}: {line}")
            found.append(Signature(name, call, tuple(_parameters(match[2][1:-1]))))
    return found


def _functions(module: ModuleType, path: str) -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Name, callable and docstring of whatever has a signature."""
    for name, value in vars(module).items():
        if inspect.ismodule(value) and value.__name__.startswith(_LIBRARY):
            yield from _functions(value, f"{path}{name}.")
        elif inspect.isclass(value):
            # A class that another module shows is listed where it is defined.
            if f"{value.__module__}.{value.__qualname__}" == f"{_LIBRARY}{path}{name}":
                yield from _methods(value, f"{path}{name}.")
        elif callable(value) and " -> " in (value.__doc__ or ""):
            yield f"{path}{name}", value, value.__doc__ or ""


def _methods(kind: type, path: str) -> Iterator[tuple[str, Callable[..., Any], str]]:
    # What an enum has besides is pybind11's and takes any object.
    members = ["__init__", "__int__"] if hasattr(kind, "__members__") else list(vars(kind))
    for name, value in ((name, vars(kind)[name]) for name in members):
        if isinstance(value, property) and name not in _INHERITED:
            yield from _accessors(value, path + name)
        elif name == "__init__":
            yield path + name, kind, (value.__doc__ or "").replace("self: ", "_self: ")
        elif inspect.isclass(value):
            yield from _methods(value, f"{path}{name}.")
        elif name not in _INHERITED:
            # A static method's own docstring is that of Python's staticmethod.
            call = getattr(kind, name)
            if callable(call) and " -> " in (call.__doc__ or ""):
                yield path + name, call, call.__doc__ or ""


def _accessors(value: property, name: str) -> Iterator[tuple[str, Callable[..., Any], str]]:
    for access, call in (("get", value.fget), ("set", value.fset)):
        text = getattr(call, "__doc__", None) or ""
        if call is not None and " -> " in text:
            line = text.splitlines()[0].strip()
            yield f"{name}.{access}", call, f"{access}{line[line.index('(') :]}"


def _parameters(text: str) -> Iterator[Parameter]:
    for number, part in enumerate(_split(text)):
        if part in ("*", "/") or part.startswith(("_self: ", "*")):
            continue
        name, colon, rest = part.partition(": ")
        if not colon:
            name, rest = f"arg{number}", part
        written, equal, _ = rest.partition("=")
        yield Parameter(name, ast.parse(written, mode="eval").body, bool(equal))


def _split(text: str) -> Iterator[str]:
    """The parts between commas that are in no brackets or quotes."""
    depth, quoted, begin = 0, "", 0
    for at, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:].strip()
