"""Settings of inputs and anchors of a program in C++."""

import pytest

from tests.cpp_sessions.conftest import Program


@pytest.mark.parametrize("made", [(), ("graph",)], ids=["model", "graph"])
def test_tile_sets_and_strategies_arrive(program: Program, made: tuple[str, ...]) -> None:
    """Relu of the numbers from -8 on; transfers go on beside compute."""
    numbers, *report = program("overlap", *made).splitlines()
    assert [float(word) for word in numbers.split()] == [max(i - 8, 0) for i in range(18)]
    (line,) = (line for line in report if line.startswith("With transfers: "))
    assert "us of them beside compute" in line


def test_what_cannot_be_is_refused(program: Program) -> None:
    """Of a stream of a program's graph: no IO tiles, and an overlap on tiles that compute."""
    tiles, undefined, overlap = program("overlap", "faults").splitlines()
    assert tiles == (
        "error: The input 'x': tileSet = TileSet.IO, but there are no IO tiles. Set "
        "SessionOptions.numIOTiles."
    )
    assert undefined == (
        "error: The input 'x': 'Undefined OverlapLoops' is no tile set and exchange strategy. "
        "Give, for example, TileSet::IO and ExchangeStrategy::OverlapLoops."
    )
    assert overlap.startswith(
        "error: The input 'x': exchangeStrategy = ExchangeStrategy.OverlapLoops"
    )
