"""Exit codes, and errors of the command line's own."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """What the command's exit code says; docs/command_line.md has them for users."""

    FINE = 0
    NO = 1
    """It ran, and the answer is no: out of tolerance, NaN or infinity, operators not supported."""
    USAGE = 2
    """Options, arguments or data files that do not fit."""
    MODEL = 3
    """The model, an operator or an operator library."""
    SYSTEM = 4
    """What lies outside: a file that cannot be written, a package that is not installed, memory."""
    DEFECT = 70
    """A defect of popir."""
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class CommandError(Exception):
    """Ends a command with one line on stderr and an exit code."""

    def __init__(self, message: str, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__(message)
        self.code = code
