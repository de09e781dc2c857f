"""QuantizedMoves: moves the bytes themselves between a DequantizeLinear and a QuantizeLinear.

A quantized model in the QDQ form has the two around a MaxPool, a Reshape or a Transpose too, with
the same scale and zero point. Such an operator chooses among the numbers that it gets, or moves
them.
"""

from __future__ import annotations

from popir.ir import Op, Tensor
from popir.pattern import PatternCreator, Rewrite
from popir.patterns.edit import (
    compile_in,
    constraint,
    is_built_in,
    joined,
    make,
    maker,
    number,
    remove_dead,
    replace,
    size,
)
from popir.patterns.quantized_products import BYTES, Quantized, dequantized

_MOVING = {"MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice"}
_VERSIONS = {"MaxPool": 12}
"""The first versions that take bytes, of those that did not always."""
_MOST = 4
"""The most operators between the two."""


class QuantizedMoves(Rewrite):
    """`QuantizeLinear(f(DequantizeLinear(q)))` becomes `f(q)`, where f is a MaxPool, a Reshape,
    Flatten, Squeeze, Unsqueeze, Transpose, Slice, or some of them, and scale and zero point are the
    same. No bit of the result changes, but for windows of a MaxPool that are all padding: they
    give the least number, as in onnxruntime.
    """

    types = frozenset({"Cast"})
    _found: tuple[Quantized, list[Op], list[Op]] | None = None
    """What `pattern` has found: the bytes, the operators that move them in order, and those of the
    QuantizeLinear.
    """

    def pattern(self, op: Op) -> bool:
        """Whether `op` ends a QuantizeLinear of bytes that were moved."""
        self._found = _moved(op)
        return self._found is not None

    def check(self, op: Op) -> str | None:
        """Scale and zero point must be the same, and nobody else may read what lies between."""
        assert self._found is not None
        given, moves, ops = self._found
        if op.graph.isTraining:
            return "the model is trained, and integers have no gradient"
        if given.kind() is not op.outInfo(0).dataType():
            return f"what was dequantized is of type {given.kind().name}"
        if any(size(t) != 1 for t in (given.scale, given.zero) if t is not None):
            return "it was dequantized with a scale for each index of an axis"
        divisor, zero = _scale_and_zero(ops)
        if not _is_same(given.scale, divisor):
            return "it is quantized with another scale"
        if not _is_same(given.zero, zero):
            return "it is quantized with another zero point"
        pools = any(move.opid.type == "MaxPool" for move in moves)
        if pools and not (number(given.scale) or 0) > 0:
            return "a MaxPool is between, and the scale is not known to be positive"
        return joined([*moves, *ops], op, self.kept) or constraint(op)

    def touches(self, op: Op) -> list[Tensor]:
        """No tensors: the result stays."""
        return []

    def rewrite(self, op: Op) -> None:
        """Replaces `op` by the operators that move, of the bytes."""
        assert self._found is not None
        given, moves, ops = self._found
        if number(given.scale) is not None:
            compile_in([ops[-1], moves[0].inTensor(0).getProducer()], self.name)
        between, q = list(op.input.values()), given.q
        for move in moves[:-1]:
            id = op.graph.uniqueId(f"{move.outId(0)}/bytes")
            q = make(op, _id(move), _inputs(move, q), id, move.attributes).outTensor(0)
        last = moves[-1]
        replace(op, _id(last), _inputs(last, q), last.attributes)
        remove_dead(between, self.kept)


def _moved(op: Op) -> tuple[Quantized, list[Op], list[Op]] | None:
    """What `QuantizedMoves.pattern` looks for; None if `op` does not end it."""
    if not is_built_in(op, "Cast") or op.outInfo(0).dataType() not in BYTES:
        return None
    ops, value = [op], op.inTensor(0)
    if add := maker(value, "Add"):
        ops.append(add)
        value = add.inTensor(0)
    for kind in ("Round", "Div"):
        step = maker(value, kind)
        if step is None:
            return None
        ops.append(step)
        value = step.inTensor(0)
    moves: list[Op] = []
    while len(moves) < _MOST and (move := maker(value, *_MOVING)):
        moves.insert(0, move)
        value = move.inTensor(0)
    given = dequantized(value) if moves else None
    if given is None or given.kind() not in BYTES:
        return None
    return given, moves, ops


def _scale_and_zero(ops: list[Op]) -> tuple[Tensor, Tensor | None]:
    """The scale and the zero point of the operators of a QuantizeLinear, from its end."""
    zero = ops[1].inTensor(1) if ops[1].opid.type == "Add" else None
    return ops[-1].inTensor(1), zero


def _is_same(a: Tensor | None, b: Tensor | None) -> bool:
    """Whether two scales or zero points are the same one, or known to be the same number."""
    if a is None or b is None:
        return a is b
    return a is b or (number(a) is not None and number(a) == number(b))


def _id(op: Op) -> tuple[str, str, int]:
    """The identifier of `op`, in a version that takes bytes."""
    version = max(op.opid.version, _VERSIONS.get(op.opid.type, 0))
    return op.opid.domain, op.opid.type, version


def _inputs(op: Op, first: Tensor) -> list[str]:
    return [first.id, *(op.inId(i) for i in sorted(op.input) if i)]


PatternCreator(QuantizedMoves, "QuantizedMoves", source="built in")
