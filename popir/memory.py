"""Checks of the host's memory before large allocations."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from popir import poplar
from popir.errors import OutOfMemoryException

SMALL = 1 << 26
"""Requests below this number of bytes are always granted."""


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
