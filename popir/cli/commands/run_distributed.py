"""`popir run-distributed`: runs a script in several processes that share replicas of models."""

from __future__ import annotations

from pathlib import Path

import click

from popir.cli import ranks as jobs
from popir.cli.options import Count, Number
from popir.popdist import LONGEST_WAIT


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
    default=LONGEST_WAIT,
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
) -> None:
    """Run the Python script SCRIPT, with ARGUMENTS, in several processes that talk by MPI.

    The script calls popir.popdist.init(). A process that fails ends all, and is named. The exit
    code is that of the first one that fails. With --restarts, the script goes on from its last
    checkpoint, which it loads.
    """
    jobs.run(
        [str(script), *arguments],
        ranks=ranks,
        replicas=replicas,
        timeout=timeout,
        restarts=restarts,
        launcher=launcher.split() if launcher else None,
    )
