"""The operands of `codelet_expression_op`: a Python function of them gives an expression.

Operators, `abs` and functions of numpy work on them (`x * 2`, `np.exp(x)`, `np.where(x > 0, x,
y)`), and so do the functions of this module, which have numpy's names. An expression can be written
as text, which `parsed` reads: "in0 * in0 + exp(in1)".

Types are numpy's where they matter: `/` is a division of real numbers, `//` and `%` round down, and
comparisons are true or false. A number has no type of its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Union

import numpy as np

from popir.errors import OperatorAttributeError, did_you_mean
from popir.ops.support.symbolic import Arg, Call, Const, Expr

Number = int | float | bool
Like = Union["Expression", Number]

MOST_NODES = 10_000
MOST_LEVELS = 200
_LONGEST = 200_000
"""The most characters of a text."""


class Expression:
    """An operand, or what is computed from operands."""

    __slots__ = ("levels", "nodes", "tree")
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, tree: Expr, nodes: int = 1, levels: int = 1) -> None:
        """`nodes` and `levels` are those of the tree. Raises OverflowError if they are too many."""
        if nodes > MOST_NODES or levels > MOST_LEVELS:
            raise OverflowError(
                f"An expression has at most {MOST_NODES} nodes and {MOST_LEVELS} levels; what is "
                "used twice counts twice. Make several operators of it."
            )
        self.tree = tree
        self.nodes = nodes
        self.levels = levels

    def __repr__(self) -> str:
        return text(self.tree)

    def __bool__(self) -> bool:
        raise TypeError(
            f"The truth of {self!r} is not known when the function is called: it is one for each "
            "element. Use where(condition, x, y) in place of `if`, and & | ~ in place of `and`, "
            "`or` and `not`."
        )

    def __add__(self, other: Like) -> Expression:
        return _call("Add", self, other)

    def __radd__(self, other: Like) -> Expression:
        return _call("Add", other, self)

    def __sub__(self, other: Like) -> Expression:
        return _call("Sub", self, other)

    def __rsub__(self, other: Like) -> Expression:
        return _call("Sub", other, self)

    def __mul__(self, other: Like) -> Expression:
        return _call("Mul", self, other)

    def __rmul__(self, other: Like) -> Expression:
        return _call("Mul", other, self)

    def __truediv__(self, other: Like) -> Expression:
        return _call("Divide", self, other)

    def __rtruediv__(self, other: Like) -> Expression:
        return _call("Divide", other, self)

    def __floordiv__(self, other: Like) -> Expression:
        return _call("FloorDivide", self, other)

    def __rfloordiv__(self, other: Like) -> Expression:
        return _call("FloorDivide", other, self)

    def __mod__(self, other: Like) -> Expression:
        return mod(self, other)

    def __rmod__(self, other: Like) -> Expression:
        return mod(other, self)

    def __pow__(self, other: Like) -> Expression:
        return power(self, other)

    def __rpow__(self, other: Like) -> Expression:
        return power(other, self)

    def __neg__(self) -> Expression:
        if isinstance(self.tree, Const):
            return Expression(Const(-self.tree.value))
        return _call("Neg", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _call("Abs", self)

    def __invert__(self) -> Expression:
        return _call("BitwiseNot", self)

    def __and__(self, other: Like) -> Expression:
        return _call("BitwiseAnd", self, other)

    def __rand__(self, other: Like) -> Expression:
        return _call("BitwiseAnd", other, self)

    def __or__(self, other: Like) -> Expression:
        return _call("BitwiseOr", self, other)

    def __ror__(self, other: Like) -> Expression:
        return _call("BitwiseOr", other, self)

    def __xor__(self, other: Like) -> Expression:
        return _call("BitwiseXor", self, other)

    def __rxor__(self, other: Like) -> Expression:
        return _call("BitwiseXor", other, self)

    def __lshift__(self, other: Like) -> Expression:
        return _call("Shl", self, other)

    def __rlshift__(self, other: Like) -> Expression:
        return _call("Shl", other, self)

    def __rshift__(self, other: Like) -> Expression:
        return _call("ShrSE", self, other)

    def __rrshift__(self, other: Like) -> Expression:
        return _call("ShrSE", other, self)

    def __lt__(self, other: Like) -> Expression:
        return _call("Lt", self, other)

    def __le__(self, other: Like) -> Expression:
        return _call("Lte", self, other)

    def __gt__(self, other: Like) -> Expression:
        return _call("Gt", self, other)

    def __ge__(self, other: Like) -> Expression:
        return _call("Gte", self, other)

    def __eq__(self, other: Any) -> Any:
        return _call("Equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return _call("NotEqual", self, other)

    def __round__(self, ndigits: int | None = None) -> Expression:
        if ndigits:
            raise TypeError("An expression is rounded to whole numbers: round(x), without digits.")
        return rint(self)

    def __int__(self) -> int:
        raise TypeError(f"{self!r} is no number yet, so int() has none. Use trunc(x).")

    def __float__(self) -> float:
        raise TypeError(
            f"{self!r} is no number yet, so float() has none, nor have functions of math; those of "
            "numpy take it."
        )

    def __index__(self) -> int:
        raise TypeError(f"{self!r} is no number yet, so it is no index.")

    def __floor__(self) -> Expression:
        return floor(self)

    def __ceil__(self) -> Expression:
        return ceil(self)

    def __trunc__(self) -> Expression:
        return trunc(self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **kwargs: Any) -> Any:
        """A function of numpy that is applied to expressions."""
        found = _UFUNCS.get(ufunc.__name__)
        if method != "__call__":
            raise TypeError(
                f"numpy.{ufunc.__name__}.{method} is not of single elements, which expressions are."
            )
        return _of_numpy(ufunc.__name__, found, given, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """numpy.where and numpy.clip; others are not of single elements."""
        found = {"where": where, "clip": clip}.get(func.__name__)
        return _of_numpy(func.__name__, found, args, kwargs)


def _lifted(x: Any) -> Expression:
    if isinstance(x, Expression):
        return x
    if isinstance(x, (np.generic, np.ndarray)) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (bool, int, float)):
        return constant(x)
    raise TypeError(
        f"An operand of an expression is an expression or a number; given was "
        f"{type(x).__name__} {x!r:.50}."
    )


def _call(name: str, *given: Any) -> Expression:
    args = [_lifted(each) for each in given]
    nodes, levels = 1 + sum(a.nodes for a in args), 1 + max(a.levels for a in args)
    return Expression(Call(name, tuple(a.tree for a in args)), nodes, levels)


def operand(i: int) -> Expression:
    """The operand of that number, which is `in<i>` in texts."""
    return Expression(Arg(i))


def constant(value: Number) -> Expression:
    """A number as an expression. Raises TypeError for anything but a bool, int or float, and for an
    int of more than 64 bits.
    """
    given: object = value
    if not isinstance(given, (bool, int, float)):
        raise TypeError(f"constant() takes a number; given was {type(given).__name__} {given!r}.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise TypeError(f"The integer {value!r:.40} of an expression has more than 64 bits.")
    return Expression(Const(value))


def _unary(name: str) -> Callable[[Like], Expression]:
    return lambda x: _call(name, x)


def _binary(name: str) -> Callable[[Like, Like], Expression]:
    return lambda x, y: _call(name, x, y)


exp, exp2, expm1 = map(_unary, ("Exp", "Exp2", "Expm1"))
log, log1p = map(_unary, ("Log", "Log1p"))
sqrt, rsqrt, cbrt, square = map(_unary, ("Sqrt", "Rsqrt", "Cbrt", "Square"))
sin, cos, tan, arcsin = map(_unary, ("Sin", "Cos", "Tan", "Asin"))
tanh, sigmoid, erf = map(_unary, ("Tanh", "Sigmoid", "Erf"))
absolute, sign = map(_unary, ("Abs", "Signum"))
floor, ceil, rint, trunc = map(_unary, ("Floor", "Ceil", "NearbyInt", "Trunc"))
isnan, isinf, isfinite = map(_unary, ("IsNaN", "IsInf", "IsFinite"))
logical_not = _unary("Not")
logical_and, logical_or = map(_binary, ("And", "Or"))
maximum, minimum, fmod, arctan2 = map(_binary, ("Max", "Min", "Rem", "Atan2"))


def where(condition: Like, x: Like, y: Like) -> Expression:
    """`x` where the condition holds, else `y`. Both are computed everywhere."""
    return _call("Select", x, y, condition)


def power(x: Like, y: Like) -> Expression:
    """x ** y; the exponents 2, 0.5 and -1 are a square, a root and a quotient."""
    base = _lifted(x)
    if isinstance(y, (int, float)) and not isinstance(y, bool):
        if y == 2:
            return square(base)
        if y == 0.5:
            return sqrt(base)
        if y == -1:
            return reciprocal(base)
    return _call("Pow", base, y)


def mod(x: Like, y: Like) -> Expression:
    """x % y, with the sign of `y`."""
    rest = fmod(x, y)
    return where(logical_and(rest != 0, (rest < 0) != (_lifted(y) < 0)), rest + y, rest)


def logical_xor(x: Like, y: Like) -> Expression:
    """Whether one of the two holds alone."""
    return logical_not(x) != logical_not(y)


def reciprocal(x: Like) -> Expression:
    """1 / x."""
    return 1.0 / _lifted(x)


def relu(x: Like) -> Expression:
    """x where it is positive, else 0."""
    return maximum(x, 0)


def clip(x: Like, lower: Like, upper: Like) -> Expression:
    """x between two bounds."""
    return minimum(maximum(x, lower), upper)


def log2(x: Like) -> Expression:
    """The logarithm to the base of 2."""
    return log(x) * (1 / math.log(2))


def log10(x: Like) -> Expression:
    """The logarithm to the base of 10."""
    return log(x) * (1 / math.log(10))


def sinh(x: Like) -> Expression:
    """The hyperbolic sine of x."""
    given = _lifted(x)
    near = 0.5 * (expm1(given) - expm1(-given))
    far = exp(abs(given) - math.log(2))  # Finite where exp(x) is not.
    return where(abs(given) < 20, near, sign(given) * far)


def cosh(x: Like) -> Expression:
    """The hyperbolic cosine of x."""
    given = _lifted(x)
    half = exp(abs(given) - math.log(2))
    return half + 0.25 / half


def arccos(x: Like) -> Expression:
    """The arc cosine, in [0, pi]."""
    return math.pi / 2 - arcsin(x)


def arctan(x: Like) -> Expression:
    """The arc tangent, in [-pi/2, pi/2]."""
    return arctan2(x, 1.0)


def arcsinh(x: Like) -> Expression:
    """The inverse of sinh."""

    def positive(t: Expression) -> Expression:
        near = log1p(t + square(t) / (1 + sqrt(square(t) + 1)))
        return where(t < 1e9, near, log(t) + math.log(2))

    given = _lifted(x)
    return where(given < 0, -positive(-given), positive(given))


def arccosh(x: Like) -> Expression:
    """The inverse of cosh, from 1 on."""
    t = _lifted(x) - 1
    return where(abs(t) < 1e9, log1p(t + sqrt(t * (t + 2))), log(x) + math.log(2))


def arctanh(x: Like) -> Expression:
    """The inverse of tanh."""
    return 0.5 * (log1p(x) - log1p(-_lifted(x)))


_NAMES = {
    "Abs": "abs",
    "Exp": "exp",
    "Exp2": "exp2",
    "Expm1": "expm1",
    "Log": "log",
    "Log1p": "log1p",
    "Sqrt": "sqrt",
    "Rsqrt": "rsqrt",
    "Cbrt": "cbrt",
    "Square": "square",
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "arcsin",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Erf": "erf",
    "Signum": "sign",
    "Floor": "floor",
    "Ceil": "ceil",
    "NearbyInt": "rint",
    "Trunc": "trunc",
    "IsNaN": "isnan",
    "IsInf": "isinf",
    "IsFinite": "isfinite",
    "Not": "logical_not",
    "And": "logical_and",
    "Or": "logical_or",
    "Max": "maximum",
    "Min": "minimum",
    "Rem": "fmod",
    "Atan2": "arctan2",
}
"""The functions of expressions, and their names in texts."""
_INFIX = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Divide": "/",
    "FloorDivide": "//",
    "Pow": "**",
    "Lt": "<",
    "Lte": "<=",
    "Gt": ">",
    "Gte": ">=",
    "Equal": "==",
    "NotEqual": "!=",
    "BitwiseAnd": "&",
    "BitwiseOr": "|",
    "BitwiseXor": "^",
    "Shl": "<<",
    "ShrSE": ">>",
}
_PREFIX = {"Neg": "-", "BitwiseNot": "~"}
FUNCTIONS: Mapping[str, Callable[..., Expression]] = {
    **{
        name: _unary(each)
        if each not in ("And", "Or", "Max", "Min", "Rem", "Atan2")
        else _binary(each)
        for each, name in _NAMES.items()
    },
    "where": where,
    "power": power,
    "mod": mod,
    "reciprocal": reciprocal,
    "relu": relu,
    "clip": clip,
    "log2": log2,
    "log10": log10,
    "sinh": sinh,
    "cosh": cosh,
    "arccos": arccos,
    "arctan": arctan,
    "arcsinh": arcsinh,
    "arccosh": arccosh,
    "arctanh": arctanh,
    "logical_xor": logical_xor,
}
"""The functions that texts may call."""
_UFUNCS: Mapping[str, Callable[..., Any]] = {
    **FUNCTIONS,
    "absolute": absolute,
    "fabs": absolute,
    "remainder": mod,
    "add": _binary("Add"),
    "subtract": _binary("Sub"),
    "multiply": _binary("Mul"),
    "divide": _binary("Divide"),
    "true_divide": _binary("Divide"),
    "floor_divide": _binary("FloorDivide"),
    "positive": lambda x: +_lifted(x),
    "negative": lambda x: -_lifted(x),
    "invert": _unary("BitwiseNot"),
    "bitwise_and": _binary("BitwiseAnd"),
    "bitwise_or": _binary("BitwiseOr"),
    "bitwise_xor": _binary("BitwiseXor"),
    "left_shift": _binary("Shl"),
    "right_shift": _binary("ShrSE"),
    "less": _binary("Lt"),
    "less_equal": _binary("Lte"),
    "greater": _binary("Gt"),
    "greater_equal": _binary("Gte"),
    "equal": _binary("Equal"),
    "not_equal": _binary("NotEqual"),
}
"""What functions of numpy become, by their names."""


def _known() -> str:
    return f"The functions of expressions are {', '.join(sorted(FUNCTIONS))}."


def _of_numpy(
    name: str,
    form: Callable[..., Any] | None,
    args: Sequence[Any],
    options: Mapping[str, Any],
) -> Any:
    """A function of numpy on expressions. Raises TypeError if there is no form of it, and for
    options.
    """
    if form is None:
        raise TypeError(f"numpy.{name} has no form for expressions. {_known()}")
    if options:
        given = ", ".join(f"{each}=" for each in options)
        raise TypeError(f"numpy.{name} of expressions takes no options; given was {given}.")
    return form(*args)


def text(e: Expr) -> str:
    """The text of a tree, which `parsed` reads."""
    if isinstance(e, Arg):
        return f"in{e.index}"
    if isinstance(e, Const):
        shown = repr(e.value)
        return f"({shown})" if shown.startswith("-") else shown
    assert isinstance(e, Call)
    args = [text(each) for each in e.args]
    if e.name in _INFIX:
        return f"({args[0]} {_INFIX[e.name]} {args[1]})"
    if e.name in _PREFIX:
        return f"({_PREFIX[e.name]}{args[0]})"
    if e.name == "Select":
        return f"where({args[2]}, {args[0]}, {args[1]})"
    return f"{_NAMES[e.name]}({', '.join(args)})"


def parsed(who: str, source: str, operands: int) -> Expr:
    """The tree of a text over that many operands.

    Raises OperatorAttributeError, beginning with `who`, for a text that is no expression.
    """
    if len(source) > _LONGEST:
        raise _wrong(who, source, f"has {len(source)} characters, and {_LONGEST} at most are read")
    try:
        top = ast.parse(source.strip(), mode="eval").body
        return _Reader(operands).read(top, 0).tree
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error) or "it nests too deep"
        raise _wrong(who, source, f"is no expression: {why}") from None
    except (TypeError, OverflowError) as error:
        raise _wrong(who, source, f"is none of popir's: {error}") from None


def _wrong(who: str, source: str, why: str) -> OperatorAttributeError:
    shown = source if len(source) < 80 else f"{source[:80]}..."
    return OperatorAttributeError(f"{who}: the expression {shown!r} {why}")


_BINARY: Mapping[type, Callable[[Any, Any], Expression]] = {
    ast.Add: _binary("Add"),
    ast.Sub: _binary("Sub"),
    ast.Mult: _binary("Mul"),
    ast.Div: _binary("Divide"),
    ast.FloorDiv: _binary("FloorDivide"),
    ast.Mod: mod,
    ast.Pow: _binary("Pow"),
    ast.BitAnd: _binary("BitwiseAnd"),
    ast.BitOr: _binary("BitwiseOr"),
    ast.BitXor: _binary("BitwiseXor"),
    ast.LShift: _binary("Shl"),
    ast.RShift: _binary("ShrSE"),
    ast.Lt: _binary("Lt"),
    ast.LtE: _binary("Lte"),
    ast.Gt: _binary("Gt"),
    ast.GtE: _binary("Gte"),
    ast.Eq: _binary("Equal"),
    ast.NotEq: _binary("NotEqual"),
    ast.USub: lambda x, _: -x,
    ast.UAdd: lambda x, _: +x,
    ast.Invert: lambda x, _: ~x,
}


class _Reader:
    def __init__(self, operands: int) -> None:
        self._operands = {f"in{i}": operand(i) for i in range(operands)}

    def read(self, node: ast.expr, levels: int) -> Expression:
        """The expression of a node. Raises TypeError for one that expressions do not have."""
        if levels > MOST_LEVELS:
            raise OverflowError(f"it has more than {MOST_LEVELS} levels")

        def inner(each: ast.expr) -> Expression:
            return self.read(each, levels + 1)

        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.Constant):
            value: Any = node.value
            return constant(value)
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return _BINARY[type(node.op)](inner(node.left), inner(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _BINARY:
            return _BINARY[type(node.op)](inner(node.operand), None)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
            return _BINARY[type(node.ops[0])](inner(node.left), inner(node.comparators[0]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            name = node.func.id
            if name not in FUNCTIONS:
                raise TypeError(
                    f"there is no function '{name}'.{did_you_mean(name, FUNCTIONS)} {_known()}"
                )
            return FUNCTIONS[name](*map(inner, node.args))
        raise TypeError(f"{ast.unparse(node)!r:.60} cannot be computed for each element")

    def _named(self, name: str) -> Expression:
        if name in ("inf", "nan"):
            return constant(float(name))
        if name not in self._operands:
            raise TypeError(
                f"'{name}' is no operand; they are {', '.join(self._operands) or 'none'}"
            )
        return self._operands[name]
