"""One rank of `popir run-distributed` or `poprun`: runs a program, and says how it ended if it
failed.

    python -m popir.rank (SCRIPT | -m MODULE) [ARGUMENTS]

The program runs in a child process, so that its end is seen whatever ends it.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import runpy
import signal
import socket
import sys
import time
import traceback
from types import FrameType

from popir import popdist

_GRACE = 1.0
"""The seconds that the other ranks have to tell of an error, before MPI ends them."""
_ONE_INTERRUPT = 1.0
"""The seconds in which two SIGINT are one: a terminal sends it to this process and to its parent,
which passes it on."""
_PARENT_DEATH_SIGNAL = 1
"""Of prctl(2)."""


def main(arguments: list[str]) -> int:
    """Runs the program in a child. Returns its exit code; that of the shell for a signal."""
    popdist.is_talking = mmap.mmap(-1, 1)  # The child and this process share it.
    child = os.fork()
    if child == 0:
        end_with_parent(signal.SIGKILL)
        return _run(arguments)

    def passed_on(number: int, frame: FrameType | None) -> None:
        os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, passed_on)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    left = code == 0 and popdist.is_talking[0] == 1  # MPI would end the others without a word.
    if left:
        code = 1
    if code == 0:
        return 0
    # What the launcher itself ends with depends on how it ended the other ranks.
    with contextlib.suppress(OSError), open(os.environ.get(popdist.ENDED, ""), "x") as first:
        first.write(str(code if code > 0 else 128 - code))
    how = f"exit code {code}" if code > 0 else f"signal {-code} ({signal.Signals(-code).name})"
    if left:
        how = "exit code 0, and without Python's end, which ends MPI (os._exit)"
    where = f"process {child} on {socket.gethostname()}"
    print(f"popir: rank {_rank()} ({where}) has ended with {how}.", file=sys.stderr, flush=True)
    return code if code > 0 else 128 - code


def end_with_parent(number: int = signal.SIGTERM) -> None:
    """The process gets that signal when its parent has ended."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, number)


def _rank() -> str:
    return next((os.environ[name] for name in popdist.RANKS if name in os.environ), "?")


def _take_interrupts() -> None:
    """Makes SIGINT, if it is not ignored, a KeyboardInterrupt once where it comes twice."""
    last = -_ONE_INTERRUPT

    def interrupted(*_: object) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before >= _ONE_INTERRUPT:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupted)


def _run(arguments: list[str]) -> int:
    """Runs the program in this process, and returns its exit code. An error goes to the others."""
    _take_interrupts()
    if os.environ.get(popdist.OUTPUT, _rank()) != _rank():
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
    code = 0
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        why = f"it has ended with exit code {code}"
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # What is left is to tell the others.
        traceback.print_exc()
        code, why = 128 + signal.SIGINT, "it was interrupted"
    except BaseException as error:
        traceback.print_exc()
        code, why = 1, f"{type(error).__name__}: {error}"
    else:
        why = ""
    if code:
        popdist.fail(why)
        # The rank whose failure is told here has to end first: it is the one to be named.
        time.sleep(3 * _GRACE if "has failed:" in why else _GRACE)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
