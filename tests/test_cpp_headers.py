"""The public headers of a library of the SDK go together, and what they declare has a body."""

import json
import os
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.toolchain import PACKAGE, clang, popir_config, run

INCLUDE = PACKAGE / "include"
LIBRARIES = [
    *("gcl", "popart", "popfloat", "poplar", "poplin", "popnn", "popops", "poprand", "popsparse"),
    *("poputil", "pva", "pvti", "snap"),
]
TEMPLATES = {
    "ClassTemplateDecl",
    "ClassTemplatePartialSpecializationDecl",
    "ClassTemplateSpecializationDecl",
    "FunctionTemplateDecl",
}
FUNCTIONS = {
    "CXXConstructorDecl",
    "CXXConversionDecl",
    "CXXDestructorDecl",
    "CXXMethodDecl",
    "FunctionDecl",
}
ABSENT = ("pure", "isImplicit", "explicitlyDeleted", "explicitlyDefaulted")
"""What clang says of functions that need no body, or whose body the compiler makes."""
TYPE_ONLY = {"elementIsHalf"}
"""Functions of which only the type is asked for."""


def clang_command() -> str:
    """The newest clang."""
    found = {
        int(path.name.removeprefix("clang++-")): str(path)
        for folder in os.get_exec_path()
        for path in Path(folder).glob("clang++-*")
        if path.name.removeprefix("clang++-").isdigit()
    }
    return found[max(found)]


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of clang's dump, which stand one after another with lines between."""
    decoder, begin = json.JSONDecoder(), re.compile(r"^\{", re.MULTILINE)
    at = 0
    while (match := begin.search(text, at)) is not None:
        found, at = decoder.raw_decode(text, match.start())
        yield found


def without_body(node: dict[str, Any], scope: str, declared: dict[str, tuple[str, bool]]) -> None:
    """Adds each function below `node`, by its symbol: its name, and whether it needs a body that it
    does not have here.
    """
    kind = node.get("kind", "")
    if kind in TEMPLATES:
        return
    name = f"{scope}::{node.get('name', '')}".removeprefix("::")
    inner = [each for each in node.get("inner", []) if isinstance(each, dict)]
    if kind in FUNCTIONS:
        symbol = node.get("mangledName")
        has = any(each.get("kind") in ("CompoundStmt", "CXXTryStmt") for each in inner)
        needs = not has and not any(node.get(word) for word in ABSENT)
        if symbol is not None:
            before = declared.get(symbol, (name, True))[1]
            declared[symbol] = (name, before and needs)
        return
    for each in inner:
        inside = kind in ("NamespaceDecl", "CXXRecordDecl")
        without_body(each, name if inside else scope, declared)


def forms(symbol: str) -> set[str]:
    """The symbols of one function: constructors and destructors have several."""
    kinds = [("C1E", "C2E"), ("C2E", "C1E"), ("D1Ev", "D2Ev"), ("D0Ev", "D2Ev"), ("D0Ev", "D1Ev")]
    return {symbol, *(symbol.replace(old, new) for old, new in kinds)}


@pytest.fixture(scope="module")
def defined() -> set[str]:
    """The symbols that libpopir offers."""
    lines = run("nm", "-D", "--defined-only", PACKAGE / "lib" / "libpopir.so", cwd=PACKAGE)
    return {line.split()[-1] for line in lines.splitlines()}


@pytest.mark.skipif(not clang(), reason="clang shows what a header declares")
@pytest.mark.parametrize("library", LIBRARIES)
def test_each_declaration_has_a_body(library: str, defined: set[str], tmp_path: Path) -> None:
    headers = sorted(path.relative_to(INCLUDE) for path in (INCLUDE / library).rglob("*.hpp"))
    source = tmp_path / "all.cpp"
    source.write_text("".join(f"#include <{each}>\n" for each in headers))
    dump = ["-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={library}"]
    python = f"-I{sysconfig.get_paths()['include']}"  # of which pybind11 is, for one header
    command = [clang_command(), "-std=c++17", "-w", "-fsyntax-only", *popir_config("--cflags")]
    declared: dict[str, tuple[str, bool]] = {}
    for each in documents(run(*command, python, *dump, source, cwd=tmp_path)):
        without_body(each, "", declared)
    assert len(declared) > 5
    lacking = {
        name for symbol, (name, needs) in declared.items() if needs and not forms(symbol) & defined
    }
    assert not {name for name in lacking if name.split("::")[-1] not in TYPE_ONLY}
