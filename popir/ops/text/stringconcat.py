"""StringConcat: joins strings element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, host_operator, shown, strings
from popir.memory import require

Array = np.ndarray[Any, Any]


@host_operator("ai.onnx", "StringConcat", 20, why="it handles strings")
def string_concat(call: Call, x: Array, y: Array) -> Array:
    """ONNX's StringConcat, version 20: the strings of both inputs, which broadcast, joined."""
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise call.wrong(
            f"the inputs are {shown(x)} and {shown(y)}, which do not broadcast."
        ) from None
    require(call.who, 64 * int(np.prod(shape, dtype=object)))
    pairs = zip(np.broadcast_to(x, shape).flat, np.broadcast_to(y, shape).flat, strict=True)
    return strings([a + b for a, b in pairs], shape)
