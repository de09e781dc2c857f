"""Derivatives of expression trees against finite differences, and their simplification."""

import inspect
import math
from collections.abc import Callable

import pytest

from popir.ops.support import symbolic as s

_VALUES: dict[str, Callable[..., float]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Divide": lambda a, b: a / b,
    "Pow": lambda a, b: a**b,
    "Max": max,
    "Min": min,
    "Select": lambda a, b, c: a if c else b,
    "Neg": lambda a: -a,
    "Abs": abs,
    "Exp": math.exp,
    "Exp2": lambda a: 2**a,
    "Cbrt": lambda a: math.copysign(abs(a) ** (1 / 3), a),
    "Expm1": math.expm1,
    "Log": math.log,
    "Log1p": math.log1p,
    "Sqrt": math.sqrt,
    "Rsqrt": lambda a: 1 / math.sqrt(a),
    "Square": lambda a: a * a,
    "Inv": lambda a: 1 / a,
    "Erf": math.erf,
    "Sin": math.sin,
    "Cos": math.cos,
    "Tan": math.tan,
    "Asin": math.asin,
    "Atan2": math.atan2,
    "FloorDivide": lambda a, b: a // b,
    "Rem": math.fmod,
    "Tanh": math.tanh,
    "Sigmoid": lambda a: 1 / (1 + math.exp(-a)),
    "Signum": lambda a: math.copysign(1, a),
    "Floor": math.floor,
    "Ceil": math.ceil,
    "Round": round,
    "NearbyInt": round,
    "Trunc": math.trunc,
    "Equal": lambda a, b: a == b,
    "NotEqual": lambda a, b: a != b,
    "IsFinite": math.isfinite,
    "IsInf": math.isinf,
    "IsNaN": math.isnan,
    "Lt": lambda a, b: a < b,
    "Lte": lambda a, b: a <= b,
    "Gt": lambda a, b: a > b,
    "Gte": lambda a, b: a >= b,
}


def value(e: s.Expr, *args: float) -> float:
    if isinstance(e, s.Arg):
        return args[e.index]
    if isinstance(e, s.Const):
        return e.value
    assert isinstance(e, s.Call)
    if e.name == "Select":
        return value(e.args[0 if value(e.args[2], *args) else 1], *args)
    return _VALUES[e.name](*(value(a, *args) for a in e.args))


def slope(e: s.Expr, index: int, args: list[float], h: float = 1e-6) -> float:
    low, high = list(args), list(args)
    low[index] -= h
    high[index] += h
    return (value(e, *high) - value(e, *low)) / (2 * h)


@pytest.mark.parametrize("name", sorted({*s.DERIVATIVES, "Max", "Min"}))
def test_every_function_against_finite_differences(name: str) -> None:
    n = len(inspect.signature({**s.PIECES, **s.DERIVATIVES}[name]).parameters)
    args = [0.37, 0.81][:n]
    e = s.function(name)(*(s.Arg(i) for i in range(n)))
    for i in range(n):
        assert value(s.derivative(e, i), *args) == pytest.approx(slope(e, i, args), abs=1e-8)


def test_chain_rule_and_shared_operand() -> None:
    x, y = s.Arg(0), s.Arg(1)
    e = s.select(s.exp(x * y) * x, s.tanh(y) / x, x > 0.5) - x
    for args in ([0.2, 0.3], [0.9, -0.4]):
        for i in (0, 1):
            assert value(s.derivative(e, i), *args) == pytest.approx(slope(e, i, args), abs=1e-7)


def test_simplification() -> None:
    x, y = s.Arg(0), s.Arg(1)
    assert s.derivative(x + y, 0) == s.ONE
    assert s.derivative(x - y, 1) == s.Const(-1)
    assert s.derivative(x * y, 0) == y
    assert s.derivative(s.exp(x), 1) == s.ZERO
    relu = s.maximum(0, x)
    assert str(s.mul(y, s.derivative(relu, 0))) == "Select(0, _2, Gte(0, _1))"


def test_forward_output_is_found_in_the_derivative() -> None:
    x, out = s.Arg(0), s.Arg(7)
    assert str(s.substitute(s.derivative(s.tanh(x), 0), s.tanh(x), out)) == "Sub(1, Square(_8))"


def test_a_function_without_a_derivative_is_named() -> None:
    with pytest.raises(KeyError, match="Not"):
        s.derivative(s.logicalNot(s.Arg(0)), 0)


def test_an_expression_led_by_one_of_its_operands() -> None:
    e = s.Arg(0) - s.Arg(1) * s.Arg(2)
    assert e.led_by(0, 3) is e
    assert e.led_by(1, 3) == s.Arg(1) - s.Arg(0) * s.Arg(2)
    assert e.led_by(2, 3) == s.Arg(1) - s.Arg(2) * s.Arg(0)
    assert e.led_by(2, 3) is e.led_by(2, 3)
    assert e.led_by(2, 4) == e.led_by(2, 3)
