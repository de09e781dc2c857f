"""Patterns, and variants in place, on a graph that a program has made, before it is lowered."""

from __future__ import annotations

from collections.abc import Collection

from popir.ir import Graph
from popir.ir.graph import called_graphs
from popir.patterns.loop import apply_patterns
from popir.patterns.selection import Patterns
from popir.transforms.inplace import inplace


def _graph_of(graph: Graph, name: str) -> Graph:
    """The graph itself, or one that is called or was made beside it."""
    graphs = [*called_graphs(graph), *graph.made.values()]
    return next((each for each in graphs if each.name == name), graph)


def apply_to(graph: Graph, name: str, patterns: Patterns, kept: Collection[str]) -> None:
    """Applies the patterns in use to the graph `name`, until none matches; none that touches a
    tensor in `kept`, or an input or output of a called graph. PopART's `Ir::applyPreAliasPatterns`.

    Raises the errors of `apply_patterns`.
    """
    at = _graph_of(graph, name)
    apply_patterns(at, patterns, kept if at is graph else [*kept, *at.inputs])


def overwrite(graph: Graph, name: str, kept: Collection[str]) -> None:
    """Puts variants in place in the graph `name`, where that changes no result. PopART's
    `Ir::applyInplacePattern`.
    """
    inplace(_graph_of(graph, name), kept)
