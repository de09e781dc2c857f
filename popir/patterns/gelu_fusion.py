"""GeluFusion: replaces the operators of a GELU by one Gelu.

`x * (1 + erf(x / sqrt(2))) / 2`, or with tanh, is written in many orders. So what is looked for is
a product whose factors are x, numbers and `1 + erf(p)` or `1 + tanh(p)`, and whose p is the right
polynomial of x. onnxruntime has a fusion of this name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import compile_in, is_built_in, joined, maker, number, remove_dead, replace
from popir.types import DataType

_ROOT = math.sqrt(2 / math.pi)
_ARGUMENTS = {
    "Erf": ("none", {1: math.sqrt(0.5)}),
    "Tanh": ("tanh", {1: _ROOT, 3: _ROOT * 0.044715}),
}
"""For each function the attribute `approximate` of Gelu, and its argument: coefficients of powers
of x.
"""
_ROUNDING = {DataType.FLOAT16: 2**-10, DataType.BFLOAT16: 2**-7}
"""How far a coefficient may be off, of itself, by the rounding of a constant."""
_EXACT = 2**-22
"""The same for other types."""
_MOST = 16
"""The most operators looked at: more than any way to write a GELU has."""


@dataclass
class _Form:
    """A product of one tensor x, a number and `1 + function(p)`."""

    x: Tensor
    approximate: str
    ops: list[Op]


@dataclass
class _Product:
    """The factors of a tree of products and of quotients by numbers."""

    number: float = 1
    tensors: list[Tensor] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)

    def add(self, tensor: Tensor) -> None:
        """Adds the factors of a tensor."""
        if len(self.ops) > _MOST:
            self.tensors.append(tensor)
        elif (value := number(tensor)) is not None:
            self.number *= value
        elif op := maker(tensor, "Mul"):
            self.ops.append(op)
            for each in op.input.values():
                self.add(each)
        elif (op := maker(tensor, "Div")) and (value := number(op.inTensor(1))):
            self.ops.append(op)
            self.number /= value
            self.add(op.inTensor(0))
        else:
            self.tensors.append(tensor)


class GeluFusion(Rewrite):
    """`x * 0.5 * (1 + erf(x / sqrt(2)))` becomes `Gelu(x)`, and
    `x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))` becomes `Gelu(x)` with
    `approximate = "tanh"`.
    """

    _form: _Form | None = None
    """The form that `pattern` has found; `check` and `rewrite` follow."""
    types = frozenset({"Mul", "Div"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` is such a product."""
        self._form = _form(op)
        return self._form is not None

    def check(self, op: Op) -> str | None:
        """Nobody else may read what lies between."""
        form = self._form
        assert form is not None
        return joined(form.ops, op, self.kept)

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by a Gelu, and removes what that computes itself."""
        form = self._form
        assert form is not None
        between = list(op.input.values())
        compile_in(form.ops, self.name)
        attributes = {"approximate": form.approximate}
        replace(op, ("ai.onnx", "Gelu", 20), [form.x.id], attributes)
        remove_dead(between, self.kept)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: the result stays, and `check` has looked at those before it."""
        return []


def _form(op: Op) -> _Form | None:
    """The form that ends with `op`; None if it is none."""
    if not is_built_in(op, "Mul", "Div"):
        return None
    found = _Product()
    found.add(op.outTensor(0))
    if len(found.tensors) != 2:
        return None
    for x, bell in (found.tensors, found.tensors[::-1]):
        total = maker(bell, "Add")
        if total is None or x.info is None or x.info != op.outInfo(0):
            continue
        off = _ROUNDING.get(x.info.dataType()) or _EXACT
        for i in range(2):
            function = maker(total.inTensor(i), *_ARGUMENTS)
            if function is None or number(total.inTensor(1 - i)) != 1:
                continue
            approximate, wanted = _ARGUMENTS[function.opid.type]
            ops = [*found.ops, total, function]
            given = _polynomial(function.inTensor(0), x, ops)
            if (
                given is not None
                and _is_near({0: 0.5}, {0: found.number}, off)
                and _is_near(wanted, given, off)
            ):
                return _Form(x, approximate, list(dict.fromkeys(ops)))
    return None


def _is_near(wanted: dict[int, float], given: dict[int, float], off: float) -> bool:
    """Whether two polynomials are the same but for the rounding of three constants."""
    return wanted.keys() == given.keys() and all(
        abs(given[n] - c) <= 3 * off * c for n, c in wanted.items()
    )


def _polynomial(tensor: Tensor, x: Tensor, ops: list[Op]) -> dict[int, float] | None:
    """The tensor as a polynomial of x, coefficients by powers; adds its operators to `ops`. None if
    it is none, or one of a power above 3.
    """
    if tensor is x:
        return {1: 1.0}
    if (value := number(tensor)) is not None:
        return {0: value}
    op = maker(tensor, "Mul", "Div", "Add", "Pow")
    if op is None or len(ops) > _MOST:
        return None
    ops.append(op)
    a = _polynomial(op.inTensor(0), x, ops)
    b = _polynomial(op.inTensor(1), x, ops) if a is not None else None
    if a is None or b is None:
        return None
    kind = op.opid.type
    if kind == "Add":
        return {n: a.get(n, 0) + b.get(n, 0) for n in {*a, *b}}
    if kind == "Mul":
        return _times(a, b)
    if b.keys() != {0}:
        return None
    if kind == "Div":
        return {n: c / b[0] for n, c in a.items()} if b[0] else None
    found: dict[int, float] | None = {0: 1.0} if b[0] in (2, 3) else None
    for _ in range(int(b[0]) if found else 0):
        found = found and _times(found, a)
    return found


def _times(a: dict[int, float], b: dict[int, float]) -> dict[int, float] | None:
    """The product of two polynomials; None if it has a power above 3."""
    found: dict[int, float] = {}
    for n, c in a.items():
        for m, d in b.items():
            found[n + m] = found.get(n + m, 0) + c * d
    return found if max(found) <= 3 else None


PatternCreator(GeluFusion, "GeluFusion", source="built in")
