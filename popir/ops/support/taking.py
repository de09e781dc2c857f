"""Taking elements along an axis at constant positions, by the cheapest operator that does it."""

from __future__ import annotations

import numpy as np

from popir.ir import Tensor
from popir.ir.traits import Array
from popir.ops.support.decomposition import Decomposer


def take(on: Decomposer, x: Tensor, axis: int, at: Array) -> Tensor:
    """The elements at the positions `at`, which count from 0, along `axis`.

    All of them in order are `x` itself; steps of one length are a Slice; each element repeated
    equally often is an Expand; anything else is a Gather.
    """
    shape = on.shape(x)
    size, count = shape[axis], len(at)
    if np.array_equal(at, np.arange(size)):
        return x
    steps = np.diff(at)
    if count == 1 or (count and steps[0] and (steps == steps[0]).all()):
        step = int(steps[0]) if count > 1 else 1
        end = int(at[-1]) + (1 if step > 0 else -1)
        # An end before the first element: -1 would be the last one.
        ends = on.ints(end if end >= 0 else -size - 1)
        return on.Slice(x, on.ints(int(at[0])), ends, on.ints(axis), on.ints(step))
    times = count // size if size else 0
    if times > 1 and np.array_equal(at, np.repeat(np.arange(size), times)):
        wide = on.reshape(x, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
        target = [*shape[: axis + 1], times, *shape[axis + 1 :]]
        target_shape = [*shape[:axis], count, *shape[axis + 1 :]]
        return on.reshape(on.Expand(wide, on.ints(*target)), target_shape)
    return on.Gather(x, on.const(at), axis=axis)
