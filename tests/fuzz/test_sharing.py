"""Operators share memory with their inputs, and write these, only where they say so: in the shapes
where nothing is left to compute, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import popir
from popir.errors import PopirError
from tests.fuzz import generator, gradients, operators, torch_ops
from tests.fuzz.generator import FLOATS, Graph
from tests.fuzz.graphs import Way
from tests.fuzz.programs import Program

SIZES = [0, 1, 1, 1, 2]
CASES = 24
"""Of each operator."""
WAYS = [Way(inplace=False), Way(inplace=True)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dimensions of one element, and of none, where reductions, casts and copies have nothing to
    do.
    """
    monkeypatch.setattr(generator, "DIMENSIONS", SIZES)


def grown(key: tuple[str, str], trains: bool) -> Iterator[Graph]:
    """Graphs of one node, or of the few that its maker adds."""
    for number in range(CASES):
        rng = random.Random(f"{key}/{number}")
        types = [gradients.DOUBLE] if trains else [rng.choice(FLOATS)]
        graph = Graph(rng, rng.choice(generator.OPSETS), types)
        graph.smooth = trains
        try:
            operators.OPERATORS[key](graph, key[1])
        except generator.Invalid:
            continue
        yield graph


def undeclared(error: PopirError) -> bool:
    """Whether an operator does what it does not declare; other errors are the fuzzers' to judge."""
    return "which the operator does not declare" in " ".join(str(error).split())


@pytest.mark.parametrize("key", sorted(operators.OPERATORS), ids=".".join)
def test_forwards(key: tuple[str, str]) -> None:
    for graph in grown(key, trains=False):
        program = Program.of(graph, graph.results())
        for way in WAYS:
            lowered(program, way, None)


@pytest.mark.parametrize("key", sorted(torch_ops.OPERATORS), ids=".".join)
def test_gradients(key: tuple[str, str]) -> None:
    for graph in grown(key, trains=True):
        gradients._sum_up(graph)
        program = Program.of(graph, [gradients.LOSS])
        for way in WAYS:
            lowered(
                program, way, [n for n, a in program.given.items() if a.dtype == gradients.DOUBLE]
            )


def lowered(program: Program, way: Way, names: Sequence[str] | None) -> None:
    """Compiles it, for training if there are names."""
    try:
        if names is None:
            way.run(program)
        else:
            gradients.by_popir(program, names, way)
    except PopirError as error:
        assert not undeclared(error), f"{error}\n{program.text()}"
