"""What half makes of numbers by stochastic rounding, after its definition in double."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def between(exact: Array) -> tuple[Array, Array]:
    """The half at or below each magnitude, with its sign, and the distance to the next one."""
    ulp = 2.0 ** (np.maximum(np.frexp(exact)[1] - 1, -14) - 10.0)
    return np.copysign(np.floor(np.abs(exact) / ulp) * ulp, exact), ulp


def check(got: Array, exact: Array, slack: float = 1e-3) -> None:
    """That halves are what `exact`, in double, is rounded to stochastically; `slack` is how wrong a
    calculation in float may be, in units of the last place.
    """
    exact = np.asarray(exact, np.float64).ravel()
    error = got.astype(np.float64).ravel() - exact
    below, ulp = between(exact)
    up, error = (np.abs(exact) - np.abs(below)) / ulp, error / ulp * np.where(exact < 0, -1, 1)
    # What is left of sums that cancel is less exact.
    clear = (up > 0.02 + slack) & (up < 0.98 - slack) & (np.abs(exact) > exact.std() / 20)
    went = (error + up)[clear]
    assert np.all(np.minimum(np.abs(went), np.abs(went - 1)) <= slack)
    # On average right, also for those that would always be rounded down, or always up.
    for low, high in ((0.02, 0.45), (0.55, 0.98)):
        some = clear & (up > low) & (up < high)
        n = np.count_nonzero(some)
        assert n > 500
        deviation = np.sqrt(np.sum(up[some] * (1 - up[some]))) / n
        assert abs(error[some].mean()) < 5 * deviation + slack
