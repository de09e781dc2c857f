"""Boxes of elements of a tensor, in which operators say what they read, write and show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Region(NamedTuple):
    """The elements with `lower[d] <= index[d] < upper[d]` in each dimension d."""

    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @classmethod
    def full(cls, shape: Sequence[int]) -> Region:
        """All elements of a tensor of that shape."""
        return cls((0,) * len(shape), tuple(shape))

    def isFull(self, shape: Sequence[int]) -> bool:
        """Whether these are all elements of a tensor of that shape."""
        return self == Region.full(shape)

    def isEmpty(self) -> bool:
        """Whether there is no element."""
        return any(low >= high for low, high in zip(self.lower, self.upper, strict=True))

    def intersects(self, other: Region) -> bool:
        """Whether the two regions, of one tensor, have an element in common."""
        both = zip(self.lower, self.upper, other.lower, other.upper, strict=True)
        return all(max(a, c) < min(b, d) for a, b, c, d in both)
