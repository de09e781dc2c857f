"""Which operator a name on the device belongs to: `OperatorNames`."""

from __future__ import annotations

from collections.abc import Container, Iterator

from popir.ir import Graph, Op
from popir.ir.graph import calledGraphs
from popir.ir.op import CalledNames
from popir.opx import debugPrefix


class OperatorNames:
    """The operators of a graph, and of those that it calls, by the names under which they file what
    they add to a program.
    """

    def __init__(self, graph: Graph) -> None:
        ops = [op for each in calledGraphs(graph) for op in each.schedule()]
        self.operators = {debugPrefix(op): op for op in ops}
        """Each operator by its name, the model's or type and id; of each graph in the order in
        which they run.
        """
        self._byCall = {filed: (shown, op) for filed, shown, op in _filed(graph)}

    def of(self, name: str) -> str | None:
        """The operator's name with which `name` begins, up to a slash; None if there is none."""
        return _beginning(name, self.operators)

    def called(self, name: str) -> tuple[str, Op] | None:
        """The operator to whose name the host's steps add the calls that lead to it, and what it
        was called, before it was outlined, at this place; None if there is none.
        """
        found = _beginning(name, self._byCall)
        return None if found is None else self._byCall[found]


def _beginning(name: str, known: Container[str]) -> str | None:
    while name not in known:
        name, slash, _ = name.rpartition("/")
        if not slash:
            return None
    return name


def _filed(
    graph: Graph, prefix: str = "", names: CalledNames | None = None
) -> Iterator[tuple[str, str, Op]]:
    """For each operator, and for each call those of the called graph: the name on the host, and the
    one that it had there before.
    """
    for op in graph.ops.values():
        filed = prefix + debugPrefix(op)
        known = (names or {}).get(op.id)
        yield filed, known if isinstance(known, str) else debugPrefix(op), op
        below = known if isinstance(known, dict) else op.calledNames
        for callee in op.getCalledGraphs():
            yield from _filed(callee, f"{filed}/", below)
