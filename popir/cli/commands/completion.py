"""`popir completion`: prints the script by which a shell completes popir's commands and options."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from popir.cli.exits import CommandError, ExitCode

SHELLS = ["bash", "zsh", "fish"]


@click.command(short_help="Print what a shell needs to complete popir.")
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors.")
@click.pass_context
def command(context: click.Context, shell: str | None) -> ExitCode:
    """Print the completion script of SHELL, by default the one that $SHELL names.

    In ~/.bashrc: eval "$(popir completion bash)"; in ~/.zshrc the same with zsh; for fish:
    popir completion fish > ~/.config/fish/completions/popir.fish
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    found = get_completion_class(name)
    if name not in SHELLS or found is None:
        raise CommandError(f"$SHELL is '{name}'; name one of {', '.join(SHELLS)}.")
    click.echo(found(context.find_root().command, {}, "popir", "_POPIR_COMPLETE").source())
    return ExitCode.FINE
