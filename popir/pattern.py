"""Patterns, which rewrite a graph around one operator, and their registry.

`PreAliasPattern` has PopART's interface: a pattern `matches` an operator, `touches` tensors, and
`apply` rewrites the graph. `Rewrite` is a form of it with a reason for each refusal. A session
lists what its patterns did and refused in `Session.decisions`.
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
"""The logger of refusals, at level DEBUG."""


class PreAliasPattern:
    """A pattern that runs before in-place variants are chosen. PopART's `PreAliasPattern`.

    Patterns are applied to all operators, repeatedly, until none matches.
    """

    name: str = ""
    """The registered name; set by the registry."""
    types: ClassVar[frozenset[str] | None] = None
    """The operator types that the pattern may match, such as {"Sum"}; None for any type."""
    kept: Collection[str] = ()
    """The ids that no pattern may change or remove: anchors, the loss, outputs. Set before use."""

    def matches(self, op: Op) -> bool:
        """Whether the pattern applies at `op`."""
        raise NotImplementedError

    def touches(self, op: Op) -> list[Tensor]:
        """The tensors that `apply` changes or removes. If one is in `kept`, it is not called."""
        raise NotImplementedError

    def apply(self, op: Op) -> bool:
        """Rewrites the graph at `op`, and returns whether it has changed."""
        raise NotImplementedError


class Rewrite(PreAliasPattern):
    """A pattern in three parts: `pattern` finds it, `check` may refuse, `rewrite` applies it."""

    def pattern(self, op: Op) -> bool:
        """Whether `op` has the form that is to be rewritten."""
        raise NotImplementedError

    def check(self, op: Op) -> str | None:
        """The reason why an operator of this form cannot be rewritten; None if it can."""
        return None

    def rewrite(self, op: Op) -> None:
        """Replaces `op` and the operators around it."""
        raise NotImplementedError

    def matches(self, op: Op) -> bool:
        """Whether `pattern` is True and `check` gives no reason."""
        return self.pattern(op) and self.check(op) is None

    def touches(self, op: Op) -> list[Tensor]:
        """The outputs of `op`, by default."""
        return list(op.output.values())

    def apply(self, op: Op) -> bool:
        """Calls `rewrite`. Always True: the graph has changed."""
        self.rewrite(op)
        return True


@dataclass(frozen=True)
class PatternEntry:
    """One registered pattern: its name, its factory and its defaults."""

    name: str
    create: Callable[[], PreAliasPattern]
    enabled: bool
    """Whether it is on by default; a session's `Patterns` may change it."""
    mandatory: bool
    """Whether it cannot be switched off."""
    source: str
    """Who registered it: "built in", "python", or the path of a library."""


_entries: dict[str, PatternEntry] = {}

sync: list[Callable[[], None]] = []
"""Functions called before each look-up, which register patterns of libraries just loaded."""


@typed
class PatternCreator:
    """Registers a pattern when an object is made. PopART's `PatternCreator`.

    Args:
        pattern: the class, or a function without arguments that makes the pattern.
        name: the name in `Patterns`.
        enabled: whether it is on by default (PatternsLevel.Default).
        mandatory: True for a pattern that cannot be switched off.
        source: who registers it. The same source may register a name again.

    Raises DuplicateOperatorError if another source has registered the name.
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
    """Removes a registered pattern. Raises KeyError if there is none of that name."""
    del _entries[name]


def entries() -> list[PatternEntry]:
    """All registered patterns, in the order of registration."""
    for call in sync:
        call()
    return list(_entries.values())
