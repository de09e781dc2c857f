"""The entry point of `popir`: finds commands, and prints errors as one line."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import shell_complete

from popir import _library
from popir.cli import commands, interrupts
from popir.cli.exits import CommandError, ExitCode
from popir.cli.output import give_up, printable, printable_line, say
from popir.errors import (
    CheckpointError,
    DataError,
    LibraryBuildError,
    MissingPackageError,
    OutOfMemoryException,
    PopirError,
    UnwritableError,
    did_you_mean,
    poplar_graph_program_compilation_error,
)

NAME = "popir"
COMPLETION = "_POPIR_COMPLETE"
"""The environment variable by which a shell requests completions."""


class Explained(click.Command):
    """A command of the shell: errors are one line and an exit code."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Runs a command line and exits with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
        warnings.showwarning = _show_warning
        try:
            if instruction := os.environ.get(COMPLETION):
                code = shell_complete(self, {}, NAME, COMPLETION, instruction)
            else:
                code = self._run(given)
            sys.stdout.flush()
        except BaseException as error:
            code = _explain(error, debug="--debug" in given)
        sys.exit(code)

    def _run(self, args: list[str]) -> int:
        with self.make_context(self.name, args) as context:
            code = self.invoke(context)
        return int(code or ExitCode.FINE)


class Commands(Explained, click.Group):
    """A click group with the modules of `popir.cli.commands` as commands, imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands: those of the modules, with dashes."""
        return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(commands.__path__))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first argument. Raises UsageError, with similar names, for an
        unknown one.
        """
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            near = did_you_mean(args[0], names) or f" There are {', '.join(names)}."
            ctx.fail(f"No such command '{args[0]}'.{near}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        return module.command


def _explain(error: BaseException, debug: bool) -> int:
    """Prints an error to stderr, and returns the exit code for it."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, OSError):
        give_up(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return ExitCode.PIPE_CLOSED
    if isinstance(error, SystemExit):
        raise error
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message())
        return ExitCode.USAGE
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    for line in _compilers_words(error).splitlines():
        say(printable_line(line))
    text, code = _words(error)
    say(f"{NAME}: {printable(text)}")
    return code


def _compilers_words(error: BaseException) -> str:
    """The compiler's output in an error, with its line breaks."""
    if isinstance(error, LibraryBuildError):
        return error.said
    if isinstance(error, poplar_graph_program_compilation_error):
        return str(error).partition("\n")[2]
    return ""


def _words(error: BaseException) -> tuple[str, int]:
    if isinstance(error, click.ClickException):
        return _usage(error), ExitCode.USAGE
    if isinstance(error, CommandError):
        return f"error: {error}", error.code
    if isinstance(error, (OutOfMemoryException, MissingPackageError)):
        return f"error: {error}", ExitCode.SYSTEM
    if isinstance(error, UnwritableError):
        return f"error: {error}", ExitCode.SYSTEM
    if isinstance(error, (DataError, CheckpointError)):
        return f"error: {error}", ExitCode.USAGE
    if isinstance(error, LibraryBuildError) and error.said:
        return f"error: {error.summary} what stands above.", ExitCode.MODEL
    if _compilers_words(error):
        summary = str(error).partition("\n")[0].rstrip(":")
        return f"error: {summary}: see what stands above.", ExitCode.MODEL
    if isinstance(error, PopirError):
        return f"error: {error}", ExitCode.MODEL
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted", ExitCode.INTERRUPTED
    if isinstance(error, MemoryError):
        return f"error: out of memory: {error}", ExitCode.SYSTEM
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"error: {where}{error.strerror or error}.", ExitCode.SYSTEM
    kind = type(error).__name__
    return (
        f"error: {kind}: {error}. This is a defect of popir or of an operator library; --debug "
        "shows where.",
        ExitCode.DEFECT,
    )


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else NAME
    said = error.format_message()
    stop = "" if said.endswith((".", "?", "?)")) else "."
    return f"error: {said}{stop} See: {path} --help"


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"{NAME}: warning: {printable(message)}")


@click.command(
    cls=Commands,
    name=NAME,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(_library.version(), message="%(prog)s %(version)s", prog_name=NAME)
def group() -> None:
    """Runs, trains and looks into ONNX models, with operators of your own."""


def prepare() -> None:
    """What a console script does first: streams are open, crashes and interrupts are told of."""
    _open_what_is_closed()
    _library.load().popir_install_crash_handler()
    interrupts.hear()
    interrupts.watch()


def main() -> None:
    """The entry point of the console script `popir`."""
    prepare()
    if "--json" in sys.argv:
        _keep_stdout_clean()
    group.main()


def _open_what_is_closed() -> None:
    """Replaces a closed stdin or stderr; ends the process if stdout is closed.

    Otherwise the next opened files would get their descriptors, and what is printed there.
    """
    is_silent = sys.stdout is None  # Python sets sys.stdout to None if the descriptor is closed.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if is_silent:
        say(
            f"{NAME}: error: stdout is closed, where the results go. Give it a file, or /dev/null "
            "if nobody wants them."
        )
        sys.exit(ExitCode.SYSTEM)


def _keep_stdout_clean() -> None:
    """Redirects the output of operator libraries to stderr, so that stdout has the JSON object
    only.
    """
    sys.stdout = os.fdopen(os.dup(1), "w", encoding=sys.stdout.encoding)
    os.dup2(2, 1)
