"""Unique: the different elements of a tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from popir.host import Call, host_operator

Array = np.ndarray[Any, Any]


@host_operator(
    "ai.onnx", "Unique", 11, 28, why="the shape of its result is the number of different elements"
)
def unique(call: Call, x: Array) -> tuple[Array, ...]:
    """ONNX's Unique, versions 11 and 28: the different elements of a tensor taken flat, or its
    different slices along `axis`; where each is first, which each element is, and how often it is
    there. They are sorted, or in the order in which they come with `sorted` 0.

    NaNs are different from each other, and come last.
    """
    axis = 0
    if call["axis"] is None:
        x = x.reshape(-1)
    else:
        axis = call.axis(x.ndim)
    front = np.moveaxis(x, axis, 0)
    rows = front.reshape(len(front), math.prod(front.shape[1:]))
    order = _order(rows)
    ordered = rows[order]
    starts = np.ones(len(rows), bool)
    if len(rows) > 1:
        starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.cumsum(starts) - 1
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = group
    first = order[starts]
    counts = np.bincount(group, minlength=len(first)) if len(rows) else np.zeros(0)
    if not call["sorted"]:
        rank = np.argsort(first, kind="stable")
        place = np.empty(len(rank), np.int64)
        place[rank] = np.arange(len(rank))
        first, counts, inverse = first[rank], counts[rank], place[inverse]
    values = np.ascontiguousarray(np.moveaxis(front[first], 0, axis))
    return values, first.astype(np.int64), inverse, counts.astype(np.int64)


def _order(rows: Array) -> Array:
    """The order of the rows, the first column first; equal rows stay in their order."""
    order = np.arange(len(rows))
    for column in range(rows.shape[1] - 1, -1, -1):
        order = order[np.argsort(rows[order, column], kind="stable")]
    return order
