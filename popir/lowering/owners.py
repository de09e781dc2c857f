"""Maps vertices and variables back to operators, for error messages.

Errors of the device name a vertex or variable by its number; the device does not know operators.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from popir import poplar
from popir.errors import PopirError, poplar_exception
from popir.ir import Op
from popir.opx import debug_prefix

_VERTEX = re.compile(r"\(number (\d+) of the graph[,)]")
_NAMED = re.compile(r"^Floating-point exception: vertex '([^']*)'")
_VARIABLE = re.compile(r"\(variable (\d+) of the graph\)")


class Owners:
    """The operators in the order in which they were lowered, each with the numbers of its first
    vertex and first variable. Numbers are ascending, so that an owner is found by bisection.
    """

    def __init__(self) -> None:
        self._first_vertices: list[int] = []
        self._first_variables: list[int] = []
        self._ops: list[Op] = []

    def add(self, graph: poplar.Graph, op: Op) -> None:
        """Assigns vertices and variables added to `graph` from now on to `op`."""
        self._first_vertices.append(graph.numVertices())
        self._first_variables.append(graph.numVariables())
        self._ops.append(op)

    def _named(self, vertex: str) -> Op | None:
        """The operator whose debug prefix is a path prefix of the vertex name; the longest wins."""
        names = {debug_prefix(op): op for op in self._ops}
        while vertex and vertex not in names:
            vertex = vertex.rpartition("/")[0]
        return names.get(vertex)

    def told(self, error: PopirError) -> PopirError:
        """The error with the operator added to its message, and where that operator comes from.

        Returns `error` itself if it names no vertex or variable.
        """
        if not isinstance(error, poplar_exception):
            return error
        if found := _NAMED.match(str(error)):
            op = self._named(found[1])
            return error if op is None else type(error)(f"{op.debugName()}: {error}")
        for pattern, firsts, what in (
            (_VERTEX, self._first_vertices, "vertex"),
            (_VARIABLE, self._first_variables, "variable"),
        ):
            if found := pattern.search(str(error)):
                at = bisect_right(firsts, int(found[1])) - 1
                if at >= 0:
                    op = self._ops[at]
                    who = f"{op.debugName()}, a {what} that grow() of '{op.source}' adds"
                    return type(error)(f"{error} ({who})")
        return error
