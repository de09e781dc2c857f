"""pytest finds every file of tests."""

from fnmatch import fnmatch

import pytest

from tests.toolchain import ROOT


def test_no_folder_of_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    files = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")]
    folders = {part for path in files for part in path.parts[:-1]}
    patterns = pytestconfig.getini("norecursedirs")
    assert {"tests", "build"} <= folders
    assert not [(f, p) for f in sorted(folders) for p in patterns if fnmatch(f, p)]
