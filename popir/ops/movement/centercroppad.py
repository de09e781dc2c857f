"""CenterCropPad: dimensions are made longer or shorter on both sides."""

from __future__ import annotations

import numpy as np

from popir.errors import OperatorInputError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axis
from popir.registry import OpCreator


class CenterCropPad(Decomposition):
    """ONNX's CenterCropPad, version 18: each of the dimensions `axes`, by default all, gets the
    size that the vector `shape` (INT32 or INT64, known at compile time) has for it. What is cut off
    or added, zeros, is shared by both sides; the odd one is at the end.
    """

    axes: list[int] | None

    def decompose(self, on: Decomposer, x: Tensor, shape: Tensor) -> Tensor:
        """A Slice, and a Pad. Raises OperatorInputError for sizes that are negative, or not as many
        as axes; OperatorAttributeError for an axis that is out of range or given twice.
        """
        given = on.shape(x)
        chosen = range(len(given)) if self.axes is None else self.axes
        axes = [axis(self, each, len(given)) for each in chosen]
        value = on.value(shape, "the shape")
        assert value is not None
        sizes = [int(size) for size in value.ravel()]
        if len(sizes) != len(axes) or len(set(axes)) < len(axes) or min(sizes, default=0) < 0:
            raise OperatorInputError(
                f"{self._who()}: the shape is {sizes} for the axes {axes}; expected is a size of "
                "at least 0 for each axis, and each axis once."
            )
        apart = [size - given[d] for d, size in zip(axes, sizes, strict=True)]
        starts = [max(-n, 0) // 2 for n in apart]
        ends = [start + min(given[d], s) for start, d, s in zip(starts, axes, sizes, strict=True)]
        if any(n < 0 for n in apart):
            x = on.Slice(x, on.ints(*starts), on.ints(*ends), on.ints(*axes))
        if any(n > 0 for n in apart):
            pads = np.zeros((2, len(given)), np.int64)
            for d, n in zip(axes, apart, strict=True):
                before = max(n, 0) // 2
                pads[:, d] = before, max(n, 0) - before
            x = on.Pad(x, on.ints(*pads.ravel().tolist()))
        return x


OpCreator(CenterCropPad, onnx_ids("CenterCropPad", 18))
