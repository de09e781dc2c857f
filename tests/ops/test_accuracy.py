"""Functions of one variable, over their whole range, against numpy's in long double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import helper

import popir.backend

Array = np.ndarray[Any, Any]


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _softplus(x: Array) -> Array:
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Exp": np.exp,
    "Log": np.log,
    "Reciprocal": lambda x: 1 / x,
    "Sigmoid": _sigmoid,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Softplus": _softplus,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("type", FUNCTIONS)
def test_two_units_in_the_last_place(type: str, dtype: Any) -> None:
    small = np.logspace(-30, 0, 300)
    parts = [np.linspace(-30, 30, 20001), np.linspace(-1, 1, 2001), small, -small]
    x = np.concatenate(parts).astype(dtype)
    have = popir.backend.run_node(helper.make_node(type, ["x"], ["y"]), [x])[0]
    want = FUNCTIONS[type](x.astype(np.longdouble))
    assert (np.isnan(have) == np.isnan(want)).all()
    known = np.isfinite(want) & (np.abs(want) > 8 * np.finfo(dtype).tiny)
    error = np.abs(have[known] - want[known]) / np.abs(want[known])
    worst = error.argmax()
    assert error[worst] <= 2 * np.finfo(dtype).eps, x[known][worst]
