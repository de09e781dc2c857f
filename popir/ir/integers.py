"""What is known, when the model is compiled, of integers that are computed at run time.

A slice from `i` to `i + 3` has 3 elements whatever `i` is: its start and its end are forms of one
unknown. `Integers.of` finds the form of each element of a small tensor, and the range of its
unknowns, as far as operators like Clip or the number of a loop's iterations bound them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from popir.ir.graph import Op, Tensor

Array = np.ndarray[Any, Any]
MOST = 64
"""The most elements of a tensor that is looked at."""
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


@dataclass(eq=False, frozen=True)
class Unknown:
    """A number that is computed at run time, from `low` to `high`."""

    low: int = LEAST
    high: int = GREATEST
    source: Tensor | None = None
    """The tensor that is it, if it is one of one element."""


@dataclass(frozen=True)
class Form:
    """A constant, and a sum of unknowns with factors that are not 0."""

    constant: int
    terms: Mapping[Unknown, int] = field(default_factory=dict)

    @property
    def is_constant(self) -> bool:
        """Whether it has no unknowns."""
        return not self.terms

    @property
    def low(self) -> int:
        """The least value that it may have."""
        bounds = (f * (u.low if f > 0 else u.high) for u, f in self.terms.items())
        return self.constant + sum(bounds)

    @property
    def high(self) -> int:
        """The greatest value that it may have."""
        bounds = (f * (u.high if f > 0 else u.low) for u, f in self.terms.items())
        return self.constant + sum(bounds)

    def __add__(self, other: Form) -> Form:
        terms = dict(self.terms)
        for unknown, factor in other.terms.items():
            terms[unknown] = terms.get(unknown, 0) + factor
        found = {unknown: factor for unknown, factor in terms.items() if factor}
        return Form(self.constant + other.constant, found)

    def __mul__(self, other: Form) -> Form:
        """The product with a constant; of two that are none, a new unknown."""
        if not other.is_constant:
            if not self.is_constant:
                corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
                return unknown(min(corners), max(corners))
            return other * self
        by = other.constant
        terms = {unknown: factor * by for unknown, factor in self.terms.items() if by}
        return Form(self.constant * by, terms)

    def __sub__(self, other: Form) -> Form:
        return self + other * Form(-1)

    def __neg__(self) -> Form:
        return self * Form(-1)


def unknown(low: int = LEAST, high: int = GREATEST, source: Tensor | None = None) -> Form:
    """The form of a new unknown."""
    return Form(low) if low == high else Form(0, {Unknown(low, high, source): 1})


class Integers:
    """The forms of the elements of tensors. Forms of one instance may be compared."""

    def __init__(self) -> None:
        self._found: dict[Tensor, Array | None] = {}

    def of(self, tensor: Tensor) -> Array | None:
        """An array of Forms in the tensor's shape; None if it has more than `MOST` elements or is
        not of integers.
        """
        if tensor not in self._found:
            self._found[tensor] = None  # The end of recursion, which a graph does not need.
            self._found[tensor] = self._find(tensor)
        return self._found[tensor]

    def _find(self, tensor: Tensor) -> Array | None:
        info = tensor.info
        if info is None or info.nelms() > MOST or info.dataType().numpy.kind not in "iub":
            return None
        shape = info.shape()
        if tensor.isConst() and tensor.data is not None:
            return _each(lambda value: Form(int(value)), np.asarray(tensor.data, object))
        made = self._made(tensor.producer, tensor) if tensor.producer is not None else None
        if made is not None and list(made.shape) == shape:
            return made
        low, high = tensor.graph.ranges.get(tensor.id, _range(info.dataType().numpy))
        source = tensor if info.nelms() == 1 else None
        return _each(lambda _: unknown(low, high, source), np.zeros(shape, object))

    def _made(self, op: Op, tensor: Tensor) -> Array | None:
        """What an operator makes of the forms of its inputs; None if that is not known."""
        if op.opid.domain != "ai.onnx":
            return None
        kind = op.opid.type
        if kind in _POSITIONS:
            along = op.inShape(0)
            axis = op.attributes.get("axis", 0)
            size = along[axis] if along else 1
            return _each(lambda _: unknown(0, size - 1), np.zeros(op.outShape(0), object))
        ins = {i: self.of(t) for i, t in op.input.items()}
        known = {i: forms for i, forms in ins.items() if forms is not None}
        if kind in _MOVING:
            return self._moved(op, tensor, known)
        if len(known) < len(ins):
            return None
        if kind == "Cast":
            return _cast(known[0], tensor)
        if kind in _COMPUTING:
            return _COMPUTING[kind](op, [known[i] for i in sorted(known)])
        return None

    def _moved(self, op: Op, tensor: Tensor, known: Mapping[int, Array]) -> Array | None:
        """The same numbers at other places, as numpy moves objects."""
        data = [i for i in op.input if i not in op.constantInputs]
        if op.opid.type == "Gather":
            data = [0]
        values = {i: t.data for i, t in op.input.items() if i not in data and t.data is not None}
        if len(values) + len(data) < len(op.input) or not known.keys() >= set(data):
            return None
        try:
            made = op.evaluate({**values, **{i: known[i] for i in data}})
        except TypeError:  # It computes with the elements.
            return None
        out = next(o for o, t in op.output.items() if t is tensor)
        return None if made is None else np.asarray(made[out], object)


def bounds_of(tensor: Tensor) -> tuple[int, int] | None:
    """The least and the greatest value of a tensor of one integer; None for any other."""
    if tensor.info is None or tensor.info.nelms() != 1:
        return None
    forms = Integers().of(tensor)
    return None if forms is None else (forms.flat[0].low, forms.flat[0].high)


def _each(make: Callable[[Any], Form], values: Array) -> Array:
    found = np.empty(values.shape, object)
    for at, value in np.ndenumerate(values):
        found[at] = make(value)
    return found


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _cast(forms: Array, tensor: Tensor) -> Array | None:
    """The same numbers, if the type can hold them or they are to be such."""
    assert tensor.info is not None
    low, high = _range(tensor.info.dataType().numpy)
    holds = all(low <= form.low and form.high <= high for form in forms.flat)
    wide = tensor.info.dataType().numpy.itemsize >= 4 and low < 0
    # Numbers that do not fit into 32 bits are no sizes or positions.
    return forms if holds or wide else None


def _pairs(op: Op, ins: list[Array]) -> list[Array]:
    return [np.broadcast_to(forms, op.outShape(0)) for forms in ins]


def _folded(make: Callable[[Form, Form], Form]) -> Callable[[Op, list[Array]], Array]:
    def combined(op: Op, ins: list[Array]) -> Array:
        first, *rest = _pairs(op, ins)
        found = _each(lambda form: form, first)
        for forms in rest:
            for at in np.ndindex(found.shape):
                found[at] = make(found.item(at), forms.item(at))
        return found

    return combined


def _least(a: Form, b: Form) -> Form:
    if a.high <= b.low or b.high <= a.low:
        return a if a.high <= b.low else b
    return unknown(min(a.low, b.low), min(a.high, b.high))


def _greatest(a: Form, b: Form) -> Form:
    if a.low >= b.high or b.low >= a.high:
        return a if a.low >= b.high else b
    return unknown(max(a.low, b.low), max(a.high, b.high))


def _remainder(a: Form, b: Form) -> Form:
    if not b.is_constant or b.constant <= 0:
        return unknown()
    least = a.low >= 0 and a.high < b.constant
    return a if least else unknown(0, b.constant - 1)


def _clipped(op: Op, ins: list[Array]) -> Array:
    forms = ins[0]
    for place, limit in zip(sorted(op.input)[1:], ins[1:], strict=True):
        bound = limit.reshape(-1)[0]
        better = _greatest if place == 1 else _least
        forms = _each(lambda form, by=bound, f=better: f(form, by), forms)
    return forms


def _modulo(op: Op, ins: list[Array]) -> Array | None:
    return None if op.attributes.get("fmod") else _folded(_remainder)(op, ins)


def _chosen(op: Op, ins: list[Array]) -> Array:
    _, a, b = _pairs(op, ins)
    found = np.empty(a.shape, object)
    for at in np.ndindex(a.shape):
        one: Form = a.item(at)
        other: Form = b.item(at)
        both = min(one.low, other.low), max(one.high, other.high)
        found[at] = one if one == other else unknown(*both)
    return found


_MOVING = {
    *("Identity", "Reshape", "Unsqueeze", "Squeeze", "Flatten", "Concat", "Gather", "Slice"),
    *("Transpose", "Expand", "Split"),
}
_POSITIONS = {"ArgMax", "ArgMin"}
_COMPUTING: dict[str, Callable[[Op, list[Array]], Array | None]] = {
    "Add": _folded(Form.__add__),
    "Sum": _folded(Form.__add__),
    "Sub": _folded(Form.__sub__),
    "Mul": _folded(Form.__mul__),
    "Neg": lambda _, ins: _each(Form.__neg__, ins[0]),
    "Min": _folded(_least),
    "Max": _folded(_greatest),
    "Clip": _clipped,
    "Mod": _modulo,
    "Where": _chosen,
}
