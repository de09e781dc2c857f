"""Which patterns a session uses: `Patterns`, `PatternsLevel`."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from popir import pattern
from popir.errors import did_you_mean, popart_exception
from popir.patterns.popart import ALIASES, NOT_HERE
from popir.typed import typed

INPLACE = "InPlace"
"""The transform that a session switches as if it were a pattern, and that operators exclude so."""


class PatternsLevel(enum.Enum):
    """How many patterns are used."""

    NoPatterns = 0
    """None."""
    Minimal = 1
    """Those that are mandatory; popir's own are not."""
    Default = 2
    """Those that are registered as enabled, and InPlace."""
    All = 3
    """All that are registered, and InPlace."""


class UnknownPatternError(popart_exception, AttributeError):
    """A name that no pattern has; an AttributeError too, as for any name."""


@typed
class Patterns:
    """The choice of patterns: by a level, or by a list of names, which alone are then used.

    A pattern that was registered is also an attribute: `patterns.InPlace = False`. Raises
    UnknownPatternError, a popart_exception, for a name that no pattern has: of one that PopART has
    it says why there is none here.
    """

    def __init__(self, choice: PatternsLevel | Iterable[str] = PatternsLevel.Default) -> None:
        isLevel = isinstance(choice, PatternsLevel)
        self._level = choice if isLevel else PatternsLevel.NoPatterns
        self._chosen: dict[str, bool] = {}
        self._asserts = True
        if not isLevel:
            for name in choice:
                self.enablePattern(name, True)

    def enablePattern(self, name: str, enable: bool) -> Patterns:
        """Switches one pattern on or off; returns this object.

        Raises popart_exception for a mandatory pattern that is to be switched off.
        """
        entry = find(name)
        if entry is not None and entry.mandatory and not enable:
            raise popart_exception(f"The pattern '{name}' is mandatory; it cannot be disabled.")
        self._chosen[canonical(name)] = enable
        return self

    def isPatternEnabled(self, name: str) -> bool:
        """Whether a pattern is used."""
        entry = find(name)
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
        """Whether a model is refused if a mandatory pattern is not used, the default; else it is
        compiled without. Only patterns of libraries, or of Python code, are mandatory.
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
        """The names of all registered patterns, in the order in which they are tried."""
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
    """The name under which a pattern is registered, of one that PopART spells in two ways."""
    return ALIASES.get(name, name)


def find(name: str) -> pattern.PatternEntry | None:
    """The registered pattern of a name; None for InPlace. Raises UnknownPatternError."""
    known = {entry.name: entry for entry in pattern.entries()}
    found = known.get(canonical(name))
    if found is not None or name == INPLACE:
        return found
    if name in NOT_HERE:
        raise UnknownPatternError(
            f"The pattern '{name}' is PopART's and there is none here: {NOT_HERE[name]}."
        )
    near = did_you_mean(name, [*known, INPLACE])
    raise UnknownPatternError(f"Unknown pattern {name!r}.{near}")
