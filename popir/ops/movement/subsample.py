"""Subsample: every n-th element along each axis."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator


class Subsample(Decomposition):
    """PopART's Subsample: the elements at 0, s, 2s, ... along each axis, s being its stride."""

    strides: list[int]

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A Slice with steps."""
        rank = len(on.shape(x))
        if len(self.strides) != rank or any(stride < 1 for stride in self.strides):
            zero = [i for i, stride in enumerate(self.strides) if stride == 0]
            raise OperatorAttributeError(
                f"{self._who()}: the strides are {self.strides}; the input, of shape "
                f"{on.shape(x)}, takes {rank}, of 1 or more.",
                popart=f"Strides invalid. 0 stride at index {zero[0]}" if zero else None,
            )
        if not rank:
            return x
        zeros, ends = on.ints(*[0] * rank), on.ints(*on.shape(x))
        return on.Slice(x, zeros, ends, on.ints(*range(rank)), on.ints(*self.strides))


OpCreator(Subsample, graphcore_id("Subsample"))
