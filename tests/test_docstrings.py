"""Docstrings say something: at least four words, unless the whole is a formula.

A formula is text in backquotes (`sin(x)`) or a mathematical expression (-a, [rows, columns]).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from popir import registry

ROOT = Path(__file__).parents[1]
LEAST = 4
OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
WORD = re.compile(r"[A-Za-z]{3,}")


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """The line and the text of the docstring of each module, class and function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, OWNERS) and (found := ast.get_docstring(node)) is not None:
            yield node.body[0].lineno, found


def is_formula(text: str) -> bool:
    """Whether the text is one piece in backquotes, or signs and operands without a word before."""
    if re.fullmatch(r"`[^`]+`\.?", text):
        return True
    return bool(re.search(r"[-+*/=<>^\[\]]", text)) and not WORD.match(text)


def too_short(text: str) -> list[str]:
    """The docstrings of Python source that say too little, as "line: docstring"."""
    return [
        f"{line}: {found!r}"
        for line, found in docstrings(text)
        if len(found.split()) < LEAST and not is_formula(found)
    ]


def test_docstrings_have_at_least_four_words() -> None:
    files = sorted((ROOT / "popir").rglob("*.py"))
    assert len(files) > 200
    found = [
        f"{file.relative_to(ROOT)}:{each}"
        for file in files
        for each in too_short(file.read_text(encoding="utf-8"))
    ]
    assert not found, "These docstrings say too little: what is returned, done or raised?\n" + (
        "\n".join(found)
    )


@pytest.mark.parametrize(
    "docstring", ["One.", "Calls the library.", "Element by element.", "x.", "The inputs."]
)
def test_a_short_docstring_is_found_with_its_line(docstring: str) -> None:
    source = f'import sys\n\n\ndef f():\n    """{docstring}"""\n    return sys\n'
    assert too_short(source) == [f"5: {docstring!r}"]


@pytest.mark.parametrize("docstring", ["`sin(x)`", "-a.", "[rows, columns]", "a + b."])
def test_a_formula_may_be_short(docstring: str) -> None:
    assert not too_short(f'def f():\n    """{docstring}"""\n')


def test_every_kind_of_owner_is_looked_at() -> None:
    source = '"""A."""\n\n\nclass C:\n    """B."""\n\n    async def f(self):\n        """D."""\n'
    assert [each.partition(":")[0] for each in too_short(source)] == ["1", "5", "8"]


def test_versions_in_docstrings_are_the_registered_ones() -> None:
    """A class that says "ONNX's Size, versions 1, 13 and 19" is registered for exactly these."""
    said = re.compile(r"ONNX's (\w+), versions? ([0-9][0-9, and\n]*[0-9])")
    checked = 0
    for kind in {entry.opClass for entry in registry.entries() if entry.source == "built in"}:
        found = {
            (name, tuple(map(int, re.findall("[0-9]+", numbers))))
            for name, numbers in said.findall(kind.__doc__ or "")
        }
        real = {(name, tuple(registry.versions("ai.onnx", name))) for name, _ in found}
        assert found == real, kind
        checked += len(found)
    assert checked > 40
