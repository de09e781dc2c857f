"""Tensors of which one size is known at run time alone, in a device program: padded, with a count.

`y[mask]` has as many elements as the mask has truths. PyTorch's exporters write NonZero and a
gather, and mostly a reduction or a scatter soon makes shapes of it that do not depend on the data.
As far as that is so, such a tensor is a `Ragged` here: a tensor of the most elements along one
axis, of which the first `count` exist. The others are copies of one that exists, if there is one,
so that nothing that is computed of them is infinite, and their gradients are 0.

Operators on them become operators on the padded tensors. What is not done so leaves the device.

Long, because each of these operators is a few lines of one table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
from onnx import NodeProto

from popir.adding import add_op
from popir.errors import LeavesDeviceError, OperatorInputError
from popir.ir import Op, Tensor
from popir.ir.integers import Form, Integers
from popir.onnxio.attributes import to_python
from popir.types import DataType, TensorInfo

if TYPE_CHECKING:
    from popir.onnxio.importer import GraphImporter

OPSET = 21
MOST = 1 << 24
"""The most elements of a tensor whose truths are counted."""


@dataclass(frozen=True)
class Ragged:
    """A tensor, padded along one axis."""

    tensor: Tensor
    axis: int
    count: Tensor
    """How many elements along the axis exist: INT64, a scalar."""
    key: Hashable
    """What is equal for equal counts."""
    why: LeavesDeviceError
    """The error of a model that has it and cannot be done so."""
    form: Form | None = None
    """What the count is if nothing had to be clamped."""

    @property
    def shape(self) -> list[int]:
        """The shape of the padded tensor."""
        return _info(self.tensor).shape()

    @property
    def size(self) -> int:
        """The most elements along the axis."""
        return self.shape[self.axis]


_MALFORMED = (LookupError, TypeError, ValueError)
"""What a node raises whose attributes are not what they must be."""


class _No(Exception):
    """What is not done here."""


class RaggedValues:
    """The ragged tensors of one graph, by id."""

    def __init__(self, importer: GraphImporter) -> None:
        self._importer = importer
        self.graph = importer.graph
        self._found: dict[str, Ragged] = {}
        self._keys: dict[Tensor, Hashable] = {}
        self._sizes: dict[Hashable, int] = {}
        """What each count does not exceed."""
        self.known = Integers()
        self._forms: list[tuple[Form, Ragged, bool]] = []
        """Counts, and, not exact, what they are unless they are clamped: `i + 1` of `x[:i + 1]`."""
        self._base = ""

    def has(self, id: str) -> bool:
        """Whether the tensor of that id is ragged."""
        return id in self._found

    def refusal(self, id: str) -> LeavesDeviceError:
        """The error of a model that has the ragged tensor of that id where it must not be."""
        return self._found[id].why

    def follow(self, node: NodeProto) -> bool:
        """Adds what a node computes of ragged tensors; False if it reads none. Raises
        LeavesDeviceError if that is not done here.
        """
        if not self._found:
            return False
        given = {i: self._found[id] for i, id in enumerate(node.input) if id in self._found}
        if not given:
            return False
        self._base = next(filter(None, node.output), node.name)
        make = _FOLLOW.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        try:
            if make is None:
                raise _No
            make(self, node, given)
        except (_No, *_MALFORMED):
            raise next(iter(given.values())).why from None
        return True

    def begin(self, node: NodeProto, why: LeavesDeviceError) -> bool:
        """Makes the output of a node ragged that cannot be added, and returns whether it is."""
        make = _BEGIN.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if make is None or not all(node.output) or not self.graph.keeps_ragged:
            return False
        if any(id and id not in self.graph.tensors for id in node.input):
            return False
        self._base = node.output[0]
        try:
            make(self, node, why)
        except (_No, OperatorInputError, *_MALFORMED):
            return False
        return True

    # What the functions below use.

    def op(self, type: str, *inputs: Tensor | None, **attributes: Any) -> Tensor:
        """A new tensor that an operator of ONNX's computes."""
        id = self.graph.uniqueId(f"{self._base}/{type}")
        settings = Op.Settings(self.graph, id)
        add_op("ai.onnx", type, OPSET, settings, attributes, inputs, [id])
        return self.graph.tensors[id]

    def const(self, value: Any) -> Tensor:
        """A constant of integers or of a numpy type."""
        data = np.asarray(value, None if isinstance(value, np.ndarray) else np.int64)
        return self.graph.addConstInit(self.graph.uniqueId(f"{self._base}/Constant"), data)

    def attributes(self, node: NodeProto) -> dict[str, Any]:
        """The attributes of a node."""
        return {item.name: to_python(item, self._importer.reader) for item in node.attribute}

    def version(self) -> int:
        """The opset of ai.onnx."""
        return self._importer.opsets["ai.onnx"]

    def plain(self, node: NodeProto, i: int) -> Tensor:
        """The tensor at input `i`, which must not be ragged."""
        if i >= len(node.input) or node.input[i] not in self.graph.tensors:
            raise _No
        return self.graph.tensors[node.input[i]]

    def integers(self, node: NodeProto, i: int, name: str) -> list[int] | None:
        """The integers that input `i`, or before it the attribute `name`, has."""
        if i < len(node.input) and node.input[i]:
            data = self.plain(node, i).data
            if data is None:
                raise _No
            return [int(n) for n in data.reshape(-1)]
        return self.attributes(node).get(name)

    def run(self, node: NodeProto, given: Mapping[int, Ragged]) -> list[Tensor]:
        """The outputs of a node on padded tensors."""
        for id in node.input:
            if id and id not in self.graph.tensors and id not in self._found:
                raise _No
        padded = NodeProto()
        padded.CopyFrom(node)
        for i, each in given.items():
            padded.input[i] = each.tensor.id
        for o, id in enumerate(node.output):
            padded.output[o] = self.graph.uniqueId(f"{id}/padded") if id else ""
        self._importer.addNode(padded)
        return [self.graph.getTensor(id) for id in padded.output]

    def add(self, id: str, found: Ragged) -> None:
        """Makes `id` a ragged tensor."""
        self._found[id] = found
        for form, is_exact in ((self.form(found.count), True), (found.form, False)):
            if form is not None and not form.is_constant and not self._written(form, is_exact):
                self._forms.append((form, found, is_exact))
        self._keys[found.count] = found.key
        self._sizes[found.key] = min(found.size, self._sizes.get(found.key, found.size))

    def _written(self, form: Form, is_exact: bool) -> Ragged | None:
        """What has a count that is written so."""
        found = (each for known, each, exact in self._forms if known == form and exact >= is_exact)
        return next(found, None)

    def plainly(self, node: NodeProto, tensor: Tensor) -> None:
        """Makes a tensor the output of a node."""
        settings = Op.Settings(self.graph, node.name)
        add_op("ai.onnx", "Identity", OPSET, settings, {}, [tensor], [node.output[0]])

    def fitted(self, given: Mapping[int, Ragged]) -> dict[int, Ragged]:
        """Ragged tensors of one count, cut to one size."""
        if len({each.key for each in given.values()}) > 1:
            raise _No
        least = min(each.size for each in given.values())
        return {i: self.cut(each, least) for i, each in given.items()}

    def cut(self, given: Ragged, size: int) -> Ragged:
        """The first `size` elements along the axis."""
        if given.size == size:
            return given
        ends = [self.const([n]) for n in (0, size, given.axis)]
        return replace(given, tensor=self.op("Slice", given.tensor, *ends))

    def exists(self, given: Ragged, rank: int, axis: int) -> Tensor:
        """BOOL, with the rank given and the size along the axis: which elements exist."""
        places = np.arange(given.size).reshape([-1, *[1] * (rank - axis - 1)])
        return self.op("Less", self.const(places), given.count)

    def masked(self, given: Ragged, other: Any) -> Tensor:
        """The tensor with another number where it does not exist."""
        kind = _info(given.tensor).dataType().numpy
        number = self.const(np.asarray(other, kind))
        exists = self.exists(given, len(given.shape), given.axis)
        return self.op("Where", exists, given.tensor, number)

    def key(self, count: Tensor) -> Hashable | None:
        """The key of a count; None if nothing is known of it. The sum of all truths of one tensor
        is one count, however it was written.
        """
        if count in self._keys:
            return self._keys[count]
        op = count.producer
        if op is None or op.opid.type != "ReduceSum" or _info(count).nelms() != 1:
            return None
        source, times = op.inTensor(0), 1
        while source.producer is not None and source.producer.opid.type in _SAME:
            before = source.producer.inTensor(0)
            times *= _info(source).nelms() // max(1, _info(before).nelms())
            source = before
        return (
            _times(("true", source), times) if _info(source).dataType() is DataType.BOOL else None
        )

    def form(self, number: Tensor) -> Form:
        """What is known of a tensor of one integer."""
        forms = self.known.of(number)
        if forms is None or forms.size != 1:
            raise _No
        return forms.item()

    def sizes(self, shape: Tensor, is_exact: bool = True) -> list[int | Many]:
        """The dimensions that a tensor of integers says, some of them perhaps counts."""
        forms = self.known.of(shape)
        if forms is None:
            raise _No
        return [self.dimension(form, is_exact) for form in forms.reshape(-1)]

    def dimension(self, form: Form, is_exact: bool = True) -> int | Many:
        """A number or a count; if it need not be exact, also what is one unless that is clamped."""
        if form.is_constant:
            return form.constant
        if (known := self._written(form, is_exact)) is not None:
            return Many(known.count, known.key, self._sizes[known.key])
        ((one, factor), *more) = form.terms.items()
        key = self.key(one.source) if one.source is not None else None
        if one.source is None or key is None or factor < 1 or form.constant or more:
            raise _No
        count = one.source
        if factor > 1:
            count, key = self.op("Mul", count, self.const(factor)), _times(key, factor)
        if key in self._sizes:
            return Many(count, key, self._sizes[key])
        if isinstance(key, tuple) and isinstance(source := key[-1], Tensor):
            return Many(count, key, _info(source).nelms())
        raise _No


@dataclass(frozen=True)
class Many:
    """A size that is known at run time alone."""

    count: Tensor
    key: Hashable
    size: int
    """What it does not exceed."""


def _times(key: Hashable, factor: int) -> Hashable:
    """The key of a multiple of a count."""
    if factor == 1:
        return key
    if isinstance(key, tuple) and key[0] == "times":
        return ("times", key[1] * factor, key[2])
    return ("times", factor, key)


def _info(t: Tensor) -> TensorInfo:
    assert t.info is not None
    return t.info


_SAME = ("Reshape", "Cast", "Identity", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Transpose")
"""Operators that have each truth equally often."""


# Where they begin.


def _nonzero(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    x = on.plain(node, 0)
    shape = _info(x).shape()
    size = math.prod(shape)
    if not shape or not 0 < size <= MOST or x.is_variable():
        raise _No
    if x.isConst() and x.data is not None:
        on.graph.addConstInit(node.output[0], np.array(np.nonzero(x.data), np.int64))
        return
    flat = on.op("Reshape", x, on.const([-1]))
    truths = on.op("Cast", flat, to=DataType.BOOL.onnx)
    ones = on.op("Cast", truths, to=DataType.INT64.onnx)
    count = on.op("ReduceSum", ones, on.const([0]), keepdims=0)
    # The places of the truths, in order, then the place of the first one.
    last = on.op("Sub", on.op("CumSum", ones, on.const(0)), on.const(1))
    to = on.op("Where", truths, last, on.const(size))
    first = on.op("Expand", on.op("ArgMax", ones, axis=0, keepdims=1), on.const([size]))
    places = on.op("ScatterElements", first, to, on.const(np.arange(size)), axis=0)
    coordinates = np.stack(np.unravel_index(np.arange(size), shape))
    found = on.op("Gather", on.const(coordinates.astype(np.int64)), places, axis=1)
    on.add(node.output[0], Ragged(found, 1, count, on.key(count), why))


def _cut_out(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    """A slice along one axis, from a start to an end that are known at run time."""
    x, starts, ends = (on.plain(node, i) for i in range(3))
    axes, steps = on.integers(node, 3, "axes") or [0], on.integers(node, 4, "steps") or [1]
    rank = _info(x).rank()
    if _info(starts).shape() != [1] or len(axes) != 1 or steps != [1] or x.is_variable():
        raise _No
    if _info(ends).shape() != [1]:
        raise _No
    axis = _axis(axes[0], rank)
    size = _info(x).shape()[axis]
    if not size:
        raise _No
    if starts.data is not None and not starts.data.any():
        forms = on.known.of(ends)
        try:
            whole = None if forms is None else on.dimension(forms.item())
        except _No:
            whole = None
        if isinstance(whole, Many):
            least = min(size, whole.size)
            on.add(node.output[0], on.cut(Ragged(x, axis, whole.count, whole.key, why), least))
            return
    _between(on, node.output[0], x, axis, starts, ends, why)


def _split_up(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    """Parts whose sizes are known at run time."""
    x, sizes = on.plain(node, 0), on.plain(node, 1)
    axis = _axis(on.attributes(node).get("axis", 0), _info(x).rank())
    if _info(sizes).shape() != [len(node.output)] or not _info(x).shape()[axis] or x.is_variable():
        raise _No
    end = on.const([0])
    for i, id in enumerate(node.output):
        start, size = end, on.op("Gather", sizes, on.const([i]), axis=0)
        end = on.op("Add", start, size)
        _between(on, id, x, axis, start, end, why)


def _between(
    on: RaggedValues,
    id: str,
    x: Tensor,
    axis: int,
    starts: Tensor,
    ends: Tensor,
    why: LeavesDeviceError,
) -> None:
    """What is from a start to an end, tensors of one integer, along an axis."""
    size = _info(x).shape()[axis]
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
    on.add(id, Ragged(found, axis, count, key, why, last - first))


def _key(form: Form) -> Hashable:
    return form.constant, frozenset(form.terms.items())


def _within(on: RaggedValues, t: Tensor, size: int) -> Tensor:
    """A start or an end, as ONNX counts and clamps it."""
    counted = on.op("Where", on.op("Less", t, on.const(0)), on.op("Add", t, on.const(size)), t)
    return on.op("Min", on.op("Max", counted, on.const([0])), on.const([size]))


def _expanded(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    dims = on.sizes(on.plain(node, 1))
    _widened(on, node, dims, why, lambda shape: on.op("Expand", on.plain(node, 0), on.const(shape)))


def _filled(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    value = np.asarray(on.attributes(node).get("value", np.zeros(1, np.float32))).reshape(())
    dims = on.sizes(on.plain(node, 0))
    _widened(on, node, dims, why, lambda shape: on.op("Expand", on.const(value), on.const(shape)))


def _widened(
    on: RaggedValues,
    node: NodeProto,
    dims: Sequence[int | Many],
    why: LeavesDeviceError,
    make: Callable[[list[int]], Tensor],
) -> None:
    """A tensor of a shape with one count."""
    counts = [(d, each) for d, each in enumerate(dims) if isinstance(each, Many)]
    if len(counts) != 1:
        raise _No
    tensor = make([each.size if isinstance(each, Many) else each for each in dims])
    (at, like) = counts[0]
    axis = _info(tensor).rank() - len(dims) + at
    if _info(tensor).shape()[axis] != like.size:
        raise _No
    on.add(node.output[0], Ragged(tensor, axis, like.count, like.key, why))


def _counted(on: RaggedValues, node: NodeProto, why: LeavesDeviceError) -> None:
    """The numbers below a count."""
    start, step = (on.plain(node, i).data for i in (0, 2))
    like = on.sizes(on.plain(node, 1))[0]
    if start is None or step is None or start.any() or int(step.reshape(-1)[0]) != 1:
        raise _No
    if not isinstance(like, Many):
        raise _No
    numbers = on.const(np.arange(like.size).astype(start.dtype))
    on.add(node.output[0], Ragged(numbers, 0, like.count, like.key, why))


# What follows.


def _axis(given: Any, rank: int) -> int:
    """An axis from 0 on, if it is one."""
    if not isinstance(given, int) or not -rank <= given < rank:
        raise _No
    return given % rank


def _only(given: Mapping[int, Ragged]) -> Ragged:
    """Input 0, if no other one is ragged."""
    if set(given) != {0}:
        raise _No
    return given[0]


def _elementwise(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    given = on.fitted(given)
    places = {len(each.shape) - each.axis for each in given.values()}
    if len(places) > 1:
        raise _No
    (place,) = places
    for i, id in enumerate(node.input):
        if id and i not in given:
            shape = _info(on.plain(node, i)).shape()
            if len(shape) >= place and shape[-place] != 1:
                raise _No
    (made, *_) = on.run(node, given)
    like = next(iter(given.values()))
    on.add(node.output[0], replace(like, tensor=made, axis=_info(made).rank() - place))


def _transposed(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    perm = on.attributes(node).get("perm") or list(range(len(one.shape)))[::-1]
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made, axis=list(perm).index(one.axis)))


def _reshaped(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    dims = on.sizes(on.plain(node, 1), is_exact=False)
    if not on.attributes(node).get("allowzero"):
        dims = [
            one.shape[d] if each == 0 and d != one.axis else each for d, each in enumerate(dims)
        ]
        dims = [-1 if each == 0 else each for each in dims]
    free = [d for d, each in enumerate(dims) if each == -1 or isinstance(each, Many)]
    if not free or any(isinstance(e, Many) and e.key != one.key for e in dims):
        raise _No
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
        found = replace(one, tensor=made, axis=0, count=count, key=_times(one.key, after))
        on.add(node.output[0], replace(found, form=form))
    else:
        raise _No


def _broadcast(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """An Expand of what is ragged, along other axes."""
    one, dims = _only(given), on.sizes(on.plain(node, 1), is_exact=False)
    place = len(one.shape) - one.axis
    target: list[int] = []
    for d, each in enumerate(dims):
        is_axis = len(dims) - d == place
        if isinstance(each, Many) and not (is_axis and each.key == one.key):
            raise _No
        if is_axis and not isinstance(each, Many) and each != 1:
            raise _No
        target.append(1 if is_axis or isinstance(each, Many) else each)
    made = on.op("Expand", one.tensor, on.const(target)) if target else one.tensor
    on.add(node.output[0], replace(one, tensor=made, axis=_info(made).rank() - place))


def _squeezed(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, axes = _only(given), on.integers(node, 1, "axes")
    if axes is None:
        raise _No
    if node.op_type == "Squeeze":
        gone = {_axis(a, len(one.shape)) for a in axes}
        if one.axis in gone:
            raise _No
        axis = one.axis - sum(a < one.axis for a in gone)
    else:
        rank = len(one.shape) + len(axes)
        new = {_axis(a, rank) for a in axes}
        axis = [d for d in range(rank) if d not in new][one.axis]
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made, axis=axis))


def _gathered(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    axis = on.attributes(node).get("axis", 0)
    if set(given) == {1}:
        axis = _axis(axis, _info(on.plain(node, 0)).rank())
        (made,) = on.run(node, given)
        on.add(node.output[0], replace(given[1], tensor=made, axis=axis + given[1].axis))
        return
    one = _only(given)
    axis = _axis(axis, len(one.shape))
    if axis == one.axis:
        raise _No
    rank = _info(on.plain(node, 1)).rank()
    (made,) = on.run(node, given)
    moved = one.axis + rank - 1 if axis < one.axis else one.axis
    on.add(node.output[0], replace(one, tensor=made, axis=moved))


def _gathered_nd(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    if set(given) != {1} or on.attributes(node).get("batch_dims"):
        raise _No
    one = given[1]
    if one.axis == len(one.shape) - 1:
        raise _No
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made))


def _scattered(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """A scatter of what exists: the indices of the rest are out of range."""
    if 0 in given or 1 not in given:
        raise _No
    data = _info(on.plain(node, 0)).shape()
    given = dict(on.fitted(given))
    where = given[1]
    if node.op_type == "ScatterND" and where.axis == len(where.shape) - 1:
        raise _No
    if 2 not in given or given[2].axis != where.axis:
        raise _No
    outside = on.masked(where, max(data, default=0))
    (made,) = on.run(node, {**given, 1: replace(where, tensor=outside)})
    on.plainly(node, made)


def _shape(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    count = on.op("Reshape", one.count, on.const([1]))
    parts = [count if d == one.axis else on.const([n]) for d, n in enumerate(one.shape)]
    named = on.attributes(node)
    parts = parts[slice(named.get("start"), named.get("end"))]
    on.plainly(node, on.op("Concat", *parts, axis=0) if parts else on.const(np.zeros(0, np.int64)))


def _size(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    others = math.prod(one.shape[: one.axis]) * math.prod(one.shape[one.axis + 1 :])
    on.plainly(node, on.op("Mul", one.count, on.const(others)))


def _joined(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = next(iter(given.values()))
    axis = _axis(on.attributes(node).get("axis"), len(one.shape))
    if any(each.axis != one.axis for each in given.values()):
        raise _No
    if axis == one.axis:
        _joined_along(on, node, given, axis)
        return
    given = on.fitted(given)
    if len(given) < len(node.input):
        raise _No
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(given[0], tensor=made))


def _joined_along(
    on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged], axis: int
) -> None:
    """One behind the other, without gaps. It is plain if the counts have a constant sum."""
    why = next(iter(given.values())).why

    def part(i: int) -> Ragged:
        if i in given:
            return given[i]
        x = on.plain(node, i)
        size = _info(x).shape()[axis]
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


def _parted(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one = _only(given)
    if _axis(on.attributes(node).get("axis", 0), len(one.shape)) == one.axis:
        raise _No
    for id, made in zip(node.output, on.run(node, given), strict=True):
        on.add(id, replace(one, tensor=made))


def _sliced(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, axes = _only(given), on.integers(node, 3, "axes")
    if axes is None:
        axes = list(range(len(on.integers(node, 1, "starts") or ())))
    if one.axis in {_axis(a, len(one.shape)) for a in axes}:
        raise _No
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made))


def _general(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Rows, each by a matrix."""
    one = _only(given)
    if one.axis != len(one.shape) - 2 or on.attributes(node).get("transA"):
        raise _No
    for i in range(1, len(node.input)):
        shape = _info(on.plain(node, i)).shape()
        if i == 2 and len(shape) == 2 and shape[0] != 1:
            raise _No
    (made,) = on.run(node, given)
    on.add(node.output[0], replace(one, tensor=made))


def _multiplied(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Rows by matrices, matrices by columns, sums of what exists, or some of many products."""
    given = on.fitted(given)
    ranks = [
        len(given[i].shape if i in given else _info(on.plain(node, i)).shape()) for i in (0, 1)
    ]
    places = {i: ranks[i] - each.axis for i, each in given.items()}
    if all(place == (1 if i == 0 else min(2, ranks[1])) for i, place in places.items()):
        if len(given) < 2:
            raise _No
        padded = {i: replace(each, tensor=on.masked(each, 0)) for i, each in given.items()}
        (made,) = on.run(node, padded)
        on.plainly(node, made)
        return
    if min(ranks) < 2 and places != {0: 2}:
        raise _No
    place = next(iter(places.values()))
    is_batch = place > 2 and len(set(places.values())) == 1
    if is_batch:
        for i in {0, 1} - given.keys():
            shape = _info(on.plain(node, i)).shape()
            if len(shape) >= place and shape[-place] != 1:
                raise _No
    elif places not in ({0: 2}, {1: 1}):
        raise _No
    (made,) = on.run(node, given)
    axis = _info(made).rank() - (place if ranks[1] > 1 else 1)
    on.add(node.output[0], replace(next(iter(given.values())), tensor=made, axis=axis))


def _attended(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Attention to keys and values that exist: a mask keeps it from others."""
    ids = [*node.input, *[""] * 7]
    if any(ids[4:]) or any(node.output[1:]) or not {1, 2} <= given.keys() <= {1, 2, 3}:
        raise _No
    given = on.fitted(given)
    key, mask = given[1], given.get(3)
    if {given[i].axis - len(given[i].shape) for i in (1, 2)} != {-2}:
        raise _No
    rows = _info(on.plain(node, 0)).shape()[-2]
    exists = on.op("Expand", on.exists(key, 1, 0), on.const([rows, key.size]))
    if mask is not None and mask.axis != len(mask.shape) - 1:
        raise _No
    if ids[3]:
        wide = mask.tensor if mask is not None else on.plain(node, 3)
        kind = _info(wide).dataType()
        if mask is None and _info(wide).shape()[-1:] != [1]:
            raise _No
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


def _contracted(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Einsum without an ellipsis: one label is that of the axis."""
    equation = on.attributes(node).get("equation", b"")
    text = (equation.decode() if isinstance(equation, bytes) else equation).replace(" ", "")
    labels, arrow, result = text.partition("->")
    terms, given = labels.split(","), on.fitted(given)
    if not arrow or "." in text or len(terms) != len(node.input):
        raise _No
    label, *others = {terms[i][each.axis] for i, each in given.items()}
    counts = {i: term.count(label) for i, term in enumerate(terms)}
    if others or counts != {i: int(i in given) for i in counts} or result.count(label) > 1:
        raise _No
    if label not in result:
        given = {i: replace(each, tensor=on.masked(each, 0)) for i, each in given.items()}
        on.plainly(node, on.run(node, given)[0])
        return
    (made,) = on.run(node, given)
    like = next(iter(given.values()))
    on.add(node.output[0], replace(like, tensor=made, axis=result.index(label)))


def _cast_like(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """What is not ragged itself does not become it."""
    like = _info(given[1].tensor if 1 in given else on.plain(node, 1)).dataType()
    if 0 not in given:
        on.plainly(node, on.op("Cast", on.plain(node, 0), to=like.onnx))
        return
    found = on.op("Cast", given[0].tensor, to=like.onnx)
    on.add(node.output[0], replace(given[0], tensor=found))


def _summed_up(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """CumSum: along the axis, backwards, without what does not exist."""
    one, named = _only(given), on.attributes(node)
    axis = on.integers(node, 1, "axis")
    if axis is not None and _axis(axis[0], len(one.shape)) == one.axis and named.get("reverse"):
        one = replace(one, tensor=on.masked(one, 0))
    (made,) = on.run(node, {0: one})
    on.add(node.output[0], replace(one, tensor=made))


def _searched(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """ArgMax and ArgMin."""
    one, named = _only(given), on.attributes(node)
    axis = _axis(named.get("axis", 0), len(one.shape))
    if axis != one.axis:
        (made,) = on.run(node, given)
        lost = axis < one.axis and not named.get("keepdims", 1)
        on.add(node.output[0], replace(one, tensor=made, axis=one.axis - lost))
        return
    if named.get("select_last_index"):  # What is padded may be as large.
        raise _No
    kind, is_least = _info(one.tensor).dataType(), node.op_type == "ArgMin"
    limits = np.iinfo(kind.numpy) if kind.is_integer else None
    ends = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
    (made,) = on.run(node, {0: replace(one, tensor=on.masked(one, ends[is_least]))})
    on.plainly(node, made)


def _normalized(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    """Softmax along any axis; normalisations along other axes, the last ones."""
    one = _only(given)
    axis = _axis(on.attributes(node).get("axis", -1), len(one.shape))
    if axis == one.axis and node.op_type == "Softmax" and on.version() >= 13:
        least = float(ml_dtypes.finfo(_info(one.tensor).dataType().numpy).min)
        given = {0: replace(one, tensor=on.masked(one, least))}  # Not -inf: of none that is NaN.
    elif axis <= one.axis:
        raise _No
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


def _reduced(on: RaggedValues, node: NodeProto, given: Mapping[int, Ragged]) -> None:
    one, named = _only(given), on.attributes(node)
    rank, kind = len(one.shape), _info(one.tensor).dataType()
    axes = on.integers(node, 1, "axes")
    if not axes:
        if named.get("noop_with_empty_axes"):
            raise _No
        axes = list(range(rank))
    gone, keeps = {_axis(a, rank) for a in axes}, named.get("keepdims", 1)
    if one.axis not in gone:
        (made,) = on.run(node, given)
        axis = one.axis if keeps else one.axis - sum(a < one.axis for a in gone)
        on.add(node.output[0], replace(one, tensor=made, axis=axis))
        return
    if node.op_type not in _NEUTRAL:
        raise _No
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
    total = on.op("ReduceSum", padded.tensor, on.const(sorted(gone)), keepdims=keeps)
    others = math.prod(one.shape[d] for d in gone if d != one.axis)
    many = on.op("Cast", on.op("Mul", one.count, on.const(others)), to=kind.onnx)
    on.plainly(node, on.op("Div", total, many))


_BEGIN: dict[str, Callable[[RaggedValues, NodeProto, LeavesDeviceError], None]] = {
    "NonZero": _nonzero,
    "Slice": _cut_out,
    "Split": _split_up,
    "Expand": _expanded,
    "ConstantOfShape": _filled,
    "Range": _counted,
}
Follow = Callable[[RaggedValues, NodeProto, Mapping[int, Ragged]], None]
_ELEMENTWISE = [
    *("Identity", "Cast", "Abs", "Neg", "Exp", "Log", "Sqrt", "Reciprocal", "Relu", "Sigmoid"),
    *("Tanh", "Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign", "Not", "IsNaN", "IsInf"),
    *("Softplus", "LeakyRelu", "Elu", "Selu", "Clip", "Gelu", "HardSigmoid", "HardSwish", "Mish"),
    *("Softsign", "Celu", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum", "And", "Or"),
    *("Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Where", "Mod", "PRelu"),
]
_FOLLOW: dict[str, Follow] = {
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
