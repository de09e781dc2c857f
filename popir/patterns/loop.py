"""The loop that applies patterns to a graph until nothing changes, and records what they did."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from itertools import takewhile

from popir import pattern, registry
from popir.errors import VerificationError, popart_exception
from popir.ir import Graph, Op, verify
from popir.pattern import PreAliasPattern, Rewrite
from popir.patterns.selection import Patterns, UnknownPatternError, canonical, find
from popir.transforms.decision import Decision

_MOST = 100
"""The most applications of patterns in a chain at one operator and its replacements."""


def apply_patterns(
    graph: Graph, patterns: Patterns, kept: Collection[str] = (), built_in: bool = True
) -> list[Decision]:
    """Applies all patterns in use to all operators, until none matches.

    A pattern is skipped if it touches a tensor in `kept` (anchors, the loss), or if the operator
    excludes it. Operators are visited in scheduled order, and patterns tried in the order of
    registration. After an application, the operators around it are visited again; at the end all
    operators are, until nothing changes. The time is proportional to the size of the graph. Without
    `built_in`, only patterns of libraries and of Python code are applied.

    Returns a decision for each application and each refusal. Raises VerificationError if patterns
    that are not built in leave the graph inconsistent; popart_exception if patterns do not
    terminate, or if `patterns` leaves out a mandatory one.
    """
    patterns.checkMandatory()
    return _Loop(graph, patterns, kept, built_in).run()


def uses_others(patterns: Patterns) -> bool:
    """Whether patterns are used that are not built in."""
    others = (entry for entry in pattern.entries() if entry.source != registry.BUILT_IN)
    return any(map(patterns.isUsed, others))


class _Loop:
    def __init__(
        self, graph: Graph, patterns: Patterns, kept: Collection[str], built_in: bool
    ) -> None:
        self.graph = graph
        self.kept = {*kept, *graph.outputs}
        _check_excluded(graph)
        self.byType: dict[str, list[tuple[PreAliasPattern, Callable[[Op], bool]]]] = {}
        self.used: list[PreAliasPattern] = []
        self.who: dict[str, str] = {}
        self.suspects: set[str] = set()
        """The names of the patterns that are not built in."""
        for entry in pattern.entries():
            if patterns.isUsed(entry) and (built_in or entry.source != registry.BUILT_IN):
                made = entry.create()
                made.name = entry.name
                made.kept = self.kept
                self.used.append(made)
                foreign = registry.is_library(entry.source)
                self.who[made.name] = f"{made.name} of '{entry.source}'" if foreign else made.name
                if entry.source != registry.BUILT_IN:
                    self.suspects.add(made.name)
        self.applied: list[Decision] = []
        self.refused: dict[tuple[int, str], Decision] = {}
        self.depth: dict[int, int] = {}
        """The length of the chain of applications that led to an operator; 0 for an original
        one.
        """

    def run(self) -> list[Decision]:
        """Visits all operators repeatedly, until nothing changes. Returns the decisions."""
        if not self.used:
            return []
        try:
            while self._pass([op.id for op in self.graph.schedule()]):
                pass
        finally:
            self._check()
        return [*self.applied, *self.refused.values()]

    def _pass(self, ids: Iterable[int]) -> bool:
        """Visits the operators `ids`, and those around each application. Returns whether a pattern
        applied.
        """
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
        """Tries the patterns at `op`. Returns the operators to visit again after the first
        application.
        """
        for rewriter, looks_right in self._patterns_for(op.opid.type):
            if not looks_right(op) or not self._admits(rewriter, op):
                continue
            around = _around(op)
            id, where, last = op.id, op.debugName(), self.graph.lastOpId
            depth = self.depth.get(id, 0) + 1
            if not rewriter.apply(op):
                continue
            self.applied.append(Decision(where, rewriter.name, None))
            fresh = self._made_after(last)
            for new in fresh:
                around += [new.id, *_around(new)]
            for changed in (id, *(new.id for new in fresh)):
                self.depth[changed] = depth
            if depth >= _MOST:
                raise self._endless()
            return [each for each in dict.fromkeys(around) if each in self.graph.ops]
        return []

    def _patterns_for(self, type: str) -> list[tuple[PreAliasPattern, Callable[[Op], bool]]]:
        """The patterns for operators of a type, each with its test of the form."""
        found = self.byType.get(type)
        if found is None:
            found = self.byType[type] = [
                (each, each.pattern if isinstance(each, Rewrite) else each.matches)
                for each in self.used
                if each.types is None or type in each.types
            ]
        return found

    def _admits(self, rewriter: PreAliasPattern, op: Op) -> bool:
        """Whether the pattern may be applied at `op`, which has its form. Records a refusal."""
        reason = rewriter.check(op) if isinstance(rewriter, Rewrite) else None
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

    def _made_after(self, last: int) -> list[Op]:
        """The operators with an id greater than `last`, which are the last ones in the graph."""
        return list(takewhile(lambda op: op.id > last, reversed(self.graph.ops.values())))

    def _endless(self) -> popart_exception:
        names = sorted({decision.what for decision in self.applied[-_MOST:]})
        return popart_exception(
            f"The patterns {', '.join(self.who[name] for name in names)} still change the graph "
            f"after {_MOST} rounds; one of them undoes what another does, or its apply() returns "
            "True without changing anything."
        )

    def _check(self) -> None:
        """Verifies the graph if patterns that are not built in applied, and names them in the
        error.
        """
        names = sorted(self.suspects & {decision.what for decision in self.applied})
        if not names:
            return
        suspects = [self.who[name] for name in names]
        try:
            verify(self.graph)
        except VerificationError as error:
            raise VerificationError(
                f"After the patterns {', '.join(suspects)} were applied: {error}"
            ) from error


def _check_excluded(graph: Graph) -> None:
    """Raises UnknownPatternError if an operator excludes a pattern that does not exist."""
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
    """The ids of the operator, the producers of its inputs and the readers of its outputs."""
    makers = [t.producer.id for t in op.input.values() if t.producer is not None]
    readers = [reader.id for t in op.output.values() for reader in t.uses]
    return [op.id, *makers, *readers]
