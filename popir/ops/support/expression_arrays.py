"""Evaluates element-wise expressions on numpy arrays, for constant folding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from popir.ops.support.symbolic import Arg, Call, Const, Expr

Array = np.ndarray[Any, Any]


def _divide(a: Array, b: Array) -> Array:
    """a / b as on the device: integers are truncated towards zero."""
    if np.result_type(a, b).kind not in "iu":
        return np.divide(a, b)
    return np.floor_divide(a - np.fmod(a, b), b)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Divide": _divide,
    "Rem": np.fmod,
    "Max": np.maximum,
    "Min": np.minimum,
    "Neg": np.negative,
    "Abs": np.abs,
    "Sqrt": np.sqrt,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Lt": np.less,
    "Lte": np.less_equal,
    "Gt": np.greater,
    "Gte": np.greater_equal,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Not": np.logical_not,
    "Select": lambda a, b, condition: np.where(condition, a, b),
}
"""The functions for which numpy gives the same bits as the device."""


def to_array(e: Expr, operands: Sequence[Array]) -> Any:
    """The value of `e`; None if it has a function that numpy might compute differently from the
    device.
    """
    if isinstance(e, Arg):
        return operands[e.index]
    if isinstance(e, Const):
        return e.value
    assert isinstance(e, Call)
    arguments = [to_array(a, operands) for a in e.args]
    function = _FUNCTIONS.get(e.name)
    if function is None or any(a is None for a in arguments):
        return None
    with np.errstate(all="ignore"):
        return function(*arguments)
