"""GRU: a recurrent layer with an update gate and a reset gate."""

from __future__ import annotations

from popir.ir import Tensor
from popir.ops.recurrent.recurrent import Activation, Recurrent
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator


class Gru(Recurrent):
    """ONNX's GRU, versions 3, 7, 14 and 22: with the gates z and r, h = (1 - z) n + z h for each
    time step; inputs as in `Recurrent`. The candidate n reads r h, or with `linear_before_reset` r
    times the product of h and R, plus its bias.
    """

    linear_before_reset: bool
    gates = 3
    defaults = ["Sigmoid", "Tanh"]

    def first_bias(self, on: Decomposer, bias: Tensor) -> Tensor:
        """Both halves of B; of the second one without the candidate's if the reset gate is applied
        to that.
        """
        both = super().first_bias(on, bias)
        if not self.linear_before_reset:
            return both
        hidden = on.shape(bias)[1] // 3
        gates = on.Slice(both, on.ints(0), on.ints(2 * hidden))
        first = on.reshape(on.Slice(bias, on.ints(0), on.ints(1), on.ints(0)), [3 * hidden])
        return on.Concat(gates, on.Slice(first, on.ints(2 * hidden), on.ints(3 * hidden)), axis=0)

    def recurrent(self, on: Decomposer, r: Tensor, bias: Tensor | None) -> list[Tensor]:
        """R transposed: as a whole, and the candidate's bias, if one product will do; else for the
        two gates and for the candidate.
        """
        hidden = on.shape(r)[1]
        whole = on.Transpose(r, perm=[1, 0])
        if not self.linear_before_reset:
            return on.Split(whole, on.ints(2 * hidden, hidden), axis=1, outputs=2)
        if bias is None:
            return [whole]
        last = on.Slice(on.reshape(bias, [3 * hidden]), on.ints(2 * hidden), on.ints(3 * hidden))
        return [whole, last]

    def step(
        self, on: Decomposer, x: Tensor, h: Tensor, weights: list[Tensor], f: list[Activation]
    ) -> Tensor:
        """One product, or two if the candidate's reads r h."""
        hidden = on.shape(h)[1]
        parts = on.ints(2 * hidden, hidden)
        x_gates, x_new = on.Split(x, parts, axis=1, outputs=2)
        product = on.MatMul(h, weights[0])
        new = None
        if self.linear_before_reset:
            product, new = on.Split(product, parts, axis=1, outputs=2)
            if len(weights) > 1:
                new = on.Add(new, weights[1])
        gates = f[0](on.Add(product, x_gates))
        update, reset = on.Split(gates, on.ints(hidden, hidden), axis=1, outputs=2)
        new = on.Mul(reset, new) if new is not None else on.MatMul(on.Mul(reset, h), weights[1])
        candidate = f[1](on.Add(new, x_new))
        one = on.like(1, h)
        return on.Add(on.Mul(on.Sub(one, update), candidate), on.Mul(update, h))


OpCreator(Gru, onnx_ids("GRU", 3, 7, 14, 22))
