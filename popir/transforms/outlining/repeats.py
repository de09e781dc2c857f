"""Repeated sublists of a list of integers, from its suffix array and longest common prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]


class Repeat(NamedTuple):
    """A sublist that occurs several times; occurrences may overlap. It cannot be extended to the
    right: at least two occurrences are followed by different elements.
    """

    length: int
    low: int
    high: int
    """The occurrences begin at `suffixes[low:high]`."""


def suffix_array(values: Sequence[int]) -> Ints:
    """The start positions of all suffixes, sorted by suffix: prefix doubling, O(n log^2 n)."""
    _, rank = np.unique(np.asarray(values, np.int64), return_inverse=True)
    rank = rank.astype(np.int64)
    n, width = len(rank), 1
    order = np.argsort(rank, kind="stable")
    while n and width < n and rank[order[-1]] < n - 1:
        second = np.full(n, -1, np.int64)
        second[: n - width] = rank[width:]
        order = np.lexsort((second, rank))
        first, then = rank[order], second[order]
        new = np.zeros(n, np.int64)
        new[1:] = np.cumsum((first[1:] != first[:-1]) | (then[1:] != then[:-1]))
        rank[order] = new
        width *= 2
    return order


def common_prefixes(values: Sequence[int], suffixes: Ints) -> list[int]:
    """The length of the longest common prefix of each suffix but the first with the one before it
    in the suffix array. Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix
    Arrays and Its Applications", 2001.
    """
    n = len(values)
    place = [0] * n
    order = suffixes.tolist()
    for where, begin in enumerate(order):
        place[begin] = where
    common, length = [0] * n, 0
    for begin in range(n):
        where = place[begin]
        if where == 0:
            length = 0
            continue
        other = order[where - 1]
        while max(begin, other) + length < n and values[begin + length] == values[other + length]:
            length += 1
        common[where] = length
        length = max(length - 1, 0)
    return common[1:]


class Repeats:
    """All repeats of a list: the intervals of its suffix array that share a prefix. There are fewer
    of them than elements in the list.
    """

    def __init__(self, values: Sequence[int]) -> None:
        self.suffixes = suffix_array(values)
        common = common_prefixes(values, self.suffixes)
        self._common = np.array(common, np.int64)
        self.found = _intervals(common)

    def places(self, repeat: Repeat, length: int) -> Ints:
        """The positions, ascending, at which the first `length` elements of a repeat occur."""
        low, high = repeat.low, repeat.high
        if length < repeat.length:
            before = np.flatnonzero(self._common[:low] < length)
            low = int(before[-1]) + 1 if len(before) else 0
            after = np.flatnonzero(self._common[high - 1 :] < length)
            high = high + int(after[0]) if len(after) else len(self.suffixes)
        return np.sort(self.suffixes[low:high])


def _intervals(common: list[int]) -> list[Repeat]:
    found: list[Repeat] = []
    open_: list[tuple[int, int]] = [(0, 0)]  # Stack of (length, start in the suffix array).
    for where, length in enumerate([*common, 0]):
        begin = where
        while open_[-1][0] > length:
            longer, begin = open_.pop()
            found.append(Repeat(longer, begin, where + 1))
        if open_[-1][0] < length:
            open_.append((length, begin))
    return found
