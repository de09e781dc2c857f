"""Partition of a graph into clusters: connected groups of nodes that one program can run.

Two neighbouring groups become one wherever that leaves no cycle, that is, wherever no path leads
from one to the other through anything else. It is done until no two can be joined, so the groups
are maximal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


class Partition:
    """The units that nodes are divided into, in an order in which they can run."""

    def __init__(self, edges: Sequence[Collection[int]], taken: Sequence[bool]) -> None:
        """`edges[i]` are the nodes that read what node i computes, all of them later; `taken[i]`
        says whether node i may be in a group with others.
        """
        count = len(edges)
        self._group = list(range(count))
        self._after: list[set[int]] = [set(each) - {i} for i, each in enumerate(edges)]
        self._taken = taken
        joined = True
        while joined:
            joined = False
            for i in range(count):
                for j in edges[i]:
                    a, b = self.of(i), self.of(j)
                    if a != b and taken[i] and taken[j] and not self.path_around(a, b):
                        self._join(a, b)
                        joined = True
        self.units = self._ordered(count)
        """The nodes of each unit."""

    def of(self, node: int) -> int:
        """The number of the group that has the node."""
        while self._group[node] != node:
            self._group[node] = self._group[self._group[node]]
            node = self._group[node]
        return node

    def path_around(self, a: int, b: int) -> list[int] | None:
        """A path from group `a` to group `b` that leads through others; None if there is none. The
        groups that it leads through are returned.
        """
        came: dict[int, int] = {}
        ahead = [n for n in {self.of(each) for each in self._after[a]} if n not in (a, b)]
        for n in ahead:
            came[n] = a
        while ahead:
            n = ahead.pop()
            for each in {self.of(m) for m in self._after[n]}:
                if each == b:
                    path = [n]
                    while came[path[-1]] != a:
                        path.append(came[path[-1]])
                    return path[::-1]
                if each not in came and each != a:
                    came[each] = n
                    ahead.append(each)
        return None

    def _join(self, a: int, b: int) -> None:
        self._group[b] = a
        self._after[a] = {n for n in self._after[a] | self._after[b] if self.of(n) != a}

    def _ordered(self, count: int) -> list[list[int]]:
        """The units in topological order; of several that could be next, that of the earliest
        node.
        """
        members: dict[int, list[int]] = {}
        for i in range(count):
            members.setdefault(self.of(i), []).append(i)
        after = {g: {self.of(n) for n in self._after[g]} - {g} for g in members}
        waiting = dict.fromkeys(members, 0)
        for following in after.values():
            for g in following:
                waiting[g] += 1
        ready = [g for g in members if not waiting[g]]
        units: list[list[int]] = []
        while ready:
            ready.sort(key=lambda g: members[g][0], reverse=True)
            g = ready.pop()
            units.append(members[g])
            for each in after[g]:
                waiting[each] -= 1
                if not waiting[each]:
                    ready.append(each)
        return units
