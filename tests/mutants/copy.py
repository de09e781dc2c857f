"""A copy of the tree in which all mutants are compiled in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.board import HEADER, PYTHON, SOURCE
from tests.mutants.sites import Site, changed, draw

RUNTIME = {
    "popir/_mutants.py": PYTHON,
    "cpp/popir_mutants.hpp": HEADER,
    "cpp/poplar/popir_mutants.cpp": SOURCE,
}


def tracked(root: Path) -> list[str]:
    """The files of a checkout that git knows or would add."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(words, cwd=root, check=True, capture_output=True, text=True)
    return sorted(name for name in set(found.stdout.splitlines()) if (root / name).is_file())


def make(root: Path, tree: Path, count: int, seed: str, dropped: set[str]) -> list[Site]:
    """Copies, changes and builds; a mutant's number is its place in the result.

    Sites whose mutant does not compile are added to `dropped`, and others drawn in their place.
    """
    files = tracked(root)
    while True:
        sites = draw(root, files, count, seed, dropped)
        _write(root, tree, files, sites)
        bad = _uncompiled(tree, sites) | _build(tree, sites)
        if not bad:
            return sites
        for site in bad:
            print(f"does not compile: {site.name}", flush=True)
        dropped |= {site.name for site in bad}


def _write(root: Path, tree: Path, files: Sequence[str], sites: Sequence[Site]) -> None:
    """Brings the copy up to date; files that stay as they are keep their times."""
    by_path: dict[str, list[tuple[int, Site]]] = {}
    for number, site in enumerate(sites):
        by_path.setdefault(site.path, []).append((number, site))
    wanted = {name: text.encode() for name, text in RUNTIME.items()}
    for name in files:
        source = (root / name).read_bytes()
        wanted[name] = changed(name, source, by_path[name]) if name in by_path else source
    listing = tree / "build" / "files"
    if listing.exists():
        for name in set(listing.read_text().splitlines()) - set(wanted):
            (tree / name).unlink(missing_ok=True)
    for name, content in wanted.items():
        path = tree / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if name not in RUNTIME:
                shutil.copymode(root / name, path)
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text("\n".join(wanted))


def _uncompiled(tree: Path, sites: Sequence[Site]) -> set[Site]:
    """Sites of Python files that do not compile."""
    bad: set[Site] = set()
    for path in {site.path for site in sites if site.path.endswith(".py")}:
        try:
            compile((tree / path).read_bytes(), path, "exec")
        except SyntaxError:
            bad |= {site for site in sites if site.path == path}
    return bad


def _build(tree: Path, sites: Sequence[Site]) -> set[Site]:
    """Builds what C++ has changed, and installs it in place; returns what stopped it."""
    build = tree / "build" / "dev"
    words = ["cmake", "-S", tree / "cpp", "-B", build, "-G", "Ninja"]
    words.append(f"-DPython_EXECUTABLE={sys.executable}")
    if shutil.which("ccache"):
        words.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    jobs = str(min(2, len(os.sched_getaffinity(0))))
    make = ["cmake", "--build", build, "--target", "install", "-j", jobs, "--", "-k", "0"]
    done = subprocess.run(make, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (tree / "build" / "log").write_text(done.stdout)
    if done.returncode == 0:
        return set()
    # The header that declares mutants stands before line 1. A change may span lines, and its
    # error stand in any of them or, in a template, where it is instantiated.
    at: set[tuple[str, int]] = set()
    failed: set[str] = set()
    for line in done.stdout.splitlines():
        found = re.match(r"(?:In file included from )?(\S+?\.(?:cpp|hpp|inc)):(\d+)", line.strip())
        if found and ("error:" in line or "required from" in line):
            at.add((str(Path(os.path.normpath(build / found[1]))), int(found[2]) - 1))
        found = re.search(r"FAILED: .*?\S*\.dir/(\S+\.cpp)\.o", line)
        if found:
            failed.add(f"cpp/{found[1]}")
    bad = {
        site
        for site in sites
        for line in range(site.line, site.line + site.before.count("\n") + 1)
        if (str(tree / site.path), line) in at
    }
    blamed = {site.path for site in bad}
    bad |= {site for site in sites if site.path in failed - blamed}
    if not bad:
        raise SystemExit(f"the copy does not build: see {tree / 'build' / 'log'}")
    return bad
