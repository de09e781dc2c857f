"""Mutual exclusion of threads that survives a fork: `ForkLock`, `Exclusive`."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable, Collection
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
    """A recursive lock, `rlock`, that handles forks.

    A child process has only the thread that forked. If another thread held the lock at the fork, it
    would never be released in the child, and the work under it is half done. So in the child the
    lock is replaced by a free one, and `refused` is set.
    """

    def __init__(self) -> None:
        self.rlock = threading.RLock()
        self.refused = ""
        """Why the locked object must not be used, even by the holder of the lock; "" if it may."""
        self.runner = 0
        """The thread that has run the last step, or runs one now."""
        _locks.add(self)

    def after_fork(self) -> None:
        """Replaces a lock that another thread held at the fork. Runs in the child process."""
        if self.rlock.acquire(blocking=False):
            self.rlock.release()
        else:
            self.rlock = threading.RLock()
            self.refused = CUT_OFF


_locks: weakref.WeakSet[ForkLock] = weakref.WeakSet()


def _after_fork() -> None:
    for lock in _locks:
        lock.after_fork()


os.register_at_fork(after_in_child=_after_fork)


class Exclusive:
    """Base class of objects whose `exclusive` methods run in one thread at a time.

    An exclusive method may call others of the same object. A callback of a running step must not,
    because it would change what the step uses. So the method that runs a step sets `lock.refused`
    to IN_STEP and `lock.runner` to its thread while it runs.
    """

    def __init__(self) -> None:
        self.lock = ForkLock()

    def refuse(self, method: str) -> None:
        """Raises popart_runtime_error: `method` must not be called now, for `lock.refused`."""
        raise popart_runtime_error(f"{type(self).__name__}.{method}() {self.lock.refused}")

    def waiting_threads(self) -> Collection[int]:
        """The threads that wait for a call which this thread makes; none by default."""
        return ()

    def refuse_own_call(self, method: str) -> None:
        """Raises popart_runtime_error if this thread makes a call of the running step, and the step
        waits for it: that is so for calls with a time limit.
        """
        if self.lock.refused == IN_STEP and self.lock.runner in self.waiting_threads():
            self.refuse(method)


def exclusive(*, afresh: bool = False) -> Callable[[Method[E, P, R]], Method[E, P, R]]:
    """Decorates a method of an Exclusive: it waits while other threads use the object.

    The method raises popart_runtime_error in a callback of a step, and in a forked child whose lock
    was held (see `ForkLock`). `afresh` marks methods that rebuild the state, which are allowed in
    such a child and make the object usable again.
    """

    def decorate(method: Method[E, P, R]) -> Method[E, P, R]:
        name = method.__name__

        @functools.wraps(method)
        def alone(self: E, *args: P.args, **kwargs: P.kwargs) -> R:
            self.refuse_own_call(name)
            with self.lock.rlock:
                if afresh and self.lock.refused == CUT_OFF:
                    self.lock.refused = ""
                if self.lock.refused:
                    self.refuse(name)
                return method(self, *args, **kwargs)

        return alone

    return decorate
