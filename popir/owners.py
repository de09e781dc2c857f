"""Which operator a vertex or a variable belongs to: for errors of the device, which knows no
operators.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from popir import poplar
from popir.errors import PopirError, poplar_exception
from popir.ir import Op
from popir.opx import debugPrefix

_VERTEX = re.compile(r"\(number (\d+) of the graph[,)]")
_NAMED = re.compile(r"^Floating-point exception: vertex '([^']*)'")
_VARIABLE = re.compile(r"\(variable (\d+) of the graph\)")


class Owners:
    """The operators of a lowering in the order of their growth, with the first vertex and the first
    variable of each.
    """

    def __init__(self) -> None:
        self._firstVertices: list[int] = []
        self._firstVariables: list[int] = []
        self._ops: list[Op] = []

    def add(self, graph: poplar.Graph, op: Op) -> None:
        """Takes note that what the graph gets from now on is of `op`."""
        self._firstVertices.append(graph.numVertices())
        self._firstVariables.append(graph.numVariables())
        self._ops.append(op)

    def _named(self, vertex: str) -> Op | None:
        """The operator that files a vertex under its name, or under that name's beginning."""
        names = {debugPrefix(op): op for op in self._ops}
        while vertex and vertex not in names:
            vertex = vertex.rpartition("/")[0]
        return names.get(vertex)

    def told(self, error: PopirError) -> PopirError:
        """The error, with the operator whose vertex or variable it names and who has defined that
        operator.
        """
        if not isinstance(error, poplar_exception):
            return error
        if found := _NAMED.match(str(error)):
            op = self._named(found[1])
            return error if op is None else type(error)(f"{op.debugName()}: {error}")
        for pattern, firsts, what in (
            (_VERTEX, self._firstVertices, "vertex"),
            (_VARIABLE, self._firstVariables, "variable"),
        ):
            if found := pattern.search(str(error)):
                at = bisect_right(firsts, int(found[1])) - 1
                if at >= 0:
                    op = self._ops[at]
                    who = f"{op.debugName()}, a {what} that grow() of '{op.source}' adds"
                    return type(error)(f"{error} ({who})")
        return error
