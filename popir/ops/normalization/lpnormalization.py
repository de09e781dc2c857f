"""LpNormalization: divides by the norm along an axis."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class LpNormalization(Decomposition):
    """ONNX's LpNormalization, versions 1 and 22: x over its 1-norm or 2-norm along `axis`, 0 where
    that norm is 0.
    """

    axis: int
    p: int

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """Two reductions and a division. Raises OperatorInputError for another p than 1 and 2."""
        if self.p not in (1, 2):
            raise self.wrong(f"p is {self.p}; ONNX has 1 and 2.")
        kind = on.info(x).dataType()
        x = on.cast(x, accumulator_of(kind))
        norm = (on.ReduceL1 if self.p == 1 else on.ReduceL2)(x, on.ints(self.axis))
        # Where the norm is 0, x / 1 is 0 too, and so is its gradient.
        safe = on.Where(on.Equal(norm, on.like(0, x)), on.like(1, x), norm)
        return on.cast(on.Div(x, safe), kind)


OpCreator(LpNormalization, onnx_ids("LpNormalization", 1, 22))
