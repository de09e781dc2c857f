"""Statistics of an array for a table: range, mean, elements that are not finite, and a digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Statistics:
    """Minimum, maximum and mean of the finite elements, None if there are none; and counts of the
    others.
    """

    min: float | int | None
    max: float | int | None
    mean: float | None
    nan: int
    inf: int
    sha256: str
    """The SHA-256 of the elements' bytes, in C order and little-endian; of strings in UTF-8, with a
    zero between them.
    """

    @property
    def finite(self) -> bool:
        """Whether no element is NaN or infinite."""
        return self.nan == self.inf == 0


def statistics(array: Array) -> Statistics:
    """The statistics of an array, computed in one pass."""
    if array.dtype.kind in "OSU":
        digest = hashlib.sha256("\0".join(map(str, array.reshape(-1))).encode())
        return Statistics(None, None, None, 0, 0, digest.hexdigest())
    digest = hashlib.sha256(array.tobytes())
    if array.dtype.kind in "iub":
        values, nan, inf = array, 0, 0
    else:
        wide = array.astype(np.float64)
        nan, inf = int(np.isnan(wide).sum()), int(np.isinf(wide).sum())
        values = wide[np.isfinite(wide)]
    if not values.size:
        return Statistics(None, None, None, nan, inf, digest.hexdigest())
    low, high = values.min().item(), values.max().item()
    if array.dtype.kind == "b":
        low, high = int(low), int(high)
    return Statistics(low, high, float(values.mean()), nan, inf, digest.hexdigest())
