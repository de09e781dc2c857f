"""Bernoulli: 1 with a given probability, else 0."""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType


class Bernoulli(Decomposition):
    """ONNX's Bernoulli, versions 15 and 22: 1 with the probability in the input, else 0, in the
    type `dtype`, by default that of the input. The numbers follow the session's seed and `seed`, as
    those of RandomUniform. No gradient.

    ONNX's function for it is not used: it gives 1 with the probability of 0.
    """

    dtype: int | None
    seed: float | None

    getGradOps = Op.getGradOps

    def decompose(self, on: Decomposer, p: Tensor) -> Tensor:
        """A comparison with uniform numbers, in FLOAT for FLOAT16 and BFLOAT16."""
        given = on.info(p).dataType()
        kind = given if given is DataType.DOUBLE else DataType.FLOAT
        p = on.cast(p, kind)
        drawn = on.RandomUniformLike(p, dtype=kind.onnx, seed=self.seed)
        return on.Cast(on.Less(drawn, p), to=self.dtype or given.onnx)


OpCreator(Bernoulli, onnx_ids("Bernoulli", 15, 22))
