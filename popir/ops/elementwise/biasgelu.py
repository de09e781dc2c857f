"""onnxruntime's Gelus, with what it fuses into them: Gelu, FastGelu, BiasGelu, QuickGelu,
BiasSplitGelu; and BiasAdd.
"""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import microsoft_id
from popir.registry import OpCreator


class _Biased(Decomposition):
    def plus(self, on: Decomposer, x: Tensor, bias: Tensor) -> Tensor:
        """x plus a bias for each index of the last dimension. Raises OperatorInputError for a bias
        of another shape.
        """
        shape, given = on.shape(x), on.shape(bias)
        if not shape or given != shape[-1:]:
            raise self.wrong(
                f"the bias has shape {given}; for data of shape {shape} expected is one number for "
                "each index of the last dimension."
            )
        return on.Add(x, bias)


class BiasGelu(_Biased):
    """onnxruntime's Gelu and BiasGelu, version 1: x * P(X <= x) of the normal distribution, of the
    sum of data and bias.
    """

    def decompose(self, on: Decomposer, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """ONNX's Gelu by the error function."""
        return on.Gelu(x if bias is None else self.plus(on, x, bias))


class FastGelu(_Biased):
    """onnxruntime's FastGelu, version 1: the tanh approximation of Gelu, of the sum of data and
    bias.
    """

    def decompose(self, on: Decomposer, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """ONNX's Gelu by tanh."""
        return on.Gelu(x if bias is None else self.plus(on, x, bias), approximate="tanh")


class QuickGelu(Decomposition):
    """onnxruntime's QuickGelu, version 1: x * sigmoid(alpha * x)."""

    alpha: float

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A sigmoid and two products."""
        return on.Mul(x, on.Sigmoid(on.Mul(x, on.like(self.alpha, x))))


class BiasSplitGelu(_Biased):
    """onnxruntime's BiasSplitGelu, version 1: of the sum of data and bias, the left half of the
    last dimension times Gelu of the right half.
    """

    def decompose(self, on: Decomposer, x: Tensor, bias: Tensor) -> Tensor:
        """Two slices. Raises OperatorInputError for a last dimension that has no halves."""
        if on.shape(x)[-1:] and on.shape(x)[-1] % 2:
            raise self.wrong(
                f"the data have shape {on.shape(x)}; the last dimension must be even, since it is "
                "split into halves."
            )
        left, right = on.Split(self.plus(on, x, bias), axis=-1, num_outputs=2, outputs=2)
        return on.Mul(left, on.Gelu(right))


class BiasAdd(_Biased):
    """onnxruntime's BiasAdd, version 1: data plus bias plus what was skipped."""

    def decompose(self, on: Decomposer, x: Tensor, bias: Tensor, skip: Tensor) -> Tensor:
        """Two sums. Raises OperatorInputError if `skip` is of another shape than the data."""
        if on.shape(skip) != on.shape(x):
            raise self.wrong(
                f"skip has shape {on.shape(skip)}; it must be that of the data, {on.shape(x)}."
            )
        return on.Add(self.plus(on, x, bias), skip)


OpCreator(BiasGelu, [microsoft_id("Gelu"), microsoft_id("BiasGelu")])
OpCreator(FastGelu, microsoft_id("FastGelu"))
OpCreator(QuickGelu, microsoft_id("QuickGelu"))
OpCreator(BiasSplitGelu, microsoft_id("BiasSplitGelu"))
OpCreator(BiasAdd, microsoft_id("BiasAdd"))
