"""Packages of this tree, built and installed apart from it."""

import fcntl
import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from tests.toolchain import CXX, PACKAGE, ROOT, attempt, run

SANITIZED = "POPIR_SANITIZED"
"""Environment variable: what `sanitized_environment` gives, as JSON."""
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def build(
    folder: Path,
    *words: str,
    cmake_args: str = "",
    changed: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Builds the wheel of this tree into `folder`, with CMake options added; reuses object files of
    the last time. Returns what pip, given `words` too, says.

    Builds in this tree take turns, since they share its build folder. The file `changed` gets a new
    time when it is this one's turn, so that no other compiles it.
    """
    options = {"CMAKE_ARGS": f"{os.environ.get('CMAKE_ARGS', '')} {cmake_args}".strip()}
    options["PIP_NO_COMPILE"] = "1"  # of what pip installs to build with, little is ever imported
    options |= env or {}
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / ".wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if changed is not None:
            os.utime(changed)
        command = [*PIP, "wheel", "--no-deps", "--wheel-dir", folder, *words, ROOT]
        result = attempt(*command, cwd=folder, env=options)
    said = result.stdout + result.stderr
    assert result.returncode == 0, said
    return said


def build_wheel(folder: Path, cmake_args: str = "", env: Mapping[str, str] | None = None) -> Path:
    """The wheel of this tree, built by `build`."""
    build(folder, cmake_args=cmake_args, env=env)
    (path,) = folder.glob("*.whl")
    return path


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel without its dependencies; returns what belongs into PYTHONPATH."""
    site = folder / "site"
    run(*PIP, "install", "--no-deps", "--target", site, wheel, cwd=folder)
    return site


def plain_build() -> Path | None:
    """The folder where pip built this tree without further options, if its objects for instruction
    sets are not older than anything that they are made of: then they are what these sources make.
    """
    words = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    key = [sysconfig.get_config_var("SOABI"), *(re.sub(r"\W+", "_", word) for word in words)]
    folder = ROOT / "build" / "-".join(["cmake", *key])
    for_sets = re.compile(r"_(avx2|avx512|avx512vnni|amx)\.cpp")
    objects = (folder / "CMakeFiles" / "popir_hot.dir").rglob("*.o")
    made = [path.stat().st_mtime for path in objects if for_sets.search(path.name)]
    files = (path for path in (ROOT / "cpp").rglob("*") if path.is_file())
    sources = (path for path in files if path.suffix != ".cpp" or for_sets.search(path.name))
    changed = (path.stat().st_mtime for path in sources if path.suffix != ".pyc")
    return folder if made and min(made) >= max(changed) else None


def sanitized_environment(folder: Path, lines: bool = True) -> dict[str, str]:
    """Environment of a Python whose libpopir is built with AddressSanitizer and with
    UndefinedBehaviorSanitizer; the extension, mere glue, is that of the package under test, and so
    are kernels for one instruction set where pip has built it. AddressSanitizer's stacks have names
    of functions, and `lines` on request.

    Operator libraries for it are compiled with `-fsanitize=address`, against its own
    `popir/bin/popir-config`, below PYTHONPATH. Any fault ends the process with a report on stderr;
    leaks are not looked for, since Python itself leaves some.
    """
    options = "-DPOPIR_SANITIZE=address,undefined -DPOPIR_BINDINGS=OFF"
    if not lines:
        options += " -DPOPIR_SANITIZE_LINES=OFF"
    env = {"POPIR_PLAIN_BUILD": str(plain)} if (plain := plain_build()) else {}
    site = install(build_wheel(folder, options, env), folder)
    for extension in PACKAGE.glob("_device.*.so"):
        shutil.copy(extension, site / "popir")
    # libasan looks for what throws exceptions when it starts: libstdc++ must be there.
    first = [run(CXX, f"-print-file-name=lib{name}.so", cwd=folder) for name in ("asan", "stdc++")]
    return {
        "PYTHONPATH": str(site),
        "LD_PRELOAD": " ".join(path.strip() for path in first),
        "ASAN_OPTIONS": "detect_leaks=0:check_initialization_order=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
