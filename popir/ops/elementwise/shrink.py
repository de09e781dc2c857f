"""Shrink: numbers are brought nearer to 0 by `bias`, and to 0 within `lambd` of it."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType


class Shrink(Decomposition):
    """ONNX's Shrink, version 9: x + bias below -lambd, x - bias above lambd, 0 between them and for
    NaN. Attributes are converted to the type of x, which may be an integer, with or without sign.
    """

    lambd: float
    bias: float

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """Compares with both bounds, and chooses element by element."""
        kind = on.info(x).dataType()
        lambd, bias = (
            on.cast(on.const(value, DataType.FLOAT), kind) for value in (self.lambd, self.bias)
        )
        found = on.Where(on.Less(lambd, x), on.Sub(x, bias), on.like(0, x))
        if kind.numpy.kind == "u":  # Nothing is below 0.
            return found
        return on.Where(on.Less(x, on.Neg(lambd)), on.Add(x, bias), found)


OpCreator(Shrink, onnx_ids("Shrink", 9))
