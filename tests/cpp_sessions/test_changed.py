"""What a program changes in graphs of its own and in options, in C++."""

from tests.cpp_sessions.conftest import Program


def test_what_a_program_changes(program: Program) -> None:
    """By the rules that PopART's tests of these state."""
    lines = program("changed").splitlines()
    # "c" needs "a" and itself; the others are "b", "kept", "d" and "e".
    assert lines[:2] == ["44", "a b kept 010"]
    assert lines.pop(2) == "anchor out 1"
    assert lines.pop(2) == "0101310"
    assert lines.pop(2) == "summary"
    assert lines[2] == "2100"
    refusals = [
        "SGD does not take the place of SGD: learningRate: the constant 2 takes the place of the "
        "constant 1",
        "SGD does not take the place of SGD: learningRate: a value that is variable takes the "
        "place of one that is constant",
        "SGD does not take the place of SGD: momentum: the constant 0.5 takes the place of the "
        "constant 0",
        "Adam does not take the place of SGD: they are of different kinds",
        "SGD does not take the place of SGD: learningRate: 1 weights have values of their own, in "
        "the place of 0",
        "SGD does not take the place of SGD: learningRate: 'w' has no value of its own",
        "SGD does not take the place of SGD: accumulatorAndMomentum is not the same",
    ]
    assert lines[3:10] == refusals
    assert lines[10] == "23131"
    assert lines[11] == "The stream of 'none' has a buffering depth of 0; expected is 1 or more"
    assert lines[12].endswith("depth of 2; expected is 1, as the host rearranges it")
    assert lines[13:15] == ["[5, 4, 2, 3] [1, 3, 1]", "1"]
    found = [line.split(" ", 1)[1] for line in lines[15:18]]  # Behind the file and the line.
    assert found == [
        "Check two == 3 has failed. {} more [2 != 3]",
        "Check two >= 3 has failed. [2 < 3]",
        "Check two > 3 has failed.",
    ]
    assert lines[18:21] == ["else otherwise", *["What it says cannot be said"] * 2]
    assert lines[21:] == ["a.dot b.dot "]
