"""Boxes of tensor elements, which describe what an operator reads, writes and aliases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Region(NamedTuple):
    """The elements with `lower[d] <= index[d] < upper[d]` in each dimension d. PopART's
    `view::Region`.
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @classmethod
    def full(cls, shape: Sequence[int]) -> Region:
        """All elements of a tensor of that shape."""
        return cls((0,) * len(shape), tuple(shape))

    def is_full(self, shape: Sequence[int]) -> bool:
        """Whether the region has all elements of a tensor of that shape."""
        return self == Region.full(shape)

    def isEmpty(self) -> bool:
        """Whether the region has no element."""
        return any(low >= high for low, high in zip(self.lower, self.upper, strict=True))

    def intersects(self, other: Region) -> bool:
        """Whether two regions of the same tensor have an element in common."""
        both = zip(self.lower, self.upper, other.lower, other.upper, strict=True)
        return all(max(a, c) < min(b, d) for a, b, c, d in both)
