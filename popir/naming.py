"""Selection of things by name, or by patterns with *, ? and [...]: `told`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Mapping

from popir.errors import did_you_mean, popart_exception


def told(
    kind: str, names: Collection[str], given: Mapping[str, Collection[str]], advice: str = ""
) -> dict[str, tuple[str, str]]:
    """Decides, for each of `names`, which argument selects it by a name or pattern.

    Args:
        kind: what the names are, for messages: "initializer".
        names: all names.
        given: argument name to its names and patterns: {"trained": ["fc.*"], "frozen": ["fc.b"]}.
        advice: a text to add to the error for a pattern that matches nothing.

    Returns name to (argument, the name or pattern that matched): {"fc.w": ("trained", "fc.*"),
    "fc.b": ("frozen", "fc.b")}. An exact name has precedence over a pattern, and of two patterns
    the one with more characters that are not wildcards. Raises popart_exception for a pattern that
    matches nothing, and for two of equal precedence in different arguments.
    """
    found: dict[str, tuple[str, str]] = {}
    ranks: dict[str, tuple[bool, int]] = {}
    for what, patterns in given.items():
        for pattern in patterns:
            exact = pattern in names
            hits = [pattern] if exact else [n for n in names if fnmatch.fnmatchcase(n, pattern)]
            if not hits:
                raise popart_exception(
                    f"{what}: '{pattern}' fits no {kind} of the model."
                    f"{did_you_mean(pattern, names)}{advice}"
                )
            rank = (exact, len(re.sub(r"\[[^]]*\]|[*?]", "", pattern)))
            for name in hits:
                old = ranks.get(name)
                if old == rank and found[name][0] != what:
                    way = "Leave one out." if exact else "Name it itself."
                    raise popart_exception(
                        f"The {kind} '{name}' fits '{found[name][1]}' of {found[name][0]} and "
                        f"'{pattern}' of {what}, which contradict each other. {way}"
                    )
                if old is None or rank > old:
                    ranks[name], found[name] = rank, (what, pattern)
    return found
