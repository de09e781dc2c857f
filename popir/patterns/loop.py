"""Applies patterns to a graph until nothing changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from popir import pattern, registry
from popir.errors import VerificationError, popart_exception
from popir.ir import Graph, verify
from popir.pattern import PreAliasPattern
from popir.patterns.selection import Patterns

_ROUNDS = 100


def applyPatterns(graph: Graph, patterns: Patterns, kept: Collection[str] = ()) -> int:
    """Applies every pattern in use at every operator, round after round, until a round changes
    nothing.

    A pattern is skipped where it touches a tensor in `kept`: an anchor or the loss. An operator's
    `excludePatterns()` leave it alone. Returns how often one
    applied. Raises VerificationError if patterns of libraries leave the graph inconsistent;
    popart_exception if rounds do not come to an end: two patterns undo each other.
    """
    used: list[PreAliasPattern] = []
    who: dict[str, str] = {}
    for entry in pattern.entries():
        if patterns.isUsed(entry):
            made = entry.create()
            made.name = entry.name
            used.append(made)
            foreign = registry.is_library(entry.source)
            who[entry.name] = f"{entry.name} of '{entry.source}'" if foreign else entry.name
    total = 0
    names: set[str] = set()
    applied: list[str] = []
    for _ in range(_ROUNDS):
        applied = _round(graph, used, kept)
        total += len(applied)
        if not applied:
            _check(graph, names, who)
            return total
        names.update(applied)
    _check(graph, names, who)
    raise popart_exception(
        f"The patterns {', '.join(who[name] for name in sorted(set(applied)))} still change the "
        f"graph after {_ROUNDS} rounds; one of them undoes what another does, or its apply() "
        "returns True without changing anything."
    )


def _check(graph: Graph, names: Collection[str], who: Mapping[str, str]) -> None:
    """Names the patterns of libraries, of those that applied, if the graph is inconsistent."""
    suspects = [who[name] for name in sorted(names) if who[name] != name]
    if not suspects:
        return
    try:
        verify(graph)
    except VerificationError as error:
        raise VerificationError(
            f"After the patterns {', '.join(suspects)} were applied: {error}"
        ) from error


def _round(graph: Graph, used: list[PreAliasPattern], kept: Collection[str]) -> list[str]:
    """One pass of each pattern over all operators; the names of those that applied."""
    applied: list[str] = []
    for rewriter in used:
        for id in list(graph.ops):
            op = graph.ops.get(id)
            if op is None or not rewriter.matches(op):
                continue
            if rewriter.name in op.excludePatterns():
                continue
            if any(t.id in kept for t in rewriter.touches(op)):
                continue
            if rewriter.apply(op):
                applied.append(rewriter.name)
    return applied
