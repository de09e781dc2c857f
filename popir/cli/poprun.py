"""`poprun`: Graphcore's launcher of instances, for programs that were written for it.

`popir run-distributed` is popir's own.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from popir.cli.exits import CommandError
from popir.cli.main import Explained, prepare
from popir.cli.options import Count
from popir.cli.output import say
from popir.cli.ranks import mpiexec, run
from popir.errors import did_you_mean
from popir.popdist import IPUS, OUTPUT

NO_SERVER = [
    *("--vipu-server-host", "--vipu-server-port", "--vipu-server-timeout", "--vipu-partition"),
    *("--vipu-partition-attempts", "--vipu-cluster", "--vipu-allocation", "--num-ilds"),
    *("--update-partition", "--reset-partition", "--remove-partition", "--offline-mode"),
]
"""Options for the server that hands out IPUs: none is asked here."""
_BINDINGS = ("none", "core", "socket", "numa", "hwthread")
_INTERPRETER = re.compile(r"python(3(\.\d+)?)?$")
_HOSTS = re.compile(r"([^\[\],]+)(?:\[([^\]]*)\])?(?:,|$)")
"""A name of hosts, with numbers in brackets, as in host[0-2,4]."""


def _without_meaning(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for the server."""
    for name in reversed(NO_SERVER):
        said = "Has no meaning: IPUs are simulated."
        command = click.option(name, "server", multiple=True, metavar="TEXT", help=said)(command)
    return command


@click.command(
    cls=Explained,
    name="poprun",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "allow_interspersed_args": False,
    },
)
@click.option("--num-instances", type=Count(1), default=1, show_default=True, help="Processes.")
@click.option(
    "--num-replicas",
    type=Count(1),
    default=1,
    show_default=True,
    help="Replicas of a model, in all processes together.",
)
@click.option(
    "--ipus-per-replica",
    type=Count(1),
    default=1,
    show_default=True,
    help="IPUs of each replica, which popdist.popart.getDevice() gives.",
)
@click.option("-H", "--host", help="Hosts of the processes, such as a,b or a[0-2,4].")
@click.option(
    "--hostfile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a host in each line.",
)
@click.option("--numa-aware", type=bool, default=False, help="Bind processes to NUMA nodes.")
@click.option("--mpi-global-args", default="", help="Options of Open MPI's mpirun for the job.")
@click.option("--mpi-local-args", default="", help="Options of Open MPI's mpirun for processes.")
@click.option(
    "--only-output-from-instance", type=Count(0), help="Show nothing of the other processes."
)
@click.option("--print-topology", type=bool, default=False, help="Show which replicas are where.")
@click.option("-v", "--verbose", count=True, help="Show the command line of MPI.")
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors.")
@_without_meaning
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    num_instances: int,
    num_replicas: int,
    ipus_per_replica: int,
    host: str | None,
    hostfile: Path | None,
    numa_aware: bool,
    mpi_global_args: str,
    mpi_local_args: str,
    only_output_from_instance: int | None,
    print_topology: bool,
    verbose: int,
    server: Sequence[str],
    program: Sequence[str],
) -> None:
    """Run PROGRAM, Python with a script, in several processes that share the replicas of models.

    `import popart` and `import popdist` are popir there. Processes talk by MPI.
    """
    if num_replicas % num_instances:
        raise CommandError(
            f"--num-replicas {num_replicas} --num-instances {num_instances}: the replicas are "
            "divided evenly among the instances. Give a multiple."
        )
    if only_output_from_instance is not None and only_output_from_instance >= num_instances:
        raise CommandError(
            f"--only-output-from-instance {only_output_from_instance}: the last of "
            f"{num_instances} instances is {num_instances - 1}."
        )
    words = ["-m", "popir.as_popart", *_python(program)]
    environment = {IPUS: str(ipus_per_replica)}
    if only_output_from_instance is not None:
        environment[OUTPUT] = str(only_output_from_instance)
    if server:
        say("popir: warning: options of a V-IPU server have no meaning here: IPUs are simulated.")
    launcher = [mpiexec(), *_places(host, hostfile)]
    if numa_aware:
        launcher += ["-bind-to", "numa"]
    for option, given in (
        ("--mpi-global-args", mpi_global_args),
        ("--mpi-local-args", mpi_local_args),
    ):
        launcher += _of_open_mpi(option, given, environment)
    replicas = num_replicas // num_instances
    if print_topology:
        for instance in range(num_instances):
            own = range(instance * replicas, (instance + 1) * replicas)
            say(f"instance {instance}: replicas {', '.join(map(str, own))}")
    run(
        words,
        ranks=num_instances,
        replicas=replicas,
        launcher=launcher,
        environment=environment,
        is_shown=verbose > 0,
    )


def _python(program: Sequence[str]) -> list[str]:
    """The words for Python of a program. Raises CommandError if it is another program."""
    name, *words = program
    if not _INTERPRETER.match(os.path.basename(name)):
        raise CommandError(
            f"PROGRAM is '{name}': popir takes popart's place in Python, so that PROGRAM has to be "
            "python, or python3, with a script or -m and a module."
        )
    if words[:1] == ["-u"]:
        words = words[1:]  # The output of instances is passed on at once.
        os.environ["PYTHONUNBUFFERED"] = "1"
    if not words or (words[0].startswith("-") and words[0] not in ("-m", "-c")):
        found = f"has the option {words[0]}" if words else "has no script"
        raise CommandError(f"PROGRAM {found}: give a script, -m MODULE or -c CODE after {name}.")
    return words


def _places(host: str | None, file: Path | None) -> list[str]:
    """The options of mpiexec for hosts."""
    if host is not None and file is not None:
        raise CommandError("--host and --hostfile say the same: give one of them.")
    if file is not None:
        return ["-f", str(file)]
    return [] if host is None else ["-hosts", ",".join(_hosts(host))]


def _hosts(text: str) -> list[str]:
    """The hosts of a list such as a,b[0-2,4]."""
    found: list[str] = []
    end = 0
    for match in _HOSTS.finditer(text):
        if match.start() != end:
            break
        end = match.end()
        name, numbers = match.groups()
        if numbers is None:
            found.append(name)
            continue
        for each in numbers.split(","):
            first, _, last = each.partition("-")
            if not first.isdigit() or not (last or first).isdigit():
                raise CommandError(f"--host {text}: '{each}' is no number, and no range like 0-3.")
            found += [f"{name}{n}" for n in range(int(first), int(last or first) + 1)]
    if end != len(text) or not found:
        raise CommandError(f"--host {text}: expected are names, as in a,b or a[0-2,4].")
    return found


def _of_open_mpi(option: str, given: str, environment: dict[str, str]) -> list[str]:
    """The options of mpiexec for those of Open MPI's mpirun. Adds to the environment. Raises
    CommandError for one that has no counterpart.
    """
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise CommandError(f"{option} '{given}': {error}.") from error
    made: list[str] = []
    while words:
        name = words.pop(0)
        if name == "--allow-run-as-root":
            continue  # mpiexec asks nobody who they are.
        if name in ("--tag-output", "-tag-output"):
            made.append("-prepend-rank")
            continue
        if name not in ("-x", "--bind-to"):
            known = ["--allow-run-as-root", "--tag-output", "-x", "--bind-to"]
            raise CommandError(
                f"{option}: '{name}' has no counterpart here.{did_you_mean(name, known)} There are "
                f"{', '.join(known)}."
            )
        if not words:
            raise CommandError(f"{option}: {name} takes a value.")
        value = words.pop(0)
        if name == "-x":
            variable, is_set, text = value.partition("=")
            if is_set:
                environment[variable] = text  # All others are passed on anyhow.
        elif value in _BINDINGS:
            made += ["-bind-to", value]
        else:
            raise CommandError(f"{option}: --bind-to is {', '.join(_BINDINGS)}, not '{value}'.")
    return made


def main() -> None:
    """The entry point of the console script `poprun`."""
    prepare()
    command.main()


if __name__ == "__main__":
    main()
