"""StringNormalizer: strings in one case, without stop words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from popir.host import Call, host_operator, shown, strings

Array = np.ndarray[Any, Any]

_CASES = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
_LOCALE = re.compile(r"(C|POSIX|[a-z]{2,3}([_-][A-Za-z]{2,4})?)([.@][\w.@-]*)?")
_OWN_RULES = ("tr", "az", "lt")


@host_operator("ai.onnx", "StringNormalizer", 10, why="the shape of its result depends on the data")
def string_normalizer(call: Call, x: Array) -> Array:
    """ONNX's StringNormalizer, version 10: the strings of a tensor [C] or [1, C] that are not among
    the stop words, in upper or lower case; one empty string if none is left.

    Deviations: case is Unicode's, whatever the locale, also where a letter becomes two; the locales
    with rules of their own (Turkish, Azeri, Lithuanian) are refused where case matters.
    """
    action = call["case_change_action"]
    if action not in _CASES:
        raise call.wrong_attribute(
            f"the attribute 'case_change_action' is {action!r}; expected is one of "
            f"{', '.join(map(repr, _CASES))}."
        )
    stops, sensitive = call["stopwords"] or [], bool(call["is_case_sensitive"])
    if action != "NONE" or (stops and not sensitive):
        _check_locale(call)
    if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[0] != 1):
        raise call.wrong(f"its input is {shown(x)}; it must be [C] or [1, C].")
    plain = str if sensitive else str.lower
    stopped = {plain(word) for word in stops}
    kept = [text for text in x.reshape(-1) if plain(text) not in stopped]
    found = [_CASES[action](text) for text in kept] or [""]
    return strings(found, [1, len(found)] if x.ndim == 2 else [len(found)])


def _check_locale(call: Call) -> None:
    name = call["locale"]
    if name is None:
        return
    if not isinstance(name, str) or not _LOCALE.fullmatch(name):
        raise call.wrong_attribute(
            f"the attribute 'locale' is {name!r}; expected is a name such as 'en_US'."
        )
    if re.split("[_.@-]", name)[0] in _OWN_RULES:
        raise call.wrong_attribute(
            f"the locale '{name}' has rules of its own for upper and lower case; "
            "available are those of Unicode for all others, such as 'en_US'."
        )
