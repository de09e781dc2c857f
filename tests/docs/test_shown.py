"""The tests that tables of the pages on foreign operators name are there, and run."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.toolchain import ROOT

FOLDERS = {"tensorflow_ipu": "tensorflow", "xla": "xla", "habana": "habana"}
"""For each page the folder of tests/foreign that its table means."""
REFERENCE = re.compile(
    r"(?P<file>[\w/]+\.py)?(?:(?:::)?(?P<names>\w+(?:::\w+)*))?(\[(?P<id>.*)\])?"
)


@cache
def there(file: Path) -> tuple[set[str], set[str]]:
    """The tests of a file, as `name` and `Class::name`, with the classes that have some; and the
    strings in it, among which the names of cases are. What is skipped always is no test.
    """
    found: set[str] = set()

    def visit(body: list[ast.stmt], outer: str) -> None:
        for each in body:
            if isinstance(each, ast.ClassDef) and each.name.startswith("Test"):
                visit(each.body, f"{each.name}::")
                if any(name.startswith(f"{each.name}::") for name in found):
                    found.add(each.name)
            elif isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
                marks = [ast.unparse(mark) for mark in each.decorator_list]
                if not any(re.match(r"pytest\.mark\.skip\b", mark) for mark in marks):
                    found.add(outer + each.name)

    tree = ast.parse(file.read_text())
    visit(tree.body, "")
    strings = {
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    return found, strings


def references(page: str) -> list[tuple[str, str]]:
    """The requirement and a test, for each test in the table of the page."""
    lines = (ROOT / "docs" / f"{page}.md").read_text().splitlines()
    heads = [i for i, line in enumerate(lines) if re.match(r"\| \w+ \| test\b", line)]
    assert len(heads) == 1
    found: list[tuple[str, str]] = []
    for line in lines[heads[0] + 2 :]:
        if not line.startswith("|"):
            break
        what, tests = line.strip("| ").rsplit(" | ", 1)
        named = re.findall(r"`([^`]+)`", tests)
        assert named, f"{what}: no test"
        found += [(what, each) for each in named]
    return found


def missing(page: str) -> list[str]:
    """The references to tests that are not there."""
    wrong: list[str] = []
    folder, file = ROOT / "tests/foreign" / FOLDERS[page], None
    for what, each in references(page):
        if each.endswith(".cpp"):
            wrong += [] if (folder / each).is_file() else [f"{what}: {each}"]
            continue
        parts = REFERENCE.fullmatch(each)
        assert parts, f"{what}: {each}"
        if parts["file"]:
            file = next(
                (p for p in (folder / parts["file"], ROOT / parts["file"]) if p.is_file()), None
            )
        tests, strings = there(file) if file else (set[str](), set[str]())
        name = parts["names"]
        if (
            not tests
            or (name and name not in tests)
            or (parts["id"] and parts["id"] not in strings)
        ):
            wrong.append(f"{what}: {each}")
    return wrong


@pytest.mark.parametrize("page", FOLDERS)
def test_the_tests_of_a_table_are_there(page: str) -> None:
    assert len(references(page)) > 15
    assert missing(page) == []
