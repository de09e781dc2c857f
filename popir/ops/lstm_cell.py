"""One time step of an LSTM as expressions, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from popir.errors import OperatorAttributeError
from popir.ops import symbolic as s
from popir.ops.symbolic import Arg, Expr

GATES = IN, OUT, FORGET, NEW = [Arg(i) for i in range(4)]
"""Input, output and forget gate, and candidate, before activation; in ONNX's order."""
CELL_BEFORE, HIDDEN_BEFORE, CELL = Arg(4), Arg(5), Arg(6)
PEEPHOLES = PI, PO, PF = [Arg(i) for i in range(7, 10)]
MASK = Arg(10)
"""Whether the time step is within the sequence."""
D_HIDDEN, D_CELL = Arg(11), Arg(12)
"""The gradients with respect to the step's results."""

Function = Callable[[Expr], Expr]

# Each function of x and its two numbers, with the numbers' defaults, None where it takes none.
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
    who: str, names: Sequence[str], alphas: Sequence[float], betas: Sequence[float]
) -> list[Function]:
    """The activations of those names; alphas and betas go, in order, to those that take one.

    Raises OperatorAttributeError, `who` in front, for a name that ONNX does not have, and for
    numbers that no function takes.
    """
    alpha, beta = iter(alphas), iter(betas)
    found = [_function(who, name, alpha, beta) for name in names]
    for attribute, given, rest in (
        ("activation_alpha", alphas, [*alpha]),
        ("activation_beta", betas, [*beta]),
    ):
        if rest:
            raise OperatorAttributeError(
                f"{who}: the attribute '{attribute}' has {len(given)} numbers, {[*given]}; the "
                f"activations {', '.join(names)} take {len(given) - len(rest)} of them, in order. "
                "Give as many."
            )
    return found


def _function(who: str, name: str, alphas: Iterator[float], betas: Iterator[float]) -> Function:
    if name.lower() not in _FUNCTIONS:
        raise OperatorAttributeError(
            f"{who}: the activation {name!r} is not known; known are {', '.join(_FUNCTIONS)}."
        )
    f, alpha, beta = _FUNCTIONS[name.lower()]
    a = 0.0 if alpha is None else next(alphas, alpha)
    b = 0.0 if beta is None else next(betas, beta)
    return lambda x: f(x, a, b)


@dataclass(frozen=True)
class Cell:
    """The step: cell = f(FORGET) before + f(IN) g(NEW), hidden = f(OUT) h(cell)."""

    cell: Expr
    """The new cell."""
    hidden: Expr
    """The new hidden state, over CELL, which is the new cell."""

    @classmethod
    def of(
        cls,
        activations: Sequence[Function],
        clip: float | None,
        coupled: bool,
        peepholes: bool,
        masked: bool,
    ) -> Cell:
        """`activations` are f, g and h. `coupled`: the forget gate is one less the input gate."""
        f, g, h = activations

        def gate(function: Function, x: Expr) -> Expr:
            return function(x if clip is None else s.maximum(-clip, s.minimum(clip, x)))

        def seen(peephole: Expr, cell: Expr) -> Expr:
            return peephole * cell if peepholes else s.ZERO

        letIn = gate(f, IN + seen(PI, CELL_BEFORE))
        kept = 1 - letIn if coupled else gate(f, FORGET + seen(PF, CELL_BEFORE))
        cell = kept * CELL_BEFORE + letIn * gate(g, NEW)
        hidden = gate(f, OUT + seen(PO, CELL)) * h(CELL)
        if masked:
            cell = s.select(cell, CELL_BEFORE, MASK)
            hidden = s.select(hidden, HIDDEN_BEFORE, MASK)
        return cls(cell, hidden)

    def dCell(self) -> Expr:
        """The whole gradient of the new cell: also what it adds to the hidden state."""
        return D_CELL + s.mul(D_HIDDEN, s.derivative(self.hidden, CELL.index))

    def dGates(self) -> list[Expr]:
        """The gradients of the gates before activation; D_CELL is the whole one."""
        return [
            s.mul(D_HIDDEN, s.derivative(self.hidden, gate.index))
            if gate is OUT
            else s.mul(D_CELL, s.derivative(self.cell, gate.index))
            for gate in GATES
        ]

    def dCellBefore(self) -> Expr:
        """The gradient of the cell before; D_CELL is the whole one."""
        return s.mul(D_CELL, s.derivative(self.cell, CELL_BEFORE.index))

    def dHiddenBefore(self) -> Expr:
        """The gradient of the hidden state before; HIDDEN_BEFORE is what the gates pass on."""
        return HIDDEN_BEFORE + s.mul(D_HIDDEN, s.derivative(self.hidden, HIDDEN_BEFORE.index))
