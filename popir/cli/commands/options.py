"""`popir options`: lists all options and their effects."""

from __future__ import annotations

import click

from popir.cli.exits import CommandError, ExitCode
from popir.cli.option_tables import GROUPS
from popir.cli.options import printing
from popir.cli.output import Output
from popir.errors import did_you_mean
from popir.options import shown


@click.command(short_help="List the options of sessions, engines, devices and nodes.")
@click.argument("names", nargs=-1)
@printing
def command(output: Output, names: tuple[str, ...]) -> ExitCode:
    """List every option, and whether it acts, is refused, or has no meaning here, with the reason;
    with NAMES, such as enableOutlining or host.fuse, these alone.
    """
    groups = {group.key: group.rows() for group in GROUPS}
    known = {row.name for rows in groups.values() for row in rows}
    for name in names:
        if name not in known:
            raise CommandError(f"There is no option '{name}'.{did_you_mean(name, known)}")
    for group in GROUPS:
        rows = [row for row in groups[group.key] if not names or row.name in names]
        groups[group.key] = rows
        if rows:
            output.table(
                group.title,
                ["name", "kind", "default", "what or why", "takes"],
                [[r.name, r.kind.value, shown(r.default), r.reason, r.type] for r in rows],
            )
    output.result({key: [row.as_json() for row in rows] for key, rows in groups.items()})
    return ExitCode.FINE
