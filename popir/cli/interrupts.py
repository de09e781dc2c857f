"""Ctrl-C while the device or a compiler of the device runs, where Python hears of it afterwards."""

from __future__ import annotations

import os
import signal
import threading

from popir.cli.exits import ExitCode
from popir.cli.output import say

_PATIENCE = 1.0
"""Seconds for Python to end by itself, before anything is said or done."""


def hear() -> None:
    """Makes the signals that a command needs what they are by default. They are inherited, and
    `nohup`, `&` in a script and some CI runners ignore SIGINT, or SIGCHLD, without which nobody
    learns how a compiler ended.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGCHLD])


def watch() -> None:
    """Begins to watch: a Ctrl-C that takes long to be heard is answered in words, and the second
    one ends the process where Python does not end it itself.
    """
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(receiver,), daemon=True).start()


def _listen(receiver: int) -> None:
    """Takes the numbers of the signals, which Python's handler writes as they arrive."""
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
