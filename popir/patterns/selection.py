"""The selection of patterns for a session: `Patterns`, `PatternsLevel`."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from popir import pattern
from popir.errors import did_you_mean, popart_exception
from popir.options.table import OptionWarning, warn
from popir.patterns.popart import ALIASES, NOT_HERE
from popir.typed import typed

INPLACE = "InPlace"
"""The in-place transform, which is switched and excluded as if it were a pattern."""


class PatternsLevel(enum.Enum):
    """How many patterns are used. PopART's enum of this name."""

    NoPatterns = 0
    """No patterns at all."""
    Minimal = 1
    """Mandatory patterns only. popir's own patterns are not mandatory."""
    Default = 2
    """Mandatory patterns, those registered as enabled, and InPlace."""
    All = 3
    """All registered patterns, and InPlace."""


class UnknownPatternError(popart_exception, AttributeError):
    """An unknown pattern name. Also an AttributeError, since patterns are attributes of
    `Patterns`.
    """


@typed
class Patterns:
    """The patterns a session uses: those of a level, or only those in a list of names. PopART's
    `Patterns`.

    Each registered pattern is also an attribute: `patterns.InPlace = False`.
    `getAllPreAliasPatternNames` lists them; InPlace is one more. Raises UnknownPatternError, a
    popart_exception, for an unknown name.

    A pattern of PopART that popir does not need can be switched too. That has no effect; switching
    it on gives an OptionWarning with the reason.
    """

    def __init__(self, choice: PatternsLevel | Iterable[str] = PatternsLevel.Default) -> None:
        is_level = isinstance(choice, PatternsLevel)
        self._level = choice if is_level else PatternsLevel.NoPatterns
        self._chosen: dict[str, bool] = {}
        self._asserts = True
        if not is_level:
            for name in choice:
                self.enablePattern(name, True)

    def enablePattern(self, name: str, enable: bool) -> Patterns:
        """Switches a pattern on or off, and returns this object.

        Raises popart_exception for a mandatory pattern to be switched off, UnknownPatternError for
        an unknown name.
        """
        entry = find(name)
        if entry is not None and entry.mandatory and not enable:
            raise popart_exception(f"The pattern '{name}' is mandatory; it cannot be disabled.")
        if name in NOT_HERE and enable and not self._chosen.get(name):
            warn(f"The pattern '{name}' has no meaning here: {NOT_HERE[name]}.", OptionWarning)
        self._chosen[canonical(name)] = enable
        return self

    def isPatternEnabled(self, name: str) -> bool:
        """Whether the pattern `name` is used or, if popir does not have it, whether it was switched
        on. Raises UnknownPatternError for an unknown name.
        """
        entry = find(name)
        if name in NOT_HERE:
            return self._chosen.get(name, False)
        if entry is not None:
            return self.isUsed(entry)
        return self._chosen.get(INPLACE, self._level.value >= PatternsLevel.Default.value)

    def isUsed(self, entry: pattern.PatternEntry) -> bool:
        """Whether a registered pattern is used."""
        if entry.name in self._chosen:
            return self._chosen[entry.name]
        levels = {
            PatternsLevel.NoPatterns: False,
            PatternsLevel.Minimal: entry.mandatory,
            PatternsLevel.Default: entry.mandatory or entry.enabled,
            PatternsLevel.All: True,
        }
        return levels[self._level]

    def enableRuntimeAsserts(self, enable: bool) -> Patterns:
        """Whether leaving out a mandatory pattern is an error (the default); returns this object.

        Only patterns of libraries and of Python code can be mandatory.
        """
        self._asserts = enable
        return self

    def checkMandatory(self) -> None:
        """Raises popart_exception if a mandatory pattern is not used and runtime asserts are on."""
        lacking = [e for e in pattern.entries() if e.mandatory and not self.isUsed(e)]
        if self._asserts and lacking:
            raise popart_exception(
                f"The pattern '{lacking[0].name}' of {lacking[0].source} is mandatory and must be "
                f"enabled, by enablePattern('{lacking[0].name}', True), or the session must do "
                "without, by enableRuntimeAsserts(False)."
            )

    @staticmethod
    def getAllPreAliasPatternNames() -> list[str]:
        """The names of all registered patterns, in the order in which they are tried. InPlace is
        not among them.
        """
        return [entry.name for entry in pattern.entries()]

    def __getattr__(self, name: str) -> bool:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.isPatternEnabled(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self.enablePattern(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), INPLACE, *self.getAllPreAliasPatternNames()]

    def __repr__(self) -> str:
        return f"Patterns({self._level.name}, {self._chosen})"


def canonical(name: str) -> str:
    """The registered spelling of a pattern name. A pattern that is registered by the name itself,
    by a library, goes before the one that PopART means by it.
    """
    is_registered = any(entry.name == name for entry in pattern.entries())
    return name if is_registered else ALIASES.get(name, name)


def find(name: str) -> pattern.PatternEntry | None:
    """The registered pattern of a name; None for InPlace and for patterns that only PopART has.
    Raises UnknownPatternError for an unknown name.
    """
    known = {entry.name: entry for entry in pattern.entries()}
    found = known.get(canonical(name))
    if found is not None or name == INPLACE or name in NOT_HERE:
        return found
    near = did_you_mean(name, [*known, INPLACE, *NOT_HERE])
    raise UnknownPatternError(f"Unknown pattern {name!r}.{near}")
