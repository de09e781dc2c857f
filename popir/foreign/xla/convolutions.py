"""Convolutions of HLO, as operators of ONNX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from popir.foreign.xla.instructions import At, Operand, operator
from popir.foreign.xla.windows import Window, window_of


def _padded(
    at: At, x: str, dims: list[int], window: Window, axes: Sequence[int], value: str
) -> str:
    """`x` with elements between any two, and then before and behind, along axes. `dims` become
    those of the result.
    """
    for i, axis in enumerate(axes):
        x = at.spaced(x, dims, axis, window.between[i] - 1, value)
    before, after = [0] * len(dims), [0] * len(dims)
    for i, axis in enumerate(axes):
        before[axis], after[axis] = window.before[i], window.after[i]
        dims[axis] += before[axis] + after[axis]
    return at.on.pad([x, at.ints(before + after), value]) if any(before + after) else x


def _groups(at: At, name: str) -> int:
    text = at.each.attributes.get(name, "1")
    if not text.isdecimal() or int(text) < 1:
        raise at.wrong(f"its {name} is {text!r}; expected is a number from 1")
    return int(text)


@operator("convolution", 2)
def _convolution(at: At, x: Operand, w: Operand) -> str:
    """Products and sums in the type of the result."""
    labels = at.each.attributes.get("dim_labels", "")
    found = re.fullmatch(r"(\w+)_(\w+)->(\w+)", labels)
    rank = len(x.dims)
    space = "".join(map(str, range(rank - 2)))
    wanted = [sorted(letters + space) for letters in ("bf", "io", "bf")]
    if found is None or [sorted(each) for each in found.groups()] != wanted:
        raise at.wrong(f"its dim_labels are {labels!r}; expected are those of {rank} dimensions")
    groups, batches = (_groups(at, f"{what}_group_count") for what in ("feature", "batch"))
    window = window_of(at, rank - 2)
    if rank == 2:
        raise at.wrong("it has no spatial dimension; a dot is expected")
    order = [found[1].index(letter) for letter in "bf" + space]
    filters = [found[2].index(letter) for letter in "oi" + space]
    size = [w.dims[d] for d in filters[2:]]
    if len(w.dims) != rank or size != window.size:
        raise at.wrong(f"its window has the size {window.size}; the filter is {list(w.dims)}")
    dims = [x.dims[d] for d in order]
    split = groups * batches
    fits = dims[1] == groups * w.dims[filters[1]] and dims[0] % batches == 0
    if min(groups, batches) > 1 or not fits or w.dims[filters[0]] % split:
        raise at.wrong(f"{list(x.dims)} and {list(w.dims)} do not fit in {split} groups")
    kind = at.kind
    data, weights = (each.id if each.kind is kind else at.cast(each.id, kind) for each in (x, w))
    data = at.on.transpose([data], order)
    if batches > 1:  # Each part of the batch is for its own features of the result.
        wide = [batches, dims[0] // batches, *dims[1:]]
        data = at.on.transpose([at.reshape(data, wide)], [1, 0, *range(2, rank + 1)])
        dims = [wide[1], batches * dims[1], *dims[2:]]
        data = at.reshape(data, dims)
    weights = at.on.transpose([weights], filters)
    weights = at.reversed(weights, [i + 2 for i, flag in enumerate(window.reversed) if flag])
    data = _padded(at, data, dims, window, range(2, rank), at.constant(0, kind))
    made = at.on.conv(
        [data, weights],
        dilations=window.dilation,
        group=split,
        kernel_shape=window.size,
        strides=window.stride,
        pads=[0] * 2 * (rank - 2),
    )
    return at.on.transpose([made], [("bf" + space).index(letter) for letter in found[3]])
