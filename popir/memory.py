"""Checks of the host's memory before large allocations."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from popir import poplar
from popir.errors import OutOfMemoryException

_SMALL = 1 << 26


def require(who: str, nbytes: int) -> None:
    """Raises OutOfMemoryException, which begins with `who`, if `nbytes` are not available.

    Available is the least of what the system has and what the process's control group and RLIMIT_AS
    allow. Requests below 64 MiB are not checked.
    """
    if nbytes < _SMALL:
        return
    available = poplar.availableMemory()
    if nbytes > available:
        raise OutOfMemoryException(
            f"{who} needs {nbytes} bytes of memory; {available} are available."
        )


@contextlib.contextmanager
def guarded(who: str) -> Generator[None]:
    """Turns a MemoryError in the `with` block into an OutOfMemoryException that names `who`."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryException(
            f"{who} needs more memory than the host gives: {error or 'an allocation failed'}."
        ) from error
