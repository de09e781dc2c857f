"""pytest finds every file of tests, and takes as many of their cases as it is asked for."""

import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conftest import EVERY, MANY
from tests.toolchain import ROOT, run


def test_no_folder_of_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    folders = {part for path in files for part in path.parts[:-1]}
    patterns = pytestconfig.getini("norecursedirs")
    assert {"tests", "build"} <= folders
    assert not [(f, p) for f in sorted(folders) for p in patterns if fnmatch(f, p)]


@pytest.mark.parametrize(
    ("every", "taken"), [("1", 2 * MANY + 1), ("2", MANY + 1 + (MANY + 1) // 2)]
)
def test_of_many_cases_some_are_taken(tmp_path: Path, every: str, taken: int) -> None:
    file = tmp_path / "test_cases.py"
    file.write_text(
        "import pytest\n"
        f"@pytest.mark.parametrize('i', range({MANY}))\ndef test_few(i): pass\n"
        f"@pytest.mark.parametrize('i', range({MANY} + 1))\ndef test_many(i): pass\n"
    )
    words = ["-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", file]
    path = {"PYTHONPATH": str(ROOT)}
    said = run(sys.executable, *words, f"--every={every}", cwd=tmp_path, env=path)
    assert f"{taken} passed" in said
    said = run(sys.executable, *words, cwd=tmp_path, env={**path, EVERY: every})  # as a child of it
    assert f"{taken} passed" in said
