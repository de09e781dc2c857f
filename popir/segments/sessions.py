"""A cache of compiled sessions, limited in number and in memory."""

from __future__ import annotations

import weakref
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


class Result:
    """The memory of one result of a session. New pages cost more than many an operator that writes
    them, so that memory whose array nobody holds any more is written again.
    """

    def __init__(self, fresh: Array) -> None:
        self._shape, self._dtype, self._bytes = fresh.shape, fresh.dtype, fresh.nbytes
        self._kept: list[tuple[memoryview, weakref.ref[Array]]] = []
        """Memory, and the array that all views of it hold."""
        self.is_large = fresh.nbytes >= LARGE_BYTES

    def array(self) -> Array:
        """An array to write the result to; it lies in kept memory, if it is large. Threads may call
        this at the same time.
        """
        if not self.is_large:
            return np.empty(self._shape, self._dtype)
        for _ in range(len(self._kept)):
            try:
                memory, holder = self._kept.pop(0)
            except IndexError:  # another thread has it
                break
            if holder() is None:
                return self._in(memory)
            self._kept.append((memory, holder))
        array = self._in(np.empty(self._bytes, np.uint8).data)
        del self._kept[:-_MOST_KEPT]
        return array

    def _in(self, memory: memoryview) -> Array:
        """An array in `memory`. NumPy lets views hold the last array before what is none, which
        is that of frombuffer: after it comes a memoryview.
        """
        holder = np.frombuffer(memory, self._dtype)
        self._kept.append((memory, weakref.ref(holder)))
        return holder.reshape(self._shape)


class KeptSession:
    """A compiled session and the memory of its results."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        fresh = session.initAnchorArrays()
        self._results = {id: Result(array) for id, array in fresh.items()}
        self._recycled = sum(fresh[id].nbytes for id, r in self._results.items() if r.is_large)

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
