"""The output of a command: tables and lines, or one JSON object, to stdout; notes to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def printable(text: object) -> str:
    """`text` in one line, with control characters and unprintable characters escaped."""
    return printable_line(" ".join(str(text).split()))


def printable_line(line: str) -> str:
    """A line with its blanks, and with control characters and unprintable characters escaped."""
    return "".join(c if c.isprintable() else _escaped(c) for c in line.expandtabs())


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def console_of(stream: IO[str]) -> Console:
    """A rich console for a stream. rich obeys NO_COLOR and TERM; the width is the terminal's."""
    return Console(file=stream, highlight=False, markup=False, emoji=False)


def is_terminal(stream: IO[str]) -> bool:
    """Whether the stream is a terminal that can show more than plain text."""
    return stream.isatty() and not console_of(stream).is_dumb_terminal


def say(text: str) -> None:
    """Prints a line to stderr. Errors are ignored: there is no other place to report them, and the
    exit code remains.
    """
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        give_up(sys.stderr)


def give_up(stream: IO[str]) -> None:
    """Redirects a stream that failed to the null device, so that Python does not fail again at
    exit.
    """
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Output:
    """Prints the output of one command.

    On a terminal, rich prints the tables; elsewhere they are columns of plain text that are never
    cut off. With `as_json`, tables and lines are not printed, and `result` prints the JSON object.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Prints a table. Columns with names that begin with ">" are right-aligned."""
        if self.as_json:
            return
        cells = [[printable(cell) for cell in row] for row in rows]
        names = [name.removeprefix(">") for name in columns]
        right = [name.startswith(">") for name in columns]
        if is_terminal(sys.stdout):
            self._rich(title, names, right, cells)
        else:
            self._plain(title, names, right, cells)

    def _rich(
        self, title: str, names: list[str], right: list[bool], cells: list[list[str]]
    ) -> None:
        table = Table(title=Text(title, "bold"), title_justify="left")
        for name, flag in zip(names, right, strict=True):
            table.add_column(name, justify="right" if flag else "left", overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        console_of(sys.stdout).print(table)

    def _plain(
        self, title: str, names: list[str], right: list[bool], cells: list[list[str]]
    ) -> None:
        self.line(f"{title}:")
        every = [names, *cells]
        widths = [max(len(row[i]) for row in every) for i in range(len(names))]
        for row in every:
            padded = (
                cell.rjust(width) if flag else cell.ljust(width)
                for cell, width, flag in zip(row, widths, right, strict=True)
            )
            print("  " + "  ".join(padded).rstrip())

    def line(self, text: object = "") -> None:
        """Prints a line to stdout, without buffering."""
        if not self.as_json:
            print(printable(text), flush=True)

    def text(self, text: str) -> None:
        """Prints lines to stdout with their blanks, which `line` joins."""
        if not self.as_json:
            for line in text.splitlines():
                print(printable_line(line), flush=True)

    def note(self, text: object) -> None:
        """Prints a line to stderr."""
        say(f"popir: {printable(text)}")

    def warn(self, text: object) -> None:
        """Prints a highlighted line to stderr."""
        if is_terminal(sys.stderr):
            console_of(sys.stderr).print(Text(f"popir: {printable(text)}", "bold red"))
        else:
            self.note(text)

    def result(self, value: dict[str, Any]) -> None:
        """Prints the JSON object, if JSON was requested."""
        if self.as_json:
            print(json.dumps(value, indent=2, allow_nan=False))

    @contextmanager
    def status(self, text: str) -> Generator[None]:
        """Shows a message on a terminal's stderr while the `with` block runs."""
        if not is_terminal(sys.stderr):
            yield
            return
        with console_of(sys.stderr).status(Text(text)):
            yield
