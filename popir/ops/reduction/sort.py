"""Sort and ReduceMedian: elements by their order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.shapes import axes, axis
from popir.registry import OpCreator
from popir.types import DataType


class Sort(Decomposition):
    """PopART's Sort: the elements along an axis, ascending or `descending`, and their indices.

    Equal elements keep their order, with `stable` or without; a NaN is larger than every number.
    PopART has no gradient; here each element gets that of its place.
    """

    withoutMeaning = {"stable": "equal elements keep their order in any case."}
    axis: int
    descending: bool
    stable: bool

    def decompose(self, on: Decomposer, x: Tensor) -> Sequence[Tensor]:
        """A TopK of all elements."""
        shape = on.shape(x)
        along = axis(self, self.axis, len(shape))
        k = on.ints(shape[along])
        values, indices = on.TopK(x, k, axis=along, largest=int(self.descending), outputs=2)
        return [values, on.cast(indices, DataType.INT32)]


class ReduceMedian(Decomposition):
    """PopART's ReduceMedian: the median over axes, the lower one of an even number, and its index
    among the reduced elements in row-major order. The gradient goes to that element.
    """

    axes: list[int] | None
    keepdims: bool

    def decompose(self, on: Decomposer, x: Tensor) -> Sequence[Tensor]:
        """The last of the smallest half along an axis."""
        shape = on.shape(x)
        rank = len(shape)
        named = range(rank) if self.axes is None else self.axes
        taken = axes(self, named, rank)
        left = [d for d in range(rank) if d not in taken]
        count = math.prod(shape[d] for d in taken)
        if not count:
            raise self.wrong(f"the axes {taken} of {shape} have no elements, so no median.")
        rows = on.reshape(on.Transpose(x, perm=[*left, *taken]), [*(shape[d] for d in left), count])
        half = (count + 1) // 2
        found = on.TopK(rows, on.ints(half), axis=-1, largest=0, outputs=2)
        kept = [1 if d in taken else shape[d] for d in range(rank)]
        out = kept if self.keepdims else [shape[d] for d in left]
        ends = (on.ints(half - 1), on.ints(half), on.ints(-1))
        values, indices = (on.reshape(on.Slice(each, *ends), out) for each in found)
        return [values, on.cast(indices, DataType.INT32)]


OpCreator(Sort, graphcore_id("Sort"))
OpCreator(ReduceMedian, graphcore_id("ReduceMedian"))
