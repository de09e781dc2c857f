"""Compress: the slices that a condition selects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popir.errors import LeavesDeviceError
from popir.host import Call, host_operator
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer, Decomposition
from popir.ops.support.identifiers import onnx_ids
from popir.ops.support.shapes import axis
from popir.registry import OpCreator
from popir.types import DataType

Array = np.ndarray[Any, Any]


class Compress(Decomposition):
    """ONNX's Compress, versions 9, 11 and 28: the slices along `axis`, or the elements of the data
    taken flat, for which the condition is true. A condition that is shorter selects none of the
    rest; what a longer one has more is not read, as in onnxruntime (ONNX does not say). One that is
    computed at run time makes a ragged tensor (`popir.onnxio.ragged`), or takes the operator to the
    host.
    """

    axis: int | None

    def decompose(self, on: Decomposer, x: Tensor, condition: Tensor) -> Tensor:
        """A Gather at constant indices. Raises OperatorInputError for a condition that is computed
        at run time, or is no vector.
        """
        shape = on.shape(x)
        along = 0 if self.axis is None else axis(self, self.axis, len(shape))
        size = math.prod(shape) if self.axis is None else shape[along]
        if not condition.isConst() or condition.data is None:
            raise LeavesDeviceError(
                f"{self.opid} '{self.name()}': the condition '{condition.id}' is computed at run "
                "time, and the shape of the output depends on it: a device program has fixed "
                "shapes. Make it a constant, or keep the shape, with Where(condition, x, 0)."
            )
        if condition.data.ndim != 1:
            raise self.wrong(
                f"the condition has shape {list(condition.data.shape)}; it must be [n], with n up "
                f"to {size}, the slices that it selects from."
            )
        if self.axis is None:
            x = on.reshape(x, [size])
        taken = np.flatnonzero(condition.data[:size])
        return on.Gather(x, on.const(taken, DataType.INT64), axis=along)


OpCreator(Compress, onnx_ids("Compress", 9, 11, 28))


@host_operator("ai.onnx", "Compress", 9, 11, 28, why="its condition is computed at run time")
def compress(call: Call, x: Array, condition: Array) -> Array:
    """Compress with a condition that is known only at run time."""
    if call["axis"] is None:
        x, along = x.reshape(-1), 0
    else:
        along = call.axis(x.ndim)
    if condition.ndim != 1:
        raise call.wrong(
            f"the condition has shape {list(condition.shape)}; it must be [n], with n up to "
            f"{x.shape[along]}, the slices that it selects from."
        )
    return np.take(x, np.flatnonzero(condition[: x.shape[along]]), along)
