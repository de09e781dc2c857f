"""One time step of an LSTM as expressions, and the derivatives of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from popir.errors import OperatorAttributeError
from popir.ops.support import symbolic as s
from popir.ops.support.symbolic import Arg, Expr

GATES = IN, OUT, FORGET, NEW = [Arg(i) for i in range(4)]
"""Input, output and forget gate, and candidate, before activation; in ONNX's order."""
CELL_BEFORE, HIDDEN_BEFORE, CELL = Arg(4), Arg(5), Arg(6)
PEEPHOLES = PI, PO, PF = [Arg(i) for i in range(7, 10)]
MASK = Arg(10)
"""Whether the time step is within the sequence."""
D_HIDDEN, D_CELL = Arg(11), Arg(12)
"""The gradients with respect to the step's results."""

Function = Callable[[Expr], Expr]

# Functions of (x, alpha, beta), with the defaults of alpha and beta; None if it is not used.
_FUNCTIONS: dict[str, tuple[Callable[[Expr, float, float], Expr], float | None, float | None]] = {
    "sigmoid": (lambda x, a, b: s.sigmoid(x), None, None),
    "tanh": (lambda x, a, b: s.tanh(x), None, None),
    "relu": (lambda x, a, b: s.maximum(0, x), None, None),
    "softsign": (lambda x, a, b: x / (1 + s.absolute(x)), None, None),
    "softplus": (
        lambda x, a, b: s.maximum(0, x) + s.log1p(s.exp(-s.absolute(x))),
        None,
        None,
    ),
    "affine": (lambda x, a, b: a * x + b, 1.0, 0.0),
    "leakyrelu": (lambda x, a, b: s.select(x, a * x, x > 0), 0.01, None),
    "thresholdedrelu": (lambda x, a, b: s.select(x, 0, x > a), 1.0, None),
    "scaledtanh": (lambda x, a, b: a * s.tanh(b * x), 1.0, 1.0),
    "hardsigmoid": (lambda x, a, b: s.maximum(0, s.minimum(1, a * x + b)), 0.2, 0.5),
    "elu": (lambda x, a, b: s.select(x, a * s.expm1(x), x > 0), 1.0, None),
}


def functions(
    who: str,
    names: Sequence[str],
    alphas: Sequence[float],
    betas: Sequence[float],
    known: Mapping[str, tuple[Callable[[Any, float, float], Any], float | None, float | None]]
    | None = None,
) -> list[Callable[[Any], Any]]:
    """The activation functions with the given names, of expressions or as `known` has them: a
    function of (x, alpha, beta) and its defaults of these.

    `alphas` and `betas` go, in order, to the functions that have such a parameter. Raises
    OperatorAttributeError, naming `who`, for an unknown name, and for numbers that are left over.
    """
    alpha, beta = iter(alphas), iter(betas)
    found = [_function(who, name, alpha, beta, known or _FUNCTIONS) for name in names]
    for attribute, given, rest in (
        ("activation_alpha", alphas, [*alpha]),
        ("activation_beta", betas, [*beta]),
    ):
        if rest:
            raise OperatorAttributeError(
                f"{who}: the attribute '{attribute}' has {len(given)} numbers, {[*given]}; the "
                f"activations {', '.join(names)} take {len(given) - len(rest)} of them, in order. "
                "Give as many.",
                popart=f"{who}: {attribute} {[*given]} is not supported for {', '.join(names)}",
            )
    return found


def _function(
    who: str,
    name: str,
    alphas: Iterator[float],
    betas: Iterator[float],
    known: Mapping[str, tuple[Callable[[Any, float, float], Any], float | None, float | None]],
) -> Callable[[Any], Any]:
    if name.lower() not in known:
        raise OperatorAttributeError(
            f"{who}: the activation {name!r} is not known; known are {', '.join(known)}."
        )
    f, alpha, beta = known[name.lower()]
    a = 0.0 if alpha is None else next(alphas, alpha)
    b = 0.0 if beta is None else next(betas, beta)
    return lambda x: f(x, a, b)


@dataclass(frozen=True)
class Cell:
    """The expressions of a time step: cell = f(FORGET) * CELL_BEFORE + f(IN) * g(NEW) and hidden =
    f(OUT) * h(cell).
    """

    cell: Expr
    """The new cell state."""
    hidden: Expr
    """The new hidden state, as a function of the new cell state, CELL."""

    @classmethod
    def of(
        cls,
        activations: Sequence[Function],
        clip: float | None,
        coupled: bool,
        peepholes: bool,
        masked: bool,
    ) -> Cell:
        """The expressions for the given options.

        `activations` are f, g and h. With `coupled` the forget gate is 1 minus the input gate. With
        `masked` states stay the same after the end of a sequence.
        """
        f, g, h = activations

        def gate(function: Function, x: Expr) -> Expr:
            return function(x if clip is None else s.maximum(-clip, s.minimum(clip, x)))

        def seen(peephole: Expr, cell: Expr) -> Expr:
            return peephole * cell if peepholes else s.ZERO

        let_in = gate(f, IN + seen(PI, CELL_BEFORE))
        kept = 1 - let_in if coupled else gate(f, FORGET + seen(PF, CELL_BEFORE))
        cell = kept * CELL_BEFORE + let_in * gate(g, NEW)
        hidden = gate(f, OUT + seen(PO, CELL)) * h(CELL)
        if masked:
            cell = s.select(cell, CELL_BEFORE, MASK)
            hidden = s.select(hidden, HIDDEN_BEFORE, MASK)
        return cls(cell, hidden)

    def d_cell(self) -> Expr:
        """The whole gradient of the new cell state: D_CELL plus the part through the hidden
        state.
        """
        return D_CELL + s.mul(D_HIDDEN, s.derivative(self.hidden, CELL.index))

    def d_gates(self) -> list[Expr]:
        """The gradients of the gates before activation, from the whole D_CELL (see `d_cell`)."""
        return [
            s.mul(D_HIDDEN, s.derivative(self.hidden, gate.index))
            if gate is OUT
            else s.mul(D_CELL, s.derivative(self.cell, gate.index))
            for gate in GATES
        ]

    def d_cell_before(self) -> Expr:
        """The gradient of the previous cell state, from the whole D_CELL."""
        return s.mul(D_CELL, s.derivative(self.cell, CELL_BEFORE.index))

    def d_hidden_before(self) -> Expr:
        """The gradient of the previous hidden state. HIDDEN_BEFORE is the part through the
        gates.
        """
        return HIDDEN_BEFORE + s.mul(D_HIDDEN, s.derivative(self.hidden, HIDDEN_BEFORE.index))
