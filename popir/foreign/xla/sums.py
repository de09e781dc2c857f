"""Reductions and products of HLO, as operators of ONNX."""

from __future__ import annotations

import string

from popir.foreign.xla import shapes
from popir.foreign.xla.instructions import At, Operand, is_whole, operator
from popir.types import DataType

REDUCTIONS = {
    "add": ("reducesum", "add"),
    "multiply": ("reduceprod", "mul"),
    "maximum": ("reducemax", "max"),
    "minimum": ("reducemin", "min"),
}
"""The reduction of ONNX for a computation, and the operator that combines two values."""


@operator("reduce", 2)
def _reduce(at: At, x: Operand, start: Operand) -> str:
    """Raises ModelError for a computation that is none of the known ones."""
    if start.dims or start.kind is not x.kind:
        raise at.wrong("its second operand must be one number of the type of the first")
    opcode, dims = combination(at), at.numbers("dimensions", len(x.dims))
    kind, value, first = x.kind, x.id, start.id
    truths = {"and": "minimum", "or": "maximum", "add": "maximum", "multiply": "minimum"}
    if kind is DataType.BOOL:
        opcode = truths.get(opcode, opcode)
    if opcode not in REDUCTIONS:
        raise at.wrong(f"a reduction by {opcode} of {shapes.name(kind)} is not known here")
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


def combination(at: At) -> str:
    """The operator of the computation `to_apply`, which combines its two parameters."""
    called = at.called("to_apply")
    steps, root = called.instructions, called.step(called.root)
    parameters = {s.name for s in steps if s.opcode == "parameter"}
    known = {*REDUCTIONS, "and", "or"}
    plain = len(steps) == 3 and len(parameters) == 2 and {*root.operands} == parameters
    if not plain or len(root.operands) != 2 or root.opcode not in known:
        raise at.wrong(
            f"its computation is none of {', '.join(sorted(known))} of its two parameters"
        )
    return root.opcode


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
    operands = [x.id if x.kind is at.kind else at.cast(x.id, at.kind) for x in (a, b)]
    return at.on.einsum(operands, equation)
