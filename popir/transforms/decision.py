"""What a pattern or a transform did at an operator, or why it did not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """One attempt."""

    where: str
    """The operator or operators, by their names for messages."""
    what: str
    """What was to be done there: a pattern, by its name; an in-place variant; a piece of code to
    be shared.
    """
    reason: str | None
    """Why it was left; None if it was done."""

    def __str__(self) -> str:
        return f"{self.what} for {self.where}: {self.reason or 'done'}"
