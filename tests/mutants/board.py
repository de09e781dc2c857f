"""The switchboard of mutants: a file that all processes of a run map into their memory.

Its first half says for each mutant whether it is active; in the second half each process notes
which sites it came by. Programs find the file by the variable POPIR_MUTANTS; without it no mutant
is active.
"""

from __future__ import annotations

import mmap
from pathlib import Path

SIZE = 4096
"""Mutants that a board has room for."""
VARIABLE = "POPIR_MUTANTS"
PIPES = "POPIR_MUTANTS_PIPES"
"""The variable by which a server finds its pipes."""

PYTHON = f'''\
"""Mutants of Python code."""

import mmap
import os

if "{VARIABLE}" in os.environ:
    with open(os.environ["{VARIABLE}"], "r+b") as _file:
        _board = mmap.mmap(_file.fileno(), {2 * SIZE})
else:
    _board = bytearray({2 * SIZE})


def mutant(number: int) -> int:
    """Whether a mutant is active; notes that its site was come by."""
    _board[{SIZE} + number] = 1
    return _board[number]
'''

HEADER = f"""\
#pragma once
extern "C" __attribute__((visibility("default"))) unsigned char *popirMutantBoard;
// Static: files for different instruction sets must not share its code.
__attribute__((always_inline, unused)) static inline bool popirMutant(int number) {{
  if (popirMutantBoard[{SIZE} + number] == 0) popirMutantBoard[{SIZE} + number] = 1;
  return popirMutantBoard[number] != 0;
}}
"""

SOURCE = f"""\
#include "popir_mutants.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

static unsigned char none[{2 * SIZE}];
unsigned char *popirMutantBoard = none;

// Before all constructors of objects.
__attribute__((constructor(101))) static void openBoard() {{
  const char *path = std::getenv("{VARIABLE}");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *found = mmap(nullptr, {2 * SIZE}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (found != MAP_FAILED) popirMutantBoard = static_cast<unsigned char *>(found);
}}
"""


class Board:
    """A board in a file, which is made if it is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(bytes(2 * SIZE))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 2 * SIZE)

    def activate(self, numbers: list[int]) -> None:
        """These mutants are active, and no others."""
        on = bytearray(SIZE)
        for number in numbers:
            on[number] = 1
        self._memory[:SIZE] = bytes(on)

    def take(self) -> set[int]:
        """The sites come by since the last call."""
        seen = self._memory[SIZE:]
        self._memory[SIZE:] = bytes(SIZE)
        return {number for number, byte in enumerate(seen) if byte}

    def add(self, numbers: set[int]) -> None:
        """Notes sites as come by."""
        for number in numbers:
            self._memory[SIZE + number] = 1
