"""What the models of ai.onnx.ml do with their scores: transforms, and labels of classes.

The transforms are written twice: for the operators of the host, and as operators of the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from popir.host import Call, strings
from popir.ir import Tensor
from popir.ops.support.decomposition import Decomposer
from popir.types import DataType

Array = np.ndarray[Any, Any]

NAMES = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""The transforms, by the numbers that TreeEnsemble has for them."""

_ZERO = 1e-7
"""What SOFTMAX_ZERO leaves at zero."""

# M. Giles, "Approximating the erfinv function", single precision: near 0, and towards 1.
_NEAR = (
    *(2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087),
    *(-0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
)
_FAR = (
    *(-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773),
    *(-0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
)


def unknown(name: Any) -> str:
    """What is wrong with the name of a transform; "" if it is one."""
    if name in NAMES:
        return ""
    return f"the attribute 'post_transform' is {name!r}; expected is one of {', '.join(NAMES)}."


def checked(call: Call) -> str:
    """The transform that a node names. Raises OperatorAttributeError for an unknown one."""
    name = call["post_transform"]
    if why := unknown(name):
        raise call.wrong_attribute(why)
    return name


def transformed(scores: Array, name: str) -> Array:
    """Scores [n, classes] after a transform."""
    return _ON_HOST[name](scores) if scores.size else scores


def _softmax(x: Array) -> Array:
    power = np.exp(x - x.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def _softmax_zero(x: Array) -> Array:
    power = np.where(np.abs(x) > _ZERO, np.exp(x - x.max(axis=1, keepdims=True)), 0)
    total = power.sum(axis=1, keepdims=True)
    return power / np.where(total == 0, 1, total)


def logistic(x: Array) -> Array:
    """`1 / (1 + exp(-x))`"""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _probit(p: Array) -> Array:
    x = 2 * p - 1
    w = -np.log((1 - x) * (1 + x))
    near, far = w - 2.5, np.sqrt(np.maximum(w, 0)) - 3
    root = np.where(w < 5, np.polyval(_NEAR, near), np.polyval(_FAR, far))
    ends = np.where(np.abs(x) == 1, np.copysign(np.inf, x), np.sqrt(2) * x * root)
    return np.where(np.abs(x) <= 1, ends, np.nan)


_ON_HOST: dict[str, Callable[[Array], Array]] = {
    "NONE": lambda x: x,
    "SOFTMAX": _softmax,
    "LOGISTIC": logistic,
    "SOFTMAX_ZERO": _softmax_zero,
    "PROBIT": _probit,
}


def added(on: Decomposer, scores: Tensor, name: str) -> Tensor:
    """Scores [n, classes] on the device after a transform, as float."""
    return on.cast(_ON_DEVICE[name](on, scores), DataType.FLOAT)


def _softmax_zero_on(on: Decomposer, x: Tensor) -> Tensor:
    far = on.Sub(x, on.ReduceMax(x, on.ints(1)))
    zero = on.LessOrEqual(on.Abs(x), on.like(_ZERO, x))
    power = on.Where(zero, on.like(0, x), on.Exp(far))
    total = on.ReduceSum(power, on.ints(1))
    return on.Div(power, on.Where(on.Equal(total, on.like(0, x)), on.like(1, x), total))


def _polynomial(on: Decomposer, x: Tensor, factors: tuple[float, ...]) -> Tensor:
    found = on.like(factors[0], x)
    for factor in factors[1:]:
        found = on.Add(on.Mul(found, x), on.like(factor, x))
    return found


def _probit_on(on: Decomposer, p: Tensor) -> Tensor:
    one = on.like(1, p)
    x = on.Sub(on.Mul(p, on.like(2, p)), one)
    w = on.Neg(on.Log(on.Mul(on.Sub(one, x), on.Add(one, x))))
    far = on.Sub(on.Sqrt(on.Max(w, on.like(5, w))), on.like(3, w))
    near = on.Sub(on.Min(w, on.like(5, w)), on.like(2.5, w))
    is_near = on.Less(w, on.like(5, w))
    root = on.Where(is_near, _polynomial(on, near, _NEAR), _polynomial(on, far, _FAR))
    found = on.Mul(on.Mul(x, root), on.like(np.sqrt(2), x))
    ends = on.Mul(x, on.like(np.inf, x))
    size = on.Abs(x)
    found = on.Where(on.Equal(size, one), ends, found)
    return on.Where(on.LessOrEqual(size, one), found, on.like(np.nan, x))


_ON_DEVICE: dict[str, Callable[[Decomposer, Tensor], Tensor]] = {
    "NONE": lambda on, x: x,
    "SOFTMAX": lambda on, x: on.Softmax(x, axis=1),
    "LOGISTIC": lambda on, x: on.Sigmoid(x),
    "SOFTMAX_ZERO": _softmax_zero_on,
    "PROBIT": _probit_on,
}


def best(scores: Array) -> Array:
    """The class with the greatest score of each row, the first of several; NaN is the least."""
    return np.argmax(np.where(np.isnan(scores), -np.inf, scores), axis=1)


def both(positive: Array, name: str, mixed: bool) -> Array:
    """The scores [n, 2] of two classes, of which only the second has one, [n].

    The first has minus that score if scores are of both signs (`mixed`), else 1 minus it. SOFTMAX
    changes neither.
    """
    first = -positive if mixed or name == "LOGISTIC" else 1 - positive
    scores = np.stack([first, positive], axis=1)
    return transformed(scores, name) if name in ("LOGISTIC", "PROBIT") else scores


def labels(call: Call, integers: str) -> Array:
    """The labels of the classes. `integers` is the attribute that has them if they are integers.

    Raises OperatorAttributeError unless exactly one of the two attributes is there.
    """
    numbers, texts = call[integers], call["classlabels_strings"]
    if bool(numbers) == bool(texts):
        raise call.wrong_attribute(
            f"it needs labels of classes, in one of '{integers}' and 'classlabels_strings'."
        )
    return strings(texts) if texts else np.array(numbers, np.int64)
