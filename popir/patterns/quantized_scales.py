"""QuantizedScales: one factor for the scales of what is summed and of its quantized result.

What QuantizeLinear divides by its scale is a sum of products times the scales of the operands, or
of two dequantized tensors; and a division takes several times as long as a product.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.shapes import product
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import compile_in, is_built_in, joined, maker, number, remove_dead, replace
from popir.patterns.quantized_products import BYTES, dequantized
from popir.types import DataType

_SUMS = ("ConvInteger", "MatMulInteger")


@dataclass
class _Form:
    """A sum of terms, each a tensor times a factor, or a small tensor alone; a Relu may follow."""

    rectified: bool = False
    terms: list[tuple[Tensor | None, Tensor]] = field(default_factory=list)
    """The large tensor, if there is one, and its factor or the small tensor."""
    ops: list[Op] = field(default_factory=list)
    """The operators between, whose results nobody else may read."""


class QuantizedScales(Rewrite):
    """`Round((Cast(total) * factor + offset) / scale)`, of a total of ConvInteger or MatMulInteger,
    becomes `Round(Cast(total) * (factor / scale) + offset / scale)`; and a sum of two dequantized
    tensors, one of each of them. A Relu may be before the division, whose scale must be known to be
    positive then.

    Factors are rounded in place of the quotient: a result may be the next number.
    """

    _form: _Form | None = None
    """The form that `pattern` has found; `check` and `rewrite` follow."""
    types = frozenset({"Div"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` divides such a sum by one number."""
        self._form = _form(op)
        return self._form is not None

    def check(self, op: Op) -> str | None:
        """Nobody else may read what lies between, and nothing but a rounding may follow."""
        form = self._form
        assert form is not None
        if op.graph.isTraining:
            return "the model is trained, and the scales have gradients"
        uses = list(op.outTensor(0).uses)
        if len(uses) != 1 or not is_built_in(uses[0], "Round"):
            return "the quotient is not rounded alone"
        if form.rectified and not (number(op.inTensor(1)) or 0) > 0:
            return "a Relu is before the division, and the scale is not known to be positive"
        return joined(form.ops, op, self.kept)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: `check` has looked at those before the quotient."""
        return []

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by what gives the quotient without a division of all elements."""
        form = self._form
        assert form is not None
        on, between = Decomposer(op, op.outId(0)), list(op.input.values())
        if form.rectified:
            compile_in([op], self.name)
        scale = on.reshape(op.inTensor(1), [])
        terms = [(whole, on.Div(small, scale)) for whole, small in form.terms]
        last: tuple[str, list[Tensor]] | None = None
        for whole, small in terms:
            if last is not None:
                value = getattr(on, last[0])(*last[1])
                addend = small if whole is None else on.Mul(whole, small)
                last = "Add", [value, addend]
            else:
                assert whole is not None  # `_form` has it first.
                last = "Mul", [whole, small]
        assert last is not None
        if form.rectified:
            last = "Relu", [getattr(on, last[0])(*last[1])]
        replace(op, ("ai.onnx", last[0], 14), [t.id for t in last[1]])
        remove_dead(between, self.kept)


def _form(op: Op) -> _Form | None:
    """The form of what `op` divides; None if it is another one."""
    if not is_built_in(op, "Div") or _size(op.inTensor(1)) != 1:
        return None
    value, form = op.inTensor(0), _Form(ops=[op])
    if relu := maker(value, "Relu"):
        value, form.rectified = relu.inTensor(0), True
        form.ops.append(relu)
    sides = [value]
    if add := maker(value, "Add"):
        sides = [add.inTensor(0), add.inTensor(1)]
        form.ops.append(add)
    for side in sides:
        times = _scaled(side)
        if times is not None and times.outInfo(0) == op.outInfo(0):
            form.terms.append((times.inTensor(0), times.inTensor(1)))
            # That of a dequantized tensor stays, if others read it too.
            form.ops += [times] if _is_total(times) else []
        elif side.producer is None or _size(side) < _size(op.outTensor(0)):
            form.terms.append((None, side))
        else:
            return None
    form.terms.sort(key=lambda term: term[0] is None)
    if form.terms[0][0] is None:
        return None
    wholes = [term[0] for term in form.terms if term[0] is not None]
    return form if all(t.info == op.outInfo(0) for t in wholes) else None


def _scaled(t: Tensor) -> Op | None:
    """The Mul that makes `t`, of a total of products or of bytes, by its scale; None if there is
    none.
    """
    times = maker(t, "Mul")
    if times is None:
        return None
    if _is_total(times):
        return times
    found = dequantized(t)
    return times if found is not None and found.kind() in BYTES else None


def _is_total(times: Op) -> bool:
    cast = maker(times.inTensor(0), "Cast")
    if cast is None or cast.outInfo(0).dataType() is not DataType.FLOAT:
        return False
    return maker(cast.inTensor(0), *_SUMS) is not None


def _size(t: Tensor) -> int:
    return product(t.info.shape()) if t.info is not None else 0


PatternCreator(QuantizedScales, "QuantizedScales", source="built in")
