"""StringSplit: the parts of strings between delimiters."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, host_operator, strings
from popir.memory import require

Array = np.ndarray[Any, Any]


@host_operator("ai.onnx", "StringSplit", 20, why="the shape of its result is the number of parts")
def string_split(call: Call, x: Array) -> tuple[Array, Array]:
    """ONNX's StringSplit, version 20: the parts of each string, in a new last dimension, with empty
    strings behind where there are fewer; and how many each has.

    They are what is between `delimiter`, or between white space (of ASCII) if that is empty or left
    out. With `maxsplit` what follows that many delimiters is one part. An empty string has no part,
    whatever the delimiter.
    """
    delimiter, most = call["delimiter"] or None, call["maxsplit"]
    if most is not None and most < 0:
        raise call.wrong_attribute(
            f"the attribute 'maxsplit' is {most}; it must be 0 or more. Leave it out "
            "to split everywhere."
        )
    parts = [_parts(text, delimiter, -1 if most is None else most) for text in x.reshape(-1)]
    counts = np.array([len(each) for each in parts], np.int64)
    width = int(counts.max(initial=0))
    require(call.who, 8 * width * len(parts))
    found = np.full([len(parts), width], "", dtype=object)
    for i, each in enumerate(parts):
        found[i, : len(each)] = each
    return strings(found, [*x.shape, width]), counts.reshape(x.shape)


_SPACE = " \t\n\v\f\r"


def _parts(text: str, delimiter: str | None, most: int) -> list[str]:
    if delimiter is not None:
        return text.split(delimiter, most) if text else []
    if text.isascii() and most < 0 and not any(c in text for c in "\x1c\x1d\x1e\x1f"):
        return text.split()
    found: list[str] = []
    rest = text.strip(_SPACE)
    while rest:
        if most == len(found):
            return [*found, rest]
        end = next((i for i, c in enumerate(rest) if c in _SPACE), len(rest))
        found.append(rest[:end])
        rest = rest[end:].lstrip(_SPACE)
    return found
