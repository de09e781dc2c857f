"""Tests and fuzzers on a popir that is built with sanitizers: `make sanitize`.

AddressSanitizer and UndefinedBehaviorSanitizer watch libpopir; the first fault ends its process.
Tests that compile or start something of their own do that on the plain popir, but for those that
ask for the fixture `sanitized`: they run on the plain one, and start processes on the other.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.packages import SANITIZED, sanitized_environment
from tests.toolchain import ROOT

SELECTION = [
    "tests/ops/test_cases.py::test_forward",
    "tests/poplin",
    "tests/popnn",
    "tests/popops",
]
"""Tests that call most of the kernels; each fourth case of those that have many."""
PROCESSES = ["tests/build/test_sanitized.py", "tests/popart/test_ownership.py"]
"""Tests that ask for the fixture `sanitized`."""
APART = ["tests/build", "tests/docs", *PROCESSES]
"""Tests that build packages of their own, or run all in other processes."""
TSAN = ROOT / "build" / "tsan"
CLANGS = ["clang++", *(f"clang++-{version}" for version in range(30, 14, -1))]
SLOWER = 4
"""How many times as long a test may take."""


def steps(selection: bool, cases: int) -> dict[str, list[str]]:
    """The words for Python of each step, by its name."""
    pytest = ["-m", "pytest", "-q", "-n3", "--dist", "worksteal", "-p", "no:cacheprovider"]
    chosen = (
        [*SELECTION, "--every=4"]
        if selection
        else ["tests", *(f"--ignore={path}" for path in APART)]
    )
    fuzz = ["-m", "tests.fuzz"]
    counts = {"graphs": cases, "gradients": cases // 4, "mutations": cases}
    return {
        "processes": [*pytest, *PROCESSES],
        "tests": [*pytest, *chosen],
        **{
            f"fuzz {kind}": [*fuzz, kind, "--cases", str(count), "--limit", str(60 * SLOWER)]
            for kind, count in counts.items()
        },
    }


def threads() -> list[list[str | Path]]:
    """Compiles two programs with ThreadSanitizer: threads that share an engine, and the pool of
    threads by itself. Gives their commands.

    clang compiles libpopir, whose codelets need its _Float16 too, without oneDNN, which no
    sanitizer sees into.
    """
    clang = next(filter(_knows_half, filter(None, map(shutil.which, CLANGS))), None)
    if clang is None:
        raise SystemExit(
            "ThreadSanitizer needs clang 15 or newer, whose _Float16 needs no AVX-512: "
            "apt install clang-19 libclang-rt-19-dev"
        )
    options = ["SANITIZE=thread", "ONEDNN=OFF", "BINDINGS=OFF"]
    words = ["cmake", "-S", ROOT / "cpp", "-B", TSAN, f"-DCMAKE_CXX_COMPILER={clang}"]
    words += [f"-DPOPIR_{option}" for option in options]
    if shutil.which("ccache"):
        words.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    jobs = str(len(os.sched_getaffinity(0)))
    sources, cpp = ROOT / "tests" / "poplar" / "programs", ROOT / "cpp"
    program = [clang, "-std=c++17", "-fsanitize=thread", "-g", "-O1", "-pthread"]
    program += ["-I", cpp / "include", "-L", TSAN / "lib", f"-Wl,-rpath,{TSAN / 'lib'}"]
    shared = [*program, sources / "threads.cpp", "-lpopir", "-o", TSAN / "threads"]
    alone = [*program, "-I", cpp, sources / "pool.cpp", cpp / "kernels" / "pool.cpp"]
    alone += ["-lpopir", "-o", TSAN / "pool"]
    build = ["cmake", "--build", TSAN, "--target", "popir", "--parallel", jobs]
    for command in (words, build, shared, alone):
        subprocess.run(command, cwd=ROOT, check=True)
    return [[TSAN / "threads"], [TSAN / "pool", "without-children"]]


def _knows_half(clang: str) -> bool:
    said = subprocess.run([clang, "-dumpversion"], capture_output=True, text=True, check=True)
    return int(said.stdout.partition(".")[0]) >= 15


def run(name: str, words: Sequence[str | Path], site: Path, environment: dict[str, str]) -> bool:
    """Runs a command; prints its time; whether it passed."""
    start = time.monotonic()
    passed = subprocess.run(words, cwd=site, env=environment).returncode == 0
    seconds = time.monotonic() - start
    print(f"{name}: {'passed' if passed else 'FAILED'} after {seconds:.0f} s", flush=True)
    return passed


def main() -> int:
    """Builds, runs all steps, and returns 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.add_argument("--selection", action="store_true", help="only what takes a few minutes")
    parser.add_argument("--cases", type=int, help="of each fuzzer")
    parser.add_argument("--only", help="the step whose name begins so")
    parser.add_argument("--threads", action="store_true", help="ThreadSanitizer, and only that")
    given = parser.parse_args()
    if given.threads:
        environment = os.environ | {"TSAN_OPTIONS": "halt_on_error=1"}
        passed = [run(Path(words[0]).name, words, ROOT, environment) for words in threads()]
        return 0 if all(passed) else 1
    cases = given.cases or (200 if given.selection else 4000)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        found = sanitized_environment(Path(folder), lines=not given.selection)
        print(f"build: {time.monotonic() - start:.0f} s", flush=True)
        site = Path(found["PYTHONPATH"])
        for name in ("tests", "pyproject.toml", "schemas", "docs", "models", "bench", "tools"):
            (site / name).symlink_to(ROOT / name)
        environment = {**os.environ, **found}
        plain = {**os.environ, SANITIZED: json.dumps(found)}
        chosen = steps(given.selection, cases)
        if given.only:
            chosen = {name: words for name, words in chosen.items() if name.startswith(given.only)}
        passed: list[bool] = []
        for name, words in chosen.items():
            where = (ROOT, plain) if name == "processes" else (site, environment)
            passed.append(run(name, [sys.executable, *words], *where))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
