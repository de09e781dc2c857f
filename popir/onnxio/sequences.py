"""Removal of sequences of tensors at import.

PyTorch's exporter, for example, makes a sequence of the results of `torch.split`, and takes it
apart again at known positions. Such a model needs no sequences at run time. At import a sequence is
a list of tensor ids, and the operators on it become Split, Concat and Identity.

Example: `s = SplitToSequence(x)`, `y = SequenceAt(s, 1)` become `s/0, s/1 = Split(x)`, `y =
Identity(s/1)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, helper

from popir.errors import LeavesDeviceError, ModelError
from popir.ir import Graph
from popir.ir.attributes import truth
from popir.onnxio.proto import tensor
from popir.onnxio.proto import who as _who

Array = np.ndarray[Any, Any]

MAX_PARTS = 1 << 16
"""The most tensors that one node may split a tensor into."""
MAX_ELEMENTS = 1 << 22
"""The most tensors in all sequences of a model together."""


class Sequences:
    """The sequences of one graph: sequence id to tensor ids."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lists: dict[str, list[str]] = {}
        self._elements = 0

    def rewritten(self, node: NodeProto) -> list[NodeProto] | None:
        """The nodes, without sequences, that compute the same as `node`; None if it has no
        sequence.

        Raises ModelError if a position or size is not known at import.
        """
        read = [id for id in node.input if id in self._lists] if self._lists else []
        make = _MAKERS.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if make is None and read:
            raise LeavesDeviceError(
                f"{_who(node)} reads the sequence '{read[0]}'; a device program knows sequences "
                "where they are made and taken apart, by SequenceConstruct, SequenceAt and their "
                "like."
            )
        if make is None or (node.op_type == "Identity" and not read):
            return None
        least = _LEAST.get(node.op_type, 1)
        if len(node.output) != 1 or len(node.input) < least or not all(node.input[:least]):
            raise ModelError(
                f"{_who(node)} has the inputs {list(node.input)} and outputs {list(node.output)}; "
                f"it takes {least} or more and has one."
            )
        return list(make(self, node))

    def has(self, id: str) -> bool:
        """Whether `id` is a sequence."""
        return id in self._lists

    def get(self, id: str) -> list[str]:
        """The tensor ids of the sequence `id`."""
        return self._lists[id]

    def of(self, node: NodeProto) -> list[str]:
        """The tensor ids of the sequence at input 0 of the node. Raises ModelError if it is no
        sequence.
        """
        if node.input[0] not in self._lists:
            raise ModelError(f"{_who(node)}: its input 0, '{node.input[0]}', is no sequence.")
        return self._lists[node.input[0]]

    def set(self, node: NodeProto, ids: list[str]) -> None:
        """Makes the output of the node the sequence of the tensors `ids`."""
        self.add(_who(node), node.output[0], ids)

    def add(self, who: str, id: str, ids: list[str]) -> None:
        """Makes `id`, an output of the node `who`, the sequence of the tensors `ids`."""
        self._elements += len(ids)
        if self._elements > MAX_ELEMENTS:
            raise ModelError(f"{who}: sequences have more than {MAX_ELEMENTS} elements.")
        self._lists[id] = ids

    def constant(self, node: NodeProto, i: int) -> Array | None:
        """The integers of constant input `i`; None if it is left out.

        Raises ModelError if they are not known.
        """
        if i >= len(node.input) or not node.input[i]:
            return None
        found = self._graph.tensors.get(node.input[i])
        if found is None or found.data is None or found.data.dtype.kind not in "iu":
            raise LeavesDeviceError(
                f"{_who(node)}: its input {i}, '{node.input[i]}', must be integers that are known "
                "when the model is compiled.",
                [node.input[i]],
            )
        return found.data

    def position(
        self, node: NodeProto, i: int, length: int, end: int, may_be_end: bool = False
    ) -> int:
        """The position given by input `i`, negative from the end; `end` if the input is left out.

        Raises ModelError if it is outside of `length`; `may_be_end` allows for `length` itself.
        """
        given = self.constant(node, i)
        place = end if given is None or not given.size else int(given.reshape(-1)[0])
        if not -length <= place < length + may_be_end:
            raise ModelError(f"{_who(node)}: the position {place} is outside of {length}.")
        return place + length if place < 0 else place

    def sizes(self, node: NodeProto, axis: int) -> list[int]:
        """The sizes of the parts that SplitToSequence makes."""
        info = self._graph.getTensor(node.input[0]).info
        rank = info.rank() if info else 0
        if info is None or not -rank <= axis < rank:
            raise ModelError(f"{_who(node)}: axis {axis} is outside of {info}.")
        size, given = info.shape()[axis], self.constant(node, 1)
        if given is not None and given.ndim:
            if given.size > MAX_PARTS:
                raise ModelError(f"{_who(node)}: popir makes up to {MAX_PARTS} parts.")
            return [int(n) for n in given.reshape(-1)]
        each = 1 if given is None else int(given)
        if each < 1 or size > MAX_PARTS * each:
            raise ModelError(
                f"{_who(node)}: {size} elements in parts of {each}; popir makes up to {MAX_PARTS}."
            )
        return [min(each, size - i) for i in range(0, size, each)]

    def unknown_sizes(self, node: NodeProto) -> int | None:
        """How many parts SplitToSequence makes, if only the run knows their sizes and a Split may
        have them (`popir.onnxio.ragged`); else None.
        """
        found = self._graph.tensors.get(node.input[1]) if len(node.input) > 1 else None
        if found is None or found.info is None or found.data is not None:
            return None
        shape, can = found.info.shape(), self._graph.keeps_ragged and self.version() >= 13
        return shape[0] if can and len(shape) == 1 and 0 < shape[0] <= MAX_PARTS else None

    def version(self) -> int:
        """The model's opset of ai.onnx."""
        return self._graph.opsets["ai.onnx"]


def resolved() -> set[str]:
    """The types of ONNX's operators that only handle sequences, and are gone after the import."""
    return _MAKERS.keys() - {"Identity"}


def _attribute(node: NodeProto, name: str, default: int) -> int:
    found: list[AttributeProto] = [each for each in node.attribute if each.name == name]
    return found[0].i if found else default


def _truth(node: NodeProto, name: str, default: int) -> bool:
    return bool(truth(_who(node), name, _attribute(node, name, default)))


def _parts(node: NodeProto, count: int) -> list[str]:
    return [f"{node.output[0]}/{i}" for i in range(count)]


def _sized(
    who: Sequences, type: str, ids: tuple[str, list[str]], numbers: list[int], old: str, **more: Any
) -> Iterator[NodeProto]:
    """A node with `numbers` as an input from opset 13 on, and as the attribute `old` before."""
    given, outputs = ids
    if who.version() < 13:
        yield helper.make_node(type, [given], outputs, **{old: numbers}, **more)
        return
    id = f"{outputs[0]}/{old}"
    yield helper.make_node("Constant", [], [id], value=tensor(id, np.array(numbers, np.int64)))
    yield helper.make_node(type, [given, id], outputs, **more)


def _split(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    axis = _attribute(node, "axis", 0)
    if (count := who.unknown_sizes(node)) is not None:
        ids = _parts(node, count)
        who.set(node, ids)
        yield helper.make_node("Split", node.input, ids, axis=axis)
        return
    sizes = who.sizes(node, axis)
    ids = _parts(node, len(sizes))
    who.set(node, ids)
    if not ids:
        return
    keeps = _truth(node, "keepdims", 1) or any(node.input[1:2])
    wide = ids if keeps else [f"{id}/wide" for id in ids]
    yield from _sized(who, "Split", (node.input[0], wide), sizes, "split", axis=axis)
    for one, id in zip(wide, ids, strict=True):
        if not keeps:
            yield from _sized(who, "Squeeze", (one, [id]), [axis], "axes")


def _concat(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    axis, ids = _attribute(node, "axis", 0), who.of(node)
    if _truth(node, "new_axis", 0):
        wide = _parts(node, len(ids))
        for id, one in zip(ids, wide, strict=True):
            yield from _sized(who, "Unsqueeze", (id, [one]), [axis], "axes")
        ids = wide
    yield helper.make_node("Concat", ids, node.output[:1], node.name, axis=axis)


def _at(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    ids = who.of(node)
    id = ids[who.position(node, 1, len(ids), 0)]
    yield helper.make_node("Identity", [id], node.output[:1], node.name)


def _length(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    value = np.array(len(who.of(node)), np.int64)
    yield helper.make_node("Constant", [], node.output[:1], value=tensor("", value))


def _empty(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    who.set(node, [])
    return iter(())


def _construct(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    who.set(node, list(node.input))
    return iter(())


def _identity(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    who.set(node, who.of(node))
    return iter(())


def _insert(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    ids = list(who.of(node))
    ids.insert(who.position(node, 2, len(ids), len(ids), may_be_end=True), node.input[1])
    who.set(node, ids)
    return iter(())


def _erase(who: Sequences, node: NodeProto) -> Iterator[NodeProto]:
    ids = list(who.of(node))
    del ids[who.position(node, 1, len(ids), len(ids) - 1)]
    who.set(node, ids)
    return iter(())


_LEAST = {"SequenceEmpty": 0, "SequenceAt": 2, "SequenceInsert": 2}
"""The least number of inputs of each operator, if it is not one."""
_MAKERS: dict[str, Callable[[Sequences, NodeProto], Iterator[NodeProto]]] = {
    "SplitToSequence": _split,
    "ConcatFromSequence": _concat,
    "SequenceAt": _at,
    "SequenceLength": _length,
    "SequenceEmpty": _empty,
    "SequenceConstruct": _construct,
    "SequenceInsert": _insert,
    "SequenceErase": _erase,
    "Identity": _identity,
}
