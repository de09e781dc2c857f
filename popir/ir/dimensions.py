"""Names for the dimensions of an operator's tensors, by which it can be computed in parts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from popir.types import ReductionType

Names = Sequence[Hashable]
"""A name for each dimension of a tensor; None for one that cannot be cut."""


class Dimensions(NamedTuple):
    """The dimensions along which an operator works on each part by itself, as einsum names them.

    If all tensors with a dimension of one name are cut there, the operator computes the parts of
    its outputs from the parts of its inputs. An input of size 1 in it is broadcast, and is not cut.
    A MatMul of [8, 4] and [4, 6] has the names `rows` and None, None and `columns`, and gives
    `rows` and `columns`.
    """

    inputs: Mapping[int, Names]
    """The names of each input's dimensions; an input that is left out is always read whole."""
    outputs: Mapping[int, Names]
    reduction: ReductionType | None = None
    """How outputs without the name become the whole's, if they can: the sum or the mean of parts
    of equal size.
    """

    @classmethod
    def same(cls, rank: int, apart: Sequence[int] = (), outputs: int = 1) -> Dimensions:
        """Those of input 0, of outputs of its rank: all, or all but the dimensions `apart`."""
        names = [None if i in apart else i for i in range(rank)]
        return cls({0: names}, dict.fromkeys(range(outputs), names))


def from_end(rank: int) -> list[int]:
    """Names by the place from the end, as numpy aligns tensors that it broadcasts."""
    return list(range(-rank, 0))
