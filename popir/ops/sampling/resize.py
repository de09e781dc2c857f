"""Resize and Upsample: samples a tensor at other positions along its axes, one axis at a time.

An output element at o along an axis lies at a position x(o) of the input, by the coordinate
transformation. It is the nearest element there, or a weighted sum of the `taps` around x:

    y[o] = sum_k weight[o, k] * x[index[o, k]]

Indices and weights are constants. If the sizes have a ratio of small numbers, such as 2 or 3/2, the
positions repeat: each of few phases is a sum of Slices, and the phases are interleaved. Otherwise a
tap is a Gather, or, of many taps as an antialiasing filter has, all are one Gather of
[outputs, taps]. Memory is linear in input and output.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Tensor
from popir.ir.traits import Array
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axes as sorted_axes
from popir.ops.support.shapes import axis as counted
from popir.ops.support.taking import take
from popir.registry import OpCreator
from popir.types import DataType

F = np.float32
"""The type in which the nearest element is found: by the exact value of a scale such as 0.6 in
float, positions between two elements would fall on the other side. Interpolation, which does not
jump, takes positions in double.
"""
CROP = "tf_crop_and_resize"
FLOATS = (DataType.FLOAT, DataType.DOUBLE, DataType.FLOAT16, DataType.BFLOAT16)
_MOST_TAPS = 4
"""The most taps that are an operator each."""
_MOST_PHASES = 8
_LAST_AXIS = 3.0
"""What gathering single elements costs, where rows of elements cost 1."""
_INTERLEAVED = 0.1
"""The same of phases along the last axis. What follows would read them element by element, so that
they are best left to the end.
"""


@dataclass(frozen=True)
class Line:
    """One axis: how many elements it has and shall have, and the part of it to be resized."""

    axis: int
    old: int
    new: int
    scale: float
    start: float = 0.0
    end: float = 1.0


def _half_pixel(o: Array, line: Line) -> Array:
    kind = o.dtype.type
    return (o + kind(0.5)) / kind(line.scale) - kind(0.5)


def _symmetric(o: Array, line: Line) -> Array:
    kind = o.dtype.type
    adjustment = kind(line.new) / (kind(line.scale) * kind(line.old))
    return kind(line.old) / kind(2) * (kind(1) - adjustment) + _half_pixel(o, line)


def _pytorch(o: Array, line: Line) -> Array:
    return _half_pixel(o, line) if line.new > 1 else np.zeros_like(o)


def _aligned(o: Array, line: Line) -> Array:
    if line.new == 1:
        return np.zeros_like(o)
    kind = o.dtype.type
    return o * kind(line.old - 1) / kind(line.new - 1)


def _cropped(o: Array, line: Line) -> Array:
    kind = o.dtype.type
    start, end, last = kind(line.start), kind(line.end), kind(line.old - 1)
    if line.new == 1:
        return np.full_like(o, kind(0.5) * (start + end) * last)
    return start * last + o * (end - start) * last / kind(line.new - 1)


COORDINATES: dict[str, Callable[[Array, Line], Array]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _symmetric,
    "pytorch_half_pixel": _pytorch,
    "align_corners": _aligned,
    "asymmetric": lambda o, line: o / o.dtype.type(line.scale),
    "tf_half_pixel_for_nn": lambda o, line: (o + o.dtype.type(0.5)) / o.dtype.type(line.scale),
    CROP: _cropped,
}
"""The position of output elements, by the value of `coordinate_transformation_mode`."""

_BOTH = (
    "Resize op has inputs for `sizes` and `scales`. Only one of these tensors should be present. "
    "If `sizes` is needed, please pass an empty string as the name of `scales` in the input list ( "
    "resize([X, roi, '', sizes]) ). If the proto is not generated from the PopART Builder, please "
    "confirm that only one of the two tensors shall have data."
)
"""PopART's words for two sizes of the output."""
PYTORCH = "pytorch"
"""PopART's nearest_mode for the element that PyTorch takes, whatever the transformation."""
NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - F(0.5)),
    "round_prefer_ceil": lambda x: np.floor(x + F(0.5)),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _triangle(distance: Array) -> Array:
    return np.maximum(1 - np.abs(distance), 0)


def _keys(a: float, distance: Array) -> Array:
    """The cubic convolution kernel with parameter `a`."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def taps(
    x: Array, size: int, kernel: Callable[[Array], Array], reach: int, squeeze: float, inside: bool
) -> tuple[Array, Array]:
    """Indices and weights, [outputs, taps], of the elements around the positions `x`.

    The kernel reaches `reach` elements to either side; `squeeze` < 1 widens it by its inverse. With
    `inside`, indices beyond the `size` elements have the weight 0. The weights of an output sum
    to 1.
    """
    span = math.ceil(reach / squeeze)
    first = np.floor(x).astype(np.int64) - span + 1
    at = first[:, None] + np.arange(2 * span)
    weights = kernel((at - x[:, None]) * squeeze)
    if inside:
        weights = np.where((at >= 0) & (at < size), weights, 0)
    used = weights.any(0)
    return at[:, used], (weights / weights.sum(1, keepdims=True))[:, used]


class ResizeOp(Decomposition):
    """ONNX's Resize, versions 10, 11, 13, 18 and 19: input 0 with other sizes along its axes, by
    the nearest element, or by linear or cubic interpolation.

    Inputs 1 to 3 are regions, scales and sizes, in version 10 input 1 the scales; they must be
    known at compile time. The mode of version 10 takes the element before a position between two
    when it enlarges, and the one after it when it makes smaller, as onnxruntime does.

    Results for integers are cut off after the point, and limited to the range of the type.

    Deviation: with `tf_crop_and_resize` and scales, the size is that of the whole axis times the
    scale, as in onnxruntime and ONNX's reference; ONNX's text multiplies by that of the region too.
    """

    constantInputs = frozenset({1, 2, 3})
    mode: str
    coordinate_transformation_mode: str | None
    nearest_mode: str | None
    cubic_coeff_a: float | None
    exclude_outside: bool | None
    extrapolation_value: float | None
    antialias: bool | None
    axes: list[int] | None
    keep_aspect_ratio_policy: str | None

    def decompose(self, on: Decomposer, x: Tensor, *given: Tensor | None) -> Tensor:
        """Gathers and weighted sums, axis by axis.

        Raises OperatorInputError for regions, scales and sizes that do not fit,
        OperatorAttributeError for an unknown mode.
        """
        roi, scales, sizes = [*([None] * (self.opid.version == 10)), *given, None, None, None][:3]
        self._check_modes()
        lines = self.lines(
            on.shape(x),
            on.value(roi, "the region") if self._transformation() == CROP else None,
            on.value(scales, "the scales"),
            on.value(sizes, "the sizes"),
        )
        for line in lines:
            if not line.old and line.new:
                raise self.wrong(f"axis {line.axis} has no elements to make {line.new} of.")
        moving = [line for line in lines if self._moves(line)]
        shape = on.shape(x)
        for line in lines:
            shape[line.axis] = line.new
        if 0 in shape:
            return on.Expand(on.like(0, x), on.ints(*shape))
        if self.mode == "nearest":
            y = x
            for line in ordered(on.shape(x), moving):
                at = self._nearest(line)
                y = weighted(on, y, line.axis, at[:, None], np.ones([len(at), 1]))
        elif on.info(x).dataType() is DataType.BOOL:
            raise self.wrong(
                f"the input is {on.info(x)}, which the mode {self.mode} cannot interpolate; "
                "give it the mode nearest, or Cast the input."
            )
        else:
            y = self._interpolated(on, x, moving)
        return self._extrapolated(on, y, moving)

    def lines(
        self, shape: list[int], roi: Array | None, scales: Array | None, sizes: Array | None
    ) -> list[Line]:
        """The axes that the inputs name. Raises OperatorInputError if the inputs do not fit them,
        OperatorAttributeError for axes out of range.
        """
        rank = len(shape)
        if self.axes is not None:
            sorted_axes(self, self.axes, rank)
        named = range(rank) if self.axes is None else [counted(self, a, rank) for a in self.axes]
        if scales is not None and not scales.size and self.opid.version < 18:
            scales = None  # Before version 13 an empty tensor says that it is left out.
        if sizes is not None and not sizes.size and rank:
            sizes = None
        if (scales is None) == (sizes is None):
            given = "neither scales nor sizes" if sizes is None else "both scales and sizes"
            raise OperatorInputError(
                f"{self._who()}: given are {given}; expected is one of the two.",
                popart=_BOTH if sizes is not None else None,
            )
        chosen = scales if scales is not None else sizes
        what = "scales" if scales is not None else "sizes"
        assert chosen is not None
        numbers = chosen.reshape(-1)
        if len(numbers) != len(named):
            raise self.wrong(
                f"the {what} are {numbers.tolist()}; expected is one for each of the axes "
                f"{list(named)}."
            )
        good = numbers > 0 if scales is not None else numbers >= 0
        if not np.all(good & np.isfinite(numbers)):
            raise self.wrong(f"the {what} are {numbers.tolist()}; all of them must be positive.")
        if self._transformation() != CROP:
            region = [0.0] * len(named) + [1.0] * len(named)
        else:
            region = [] if roi is None else roi.reshape(-1).tolist()
            if len(region) != 2 * len(named) or not np.all(np.abs(region) < 2**31):
                raise self.wrong(
                    f"the region is {region or None}; {CROP} takes a start for each of the axes "
                    f"{list(named)}, then an end for each, all of them less than 2^31."
                )
        found: list[Line] = []
        ratio = self._ratio([shape[a] for a in named], numbers) if scales is None else None
        for i, a in enumerate(named):
            old = shape[a]
            if scales is not None:
                scale = float(F(numbers[i]))
                new = math.floor(F(min(float(F(old)) * scale, 2.0**31)))
            elif ratio is None:
                new = int(numbers[i])
                scale = new / max(old, 1)
            else:
                new = math.floor(ratio * old + 0.5)
                scale = ratio
            if new >= 2**31:
                raise self.wrong(
                    f"the {what} are {numbers.tolist()}; an axis of {old} elements would have "
                    "2^31 or more, and popir makes less."
                )
            start, end = region[i], region[i + len(named)]
            found.append(Line(a, old, max(new, 0), scale, start, end))
        return found

    def _ratio(self, old: list[int], sizes: Array) -> float | None:
        """The one scale of all axes, or None if each has its own."""
        policy = self.keep_aspect_ratio_policy or "stretch"
        if policy == "stretch" or not old:
            return None
        ratios = [int(new) / max(size, 1) for size, new in zip(old, sizes, strict=True)]
        return min(ratios) if policy == "not_larger" else max(ratios)

    def _transformation(self) -> str:
        """How positions are transformed; versions without the attribute have one way."""
        return self.coordinate_transformation_mode or "asymmetric"

    def _check_modes(self) -> None:
        for name, known in (
            ("mode", ("nearest", "linear", "cubic")),
            ("coordinate_transformation_mode", tuple(COORDINATES)),
            ("nearest_mode", (*NEAREST, PYTORCH)),
            ("keep_aspect_ratio_policy", ("stretch", "not_larger", "not_smaller")),
        ):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {value!r}; expected is one of "
                    f"{', '.join(known)}."
                )

    def _moves(self, line: Line) -> bool:
        """Whether anything changes along the axis."""
        if self._transformation() == CROP:
            return line.new != line.old or (line.start, line.end) != (0.0, 1.0)
        return line.new != line.old or line.scale != 1

    def positions(self, line: Line, kind: type[np.floating[Any]] = F) -> Array:
        """The position in the input of each output element along the axis, computed in `kind`."""
        return COORDINATES[self._transformation()](np.arange(line.new, dtype=kind), line)

    def _nearest(self, line: Line) -> Array:
        x = self.positions(line)
        if self.nearest_mode == PYTORCH:
            found = np.floor(COORDINATES["asymmetric"](np.arange(line.new, dtype=F), line))
        elif self.nearest_mode is not None:
            found = NEAREST[self.nearest_mode](x)
        else:
            found = np.ceil(x) if line.scale < 1 else np.trunc(x)
        return found.astype(np.int64)

    def _taps(self, line: Line) -> tuple[Array, Array]:
        x = self.positions(line, np.float64)
        near = np.rint(x)
        x = np.where(np.abs(x - near) < 1e-9, near, x)  # So that one element is enough there.
        if self._transformation() == CROP:
            x = np.clip(x, 0, line.old - 1)  # What lies outside is replaced.
        a = -0.75 if self.cubic_coeff_a is None else self.cubic_coeff_a
        kernel, reach = (_triangle, 1) if self.mode == "linear" else (partial(_keys, a), 2)
        squeeze = min(line.scale, 1.0) if self.antialias else 1.0
        return taps(x, line.old, kernel, reach, squeeze, bool(self.exclude_outside))

    def _interpolated(self, on: Decomposer, x: Tensor, lines: Sequence[Line]) -> Tensor:
        kind = on.info(x).dataType()
        wide = accumulator_of(kind) if kind in FLOATS else DataType.FLOAT
        y = on.cast(x, wide)
        for line in ordered(on.shape(x), lines):
            y = weighted(on, y, line.axis, *self._taps(line))
        if kind not in FLOATS:
            limits = np.iinfo(kind.numpy)
            y = on.Clip(y, on.const(limits.min, wide), on.const(limits.max, wide))
        return on.cast(y, kind)

    def _extrapolated(self, on: Decomposer, y: Tensor, lines: Sequence[Line]) -> Tensor:
        if self._transformation() != CROP:
            return y
        value = on.like(self.extrapolation_value or 0, y)
        for line in lines:
            x = self.positions(line)
            outside = (x < 0) | (x > line.old - 1)
            if outside.any():
                mask = outside.reshape([-1, *[1] * (len(on.shape(y)) - 1 - line.axis)])
                y = on.Where(on.const(mask), value, y)
        return y


class UpsampleOp(ResizeOp):
    """ONNX's Upsample, versions 1, 7 and 9: Resize by scales, with positions from the first element
    on. The scales are an attribute before version 9, in version 1 one each for height and width.
    ONNX has withdrawn it in opset 10; models that have it there get version 9.
    """

    scales: list[float] | None
    height_scale: float | None
    width_scale: float | None
    coordinate_transformation_mode = None
    nearest_mode = None
    cubic_coeff_a = None
    exclude_outside = None
    extrapolation_value = None
    antialias = None
    axes = None
    keep_aspect_ratio_policy = None

    def decompose(self, on: Decomposer, x: Tensor, *given: Tensor | None) -> Tensor:
        """As Resize of version 10. Raises OperatorInputError for a scale below 1 as well."""
        scales = self.scales
        if self.mode == "bilinear":
            self.mode = "linear"  # so called in version 1
        if self.opid.version == 1:
            if len(on.shape(x)) != 4:
                raise self.wrong(f"the input has shape {on.shape(x)}; expected are 4 dimensions.")
            scales = [1.0, 1.0, self.height_scale or 1.0, self.width_scale or 1.0]
        if scales is None:
            value = on.value(given[0] if given else None, "the scales")
            scales = [] if value is None else value.reshape(-1).tolist()
        if scales and min(scales) < 1:
            raise self.wrong(f"the scales are {scales}; Upsample has none below 1.")
        return super().decompose(on, x, None, on.const(scales, DataType.FLOAT))


def ordered(shape: list[int], lines: Sequence[Line]) -> Sequence[Line]:
    """The order of the axes in which least is computed."""

    def each(line: Line) -> float:
        if line.axis < len(shape) - 1:
            return 1
        phases = line.new // math.gcd(line.new, line.old)
        return _INTERLEAVED if 1 < phases <= _MOST_PHASES else _LAST_AXIS

    def cost(order: Sequence[Line]) -> float:
        sizes, total = list(shape), 0.0
        for line in order:
            sizes[line.axis] = line.new
            total += math.prod(sizes) * each(line)
        return total

    return min(itertools.permutations(lines), key=cost) if len(lines) < 5 else lines


def weighted(on: Decomposer, x: Tensor, axis: int, at: Array, weights: Array) -> Tensor:
    """The weighted sums of elements along an axis: `at` and `weights` are [outputs, taps]. Beyond
    both ends lie copies of the outermost elements.
    """
    size, (count, number) = on.shape(x)[axis], at.shape
    divisor = math.gcd(size, count)
    phases, step = count // divisor, size // divisor
    if phases <= _MOST_PHASES and number <= _MOST_TAPS:
        first = at[:phases]
        if np.array_equal(at, (first + step * np.arange(divisor)[:, None, None]).reshape(at.shape)):
            return _interleaved(on, x, axis, first, weights.reshape([divisor, phases, number]))
    at = np.clip(at, 0, size - 1)
    if number <= _MOST_TAPS:
        return _sum(on, x, axis, [take(on, x, axis, each) for each in at.T], weights)
    behind = [1] * (len(on.shape(x)) - 1 - axis)
    factors = on.like(weights.reshape([*weights.shape, *behind]), x)
    each = on.Mul(on.Gather(x, on.const(at), axis=axis), factors)
    return on.ReduceSum(each, on.ints(axis + 1), keepdims=0)


def _interleaved(on: Decomposer, x: Tensor, axis: int, first: Array, weights: Array) -> Tensor:
    """The sums whose positions repeat: `first` is [phases, taps], the indices of the first output
    of each phase; `weights` is [outputs of a phase, phases, taps].
    """
    shape = on.shape(x)
    size, (each, phases) = shape[axis], weights.shape[:2]
    step = size // each
    before = max(0, -int(first.min()))
    after = max(0, int(first.max()) + step * (each - 1) - (size - 1))
    if before or after:
        x = on.Pad(x, on.ints(before, after), None, on.ints(axis), mode="edge")
    parts: list[Tensor] = []
    for p in range(phases):
        at = first[p, :, None] + before + step * np.arange(each)
        parts.append(_sum(on, x, axis, [take(on, x, axis, k) for k in at], weights[:, p]))
    if phases == 1:
        return parts[0]
    wide = [*shape[:axis], each, 1, *shape[axis + 1 :]]
    joined = on.Concat(*(on.reshape(part, wide) for part in parts), axis=axis + 1)
    return on.reshape(joined, [*shape[:axis], each * phases, *shape[axis + 1 :]])


def _sum(on: Decomposer, x: Tensor, axis: int, each: Sequence[Tensor], weights: Array) -> Tensor:
    """The sum of tensors by weights [elements along the axis, tensors]."""
    behind = [1] * (len(on.shape(x)) - 1 - axis)
    y: Tensor | None = None
    for term, weight in zip(each, weights.T, strict=True):
        factor = weight[0] if (weight == weight[0]).all() else weight.reshape([-1, *behind])
        if np.any(factor != 1):
            term = on.Mul(term, on.like(factor, x))
        y = term if y is None else on.Add(y, term)
    assert y is not None
    return y


OpCreator(ResizeOp, onnx_ids("Resize", 10, 11, 13, 18, 19))
OpCreator(UpsampleOp, onnx_ids("Upsample", 1, 7, 9))
