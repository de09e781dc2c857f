"""Where ragged tensors begin: operators whose sizes are not known before a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from onnx import NodeProto

from popir.errors import LeavesDeviceError, UnknownTripCountError
from popir.ir import Tensor
from popir.ir.integers import Form
from popir.onnxio.ragged.values import MOST, Many, NotDone, Ragged, Values, axis_of, info_of
from popir.types import DataType


def _nonzero(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    x = on.plain(node, 0)
    shape = info_of(x).shape()
    size = math.prod(shape)
    if not shape or not 0 < size <= MOST or x.is_variable():
        raise NotDone
    if x.isConst() and x.data is not None:
        on.graph.addConstInit(node.output[0], np.array(np.nonzero(x.data), np.int64))
        return
    flat = on.op("Reshape", x, on.const([-1]))
    places, count = _truths(on, on.op("Cast", flat, to=DataType.BOOL.onnx))
    coordinates = np.stack(np.unravel_index(np.arange(size), shape))
    found = on.op("Gather", on.const(coordinates.astype(np.int64)), places, axis=1)
    on.add(node.output[0], Ragged(found, 1, count, on.key(count), why))


def _truths(on: Values, truths: Tensor) -> tuple[Tensor, Tensor]:
    """The places of the truths of a vector, in order, then that of the last one; and how many there
    are.
    """
    (size,) = info_of(truths).shape()
    ones = on.op("Cast", truths, to=DataType.INT64.onnx)
    count = on.op("ReduceSum", ones, on.const([0]), keepdims=0)
    before = on.op("Sub", on.op("CumSum", ones, on.const(0)), on.const(1))
    to = on.op("Where", truths, before, on.const(size))
    last = on.op("ArgMax", ones, axis=0, keepdims=1, select_last_index=1)
    copies = on.op("Expand", last, on.const([size]))
    return on.op("ScatterElements", copies, to, on.const(np.arange(size)), axis=0), count


def _compressed(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """The slices that a condition selects, or the elements."""
    x, truths, axis = on.plain(node, 0), on.plain(node, 1), on.attributes(node).get("axis")
    if axis is None:
        x, axis = on.op("Reshape", x, on.const([-1])), 0
    axis = axis_of(axis, info_of(x).rank())
    size, given = info_of(x).shape()[axis], info_of(truths).shape()
    if len(given) != 1 or not 0 < min(size, *given) <= MOST:
        raise NotDone
    if x.is_variable() or truths.is_variable():
        raise NotDone
    if given[0] > size:
        truths = on.op("Slice", truths, on.const([0]), on.const([size]))
    places, count = _truths(on, truths)
    found = Ragged(on.op("Gather", x, places, axis=axis), axis, count, on.key(count), why)
    on.add(node.output[0], on.read(found))


def _best(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """The k greatest or least of TopK, for a k that is known at run time."""
    x, k, named = on.plain(node, 0), on.plain(node, 1), on.attributes(node)
    axis = axis_of(named.get("axis", -1), info_of(x).rank())
    size = info_of(x).shape()[axis]
    if info_of(k).nelms() != 1 or not size or x.is_variable():
        raise NotDone
    form = on.form(k)
    count = on.op("Min", on.op("Max", k, on.const([0])), on.const([size]))
    count = on.op("Reshape", count, on.const(np.zeros(0, np.int64)))
    whole = on.computed(node, {1: on.const([size])})
    for id, each in zip(node.output, whole, strict=True):
        found = Ragged(each, axis, count, ("best", _key(form), size), why, form)
        on.add(id, on.read(on.with_copies(found)))


def _cut_out(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """A slice along one axis, from a start to an end that are known at run time."""
    x, starts, ends = (on.plain(node, i) for i in range(3))
    axes, steps = on.integers(node, 3, "axes") or [0], on.integers(node, 4, "steps") or [1]
    rank = info_of(x).rank()
    if info_of(starts).shape() != [1] or len(axes) != 1 or steps != [1] or x.is_variable():
        raise NotDone
    if info_of(ends).shape() != [1]:
        raise NotDone
    axis = axis_of(axes[0], rank)
    size = info_of(x).shape()[axis]
    if not size:
        raise NotDone
    if starts.data is not None and not starts.data.any():
        forms = on.known.of(ends)
        try:
            whole = None if forms is None else on.dimension(forms.item())
        except NotDone:
            whole = None
        if isinstance(whole, Many):
            least = min(size, whole.size)
            found = on.cut(Ragged(x, axis, whole.count, whole.key, why), least)
            on.add(node.output[0], on.read(on.with_copies(found)))
            return
    _between(on, node.output[0], x, axis, starts, ends, why)


def _split_up(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """Parts whose sizes are known at run time."""
    x, sizes = on.plain(node, 0), on.plain(node, 1)
    axis = axis_of(on.attributes(node).get("axis", 0), info_of(x).rank())
    if (
        info_of(sizes).shape() != [len(node.output)]
        or not info_of(x).shape()[axis]
        or x.is_variable()
    ):
        raise NotDone
    end = on.const([0])
    for i, id in enumerate(node.output):
        start, size = end, on.op("Gather", sizes, on.const([i]), axis=0)
        end = on.op("Add", start, size)
        _between(on, id, x, axis, start, end, why)


def _between(
    on: Values,
    id: str,
    x: Tensor,
    axis: int,
    starts: Tensor,
    ends: Tensor,
    why: LeavesDeviceError,
) -> None:
    """What is from a start to an end, tensors of one integer, along an axis."""
    size = info_of(x).shape()[axis]
    start, end = (on.op("Cast", t, to=DataType.INT64.onnx) for t in (starts, ends))
    start, end = (_within(on, t, size) for t in (start, end))
    count = on.op("Max", on.op("Sub", end, start), on.const([0]))
    places = on.op("Add", start, on.const(np.arange(size)))
    least = on.op("Sub", on.op("Max", end, on.const([1])), on.const([1]))
    found = on.op("Gather", x, on.op("Min", places, least), axis=axis)
    count = on.op("Reshape", count, on.const(np.zeros(0, np.int64)))
    first, last = (on.form(t) for t in (starts, ends))
    last = Form(size) if last.low >= size else last
    key = ("slice", _key(first), _key(last), size)
    on.add(id, on.read(Ragged(found, axis, count, key, why, last - first)))


def _key(form: Form) -> Hashable:
    return form.constant, frozenset(form.terms.items())


def _within(on: Values, t: Tensor, size: int) -> Tensor:
    """A start or an end, as ONNX counts and clamps it."""
    counted = on.op("Where", on.op("Less", t, on.const(0)), on.op("Add", t, on.const(size)), t)
    return on.op("Min", on.op("Max", counted, on.const([0])), on.const([size]))


def _expanded(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    dims = on.sizes(on.plain(node, 1))
    _widened(on, node, dims, why, lambda shape: on.op("Expand", on.plain(node, 0), on.const(shape)))


def _filled(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    value = np.asarray(on.attributes(node).get("value", np.zeros(1, np.float32))).reshape(())
    dims = on.sizes(on.plain(node, 0))
    _widened(on, node, dims, why, lambda shape: on.op("Expand", on.const(value), on.const(shape)))


def _widened(
    on: Values,
    node: NodeProto,
    dims: Sequence[int | Many],
    why: LeavesDeviceError,
    make: Callable[[list[int]], Tensor],
) -> None:
    """A tensor of a shape with one count."""
    counts = [(d, each) for d, each in enumerate(dims) if isinstance(each, Many)]
    if len(counts) != 1:
        raise NotDone
    tensor = make([each.size if isinstance(each, Many) else each for each in dims])
    (at, like) = counts[0]
    axis = info_of(tensor).rank() - len(dims) + at
    if info_of(tensor).shape()[axis] != like.size:
        raise NotDone
    on.add(node.output[0], Ragged(tensor, axis, like.count, like.key, why))


def _counted(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """The numbers below a count."""
    start, step = (on.plain(node, i).data for i in (0, 2))
    like = on.sizes(on.plain(node, 1))[0]
    if start is None or step is None or start.any() or int(step.reshape(-1)[0]) != 1:
        raise NotDone
    if not isinstance(like, Many):
        raise NotDone
    numbers = on.const(np.arange(like.size).astype(start.dtype))
    on.add(node.output[0], Ragged(numbers, 0, like.count, like.key, why))


def _looped(on: Values, node: NodeProto, why: LeavesDeviceError) -> None:
    """The scan outputs of a Loop that may end before it has run as often as it may."""
    if not isinstance(why, UnknownTripCountError) or why.loop != node.output[0]:
        raise NotDone
    *outputs, count = on.padded_loop(node)
    carried = len(node.input) - 2
    for o, tensor in enumerate(outputs[:carried]):
        on.plainly(node, tensor, o)
    for id, tensor in zip(node.output[carried:], outputs[carried:], strict=True):
        found = Ragged(tensor, 0, count, ("loop", count.id), why)
        on.add(id, on.read(on.with_copies(found)))


BEGIN: dict[str, Callable[[Values, NodeProto, LeavesDeviceError], None]] = {
    "NonZero": _nonzero,
    "Compress": _compressed,
    "TopK": _best,
    "Slice": _cut_out,
    "Split": _split_up,
    "Expand": _expanded,
    "ConstantOfShape": _filled,
    "Range": _counted,
    "Loop": _looped,
}
