"""Windows of HLO: which elements of an array each result is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from popir.foreign.xla.instructions import At

Places = np.ndarray[Any, np.dtype[np.int32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


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

    def places(self, axis: int, size: int) -> tuple[Places, Mask]:
        """For each window along an axis its elements of the `size` that there are, [windows,
        elements], and which of these there are; the others, which are padding, are 0.
        """
        step = self.between[axis]
        spread = (size - 1) * step + 1 if size else 0
        reach = (self.size[axis] - 1) * self.dilation[axis] + 1
        whole = self.before[axis] + spread + self.after[axis]
        count = max(0, (whole - reach) // self.stride[axis] + 1)
        rows = np.arange(count)[:, None] * self.stride[axis] - self.before[axis]
        rows = rows + np.arange(self.size[axis]) * self.dilation[axis]
        there = (rows >= 0) & (rows < spread) & (rows % step == 0)
        return np.where(there, rows // step, 0).astype(np.int32), there


_NUMBER, _PAIR = r"\d+", r"-?\d+_-?\d+"
_FIELDS = {
    "size": _NUMBER,
    "stride": _NUMBER,
    "pad": _PAIR,
    "lhs_dilate": _NUMBER,
    "rhs_dilate": _NUMBER,
    "rhs_reversal": "[01]",
}


def window_of(at: At, rank: int) -> Window:
    """The attribute `window`. Raises ModelError for another number of dimensions."""
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
