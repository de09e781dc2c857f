"""The table of element-wise operators: one row each, an expression over the inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from popir.ir import OperatorIdentifier
from popir.ops import symbolic as s
from popir.ops.extremum import evenly
from popir.ops.identifiers import graphcoreId
from popir.ops.inplace import variantId
from popir.ops.symbolic import Const, Expr
from popir.types import DataType

FLOATS = {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}


@dataclass(frozen=True)
class Row:
    """One operator: its name, its versions, and its expression, a function of the inputs.

    Attributes are the function's keyword-only parameters. `dydx`, a function of the output, which
    is the operand after the inputs, and of the same attributes, replaces the derivative with
    respect to each input.
    """

    type: str
    versions: tuple[int, ...]
    expression: Callable[..., Expr]
    dydx: Callable[..., Expr] | None = None
    domain: str = "ai.onnx"
    out: DataType | None = None
    """The output's element type, if it is not that of the inputs."""
    kind: type = float
    """The type of the attributes."""
    choices: tuple[str, ...] = ()
    """The values that attributes may have; by default any."""
    partial: Callable[[int, Sequence[Expr], Expr], Expr] | None = None
    """The derivative in input i, a function of i, the inputs and the output, where it is not that
    of the expression. Of an extremum of more inputs than two `ExtremumGradOp` has all gradients.
    """

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes."""
        parameters = inspect.signature(self.expression).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    @property
    def arity(self) -> int | None:
        """The number of inputs, None for any number."""
        parameters = inspect.signature(self.expression).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return None
        return sum(p.kind is not p.KEYWORD_ONLY for p in parameters)

    @property
    def isLegacy(self) -> bool:
        """Whether there is a version before 7, which broadcasts by attributes."""
        return self.domain == "ai.onnx" and self.arity == 2 and min(self.versions) < 7

    def gradientId(self, i: int) -> OperatorIdentifier:
        """The gradient with respect to input `i`, by PopART's names: `ExpGrad`, `MulArg0Grad`,
        `SumArgGrad`.
        """
        return graphcoreId(self.type + {None: "ArgGrad", 1: "Grad"}.get(self.arity, f"Arg{i}Grad"))

    @property
    def inplaceIds(self) -> list[OperatorIdentifier]:
        """The variants that overwrite an input, by its index, by PopART's names: `ExpInplace`,
        `MulLhsInplace`, `MulRhsInplace`. Of any number of inputs, the first two may be overwritten.
        """
        sides = {1: [""], 3: ["Arg0", "Lhs", "Rhs"]}.get(self.arity or 2, ["Lhs", "Rhs"])
        return [variantId(self.type, side) for side in sides]


def _sum(*xs: Expr) -> Expr:
    return s.folded(s.add, xs)


def _mean(*xs: Expr) -> Expr:
    return _sum(*xs) * (1 / len(xs))


def _maximum(*xs: Expr) -> Expr:
    return s.folded(s.maximum, xs)


def _minimum(*xs: Expr) -> Expr:
    return s.folded(s.minimum, xs)


def _sloping(i: int, xs: Sequence[Expr], _y: Expr) -> Expr:
    """Of PRelu: at 0 the slope is that below, as PyTorch has it."""
    x, slope = xs
    return s.select(*((s.ONE, slope), (s.ZERO, x))[i], x > 0)


def _softplus(x: Expr) -> Expr:
    return s.maximum(0, x) + s.log1p(s.exp(-s.absolute(x)))


def _gelu(x: Expr) -> Expr:
    return 0.5 * x * (1 + s.erf(_SQRT_HALF * x))


def _tanhGelu(x: Expr) -> Expr:
    return 0.5 * x * (1 + s.tanh(_GELU * (x + 0.044715 * (x * s.square(x)))))


def _sign(x: Expr) -> Expr:
    return s.select(x, s.signum(x), s.notEqual(x, x))  # NaN stays


def _remainder(x: Expr, y: Expr) -> Expr:
    rest = s.rem(x, y)
    isOpposite = s.both(s.notEqual(rest, 0), s.notEqual(rest < 0, y < 0))
    return s.select(rest + y, rest, isOpposite)


def _popart(type: str, expression: Callable[..., Expr]) -> Row:
    return Row(type, (1,), expression, domain="ai.graphcore")


_SQRT_HALF = 0.7071067811865476
_GELU = 0.7978845608028654  # sqrt(2 / pi)
_BOOL = DataType.BOOL

ROWS = [
    # arithmetic
    Row("Add", (6, 7, 13, 14), lambda x, y: x + y),
    Row("Sub", (6, 7, 13, 14), lambda x, y: x - y),
    Row("Mul", (6, 7, 13, 14), lambda x, y: x * y),
    Row("Div", (6, 7, 13, 14), lambda x, y: x / y),
    Row("Pow", (1, 7, 12, 13, 15), lambda x, y: s.power(x, y)),
    Row(
        "Mod",
        (10, 13, 28),
        lambda x, y, *, fmod: s.rem(x, y) if fmod else _remainder(x, y),
        kind=bool,
    ),
    Row("Sum", (6, 8, 13), _sum, lambda y: s.ONE),
    Row("Mean", (6, 8, 13), _mean, lambda y: Const(1 / y.index)),
    Row("Max", (6, 8, 12, 13), _maximum, partial=evenly),
    Row("Min", (6, 8, 12, 13), _minimum, partial=evenly),
    # functions
    Row("Neg", (6, 13), s.neg),
    Row("Abs", (6, 13), lambda x: s.absolute(x)),
    Row("Sign", (9, 13), _sign, lambda y: s.ZERO),
    Row("Floor", (6, 13), lambda x: s.floor(x)),
    Row("Ceil", (6, 13), lambda x: s.ceil(x)),
    Row("Exp", (6, 13), lambda x: s.exp(x)),
    Row("Log", (6, 13), lambda x: s.log(x)),
    Row("Sqrt", (6, 13), lambda x: s.sqrt(x)),
    Row("Reciprocal", (6, 13), lambda x: s.inv(x)),
    Row("Sin", (7, 22), lambda x: s.sin(x)),
    Row("Cos", (7, 22), lambda x: s.cos(x)),
    Row("Tan", (7, 22), lambda x: s.tan(x)),
    Row("Erf", (9, 13), lambda x: s.erf(x)),
    # activations
    Row("Relu", (6, 13, 14), lambda x: s.maximum(0, x), lambda y: s.select(1, 0, y > 0)),
    Row("Tanh", (6, 13), lambda x: s.tanh(x)),
    Row("Sigmoid", (6, 13), lambda x: s.sigmoid(x)),
    Row("Softplus", (1, 22), _softplus, lambda y: 1 - s.exp(-y)),
    Row(
        "Softsign",
        (1, 22),
        lambda x: x / (1 + s.absolute(x)),
        lambda y: s.square(1 - s.absolute(y)),
    ),
    Row("Elu", (6, 22), lambda x, *, alpha: s.select(x, alpha * s.expm1(x), x > 0)),
    Row("Selu", (6, 22), lambda x, *, alpha, gamma: gamma * s.select(x, alpha * s.expm1(x), x > 0)),
    Row(
        "HardSigmoid",
        (6, 22),
        lambda x, *, alpha, beta: s.maximum(0, s.minimum(1, alpha * x + beta)),
    ),
    Row("HardSwish", (14, 22), lambda x: x * s.maximum(0, s.minimum(1, (1 / 6) * x + 0.5))),
    Row(
        "Gelu",
        (20,),
        lambda x, *, approximate: _tanhGelu(x) if approximate == "tanh" else _gelu(x),
        kind=str,
        choices=("none", "tanh"),
    ),
    Row(
        "PRelu",
        (6, 7, 9, 16),
        lambda x, slope: s.select(x, slope * x, x >= 0),
        partial=_sloping,
    ),
    Row("Mish", (18, 22), lambda x: x * s.tanh(_softplus(x))),
    Row("ThresholdedRelu", (10, 22), lambda x, *, alpha: s.select(x, 0, x > alpha)),
    # comparison and logic
    Row("Equal", (1, 7, 11, 13, 19), lambda x, y: s.equal(x, y), out=_BOOL),
    Row("Less", (1, 7, 9, 13), lambda x, y: x < y, out=_BOOL),
    Row("Greater", (1, 7, 9, 13), lambda x, y: x > y, out=_BOOL),
    Row("LessOrEqual", (12, 16), lambda x, y: x <= y, out=_BOOL),
    Row("GreaterOrEqual", (12, 16), lambda x, y: x >= y, out=_BOOL),
    Row("And", (1, 7), lambda x, y: s.both(x, y), out=_BOOL),
    Row("Or", (1, 7), lambda x, y: s.either(x, y), out=_BOOL),
    Row("Xor", (1, 7), lambda x, y: s.notEqual(x, y), out=_BOOL),
    Row("Not", (1,), lambda x: s.logicalNot(x), out=_BOOL),
    Row("Where", (9, 16), lambda c, x, y: s.select(x, y, c)),
    # PopART's own
    _popart("Log1p", lambda x: s.log1p(x)),
    _popart("Expm1", lambda x: s.expm1(x)),
    _popart("Scale", lambda x, *, scale: scale * x),
    _popart("Swish", lambda x: x * s.sigmoid(x)),
    _popart("Gelu", _tanhGelu),
    _popart("GeluErf", _gelu),
    _popart("Round", lambda x: s.round(x)),
    _popart("NearbyInt", lambda x: s.nearbyInt(x)),
    _popart("Atan2", lambda y, x: s.atan2(y, x)),
    _popart("Fmod", lambda x, y: s.rem(x, y)),
    _popart("Remainder", _remainder),
    _popart("BitwiseAnd", lambda x, y: s.bitwiseAnd(x, y)),
    _popart("BitwiseOr", lambda x, y: s.bitwiseOr(x, y)),
    _popart("BitwiseXor", lambda x, y: s.bitwiseXor(x, y)),
    _popart("BitwiseXnor", lambda x, y: s.bitwiseXnor(x, y)),
    _popart("BitwiseNot", lambda x: s.bitwiseNot(x)),
]
