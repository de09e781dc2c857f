"""Shapes and views that several operators need: broadcasting, axes, constant inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from popir.adding import require_known
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.poplar import Tensor


def broadcast_shapes(op: Op, shapes: Sequence[Sequence[int]]) -> list[int]:
    """The shape to which `shapes` broadcast by numpy's rule. Raises OperatorInputError if they do
    not.
    """
    first = shapes[0] if shapes else ()
    if all(shape == first for shape in shapes):
        return list(first)
    rank = max(map(len, shapes))
    found: list[int] = []
    for dims in zip(*([1] * (rank - len(shape)) + [*shape] for shape in shapes), strict=True):
        wide = {*dims} - {1}
        if len(wide) > 1:
            raise OperatorInputError(
                f"{op.debugName()}: the shapes {', '.join(str(list(s)) for s in shapes)} do not "
                "broadcast: aligned at the right, corresponding dimensions must have the same "
                "value or one of them must be 1.",
                popart=_unaligned(op, shapes),
            )
        found.append(wide.pop() if wide else 1)
    return found


def popart_name(op: Op) -> str:
    """An operator in PopART's words: "Op(ai.onnx.Add:7, inputs=[a, b], outputs=[c])"."""
    ids = [", ".join(t.id for t in each.values()) for each in (op.input, op.output)]
    name = f"{op.name()} ({op.opid})," if op.name() else f"{op.opid},"
    return f"Op({name} inputs=[{ids[0]}], outputs=[{ids[1]}])"


def spaced(shape: Iterable[int]) -> str:
    """A shape in PopART's form: "[2 3]"."""
    return f"[{' '.join(map(str, shape))}]"


def _unaligned(op: Op, shapes: Sequence[Sequence[int]]) -> str:
    frames = " and ".join(str(list(shape)) for shape in shapes)
    return f"np broadcasting failed on '{popart_name(op)}', frames {frames} are not aligned"


def broadcast_to(t: Tensor, shape: Sequence[int]) -> Tensor:
    """A view of `t` broadcast to `shape` by numpy's rule; `t` itself if it has that shape."""
    if t.shape() == shape:
        return t
    have = [1] * (len(shape) - t.rank()) + list(t.shape())
    t = t.reshape(have)
    for d, (h, want) in enumerate(zip(have, shape, strict=True)):
        if h != want:
            t = t.broadcast(want, d)
    return t


def summed_dims(have: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of `have` that must be summed to reverse a broadcast from `shape`."""
    padded = [1] * (len(have) - len(shape)) + list(shape)
    return [d for d, (h, want) in enumerate(zip(have, padded, strict=True)) if h != want]


def is_one_piece(shape: Sequence[int], part: Sequence[int]) -> bool:
    """Whether a slice with the shape `part` of a tensor with the shape `shape` is contiguous."""
    partial = False
    for whole, taken in zip(reversed(shape), reversed(part), strict=True):
        if partial and taken > 1:
            return False
        partial = partial or taken < whole
    return True


def broadcasts_to(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of `shape` broadcasts to the shape `to`, without changing that."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(size in (1, whole) for size, whole in pairs)


def axis(op: Op, value: int, rank: int) -> int:
    """The axis `value` counted from 0; negative values count from the end.

    Raises OperatorAttributeError if it is out of range.
    """
    if not -rank <= value < rank:
        raise OperatorAttributeError(
            f"{op.debugName()}: the axis {value} is outside of a tensor of rank {rank}; "
            f"it must be in [{-rank}, {rank - 1}].",
            popart=f"Axis {value} is out of acceptable range [{-rank}, {rank - 1}]",
        )
    return value % rank


def axes(op: Op, values: Iterable[int], rank: int) -> list[int]:
    """Several axes, counted from 0 and sorted. Raises OperatorAttributeError if one is out of range
    or given twice.
    """
    found = sorted(axis(op, value, rank) for value in values)
    if len(set(found)) < len(found):
        raise OperatorAttributeError(f"{op.debugName()}: an axis is given twice in {found}.")
    return found


def const_input(op: Op, i: int, popart: str | None = None) -> np.ndarray[Any, Any] | None:
    """The value of constant input `i`; None if the input is not connected. `popart` has PopART's
    words for the error, where they are others than usual.

    Raises LeavesDeviceError if the value is not known at compile time.
    """
    if not op.hasInput(i):
        return None
    require_known(op, i, popart)
    return op.inTensor(i).data


def const_number(op: Op, i: int) -> int | float | bool | None:
    """The value of constant input `i`, a scalar or a tensor of one element; None if the input is
    not connected. Raises OperatorInputError for another number of elements, and what `const_input`
    raises.
    """
    found = const_input(op, i)
    if found is None:
        return None
    if found.size != 1:
        raise OperatorInputError(
            f"{op.debugName()}: input {i} has shape {list(found.shape)}; expected is one number."
        )
    return found.item()


def product(dims: Iterable[int]) -> int:
    """The product of `dims`: the number of elements of a shape."""
    return math.prod(dims)
