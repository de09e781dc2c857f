"""Bucketize: between which boundaries elements lie."""

from __future__ import annotations

import numpy as np

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.registry import OpCreator
from popir.types import DataType


class Bucketize(Decomposition):
    """PopART's Bucketize: for each element the index of the first boundary that is not less, or
    with `right` that is greater. A NaN lies behind all boundaries, as in PyTorch.
    """

    right: bool
    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, x: Tensor, boundaries: Tensor) -> Tensor:
        """A binary search of all elements at once, one Gather for each halving."""
        count = on.shape(boundaries)
        if len(count) != 1:
            raise self.wrong(f"the boundaries have shape {count}; expected is one dimension.")
        (n,) = count
        shape = on.shape(x)
        first = on.const(np.zeros(shape), DataType.INT32)
        if not n:
            return on.Identity(first)
        last = on.const(np.full(shape, n), DataType.INT32)
        one, two = on.const(1, DataType.INT32), on.const(2, DataType.INT32)
        most = on.const(n - 1, DataType.INT32)
        for _ in range(n.bit_length()):
            middle = on.Div(on.Add(first, last), two)
            there = on.Gather(boundaries, on.Min(middle, most))
            stops = on.Greater(there, x) if self.right else on.GreaterOrEqual(there, x)
            goes = on.And(on.Not(stops), on.Less(first, last))
            last = on.Where(goes, last, on.Where(on.Less(first, last), middle, last))
            first = on.Where(goes, on.Add(middle, one), first)
        return first


OpCreator(Bucketize, graphcore_id("Bucketize"))
