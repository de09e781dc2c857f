"""What the extension says of itself: its stubs, and its docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import popir
from popir import _device
from tools import device_stubs

assert popir.__name__  # popir first: it loads the library that _device is linked with

_HEADLINE = re.compile(r"^(\d+\. )?\w+\(.*\) -> .+$|^Overloaded function\.$", re.MULTILINE)
_NO_NAME = re.compile(r"\barg\d+: ")


def described(module: ModuleType, path: str) -> Iterator[tuple[str, str]]:
    """Name and docstring of all that is public: modules, classes, and their members."""
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if inspect.ismodule(value):
            yield f"{path}{name}", value.__doc__ or ""
            yield from described(value, f"{path}{name}.")
        elif inspect.isclass(value):
            if f"{value.__module__}.{value.__qualname__}" == f"{_device.__name__}.{path}{name}":
                yield from _of_class(value, f"{path}{name}")
        elif callable(value):
            yield f"{path}{name}", value.__doc__ or ""


def _of_class(kind: type, path: str) -> Iterator[tuple[str, str]]:
    yield path, (kind.__doc__ or "").partition("Members:")[0]
    enum = hasattr(kind, "__members__")
    for name, value in vars(kind).items():
        if inspect.isclass(value):
            yield from _of_class(value, f"{path}.{name}")
        elif not name.startswith("_") and not enum:
            yield f"{path}.{name}", getattr(kind, name).__doc__ or ""


ALL = dict(described(_device, ""))


def words(text: str) -> str:
    """A docstring without the signatures that pybind11 begins it with."""
    return _HEADLINE.sub("", text).strip()


@pytest.mark.parametrize("name", ALL)
def test_public_names_have_words(name: str) -> None:
    assert len(words(ALL[name]).split()) >= 4


def _signatures(kind: Any, path: str) -> Iterator[tuple[str, str]]:
    for name, value in vars(kind).items():
        at = f"{path}.{name}"
        own = getattr(value, "__module__", None) or ""
        if inspect.ismodule(value) or (inspect.isclass(value) and own.startswith(_device.__name__)):
            yield from _signatures(value, at)
        elif callable(getattr(kind, name)):
            yield at, getattr(kind, name).__doc__ or ""


def test_arguments_have_names() -> None:
    """But those that pickle hands on."""
    found = {
        name
        for name, text in _signatures(_device, _device.__name__)
        if _NO_NAME.search(text) and not name.endswith("__setstate__")
    }
    assert not found


def test_signatures_are_python() -> None:
    """A class that is bound after a function that names it appears as its C++ name."""
    found = {n for n, text in _signatures(_device, _device.__name__) if "::" in _lines(text)}
    assert not found


def _lines(text: str) -> str:
    return "\n".join(match[0] for match in _HEADLINE.finditer(text))


def test_stubs_are_those_of_the_extension(tmp_path: Path) -> None:
    """`python -m tools.device_stubs` writes them."""
    device_stubs.write(tmp_path)
    made, kept = (
        {p.relative_to(root): p.read_text() for p in (root / device_stubs.FOLDER).rglob("*.pyi")}
        for root in (tmp_path, device_stubs.ROOT)
    )
    assert made.keys() == kept.keys()
    for file, text in made.items():
        assert text == kept[file], f"{file}: python -m tools.device_stubs"
