"""GRU: a recurrent layer with an update gate and a reset gate."""

from __future__ import annotations

from collections.abc import Callable

from popir.ir import Tensor
from popir.ops.elementwise.elementwise import register_own
from popir.ops.elementwise.table import Row
from popir.ops.recurrent.recurrent import Activation, Recurrent
from popir.ops.support import symbolic as s
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.symbolic import Expr
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
        if new is None:
            candidate = f[1](on.Add(on.MatMul(on.Mul(reset, h), weights[1]), x_new))
        elif f[1].name == "tanh":
            candidate = _part(on, "candidate", x_new, reset, new)
        else:
            candidate = f[1](on.Add(on.Mul(reset, new), x_new))
        return _part(on, "state", h, update, candidate)


def _part(on: Decomposer, part: str, *inputs: Tensor) -> Tensor:
    """Adds one of `_PARTS`."""
    made = on.add("ai.graphcore", _CELL.type, 1, inputs, 1, {"part": part})
    assert isinstance(made, Tensor)
    return made


_PARTS: dict[str, Callable[[Expr, Expr, Expr], Expr]] = {
    "candidate": lambda x, reset, product: s.tanh(x + reset * product),
    "state": lambda h, update, candidate: candidate + update * (h - candidate),
}
"""What a time step computes in one pass over its elements, as popnn's step does. On an IPU each
operator by itself is a compute set, whose call costs more than its elements. The gradient of the
state before comes first, so that the host computes it in the pass with those of the gates.
"""
_CELL = Row(
    "GruCell",
    (1,),
    lambda a, b, c, *, part: _PARTS[part](a, b, c),
    domain="ai.graphcore",
    kind=str,
    choices=tuple(_PARTS),
)
register_own(_CELL)
OpCreator(Gru, onnx_ids("GRU", 3, 7, 14, 22))
