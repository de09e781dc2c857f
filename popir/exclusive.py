"""One thread at a time, also in processes that fork: `ForkLock`, `Exclusive`."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from popir.errors import popart_runtime_error

P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E", bound="Exclusive")
Method = Callable[Concatenate[E, P], R]

IN_STEP = (
    "was called by a callback of a step of the same session. Call it when run() has returned, or "
    "let the callback use another session."
)
CUT_OFF = (
    "was called in a process that was forked while another thread used the session, which that "
    "thread never finishes here. Call loadEngineAndConnectStreams() first, which starts from the "
    "host's weights, or make a session in this process."
)


class ForkLock:
    """A recursive lock, `rlock`. A child that is forked while another thread has it finds it free,
    with `refused` set: that thread is not there, and what it did is half done.
    """

    def __init__(self) -> None:
        self.rlock = threading.RLock()
        self.refused = ""
        """Why nobody may do what the lock is for, not even who has it; empty if they may."""
        _locks.add(self)

    def afterFork(self) -> None:
        """In the child, whose only thread is the one that forked."""
        if self.rlock.acquire(blocking=False):
            self.rlock.release()
        else:
            self.rlock = threading.RLock()
            self.refused = CUT_OFF


_locks: weakref.WeakSet[ForkLock] = weakref.WeakSet()


def _afterFork() -> None:
    for lock in _locks:
        lock.afterFork()


os.register_at_fork(after_in_child=_afterFork)


class Exclusive:
    """Base of objects whose `exclusive` methods one thread at a time runs. Such a method may call
    others, but what a step calls back may not: it would change what the step is using. So the
    method that runs a step sets `lock.refused` to IN_STEP as long as it runs.
    """

    def __init__(self) -> None:
        self.lock = ForkLock()

    def refuse(self, method: str) -> None:
        """Raises popart_runtime_error: who has the lock may not call `method` now."""
        raise popart_runtime_error(f"{type(self).__name__}.{method}() {self.lock.refused}")


def exclusive(*, afresh: bool = False) -> Callable[[Method[E, P, R]], Method[E, P, R]]:
    """Makes a method wait for other threads that use the object; `afresh` if it makes anew what a
    fork has cut off.

    The method raises popart_runtime_error where it must not be called: in a callback, or in a
    forked child (see `ForkLock`).
    """

    def decorate(method: Method[E, P, R]) -> Method[E, P, R]:
        name = method.__name__

        @functools.wraps(method)
        def alone(self: E, *args: P.args, **kwargs: P.kwargs) -> R:
            with self.lock.rlock:
                if afresh and self.lock.refused == CUT_OFF:
                    self.lock.refused = ""
                if self.lock.refused:
                    self.refuse(name)
                return method(self, *args, **kwargs)

        return alone

    return decorate
