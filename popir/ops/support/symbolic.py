"""Element-wise expressions as small immutable trees.

They are written with Python's operators, differentiated by `derivative`, and converted by
`to_device` to a `popops.expr` tree, which the device evaluates in one pass. The functions have the
names of `popops.expr`. Each operator of the table in `elementwise/table.py` is one such expression
of its inputs.

Example: `Arg(0) * sigmoid(Arg(0))` is the operator Swish; `derivative(that, 0)` is its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from popir.cached import cached_property
from popir.popops import expr as pe

Number = int | float | bool
Like = Union["Expr", Number]


class Expr:
    """A node of an expression. Arithmetic and comparison operators build larger trees."""

    @cached_property
    def on_device(self) -> Any:
        """The `popops.expr` tree over the operands as they are. It is made once: all operators of a
        row of `elementwise/table.py` have the same expression.
        """
        return to_device(self)

    def led_by(self, i: int, count: int) -> Expr:
        """The expression over the same `count` operands, of which operand `i` comes first, as
        popops.mapInPlace takes them. It is made once, as `on_device` is.
        """
        if i == 0:
            return self
        if (i, count) not in self._led:
            order = [i, *(k for k in range(count) if k != i)]
            self._led[i, count] = renumber(self, {old: new for new, old in enumerate(order)})
        return self._led[i, count]

    @cached_property
    def _led(self) -> dict[tuple[int, int], Expr]:
        return {}

    def __add__(self, other: Like) -> Expr:
        return add(self, other)

    def __radd__(self, other: Like) -> Expr:
        return add(other, self)

    def __sub__(self, other: Like) -> Expr:
        return sub(self, other)

    def __rsub__(self, other: Like) -> Expr:
        return sub(other, self)

    def __mul__(self, other: Like) -> Expr:
        return mul(self, other)

    def __rmul__(self, other: Like) -> Expr:
        return mul(other, self)

    def __truediv__(self, other: Like) -> Expr:
        return divide(self, other)

    def __rtruediv__(self, other: Like) -> Expr:
        return divide(other, self)

    def __neg__(self) -> Expr:
        return neg(self)

    def __lt__(self, other: Like) -> Expr:
        return Call("Lt", (self, lift(other)))

    def __le__(self, other: Like) -> Expr:
        return Call("Lte", (self, lift(other)))

    def __gt__(self, other: Like) -> Expr:
        return Call("Gt", (self, lift(other)))

    def __ge__(self, other: Like) -> Expr:
        return Call("Gte", (self, lift(other)))


@dataclass(frozen=True)
class Arg(Expr):
    """The operand at `index`, counted from 0."""

    index: int

    def __str__(self) -> str:
        return f"_{self.index + 1}"


@dataclass(frozen=True)
class Const(Expr):
    """A constant. It takes the element type of the operands it meets."""

    value: Number

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Parameter(Const):
    """A constant from an operator's attribute. A product with a Parameter of 0 is not simplified to
    0, since x may be NaN.
    """

    __str__ = Const.__str__


@dataclass(frozen=True)
class Call(Expr):
    """The function `name` of `popops.expr`, applied to `args`."""

    name: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


ZERO, ONE = Const(0), Const(1)


def lift(x: Like) -> Expr:
    """`x` as an expression: a number becomes a Const."""
    return x if isinstance(x, Expr) else Const(x)


def _is_number(e: Expr, value: Number) -> bool:
    if not isinstance(e, Const) or (isinstance(e, Parameter) and value == 0):
        return False
    return not isinstance(e.value, bool) and e.value == value


def add(a: Like, b: Like) -> Expr:
    """a + b; a constant 0 is dropped."""
    a, b = lift(a), lift(b)
    if _is_number(a, 0):
        return b
    return a if _is_number(b, 0) else Call("Add", (a, b))


def sub(a: Like, b: Like) -> Expr:
    """a - b; a constant 0 is dropped."""
    a, b = lift(a), lift(b)
    if _is_number(b, 0):
        return a
    return neg(b) if _is_number(a, 0) else Call("Sub", (a, b))


def mul(a: Like, b: Like) -> Expr:
    """a * b; constants 0, 1 and -1 are simplified, and a factor select(b, 0, c) becomes a
    selection.
    """
    a, b = lift(a), lift(b)
    for x, y in ((a, b), (b, a)):
        if _is_number(x, 0):
            return ZERO
        if _is_number(x, 1):
            return y
        if _is_number(x, -1):
            return neg(y)
        if isinstance(x, Call) and x.name == "Select" and ZERO in x.args[:2]:
            return select(mul(y, x.args[0]), mul(y, x.args[1]), x.args[2])
    return Call("Mul", (a, b))


def divide(a: Like, b: Like) -> Expr:
    """a / b; simplified to 0 if a is the constant 0, even where b is 0."""
    a, b = lift(a), lift(b)
    if _is_number(a, 0):
        return ZERO
    return a if _is_number(b, 1) else Call("Divide", (a, b))


def neg(a: Like) -> Expr:
    """-a; a constant is negated, and a double negation removed."""
    a = lift(a)
    if isinstance(a, Const):
        return type(a)(-a.value)
    return a.args[0] if isinstance(a, Call) and a.name == "Neg" else Call("Neg", (a,))


def select(a: Like, b: Like, condition: Expr) -> Expr:
    """`a` where `condition` is true, else `b`."""
    a, b = lift(a), lift(b)
    return a if a == b else Call("Select", (a, b, condition))


def folded(f: Callable[[Expr, Expr], Expr], xs: Sequence[Expr]) -> Expr:
    """`f` over any number of operands, as a balanced tree: 1000 operands give depth 10."""
    middle = (len(xs) + 1) // 2
    return xs[0] if len(xs) == 1 else f(folded(f, xs[:middle]), folded(f, xs[middle:]))


def function(name: str) -> Callable[..., Expr]:
    """A constructor of calls to the function `name`."""
    return lambda *args: Call(name, tuple(lift(a) for a in args))


exp, expm1, log, log1p = map(function, ("Exp", "Expm1", "Log", "Log1p"))
sqrt, rsqrt, square, inv = map(function, ("Sqrt", "Rsqrt", "Square", "Inv"))
absolute, signum, erf = map(function, ("Abs", "Signum", "Erf"))
sin, cos, tan, tanh, sigmoid = map(function, ("Sin", "Cos", "Tan", "Tanh", "Sigmoid"))
asin = function("Asin")
maximum, minimum, power = map(function, ("Max", "Min", "Pow"))
equal, not_equal, logicalNot = map(function, ("Equal", "NotEqual", "Not"))
both, either = function("And"), function("Or")
is_inf, is_nan = function("IsInf"), function("IsNaN")
floor, ceil, round, nearby_int, trunc = map(
    function, ("Floor", "Ceil", "Round", "NearbyInt", "Trunc")
)
atan2, rem = function("Atan2"), function("Rem")
bitwiseAnd, bitwiseOr, bitwiseNot = map(function, ("BitwiseAnd", "BitwiseOr", "BitwiseNot"))
bitwiseXor, bitwiseXnor = function("BitwiseXor"), function("BitwiseXnor")
shiftLeft, shiftRight = function("Shl"), function("Shr")

_TWO_OVER_SQRT_PI = 1.1283791670955126


def _over_squares(a: Expr, y: Expr, x: Expr) -> Expr:
    """a / (y^2 + x^2), and 0 at the origin, as in PyTorch."""
    squares = square(y) + square(x)
    return select(ZERO, a / squares, equal(squares, 0))


# Functions that return one of their first two arguments, with the condition for the first.
PIECES: dict[str, Callable[..., Expr]] = {
    "Select": lambda a, b, condition: condition,
    "Max": lambda a, b: a >= b,
    "Min": lambda a, b: a <= b,
}

# The partial derivatives of all other functions, one for each argument.
DERIVATIVES: dict[str, Callable[..., tuple[Expr, ...]]] = {
    "Add": lambda a, b: (ONE, ONE),
    "Sub": lambda a, b: (ONE, Const(-1)),
    "Mul": lambda a, b: (b, a),
    # -(a / b) / b reuses the quotient, and avoids b * b, which may overflow or underflow.
    "Divide": lambda a, b: (divide(1.0, b), -((a / b) / b)),
    # The first is 0 for b = 0, even at a = 0. The second is log(0) * 0 at a = 0; it is defined as
    # 0, the limit from above for b > 0. For a < 0 it does not exist, and is defined as 0, too.
    "Pow": lambda a, b: (
        select(ZERO, b * power(a, b - 1), equal(b, 0)),
        select(power(a, b) * log(a), ZERO, a > 0),
    ),
    "Neg": lambda a: (Const(-1),),
    "Abs": lambda a: (signum(a),),
    "Exp": lambda a: (exp(a),),
    "Exp2": lambda a: (math.log(2) * function("Exp2")(a),),
    "Expm1": lambda a: (exp(a),),
    "Log": lambda a: (divide(1.0, a),),
    "Log1p": lambda a: (divide(1.0, a + 1),),
    "Sqrt": lambda a: (divide(0.5, sqrt(a)),),
    "Rsqrt": lambda a: (-0.5 * (rsqrt(a) / a),),
    "Cbrt": lambda a: (divide(1.0, 3 * square(function("Cbrt")(a))),),
    "Square": lambda a: (2 * a,),
    "Inv": lambda a: (-square(inv(a)),),
    "Erf": lambda a: (_TWO_OVER_SQRT_PI * exp(-square(a)),),
    "Sin": lambda a: (cos(a),),
    "Cos": lambda a: (-sin(a),),
    "Tan": lambda a: (1 + square(tan(a)),),
    "Asin": lambda a: (rsqrt(1 - square(a)),),
    "Tanh": lambda a: (1 - square(tanh(a)),),
    "Sigmoid": lambda a: (sigmoid(a) * (1 - sigmoid(a)),),
    "Atan2": lambda y, x: (_over_squares(x, y, x), -_over_squares(y, y, x)),
    "Rem": lambda a, b: (ONE, -trunc(a / b)),
    **dict.fromkeys(
        ("Gt", "Gte", "Lt", "Lte", "Equal", "NotEqual", "FloorDivide"), lambda a, b: (ZERO, ZERO)
    ),
    **dict.fromkeys(("Signum", "Floor", "Ceil", "Round", "NearbyInt", "Trunc"), lambda a: (ZERO,)),
    **dict.fromkeys(("IsNaN", "IsInf", "IsFinite"), lambda a: (ZERO,)),
}


def derivative(e: Expr, index: int) -> Expr:
    """The partial derivative of `e` with respect to operand `index`.

    Raises KeyError, naming the function, if the operand is an argument of a function without a
    derivative.
    """
    if isinstance(e, Arg):
        return ONE if e.index == index else ZERO
    if not isinstance(e, Call):
        return ZERO
    is_pieces = e.name in PIECES  # A condition has no derivative.
    inner = [derivative(argument, index) for argument in (e.args[:2] if is_pieces else e.args)]
    if all(each == ZERO for each in inner):
        return ZERO
    if is_pieces:
        return select(inner[0], inner[1], PIECES[e.name](*e.args))
    total: Expr = ZERO
    for each, partial in zip(inner, DERIVATIVES[e.name](*e.args), strict=True):
        total = add(total, mul(partial, each))
    return total


def operands(e: Expr) -> set[int]:
    """The indices of the operands that `e` reads."""
    if isinstance(e, Arg):
        return {e.index}
    return set().union(*map(operands, e.args)) if isinstance(e, Call) else set()


def numbers(e: Expr) -> set[Number]:
    """The values of all constants in `e`."""
    if isinstance(e, Const):
        return {e.value}
    return set().union(*map(numbers, e.args)) if isinstance(e, Call) else set()


def functions(e: Expr) -> set[str]:
    """The names of the functions that `e` calls."""
    return {e.name}.union(*map(functions, e.args)) if isinstance(e, Call) else set()


def substitute(e: Expr, old: Expr, new: Expr) -> Expr:
    """`e` with every subtree equal to `old` replaced by `new`."""
    if e == old:
        return new
    if not isinstance(e, Call):
        return e
    return Call(e.name, tuple(substitute(a, old, new) for a in e.args))


def renumber(e: Expr, indices: dict[int, int]) -> Expr:
    """`e` with each operand i replaced by operand indices[i]."""
    if isinstance(e, Arg):
        return Arg(indices[e.index])
    return Call(e.name, tuple(renumber(a, indices) for a in e.args)) if isinstance(e, Call) else e


def to_device(e: Expr, operands: Mapping[int, Any] | None = None) -> Any:
    """`e` as a `popops.expr` tree. `operands` gives trees that replace some of the operands."""
    if isinstance(e, Arg):
        if operands is not None and e.index in operands:
            return operands[e.index]
        return pe.PlaceHolder(e.index + 1)
    if isinstance(e, Const):
        return pe.Const(e.value)
    assert isinstance(e, Call)
    return getattr(pe, e.name)(*(to_device(a, operands) for a in e.args))
