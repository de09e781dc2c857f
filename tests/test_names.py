"""Names in Python are snake_case; which keep another spelling is a matter of rules, not of lists.

A name may be mixedCase

- if it stands in a public header or in the device module: PopART's and Poplar's names keep their
  spelling;
- if it belongs to popir's public API, which is written in PopART's style throughout: a member of a
  public class, a parameter, a public function, an option, a function of popdist;
- if it is an attribute of an operator of ONNX, PopART or onnxruntime;
- if it is a field of a report, which is a key of its JSON.
"""

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest

import popir.options.session
import popir.profile
from popir import popdist
from popir.builder import popart_methods
from popir.ir import OperatorIdentifier
from popir.onnxio import schemas
from popir.transforms.outlining.outline import OutlineOptions
from tests.test_public_arguments import public

ROOT = Path(__file__).parents[1]
FOLDERS = ["popir", "tests", "bench", "models"]
MIXED = re.compile(r"_*[a-z][a-z0-9_]*[A-Z]")
WORD = re.compile(r"[A-Za-z_]\w*")
HOOKS = {"stopsGradient"}
"""Members that an operator may have, and the base class has not."""
PRIVATE = {"_serializeIr"}
"""Methods of PopART's that programs call although their names begin with an underscore."""
UNKNOWN = {"enableOutlinin", "logDirr", "prefetchBufferingDepthMap"}
"""Options that there are not, for tests of what is said then."""


def members(value: Any) -> Iterator[str]:
    """The names that come with a public function or class: its members and its parameters."""
    each = {name: getattr(value, name) for name in dir(value) if not name.startswith("_")}
    if inspect.isclass(value):
        yield from each
        for base in value.__mro__:
            yield from getattr(base, "__annotations__", {})
    else:
        each = {}
    for function in [value, *each.values()]:
        if callable(function):
            try:
                yield from inspect.signature(function).parameters
            except (TypeError, ValueError):  # A bound C++ function has none.
                continue


def device_names(module: Any) -> Iterator[str]:
    """The names of the device module, of its classes, and of their parameters."""
    for name in dir(module):
        yield name
        value = None if name.startswith("__") else getattr(module, name)
        if inspect.ismodule(value) or inspect.isclass(value):
            yield from device_names(value)
        else:
            yield from re.findall(r"(\w+): ", getattr(value, "__doc__", None) or "")


@functools.cache
def spelled_otherwise() -> frozenset[str]:
    """The names that the rules let keep another spelling."""
    found = HOOKS | PRIVATE | UNKNOWN
    for path in (ROOT / "cpp" / "include").rglob("*.h*"):
        found.update(WORD.findall(path.read_text(encoding="utf-8")))
    for name, value in public():
        found.add(name.rpartition(".")[2])
        found.update(members(value))
    for settings in vars(popir.options.session).values():
        found.update(getattr(settings, "__annotations__", {}))
    for method in popart_methods.METHODS.values():
        found.update(inspect.signature(method).parameters)
    found.update(name for name in vars(popdist) if not name.startswith("_"))
    device = popir.DeviceManager().createCpuDevice()
    found.update(vars(device), OutlineOptions.__annotations__)
    for schema in onnx.defs.get_all_schemas_with_history():
        found.update(schema.attributes)
    for domain in ("ai.graphcore", "com.microsoft"):
        for type in schemas.names(domain):
            found.update(schemas.attributes(OperatorIdentifier(domain, type, 1)) or ())
    for name in popir.profile.__all__:
        found.add(name)
        found.update(members(getattr(popir.profile, name)))
    found.update(WORD.findall((ROOT / "popir/profile/schema.json").read_text(encoding="utf-8")))
    for module in vars(importlib.import_module("popir._device")).values():
        if inspect.ismodule(module):
            found.update(device_names(module))
    return frozenset(found)


def defined(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a source defines: functions, parameters, variables."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield 0, node.asname


def faults(text: str) -> list[tuple[int, str]]:
    """What a source defines in mixedCase without a rule that lets it."""
    wrong = set(filter(MIXED.match, WORD.findall(text))) - spelled_otherwise()
    # Most sources have no such word anywhere, and need not be parsed.
    return [(line, name) for line, name in defined(text) if name in wrong] if wrong else []


def test_names_are_snake_case() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in faults(path.read_text(encoding="utf-8"))
    ]
    assert not found, "write these in snake_case:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def isNeeded(): pass", "isNeeded"),
        ("def f(*, oldMean): pass", "oldMean"),
        ("class A:\n    newMean: int = 0", "newMean"),
        ("for eachOne in range(3): pass", "eachOne"),
    ],
)
def test_what_breaks_the_rule(text: str, name: str) -> None:
    assert [found for _, found in faults(text)] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "def getGradOps(self): pass",  # PopART's
        "prog = f(debugContext=1); debugContext = 2",  # Poplar's
        "def getHostProfile(self): pass",  # a member of a public class
        "exchangeBytes: int = 0",  # a key of the report
        "is_needed = 1; VALUES = 2; Named = 3",
    ],
)
def test_what_keeps_it(text: str) -> None:
    assert not faults(text)
