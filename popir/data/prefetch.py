"""A thread that takes items of an iterable before they are asked for: `Prefetch`."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from popir.errors import popart_runtime_error

_END = object()
_PATIENCE = 0.05
"""Seconds between looks whether the other side is still there."""


class _Failed:
    """What the source raised."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Prefetch:
    """Takes up to `ahead` items of an iterable in a thread of its own, while others are used.

    `made` gives the iterable, in that thread. An exception there is raised by `next`, in its turn.
    """

    def __init__(self, made: Callable[[], Iterable[Any]], ahead: int) -> None:
        self._process = os.getpid()
        self._items: queue.Queue[Any] = queue.Queue(ahead)
        self._stop = threading.Event()
        self._has_ended = False
        # The thread does not know this object: dropped, it ends the thread.
        self._thread = threading.Thread(
            target=_fill, args=(made, self._items, self._stop), name="popir data", daemon=True
        )
        self._thread.start()
        weakref.finalize(self, self._stop.set)

    def next(self) -> Any:
        """The next item. Raises StopIteration at the end and after it, and what the source raised;
        popart_runtime_error after `close`, and in a forked child, where the thread is not, and may
        hold the queue.
        """
        if os.getpid() != self._process:
            raise popart_runtime_error(
                "The thread that fetches data is gone: the process was forked. Make the Batches in "
                "the process that uses them."
            )
        while not self._has_ended:
            try:
                item = self._items.get(timeout=_PATIENCE)
            except queue.Empty:
                if self._stop.is_set():
                    raise popart_runtime_error(
                        "The thread that fetches data was closed while an item was asked for."
                    ) from None
                continue
            self._has_ended = item is _END or isinstance(item, _Failed)
            if isinstance(item, _Failed):
                raise item.error
            if not self._has_ended:
                return item
        raise StopIteration

    def close(self) -> None:
        """Ends the thread; waits for an item that it is fetching, but not for ever."""
        self._stop.set()
        self._thread.join(5)


def _fill(
    made: Callable[[], Iterable[Any]], items: queue.Queue[Any], stop: threading.Event
) -> None:
    def put(item: Any) -> bool:
        while not stop.is_set():
            with contextlib.suppress(queue.Full):
                items.put(item, timeout=_PATIENCE)
                return True
        return False

    try:
        for item in made():
            if not put(item):
                return
    except BaseException as error:
        put(_Failed(error))
    else:
        put(_END)
