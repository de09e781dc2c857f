"""Sorts of HLO, as operators of ONNX."""

from __future__ import annotations

from popir.foreign.xla.hlo_text import Computation
from popir.foreign.xla.instructions import At, Operand, operator
from popir.types import DataType


@operator("sort", None, several=True)
def _sort(at: At, *operands: Operand) -> str | list[str]:
    """By one of the operands, ascending or descending; equal elements keep their order. Raises
    ModelError for another comparison.
    """
    (axis,) = at.numbers("dimensions", len(operands[0].dims)) or [0]
    if any(each.dims != operands[0].dims for each in operands):
        raise at.wrong("its operands must have the same dimensions")
    called = at.called("to_apply")
    root = called.step(called.root)
    direction = root.attributes.get("direction", "")
    keys = [_key(called, name) for name in root.operands]
    if root.opcode != "compare" or direction not in ("LT", "GT") or None in keys:
        raise at.wrong("its computation is no comparison, LT or GT, of two of its parameters")
    left, right = (key for key in keys if key is not None)
    if left // 2 != right // 2 or left == right or max(left, right) >= 2 * len(operands):
        raise at.wrong("its computation compares different operands, which is not known here")
    largest = (direction == "GT") == (left < right)
    by = operands[left // 2]
    size = at.ints([by.dims[axis]])
    _, order = at.on.topk([_comparable(at, by), size], axis, int(largest), 1)
    found = [at.on.gatherelements([each.id, order], axis) for each in operands]
    return found[0] if len(found) == 1 else found


def _comparable(at: At, x: Operand) -> str:
    """Values of a type that TopK takes, in the same order."""
    return at.cast(x.id, DataType.INT32) if x.kind is DataType.BOOL else x.id


def _key(called: Computation, name: str) -> int | None:
    """The number of the parameter whose value this is, where all NaN and both zeros may have been
    made one; None if it is none.
    """
    step = called.step(name)
    if step.opcode == "parameter":
        return int(step.operands[0])
    if step.opcode != "select":
        return None
    test, value, other = (called.step(each) for each in step.operands)
    key = _key(called, other.name)
    if test.opcode != "compare" or value.opcode != "constant" or key is None:
        return None
    if _key(called, test.operands[0]) != key:
        return None
    direction, word = test.attributes.get("direction"), value.operands[0]
    if direction == "NE" and test.operands[0] == test.operands[1] and word == "nan":
        return key
    against = called.step(test.operands[1])
    zero = against.opcode == "constant" and against.operands[0] == word == "0"
    return key if direction == "EQ" and zero else None


@operator("topk", 1, several=True)
def _topk(at: At, x: Operand) -> list[str]:
    """Along the last dimension."""
    count = at.number("k", x.dims[-1] + 1 if x.dims else 0)
    largest = int(at.each.attributes.get("largest", "true") == "true")
    values, order = at.on.topk([x.id, at.ints([count])], len(x.dims) - 1, largest, 1)
    return [values, at.cast(order, DataType.INT32)]
