"""What the operators of an optimizer's step compute, for graphs that a program in C++ has made.

The compiler's own graphs have a step as one operator. A program gets the parts from PopART's
patterns (SGD1Decompose and its kin), or makes them itself.
"""

from __future__ import annotations

from collections.abc import Callable

from popir._device import popart as device
from popir.ir import Op, Tensor
from popir.ops.loss.loss import nll_gradient
from popir.ops.support.decomposition import Decomposer
from popir.types import DataType, ReductionType

VAR, UPDATER, FACTOR, RATIO = range(4)

_New = Callable[[Decomposer, Tensor, Tensor, Tensor | None], Tensor]
_ACCUMULATION: list[tuple[bool, int, _New]] = [
    (False, 1, lambda on, v, u, f: on.Add(v, u)),
    (True, 1, lambda on, v, u, f: on.Add(v, on.Mul(f, u))),
    (True, 2, lambda on, v, u, f: on.Add(v, on.Mul(f, on.Mul(u, u)))),
    (True, 1, lambda on, v, u, f: on.Add(on.Mul(f, v), u)),
    (True, 2, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(u, u))),
    (True, 1, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(_rest(on, f), u))),
    (True, 2, lambda on, v, u, f: on.Add(on.Mul(f, v), on.Mul(_rest(on, f), on.Mul(u, u)))),
    (True, 1, lambda on, v, u, f: on.Max(on.Mul(f, v), on.Abs(u))),
    (True, 1, lambda on, v, u, f: on.Add(v, on.Div(on.Sub(u, v), _next(on, f)))),
]
"""By the number of popart::AccumulationType: whether it reads the factor, the power of the updater,
and the new value of the variable v for the updater u and the factor f.
"""


def _rest(on: Decomposer, f: Tensor | None) -> Tensor:
    assert f is not None
    return on.Sub(on.like(1, f), f)


def _next(on: Decomposer, f: Tensor | None) -> Tensor:
    assert f is not None
    return on.Add(f, on.like(1, f))


class _Part:
    """An operator of a step, and what takes its place."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.on = Decomposer(op, op.outTensor(0).id)
        self.noted = dict(device.attributeTexts(op, True))

    def read(self, i: int, like: Tensor) -> Tensor:
        """The input `i`, as the type of a tensor."""
        return self.on.cast(self.op.inTensor(i), self.on.info(like).dataType())

    def number(self, i: int, name: str, like: Tensor) -> Tensor:
        """The input `i` if there is one, else an attribute's value, of the type of a tensor."""
        if self.op.hasInput(i):
            return self.on.reshape(self.read(i, like), [])
        return self.on.like(self.attribute(name), like)

    def attribute(self, name: str) -> float:
        """The value of an attribute that is a number."""
        return float(self.noted.get(name) or 0)

    def scaled(self, i: int, name: str, tensor: Tensor) -> Tensor:
        """A tensor times a number; itself, if that is the constant 1."""
        if not self.op.hasInput(i) and self.attribute(name) == 1:
            return tensor
        return self.on.Mul(self.number(i, name, tensor), tensor)


def updated_value(op: Op) -> tuple[Decomposer, Tensor] | None:
    """Adds what computes the new value of the variable that an operator updates; None for operators
    that update none.
    """
    new = _UPDATES.get(op.opid.type)
    if new is None:
        return None
    part = _Part(op)
    return part.on, new(part, op.inTensor(VAR))


def _accumulated(p: _Part, v: Tensor) -> Tensor:
    reads, power, new = _ACCUMULATION[int(p.noted.get("type") or 0)]
    factor = p.number(FACTOR, "const factor", v) if p.op.hasInput(FACTOR) or reads else None
    if p.op.opid.type == "RescaleAccumulate":
        ratio = p.number(RATIO, "", v)
        v = p.on.Mul(v, p.on.Mul(ratio, ratio) if power == 2 else ratio)
    return new(p.on, v, p.read(UPDATER, v), factor)


def _cleared(p: _Part, v: Tensor) -> Tensor:
    if not p.op.hasInput(FACTOR) and p.attribute("factor") == 0:
        return p.on.zeros(p.on.info(v))
    return p.scaled(FACTOR, "factor", v)


def _sgd0(p: _Part, w: Tensor) -> Tensor:
    step = p.scaled(2, "const scaled learning rate", p.read(UPDATER, w))
    return p.on.Sub(p.scaled(3, "const weight decay scale factor", w), step)


def _along_momentum(p: _Part, w: Tensor) -> Tensor:
    return p.on.Sub(w, p.scaled(2, "const scaled learning rate", p.read(UPDATER, w)))


def _next_momentum(p: _Part, v: Tensor) -> Tensor:
    decay = p.scaled(3, "const scaled weight decay", p.read(UPDATER, v))
    return p.on.Add(p.scaled(2, "const scaled momentum", v), decay)


def _adam(p: _Part, w: Tensor) -> Tensor:
    """The weight minus the direction times the learning rate and Lamb's quotient: the norm of the
    weight, at most the largest, over that of the direction; 1 if one of the three is 0.
    """
    on, x = p.on, p.read(UPDATER, w)
    rate = p.number(4, "const learning rate", w)
    if p.op.hasInput(2) and p.op.hasInput(3):
        weight, direction = (on.Sqrt(on.reshape(p.op.inTensor(i), [])) for i in (2, 3))
        most, zero = p.number(5, "const max weight norm", weight), on.like(0, weight)
        none = on.Or(on.Equal(weight, zero), on.Equal(direction, zero))
        none = on.Or(none, on.Equal(most, zero))
        quotient = on.Div(on.Min(weight, most), direction)
        trust = on.Where(none, on.like(1, weight), quotient)
        rate = on.cast(on.Mul(on.cast(rate, DataType.FLOAT), trust), on.info(w).dataType())
    return on.Sub(w, on.Mul(rate, x))


def _scaled_update(p: _Part, w: Tensor) -> Tensor:
    """The weight minus the direction and the decayed weight, times the learning rate unless the
    direction has it already.
    """
    step = p.read(UPDATER, w)
    if p.op.hasInput(3) or p.attribute("const weight decay") != 0:
        step = p.on.Add(step, p.scaled(3, "const weight decay", w))
    if not p.attribute("learning rate in updater"):
        step = p.scaled(2, "const learning rate", step)
    return p.on.Sub(w, step)


_UPDATES: dict[str, Callable[[_Part, Tensor], Tensor]] = {
    "Accumulate": _accumulated,
    "RescaleAccumulate": _accumulated,
    "AccumulatorScale": _cleared,
    "SGD0VarUpdate": _sgd0,
    "SGD1VarUpdate": _along_momentum,
    "SGD2VarUpdate": _along_momentum,
    "SGD1AcclUpdate": _next_momentum,
    "AdamVarUpdate": _adam,
    "ScaledVarUpdate": _scaled_update,
}


def computed(op: Op, store: Callable[[Tensor, Tensor], Tensor]) -> Tensor | None:
    """Adds what computes the result of an operator that is no update; None for other operators.
    `store` gives a variable a new value, and returns it after that.
    """
    if op.opid.type == "SGD1Nesterov":
        return _nesterov(_Part(op))
    if op.opid.type == "LambSquare":
        p = _Part(op)
        return p.on.ReduceSumSquare(p.on.cast(op.inTensor(0), DataType.FLOAT), keepdims=0)
    if op.opid.type == "AdamUpdater":
        return _direction(_Part(op), store)
    if op.opid.type in ("RMSPropUpdater", "AdaDeltaUpdater"):
        return _adaptive_direction(_Part(op))
    if op.opid.type == "NllGrad":
        return _nll_gradient(_Part(op))
    if op.opid.type == "L1Grad":
        return _l1_gradient(_Part(op))
    return None


def _l1_gradient(p: _Part) -> Tensor:
    x, g = p.op.inTensor(0), p.read(1, p.op.inTensor(0))
    factor = p.attribute("lambda")
    if p.noted.get("reduction") == "Mean":
        factor /= p.on.info(x).nelms()
    return p.on.Mul(p.on.Sign(x), p.on.Mul(g, p.on.like(factor, g)))


def _nll_gradient(p: _Part) -> Tensor:
    probabilities, labels, g = (p.op.inTensor(i) for i in range(3))
    ignored = p.noted.get("ignoreIndex")
    found = nll_gradient(
        p.on,
        g,
        probabilities,
        labels,
        ReductionType[str(p.noted.get("reduction"))],
        None if ignored is None else int(ignored),
        p.noted.get("inputIsLogProbability") == "true",
    )
    return p.on.cast(found, p.on.info(probabilities).dataType())


def _nesterov(p: _Part) -> Tensor:
    on, g = p.on, p.op.inTensor(0)
    scaled = p.scaled(3, "inverse loss scale", g)
    decayed = on.Add(scaled, p.scaled(4, "weight decay", p.read(1, g)))
    factored = p.scaled(5, "Nesterov gradient scale factor", decayed)
    return on.Add(factored, p.scaled(6, "momentum", p.read(2, g)))


_VARIABLE, _FIRST, _SECOND, _STEP = range(4)
_MAXIMUM = 2
"""AdaMax among the modes of popart::AdamMode."""


def _direction(p: _Part, store: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    on, op = p.on, p.op
    is_maximum = int(p.attribute("mode")) == _MAXIMUM
    first, second = (on.cast(op.inTensor(i), DataType.FLOAT) for i in (_FIRST, _SECOND))
    if op.hasInput(_STEP):
        step = op.inTensor(_STEP)
        step = on.cast(store(step, on.Add(step, on.like(1, step))), DataType.FLOAT)

        def corrected(moment: Tensor, i: int, name: str) -> Tensor:
            beta = p.number(i, name, moment)
            return on.Div(moment, on.Sub(on.like(1, beta), on.Pow(beta, step)))

        first = corrected(first, 5, "const beta1")
        second = second if is_maximum else corrected(second, 6, "const beta2")
    root = second if is_maximum else on.Sqrt(second)
    out = on.Div(first, on.Add(root, p.number(7, "const eps", root)))
    if op.hasInput(_VARIABLE):
        decay = on.cast(op.inTensor(_VARIABLE), DataType.FLOAT)
        out = on.Add(out, p.scaled(4, "const weight decay", decay))
    info = op.outInfo(0)
    assert info is not None
    return on.cast(out, info.dataType())


def _adaptive_direction(p: _Part) -> Tensor:
    """popir.optimizers.adaptive has the formulas."""
    on, op = p.on, p.op
    g, squares = (on.cast(op.inTensor(i), DataType.FLOAT) for i in (0, 1))
    eps = p.number(3, "const eps", squares)
    if op.opid.type == "AdaDeltaUpdater":
        last = on.cast(op.inTensor(2), DataType.FLOAT)
        out = on.Div(on.Mul(g, on.Sqrt(on.Add(last, eps))), on.Sqrt(on.Add(squares, eps)))
    else:
        if op.hasInput(2):
            mean = on.cast(op.inTensor(2), DataType.FLOAT)
            squares = on.Sub(squares, on.Mul(mean, mean))
        inside = p.attribute("tf variant")
        root = on.Sqrt(on.Add(squares, eps)) if inside else on.Add(on.Sqrt(squares), eps)
        out = on.Div(g, root)
    info = op.outInfo(0)
    assert info is not None
    return on.cast(out, info.dataType())
