"""Equal on strings. On numbers it runs on the device (`popir.ops.elementwise.table`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, host_operator, shown

Array = np.ndarray[Any, Any]


@host_operator("ai.onnx", "Equal", 19, why="it handles strings")
def equal(call: Call, x: Array, y: Array) -> Array:
    """Equal, version 19, on strings, which broadcast."""
    try:
        return np.asarray(np.equal(x, y), bool)
    except ValueError:
        raise call.wrong(
            f"the inputs are {shown(x)} and {shown(y)}, which do not broadcast."
        ) from None
