"""Programs in C++ that build and run models, compiled once for all tests."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.toolchain import CACHED_CXX, popir_config, run

HERE = Path(__file__).parent
PYTHON = {"POPIR_PYTHON": sys.executable}
"""What makes a program use the Python of the tests."""

Program = Callable[..., str]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The program of a source file beside this one, by its name without `.cpp`."""
    folder = tmp_path_factory.mktemp("cpp_sessions")

    def compiled(name: str) -> Path:
        program = folder / name
        if not program.exists():
            flags, libs = popir_config("--cflags"), popir_config("--libs")
            made = folder / f"{name}.o"
            source = HERE / f"{name}.cpp"
            run(*CACHED_CXX, "-std=c++17", *flags, "-c", source, "-o", made, cwd=folder)
            run(*CACHED_CXX, made, *libs, "-pthread", "-o", program, cwd=folder)
        return program

    return compiled


@pytest.fixture
def program(compiled: Callable[[str], Path], tmp_path: Path) -> Program:
    """Runs a program of a name with arguments, in a fresh folder; returns what it printed."""

    def program(name: str, *arguments: str) -> str:
        return run(compiled(name), *arguments, cwd=tmp_path, env=PYTHON)

    return program
