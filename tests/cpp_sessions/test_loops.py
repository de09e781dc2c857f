"""Loops of a program's graph: how often they run, who gives their data, and wrong exchanges."""

import numpy as np

from tests.cpp_sessions.conftest import Program


def test_what_ends_a_loop(program: Program) -> None:
    """The first condition and the trip count of 32 bits that the host sends, of a body that leaves
    the condition as it is: 0, 2 and at most 3 iterations that double, and none.
    """
    runs = program("loops", "asked").splitlines()
    assert runs == ["1 2 ", "4 8 ", "8 16 ", *["1 2 "] * 3]


def test_two_loops_with_one_body(program: Program) -> None:
    """One of three iterations or none, and one of two."""
    assert program("loops", "shared").splitlines() == ["8 16 ", "32 64 ", "1 2 ", "4 8 "]


def test_variables_that_end_a_loop(program: Program) -> None:
    """Their values of the step count, not the initial ones: 2 iterations, 3, and none."""
    assert program("loops", "variables").splitlines() == ["4 8 ", "8 16 ", "1 2 "]


def test_callbacks_give_one_copy(program: Program) -> None:
    """A callback has what one iteration copies, as with batches, and not that of all."""
    doubled, error = program("loops", "callbacks").splitlines()
    assert doubled == "2 4 6 8 10 12 "
    assert error == (
        "error: The input 'x' has shape [3, 2] in 3 copies, which is 2 elements; given was an "
        "array of shape [3, 2] with 6."
    )


def test_rows_of_the_number_of_an_iteration(program: Program) -> None:
    """RemoteSetup finds as many rows as the loop has iterations, and the loop stays, although
    nothing reads what it computes.
    """
    assert program("loops", "rows").splitlines() == ["4 8 12 16 20 24 28 32 "]


def test_streams_that_are_loaded_several_times(program: Program) -> None:
    """Each load gets the next tensor: a, then b, in each of three iterations, and p, q, r."""
    x, w = np.arange(12.0).reshape(3, 2, 2), np.array([[0.5, 0], [100, 200], [1000, 2000]])
    total = w[0]
    for a, b in x:
        total = 2 * (a + total) + b
    found = np.array([float(v) for v in program("loops", "again").split()])
    np.testing.assert_array_equal(found, total + 2 * w[1] + w[2])


def test_a_stream_that_two_loops_load(program: Program) -> None:
    """The second loop gets what follows the six tensors of the first one."""
    x, total = np.arange(16.0).reshape(8, 2), np.array([0.5, 0])
    for a, b in x[:6].reshape(3, 2, 2):
        total = 2 * (a + total) + b
    for a in x[6:]:
        total = 2 * total + a
    found = np.array([float(v) for v in program("loops", "sequence").split()])
    np.testing.assert_array_equal(found, total)


def test_exchanges_and_loops_that_cannot_be(program: Program) -> None:
    lines = program("loops", "refused").splitlines()
    words = [
        "the order of their tensors from the host is not known. Load it in one graph, or give each",
        "gives the host 'out', and so does Op(",
        "'number', FLOAT[], is not the number of a row of a remote buffer. Give it one integer.",
        "'ints', INT32[2], is not the number of a row of a remote buffer. Give it one integer.",
        "copies FLOAT [2] to or from the remote buffer 3, whose rows are FLOAT [3]",
        "has neither a trip count nor a condition: it is endless. Give it a trip count",
    ]
    assert len(lines) == len(words)
    for line, each in zip(lines, words, strict=True):
        assert line.startswith("error: ")
        assert each in line
