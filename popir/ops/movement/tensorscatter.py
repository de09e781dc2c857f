"""TensorScatter: writes new elements into the caches of a batch."""

from __future__ import annotations

import math

from popir.errors import OperatorAttributeError
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.places import (
    Indices,
    check_range,
    positions,
    row_numbers,
    scatter_rows,
    strides_of,
)
from popir.ops.support.shapes import axis
from popir.registry import OpCreator
from popir.types import DataType

_MODES = ("linear", "circular")


class TensorScatter(Decomposition):
    """ONNX's TensorScatter, version 24: the cache, with the update written along `axis`, in batch i
    from write_indices[i] on, or from 0 on without them. Mode "circular" goes on at the start.

    Deviation: of an index computed at run time, what would be written outside of the cache is left
    out; ONNX does not allow it.
    """

    axis: int
    mode: str

    def decompose(
        self, on: Decomposer, cache: Tensor, update: Tensor, write_indices: Tensor | None = None
    ) -> Tensor:
        """ScatterRows of the cache [all before the axis and the axis, all behind it]. Raises
        OperatorAttributeError for another mode and for axis 0, OperatorInputError for shapes and
        constant indices that do not fit.
        """
        if self.mode not in _MODES:
            raise OperatorAttributeError(
                f"{self._who()}: the mode is '{self.mode}'; ONNX has {' and '.join(_MODES)}."
            )
        shape, given = on.shape(cache), on.shape(update)
        along = axis(self, self.axis, len(shape))
        if along == 0:
            raise OperatorAttributeError(
                f"{self._who()}: the axis {self.axis} is the batch of {shape}; give one of the "
                "others."
            )
        size, count = shape[along], given[along] if len(given) == len(shape) else -1
        expected = [*shape[:along], count, *shape[along + 1 :]]
        if given != expected or count > size:
            raise self.wrong(
                f"the update has shape {given}, the cache {shape}; they may differ in the axis "
                f"{along} only, where the update must not have more."
            )
        if write_indices is None:
            write_indices = on.const([0] * shape[0], DataType.INT64)
        if on.shape(write_indices) != [shape[0]]:
            raise self.wrong(
                f"write_indices has shape {on.shape(write_indices)}; give [{shape[0]}], one for "
                "each cache of the batch."
            )
        is_circular = self.mode == "circular"
        if not is_circular:
            what = f"the dimension {along} of {shape} for an update of {count}"
            check_range(self, write_indices, size - count + 1, what, 0)
        outer = [*shape[:along], count]
        start = on.reshape(write_indices, [shape[0], *[1] * along])
        if is_circular:
            start = on.Mod(start, on.like(max(size, 1), start))
        place = start
        for step in positions(on, outer, [*[0] * along, 1], DataType.INT64):
            place = on.Add(place, step)
        if is_circular:
            end = on.like(size, place)
            place = on.Where(on.Less(place, end), place, on.Sub(place, end))
        part = Indices(place, size, 1, from_end=False)
        strides = strides_of(shape[: along + 1])
        bases = positions(on, outer, [*strides[:along], 0])
        rows = row_numbers(on, [part], math.prod(shape[: along + 1]), bases)
        rows = on.Expand(rows, on.ints(*outer))
        return scatter_rows(on, cache, update, rows, math.prod(shape[along + 1 :]))


OpCreator(TensorScatter, onnx_ids("TensorScatter", 24))
