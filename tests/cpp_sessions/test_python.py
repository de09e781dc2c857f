"""Where a program in C++ finds Python, and what it says if there is none."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cpp_sessions.conftest import HERE
from tests.toolchain import CACHED_CXX, ROOT, attempt, popir_config, python, run

Compiled = Callable[[str], Path]


def test_the_active_environment_is_used(compiled: Compiled, tmp_path: Path) -> None:
    bin = tmp_path / "env" / "bin"
    bin.mkdir(parents=True)
    (bin / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin / "python").chmod(0o755)
    env = {"VIRTUAL_ENV": str(tmp_path / "env")}
    assert run(compiled("features"), "interface", cwd=tmp_path, env=env).startswith("in 2\n")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (
            {"POPIR_PYTHON": "/no/such/python"},
            "POPIR_PYTHON is '/no/such/python', which is no program",
        ),
        ({"POPIR_PYTHON": "/bin/false"}, "'/bin/false' does not run as a Python"),
        ({"PATH": "/nowhere", "VIRTUAL_ENV": ""}, "there is no python3 in PATH"),
    ],
)
def test_without_a_python_the_error_says_what_to_do(
    compiled: Compiled, tmp_path: Path, environment: dict[str, str], expected: str
) -> None:
    result = attempt(compiled("features"), "interface", cwd=tmp_path, env=environment)
    assert result.returncode == 1
    assert expected in result.stdout
    assert "Set POPIR_PYTHON to the Python that popir is installed in" in result.stdout


def test_a_python_that_cannot_import_popir_is_named(compiled: Compiled, tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('numpy is broken here')\n")
    env = {"POPIR_PYTHON": sys.executable, "PYTHONPATH": str(tmp_path)}
    result = attempt(compiled("features"), "interface", cwd=tmp_path, env=env)
    assert result.returncode == 1
    assert f"cannot import popir from '{ROOT}'" in result.stdout
    assert "numpy is broken here" in result.stdout


def test_a_library_of_a_python_process_uses_its_interpreter(
    compiled: Compiled, tmp_path: Path
) -> None:
    library = tmp_path / "libfeatures.so"
    flags = popir_config("--cflags", "--libs")
    source = HERE / "features.cpp"
    run(*CACHED_CXX, "-std=c++17", "-fPIC", "-shared", source, *flags, "-o", library, cwd=tmp_path)
    code = f"""
import ctypes, popir, threading
main = ctypes.CDLL({str(library)!r}).main  # ctypes lets go of the interpreter's lock
def run(*words):
    argv = (ctypes.c_char_p * 3)(b"features", *(word.encode() for word in words))
    assert main(2, argv) == 0
threads = [threading.Thread(target=run, args=["weights"]) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
run("thrown")
builder = popir.Builder()
print(builder.addInputTensor("FLOAT", [2]))
"""
    # The two have buffers of their own, unless Python is told to have none.
    assert "input" in python(code, cwd=tmp_path).splitlines()
