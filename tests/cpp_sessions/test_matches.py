"""Sequences of a schedule that are repeated (popart/subgraph), against a search in Python."""

import random

from tests.cpp_sessions.conftest import Program


def repeated(kinds: list[int]) -> set[str]:
    """Each sequence that is there twice, with all its places."""
    places: dict[tuple[int, ...], list[int]] = {}
    for length in range(1, len(kinds)):
        for begin in range(len(kinds) - length + 1):
            places.setdefault(tuple(kinds[begin : begin + length]), []).append(begin)
    return {f"{len(key)}:{found}" for key, found in places.items() if len(found) > 1}


def test_repeated_sequences(program: Program) -> None:
    """Every sequence that occurs twice is found, of every length, with overlaps."""
    draw = random.Random(7)
    for _ in range(5):
        kinds = [draw.randrange(3) for _ in range(25)]
        lines = program("matches", "repeated", *map(str, kinds)).splitlines()
        assert set(lines) == repeated(kinds)
        assert len(lines) == len(set(lines))


def test_final_matches_do_not_overlap(program: Program) -> None:
    """Of two that overlap one lies in the other, and each is worth more than what lies in it."""
    draw = random.Random(8)
    for _ in range(5):
        kinds = [draw.randrange(3) for _ in range(30)]
        spans: list[tuple[int, int]] = []
        for line in program("matches", "final", *map(str, kinds)).splitlines():
            length, starts = line.split(":")
            begins = [int(begin) for begin in starts.strip("[]").split(",")]
            assert len(begins) > 1
            parts = {tuple(kinds[begin : begin + int(length)]) for begin in begins}
            assert len(parts) == 1
            spans += [(begin, begin + int(length)) for begin in begins]
        assert spans
        for a in spans:
            for b in spans:
                apart = a[1] <= b[0] or b[1] <= a[0]
                nested = (a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1])
                assert apart or nested


def test_matches_are_those_of_all_repeated_sequences(program: Program) -> None:
    """The search, which leaves out what cannot fit, finds what its parts find over everything."""
    draw = random.Random(9)
    found = 0
    for count in (2, 3, 4):
        for size in (12, 40, 90):
            for kinds in (
                [draw.randrange(count) for _ in range(size)],
                [n % (count + 2) for n in range(size)],
                [n % (size // 2) if n % 11 else 0 for n in range(size)],
            ):
                lines = program("matches", "final", *map(str, kinds))
                assert lines == program("matches", "composed", *map(str, kinds)), kinds
                found += len(lines.splitlines())
    assert found > 100


def test_sequences_are_connected_in_the_same_way(program: Program) -> None:
    """0 1 occurs three times, and twice the 1 reads the 0 of its own sequence."""
    lines = program("matches", "isomorphic", *"010101").splitlines()
    assert "2:[0, 2]" not in lines  # the first 0 is read outside, too
    assert not any(line.startswith("2:") for line in lines)


def test_shorter_sequences_in_the_place_of_matches(program: Program) -> None:
    """The evaluator prefers two nodes to three."""
    lines = program("matches", "pruned", *"0123012").splitlines()
    assert lines == ["3:[0, 4]", "pruned 2:[0, 4]"]
