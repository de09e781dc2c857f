"""Reductions and products of HLO, as operators of ONNX."""

from __future__ import annotations

import math
import string

from popir.foreign.xla.instructions import At, Operand, is_whole, operator
from popir.foreign.xla.scalars import folded, mapped, require_results
from popir.foreign.xla.shapes import Array
from popir.types import DataType

REDUCTIONS = {
    "add": ("reducesum", "add"),
    "multiply": ("reduceprod", "mul"),
    "maximum": ("reducemax", "max"),
    "minimum": ("reducemin", "min"),
}
"""The reduction of ONNX for a computation, and the operator that combines two values."""


@operator("reduce", None, several=True)
def _reduce(at: At, *operands: Operand) -> str | list[str]:
    """By an operator of ONNX where the computation is one, else in pairs of neighbours."""
    count = len(operands) // 2
    values, starts = operands[:count], operands[count:]
    if any(
        start.dims or start.kind is not x.kind or x.dims != values[0].dims
        for x, start in zip(values, starts, strict=False)
    ) or len(operands) != 2 * max(count, 1):
        raise at.wrong(
            "its operands must be arrays of the same dimensions, then for each one number of its "
            "type"
        )
    dims = at.numbers("dimensions", len(values[0].dims))
    opcode = combination(at) if count == 1 else ""
    if opcode:
        return _known_reduce(at, values[0], starts[0], opcode, dims)
    require_results(at, [each.kind for each in values])
    kept = [d for d in range(len(values[0].dims)) if d not in dims]
    size = [values[0].dims[d] for d in kept]
    flat = [*size, math.prod(values[0].dims[d] for d in dims)]
    rows = [
        Operand(at.reshape(at.on.transpose([x.id], [*kept, *dims]), flat), x.kind, tuple(flat))
        for x in values
    ]
    found = folded(at, rows, starts, len(size))
    return found[0] if count == 1 else found


def _known_reduce(at: At, x: Operand, start: Operand, opcode: str, dims: list[int]) -> str:
    kind, value, first = x.kind, x.id, start.id
    truths = {"and": "minimum", "or": "maximum", "add": "maximum", "multiply": "minimum"}
    if kind is DataType.BOOL:
        opcode = truths.get(opcode, opcode)
    wide = DataType.INT32 if kind is DataType.BOOL or _is_short(kind) else kind
    if wide is not kind:
        value, first = at.cast(value, wide), at.cast(first, wide)
    reduction, combined = REDUCTIONS[opcode]
    if dims:
        value = getattr(at.on, reduction)([value, at.ints(dims)], 0)
    value = getattr(at.on, combined)([value, first])
    return value if wide is kind else at.cast(value, kind)


def _is_short(kind: DataType) -> bool:
    return is_whole(kind) and kind.numpy.itemsize < 4


def combination(at: At, attribute: str = "to_apply") -> str:
    """The operator of a computation, if it is one of `REDUCTIONS`, or for truths `and` or `or`, of
    its two parameters; "" for any other computation.
    """
    called = at.called(attribute)
    steps, root = called.instructions, called.step(called.root)
    parameters = {s.name for s in steps if s.opcode == "parameter"}
    plain = len(steps) == 3 and len(parameters) == 2 and {*root.operands} == parameters
    truths = ("and", "or") if root.shape == Array("pred", ()) else ()
    known = plain and len(root.operands) == 2 and root.opcode in (*REDUCTIONS, *truths)
    return root.opcode if known else ""


@operator("map", None, several=True)
def _map(at: At, *operands: Operand) -> str | list[str]:
    """A computation of scalars, for each element."""
    if any(each.dims != operands[0].dims for each in operands):
        raise at.wrong("its operands must have the same dimensions")
    found = mapped(at, [each.id for each in operands], operands[0].dims)
    return found[0] if len(found) == 1 else found


@operator("dot", 2)
def _dot(at: At, a: Operand, b: Operand) -> str:
    """Products and sums in the type of the result."""
    letters = iter(string.ascii_letters)
    left, right = ([next(letters) for _ in each.dims] for each in (a, b))
    pairs: list[tuple[int, int]] = []
    batch: list[int] = []
    for what in ("batch", "contracting"):
        both: list[list[int]] = []
        for side, each in (("lhs", a), ("rhs", b)):
            name = f"{side}_{what}_dims"
            left_out = what == "batch" and name not in at.each.attributes
            both.append([] if left_out else at.numbers(name, len(each.dims)))
        if len(both[0]) != len(both[1]) or any(
            a.dims[i] != b.dims[j] for i, j in zip(*both, strict=False)
        ):
            raise at.wrong(
                f"its {what} dimensions are {both[0]} of {list(a.dims)} and {both[1]} of "
                f"{list(b.dims)}; they must be alike"
            )
        pairs += zip(*both, strict=True)
        if what == "batch":
            batch = both[0]
    for i, j in pairs:
        right[j] = left[i]
    shared = {left[i] for i, _ in pairs}
    out = [left[i] for i in batch]
    out += [letter for letter in left + right if letter not in shared]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    kind = DataType.INT32 if at.kind is DataType.BOOL else at.kind
    operands = [x.id if x.kind is kind else at.cast(x.id, kind) for x in (a, b)]
    found = at.on.einsum(operands, equation)
    return found if kind is at.kind else at.cast(found, at.kind)
