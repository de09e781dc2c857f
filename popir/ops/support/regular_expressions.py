"""Regular expressions in the syntax and with the meaning of RE2: `Pattern`.

Python's `re` is another language: it has look-around and back-references, `\\d`, `\\w` and `\\b`
mean all of Unicode, `$` also matches before a last newline, `a{,2}` and `a*+` mean something, and
its search backtracks, for a time that may double with each character. Here an expression is a
finite automaton, whose sets of states are remembered: the time is that of the text's length.

Long, because syntax, automaton and its run are of one piece.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_REPEATS = 1000
"""The most often that nested repetitions may ask for a part, as in RE2."""
MOST_STATES = 1 << 17
"""The most states of an automaton."""
MOST_NESTED = 100
"""The most groups inside each other."""
_MOST_REMEMBERED = 1 << 14
_MOST_DIGITS = 8


class ExpressionError(ValueError):
    """An expression that RE2 does not take, or that is not available here."""


class _Part(NamedTuple):
    """One part of a class of characters: ranges of code points, or categories of Unicode."""

    ranges: tuple[tuple[int, int], ...]
    categories: tuple[str, ...] = ()
    negated: bool = False


class _Set(NamedTuple):
    """A class of characters."""

    parts: tuple[_Part, ...]
    negated: bool = False
    folds: bool = False

    def has(self, char: str) -> bool:
        """Whether a character belongs to it."""
        chars = _orbit(char) if self.folds else (char,)
        return any(_in(part, chars) for part in self.parts) != self.negated


def _in(part: _Part, chars: tuple[str, ...]) -> bool:
    found = any(
        any(low <= ord(c) <= high for low, high in part.ranges)
        or (bool(part.categories) and unicodedata.category(c).startswith(part.categories))
        for c in chars
    )
    return found != part.negated


# The tree: ("set", _Set), ("at", kind), ("all", [nodes]), ("any", [nodes]),
# ("repeat", node, least, most or None).
_Node = tuple[Any, ...]
_EMPTY: _Node = ("all", [])

_ASCII: dict[str, tuple[tuple[int, int], ...]] = {
    "d": ((48, 57),),
    "s": ((9, 10), (12, 13), (32, 32)),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
}
_POSIX: dict[str, tuple[tuple[int, int], ...]] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": ((48, 57),),
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": _ASCII["w"],
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
_CATEGORIES = {
    *("C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn"),
    *("N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"),
    *("S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"),
}
_LETTERS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_EVERY = ((0, 0x10FFFF),)


@functools.cache
def _orbits() -> dict[str, tuple[str, ...]]:
    """The characters that are equal to another one without regard to case, with all of them."""
    groups: dict[str, list[str]] = {}
    for code in range(0x20000):
        char = chr(code)
        folded = char.casefold()
        if len(folded) != 1:
            folded = lower if len(lower := char.lower()) == 1 else char
        groups.setdefault(folded, []).append(char)
    found: dict[str, tuple[str, ...]] = {}
    for folded, chars in groups.items():
        every = tuple({*chars, folded})
        if len(every) > 1:
            found.update(dict.fromkeys(every, every))
    return found


def _orbit(char: str) -> tuple[str, ...]:
    return _orbits().get(char, (char,))


@dataclass
class _Group:
    """A group that is open: its alternatives so far, and the flags around it."""

    around: str
    """The flags to go back to at its end."""
    alternatives: list[_Node] = field(default_factory=list)
    parts: list[_Node] = field(default_factory=list)

    def closed(self) -> _Node:
        every = [*self.alternatives, ("all", self.parts)]
        return every[0] if len(every) == 1 else ("any", every)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.i, self.flags = text, 0, ""
        self.groups = [_Group("")]
        self.names: set[str] = set()
        self.repeated = False
        """Whether what came last was a repetition."""

    def parsed(self) -> _Node:
        while self.i < len(self.text):
            again = self.repeated
            self.repeated = False
            self._next(again)
        if len(self.groups) > 1:
            raise self.wrong("a group has no ')'")
        return self.groups[0].closed()

    def wrong(self, why: str) -> ExpressionError:
        return ExpressionError(f"{why} (position {self.i})")

    def _at(self, what: str) -> bool:
        """Whether the text goes on with `what`, which is then behind."""
        found = self.text.startswith(what, self.i)
        self.i += len(what) * found
        return found

    def _char(self, where: str) -> str:
        if self.i >= len(self.text):
            raise self.wrong(f"{where} has no end")
        self.i += 1
        return self.text[self.i - 1]

    def _add(self, node: _Node) -> None:
        self.groups[-1].parts.append(node)

    def _literal(self, code: int) -> None:
        self._add(("set", _Set((_Part(((code, code),)),), folds="i" in self.flags)))

    def _next(self, again: bool) -> None:
        if self._at("(?"):
            self._open_with_flags()
        elif self._at("("):
            self._open(self.flags)
        elif self._at(")"):
            self._close()
        elif self._at("|"):
            group = self.groups[-1]
            group.alternatives.append(("all", group.parts))
            group.parts = []
        elif self._at("^"):
            self._add(("at", "line start" if "m" in self.flags else "start"))
        elif self._at("$"):
            self._add(("at", "line end" if "m" in self.flags else "end"))
        elif self._at("."):
            newline = _Part(((10, 10),))
            any_char = _Part(_EVERY)
            one = _Set((any_char,)) if "s" in self.flags else _Set((newline,), negated=True)
            self._add(("set", one))
        elif self._at("["):
            self._add(("set", self._class()))
        elif self._at("\\"):
            self._escaped()
        elif (bounds := self._bounds()) is not None:
            self._repeat(again, *bounds)
        else:
            self._literal(ord(self._char("the expression")))

    # Repetition.

    def _bounds(self) -> tuple[int, int | None] | None:
        """The bounds of a repetition that begins here; None if none does."""
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._at(sign):
                return bounds
        start = self.i
        if self._at("{") and (least := self._number()) is not None:
            most: int | None = least
            if self._at(","):
                most = None
                if not self.text.startswith("}", self.i):
                    most = self._number()
                    if most is None:
                        self.i = start
                        return None
            if self._at("}"):
                return least, most
        self.i = start
        return None

    def _number(self) -> int | None:
        """A number, without zeros in front; None if there is none here."""
        end = self.i
        while end < len(self.text) and self.text[end] in "0123456789":
            end += 1
        digits = self.text[self.i : end]
        if not digits or len(digits) > _MOST_DIGITS or (len(digits) > 1 and digits[0] == "0"):
            return None
        self.i = end
        return int(digits)

    def _repeat(self, again: bool, least: int, most: int | None) -> None:
        if again:
            raise self.wrong("a repetition is repeated")
        parts = self.groups[-1].parts
        if not parts:
            raise self.wrong("a repetition has nothing to repeat")
        if least > MOST_REPEATS or (most is not None and not least <= most <= MOST_REPEATS):
            raise self.wrong(f"a repetition is not in order, or beyond {MOST_REPEATS}")
        self._at("?")  # What is found is the same, whether little or much is taken.
        parts[-1] = ("repeat", parts[-1], least, most)
        if _repeats(parts[-1]) > MOST_REPEATS:
            raise self.wrong(f"nested repetitions ask for more than {MOST_REPEATS}")
        self.repeated = True

    # Groups.

    def _open(self, flags: str) -> None:
        if len(self.groups) > MOST_NESTED:
            raise self.wrong(f"more than {MOST_NESTED} groups are inside each other")
        self.groups.append(_Group(self.flags))
        self.flags = flags

    def _open_with_flags(self) -> None:
        for start in ("P<", "<"):
            if self._at(start):
                end = self.text.find(">", self.i)
                name = self.text[self.i : end] if end >= 0 else ""
                if not name or not all(c == "_" or c.isalnum() for c in name):
                    raise self.wrong("a group's name is letters, digits and '_', then '>'; (?<= "
                                     "and (?<! are not in RE2")  # fmt: skip
                if name in self.names:
                    raise self.wrong(f"two groups have the name '{name}'")
                self.names.add(name)
                self.i = end + 1
                self._open(self.flags)
                return
        on, sign, seen = set(self.flags), True, False
        while (char := self._char("a group")) not in ":)":
            if char == "-" and sign:
                sign, seen = False, False
            elif char in "imsU":
                seen = True
                (on.add if sign else on.discard)(char)
            else:
                raise self.wrong(f"'(?{char}' is not in RE2; it has no look-around either")
        if not sign and not seen:
            raise self.wrong("no flag follows '-'")
        flags = "".join(sorted(on))
        if char == ":":
            self._open(flags)
        else:
            self.flags = flags

    def _close(self) -> None:
        if len(self.groups) == 1:
            raise self.wrong("a ')' has no group")
        group = self.groups.pop()
        self.flags = group.around
        self._add(group.closed())

    # Escapes and classes.

    def _escaped(self) -> None:
        if self._at("Q"):
            end = self.text.find("\\E", self.i)
            quoted = self.text[self.i : end if end >= 0 else None]
            self.i = len(self.text) if end < 0 else end + 2
            for char in quoted:
                self._literal(ord(char))
            return
        for letter, kind in (("A", "start"), ("z", "end"), ("b", "word edge"), ("B", "no edge")):
            if self._at(letter):
                self._add(("at", kind))
                return
        part = self._group_of_chars()
        if part is not None:
            self._add(("set", _Set((part,), folds="i" in self.flags)))
        else:
            self._literal(self._code())

    def _group_of_chars(self) -> _Part | None:
        """A class that an escape names, such as `\\d` or `\\p{Lu}`; None for another escape."""
        char = self.text[self.i : self.i + 1]
        if char and char in "dswDSW":
            self.i += 1
            return _Part(_ASCII[char.lower()], negated=char.isupper())
        if not char or char not in "pP":
            return None
        self.i += 1
        negated = char == "P"
        name = self._char("a class of Unicode")
        if name == "{":
            end = self.text.find("}", self.i)
            if end < 0:
                raise self.wrong("a class of Unicode has no '}'")
            name = self.text[self.i : end]
            self.i = end + 1
            if name.startswith("^"):
                name, negated = name[1:], not negated
        if name == "Any":
            return _Part(_EVERY, negated=negated)
        if name not in _CATEGORIES:
            raise self.wrong(
                f"the class of Unicode '{name}' is no general category; scripts are not available"
            )
        return _Part((), (name,), negated)

    def _code(self) -> int:
        """The code point of an escape, after its backslash."""
        char = self._char("an escape")
        if char in _LETTERS:
            return _LETTERS[char]
        if char in "01234567":
            digits = char
            while len(digits) < 3 and self.text[self.i : self.i + 1] in tuple("01234567"):
                digits += self._char("an escape")
            if digits != char or char == "0":
                return int(digits, 8)
        elif char == "x":
            if self._at("{"):
                end = self.text.find("}", self.i)
                digits = self.text[self.i : end] if end >= 0 else ""
                self.i = end + 1
            else:
                digits = self.text[self.i : self.i + 2].ljust(2, "?")
                self.i += 2
            if digits and all(c in "0123456789abcdefABCDEF" for c in digits):
                code = int(digits[-16:], 16) if not digits[:-16].strip("0") else 1 << 64
                if code <= 0x10FFFF:
                    return code
            raise self.wrong("an escape '\\x' names no code point")
        elif char.isascii() and (char == "_" or not char.isalnum()):
            return ord(char)
        if char == "C":
            raise self.wrong("'\\C', one byte, is not available: strings here are of characters")
        raise self.wrong(f"the escape '\\{char}' is not in RE2; it has no back-references")

    def _class(self) -> _Set:
        negated, first = self._at("^"), True
        parts: list[_Part] = []
        while first or not self._at("]"):
            first = False
            if self.text.startswith("[:", self.i) and (end := self.text.find(":]", self.i)) >= 0:
                name = self.text[self.i + 2 : end]
                other = name.startswith("^")
                if name[other:] not in _POSIX:
                    raise self.wrong(f"there is no class of characters '[:{name}:]'")
                parts.append(_Part(_POSIX[name[other:]], negated=other))
                self.i = end + 2
                continue
            if self.text.startswith("\\", self.i):
                self.i += 1
                part = self._group_of_chars()
                if part is not None:
                    parts.append(part)
                    continue
                self.i -= 1
            low = high = self._class_code()
            if self.text.startswith("-", self.i) and self.text[self.i + 1 : self.i + 2] != "]":
                self.i += 1
                high = self._class_code()
                if high < low:
                    raise self.wrong("a range of characters is not in order")
            parts.append(_Part(((low, high),)))
        return _Set(tuple(parts), negated, "i" in self.flags)

    def _class_code(self) -> int:
        char = self._char("a class of characters")
        return self._code() if char == "\\" else ord(char)


def _repeats(node: _Node) -> int:
    """How often nested repetitions ask for a part, at most."""
    kind = node[0]
    if kind in ("all", "any"):
        return max(map(_repeats, node[1]), default=1)
    if kind == "repeat":
        _, inner, least, most = node
        own = most if most is not None else least
        return max(int(own), 1) * _repeats(inner)
    return 1


class _State(NamedTuple):
    """A state of the automaton: what leads on, and where to."""

    kind: str
    """"set", "at", "split" or "found"."""
    what: _Set | str | None = None
    to: tuple[int, ...] = ()


class _Builder:
    def __init__(self) -> None:
        self.states = [_State("found")]

    def _new(self, state: _State) -> int:
        if len(self.states) >= MOST_STATES:
            raise ExpressionError(f"it needs an automaton of more than {MOST_STATES} states")
        self.states.append(state)
        return len(self.states) - 1

    def build(self, node: _Node, to: int) -> int:
        """Adds the states of a node, behind which `to` comes; returns the first."""
        kind, what, *bounds = node
        if kind in ("set", "at"):
            return self._new(_State(kind, what, (to,)))
        if kind == "all":
            for each in reversed(what):
                to = self.build(each, to)
            return to
        if kind == "any":
            ways = tuple(self.build(each, to) for each in what)
            return self._new(_State("split", None, ways))
        inner, (least, most) = what, bounds
        if most is None:
            loop = self._new(_State("split"))
            self.states[loop] = _State("split", None, (self.build(inner, loop), to))
            to = loop
        else:
            end = to
            for _ in range(most - least):
                to = self._new(_State("split", None, (self.build(inner, to), end)))
        for _ in range(least):
            to = self.build(inner, to)
        return to


_WORD = frozenset("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HOLDS: dict[str, Callable[[str, str], bool]] = {
    "start": lambda before, after: before == "",
    "end": lambda before, after: after == "",
    "line start": lambda before, after: before in ("", "\n"),
    "line end": lambda before, after: after in ("", "\n"),
    "word edge": lambda before, after: (before in _WORD) != (after in _WORD),
    "no edge": lambda before, after: (before in _WORD) == (after in _WORD),
}
"""Whether a place is of a kind, by the characters around it, "" at the ends."""


class Pattern:
    """A regular expression of RE2's.

    Deviations: `\\C` and classes of scripts, such as `\\p{Greek}`, are refused; there may be 100
    groups inside each other.
    """

    def __init__(self, text: str) -> None:
        """Raises ExpressionError for an expression that RE2 does not take."""
        builder = _Builder()
        self._start = builder.build(_Parser(text).parsed(), 0)
        self._states = builder.states
        self._known: dict[tuple[frozenset[int], str, str], frozenset[int]] = {}

    def matches(self, text: str) -> bool:
        """Whether the expression describes the whole text."""
        now, before = frozenset([self._start]), ""
        for char in text:
            kind = "\n" if before == "\n" else "a" if before in _WORD else before and " "
            key = (now, kind, char)
            after = self._known.get(key)
            if after is None:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                after = self._known[key] = self._step(now, kind, char)
            now, before = after, char
            if not now:
                return False
        return 0 in self._reached(now, before, "")

    def _step(self, now: frozenset[int], before: str, char: str) -> frozenset[int]:
        found: set[int] = set()
        for i in self._reached(now, before, char):
            state = self._states[i]
            if isinstance(state.what, _Set) and state.what.has(char):
                found.update(state.to)
        return frozenset(found)

    def _reached(self, now: frozenset[int], before: str, after: str) -> set[int]:
        """The states that are reached without a character, between two."""
        seen, ahead = set(now), list(now)
        while ahead:
            state = self._states[ahead.pop()]
            if state.kind == "split" or (
                isinstance(state.what, str) and _HOLDS[state.what](before, after)
            ):
                new = [i for i in state.to if i not in seen]
                seen.update(new)
                ahead += new
        return seen
