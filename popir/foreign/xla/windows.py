"""Convolutions of HLO, and reductions of windows, as operators of ONNX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from popir.foreign.xla.instructions import At, Operand, operator
from popir.foreign.xla.scalars import mapped, paired, require_results
from popir.foreign.xla.sums import REDUCTIONS, combination
from popir.types import DataType


@dataclass(frozen=True)
class Window:
    """What window={size=3x3 stride=2x2 pad=0_1x0_1} says, by dimension."""

    size: list[int]
    stride: list[int]
    before: list[int]
    after: list[int]
    between: list[int]
    """The distance of neighbours of the operand, 1 if nothing is between them."""
    dilation: list[int]
    reversed: list[int]


_NUMBER, _PAIR = r"\d+", r"-?\d+_-?\d+"
_FIELDS = {
    "size": _NUMBER,
    "stride": _NUMBER,
    "pad": _PAIR,
    "lhs_dilate": _NUMBER,
    "rhs_dilate": _NUMBER,
    "rhs_reversal": "[01]",
}


def _window(at: At, rank: int) -> Window:
    text = at.each.attributes.get("window", "{}")
    fields: dict[str, list[str]] = {}
    for item in text.strip("{}").split():
        name, _, value = item.partition("=")
        row = _FIELDS.get(name)
        if row is None or not re.fullmatch(rf"{row}(x{row})*", value):
            raise at.wrong(f"its window is {text!r}; '{item}' cannot be read")
        fields[name] = value.split("x")
    if any(len(each) != rank for each in fields.values()) or (rank and "size" not in fields):
        raise at.wrong(f"its window is {text!r}; expected are {rank} dimensions")

    def numbers(name: str, otherwise: int) -> list[int]:
        return [int(n) for n in fields.get(name, [str(otherwise)] * rank)]

    pads = [[*map(int, pair.split("_"))] for pair in fields.get("pad", ["0_0"] * rank)]
    found = Window(
        numbers("size", 1),
        numbers("stride", 1),
        [pad[0] for pad in pads],
        [pad[1] for pad in pads],
        numbers("lhs_dilate", 1),
        numbers("rhs_dilate", 1),
        numbers("rhs_reversal", 0),
    )
    if 0 in found.size + found.stride + found.between + found.dilation:
        raise at.wrong(f"its window is {text!r}, with a zero")
    return found


def _padded(
    at: At, x: str, dims: list[int], window: Window, axes: Sequence[int], value: str
) -> str:
    """`x` with elements between any two, and then before and behind, along axes. `dims` become
    those of the result.
    """
    for i, axis in enumerate(axes):
        x = at.spaced(x, dims, axis, window.between[i] - 1, value)
    before, after = [0] * len(dims), [0] * len(dims)
    for i, axis in enumerate(axes):
        before[axis], after[axis] = window.before[i], window.after[i]
        dims[axis] += before[axis] + after[axis]
    return at.on.pad([x, at.ints(before + after), value]) if any(before + after) else x


@operator("convolution", 2)
def _convolution(at: At, x: Operand, w: Operand) -> str:
    """Products and sums in the type of the result."""
    labels = at.each.attributes.get("dim_labels", "")
    found = re.fullmatch(r"(\w+)_(\w+)->(\w+)", labels)
    rank = len(x.dims)
    space = "".join(map(str, range(rank - 2)))
    wanted = [sorted(letters + space) for letters in ("bf", "io", "bf")]
    if found is None or [sorted(each) for each in found.groups()] != wanted:
        raise at.wrong(f"its dim_labels are {labels!r}; expected are those of {rank} dimensions")
    if at.each.attributes.get("batch_group_count", "1") != "1":
        raise at.wrong("its batch_group_count is not 1, which is not known here")
    groups = int(at.each.attributes.get("feature_group_count", "1"))
    window = _window(at, rank - 2)
    if rank == 2:
        raise at.wrong("it has no spatial dimension; a dot is expected")
    order = [found[1].index(letter) for letter in "bf" + space]
    filters = [found[2].index(letter) for letter in "oi" + space]
    size = [w.dims[d] for d in filters[2:]]
    if len(w.dims) != rank or size != window.size:
        raise at.wrong(f"its window has the size {window.size}; the filter is {list(w.dims)}")
    dims = [x.dims[d] for d in order]
    if groups < 1 or dims[1] != groups * w.dims[filters[1]] or w.dims[filters[0]] % groups:
        raise at.wrong(f"{list(x.dims)} and {list(w.dims)} do not fit in {groups} groups")
    kind = at.kind
    data, weights = (each.id if each.kind is kind else at.cast(each.id, kind) for each in (x, w))
    data = at.on.transpose([data], order)
    weights = at.on.transpose([weights], filters)
    weights = at.reversed(weights, [i + 2 for i, flag in enumerate(window.reversed) if flag])
    data = _padded(at, data, dims, window, range(2, rank), at.constant(0, kind))
    made = at.on.conv(
        [data, weights],
        dilations=window.dilation,
        group=groups,
        kernel_shape=window.size,
        strides=window.stride,
        pads=[0] * 2 * (rank - 2),
    )
    return at.on.transpose([made], [("bf" + space).index(letter) for letter in found[3]])


@operator("reduce-window", None, several=True)
def _reduce_window(at: At, *operands: Operand) -> str | list[str]:
    """One dimension after the other, by an operator of ONNX where the computation is one, else in
    pairs of neighbours.
    """
    size = len(operands) // 2
    values, starts = operands[:size], operands[size:]
    if len(operands) != 2 * max(size, 1) or any(
        start.dims or start.kind is not x.kind or x.dims != values[0].dims
        for x, start in zip(values, starts, strict=True)
    ):
        raise at.wrong(
            "its operands must be arrays of the same dimensions, then for each one number of its "
            "type"
        )
    dims = [*values[0].dims]
    window = _window(at, len(dims))
    opcode = combination(at) if size == 1 and values[0].kind is not DataType.BOOL else ""
    require_results(at, [x.kind for x in values])
    # What is between and around the elements is the identity of the operator, or the start, which
    # the computation must not change.
    around = [
        at.constant(_identity(opcode, x.kind), x.kind) if opcode else s.id
        for x, s in zip(values, starts, strict=True)
    ]
    padded = [
        (_padded(at, x.id, each, window, range(len(dims)), value), each)
        for x, value, each in ((x, v, [*dims]) for x, v in zip(values, around, strict=True))
    ]
    found, dims = [x for x, _ in padded], padded[0][1]
    for axis, length in enumerate(window.size):
        reach = (length - 1) * window.dilation[axis] + 1
        count = max(0, (dims[axis] - reach) // window.stride[axis] + 1)
        if length == 1 and window.stride[axis] == 1:
            continue
        if count * length * math.prod(dims) // max(1, dims[axis]) >= 1 << 31:
            raise at.wrong("its windows have 2^31 elements or more, which is not possible here")
        rows = np.arange(count)[:, None] * window.stride[axis]
        rows = rows + np.arange(length)[None] * window.dilation[axis]
        places = at.on.constant(rows.astype(np.int32))
        found = [at.on.gather([x, places], axis) for x in found]
        dims[axis] = count
        if opcode:
            reduction = getattr(at.on, REDUCTIONS[opcode][0])
            found = [reduction([found[0], at.ints([axis + 1])], 0)]
        else:
            wide = (*dims[: axis + 1], length, *dims[axis + 1 :])
            arrays = [Operand(x, each.kind, wide) for x, each in zip(found, values, strict=True)]
            found = paired(at, arrays, axis + 1)
    if opcode:
        return getattr(at.on, REDUCTIONS[opcode][1])([found[0], starts[0].id])
    first = [at.on.expand([each.id, at.ints(dims)]) for each in starts]
    found = mapped(at, [*first, *found], dims)
    return found if len(found) > 1 else found[0]


def _identity(opcode: str, kind: DataType) -> float:
    """What an operator combines with any number to that number."""
    if opcode in ("add", "multiply"):
        return 0 if opcode == "add" else 1
    if kind.numpy.kind in "iu":
        limits = np.iinfo(kind.numpy)
        return int(limits.min if opcode == "maximum" else limits.max)
    return -np.inf if opcode == "maximum" else np.inf
