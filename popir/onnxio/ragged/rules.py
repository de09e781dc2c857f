"""What operators make of ragged tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import NodeProto

from popir.ir.integers import Form
from popir.onnxio.ragged.values import Many, NotDone, Ragged, Values, axis_of, info_of, multiple_of
from popir.types import DataType


def _only(given: Mapping[int, Ragged]) -> Ragged:
    """Input 0, if no other one is ragged."""
    if set(given) != {0}:
        raise NotDone
    return given[0]


def _elementwise(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    given = on.fitted(given)
    places = {len(each.shape) - each.axis for each in given.values()}
    if len(places) > 1:
        raise NotDone
    (place,) = places
    for i, id in enumerate(node.input):
        if id and i not in given:
            shape = info_of(on.plain(node, i)).shape()
            if len(shape) >= place and shape[-place] != 1:
                raise NotDone
    (made, *_) = on.run(node, given)
    like = next(iter(given.values()))
    on.add(node.output[0], replace(like, tensor=made, axis=info_of(made).rank() - place))


def _transposed(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    perm = on.attributes(node).get("perm") or list(range(len(one.shape)))[::-1]
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made, axis=list(perm).index(one.axis)))


def _reshaped(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    dims = on.sizes(on.plain(node, 1), is_exact=False)
    if not on.attributes(node).get("allowzero"):
        dims = [
            one.shape[d] if each == 0 and d != one.axis else each for d, each in enumerate(dims)
        ]
        dims = [-1 if each == 0 else each for each in dims]
    free = [d for d, each in enumerate(dims) if each == -1 or isinstance(each, Many)]
    if not free or any(isinstance(e, Many) and e.key != one.key for e in dims):
        raise NotDone
    at = next((d for d in free if isinstance(dims[d], Many)), free[0])
    before, after = (math.prod(part) for part in (one.shape[: one.axis], one.shape[one.axis + 1 :]))
    if len(free) == 2 and isinstance(dims[at], Many):
        (d,) = {*free} - {at}
        side = dims[:at] if d < at else dims[at + 1 :]
        others = math.prod(n for n in side if isinstance(n, int) and n != -1)
        dims[d] = (before if d < at else after) // max(1, others)
        free = [at]
    known = (
        [d for d in dims[:at] if isinstance(d, int)],
        [d for d in dims[at + 1 :] if isinstance(d, int)],
    )
    left, right = (math.prod(part) for part in known)
    if len(free) == 1 and (left, right) == (before, after):
        shape = [*known[0], one.size, *known[1]]
        made = on.op("Reshape", one.tensor, on.const(shape), allowzero=1)
        on.add(node.output[0], replace(one, tensor=made, axis=at))
    elif len(dims) == 1 and before == 1:
        made = on.op("Reshape", one.tensor, on.const([-1]))
        count = on.op("Mul", one.count, on.const(after))
        form = None if one.form is None else one.form * Form(after)
        found = replace(one, tensor=made, axis=0, count=count, key=multiple_of(one.key, after))
        on.add(node.output[0], replace(found, form=form))
    else:
        raise NotDone


def _broadcast(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """An Expand of what is ragged, along other axes."""
    one, dims = _only(given), on.sizes(on.plain(node, 1), is_exact=False)
    place = len(one.shape) - one.axis
    target: list[int] = []
    for d, each in enumerate(dims):
        is_axis = len(dims) - d == place
        if isinstance(each, Many) and not (is_axis and each.key == one.key):
            raise NotDone
        if is_axis and not isinstance(each, Many) and each != 1:
            raise NotDone
        target.append(1 if is_axis or isinstance(each, Many) else each)
    made = on.op("Expand", one.tensor, on.const(target)) if target else one.tensor
    on.add(node.output[0], replace(one, tensor=made, axis=info_of(made).rank() - place))


def _squeezed(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, axes = _only(given), on.integers(node, 1, "axes")
    if axes is None:
        raise NotDone
    if node.op_type == "Squeeze":
        gone = {axis_of(a, len(one.shape)) for a in axes}
        if one.axis in gone:
            raise NotDone
        axis = one.axis - sum(a < one.axis for a in gone)
    else:
        rank = len(one.shape) + len(axes)
        new = {axis_of(a, rank) for a in axes}
        axis = [d for d in range(rank) if d not in new][one.axis]
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made, axis=axis))


def _gathered(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    axis = on.attributes(node).get("axis", 0)
    if set(given) == {1}:
        axis = axis_of(axis, info_of(on.plain(node, 0)).rank())
        (made,) = on.run(node, given)
        found = replace(given[1], tensor=made, axis=axis + given[1].axis)
        on.add(node.output[0], on.read(found))
        return
    one = _only(given)
    axis = axis_of(axis, len(one.shape))
    if axis == one.axis:
        raise NotDone
    rank = info_of(on.plain(node, 1)).rank()
    (made,) = on.run(node, given)
    moved = one.axis + rank - 1 if axis < one.axis else one.axis
    on.add(node.output[0], replace(one, tensor=made, axis=moved))


def _gathered_nd(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    if set(given) != {1} or on.attributes(node).get("batch_dims"):
        raise NotDone
    one = given[1]
    if one.axis == len(one.shape) - 1:
        raise NotDone
    (made,) = on.run(node, given)
    on.add(node.output[0], on.read(replace(one, tensor=made)))


def _scattered(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """A scatter of what exists: the indices of the rest are out of range."""
    if 0 in given or 1 not in given:
        raise NotDone
    data = info_of(on.plain(node, 0)).shape()
    given = dict(on.fitted(given))
    where = given[1]
    if node.op_type == "ScatterND" and where.axis == len(where.shape) - 1:
        raise NotDone
    if 2 not in given or given[2].axis != where.axis:
        raise NotDone
    outside = on.masked(where, max(data, default=0))
    (made,) = on.run(node, {**given, 1: replace(where, tensor=outside)})
    on.plainly(node, made)


def _shape(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    count = on.op("Reshape", one.count, on.const([1]))
    parts = [count if d == one.axis else on.const([n]) for d, n in enumerate(one.shape)]
    named = on.attributes(node)
    parts = parts[slice(named.get("start"), named.get("end"))]
    on.plainly(node, on.op("Concat", *parts, axis=0) if parts else on.const(np.zeros(0, np.int64)))


def _size(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    others = math.prod(one.shape[: one.axis]) * math.prod(one.shape[one.axis + 1 :])
    on.plainly(node, on.op("Mul", one.count, on.const(others)))


def _joined(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = next(iter(given.values()))
    axis = axis_of(on.attributes(node).get("axis"), len(one.shape))
    if any(each.axis != one.axis for each in given.values()):
        raise NotDone
    if axis == one.axis:
        _joined_along(on, node, given, axis)
        return
    given = on.fitted(given)
    if len(given) < len(node.input):
        raise NotDone
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(given[0], tensor=made))


def _joined_along(on: Values, node: NodeProto, given: Mapping[int, Ragged], axis: int) -> None:
    """One behind the other, without gaps. It is plain if the counts have a constant sum."""
    why = next(iter(given.values())).why

    def part(i: int) -> Ragged:
        if i in given:
            return given[i]
        x = on.plain(node, i)
        size = info_of(x).shape()[axis]
        return Ragged(x, axis, on.const(size), size, why, Form(size))

    found = part(0)
    for each in map(part, range(1, len(node.input))):
        size, places = found.size, on.const(np.arange(found.size + each.size))
        behind = on.op("Sub", places, found.count)
        last = on.op("Sub", on.op("Max", each.count, on.const(1)), on.const(1))
        behind = on.op("Add", on.op("Min", behind, last), on.const(size))
        at = on.op("Where", on.op("Less", places, found.count), places, behind)
        tensor = on.op("Concat", found.tensor, each.tensor, axis=axis)
        form = None
        if found.form is not None and each.form is not None:
            form = found.form + each.form
        found = replace(
            found,
            tensor=on.op("Gather", tensor, at, axis=axis),
            count=on.op("Add", found.count, each.count),
            key=("joined", found.key, each.key),
            form=form,
        )
    total = found.form
    if total is None or not total.is_constant or not 0 < total.constant <= found.size:
        on.add(node.output[0], found)
        return
    assert on.graph.assumed is not None
    on.graph.assumed.append(
        f"Concat '{node.name}': {total.constant} elements along axis {axis}, of parts whose sizes "
        "are known at run time."
    )
    on.plainly(node, on.cut(found, total.constant).tensor)


def _parted(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    if axis_of(on.attributes(node).get("axis", 0), len(one.shape)) == one.axis:
        raise NotDone
    for id, made in zip(node.output, on.run(node, given), strict=True):
        on.add(id, replace(one, tensor=made))


def _sliced(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, axes = _only(given), on.integers(node, 3, "axes")
    if axes is None:
        axes = list(range(len(on.integers(node, 1, "starts") or ())))
    if one.axis in {axis_of(a, len(one.shape)) for a in axes}:
        raise NotDone
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made))


def _general(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Rows, each by a matrix."""
    one = _only(given)
    if one.axis != len(one.shape) - 2 or on.attributes(node).get("transA"):
        raise NotDone
    for i in range(1, len(node.input)):
        shape = info_of(on.plain(node, i)).shape()
        if i == 2 and len(shape) == 2 and shape[0] != 1:
            raise NotDone
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made))


def _multiplied(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Rows by matrices, matrices by columns, sums of what exists, or some of many products."""
    given = on.fitted(given)
    ranks = [
        len(given[i].shape if i in given else info_of(on.plain(node, i)).shape()) for i in (0, 1)
    ]
    places = {i: ranks[i] - each.axis for i, each in given.items()}
    if all(place == (1 if i == 0 else min(2, ranks[1])) for i, place in places.items()):
        if len(given) < 2:
            raise NotDone
        padded = {i: replace(each, tensor=on.masked(each, 0)) for i, each in given.items()}
        (made,) = on.run(node, padded)
        on.plainly(node, made)
        return
    if min(ranks) < 2 and places != {0: 2}:
        raise NotDone
    place = next(iter(places.values()))
    is_batch = place > 2 and len(set(places.values())) == 1
    if is_batch:
        for i in {0, 1} - given.keys():
            shape = info_of(on.plain(node, i)).shape()
            if len(shape) >= place and shape[-place] != 1:
                raise NotDone
    elif places not in ({0: 2}, {1: 1}):
        raise NotDone
    (made,) = on.run(node, given)
    axis = info_of(made).rank() - (place if ranks[1] > 1 else 1)
    on.add(node.output[0], replace(next(iter(given.values())), tensor=made, axis=axis))


def _attended(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Attention to keys and values that exist: a mask keeps it from others."""
    ids = [*node.input, *[""] * 7]
    if any(ids[4:]) or any(node.output[1:]) or not {1, 2} <= given.keys() <= {1, 2, 3}:
        raise NotDone
    given = on.fitted(given)
    key, mask = given[1], given.get(3)
    if {given[i].axis - len(given[i].shape) for i in (1, 2)} != {-2}:
        raise NotDone
    rows = info_of(on.plain(node, 0)).shape()[-2]
    exists = on.op("Expand", on.exists(key, 1, 0), on.const([rows, key.size]))
    if mask is not None and mask.axis != len(mask.shape) - 1:
        raise NotDone
    if ids[3]:
        wide = mask.tensor if mask is not None else on.plain(node, 3)
        kind = info_of(wide).dataType()
        if mask is None and info_of(wide).shape()[-1:] != [1]:
            raise NotDone
        if kind is DataType.BOOL:
            exists = on.op("And", exists, wide)
        else:
            exists = on.op("Where", exists, wide, on.const(np.asarray(-np.inf, kind.numpy)))
    padded = NodeProto()
    padded.CopyFrom(node)
    del padded.input[:]
    padded.input.extend([*ids[:3], exists.id])
    (made,) = on.run(padded, {i: given[i] for i in (1, 2)})
    on.plainly(node, made)


def _contracted(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Einsum without an ellipsis: one label is that of the axis."""
    equation = on.attributes(node).get("equation", b"")
    text = (equation.decode() if isinstance(equation, bytes) else equation).replace(" ", "")
    labels, arrow, result = text.partition("->")
    terms, given = labels.split(","), on.fitted(given)
    if not arrow or "." in text or len(terms) != len(node.input):
        raise NotDone
    label, *others = {terms[i][each.axis] for i, each in given.items()}
    counts = {i: term.count(label) for i, term in enumerate(terms)}
    if others or counts != {i: int(i in given) for i in counts} or result.count(label) > 1:
        raise NotDone
    if label not in result:
        given = {i: replace(each, tensor=on.masked(each, 0)) for i, each in given.items()}
        on.plainly(node, on.run(node, given)[0])
        return
    (made,) = on.run(node, given)
    like = next(iter(given.values()))
    on.add(node.output[0], replace(like, tensor=made, axis=result.index(label)))


def _cast_like(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """What is not ragged itself does not become it."""
    like = info_of(given[1].tensor if 1 in given else on.plain(node, 1)).dataType()
    if 0 not in given:
        on.plainly(node, on.op("Cast", on.plain(node, 0), to=like.onnx))
        return
    found = on.op("Cast", given[0].tensor, to=like.onnx)
    on.add(node.output[0], replace(given[0], tensor=found))


def _summed_up(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """CumSum: along the axis, backwards, without what does not exist."""
    one, named = _only(given), on.attributes(node)
    axis = on.integers(node, 1, "axis")
    if axis is not None and axis_of(axis[0], len(one.shape)) == one.axis and named.get("reverse"):
        one = replace(one, tensor=on.masked(one, 0))
    (made,) = on.run(node, {0: one})
    on.add(node.output[0], on.with_copies(replace(one, tensor=made)))


def _searched(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """The places that ArgMax and ArgMin find."""
    one, named = _only(given), on.attributes(node)
    axis = axis_of(named.get("axis", 0), len(one.shape))
    if axis != one.axis:
        (made,) = on.run(node, given)
        lost = axis < one.axis and not named.get("keepdims", 1)
        on.add(node.output[0], replace(one, tensor=made, axis=one.axis - lost))
        return
    if named.get("select_last_index"):  # What is padded may be as large.
        raise NotDone
    kind, is_least = info_of(one.tensor).dataType(), node.op_type == "ArgMin"
    limits = np.iinfo(kind.numpy) if kind.is_integer else None
    ends = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
    (made,) = on.run(node, {0: replace(one, tensor=on.masked(one, ends[is_least]))})
    on.plainly(node, made)


def _normalized(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Softmax along any axis; normalisations along other axes, the last ones."""
    one = _only(given)
    axis = axis_of(on.attributes(node).get("axis", -1), len(one.shape))
    if axis == one.axis and node.op_type == "Softmax" and on.version() >= 13:
        masked = replace(one, tensor=on.masked(one, -np.inf, or_none=True))
        (made,) = on.run(node, {0: masked})
        on.add(node.output[0], on.with_copies(replace(one, tensor=made)))
        return
    if axis <= one.axis:
        raise NotDone
    made = on.run(node, given)[0]
    on.add(node.output[0], replace(one, tensor=made))


_NEUTRAL: dict[str, Any] = {
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"), 0),
    "ReduceProd": 1,
    "ReduceMax": -1,
    "ReduceMin": 1,
    "ReduceLogSumExp": -1,
}
"""What a reduction does not see; of the last ones the sign of the greatest number."""


def _reduced(on: Values, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, named = _only(given), on.attributes(node)
    rank, kind = len(one.shape), info_of(one.tensor).dataType()
    axes = on.integers(node, 1, "axes")
    if not axes:
        if named.get("noop_with_empty_axes"):
            raise NotDone
        axes = list(range(rank))
    gone, keeps = {axis_of(a, rank) for a in axes}, named.get("keepdims", 1)
    if one.axis not in gone:
        (made,) = on.run(node, given)
        axis = one.axis if keeps else one.axis - sum(a < one.axis for a in gone)
        on.add(node.output[0], replace(one, tensor=made, axis=axis))
        return
    if node.op_type not in _NEUTRAL:
        raise NotDone
    neutral = _NEUTRAL[node.op_type]
    if node.op_type in ("ReduceMax", "ReduceMin", "ReduceLogSumExp"):
        limits = np.iinfo(kind.numpy) if kind.is_integer else None
        ends = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
        neutral = ends[neutral > 0]
    padded = replace(one, tensor=on.masked(one, neutral))
    if node.op_type != "ReduceMean":
        (made,) = on.run(node, {0: padded})
        on.plainly(node, made)
        return
    # The sum of halves may be too large for one, though the mean is not.
    wide = DataType.FLOAT if kind in (DataType.FLOAT16, DataType.BFLOAT16) else kind
    numbers = padded.tensor if wide is kind else on.op("Cast", padded.tensor, to=wide.onnx)
    total = on.op("ReduceSum", numbers, on.const(sorted(gone)), keepdims=keeps)
    others = math.prod(one.shape[d] for d in gone if d != one.axis)
    many = on.op("Cast", on.op("Mul", one.count, on.const(others)), to=wide.onnx)
    mean = on.op("Div", total, many)
    on.plainly(node, mean if wide is kind else on.op("Cast", mean, to=kind.onnx))


Follow = Callable[[Values, NodeProto, Mapping[int, Ragged]], None]
_ELEMENTWISE = [
    *("Identity", "Cast", "Abs", "Neg", "Exp", "Log", "Sqrt", "Reciprocal", "Relu", "Sigmoid"),
    *("Tanh", "Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign", "Not", "IsNaN", "IsInf"),
    *("Softplus", "LeakyRelu", "Elu", "Selu", "Clip", "Gelu", "HardSigmoid", "HardSwish", "Mish"),
    *("Softsign", "Celu", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum", "And", "Or"),
    *("Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Where", "Mod", "PRelu"),
]
FOLLOW: dict[str, Follow] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(("Squeeze", "Unsqueeze"), _squeezed),
    **dict.fromkeys(("ScatterND", "ScatterElements"), _scattered),
    **dict.fromkeys(("ArgMax", "ArgMin"), _searched),
    "MatMul": _multiplied,
    "Einsum": _contracted,
    "CastLike": _cast_like,
    "Gemm": _general,
    "Attention": _attended,
    "CumSum": _summed_up,
    **dict.fromkeys(("Softmax", "LogSoftmax", "LayerNormalization"), _normalized),
    **dict.fromkeys([*_NEUTRAL, "ReduceLogSum"], _reduced),
    "Transpose": _transposed,
    "Expand": _broadcast,
    "Reshape": _reshaped,
    "Gather": _gathered,
    "GatherND": _gathered_nd,
    "Shape": _shape,
    "Size": _size,
    "Concat": _joined,
    "Split": _parted,
    "Slice": _sliced,
}
