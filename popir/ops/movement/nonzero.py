"""NonZero: where a tensor is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, host_operator

Array = np.ndarray[Any, Any]


@host_operator(
    "ai.onnx", "NonZero", 9, 13, why="the shape of its result is the number of elements found"
)
def nonzero(call: Call, x: Array) -> Array:
    """ONNX's NonZero, versions 9 and 13: the indices of the elements that are not zero, [rank, n].
    A scalar counts as a vector of one element.
    """
    return np.array(np.nonzero(np.atleast_1d(x)), np.int64)
