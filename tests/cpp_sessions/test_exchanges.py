"""Exchanges in graphs of a program: with the host in bodies of loops, and with remote buffers."""

import numpy as np
import pytest

from tests.cpp_sessions.conftest import Program

NOT_PREPARED = (
    "error: The session 'training' is not prepared: prepareDevice() must be called before"
)


def numbers(line: str) -> list[float]:
    return [float(word) for word in line.split()]


@pytest.mark.parametrize(("batches", "micro"), [(1, 1), (3, 1), (1, 4), (2, 3)])
def test_copies_in_loops(program: Program, batches: int, micro: int) -> None:
    """MainLoops' one and two loops, in which the host sends a tensor and gets one, and a weight
    changes, against NumPy.
    """
    lines = program("exchanges", "loops", str(batches), str(micro)).splitlines()
    assert lines[0] == f"{NOT_PREPARED} getReport()."
    w, x = np.array([1.0, 2.0]), np.arange(2.0 * batches * micro).reshape(-1, 2) - 1
    for line in lines[1:3]:
        expected = []
        for each in x:
            expected.extend(w * each)
            w = w + 0.5 * each
        np.testing.assert_array_equal(numbers(line), expected)
    np.testing.assert_array_equal(numbers(lines[3]), w)
    # The session's report: two runs, of a machine of one tile.
    assert lines[4] == "11"


@pytest.mark.parametrize("way", ["merged", "apart"])
def test_buffers_that_are_swapped(program: Program, way: str) -> None:
    """Three steps that load two remote buffers and store each in the other one, by two exchanges
    or by four; and rows that there are not.
    """
    assert program("exchanges", "swapped", way).splitlines() == [
        f"{2 if way == 'merged' else 0} FLOAT [2] 1",
        f"{NOT_PREPARED} copyToRemoteBuffer().",
        "3 4 ",
        "1 2 ",
        "error: Engine: no program of this engine uses a remote buffer 'RB_2'",
        "error: copyToRemoteBuffer: replica 1 given; this process has 1, counted from 0",
        "error: copyFromRemoteBuffer: row -1 given; rows are counted from 0",
        "error: Engine::copyFromRemoteBuffer: row 1 of replica 0 given, 'RB_0' has 1 rows, and "
        "there is one replica, number 0",
    ]


def test_rows_of_a_buffer(program: Program) -> None:
    """A loop adds to the row of its number, twice; the last row is read after it."""
    rows = np.arange(1.0, 7).reshape(3, 2) + 2 * np.array([10, 20])
    repeats, last, found = program("exchanges", "rows").splitlines()
    assert repeats == "3"
    np.testing.assert_array_equal(numbers(last), rows[2])
    np.testing.assert_array_equal(numbers(found), rows.ravel())


def test_exchanges_that_cannot_be(program: Program) -> None:
    lines = program("exchanges", "refused").splitlines()
    words = [
        '[MainLoops] The latest remap "aside/y" for anchor "y" is not in the main graph.',
        "copies 'x' from or to the host, and only the run knows how often it runs. Give it a trip",
        "the order of their tensors from the host is not known. Load it in one graph, or give each",
        "names no remote buffer; setRemoteBufferId() gives it one",
        "names no remote buffer. Give it the number of one (setRemoteBufferId).",
        "copies FLOAT [3] to or from the remote buffer 0, whose rows are FLOAT [2]",
        "copies FLOAT [3] to or from the remote buffer 0, whose rows are FLOAT [2]",
        "'x' is read in the main graph, and loaded in Op(",
    ]
    assert len(lines) == len(words)
    for line, each in zip(lines, words, strict=True):
        assert line.startswith("error: ")
        assert each in line
