"""GridSample: samples a field at positions that are computed at run time."""

from __future__ import annotations

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.arithmetic import accumulator_of
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.fields import KERNELS, REACH, Field, Taps
from popir.ops.support.identifiers import onnx_ids
from popir.registry import OpCreator
from popir.types import DataType

MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""Names of version 16."""
PADDINGS = ("zeros", "border", "reflection")
FLOATS = (DataType.FLOAT, DataType.DOUBLE, DataType.FLOAT16, DataType.BFLOAT16)


class GridSampleOp(Decomposition):
    """ONNX's GridSample, versions 16, 20 and 22. Inputs: a field [batch, channels, spatial...], and
    positions [batch, points..., n] in it for its n spatial dimensions, the last one first; -1 is
    the beginning and 1 the end. The result is [batch, channels, points...].

    Any number of spatial dimensions, in every mode. The field and the positions have gradients.
    """

    align_corners: bool
    mode: str
    padding_mode: str

    def decompose(self, on: Decomposer, x: Tensor, grid: Tensor) -> Tensor:
        """Sums elements of the field around each position. Raises OperatorInputError for shapes
        that do not fit, OperatorAttributeError for an unknown mode.
        """
        mode = MODES.get(self.mode, self.mode)
        for name, value, known in (
            ("mode", mode, tuple(KERNELS)),
            ("padding_mode", self.padding_mode, PADDINGS),
        ):
            if value not in known:
                raise OperatorAttributeError(
                    f"{self.debugName()}: the attribute '{name}' is {value!r}; expected is one of "
                    f"{', '.join(known)}."
                )
        shape, places = on.shape(x), on.shape(grid)
        n = len(shape) - 2
        if n < 1 or len(places) != n + 2 or places[-1] != n or places[0] != shape[0]:
            raise self.wrong(
                f"the field has shape {shape} and the positions {places}; expected are [batch, "
                "channels, spatial...] and [batch, points..., the number of spatial dimensions]."
            )
        out = [shape[0], shape[1], *places[1:-1]]
        kind = on.info(x).dataType()
        if 0 in shape[2:] and 0 not in out:
            raise self.wrong(f"the field has no elements to sample: its shape is {shape}.")
        if 0 in out:
            return on.Expand(on.like(0, x), on.ints(*out))
        wide = accumulator_of(kind) if kind in FLOATS else DataType.FLOAT
        if DataType.DOUBLE in (kind, on.info(grid).dataType()):
            wide = DataType.DOUBLE
        points = on.reshape(on.cast(grid, wide), [shape[0], -1, n])
        each: list[Tensor] = []
        for d in range(n):
            along = on.Slice(points, on.ints(n - 1 - d), on.ints(n - d), on.ints(2))
            each.append(on.Squeeze(along, on.ints(2)))
        taps = [self._taps(on, p, s, mode) for p, s in zip(each, shape[2:], strict=True)]
        y = Field(on, on.cast(x, wide)).sum(taps)
        return on.cast(on.reshape(on.Transpose(y, perm=[0, 2, 1]), out), kind)

    def _taps(self, on: Decomposer, p: Tensor, size: int, mode: str) -> Taps:
        """The taps along one dimension with `size` elements, for positions between -1 and 1."""
        # -1 is the centre of the first element, or half an element before it.
        half = (size - 1) / 2 if self.align_corners else size / 2
        x = on.Add(on.Mul(p, on.like(half, p)), on.like((size - 1) / 2, p))
        if self.padding_mode == "zeros":
            # Farther outside everything is 0 too.
            x = _between(on, x, -REACH[mode] - 1, size + REACH[mode])
            return KERNELS[mode](on, x)
        if mode != "cubic":
            x = self._inside(on, x, size)
            return KERNELS[mode](on, x)
        return [(self._inside(on, at, size), weight) for at, weight in KERNELS[mode](on, x)]

    def _inside(self, on: Decomposer, x: Tensor, size: int) -> Tensor:
        """The position within the field from which a position outside of it takes its value."""
        if self.padding_mode == "reflection":
            first = 0.0 if self.align_corners else -0.5
            x = _reflected(on, x, first, size - 1 - 2 * first)
        return _between(on, x, 0, size - 1)


def _reflected(on: Decomposer, x: Tensor, first: float, length: float) -> Tensor:
    """`x` reflected at `first` and at `first + length` until it lies between them."""
    if not length:
        return on.Mul(x, on.like(0, x))
    start, period = on.like(first, x), on.like(2 * length, x)
    x = on.Sub(x, start)
    x = on.Sub(x, on.Mul(period, on.Floor(on.Div(x, period))))
    end = on.like(length, x)
    return on.Add(on.Sub(end, on.Abs(on.Sub(x, end))), start)


def _between(on: Decomposer, x: Tensor, low: float, high: float) -> Tensor:
    return on.Clip(x, on.like(low, x), on.like(high, x))


OpCreator(GridSampleOp, onnx_ids("GridSample", 16, 20, 22))
