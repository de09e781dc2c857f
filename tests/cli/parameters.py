"""The parameters of all commands, for tests that hold for each."""

from __future__ import annotations

import click

from popir.cli import main

_CONTEXT = main.group.make_context("popir", ["--help"], resilient_parsing=True)
COMMANDS = main.group.list_commands(_CONTEXT)


def parameters(name: str) -> list[click.Parameter]:
    """Those of a command."""
    command = main.group.get_command(_CONTEXT, name)
    assert command is not None
    return command.params


def options(name: str) -> list[click.Option]:
    """Those that are no arguments."""
    return [each for each in parameters(name) if isinstance(each, click.Option)]
