"""Checks of the host's memory before large allocations."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from popir import poplar
from popir.errors import OutOfMemoryException

Array = np.ndarray[Any, Any]

SMALL = 1 << 26
"""Requests below this number of bytes are always granted."""

_PAGE, _PLACE, _LEAST_PLACED = 1 << 12, 1 << 11, 1 << 16
"""Bytes: of a page, from its beginning to a placed array, of the smallest one that is placed."""


def uninitialised(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """A new array, for results. A large one begins in the middle of a page: at a line of the cache,
    and far from where numpy's own begin in theirs. A processor takes a load for one of what was
    just stored if both have the same place within a page.
    """
    count = math.prod(shape) * dtype.itemsize
    if count < _LEAST_PLACED:
        return np.empty(shape, dtype)
    memory = np.empty(count + _PAGE, np.uint8)
    start = (_PLACE - memory.ctypes.data) % _PAGE
    return memory[start : start + count].view(dtype).reshape(shape)


def available() -> int:
    """The least of what the system has and what the process's control group and RLIMIT_AS allow."""
    return poplar.availableMemory()


def require(who: str, nbytes: int) -> None:
    """Raises OutOfMemoryException, which begins with `who`, if `nbytes` are not available.

    See `available`. Requests below `SMALL` are not checked.
    """
    if nbytes < SMALL:
        return
    limit = available()
    if nbytes > limit:
        raise OutOfMemoryException(f"{who} needs {nbytes} bytes of memory; {limit} are available.")


@contextlib.contextmanager
def guarded(who: str) -> Generator[None]:
    """Turns a MemoryError in the `with` block into an OutOfMemoryException that names `who`."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryException(
            f"{who} needs more memory than the host gives: {error or 'an allocation failed'}."
        ) from error
