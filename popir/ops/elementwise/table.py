"""The table of element-wise operators of ONNX and PopART: one row for each, with an expression of
its inputs.

A row of the domain ai.onnx is ONNX's operator of that name, in the versions it lists; of
ai.graphcore, PopART's, whose schema is in `schemas/ai.graphcore`. Where names are equal or a choice
is left open:

- Gelu of ai.graphcore is the form with tanh, GeluErf that with erf; ONNX's has both.
- Round of ai.graphcore rounds halves away from zero; ONNX's, and NearbyInt, to even.
- Fmod, and Mod with `fmod`, have the sign of the dividend; Remainder, and Mod, of the divisor.
- BitShift by a negative amount, or by the width of the type or more, shifts all bits out; to the
  right it fills with the sign.
- The gradient of Max and Min is shared evenly by the inputs that are equal to the result.
- The gradient of PRelu at 0 is PyTorch's: that of the data is the slope, that of the slope 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from popir.cached import cached_property
from popir.ir import OperatorIdentifier
from popir.ops.elementwise.extremum import evenly
from popir.ops.support import symbolic as s
from popir.ops.support.identifiers import graphcore_id
from popir.ops.support.inplace import variant_id
from popir.ops.support.symbolic import Arg, Const, Expr
from popir.types import DataType

FLOATS = {DataType.FLOAT, DataType.FLOAT16, DataType.BFLOAT16, DataType.DOUBLE}


def _parameters(expression: Callable[..., Expr]) -> list[inspect.Parameter]:
    return [*inspect.signature(expression).parameters.values()]


@dataclass(frozen=True)
class Row:
    """One operator: its type, its versions, and its expression as a function of the inputs.

    The attributes are the keyword-only parameters of that function. `dydx`, a function of the
    output and the same attributes, replaces the derivative with respect to each input.
    """

    type: str
    versions: tuple[int, ...]
    expression: Callable[..., Expr]
    dydx: Callable[..., Expr] | None = None
    domain: str = "ai.onnx"
    out: DataType | None = None
    """The output's element type; None for that of the inputs."""
    kind: type = float
    """The Python type of the attributes."""
    choices: tuple[str, ...] = ()
    """The allowed values of the attributes; empty for any."""
    vertices: tuple[str, str] = ("expression", "expression")
    """The choices of popops.map's option costedAs for the operator and for its gradient."""
    partial: Callable[[int, Sequence[Expr], Expr], Expr] | None = None
    """The derivative with respect to input i, as a function of (i, inputs, output), if it is not to
    be derived from the expression. Max and Min of more than two inputs use `ExtremumGradOp`
    instead.
    """

    def of_inputs(self, count: int) -> Expr:
        """The expression of `count` inputs, for an operator without attributes. The tree is shared
        by all operators of the row.
        """
        if count not in self._expressions:
            self._expressions[count] = self.expression(*map(Arg, range(count)))
        return self._expressions[count]

    @cached_property
    def gradients(self) -> dict[tuple[int, int], tuple[Sequence[int], Expr]]:
        """The gradients derived so far, by the number of inputs and the index of one, for an
        operator without attributes; see `ElementwiseOp.gradient`.
        """
        return {}

    @cached_property
    def _expressions(self) -> dict[int, Expr]:
        return {}

    @cached_property
    def attributes(self) -> list[str]:
        """The names of the operator's attributes."""
        parameters = _parameters(self.expression)
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]

    @cached_property
    def arity(self) -> int | None:
        """The number of inputs; None for any number."""
        parameters = _parameters(self.expression)
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return None
        return sum(p.kind is not p.KEYWORD_ONLY for p in parameters)

    @property
    def is_legacy(self) -> bool:
        """Whether a version before 7 exists, with attributes for broadcasting."""
        return self.domain == "ai.onnx" and self.arity == 2 and min(self.versions) < 7

    def gradient_id(self, i: int) -> OperatorIdentifier:
        """The identifier of the gradient operator for input `i`, with PopART's names: `ExpGrad`,
        `MulArg0Grad`, `SumArgGrad`.
        """
        return graphcore_id(self.type + {None: "ArgGrad", 1: "Grad"}.get(self.arity, f"Arg{i}Grad"))

    @cached_property
    def variants(self) -> dict[int, dict[int, OperatorIdentifier]]:
        """For a number of inputs, `ElementwiseOp.variants`, as far as it was asked for."""
        return {}

    @cached_property
    def inplace_ids(self) -> list[OperatorIdentifier]:
        """The identifiers of the in-place variants, by input index, with PopART's names:
        `ExpInplace`, `MulLhsInplace`, `MulRhsInplace`. Of any number of inputs, the first two have
        one.
        """
        sides = {1: [""], 3: ["Arg0", "Lhs", "Rhs"]}.get(self.arity or 2, ["Lhs", "Rhs"])
        return [variant_id(self.type, side) for side in sides]


def _sum(*xs: Expr) -> Expr:
    return s.folded(s.add, xs)


def _mean(*xs: Expr) -> Expr:
    return _sum(*xs) * (1 / len(xs))


def _maximum(*xs: Expr) -> Expr:
    return s.folded(s.maximum, xs)


def _minimum(*xs: Expr) -> Expr:
    return s.folded(s.minimum, xs)


def _sloping(i: int, xs: Sequence[Expr], _y: Expr) -> Expr:
    """The derivatives of PRelu. At 0 the slope for negative x applies, as in PyTorch."""
    x, slope = xs
    return s.select(*((s.ONE, slope), (s.ZERO, x))[i], x > 0)


def _acos(x: Expr) -> Expr:
    return s.atan2(s.sqrt((1 - x) * (1 + x)), x)  # Near 1, pi / 2 - asin(x) would cancel.


def _sinh(x: Expr) -> Expr:
    a = s.absolute(x)
    e, half = s.expm1(a), s.exp(0.5 * a)
    # The second form is for large x, where exp(x) overflows before sinh(x) does, and exp(-x) is
    # less than the last place of it.
    return s.signum(x) * s.select(0.5 * (e + e / (e + 1)), 0.5 * half * half, a < 20)


def _cosh(x: Expr) -> Expr:
    half = s.exp(0.5 * s.absolute(x))
    return 0.5 * half * half + 0.5 / half / half


_LN_2 = 0.6931471805599453
_LARGE = 1e9
"""Above this, x^2 + 1 equals x^2, which may overflow."""


def _asinh(x: Expr) -> Expr:
    a = s.absolute(x)
    squared = s.square(a)
    small = s.log1p(a + squared / (1 + s.sqrt(squared + 1)))
    return s.signum(x) * s.select(small, s.log(a) + _LN_2, a < _LARGE)


def _acosh(x: Expr) -> Expr:
    above = x - 1
    small = s.log1p(above + s.sqrt(above) * s.sqrt(above + 2))
    return s.select(s.log(x) + _LN_2, small, x > _LARGE)


def _atanh(x: Expr) -> Expr:
    a = s.absolute(x)
    return s.signum(x) * (0.5 * s.log1p(2 * a / (1 - a)))


def _is_inf(x: Expr, *, detect_negative: bool, detect_positive: bool) -> Expr:
    if detect_negative and detect_positive:
        return s.is_inf(x)
    if not detect_negative and not detect_positive:
        return s.both(s.is_inf(x), s.is_nan(x))  # nowhere
    return s.both(s.is_inf(x), x > 0 if detect_positive else x < 0)


def _of(derivative: Callable[[Expr], Expr]) -> Callable[[int, Sequence[Expr], Expr], Expr]:
    """`derivative`, a function of the one input, in the form of `Row.partial`."""
    return lambda _i, xs, _y: derivative(xs[0])


def _softplus(x: Expr) -> Expr:
    return s.maximum(0, x) + s.log1p(s.exp(-s.absolute(x)))


def _gelu(x: Expr) -> Expr:
    return 0.5 * x * (1 + s.erf(_SQRT_HALF * x))


def _tanh_gelu(x: Expr) -> Expr:
    return 0.5 * x * (1 + s.tanh(_GELU * (x + 0.044715 * (x * s.square(x)))))


def _sign(x: Expr) -> Expr:
    return s.select(x, s.signum(x), s.not_equal(x, x))  # NaN stays


def _shift(x: Expr, y: Expr, *, direction: str) -> Expr:
    if direction == "LEFT":
        return s.shiftLeft(x, y)
    # Of a negative number the complement is shifted, which fills with ones; -1 if all go out.
    return s.select(s.bitwiseNot(s.shiftRight(s.bitwiseNot(x), y)), s.shiftRight(x, y), x < 0)


def _remainder(x: Expr, y: Expr) -> Expr:
    rest = s.rem(x, y)
    is_opposite = s.both(s.not_equal(rest, 0), s.not_equal(rest < 0, y < 0))
    return s.select(rest + y, rest, is_opposite)


def _popart(
    type: str,
    expression: Callable[..., Expr],
    vertices: tuple[str, str] = ("expression", "expression"),
) -> Row:
    return Row(type, (1,), expression, domain="ai.graphcore", vertices=vertices)


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
    Row("Asin", (7, 22), lambda x: s.asin(x)),
    Row("Acos", (7, 22), _acos, partial=_of(lambda x: -s.rsqrt(1 - s.square(x)))),
    Row("Atan", (7, 22), lambda x: s.atan2(x, 1.0), partial=_of(lambda x: s.inv(1 + s.square(x)))),
    Row("Sinh", (9, 22), _sinh, partial=_of(_cosh)),
    Row("Cosh", (9, 22), _cosh, partial=_of(_sinh)),
    Row("Asinh", (9, 22), _asinh, partial=_of(lambda x: s.rsqrt(s.square(x) + 1))),
    Row("Acosh", (9, 22), _acosh, partial=_of(lambda x: s.rsqrt((x - 1) * (x + 1)))),
    Row("Atanh", (9, 22), _atanh, partial=_of(lambda x: s.inv(1 - s.square(x)))),
    Row("Round", (11, 22), lambda x: s.nearby_int(x)),
    Row("IsNaN", (9, 13, 20), lambda x: s.is_nan(x), out=_BOOL),
    Row("IsInf", (10, 20), _is_inf, out=_BOOL, kind=bool),
    Row("Erf", (9, 13), lambda x: s.erf(x)),
    # activations
    Row(
        "Relu",
        (6, 13, 14),
        lambda x: s.maximum(0, x),
        lambda y: s.select(1, 0, y > 0),
        vertices=("expression", "reluGrad"),
    ),
    Row("Tanh", (6, 13), lambda x: s.tanh(x), vertices=("expression", "tanhGrad")),
    Row("Sigmoid", (6, 13), lambda x: s.sigmoid(x), vertices=("expression", "sigmoidGrad")),
    Row("Softplus", (1, 22), _softplus, lambda y: 1 - s.exp(-y)),
    Row(
        "Softsign",
        (1, 22),
        lambda x: x / (1 + s.absolute(x)),
        lambda y: s.square(1 - s.absolute(y)),
    ),
    Row("LeakyRelu", (1, 6, 16), lambda x, *, alpha: s.select(alpha * x, x, x < 0)),
    Row(
        "Celu",
        (12, 28),
        lambda x, *, alpha: s.select(x, alpha * s.expm1(x / alpha), x > 0),
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
        lambda x, *, approximate: _tanh_gelu(x) if approximate == "tanh" else _gelu(x),
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
    Row("Xor", (1, 7), lambda x, y: s.not_equal(x, y), out=_BOOL),
    Row("Not", (1,), lambda x: s.logicalNot(x), out=_BOOL),
    Row("BitwiseAnd", (18,), lambda x, y: s.bitwiseAnd(x, y)),
    Row("BitwiseOr", (18,), lambda x, y: s.bitwiseOr(x, y)),
    Row("BitwiseXor", (18,), lambda x, y: s.bitwiseXor(x, y)),
    Row("BitwiseNot", (18,), lambda x: s.bitwiseNot(x)),
    Row("BitShift", (11, 28), _shift, kind=str, choices=("LEFT", "RIGHT")),
    Row("Where", (9, 16), lambda c, x, y: s.select(x, y, c)),
    # PopART's own
    _popart("Log1p", lambda x: s.log1p(x)),
    _popart("Expm1", lambda x: s.expm1(x)),
    _popart("Scale", lambda x, *, scale: scale * x),
    _popart("Swish", lambda x: x * s.sigmoid(x), vertices=("swish", "swishGrad")),
    _popart("Gelu", _tanh_gelu, vertices=("gelu", "geluGrad")),
    _popart("GeluErf", _gelu, vertices=("expression", "geluErfGrad")),
    _popart("Round", lambda x: s.round(x)),
    _popart("NearbyInt", lambda x: s.nearby_int(x)),
    _popart("Atan2", lambda y, x: s.atan2(y, x)),
    _popart("Fmod", lambda x, y: s.rem(x, y)),
    _popart("Remainder", _remainder),
    _popart("BitwiseAnd", lambda x, y: s.bitwiseAnd(x, y)),
    _popart("BitwiseOr", lambda x, y: s.bitwiseOr(x, y)),
    _popart("BitwiseXor", lambda x, y: s.bitwiseXor(x, y)),
    _popart("BitwiseXnor", lambda x, y: s.bitwiseXnor(x, y)),
    _popart("BitwiseNot", lambda x: s.bitwiseNot(x)),
]
