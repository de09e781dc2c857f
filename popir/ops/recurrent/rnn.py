"""RNN: a recurrent layer without gates."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.recurrent.recurrent import Activation, Recurrent
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class Rnn(Recurrent):
    """ONNX's RNN, versions 1, 7, 14 and 22: h = f(x W + h R + B), for each time step; inputs as in
    `Recurrent`. `output_sequence` (version 1) has no effect.
    """

    gates = 1
    defaults = ["Tanh"]
    declared = ["Tanh", "Tanh"]

    def recurrent(self, on: Decomposer, r: Tensor, bias: Tensor | None) -> list[Tensor]:
        """R transposed. Its bias is added before the loop."""
        return [on.Transpose(r, perm=[1, 0])]

    def step(
        self, on: Decomposer, x: Tensor, h: Tensor, weights: list[Tensor], f: list[Activation]
    ) -> Tensor:
        """One product and one activation."""
        return f[0](on.Add(on.MatMul(h, weights[0]), x))


OpCreator(Rnn, onnx_ids("RNN", 1, 7, 14, 22))
