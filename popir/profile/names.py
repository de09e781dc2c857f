"""Which operator a name on the device belongs to: `OperatorNames`."""

from __future__ import annotations

from popir.ir import Graph
from popir.opx import debugPrefix


class OperatorNames:
    """The operators of a graph by the names under which they file what they add to a program."""

    def __init__(self, graph: Graph) -> None:
        self.operators = {debugPrefix(op): op for op in graph.schedule()}
        """Each operator by its name, the model's or type and id; in the order in which they run."""

    def of(self, name: str) -> str | None:
        """The operator's name with which `name` begins, up to a slash; None if there is none."""
        while name not in self.operators:
            name, slash, _ = name.rpartition("/")
            if not slash:
                return None
        return name
