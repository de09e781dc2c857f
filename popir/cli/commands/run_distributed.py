"""`popir run-distributed`: runs a script in several processes that share replicas of models."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from popir.cli.exits import CommandError, ExitCode
from popir.cli.options import Count, Number
from popir.errors import MissingPackageError
from popir.popdist import ENDED, LIBRARY, LIMIT, REPLICAS, library


@click.command(
    short_help="Run a script in several processes that talk by MPI.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("-n", "--ranks", type=Count(1), required=True, help="Processes.")
@click.option(
    "--replicas",
    type=Count(1),
    default=1,
    show_default=True,
    help="Replicas of a model in each process.",
)
@click.option(
    "--timeout",
    type=Number(0, is_open=True),
    default=600,
    show_default=True,
    help="Seconds after which it is an error to wait for another process.",
)
@click.option(
    "--restarts",
    type=Count(0),
    default=0,
    show_default=True,
    help="How often to start again when a process has failed.",
)
@click.option(
    "--mpiexec", "launcher", help="The launcher of MPI, with its options; by default mpiexec."
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    ranks: int,
    replicas: int,
    timeout: float,
    restarts: int,
    launcher: str | None,
    script: Path,
    arguments: tuple[str, ...],
) -> ExitCode:
    """Run the Python script SCRIPT, with ARGUMENTS, in several processes that talk by MPI.

    The script calls popir.popdist.init(). A process that fails ends all, and is named. The exit
    code is that of the first one that fails. With --restarts, the script goes on from its last
    checkpoint, which it loads.
    """
    environment = os.environ | {REPLICAS: str(replicas), LIMIT: str(timeout), LIBRARY: library()}
    environment.setdefault("OMP_NUM_THREADS", str(_threads(ranks)))
    words = launcher.split() if launcher else [_mpiexec()]
    made = [*words, "-n", str(ranks), sys.executable, "-m", "popir.rank", str(script), *arguments]
    code = 0
    for left in reversed(range(restarts + 1)):
        with tempfile.TemporaryDirectory() as folder:
            ended = os.path.join(folder, "ended")
            try:
                code = subprocess.run(
                    made, env={**environment, ENDED: ended}, check=False
                ).returncode
            except OSError as error:
                raise CommandError(f"'{words[0]}' cannot be run: {error.strerror}.") from error
            if code and os.path.exists(ended):
                code = int(Path(ended).read_text())
        if code == 0:
            return ExitCode.FINE
        if left:
            click.echo(f"popir: restart {restarts - left + 1} of {restarts}.", err=True)
    raise SystemExit(code if code > 0 else 128 - code)


def _threads(ranks: int) -> int:
    """The share of a process in the cores of this machine, if all run on it."""
    return max(len(os.sched_getaffinity(0)) // ranks, 1)


def _mpiexec() -> str:
    """The launcher of the environment that Python runs in, or the one on PATH."""
    own = os.path.join(sys.prefix, "bin")
    found = shutil.which("mpiexec", path=own) or shutil.which("mpiexec")
    if found is None:
        raise MissingPackageError(
            "popir run-distributed: processes are started by mpiexec, which is not installed: "
            "pip install 'popir[distributed]'."
        )
    return found
