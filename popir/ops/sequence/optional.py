"""ONNX's operators on optional values."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.host import Call, HostValue, host_operator

Array = np.ndarray[Any, Any]
WHY = "a device program holds no optional value"


@host_operator("ai.onnx", "Optional", 15, 28, why=WHY)
def optional(call: Call, value: HostValue = None) -> HostValue:
    """ONNX's Optional, versions 15 and 28: the value as an optional one, or an empty one, which has
    the attribute `type`.
    """
    if value is None and call["type"] is None:
        raise call.wrong("it has no input; then it needs the attribute 'type'.")
    return value


@host_operator("ai.onnx", "OptionalHasElement", 15, 18, 28, why=WHY)
def has_element(call: Call, value: HostValue = None) -> Array:
    """ONNX's OptionalHasElement, versions 15, 18 and 28: whether an optional value is not empty."""
    return np.array(value is not None)


@host_operator("ai.onnx", "OptionalGetElement", 15, 18, 28, why=WHY)
def get_element(call: Call, value: HostValue) -> HostValue:
    """ONNX's OptionalGetElement, versions 15, 18 and 28: what an optional value holds.

    Raises OperatorInputError for an empty one.
    """
    if value is None:
        raise call.wrong("the optional value is empty; OptionalHasElement says so beforehand.")
    return value
