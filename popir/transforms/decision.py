"""Records what a pattern or transform did at an operator, or why it did not."""

from __future__ import annotations

from typing import NamedTuple


class Decision(NamedTuple):
    """One attempt to apply a pattern or transform. `str` gives it in one line."""

    where: str
    """The operator or operators, as in messages."""
    what: str
    """What was tried: the name of a pattern or in-place variant, or an outlined piece of code."""
    reason: str | None
    """Why it was not done; None if it was done."""

    def __str__(self) -> str:
        return f"{self.what} for {self.where}: {self.reason or 'done'}"
