"""Each mutant changes what its number's program does, and no other program."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.board import HEADER, PYTHON, SOURCE, VARIABLE, Board
from tests.mutants.sites import LANGUAGES, Site, changed
from tests.toolchain import CXX, run

PYTHON_TEXT = '''\
"""A module."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Untouched:
    name: str = "7"


def answer(values: list[int], wanted: bool = True) -> list[int]:
    """A docstring of 3 words."""
    found = []
    for value in values:
        if value == 4:
            continue
        if wanted and value > 2:
            found.append(value - min(value, 3))
    if not values:
        raise ValueError("no 1 of 2")
    return found


print(answer([2, 3, 4, 5]))
'''
CPP_TEXT = """\
#include <algorithm>
#include <cstdio>
constexpr int kUntouched[2] = {1, 2};
template <int N>
int count(bool wanted) {
  int sum = 0;
  for (int i = 0; i < N; ++i) {
    if (i == 2) continue;
    if (wanted || i > 0) sum += std::max(i, 2);
  }
  static_assert(N < 9, "too many");
  return sum;
}
int main() {
  std::printf("%d %d", count<4>(true) + kUntouched[0] - kUntouched[1], count<5>(false));
}
"""
KINDS = {"arithmetic", "compare", "extreme", "flag", "jump", "logic", "negate", "number", "result"}


@pytest.mark.parametrize(("suffix", "source"), [(".py", PYTHON_TEXT), (".cpp", CPP_TEXT)])
def test_each_mutant_acts_alone(suffix: str, source: str, tmp_path: Path) -> None:
    every = list(LANGUAGES[suffix]().sites(f"main{suffix}", source.encode()))
    assert {site.kind for site in every} == KINDS | {"skip"}
    board = Board(tmp_path / "board")
    outputs: set[str] = set()
    unseen: list[str] = []
    while every:
        sites, every = _apart(every)
        words = _program(tmp_path / str(len(every)), suffix, source, sites)
        board.take()
        outputs.add(plain := _printed(words, board, []))
        assert board.take() == set(range(len(sites)))
        found = [_printed(words, board, [number]) for number in range(len(sites))]
        unseen += [site.before for site, text in zip(sites, found, strict=True) if text == plain]
    assert len(outputs) == 1 and "failed" not in outputs.pop()
    assert not unseen


def _apart(sites: list[Site]) -> tuple[list[Site], list[Site]]:
    """Sites of which none lies in another, as those of different functions, and the others."""
    kept: list[Site] = []
    for site in sorted(sites, key=lambda site: site.end - site.start):
        if all(site.end <= other.start or other.end <= site.start for other in kept):
            kept.append(site)
    return kept, [site for site in sites if site not in kept]


def _program(folder: Path, suffix: str, source: str, sites: list[Site]) -> list[str]:
    """The command of a program with these mutants."""
    (folder / "popir").mkdir(parents=True)
    (folder / "popir" / "_mutants.py").write_text(PYTHON)
    (folder / "popir_mutants.hpp").write_text(HEADER)
    (folder / "board.cpp").write_text(SOURCE)
    main = folder / f"main{suffix}"
    main.write_bytes(changed(main.name, source.encode(), list(enumerate(sites))))
    if suffix == ".py":
        return [sys.executable, str(main)]
    run(CXX, "-std=c++17", main, folder / "board.cpp", "-o", folder / "main", cwd=folder)
    return [str(folder / "main")]


def _printed(words: list[str], board: Board, on: list[int]) -> str:
    """What the program prints with these mutants active."""
    board.activate(on)
    environment = {VARIABLE: str(board.path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout if done.returncode == 0 else f"failed: {done.returncode}"
