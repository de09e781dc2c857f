"""Transforms of graphs that a program in C++ makes, and what such programs take from PopART."""

from tests.cpp_sessions.conftest import Program


def test_tensors_that_share_elements(program: Program) -> None:
    """Through a slice, a transposition of it, and a slice from behind with a step: of the regions
    of the step, all that is between.
    """
    assert program("moved", "aliases").splitlines() == [
        "[2 5][4 3]",
        "[0, 0] to [2, 5] ",
        "[1, 0] to [3, 5] ",
        "[1, 0] to [3, 5] ",
        "[3, 1] to [5, 2] ",
        "[0, 0] to [4, 5] ",
        "[0, 1] to [1, 2] ",
        "[1, 0] to [3, 3] ",
        "4440",
        "{([",
        "0",
        "AliasesMap: there is no Ir; setIr() gives it one",
        "AliasesMap: the graph '' was not updated",
    ]


def test_views_and_regions(program: Program) -> None:
    """Cuts, differences and unions of regions; regions of a reshape, also against each element."""
    lines = program("moved", "views").splitlines()
    assert lines.pop(7) == "111"
    assert lines[:7] == [
        "[4, 0] to [6, 2] [4, 2] to [6, 6] [0, 0] to [4, 2] [0, 2] to [4, 6] ",
        "[0, 3] to [6, 6] [0, 0] to [6, 1] [3, 1] to [6, 3] [0, 1] to [1, 3] ",
        "[0, 4] to [3, 6] [4, 0] to [6, 3] ",
        "",
        "0 [0, 3] to [8, 8] -1",
        "[2, 0, 1] to [7, 1, 4] [2, 1, 0] to [7, 2, 2] ",
        "0",
    ]
    assert "has no element" in lines[7]
    assert "differ in rank" in lines[8]
    assert lines[9:11] == ["1 TransposeInplace ReshapeInplace", "0"]
    assert "is in another graph" in lines[11]
    assert lines[12:] == ["[0, 0] to [1, 8] "]


def test_copies_between_ipus(program: Program) -> None:
    """One for each tensor that is read on another IPU; none when they are there."""
    assert program("moved", "copies").splitlines() == [
        "x [0] --> [1] x_c1 1",
        "a [0] --> [1] a_c1 0",
        "a_c1 x_c1 a_c1",
        "0",
        "[1] --> [0]",
    ]


def test_exchanges_at_once(program: Program) -> None:
    """Two loads and two stores, which run; none of an exchange that depends on another one, and
    none of a buffer that is read and written.
    """
    assert program("moved", "exchanges").splitlines() == [
        "1",
        "2022",
        "0220",
        "11 22 33 44 10 20 30 40 ",
        "03",
        "31",
    ]


def test_loops_of_a_step(program: Program) -> None:
    """A loop over batches around one over micro-batches, which passes on the sum of gradients."""
    assert program("moved", "loops").splitlines() == [
        "1",
        "The main graph: Loop",
        "The graph 'stepGraph': Loop SGD0VarUpdate",
        "The graph 'accumulationGraph': Init HostLoad Add Accumulate",
        "3 3 1 accumulationGraph stepGraph",
        "2stepGraph/sum1 3stepGraph/w0 0stepGraph/sum1 1",
        "2sum1 3w1 0",
    ]


def test_helpers(program: Program) -> None:
    """Normal forms of a term, which have its values; largest cliques; a list that is a set."""
    assert program("moved", "helpers").splitlines() == [
        "((b && true) || (!a || (!b && c))) ((!a || !b || b) && (!a || b || c)) "
        "(!a || (!b && c) || b)",
        "0 true Or",
        "The variable 'a' of a has no value",
        "3456 012 3",
        "An edge from 0 to 8 of a graph of 8 vertices",
        "bac10",
    ]
