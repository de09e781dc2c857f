"""QuantizedScales: one factor for the scales of a product of integers and of its quantized result.

What QuantizeLinear divides by its scale is a sum of products times the scales of the operands; and
a division takes several times as long as a product.
"""

from __future__ import annotations

from dataclasses import dataclass

from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import (
    compile_in,
    is_built_in,
    joined,
    maker,
    number,
    remove_dead,
    replace,
    size,
)
from popir.types import DataType

_SUMS = ("ConvInteger", "MatMulInteger")


@dataclass
class _Form:
    """total * factor + offset, of which a Relu may follow."""

    total: Tensor
    factor: Tensor
    offset: Tensor | None
    rectified: bool
    ops: list[Op]


class QuantizedScales(Rewrite):
    """`Round((Cast(total) * factor + offset) / scale)`, of a total of ConvInteger or MatMulInteger,
    becomes `Round(Cast(total) * (factor / scale) + offset / scale)`. There may be no offset, and a
    Relu before the division, whose scale must be known to be positive then.

    The factor is rounded in place of the quotient: a result may be the next number.
    """

    _form: _Form | None = None
    """The form that `pattern` has found; `check` and `rewrite` follow."""
    types = frozenset({"Div"})

    def pattern(self, op: Op) -> bool:
        """Whether `op` divides such a total by one number."""
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
        terms = [("Mul", on.Div(form.factor, scale))]
        if form.offset is not None:
            terms.append(("Add", on.Div(form.offset, scale)))
        value = form.total
        last = None if form.rectified else terms.pop()
        for name, term in terms:
            value = getattr(on, name)(value, term)
        if last is None:
            replace(op, ("ai.onnx", "Relu", 14), [value.id])
        else:
            replace(op, ("ai.onnx", last[0], 14), [value.id, last[1].id])
        remove_dead(between, self.kept)


def _form(op: Op) -> _Form | None:
    """The form of what `op` divides; None if it is another one."""
    if not is_built_in(op, "Div") or size(op.inTensor(1)) != 1:
        return None
    value, offset, ops = op.inTensor(0), None, [op]
    relu = maker(value, "Relu")
    if relu is not None:
        value = relu.inTensor(0)
        ops.append(relu)
    if add := maker(value, "Add"):
        value, offset = add.inTensor(0), add.inTensor(1)
        ops.append(add)
    times = maker(value, "Mul")
    if times is None:
        return None
    cast = maker(times.inTensor(0), "Cast")
    if cast is None or cast.outInfo(0).dataType() is not DataType.FLOAT:
        return None
    if maker(cast.inTensor(0), *_SUMS) is None:
        return None
    ops.append(times)
    total, factor = times.inTensor(0), times.inTensor(1)
    if times.outInfo(0) != op.outInfo(0) or total.info != op.outInfo(0):
        return None
    return _Form(total, factor, offset, relu is not None, ops)


PatternCreator(QuantizedScales, "QuantizedScales", source="built in")
