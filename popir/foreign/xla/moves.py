"""The operators of HLO that move elements, as operators of ONNX."""

from __future__ import annotations

import math
import re

import numpy as np

from popir import memory
from popir.foreign.xla.instructions import At, Operand, operator

operator("copy", 1, elementwise=True)(lambda at, x: x.id)


@operator("reshape", 1)
def _reshape(at: At, x: Operand) -> str:
    if math.prod(x.dims) != math.prod(at.result.dims):
        raise at.wrong(f"{list(x.dims)} has another number of elements than {at.result}")
    return at.reshape(x.id, at.result.dims)


@operator("broadcast", 1)
def _broadcast(at: At, x: Operand) -> str:
    """Dimension i of the operand becomes dimension dimensions[i] of the result."""
    to = at.result.dims
    dims = at.numbers("dimensions", len(to))
    if [*x.dims] != [to[d] for d in dims]:
        raise at.wrong(f"the dimensions {dims} of {list(to)} are not those of {list(x.dims)}")
    order = sorted(range(len(dims)), key=dims.__getitem__)
    found = x.id if order == [*range(len(dims))] else at.on.transpose([x.id], order)
    found = at.reshape(found, [n if d in dims else 1 for d, n in enumerate(to)])
    return at.on.expand([found, at.ints(to)])


@operator("transpose", 1)
def _transpose(at: At, x: Operand) -> str:
    order = at.numbers("dimensions", len(x.dims))
    if len(order) != len(x.dims):
        raise at.wrong(f"its dimensions are {order}; {list(x.dims)} has {len(x.dims)}")
    return at.on.transpose([x.id], order) if order else x.id


@operator("slice", 1)
def _slice(at: At, x: Operand) -> str:
    text = at.each.attributes.get("slice", "")
    row = r"\[\d+:\d+(:\d+)?\]"
    if not re.fullmatch(rf"\{{({row}(\s*,\s*{row})*)?\}}", text):
        raise at.wrong(f"its slice is {text!r}; expected is such as {{[0:2], [1:9:3]}}")
    rows = [[*map(int, part.split(":"))] for part in re.findall(r"\[([\d:]*)\]", text)]
    starts, ends = [row[0] for row in rows], [row[1] for row in rows]
    steps = [row[2] if len(row) > 2 else 1 for row in rows]
    inside = all(0 <= a <= b <= n for a, b, n in zip(starts, ends, x.dims, strict=False))
    if len(rows) != len(x.dims) or not inside or 0 in steps:
        raise at.wrong(f"its slice is {text}, which {list(x.dims)} has not")
    return at.slice(x.id, starts, ends, steps) if rows else x.id


@operator("concatenate", None)
def _concatenate(at: At, *operands: Operand) -> str:
    axes = at.numbers("dimensions", len(at.result.dims))
    if len(axes) != 1:
        raise at.wrong(f"its dimensions are {axes}; expected is one")
    return at.on.concat([each.id for each in operands], axes[0])


@operator("reverse", 1)
def _reverse(at: At, x: Operand) -> str:
    axes = at.numbers("dimensions", len(x.dims))
    return at.reversed(x.id, axes)


@operator("pad", 2)
def _pad(at: At, x: Operand, value: Operand) -> str:
    """Elements before and behind, or fewer if negative; and between any two, which come first."""
    text = at.each.attributes.get("padding", "")
    row = r"-?\d+_-?\d+(_\d+)?"
    if not re.fullmatch(rf"({row}(x{row})*)?", text):
        raise at.wrong(f"its padding is {text!r}; expected is such as 1_2x0_0_1")
    rows = [[*map(int, part.split("_"))] for part in text.split("x")] if text else []
    if len(rows) != len(x.dims) or value.dims:
        raise at.wrong(f"its padding is {text!r}, for {list(x.dims)} and one value")
    found, dims = x.id, [*x.dims]
    for axis, between in ((i, row[2]) for i, row in enumerate(rows) if len(row) > 2 and row[2]):
        found = at.spaced(found, dims, axis, between, value.id)
    pads = [row[0] for row in rows] + [row[1] for row in rows]
    return at.on.pad([found, at.ints(pads), value.id]) if any(pads) else found


@operator("iota", 0)
def _iota(at: At) -> str:
    dims = at.result.dims
    axis = at.number("iota_dimension", len(dims))
    info = at.result.info()
    memory.require(f"Line {at.each.line} of the HLO module", info.nbytes())
    sizes = [n if d == axis else 1 for d, n in enumerate(dims)]
    values = np.arange(dims[axis]).reshape(sizes).astype(info.dataType().numpy)
    return at.on.constant(np.ascontiguousarray(np.broadcast_to(values, dims)))
