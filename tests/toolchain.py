"""What tests need to compile against popir, and to run programs and look into files."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
"""The source tree."""
PACKAGE = ROOT / "popir"
"""The package under test, as `pip install -e` or a developer's build completes it."""
CXX = os.environ.get("CXX", "g++")
CACHED_CXX = (["ccache"] if shutil.which("ccache") else []) + [CXX]
"""A compiler command that remembers results where ccache is there."""
UNHANDLED = {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}
"""Environment in which SIGSEGV ends a process as it does without AddressSanitizer."""


def plain() -> dict[str, str]:
    """The environment without what changes where libraries are found. What runs in it is no
    sanitized popir: ROOT is to be on its PYTHONPATH.
    """
    ours = ("CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "LD_PRELOAD")
    return {name: value for name, value in os.environ.items() if name not in ours}


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it printed; an AssertionError with all its output if it fails.

    `env` is added to an environment without the variables by which compilers and loaders find
    libraries, so that no test passes because of them, and in which programs of the running Python's
    environment, such as cmake, are found.
    """
    result = attempt(*command, cwd=cwd, env=env)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def attempt(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command that may fail; environment as in `run`."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=environment(env), capture_output=True, text=True)


def environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of `run`, with `env` added."""
    made = plain()
    made["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{made['PATH']}"
    return {**made, **(env or {})}


@contextlib.contextmanager
def started(*command: str | Path, **options: Any) -> Generator[subprocess.Popen[Any]]:
    """A process, by the options of Popen, that has ended when the block has, however that ends."""
    with subprocess.Popen([str(word) for word in command], **options) as process:
        try:
            yield process
        finally:
            process.kill()


def python(code: str, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run code in a new Python that imports popir from the source tree; return its output."""
    return run(sys.executable, "-c", code, cwd=cwd, env={"PYTHONPATH": str(ROOT), **(env or {})})


def popir_config(*options: str) -> list[str]:
    """Words that popir-config prints."""
    return run(PACKAGE / "bin" / "popir-config", *options, cwd=ROOT).split()


def dynamic_section(path: Path) -> dict[str, list[str]]:
    """Values of the dynamic section by tag: `{"NEEDED": ["libpopir.so", ...], "SONAME": ...}`."""
    found: dict[str, list[str]] = {}
    for line in run("readelf", "-dW", path, cwd=ROOT).splitlines():
        if "[" in line:
            tag = line.split("(")[1].split(")")[0]
            found.setdefault(tag, []).append(line.split("[")[1].split("]")[0])
    return found


def clang() -> bool:
    """Is there a clang that compiles codelets, 15 or newer?"""
    names = (path.name for folder in os.get_exec_path() for path in Path(folder).glob("clang++-*"))
    versions = (name.removeprefix("clang++-") for name in names)
    return "CXX" not in os.environ and any(v.isdigit() and int(v) >= 15 for v in versions)
