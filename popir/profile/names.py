"""Where a compiled graph's operators run, and under which names: `places`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from popir.ir import Graph, Op, Tensor
from popir.ir.op import CalledNames
from popir.opx import blockOf, debugPrefix

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """An operator of the graph, or one of a graph that is called, for one call of it."""

    op: Op
    name: str
    """The model's, or type and id; of a called operator the one that it had here before."""
    filed: str
    """The name under which the host's steps file it: with the calls that lead here."""
    blocks: tuple[str, ...]
    """The sequences of the device program that hold what it adds, the innermost last."""
    inputs: tuple[Tensor, ...]
    """What it reads; a called graph's inputs are what this call gives."""


def places(graph: Graph) -> Iterator[Place]:
    """All operators in the order in which they run, those of a called graph at each call, behind
    the operator that calls.
    """
    return _places(graph, "", (), {}, {})


def _places(
    graph: Graph,
    prefix: str,
    blocks: tuple[str, ...],
    names: CalledNames,
    given: Mapping[Tensor, Tensor],
) -> Iterator[Place]:
    for op in graph.schedule():
        filed, inside = prefix + debugPrefix(op), (*blocks, blockOf(op))
        known = names.get(op.id)
        read = {i: given.get(tensor, tensor) for i, tensor in op.input.items()}
        name = known if isinstance(known, str) else debugPrefix(op)
        yield Place(op, name, filed, inside, tuple(dict.fromkeys(read.values())))
        below = known if isinstance(known, dict) else op.calledNames
        for callee in op.getCalledGraphs():
            actual = {callee.getTensor(id): read[i] for i, id in enumerate(callee.inputs)}
            yield from _places(callee, f"{filed}/", inside, below, actual)


def beginning(name: str, known: Mapping[str, T]) -> T | None:
    """What is known by `name` or by its longest beginning, up to a slash; None if nothing is."""
    while name not in known:
        name, slash, _ = name.rpartition("/")
        if not slash:
            return None
    return known[name]
