"""Exit codes of the command line tool, and its own errors."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """The meanings of exit codes; docs/command_line.md lists them for users."""

    FINE = 0
    NO = 1
    """The command ran, and the answer is no: out of tolerance, NaN or infinity, operators not
    supported.
    """
    USAGE = 2
    """Options, arguments or data files are wrong."""
    MODEL = 3
    """The model, an operator or an operator library is wrong."""
    SYSTEM = 4
    """The environment: a file cannot be written, a package is not installed, memory is short."""
    DEFECT = 70
    """A defect of popir."""
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class CommandError(Exception):
    """An error that ends a command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(message)
        self.code = code
