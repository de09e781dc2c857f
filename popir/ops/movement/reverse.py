"""Reverse: the elements along axes in the opposite order."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator


class Reverse(Decomposition):
    """PopART's Reverse: the elements along each of `dimensions` in the opposite order. As in PopART
    these count from 0.
    """

    dimensions: list[int]

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A Slice with steps of -1."""
        shape = on.shape(x)
        for i, d in enumerate(self.dimensions):
            if not 0 <= d < len(shape) or d in self.dimensions[:i]:
                raise OperatorAttributeError(
                    f"{self._who()}: the dimensions are {self.dimensions}; expected are different "
                    f"ones of {shape}, from 0 to {len(shape) - 1}.",
                    popart=_popart_words(d, len(shape)),
                )
        named = list(self.dimensions)
        if not named:
            return x
        starts, ends = [shape[a] - 1 for a in named], [-shape[a] - 1 for a in named]
        steps = on.ints(*[-1] * len(named))
        return on.Slice(x, on.ints(*starts), on.ints(*ends), on.ints(*named), steps)


def _popart_words(d: int, rank: int) -> str:
    if d < 0:
        return f"invalid dimension '{d}'. Only positive dimensions are supported"
    if d >= rank:
        return f"invalid dimension '{d}' for input tensor of rank {rank}"
    return f"Dimension {d} appears multiple times in the list of dimensions"


OpCreator(Reverse, graphcore_id("Reverse"))
