"""Partition of a graph into clusters: connected groups of nodes that one program can run.

Two neighbouring groups become one wherever that leaves no cycle, that is, wherever no path leads
from one to the other through anything else. It is done until no two can be joined, so the groups
are maximal.

The groups have places in an order in which they could run. Whether a path leads around two of them
is looked for between their places alone, from both ends by turns, so that the shorter search
decides; where two are joined, only groups between them change places.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence


class Partition:
    """The units that nodes are divided into, in an order in which they can run."""

    def __init__(self, edges: Sequence[Collection[int]], taken: Sequence[bool]) -> None:
        """`edges[i]` are the nodes that read what node i computes, all of them later; `taken[i]`
        says whether node i may be in a group with others.
        """
        count = len(edges)
        self._group = list(range(count))
        self._after: list[set[int]] = [set(each) - {i} for i, each in enumerate(edges)]
        self._before: list[set[int]] = [set() for _ in range(count)]
        for i, each in enumerate(self._after):
            for j in each:
                self._before[j].add(i)
        self._place = list(range(count))
        self._witness: dict[tuple[int, int], int] = {}
        """A node on a path around two groups: it is on one while it belongs to neither."""
        joined = True
        while joined:
            joined = False
            for i in range(count):
                for j in edges[i]:
                    a, b = self.of(i), self.of(j)
                    if a != b and taken[i] and taken[j] and self._join(a, b):
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

    def _join(self, a: int, b: int) -> bool:
        """Makes one group of two neighbours, unless a path leads around them."""
        witness = self._witness.get((a, b))
        if witness is not None and self.of(witness) not in (a, b):
            return False
        low, high = self._place[a], self._place[b]
        behind: set[int] = set()
        ahead: set[int] = set()
        down = self._search(a, b, self._after, (low, high), behind, ahead)
        up = self._search(b, a, self._before, (low, high), ahead, behind)
        # Which of them ends first has seen all there is between the two.
        for searches in zip(down, up, strict=False):
            for met in searches:
                if met is not None:
                    self._witness[a, b] = met
                    return False
        self._arrange(a, b, behind, ahead, (down, up))
        self._group[b] = a
        for links in (self._after, self._before):
            small, large = sorted((links[a], links[b]), key=len)
            large |= small
            links[a], links[b] = large, set()
        return True

    def _search(
        self,
        start: int,
        end: int,
        links: list[set[int]],
        between: tuple[int, int],
        found: set[int],
        other: set[int],
    ) -> Iterator[int | None]:
        """Adds to `found` the groups between two places that are reached from `start`, a link in
        each step. Gives a group on a path to `end`, or to the groups in `other`, once there is one.
        """
        low, high = between
        stack = [start]
        while stack:
            g = stack.pop()
            inner: list[int] = []
            for n in links[g]:
                each = self.of(n)
                if each == g:
                    inner.append(n)
                elif each == end:
                    yield None if g == start else g
                    continue
                elif low < self._place[each] < high and each not in found:
                    if each in other:
                        yield each
                    found.add(each)
                    stack.append(each)
                yield None
            links[g].difference_update(inner)

    def _arrange(
        self,
        a: int,
        b: int,
        behind: set[int],
        ahead: set[int],
        searches: tuple[Iterator[int | None], Iterator[int | None]],
    ) -> None:
        """Finds a place for the group of a and b: after what leads to b, before what a leads to."""
        place = self._place
        down, up = searches
        down_ended = next(down, 0) == 0
        if down_ended and not behind:
            place[a] = place[b]
            return
        up_ended = next(up, 0) == 0
        if up_ended and not ahead:
            return
        for _ in (*down, *up):
            pass
        order = [*sorted(ahead, key=place.__getitem__), a, *sorted(behind, key=place.__getitem__)]
        free = sorted([place[b], *(place[g] for g in order)])
        for g, at in zip(order, free, strict=False):
            place[g] = at

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
        ready = [(nodes[0], g) for g, nodes in members.items() if not waiting[g]]
        heapq.heapify(ready)
        units: list[list[int]] = []
        while ready:
            _, g = heapq.heappop(ready)
            units.append(members[g])
            for each in after[g]:
                waiting[each] -= 1
                if not waiting[each]:
                    heapq.heappush(ready, (members[each][0], each))
        return units
