"""Operators share memory with their inputs, and write these, only where they say so: in the shapes
where nothing is left to compute, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from popir.errors import PopirError
from tests.fuzz import generator, gradients, operators, torch_ops
from tests.fuzz.generator import FLOATS, Graph
from tests.fuzz.graphs import Way
from tests.fuzz.programs import Program

SIZES = [0, 1, 1, 1, 2]
CASES = 6
"""Of each operator."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dimensions of one element, and of none, where reductions, casts and copies have nothing to
    do.
    """
    monkeypatch.setattr(generator, "DIMENSIONS", SIZES)


def grown(key: tuple[str, str], trains: bool) -> Iterator[tuple[Graph, Way]]:
    """Graphs of one node, or of the few that its maker adds, with and without in-place variants."""
    for number in range(CASES):
        rng = random.Random(f"{key}/{number}")
        types = [gradients.DOUBLE] if trains else [rng.choice(FLOATS)]
        graph = Graph(rng, rng.choice(generator.OPSETS), types)
        graph.smooth = trains
        try:
            operators.OPERATORS[key](graph, key[1])
        except generator.Invalid:
            continue
        yield graph, Way(inplace=number % 4 == 0)


def checked(program: Program, way: Way, names: Sequence[str] = ()) -> None:
    """Runs it, for the gradients of these names if there are any. Other errors than of sharing are
    the fuzzers' to judge.
    """
    try:
        if names:
            gradients.by_popir(program, names, way)
        else:
            way.run(program)
    except PopirError as error:
        said = str(error)
        assert "the operator does not declare" not in said, f"{said}\n{program.text()}"


@pytest.mark.parametrize("key", sorted(operators.OPERATORS), ids=".".join)
def test_results(key: tuple[str, str]) -> None:
    for graph, way in grown(key, trains=False):
        checked(Program.of(graph, graph.results()), way)


@pytest.mark.parametrize("key", sorted(torch_ops.OPERATORS), ids=".".join)
def test_gradients(key: tuple[str, str]) -> None:
    for graph, way in grown(key, trains=True):
        gradients.sum_up(graph)
        program = Program.of(graph, [gradients.LOSS])
        floats = [name for name, a in program.given.items() if a.dtype == gradients.DOUBLE]
        checked(program, way, floats)
