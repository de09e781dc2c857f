"""A cache of compiled sessions, limited in number and in memory."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from popir.session import InferenceSession
from popir.stepio import PyStepIO

Array = np.ndarray[Any, Any]

MOST_SESSIONS = 64
"""The most compiled sessions that are kept."""
MOST_BYTES = 1 << 30
"""The most bytes of host memory that they hold together; one is kept whatever its size."""
LARGE_BYTES = 64 * 1024
"""Results of this size and more are written to memory that is used again."""
_MOST_KEPT = 2
"""Memory kept for one result. Who assigns results to one name holds the last ones during a run."""


def _first(kept: list[Array]) -> tuple[Array, int]:
    """Takes the first array, and says how often it is referred to."""
    array = kept.pop(0)
    return array, sys.getrefcount(array)


_UNSHARED = _first([np.empty(0)])[1]
"""What `_first` says of an array that only the list held."""


class Result:
    """The memory of one result of a session. New pages cost more than many an operator that writes
    them, so that an array that nobody holds any more is written again.
    """

    def __init__(self, fresh: Array) -> None:
        self._shape, self._dtype = fresh.shape, fresh.dtype
        self._kept: list[Array] = []
        self.isLarge = fresh.nbytes >= LARGE_BYTES

    def array(self) -> Array:
        """An array to write the result to: a view of the kept memory, if that is large. Threads may
        call this at the same time.
        """
        if not self.isLarge:
            return np.empty(self._shape, self._dtype)
        for _ in range(len(self._kept)):
            try:
                memory, references = _first(self._kept)
            except IndexError:  # another thread has it
                break
            if references <= _UNSHARED:
                view = memory.view()
                self._kept.append(memory)
                return view
            self._kept.append(memory)
        memory = np.empty(self._shape, self._dtype)
        view = memory.view()
        self._kept.append(memory)
        del self._kept[:-_MOST_KEPT]
        return view


class KeptSession:
    """A compiled session and the memory of its results."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        fresh = session.initAnchorArrays()
        self._results = {id: Result(array) for id, array in fresh.items()}
        self._recycled = sum(fresh[id].nbytes for id, r in self._results.items() if r.isLarge)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """The results of a step. Errors are those of `PyStepIO` and `Session.run`."""
        results = {id: result.array() for id, result in self._results.items()}
        self._session.run(PyStepIO(inputs, results))
        return results

    def hostBytes(self) -> int:
        """Those of the session, which count each result once, and what else is kept for results."""
        return self._session.hostBytes() + (_MOST_KEPT - 1) * self._recycled


class Sessions:
    """The sessions used last, by the types, shapes and values compiled in."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, KeptSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, known: Any) -> KeptSession | None:
        """The session compiled for the key `known`; None if it is not in the cache."""
        if known in self._kept:
            self._kept.move_to_end(known)
        return self._kept.get(known)

    def add(self, known: Any, session: InferenceSession) -> KeptSession:
        """Adds a session, and removes the least recently used ones above the limits."""
        added = self._kept[known] = KeptSession(session)
        while len(self._kept) > 1 and (
            len(self._kept) > MOST_SESSIONS
            or sum(each.hostBytes() for each in self._kept.values()) > MOST_BYTES
        ):
            self._kept.popitem(last=False)
        return added
