"""The host's memory: what is left of it, and refusals before it is gone."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from popir import poplar
from popir.errors import OutOfMemoryException

_SMALL = 1 << 26


def require(who: str, nbytes: int) -> None:
    """Raises OutOfMemoryException, beginning with `who`, if `nbytes` are more than is available.

    That is the least of what the system has, what the process's control group leaves, and what its
    RLIMIT_AS leaves. Requests below 64 MiB are not looked into.
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
    """Turns a MemoryError into an OutOfMemoryException that begins with `who`."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemoryException(
            f"{who} needs more memory than the host gives: {error or 'an allocation failed'}."
        ) from error
