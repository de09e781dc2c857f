"""TPC-C as C++: what a header cannot say.

`__local__` says where a variable lies, and of a pointer to where. Here a variable in local memory
is one of each thread; the pointers are ordinary ones, and a number that is cast to one is an
address in local memory. What is `volatile` has no register of its own in C++, so only numbers are.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<line>^[ \t]*\#[^\n]*)
    |(?P<space>\s+)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<sign>.)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_LOCAL = ("__local", "__local__")
_QUALIFIERS = ("const", *_LOCAL)
_NUMBERS = ("bool", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "float")
_NOT_IN_CPP = (
    # The tag of a pair is a type without it.
    (re.compile(r"\bstruct(\s+)_(\w+_pair_t)\b"), r"\1\2"),
    (re.compile(r"\btypedef\s+_Bool\s+bool\s*;"), ""),
)


def as_cpp(text: str) -> str:
    """TPC-C, after the preprocessor, as C++ for popir/include/habana/tpc."""
    for pattern, replacement in _NOT_IN_CPP:
        text = pattern.sub(replacement, text)
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text)]
    words = [word for _, word in tokens]
    seen = [i for i, (kind, word) in enumerate(tokens) if kind != "line" and word.strip()]
    depth = 0  # of parentheses
    begin = 0  # of the declaration, in `seen`
    for n, i in enumerate(seen):
        word = words[i]
        if word in (";", "{", "}") and depth == 0:
            begin = n + 1
        elif word in ("(", ")"):
            depth += 1 if word == "(" else -1
        elif word == "volatile":
            beside = [words[k] for k in (*seen[n + 1 : n + 2], *seen[max(0, n - 1) : n])]
            words[i] = word if any(each in _NUMBERS for each in beside) else ""
        elif word in _LOCAL:
            words[i] = ""
            cast = _cast(words, seen, n)
            if cast:
                opening, star = cast
                words[seen[opening]] += "popir_tpc::Local<"
                words[seen[star]] = ">"
            elif depth == 0 and _variable(words, seen, begin, n):
                words[i] = "thread_local"
    return "".join(words)


def _cast(words: list[str], seen: list[int], n: int) -> tuple[int, int] | None:
    """Where the parenthesis and the star are, if `seen[n]` is in `(TYPE __local *)`."""

    def word(k: int) -> str:
        return words[seen[k]] if 0 <= k < len(seen) else ""

    star = n + 1
    while word(star) in _QUALIFIERS:
        star += 1
    opening = n - 1
    while re.fullmatch(r"\w*", word(opening)) and opening >= 0:
        opening -= 1
    if word(star) != "*" or word(star + 1) != ")" or word(opening) != "(":
        return None
    # After the name of a function these are its parameters, not a cast.
    before = word(opening - 1)
    named = re.fullmatch(r"[A-Za-z_]\w*", before) and before not in ("return", "sizeof")
    return None if named else (opening, star)


def _variable(words: list[str], seen: list[int], begin: int, n: int) -> bool:
    """Whether `seen[n]` says where a variable lies: it is no pointer, function or type."""
    if words[seen[begin]] == "typedef":
        return False
    for k in range(n + 1, len(seen)):
        word = words[seen[k]]
        if word in (";", "=", "[", ","):
            return True
        if not re.fullmatch(r"\w*", word):
            return False
    return False
