"""Values of fields at positions that are computed at run time: `Field`.

A field has dimensions [groups, channels, spatial...]. Positions are tensors [groups, points], one
for each spatial dimension, in units of elements. What is sampled has dimensions
[groups, points, channels]: all channels of a point lie side by side, and are gathered as one. The
gradient reaches the field and the positions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer
from popir.types import DataType

Taps = list[tuple[Tensor, Tensor | None]]
"""Whole positions along one dimension, as floats, with their weights; None is a weight of 1."""


class Field:
    """A field [groups, channels, spatial...] of a floating-point type."""

    def __init__(self, on: Decomposer, x: Tensor) -> None:
        self.on = on
        self.groups, self.channels, *self.sizes = on.shape(x)
        self.elements = math.prod(self.sizes)
        flat = on.reshape(x, [self.groups, self.channels, self.elements])
        self._points = on.Transpose(flat, perm=[0, 2, 1])

    def sum(self, taps: Sequence[Taps]) -> Tensor:
        """The sum over one tap of each dimension, in all combinations, by the product of weights.
        Elements outside of the field are 0.
        """
        y: Tensor | None = None
        for each in itertools.product(*taps):
            value = self.at([position for position, _ in each])
            weight = self._product([w for _, w in each if w is not None])
            if weight is not None:
                value = self.on.Mul(value, self.on.Unsqueeze(weight, self.on.ints(2)))
            y = value if y is None else self.on.Add(y, value)
        assert y is not None
        return y

    def at(self, positions: Sequence[Tensor]) -> Tensor:
        """The elements at whole positions; 0 for those outside."""
        on = self.on
        index: Tensor | None = None
        inside: Tensor | None = None
        for position, size in zip(positions, self.sizes, strict=True):
            last = on.like(size - 1, position)
            within = on.And(
                on.GreaterOrEqual(position, on.like(0, position)), on.LessOrEqual(position, last)
            )
            inside = within if inside is None else on.And(inside, within)
            # Converted one by one: a float does not hold the number of every element.
            whole = on.Cast(position, to=DataType.INT32.onnx)
            if index is not None:
                whole = on.Add(on.Mul(index, on.const(size, DataType.INT32)), whole)
            index = whole
        assert index is not None and inside is not None
        # An index behind the last element gives 0, and passes no gradient on.
        return self._gathered(on.Where(inside, index, on.const(self.elements, DataType.INT32)))

    def _gathered(self, index: Tensor) -> Tensor:
        """The elements at the indices [groups, points]."""
        on = self.on
        x, given = self._points, {"axis": 1, "group_size": self.groups}
        if self.groups == 1:  # A single group is no dimension.
            x = on.reshape(x, [self.elements, self.channels])
            index, given = on.reshape(index, [-1]), {"axis": 0, "group_size": 1}
        found = on.add("ai.graphcore", "GroupedGather", 1, [x, index], 1, given)
        assert isinstance(found, Tensor)
        return on.reshape(found, [self.groups, -1, self.channels])

    def _product(self, weights: Sequence[Tensor]) -> Tensor | None:
        found: Tensor | None = None
        for weight in weights:
            found = weight if found is None else self.on.Mul(found, weight)
        return found


def nearest_tap(on: Decomposer, x: Tensor) -> Taps:
    """The whole position nearest to `x`; of two, the even one."""
    return [(on.Round(x), None)]


def linear_taps(on: Decomposer, x: Tensor) -> Taps:
    """The whole positions around `x`, weighted linearly."""
    low = on.Floor(x)
    part = on.Sub(x, low)
    one = on.like(1, x)
    return [(low, on.Sub(one, part)), (on.Add(low, one), part)]


def cubic_taps(on: Decomposer, x: Tensor, a: float = -0.75) -> Taps:
    """The four whole positions around `x`, weighted by the cubic convolution kernel of parameter
    `a`.
    """
    low = on.Floor(x)
    part = on.Sub(x, low)

    def polynomial(d: Tensor, *coefficients: float) -> Tensor:
        found = on.like(coefficients[0], x)
        for each in coefficients[1:]:
            found = on.Mul(found, d)
            if each:
                found = on.Add(found, on.like(each, x))
        return found

    near, far = (a + 2, -(a + 3), 0.0, 1.0), (a, -5 * a, 8 * a, -4 * a)
    taps: Taps = []
    for shift, coefficients in ((-1, far), (0, near), (1, near), (2, far)):
        at = on.Add(low, on.like(shift, x)) if shift else low
        # The distance from the tap is not negative.
        away = on.Add(part, on.like(1, x)) if shift == -1 else part
        away = on.Sub(on.like(shift, x), part) if shift > 0 else away
        taps.append((at, polynomial(away, *coefficients)))
    return taps


KERNELS: dict[str, Callable[[Decomposer, Tensor], Taps]] = {
    "nearest": nearest_tap,
    "linear": linear_taps,
    "cubic": cubic_taps,
}
REACH = {"nearest": 1, "linear": 1, "cubic": 2}
"""How far a tap may lie from the position."""
