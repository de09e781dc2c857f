"""Digests of operators and of whole graphs, the same in every process.

An operator is what its `appendAttributes` gives, its identifier and its annotations; a graph is its
operators in the order of their schedule, how they are connected, and type and shape of every
tensor. Ids count where somebody outside needs them: of weights, streams, inputs and outputs, not of
what is in between. Names for people count nowhere. A constant's value is part of a graph, a
weight's is not.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from popir.errors import popart_exception
from popir.ir.graph import Graph
from popir.ir.op import Op
from popir.ir.settings import OpSerialiser
from popir.ir.tensor import Tensor, TensorType
from popir.types import TensorInfo


class DigestError(popart_exception):
    """A value of a kind that has no digest."""


_OWN = frozenset(
    {
        *("id", "opid", "settings", "input", "output", "twin", "source"),
        *("calledNames", "variantOf"),
    }
)
"""Of the members of every operator: those that say where it is, not what it computes, or that are
looked at by name.
"""


def encoded(value: Any) -> bytes:
    """`value` as bytes that tell it from every other value: its type, its size and its content.

    For None, bool, int, float, str, bytes, arrays, enums, infos, graphs, dataclasses, and lists,
    tuples, sets and mappings of these, and for what pickles by a state of its own; anything else
    is a DigestError.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return _tagged(type(value).__name__, repr(value).encode())
    if isinstance(value, bytes):
        return _tagged("bytes", value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        data = repr(array.tolist()).encode() if array.dtype == np.object_ else array.tobytes()
        return _tagged("array", repr((array.dtype.str, array.shape)).encode(), data)
    if isinstance(value, enum.Enum):
        return _tagged(type(value).__name__, value.name.encode())
    if isinstance(value, TensorInfo):
        return _tagged("info", str(value).encode())
    if isinstance(value, Graph):
        return _tagged("graph", digest(value))
    if dataclasses.is_dataclass(value):
        fields = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
        return _tagged(type(value).__name__, *(encoded(each) for pair in fields for each in pair))
    if isinstance(value, Mapping):
        return _tagged("map", *sorted(encoded(k) + encoded(v) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return _tagged("set", *sorted(map(encoded, value)))
    if isinstance(value, (list, tuple, range)):
        return _tagged("list", *map(encoded, value))
    state = getattr(type(value), "__getstate__", None)  # values of the C++ libraries have one
    if state is not getattr(object, "__getstate__", None):  # every object has, from Python 3.11 on
        return _tagged(type(value).__qualname__, encoded(value.__getstate__()))
    raise DigestError(
        f"{value!r} ({type(value).__name__}) has no digest; give numbers, text, arrays, or lists "
        "and mappings of these."
    )


def _tagged(tag: str, *parts: bytes) -> bytes:
    return b"".join(f"{len(part)}:".encode() + part for part in (tag.encode(), *parts))


def digestOf(op: Op, isOutlined: bool = False) -> bytes:
    """16 bytes for what an operator computes: identifier, whose it is, attributes, annotations; of
    one in Python, also whatever else it has been given for itself.

    `isOutlined` takes `appendOutlineAttributes`: what must be equal to share a piece of code.
    """
    os = OpSerialiser()
    (op.appendOutlineAttributes if isOutlined else op.appendAttributes)(os)
    isPython = op.source in ("built in", "python")
    members = {item.member for item in op.declaredAttributes().values()}
    hidden = {k: v for k, v in vars(op).items() if isPython and k not in _OWN and k not in members}
    if not hidden.get("_open"):
        hidden.pop("_open", None)
    parts = (hidden, op.settings.nodeAttributes, os.attributes)
    if all(_PLAIN.issuperset(map(type, part.values())) for part in parts):
        words = (tuple((k, type(v), repr(v)) for k, v in part.items()) for part in parts)
        return _digestOfPlain(str(op.opid), op.source, *words)
    return _hashed((str(op.opid), op.source, *parts))


_PLAIN = frozenset({type(None), bool, int, float, str})


@functools.lru_cache(maxsize=1 << 12)
def _digestOfPlain(opid: str, source: str, *parts: tuple[tuple[str, type, str], ...]) -> bytes:
    """For the most usual operators: many are alike."""
    return _hashed((opid, source, [[(k, t.__name__, v) for k, t, v in part] for part in parts]))


def _hashed(value: Any) -> bytes:
    return hashlib.blake2b(encoded(value), digest_size=16).digest()


def digest(graph: Graph, seed: bytes = b"") -> bytes:
    """32 bytes for a graph; `seed` stands for what else matters, options for example."""
    hasher = hashlib.blake2b(_tagged("seed", seed), digest_size=32)
    numbers: dict[Tensor, int] = {}
    order = graph.schedule()
    for tensor in graph.tensors.values():
        if tensor.producer is None and (tensor.uses or tensor.id in graph.outputs):
            numbers[tensor] = len(numbers)
            data = tensor.data if tensor.tensorType is TensorType.Const else None
            # A constant is its value, whatever it is called.
            id = None if data is not None else tensor.id
            hasher.update(encoded((tensor.tensorType, id, tensor.info, data)))
    for op in order:
        for tensor in op.output.values():
            numbers[tensor] = len(numbers)
        reads = {i: numbers[tensor] for i, tensor in op.input.items()}
        makes = {i: (numbers[tensor], tensor.info) for i, tensor in op.output.items()}
        hasher.update(digestOf(op) + encoded((reads, makes)))
    hasher.update(encoded((graph.isTraining, graph.inputs, _ids(graph, numbers))))
    return hasher.digest()


def _ids(graph: Graph, numbers: Mapping[Tensor, int]) -> list[tuple[str, int | None]]:
    outputs: Iterable[str] = graph.outputs
    return [(id, numbers.get(graph.getTensor(id))) for id in outputs]
