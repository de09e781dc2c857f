"""ShapedDropout: Dropout with a mask of a shape of its own."""

from __future__ import annotations

import numpy as np

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.shapes import broadcast_shapes
from popir.registry import OpCreator


class ShapedDropout(Decomposition):
    """PopART's ShapedDropout: the data times a mask of `shape`, which is zero with probability
    `ratio` and 1 / (1 - ratio) otherwise. In inference it is the data.
    """

    shape: list[int]
    ratio: float

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A Dropout of ones, and a product."""
        if not 0 <= self.ratio < 1:
            raise OperatorAttributeError(
                f"{self._who()}: the ratio is {self.ratio}; expected is a probability below 1."
            )
        shape = on.shape(x)
        if broadcast_shapes(self, [shape, self.shape]) != shape:
            raise self.wrong(
                f"the mask's shape {self.shape} is not broadcastable to the input's, {shape}."
            )
        if not on.graph.isTraining or not self.ratio:
            return x
        kind = on.info(x).dataType().numpy
        ones = on.const(np.broadcast_to(np.ones((), kind), self.shape))
        mask = on.add("ai.onnx", "Dropout", 10, [ones], 1, {"ratio": self.ratio})
        assert isinstance(mask, Tensor)
        return on.Mul(x, mask)


OpCreator(ShapedDropout, graphcore_id("ShapedDropout"))
