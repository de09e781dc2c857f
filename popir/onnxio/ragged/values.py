"""The ragged tensors of a graph, and what the rules for operators use."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import NodeProto

from popir.adding import add_op
from popir.errors import LeavesDeviceError
from popir.ir import Op, Tensor
from popir.ir.integers import Form, Integers
from popir.onnxio.attributes import to_python
from popir.onnxio.proto import who
from popir.onnxio.subgraphs import Subgraph
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
        return info_of(self.tensor).shape()

    @property
    def size(self) -> int:
        """The most elements along the axis."""
        return self.shape[self.axis]


MALFORMED = (LookupError, TypeError, ValueError)
"""What a node raises whose attributes are not what they must be."""


class NotDone(Exception):
    """What is not done here."""


@dataclass(frozen=True)
class Many:
    """A size that is known at run time alone."""

    count: Tensor
    key: Hashable
    size: int
    """What it does not exceed."""


def multiple_of(key: Hashable, factor: int) -> Hashable:
    """The key of a multiple of a count."""
    if factor == 1:
        return key
    if isinstance(key, tuple) and key[0] == "times":
        return ("times", key[1] * factor, key[2])
    return ("times", factor, key)


def info_of(t: Tensor) -> TensorInfo:
    """The type and shape of a tensor, which has both."""
    assert t.info is not None
    return t.info


_SAME = ("Reshape", "Cast", "Identity", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Transpose")
"""Operators that have each truth equally often."""


def axis_of(given: Any, rank: int) -> int:
    """An axis from 0 on, if it is one."""
    if not isinstance(given, int) or not -rank <= given < rank:
        raise NotDone
    return given % rank


class Values:
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
            raise NotDone
        return self.graph.tensors[node.input[i]]

    def integers(self, node: NodeProto, i: int, name: str) -> list[int] | None:
        """The integers that input `i`, or before it the attribute `name`, has."""
        if i < len(node.input) and node.input[i]:
            data = self.plain(node, i).data
            if data is None:
                raise NotDone
            return [int(n) for n in data.reshape(-1)]
        return self.attributes(node).get(name)

    def run(self, node: NodeProto, given: Mapping[int, Ragged]) -> list[Tensor]:
        """The outputs of a node on padded tensors."""
        return self.computed(node, {i: each.tensor for i, each in given.items()})

    def padded_loop(self, node: NodeProto) -> list[Tensor]:
        """The outputs of a Loop, its scan outputs padded, then the number of iterations."""
        attributes = self.attributes(node)
        body = Subgraph(attributes["body"], self._importer, f"{who(node)}: its body")
        inputs = [self.graph.tensors[id] if id else None for id in node.input]
        made = [self.graph.uniqueId(f"{id}/padded") for id in node.output]
        made.append(self.graph.uniqueId(f"{node.output[0]}/count"))
        settings = Op.Settings(self.graph, node.name)
        add_op("ai.graphcore", "PaddedLoop", 1, settings, {"body": body}, inputs, made)
        return [self.graph.getTensor(id) for id in made]

    def computed(self, node: NodeProto, given: Mapping[int, Tensor]) -> list[Tensor]:
        """The outputs of a node with other tensors at some inputs."""
        for id in node.input:
            if id and id not in self.graph.tensors and id not in self._found:
                raise NotDone
        padded = NodeProto()
        padded.CopyFrom(node)
        for i, each in given.items():
            padded.input[i] = each.id
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

    def plainly(self, node: NodeProto, tensor: Tensor, o: int = 0) -> None:
        """Makes a tensor output `o` of a node."""
        settings = Op.Settings(self.graph, node.name)
        add_op("ai.onnx", "Identity", OPSET, settings, {}, [tensor], [node.output[o]])

    def fitted(self, given: Mapping[int, Ragged]) -> dict[int, Ragged]:
        """Ragged tensors of one count, cut to one size."""
        if len({each.key for each in given.values()}) > 1:
            raise NotDone
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

    def masked(self, given: Ragged, other: Any, *, or_none: bool = False) -> Tensor:
        """The tensor with another number where it does not exist; with `or_none`, unless nothing
        exists: the softmax of -inf alone is NaN.
        """
        kind = info_of(given.tensor).dataType().numpy
        number = self.const(np.asarray(other, kind))
        exists = self.exists(given, len(given.shape), given.axis)
        if or_none:
            exists = self.op("Or", exists, self.op("Equal", given.count, self.const(0)))
        return self.op("Where", exists, given.tensor, number)

    def read(self, given: Ragged) -> Ragged:
        """What is read from a plain tensor, to which no gradient of what does not exist goes back:
        where nothing exists, there are no copies of what does, and a logarithm may be infinite.
        """
        kind = info_of(given.tensor).dataType()
        if kind.is_integer or kind is DataType.BOOL:
            return given
        id = self.graph.uniqueId(f"{self._base}/Detach")
        settings = Op.Settings(self.graph, id)
        add_op("ai.graphcore", "Detach", 1, settings, {}, [given.tensor], [id])
        exists = self.exists(given, len(given.shape), given.axis)
        made = self.op("Where", exists, given.tensor, self.graph.tensors[id])
        return replace(given, tensor=made)

    def with_copies(self, given: Ragged) -> Ragged:
        """The tensor with copies of its last element that exists, in place of those that do not: of
        what an operator left there a logarithm, or an exponential, may be infinite, and its
        gradient NaN.
        """
        zero, one = self.const([0]), self.const([1])
        count = self.op("Reshape", given.count, self.const([1]))
        last = self.op("Max", self.op("Sub", count, one), zero)
        places = self.op("Min", self.const(np.arange(given.size)), last)
        return replace(given, tensor=self.op("Gather", given.tensor, places, axis=given.axis))

    def key(self, count: Tensor) -> Hashable | None:
        """The key of a count; None if nothing is known of it. The sum of all truths of one tensor
        is one count, however it was written.
        """
        if count in self._keys:
            return self._keys[count]
        op = count.producer
        if op is None or op.opid.type != "ReduceSum" or info_of(count).nelms() != 1:
            return None
        source, times = op.inTensor(0), 1
        while source.producer is not None and source.producer.opid.type in _SAME:
            before = source.producer.inTensor(0)
            times *= info_of(source).nelms() // max(1, info_of(before).nelms())
            source = before
        if info_of(source).dataType() is not DataType.BOOL:
            return None
        return multiple_of(("true", source), times)

    def form(self, number: Tensor) -> Form:
        """What is known of a tensor of one integer."""
        forms = self.known.of(number)
        if forms is None or forms.size != 1:
            raise NotDone
        return forms.item()

    def sizes(self, shape: Tensor, is_exact: bool = True) -> list[int | Many]:
        """The dimensions that a tensor of integers says, some of them perhaps counts."""
        forms = self.known.of(shape)
        if forms is None:
            raise NotDone
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
            raise NotDone
        count = one.source
        if factor > 1:
            count, key = self.op("Mul", count, self.const(factor)), multiple_of(key, factor)
        if key in self._sizes:
            return Many(count, key, self._sizes[key])
        if isinstance(key, tuple) and isinstance(source := key[-1], Tensor):
            return Many(count, key, info_of(source).nelms())
        raise NotDone
