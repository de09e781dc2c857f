"""The release of PopART whose interface popir has, for programs that ask for it."""

from __future__ import annotations

from popir import _library

POPART = (3, 4, 0)
"""The last release of PopART, which popir's names and defaults follow."""


def versionNumber() -> tuple[int, int, int]:
    """The release of PopART whose interface popir has: (3, 4, 0). PopART's function of this
    name.
    """
    return POPART


def versionString() -> str:
    """The same release as text, and popir's own version: "3.4.0 (popir 0.1.0)". PopART's function
    of this name.
    """
    return f"{'.'.join(map(str, POPART))} (popir {_library.version()})"


def packageHash() -> str:
    """popir's own version, such as "popir-0.1.0". PopART's function of this name."""
    return f"popir-{_library.version()}"
