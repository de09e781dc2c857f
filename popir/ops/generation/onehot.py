"""OneHot and EyeLike: one value where an index is, another one elsewhere."""

from __future__ import annotations

import numpy as np

from popir import memory
from popir.ir import Op, Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axis
from popir.registry import OpCreator
from popir.types import DataType

_MOST_CLASSES = 2**31 - 1


class OneHot(Decomposition):
    """ONNX's OneHot, versions 9, 11 and 28: for each index a new dimension `axis` of `depth`
    elements, which are values[1] at the index and values[0] elsewhere. Negative indices count from
    the end, and one outside of [-depth, depth) has values[0] everywhere. The depth must be known at
    compile time.
    """

    axis: int

    def decompose(self, on: Decomposer, indices: Tensor, depth: Tensor, values: Tensor) -> Tensor:
        """A comparison and a selection. Raises OperatorInputError for a depth that is not one
        number of 0 or more, and for values that are not two.
        """
        # An initializer of a floating-point type is a weight, but nothing trains this one.
        given = on.value(depth, "the depth") if depth.data is None else depth.data
        assert given is not None
        if given.size != 1 or not 0 <= given.item() <= _MOST_CLASSES:
            raise self.wrong(
                f"the depth is {given.tolist()}; it must be one number in [0, {_MOST_CLASSES}]."
            )
        if on.shape(values) != [2]:
            raise self.wrong(
                f"the values have shape {on.shape(values)}; give [2], the value elsewhere and "
                "that at the index."
            )
        classes, shape = int(given.item()), on.shape(indices)
        along = axis(self, self.axis, len(shape) + 1)
        i = on.cast(indices, DataType.INT64)
        zero, end = on.like(0, i), on.like(classes, i)
        i = on.Where(on.Less(i, zero), on.Add(i, end), i)
        # What fits is compared in 32 bits, which is faster.
        i = on.Where(on.Less(i, end), on.Max(i, on.like(-1, i)), on.like(-1, i))
        i = on.Cast(i, to=DataType.INT32.onnx)
        i = on.reshape(i, [*shape[:along], 1, *shape[along:]])
        memory.require(self._who(), 4 * classes)
        numbers = on.const(np.arange(classes, dtype=np.int32))
        numbers = on.reshape(numbers, [classes, *[1] * (len(shape) - along)])
        off, hot = (on.Gather(values, on.const(n, DataType.INT64), axis=0) for n in (0, 1))
        return on.Where(on.Equal(i, numbers), hot, off)


class EyeLike(Decomposition):
    """ONNX's EyeLike, versions 9 and 22: ones on the diagonal `k` of a matrix of the input's shape,
    and zeros elsewhere; of the type `dtype`, or the input's.
    """

    dtype: int | None
    k: int

    def decompose(self, on: Decomposer, x: Tensor) -> Tensor:
        """A comparison of row and column. Raises OperatorInputError for an input that is no
        matrix.
        """
        shape = on.shape(x)
        if len(shape) != 2:
            raise self.wrong(f"the input has shape {shape}; EyeLike takes a matrix.")
        kind = on.info(x).dataType() if self.dtype is None else DataType.of(self.dtype)
        rows = on.const(np.arange(shape[0]) + self.k, DataType.INT64)
        columns = on.const(np.arange(shape[1]), DataType.INT64)
        return on.cast(on.Equal(on.reshape(rows, [shape[0], 1]), columns), kind)

    getGradOps = Op.getGradOps


OpCreator(OneHot, onnx_ids("OneHot", 9, 11, 28))
OpCreator(EyeLike, onnx_ids("EyeLike", 9, 22))
