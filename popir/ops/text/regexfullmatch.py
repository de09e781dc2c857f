"""RegexFullMatch: whether strings are what a regular expression describes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from popir.host import Call, host_operator
from popir.ops.support.regular_expressions import ExpressionError, Pattern

Array = np.ndarray[Any, Any]

_compiled = functools.lru_cache(maxsize=64)(Pattern)


@host_operator("ai.onnx", "RegexFullMatch", 20, why="it handles strings")
def regex_full_match(call: Call, x: Array) -> Array:
    """ONNX's RegexFullMatch, version 20: whether each string as a whole is described by `pattern`,
    in RE2's syntax and with its meaning (`popir.ops.support.regular_expressions`).
    """
    given = call["pattern"]
    if not isinstance(given, str):
        raise call.wrong_attribute(
            f"the attribute 'pattern' is {given!r}; it must be a regular expression, "
            "as text in UTF-8."
        )
    try:
        pattern = _compiled(given)
    except ExpressionError as error:
        raise call.wrong_attribute(
            f"the pattern {given[:200]!r} is no regular expression of RE2's: {error}."
        ) from error
    known: dict[str, bool] = {}
    found = np.empty(x.size, bool)
    for i, text in enumerate(x.reshape(-1)):
        if text not in known:
            known[text] = pattern.matches(text)
        found[i] = known[text]
    return found.reshape(x.shape)
