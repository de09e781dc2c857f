"""Convolutions of HLO, and reductions of windows, as operators of ONNX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from popir.foreign.xla.instructions import At, Operand, operator
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


@operator("reduce-window", 2)
def _reduce_window(at: At, x: Operand, start: Operand) -> str:
    """One dimension after the other, for numbers of floating point and integers of 4 bytes."""
    if start.dims or start.kind is not x.kind:
        raise at.wrong("its second operand must be one number of the type of the first")
    opcode = combination(at)
    if opcode not in REDUCTIONS or x.kind is DataType.BOOL:
        raise at.wrong(f"a reduction of windows by {opcode} of {x.kind.name} is not known here")
    reduction, combined = REDUCTIONS[opcode]
    dims = [*x.dims]
    window = _window(at, len(dims))
    # What is between and around the elements changes no result: it is the operator's identity.
    floats = x.kind.numpy.kind not in "iu"
    limits = (
        (-np.inf, np.inf) if floats else (np.iinfo(x.kind.numpy).min, np.iinfo(x.kind.numpy).max)
    )
    identity = {"add": 0, "multiply": 1, "maximum": limits[0], "minimum": limits[1]}[opcode]
    value = _padded(at, x.id, dims, window, range(len(dims)), at.constant(identity, x.kind))
    for axis, size in enumerate(window.size):
        reach = (size - 1) * window.dilation[axis] + 1
        count = max(0, (dims[axis] - reach) // window.stride[axis] + 1)
        if size == 1 and window.stride[axis] == 1:
            continue
        if count * size * math.prod(dims) // max(1, dims[axis]) >= 1 << 31:
            raise at.wrong("its windows have 2^31 elements or more, which is not possible here")
        rows = np.arange(count)[:, None] * window.stride[axis]
        rows = rows + np.arange(size)[None] * window.dilation[axis]
        value = at.on.gather([value, at.on.constant(rows.astype(np.int32))], axis)
        value = getattr(at.on, reduction)([value, at.ints([axis + 1])], 0)
        dims[axis] = count
    return getattr(at.on, combined)([value, start.id])
