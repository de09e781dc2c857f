"""Patterns of popir's own, which one a session uses, and the loop that applies them."""

from popir.patterns.loop import applyPatterns
from popir.patterns.selection import Patterns, PatternsLevel

__all__ = ["Patterns", "PatternsLevel", "applyPatterns"]
