"""ShapedDropout: Dropout with a mask of a shape of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.shapes import spaced
from popir.registry import OpCreator


class ShapedDropout(Decomposition):
    """PopART's ShapedDropout: the data times a mask of `shape`, which is zero with probability
    `ratio` and 1 / (1 - ratio) otherwise. In inference the mask is ones.
    """

    shape: list[int]
    ratio: float

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A Dropout of ones, and a product."""
        if not 0 <= self.ratio < 1:
            raise OperatorAttributeError(
                f"{self._who()}: the ratio is {self.ratio}; expected is a probability below 1.",
                popart=f"ShapedDropout: ratio value {self.ratio:g} is not valid. Please use a "
                "value in the interval [0,1)",
            )
        shape = on.shape(x)
        if not _fits(self.shape, shape):
            raise OperatorInputError(
                f"{self._who()}: the mask's shape {self.shape} does not broadcast to the input's, "
                f"{shape}.",
                popart="ShapedDropout: incompatible input tensor and dropout shape. "
                f"{self.opid} is configured with shape {spaced(self.shape)} which is not "
                f"broadcastable to the input tensor with shape {spaced(shape)}.",
            )
        kind = on.info(x).dataType().numpy
        ones = on.const(np.broadcast_to(np.ones((), kind), self.shape))
        mask = on.add("ai.onnx", "Dropout", 10, [ones], 1, {"ratio": self.ratio})
        assert isinstance(mask, Tensor)
        return on.Mul(x, mask)


def _fits(mask: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether the mask's shape broadcasts to the data's."""
    ends = zip(reversed(mask), reversed(shape), strict=False)
    return len(mask) <= len(shape) and all(m in (1, d) for m, d in ends)


OpCreator(ShapedDropout, graphcore_id("ShapedDropout"))
