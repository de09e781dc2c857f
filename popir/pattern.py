"""What a pattern is, and who has registered which: rewrites of a graph, one operator at a time.

The names are PopART's: a pattern `matches` an operator, `touches` tensors, and `apply` rewrites.
`Rewrite` is the form for Python: what it looks for, why it refuses, what it does. A session says
what its patterns did and why they refused: `Session.decisions`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import ClassVar

from popir.errors import DuplicateOperatorError
from popir.ir import Op, Tensor
from popir.typed import typed

log = logging.getLogger("popir.patterns")
"""Where refusals are said, at level DEBUG."""


class PreAliasPattern:
    """A rewrite that runs, again and again over all operators, until none applies any more."""

    name: str = ""
    """Set where the pattern is registered."""
    types: ClassVar[frozenset[str] | None] = None
    """The types of the operators that it looks at, such as {"Sum"}; None for any. Others are never
    shown to it.
    """
    kept: Collection[str] = ()
    """What no pattern may change or remove: anchors, the loss, outputs. Set before it is used."""

    def matches(self, op: Op) -> bool:
        """Whether the pattern applies at `op`."""
        raise NotImplementedError

    def touches(self, op: Op) -> list[Tensor]:
        """The tensors that applying it at `op` changes or removes; it is skipped where one is
        anchored.
        """
        raise NotImplementedError

    def apply(self, op: Op) -> bool:
        """Rewrites at `op`; whether the graph has changed."""
        raise NotImplementedError


class Rewrite(PreAliasPattern):
    """A pattern in three parts."""

    def pattern(self, op: Op) -> bool:
        """Whether `op` is what the pattern looks for."""
        raise NotImplementedError

    def check(self, op: Op) -> str | None:
        """Why it cannot be rewritten although it looks right; None if it can."""
        return None

    def rewrite(self, op: Op) -> None:
        """Changes the graph."""
        raise NotImplementedError

    def matches(self, op: Op) -> bool:
        """`pattern` holds and `check` gives no reason."""
        return self.pattern(op) and self.check(op) is None

    def touches(self, op: Op) -> list[Tensor]:
        """The outputs of `op`, by default."""
        return list(op.output.values())

    def apply(self, op: Op) -> bool:
        """Calls `rewrite`."""
        self.rewrite(op)
        return True


@dataclass(frozen=True)
class PatternEntry:
    """One registered pattern."""

    name: str
    create: Callable[[], PreAliasPattern]
    enabled: bool
    """By default; a session's `Patterns` may say otherwise."""
    mandatory: bool
    source: str
    """Who registered it: "built in", "python", or the path of a library."""


_entries: dict[str, PatternEntry] = {}

sync: list[Callable[[], None]] = []
"""Called before each look-up; whoever learns of patterns late registers them here."""


@typed
class PatternCreator:
    """Registers a pattern; making one does it. Raises DuplicateOperatorError for a name that is
    taken.
    """

    def __init__(
        self,
        pattern: Callable[[], PreAliasPattern],
        name: str,
        enabled: bool = True,
        mandatory: bool = False,
        source: str = "python",
    ) -> None:
        old = _entries.get(name)
        if old is not None and old.source != source:
            raise DuplicateOperatorError(
                f"The pattern '{name}' of {source} is refused: {old.source} has registered one of "
                "this name."
            )
        _entries[name] = PatternEntry(name, pattern, enabled, mandatory, source)


def remove(name: str) -> None:
    """Takes a registered pattern out."""
    del _entries[name]


def entries() -> list[PatternEntry]:
    """All registered patterns, in the order of registration."""
    for call in sync:
        call()
    return list(_entries.values())
