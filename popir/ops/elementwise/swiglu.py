"""SwiGLU: one tensor gates another by Swish."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class SwiGLU(Decomposition):
    """ONNX's SwiGLU, version 28: a * sigmoid(alpha * a) * b, of two tensors of one shape."""

    alpha: float

    def decompose(self, on: Decomposer, a: Tensor, b: Tensor) -> Tensor:
        """Products and a Sigmoid. Raises OperatorInputError for different shapes."""
        if on.shape(a) != on.shape(b):
            raise self.wrong(
                f"A is {on.shape(a)} and B {on.shape(b)}; expected is one shape, for this operator "
                "does not broadcast."
            )
        gate = on.Sigmoid(on.Mul(a, on.like(self.alpha, a)))
        return on.Mul(on.Mul(a, gate), b)


OpCreator(SwiGLU, onnx_ids("SwiGLU", 28))
