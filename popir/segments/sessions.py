"""A cache of compiled sessions, limited in number and in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from popir.session import InferenceSession

MOST_SESSIONS = 64
"""The most compiled sessions that are kept."""
MOST_BYTES = 1 << 30
"""The most bytes of host memory that they hold together; one is kept whatever its size."""


class Sessions:
    """The sessions used last, by the types, shapes and values compiled in."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, InferenceSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, known: Any) -> InferenceSession | None:
        """The session compiled for the key `known`; None if it is not in the cache."""
        if known in self._kept:
            self._kept.move_to_end(known)
        return self._kept.get(known)

    def add(self, known: Any, session: InferenceSession) -> InferenceSession:
        """Adds a session, and removes the least recently used ones above the limits."""
        self._kept[known] = session
        while len(self._kept) > 1 and (
            len(self._kept) > MOST_SESSIONS
            or sum(each.hostBytes() for each in self._kept.values()) > MOST_BYTES
        ):
            self._kept.popitem(last=False)
        return session
