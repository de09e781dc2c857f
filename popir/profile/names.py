"""The places of a compiled graph's operators in the device program, and their names: `places`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from popir.ir import Graph, Op, Tensor
from popir.ir.graph import CalledNames
from popir.opx import block_of, debug_prefix

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """An operator of the graph; for an operator of a called graph, one for each call."""

    op: Op
    name: str
    """The name in the model, or type and id. For an outlined operator, its name before
    outlining.
    """
    filed: str
    """The debug name of its steps in the engine, which includes the calls around it."""
    blocks: tuple[str, ...]
    """The named sequences of the device program around what it adds, the innermost last."""
    inputs: tuple[Tensor, ...]
    """The tensors that it reads. Inputs of a called graph are replaced by the tensors of this
    call.
    """


def places(graph: Graph) -> Iterator[Place]:
    """All operators in the order in which they run. Those of a called graph come after each
    operator that calls it.
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
        filed, inside = prefix + debug_prefix(op), (*blocks, block_of(op))
        known = names.get(op.id)
        read = {i: given.get(tensor, tensor) for i, tensor in op.input.items()}
        name = known if isinstance(known, str) else debug_prefix(op)
        yield Place(op, name, filed, inside, tuple(dict.fromkeys(read.values())))
        below = known if isinstance(known, dict) else op.called_names
        for callee in op.getCalledGraphs():
            passed = zip(callee.inputs, op.argumentsOf(callee), strict=True)
            actual = {callee.getTensor(id): read[i] for id, i in passed if i is not None}
            yield from _places(callee, f"{filed}/", inside, below, actual)


def beginning(name: str, known: Mapping[str, T]) -> T | None:
    """The value for `name`, or for its longest path prefix in `known`; None if there is none.

    Example: "a/b/c" finds "a/b" if `known` has "a" and "a/b".
    """
    while name not in known:
        name, slash, _ = name.rpartition("/")
        if not slash:
            return None
    return known[name]
