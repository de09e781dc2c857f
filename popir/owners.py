"""Which operator a vertex belongs to: for errors of the device, which knows vertices alone."""

from __future__ import annotations

import re
from bisect import bisect_right

from popir.errors import PopirError, poplar_exception
from popir.ir import Op

_VERTEX = re.compile(r"\(number (\d+) of the graph[,)]")


class Owners:
    """The operators of a lowering in the order of their growth, with the first vertex of each."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ops: list[Op] = []

    def add(self, firstVertex: int, op: Op) -> None:
        """Takes note that the vertices from this number on are of `op`."""
        self._firsts.append(firstVertex)
        self._ops.append(op)

    def told(self, error: PopirError) -> PopirError:
        """The error, with the operator whose vertex it names and who has defined that operator."""
        found = _VERTEX.search(str(error))
        if found is None or not isinstance(error, poplar_exception):
            return error
        at = bisect_right(self._firsts, int(found[1])) - 1
        if at < 0:
            return error
        op = self._ops[at]
        who = f"{op.debugName()}, a vertex that grow() of '{op.source}' adds"
        return type(error)(f"{error} ({who})")
