"""ONNX's operators on sequences, where these are known only at run time.

Where a sequence is made and taken apart at known positions, the importer needs none of these
(`popir.onnxio.sequences`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.errors import OperatorInputError
from popir.host import Call, HostValue, host_operator, shown

Array = np.ndarray[Any, Any]
WHY = "a device program holds no sequence"

MOST_PARTS = 1 << 20
"""The most parts that one node splits a tensor into."""


def sequence(call: Call, value: HostValue) -> list[HostValue]:
    """The value, which must be a sequence. Raises OperatorInputError otherwise."""
    if not isinstance(value, list):
        raise call.wrong(f"its first input is {shown(value)}; it must be a sequence.")
    return value


def position(call: Call, given: Array | None, length: int, end: int) -> int:
    """A position of an input, negative from the end; `end` if it is left out.

    Raises OperatorInputError if it is outside of `length`.
    """
    if given is None:
        return end
    if given.size != 1:
        raise call.wrong(f"the position is {shown(given)}; it must be one integer.")
    place = int(given.reshape(-1)[0])
    if not -length <= place < length:
        raise call.wrong(f"the position {place} is outside of [{-length}, {length - 1}].")
    return place % length


@host_operator("ai.onnx", "SequenceConstruct", 11, why=WHY)
def construct(call: Call, *values: HostValue) -> HostValue:
    """ONNX's SequenceConstruct, version 11: the sequence of its inputs."""
    return list(values)


@host_operator("ai.onnx", "SequenceEmpty", 11, why=WHY)
def empty(call: Call) -> HostValue:
    """ONNX's SequenceEmpty, version 11. A sequence of any type is one list here."""
    return []


@host_operator("ai.onnx", "SequenceAt", 11, why=WHY)
def at(call: Call, values: HostValue, place: Array) -> HostValue:
    """ONNX's SequenceAt, version 11: the value at a position."""
    values = sequence(call, values)
    if not values:
        raise call.wrong("the sequence is empty; it has no position.")
    return values[position(call, place, len(values), 0)]


@host_operator("ai.onnx", "SequenceInsert", 11, why=WHY)
def insert(call: Call, values: HostValue, value: HostValue, place: Array | None = None) -> Any:
    """ONNX's SequenceInsert, version 11: the sequence with one value more, before the position or
    at the end.
    """
    values = sequence(call, values)
    n = len(values)
    if place is not None and place.size == 1 and int(place.reshape(-1)[0]) == n:
        where = n
    else:
        where = position(call, place, n, n) if n else n
    return [*values[:where], value, *values[where:]]


@host_operator("ai.onnx", "SequenceErase", 11, why=WHY)
def erase(call: Call, values: HostValue, place: Array | None = None) -> HostValue:
    """ONNX's SequenceErase, version 11: the sequence without the value at a position, by default
    the last.
    """
    values = sequence(call, values)
    if not values:
        raise call.wrong("the sequence is empty; nothing can be erased.")
    where = position(call, place, len(values), len(values) - 1)
    return [*values[:where], *values[where + 1 :]]


@host_operator("ai.onnx", "SequenceLength", 11, why=WHY)
def length(call: Call, values: HostValue) -> Array:
    """ONNX's SequenceLength, version 11: the number of values."""
    return np.array(len(sequence(call, values)), np.int64)


@host_operator("ai.onnx", "SplitToSequence", 11, 24, why=WHY)
def split(call: Call, x: Array, sizes: Array | None = None) -> HostValue:
    """ONNX's SplitToSequence, versions 11 and 24: the parts of a tensor along an axis, of one size
    or of given sizes. Without sizes they have size 1, and `keepdims` 0 removes the axis.
    """
    axis = call.axis(x.ndim)
    size = x.shape[axis]
    if sizes is None or sizes.ndim == 0:
        each = 1 if sizes is None else int(sizes)
        if each < 1 or size > MOST_PARTS * each:
            raise call.wrong(f"{size} elements in parts of {each}; expected are 1 or more each.")
        ends = list(range(each, size, each))
    else:
        if sizes.ndim != 1 or (sizes < 0).any() or int(sizes.sum()) != size:
            raise call.wrong(
                f"the sizes {sizes.tolist()} do not add up to {size}, the size of axis {axis}."
            )
        ends = [int(n) for n in np.cumsum(sizes)[:-1]]
    parts = np.split(x, ends, axis) if size or sizes is not None else []
    if sizes is None and not call["keepdims"]:
        parts = [part.squeeze(axis) for part in parts]
    return [np.ascontiguousarray(part).reshape(part.shape) for part in parts]


@host_operator("ai.onnx", "ConcatFromSequence", 11, why=WHY)
def concat(call: Call, values: HostValue) -> Array:
    """ONNX's ConcatFromSequence, version 11: the values joined along an axis, or stacked along a
    new one with `new_axis` 1.
    """
    values = sequence(call, values)
    if not values:
        raise call.wrong("the sequence is empty, so that the type of the result is not known.")
    stacks = bool(call["new_axis"])
    axis = call.axis(values[0].ndim + stacks)
    try:
        return (np.stack if stacks else np.concatenate)(values, axis)
    except ValueError as error:
        shapes = ", ".join(str(list(value.shape)) for value in values[:8])
        raise OperatorInputError(
            f"{call.who}: values of the shapes {shapes} do not join along axis {axis}: {error}."
        ) from error
