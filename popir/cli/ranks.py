"""Processes that share replicas: what starts them, for `popir run-distributed` and `poprun`."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from popir.cli.exits import CommandError
from popir.errors import MissingPackageError
from popir.popdist import ENDED, LIBRARY, LIMIT, LONGEST_WAIT, REPLICAS, library
from popir.rank import end_with_parent

_ENDING = (signal.SIGTERM, signal.SIGHUP)
"""What a scheduler, and a terminal that closes, end this process with."""


def run(
    words: Sequence[str],
    *,
    ranks: int,
    replicas: int,
    timeout: float = LONGEST_WAIT,
    restarts: int = 0,
    launcher: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    is_shown: bool = False,
) -> None:
    """Runs `python -m popir.rank WORDS` in each of `ranks` processes of an MPI job. `launcher` is
    MPI's, with its options; by default mpiexec. `is_shown`: its command line is printed first.

    Raises SystemExit with the code of the first process that fails, after so many restarts.
    """
    own = {"OMP_NUM_THREADS": str(_threads(ranks)), **os.environ, **(environment or {})}
    own |= {REPLICAS: str(replicas), LIMIT: str(timeout), LIBRARY: library()}
    start = [*(launcher or [mpiexec()]), "-n", str(ranks)]
    made = [*start, sys.executable, "-m", "popir.rank", *words]
    if is_shown:
        click.echo(shlex.join(made), err=True)
    code = 0
    for left in reversed(range(restarts + 1)):
        with tempfile.TemporaryDirectory() as folder:
            ended = os.path.join(folder, "ended")
            try:
                code, stopped = _until_it_ends(made, {**own, ENDED: ended})
            except OSError as error:
                raise CommandError(f"'{made[0]}' cannot be run: {error.strerror}.") from error
            if code and os.path.exists(ended):
                code = int(Path(ended).read_text())
        if stopped:
            raise SystemExit(128 + stopped)
        if code == 0:
            return
        if left:
            click.echo(f"popir: restart {restarts - left + 1} of {restarts}.", err=True)
    _exit(code)


def _until_it_ends(command: Sequence[str], environment: Mapping[str, str]) -> tuple[int, int]:
    """Runs a command, which does not outlive this process. Returns its exit code, and the signal
    that would have ended this process meanwhile, or 0: the command gets it.
    """
    stopped: list[int] = []
    with subprocess.Popen(command, env=environment, preexec_fn=end_with_parent) as process:

        def passed_on(number: int, frame: FrameType | None) -> None:
            stopped.append(number)
            process.send_signal(signal.SIGTERM)

        before = {number: signal.signal(number, passed_on) for number in _ENDING}
        try:
            return process.wait(), next(iter(stopped), 0)
        except BaseException:
            process.kill()
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _exit(code: int) -> NoReturn:
    raise SystemExit(code if code > 0 else 128 - code)


def _threads(ranks: int) -> int:
    """The share of a process in the cores of this machine, if all run on it."""
    return max(len(os.sched_getaffinity(0)) // ranks, 1)


def mpiexec() -> str:
    """The launcher of the environment that Python runs in, or the one on PATH. Raises
    MissingPackageError if there is none.
    """
    own = os.path.join(sys.prefix, "bin")
    found = shutil.which("mpiexec", path=own) or shutil.which("mpiexec")
    if found is None:
        raise MissingPackageError(
            "Processes are started by mpiexec, which is not installed: "
            "pip install 'popir[distributed]'."
        )
    return found
