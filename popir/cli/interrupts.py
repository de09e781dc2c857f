"""Ctrl-C while C++ code runs: Python would handle it only afterwards."""

from __future__ import annotations

import os
import signal
import threading

from popir.cli.exits import ExitCode
from popir.cli.output import say

_PATIENCE = 1.0
"""The seconds to wait for Python to stop by itself, before anything is printed or done."""


def hear() -> None:
    """Resets SIGINT and SIGCHLD to their default handlers.

    Handlers are inherited: `nohup`, `&` in scripts and some CI runners ignore SIGINT, or SIGCHLD,
    without which the end of a compiler process is not noticed.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGCHLD])


def watch() -> None:
    """Starts a thread that watches for Ctrl-C.

    If Python does not react soon, the first Ctrl-C is answered by a message; the second one ends
    the process.
    """
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(receiver,), daemon=True).start()


def _listen(receiver: int) -> None:
    """Reads the numbers of signals, which Python's C handler writes to a pipe as they arrive."""
    for act in (_answer, _end):
        while os.read(receiver, 1)[0] != signal.SIGINT:
            pass
        timer = threading.Timer(_PATIENCE, act)
        timer.daemon = True
        timer.start()


def _answer() -> None:
    say("popir: interrupted: ends when what runs now is done; Ctrl-C once more ends it at once")


def _end() -> None:
    say("popir: interrupted")
    os._exit(ExitCode.INTERRUPTED)
