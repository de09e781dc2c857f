"""What a caller says of things by their names, or by patterns with *, ? and [...]: `told`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Mapping

from popir.errors import did_you_mean, popart_exception


def told(
    kind: str, names: Collection[str], given: Mapping[str, Collection[str]], advice: str = ""
) -> dict[str, tuple[str, str]]:
    """What was said of each of the `names`, which are those of `kind`s, and the words that fitted.

    Args:
        given: by what is said, an argument's name, the names and patterns that it lists. An exact
        name goes before a pattern, and of two patterns the one with more characters that are no
        wildcards. advice: what else to say of a pattern that fits nothing.

    Raises popart_exception for one that fits no name, and for two that contradict each other.
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
