"""Does each C++ file compile by itself? A build that compiles a folder as one (`CMAKE_UNITY_BUILD`)
does not tell: a file may lean on what another one includes.

The compiler reads each file alone, without making code. Most of that time are headers, so some of
them are compiled before: a file is given those headers that it includes itself, directly or by way
of others, and never more.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CPP = Path(__file__).resolve().parent.parent / "cpp"
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
_MADE_BY_CODE = re.compile(r"-f(no-)?sanitize|-O|-g\d?$|-M|-c$")
_MOST = 6
"""How many headers are compiled before."""


def failures(build: Path) -> list[str]:
    """What the compiler says of each file of a build, a unity build too, that does not compile
    alone. `build` is the folder of the build, with its compile_commands.json.
    """
    groups: dict[tuple[str, ...], list[Path]] = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        file = Path(command["file"])
        if "Unity" in file.parts:  # Other files have been compiled alone.
            words = shlex.split(command["command"])
            words = words[Path(words[0]).name == "ccache" :]
            flags = [word for word in words[: words.index("-o")] if not _MADE_BY_CODE.match(word)]
            parts = map(Path, _INCLUDE.findall(file.read_text()))
            groups.setdefault(tuple(flags), []).extend(parts)
    assert groups, f"{build} is no unity build"
    said: list[str] = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for flags, files in groups.items():
            with tempfile.TemporaryDirectory() as folder:
                said += _failures(flags, files, Path(folder), pool)
    return said


def _failures(
    flags: Sequence[str], files: Sequence[Path], folder: Path, pool: ThreadPoolExecutor
) -> list[str]:
    headers = _worth_it(files)
    made: dict[Path | str, Path] = dict(
        zip(headers, pool.map(lambda each: _precompiled(flags, each, folder), headers), strict=True)
    )

    def said(file: Path) -> str:
        given = max(made.keys() & closure(file), key=weight, default=None)
        before = [] if given is None else ["-include", str(made[given])]
        command = [*flags, *before, "-fsyntax-only", str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    return list(filter(None, pool.map(said, files)))


def _precompiled(flags: Sequence[str], header: Path, folder: Path) -> Path:
    """A header to include in the place of another one, which the compiler has read already."""
    file = folder / f"{header.stem}_{abs(hash(header))}.hpp"
    file.write_text(f'#include "{header}"\n')
    subprocess.run([*flags, "-x", "c++-header", file, "-o", f"{file}.gch"], check=True)
    return file


def _worth_it(files: Iterable[Path]) -> list[Path]:
    """The headers that save most when they are read once."""
    closures = [closure(file) for file in files]
    candidates = {each for headers in closures for each in headers if isinstance(each, Path)}
    saved = [0] * len(closures)
    chosen: list[Path] = []
    for _ in range(_MOST):
        worth: dict[Path, int] = {}
        for header in candidates:
            users = [s for s, headers in zip(saved, closures, strict=True) if header in headers]
            gains = sum(max(0, weight(header) - s) for s in users)
            worth[header] = gains - 2 * weight(header)
        most, best = max(((w, header) for header, w in worth.items()), default=(0, None))
        if best is None or most <= 0:
            break
        chosen.append(best)
        saved = [
            max(s, weight(best)) if best in headers else s
            for s, headers in zip(saved, closures, strict=True)
        ]
    return chosen


@functools.cache
def weight(header: Path | str) -> int:
    """How long a header takes, roughly: those of the standard library are long."""
    own = {header, *closure(header)}
    return sum(each.stat().st_size if isinstance(each, Path) else 20_000 for each in own)


@functools.cache
def closure(file: Path) -> frozenset[Path | str]:
    """The headers that a file includes: ours by path, others by name."""
    found: set[Path | str] = set()
    left = [file]
    while left:
        for each in _included(left.pop()):
            if each not in found:
                found.add(each)
                if isinstance(each, Path):
                    left.append(each)
    return frozenset(found)


@functools.cache
def _included(file: Path) -> list[Path | str]:
    found: list[Path | str] = []
    for name in _INCLUDE.findall(file.read_text()):
        places = [folder / name for folder in (file.parent, CPP / "include", CPP)]
        found.append(next((each.resolve() for each in places if each.is_file()), name))
    return found
