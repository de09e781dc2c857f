"""Digests of operators and graphs, for caches. They are equal in every process.

An operator's digest covers its identifier, annotations, and what `appendAttributes` gives. A
graph's digest covers

- the operators in scheduled order and how they are connected,
- type and shape of every tensor,
- the ids of weights, streams, inputs and outputs, but not of intermediate tensors,
- the values of constants, but not of weights.

Names of operators and of the graph do not count.
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
from popir.ir.graph import Graph, Op, Tensor, TensorType
from popir.ir.traits import OpSerialiser
from popir.options.annotations import EXECUTION_PHASE
from popir.types import TensorInfo


class DigestError(popart_exception):
    """Raised for a value of a type that has no digest."""


_OWN = frozenset(
    {
        *("id", "opid", "settings", "input", "output", "twin", "source"),
        *("called_names", "variant_of"),
    }
)
"""Members of `Op` that `digest_of` skips: they say where the operator is, not what it computes, or
`digest_of` reads them separately.
"""


def encoded(value: Any) -> bytes:
    """`value` as bytes: its type, size and content. Different values give different bytes.

    Takes None, bool, int, float, str, bytes, arrays, enums, infos, graphs, dataclasses, objects
    that define `__getstate__`, and lists, tuples, sets and mappings of these. Raises DigestError
    for anything else. Mappings and sets are sorted, so their order does not count.
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
    state = getattr(type(value), "__getstate__", None)  # Objects of the C++ libraries define it.
    if state is not getattr(object, "__getstate__", None):  # Python 3.11 gives every object one.
        return _tagged(type(value).__qualname__, encoded(value.__getstate__()))
    raise DigestError(
        f"{value!r} ({type(value).__name__}) has no digest; give numbers, text, arrays, or lists "
        "and mappings of these."
    )


def _tagged(tag: str, *parts: bytes) -> bytes:
    return b"".join(f"{len(part)}:".encode() + part for part in (tag.encode(), *parts))


def digest_of(op: Op, is_outlined: bool = False) -> bytes:
    """A digest of 16 bytes of what an operator computes: identifier, source, attributes and
    annotations. For an operator in Python, also members that its code has set.

    `is_outlined` uses `appendOutlineAttributes` instead of `appendAttributes`, and leaves out the
    execution phase: two operators may share outlined code if these digests are equal.
    """
    os = OpSerialiser()
    (op.appendOutlineAttributes if is_outlined else op.appendAttributes)(os)
    is_python = op.source in ("built in", "python")
    members = {item.member for item in op.declaredAttributes().values()}
    hidden = {k: v for k, v in vars(op).items() if is_python and k not in _OWN and k not in members}
    if not hidden.get("_open"):
        hidden.pop("_open", None)
    notes = op.settings.nodeAttributes
    if is_outlined and EXECUTION_PHASE in notes:
        notes = {key: value for key, value in notes.items() if key != EXECUTION_PHASE}
    parts = (hidden, notes, os.attributes)
    if all(_PLAIN.issuperset(map(type, part.values())) for part in parts):
        words = (tuple((k, type(v), repr(v)) for k, v in part.items()) for part in parts)
        return _digest_of_plain(str(op.opid), op.source, *words)
    return _hashed((str(op.opid), op.source, *parts))


_PLAIN = frozenset({type(None), bool, int, float, str})


@functools.lru_cache(maxsize=1 << 12)
def _digest_of_plain(opid: str, source: str, *parts: tuple[tuple[str, type, str], ...]) -> bytes:
    """The digest of an operator with plain attributes. Cached, because many operators are equal."""
    return _hashed((opid, source, [[(k, t.__name__, v) for k, t, v in part] for part in parts]))


def _hashed(value: Any) -> bytes:
    return hashlib.blake2b(encoded(value), digest_size=16).digest()


def digest(graph: Graph, seed: bytes = b"") -> bytes:
    """A digest of 32 bytes of a graph. `seed` adds what else matters, such as options."""
    hasher = hashlib.blake2b(_tagged("seed", seed), digest_size=32)
    numbers: dict[Tensor, int] = {}
    order = graph.schedule()
    for tensor in graph.tensors.values():
        if tensor.producer is None and (tensor.uses or tensor.id in graph.outputs):
            numbers[tensor] = len(numbers)
            data = tensor.data if tensor.tensorType is TensorType.Const else None
            # A constant counts by its value, not by its id.
            id = None if data is not None else tensor.id
            hasher.update(encoded((tensor.tensorType, id, tensor.info, data)))
    for op in order:
        for tensor in op.output.values():
            numbers[tensor] = len(numbers)
        reads = {i: numbers[tensor] for i, tensor in op.input.items()}
        makes = {i: (numbers[tensor], tensor.info) for i, tensor in op.output.items()}
        hasher.update(digest_of(op) + encoded((reads, makes)))
    hasher.update(encoded((graph.isTraining, graph.inputs, _ids(graph, numbers))))
    return hasher.digest()


def _ids(graph: Graph, numbers: Mapping[Tensor, int]) -> list[tuple[str, int | None]]:
    outputs: Iterable[str] = graph.outputs
    return [(id, numbers.get(graph.getTensor(id))) for id in outputs]
