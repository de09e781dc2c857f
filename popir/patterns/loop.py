"""Applies patterns to a graph until nothing changes, and keeps account of what they did."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from itertools import takewhile

from popir import pattern, registry
from popir.errors import VerificationError, popart_exception
from popir.ir import Graph, Op, verify
from popir.pattern import PreAliasPattern, Rewrite
from popir.patterns.selection import Patterns, UnknownPatternError, canonical, find
from popir.transforms.decision import Decision

_MOST = 100
"""How often patterns may follow each other at one operator and what they make of it."""


def applyPatterns(graph: Graph, patterns: Patterns, kept: Collection[str] = ()) -> list[Decision]:
    """Applies every pattern in use at every operator until none applies any more.

    A pattern is skipped where it touches a tensor in `kept`: an anchor, say, or the loss. An
    operator's `excludePatterns()` leave it alone. The operators are looked at in the order in which
    they run, in each the patterns in the order of their registration; where one applied, the
    operators around are looked at again, and in the end all of them, until they stay as they are.
    That takes time in proportion to the graph.

    Returns what patterns did and, where they refused, why. Raises VerificationError if patterns of
    libraries leave the graph inconsistent; popart_exception if they do not come to an end, or if
    `patterns` leaves out one that must be used.
    """
    patterns.checkMandatory()
    return _Loop(graph, patterns, kept).run()


class _Loop:
    def __init__(self, graph: Graph, patterns: Patterns, kept: Collection[str]) -> None:
        self.graph = graph
        self.kept = {*kept, *graph.outputs}
        _checkExcluded(graph)
        self.anyType: list[PreAliasPattern] = []
        self.byType: dict[str, list[PreAliasPattern]] = {}
        self.used: list[PreAliasPattern] = []
        self.who: dict[str, str] = {}
        for entry in pattern.entries():
            if patterns.isUsed(entry):
                made = entry.create()
                made.name = entry.name
                made.kept = self.kept
                self.used.append(made)
                foreign = registry.is_library(entry.source)
                self.who[made.name] = f"{made.name} of '{entry.source}'" if foreign else made.name
        self.applied: list[Decision] = []
        self.refused: dict[tuple[int, str], Decision] = {}
        self.depth: dict[int, int] = {}
        """How many applications led to an operator; 0 for those that were there."""

    def run(self) -> list[Decision]:
        """Until a look at all operators changes nothing."""
        if not self.used:
            return []
        try:
            while self._pass([op.id for op in self.graph.schedule()]):
                pass
        finally:
            self._check()
        return [*self.applied, *self.refused.values()]

    def _pass(self, ids: Iterable[int]) -> bool:
        """All of them, and what changes on the way; whether a pattern applied."""
        before = len(self.applied)
        waiting = deque(ids)
        queued = set(waiting)
        while waiting:
            id = waiting.popleft()
            queued.discard(id)
            op = self.graph.ops.get(id)
            if op is None:
                continue
            for each in self._look(op):
                if each not in queued:
                    queued.add(each)
                    waiting.append(each)
        return len(self.applied) > before

    def _look(self, op: Op) -> list[int]:
        """Tries each pattern; the operators to look at again after the first that applied."""
        for rewriter in self._patternsFor(op.opid.type):
            if not self._admits(rewriter, op):
                continue
            around = _around(op)
            id, where, last = op.id, op.debugName(), self.graph.lastOpId
            depth = self.depth.get(id, 0) + 1
            if not rewriter.apply(op):
                continue
            self.applied.append(Decision(where, rewriter.name, None))
            fresh = self._madeAfter(last)
            for new in fresh:
                around += [new.id, *_around(new)]
            for changed in (id, *(new.id for new in fresh)):
                self.depth[changed] = depth
            if depth >= _MOST:
                raise self._endless()
            return [each for each in dict.fromkeys(around) if each in self.graph.ops]
        return []

    def _patternsFor(self, type: str) -> list[PreAliasPattern]:
        found = self.byType.get(type)
        if found is None:
            found = [each for each in self.used if each.types is None or type in each.types]
            self.byType[type] = found
        return found

    def _admits(self, rewriter: PreAliasPattern, op: Op) -> bool:
        """Whether a pattern may be applied; a refusal is noted."""
        reason: str | None = None
        if isinstance(rewriter, Rewrite):
            if not rewriter.pattern(op):
                return False
            reason = rewriter.check(op)
        elif not rewriter.matches(op):
            return False
        if reason is None and rewriter.name in map(canonical, op.excludePatterns()):
            reason = "the operator excludes the pattern"
        if reason is None:
            touched = (t.id for t in rewriter.touches(op) if t.id in self.kept)
            if (id := next(touched, None)) is not None:
                reason = f"'{id}' is kept: an anchor, the loss, or an output"
        key = (op.id, rewriter.name)
        if reason is None:
            self.refused.pop(key, None)
            return True
        decision = Decision(op.debugName(), rewriter.name, reason)
        if self.refused.get(key) != decision:
            self.refused[key] = decision
            pattern.log.debug("%s leaves %s: %s", rewriter.name, op.debugName(), reason)
        return False

    def _madeAfter(self, last: int) -> list[Op]:
        """The operators with a greater id: they are the last ones of the graph."""
        return list(takewhile(lambda op: op.id > last, reversed(self.graph.ops.values())))

    def _endless(self) -> popart_exception:
        names = sorted({decision.what for decision in self.applied[-_MOST:]})
        return popart_exception(
            f"The patterns {', '.join(self.who[name] for name in names)} still change the graph "
            f"after {_MOST} rounds; one of them undoes what another does, or its apply() returns "
            "True without changing anything."
        )

    def _check(self) -> None:
        """Names the patterns of libraries, of those that applied, if the graph is inconsistent."""
        names = sorted({decision.what for decision in self.applied})
        suspects = [self.who[name] for name in names if self.who[name] != name]
        if not suspects:
            return
        try:
            verify(self.graph)
        except VerificationError as error:
            raise VerificationError(
                f"After the patterns {', '.join(suspects)} were applied: {error}"
            ) from error


def _checkExcluded(graph: Graph) -> None:
    """Raises UnknownPatternError for a pattern that an operator excludes and that there is not."""
    excluding: dict[str, Op] = {}
    for op in graph.ops.values():
        for name in op.settings.nodeAttributes.get("__exclude_patterns", ()):
            excluding.setdefault(name, op)
    for name, op in excluding.items():
        try:
            find(name)
        except UnknownPatternError as error:
            raise UnknownPatternError(
                f"{op.debugName()} excludes patterns by Builder.excludePatterns. {error}"
            ) from None


def _around(op: Op) -> list[int]:
    """The operator, those that make its inputs, and those that read its outputs."""
    makers = [t.producer.id for t in op.input.values() if t.producer is not None]
    readers = [reader.id for t in op.output.values() for reader in t.uses]
    return [op.id, *makers, *readers]
