"""Settings of inputs and anchors of a program in C++."""

from tests.cpp_sessions.conftest import Program


def test_tile_sets_and_strategies_arrive(program: Program) -> None:
    """Relu of the numbers from -8 on; transfers go on beside compute."""
    numbers, *report = program("overlap").splitlines()
    assert [float(word) for word in numbers.split()] == [max(i - 8, 0) for i in range(18)]
    (line,) = (line for line in report if line.startswith("With transfers: "))
    assert "us of them beside compute" in line
