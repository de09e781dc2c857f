"""Serialised models, in memory or in a file, of which parts are read when they are asked for."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

Bytes = np.ndarray[Any, Any]
_WINDOW = 1 << 18
_ALIGNMENT = 64
"""That of the engine's buffers, which then use arrays where they lie."""


class Serialised(Protocol):
    """The bytes of a serialised model."""

    size: int

    def window(self, at: int, count: int, /) -> tuple[memoryview, int]:
        """Some bytes, and the place of the first of them: `count` from `at` on are among them, or
        all there are. Raises OSError if they cannot be read, or the file became shorter.
        """
        ...

    def into(self, begin: int, array: Bytes) -> None:
        """Copies the bytes from `begin` on that fill an array of bytes. Raises OSError."""
        ...


class InMemory:
    """A model that is given as bytes."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._view = memoryview(data)

    def window(self, _at: int, _count: int) -> tuple[memoryview, int]:
        """All bytes, whatever is asked for."""
        return self._view, 0

    def into(self, begin: int, array: Bytes) -> None:
        """Copies them from the given bytes."""
        array[...] = np.frombuffer(self._view, np.uint8, array.size, begin)


class InFile:
    """A model in an open file, whose size is that of its opening."""

    def __init__(self, descriptor: int) -> None:
        self.size = os.fstat(descriptor).st_size
        self._file = descriptor
        self._view, self._begin = memoryview(b""), 0

    def window(self, at: int, count: int) -> tuple[memoryview, int]:
        """The bytes that were read last, if they do, or others."""
        end = min(at + count, self.size)
        if at < self._begin or end > self._begin + len(self._view):
            array = np.empty(min(max(count, _WINDOW), self.size - at), np.uint8)
            self.into(at, array)
            if array.size > _WINDOW:  # Not kept: who asked for so much has it, and may copy it.
                return array.data, at
            self._view, self._begin = array.data, at
        return self._view, self._begin

    def into(self, begin: int, array: Bytes) -> None:
        """Reads them from the file."""
        view, done = array.data, 0
        while done < array.size:  # Linux reads no more than 2 GiB at once.
            count = os.preadv(self._file, [view[done:]], begin + done)
            if count == 0:
                raise OSError(None, "it became shorter while it was read")
            done += count


def part(source: Serialised, begin: int, end: int) -> bytes:
    """The bytes [begin, end). Raises OSError."""
    view, base = source.window(begin, end - begin)
    return bytes(view[begin - base : end - base])


def settled(source: Serialised, begin: int, end: int) -> memoryview:
    """The bytes [begin, end) in memory of their own, as `filled` gives it. Raises OSError."""
    return filled(end - begin, lambda array: source.into(begin, array)).data


class Pages(mmap.mmap):
    """Memory that goes back to the system as soon as no array is left in it. Nobody writes it
    after `filled`.
    """


_LEAST_PAGES = 1 << 17
"""From so many bytes on, memory has pages of its own."""


def _pages(count: int) -> Bytes:
    try:
        pages = Pages(-1, count, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"{count} bytes: {error}") from error
    if count >= _LEAST_HUGE:
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, np.uint8)


_LEAST_HUGE = 1 << 22
"""As for numpy's own arrays."""


def filled(count: int, fill: Callable[[Bytes], None]) -> Bytes:
    """New memory of `count` bytes, which is filled and then read-only. It is aligned for any
    element type, and so that the engine can use it where it lies.
    """
    memory = _pages(count) if count >= _LEAST_PAGES else np.empty(count + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    fill(memory[start : start + count])
    memory.flags.writeable = False
    return memory[start : start + count]
