"""Reverse: the elements along axes in the opposite order."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.shapes import axes
from popir.registry import OpCreator


class Reverse(Decomposition):
    """PopART's Reverse: the elements along each of `dimensions` in the opposite order."""

    dimensions: list[int]

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A Slice with steps of -1."""
        shape = on.shape(x)
        named = axes(self, self.dimensions, len(shape))
        if not named:
            return x
        starts, ends = [shape[a] - 1 for a in named], [-shape[a] - 1 for a in named]
        steps = on.ints(*[-1] * len(named))
        return on.Slice(x, on.ints(*starts), on.ints(*ends), on.ints(*named), steps)


OpCreator(Reverse, graphcore_id("Reverse"))
