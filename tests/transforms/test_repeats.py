"""Suffix arrays and repeats, against looking at every part of a list."""

from __future__ import annotations

import random

import pytest

from popir.transforms.outlining.repeats import Repeats


def by_hand(values: list[int]) -> set[tuple[int, tuple[int, ...]]]:
    """Lengths and places of all parts that occur twice and are not always followed by the same."""
    places: dict[tuple[int, ...], list[int]] = {}
    for length in range(1, len(values)):
        for begin in range(len(values) - length + 1):
            places.setdefault(tuple(values[begin : begin + length]), []).append(begin)
    found = set()
    for part, begins in places.items():
        ends = [begin + len(part) for begin in begins]
        after = {values[end] if end < len(values) else -1 for end in ends}
        if len(begins) > 1 and len(after) > 1:
            found.add((len(part), tuple(begins)))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_lists(seed: int) -> None:
    generator = random.Random(seed)
    values = [generator.randrange(1 + seed % 4) for _ in range(generator.randrange(1, 30))]
    repeats = Repeats(values)
    suffixes = repeats.suffixes
    assert suffixes.tolist() == sorted(range(len(values)), key=lambda begin: values[begin:])
    given = {(r.length, tuple(sorted(suffixes[r.low : r.high].tolist()))) for r in repeats.found}
    assert given == by_hand(values)
    for repeat in repeats.found:
        for length in range(1, repeat.length + 1):
            part = values[suffixes[repeat.low] :][:length]
            every = [b for b in range(len(values)) if values[b : b + length] == part]
            assert repeats.places(repeat, length).tolist() == every


def test_nothing() -> None:
    assert Repeats([]).found == []
    assert Repeats([1, 2, 3]).found == []
