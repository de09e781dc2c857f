"""What a row of the operators' test table is."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
FLOATING = np.dtype(np.float64)


@dataclass(frozen=True)
class Case:
    """One use of an operator."""

    type: str
    inputs: Sequence[Any]
    """Arrays, or shapes of arrays of random numbers, or None for an input that is left out.
    Floating-point arrays are of the type tested.
    """
    attributes: dict[str, Any] = field(default_factory=dict)
    domain: str = "ai.onnx"
    opsets: Sequence[int] = ()
    """At which opsets; by default at every one that changed the operator, from 6 on."""
    constants: Sequence[int] = ()
    """The inputs that are initializers."""
    formula: Callable[..., Any] | None = None
    """The result, or a tuple of all, where ONNX has no such operator."""
    gradient: bool = True
    """Whether the operator has one."""
    widest: str = "float64"
    """The widest type that the operator takes, in which its gradient is tested."""
    away: Sequence[float] = ()
    """Points that random inputs keep away from: the function has no derivative there."""
    low: float = -2.0
    high: float = 2.0
    rtol: float = 2e-6
    atol: float = 1e-6
    frozen: Sequence[int] = ()
    """The inputs without a gradient, although they are of a floating-point type."""
    outputs: int = 1
    """How many the operator has; the gradient is tested through the first one."""
    id: str = ""

    @property
    def name(self) -> str:
        """What pytest calls the row."""
        return f"{self.type}{'-' if self.id else ''}{self.id}"

    def arrays(self, dtype: Any) -> list[Array | None]:
        """The inputs, with `dtype` for the floating-point ones; always the same."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [
            None if given is None else self._array(rng, given, np.dtype(dtype))
            for given in self.inputs
        ]

    def _array(self, rng: np.random.Generator, given: Any, dtype: np.dtype[Any]) -> Array:
        if isinstance(given, (np.ndarray, np.generic)):
            return np.asarray(given, dtype if given.dtype.kind == "f" else None)
        values = rng.uniform(self.low, self.high, given)
        for point in self.away:
            near = np.abs(values - point) < 0.05
            values = np.where(near, point + np.where(values < point, -0.1, 0.1), values)
        return values.astype(dtype)


def ints(*values: int, dtype: Any = np.int64) -> Array:
    """A vector of integers."""
    return np.array(values, dtype)


def distinct(*shape: int) -> Array:
    """Numbers that are far enough from each other for a maximum to have a derivative."""
    n = int(np.prod(shape))
    order = np.random.default_rng(n).permutation(n)
    return (order.reshape(shape) / n * 4 - 2).astype(np.float64)


BOOLS = np.array([[True, False, True], [False, False, True]])
SMALL = [2, 3]
POPART = {"domain": "ai.graphcore", "opsets": (1,)}


def erf(x: Array) -> Array:
    import math

    return np.vectorize(math.erf)(x.astype(np.float64)).astype(x.dtype)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))
