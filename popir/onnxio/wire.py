"""Looks into serialised models without parsing them.

Parsing can take far more memory than the data: a message of two bytes becomes an object of over a
hundred bytes, and each access to the bytes of a large tensor copies them. So messages are counted
first, and the bytes of large initializers stay beside the message: `apart` takes them out of
serialised data, `whole` puts them in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onnx import GraphProto, ModelProto, TensorProto

from popir.onnxio.serialised import InMemory, Serialised, part

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

# Keys of fields. A field of the number, but of another kind, is an unknown one to a parser.
_GRAPH = ModelProto.GRAPH_FIELD_NUMBER << 3 | _BYTES
_FUNCTIONS = ModelProto.FUNCTIONS_FIELD_NUMBER << 3 | _BYTES
_INITIALIZER = GraphProto.INITIALIZER_FIELD_NUMBER << 3 | _BYTES
_NAME = TensorProto.NAME_FIELD_NUMBER << 3 | _BYTES
_RAW_DATA = TensorProto.RAW_DATA_FIELD_NUMBER << 3 | _BYTES

LARGE = 1 << 16
"""From so many bytes on, an initializer's stay beside the message."""
_GROWTH = 200
"""The most bytes of memory for one byte of serialised data."""


def worst_case(size: int) -> int:
    """The most bytes of memory for parsing `size` bytes."""
    return size * _GROWTH


def count_messages(data: bytes, most: int) -> int:
    """The number of messages in a serialised model. Stops with a number above `most` if there are
    more messages or fields than that.

    Data that is not in the wire format ends the count; the parser then raises the error.
    """
    count = fields = 0
    waiting: list[tuple[int, int, dict[int, Any]]] = [(0, len(data), _parts(ModelProto.DESCRIPTOR))]
    while waiting and count <= most:
        at, end, parts = waiting.pop()
        count += 1
        while at < end:
            fields += 1
            if fields > most:
                return most + 1
            key, at = _varint(data, at)
            kind = key & 7
            if kind == _VARINT:
                _, at = _varint(data, at)
            elif kind == _FIXED64:
                at += 8
            elif kind == _FIXED32:
                at += 4
            elif kind == _BYTES:
                length, at = _varint(data, at)
                part = parts.get(key >> 3)
                if part is not None:
                    waiting.append((at, min(at + length, end), _parts(part)))
                at += length
            else:
                return count
    return count


_known: dict[str, dict[int, Any]] = {}


def _parts(descriptor: Any) -> dict[int, Any]:
    """The fields of a message that hold messages: field number to their descriptor."""
    found = _known.get(descriptor.full_name)
    if found is None:
        found = {f.number: f.message_type for f in descriptor.fields if f.message_type is not None}
        _known[descriptor.full_name] = found
    return found


def _varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """The integer at `at` and the position after it; zero past the end."""
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            break
    return value, max(at, len(data))


Values = Mapping[str, memoryview]
"""The bytes of initializers of the main graph that the message lacks, as `raw_data` has them, by
the initializers' names.
"""


Places = Mapping[str, tuple[int, int]]
"""Where those bytes begin and end in the serialised model."""


def apart(source: Serialised, most: int) -> tuple[bytes, Places] | None:
    """A serialised model without the bytes of its large initializers, which are not read, and
    the places of these.

    None for what is not in the wire format, has functions, names two large initializers alike, has
    no large ones, or has more than `most` fields. Raises OSError if the model cannot be read.
    """
    left = iter(range(most))
    try:
        fields = list(_limited(_fields(source, 0, source.size), left))
        graphs = [field for field in fields if field[0] == _GRAPH]
        if len(graphs) != 1 or any(key == _FUNCTIONS for key, *_ in fields):
            return None
        ((_, start, begin, end),) = graphs
        parts: list[bytes] = []
        places: dict[str, tuple[int, int]] = {}
        names: set[str] = set()
        kept = begin
        """The end of the last large initializer: what follows it stays as it is."""
        for key, first, inner, last in _limited(_fields(source, begin, end), left):
            if key == _INITIALIZER and last - inner >= LARGE:
                name, raw, others = _tensor(_limited(_fields(source, inner, last), left), source)
                if name in names:
                    return None
                names.add(name)
                if raw is not None:
                    places[name] = raw
                    parts += [part(source, kept, first), _field(_INITIALIZER, others)]
                    kept = last
    except (ValueError, UnicodeDecodeError):
        return None
    if not places:
        return None
    graph = _field(_GRAPH, b"".join([*parts, part(source, kept, end)]))
    message = b"".join([part(source, 0, start), graph, part(source, end, source.size)])
    return message, places


def _limited(fields: Iterator[Field], left: Iterator[int]) -> Iterator[Field]:
    """Takes one of `left` for each field. Raises ValueError if none is left."""
    for field in fields:
        if next(left, None) is None:
            raise ValueError("too many fields")
        yield field


def whole(model: ModelProto, values: Values) -> bytes:
    """`model` in its wire format, its fields in order, with the bytes of `values`."""
    if not values:
        return model.SerializeToString(deterministic=True)
    initializers = [_with(tensor, values.get(tensor.name)) for tensor in model.graph.initializer]
    graph = GraphProto()
    for field, value in model.graph.ListFields():
        if field.number != GraphProto.INITIALIZER_FIELD_NUMBER:
            _take(graph, field.name, value)
    outer = ModelProto()
    for field, value in model.ListFields():
        if field.number != ModelProto.GRAPH_FIELD_NUMBER:
            _take(outer, field.name, value)
    first, last = _around(graph, _INITIALIZER)
    middle = [part for parts in initializers for part in parts]
    before, after = _around(outer, _GRAPH)
    size = sum(map(len, (first, last, *middle)))
    return b"".join([before, _number(_GRAPH), _number(size), first, *middle, last, after])


Field = tuple[int, int, int, int]
"""Of a message: its key, which is number and kind; its start, that of its payload, and its end."""
_MOST_HEAD = 32
"""More bytes than those of a field before its payload."""


def _fields(source: Serialised, at: int, end: int) -> Iterator[Field]:
    """The fields of the message that lies in [at, end).

    Raises ValueError if the message is cut off, or has a group; OSError if it cannot be read.
    """
    view, base, last = memoryview(b""), at, at
    while at < end:
        if at + _MOST_HEAD > last and last < end:
            view, base = source.window(at, _MOST_HEAD)
            last = base + len(view)
            view = view[: end - base]
        start, at = at, at - base
        key, at = (view[at], at + 1) if view[at] < 128 else _varint(view, at)
        kind = key & 7
        begin = at
        if kind == _VARINT:
            _, at = _varint(view, at)
        elif kind == _BYTES:
            short = at < len(view) and view[at] < 128
            length, begin = (view[at], at + 1) if short else _varint(view, at)
            at = begin + length
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("a group")
        begin, at = begin + base, at + base
        if at > end:
            raise ValueError("cut off")
        yield key, start, begin, at


def _tensor(
    fields: Iterator[Field], source: Serialised
) -> tuple[str, tuple[int, int] | None, bytes]:
    """The name of a tensor, the place of its bytes if they are many, and the message without
    these. Raises ValueError if there are two names, or bytes twice, few or many.
    """
    raw: tuple[int, int] | None = None
    names: list[str] = []
    rest: list[bytes] = []
    count = 0
    for key, start, begin, last in fields:
        if key == _NAME:
            names.append(part(source, begin, last).decode())
        count += key == _RAW_DATA
        if key == _RAW_DATA and last - begin >= LARGE:
            raw = begin, last
        else:
            rest.append(part(source, start, last))
    if len(names) > 1 or count > 1:
        raise ValueError("two names, or bytes twice")
    return (names[0] if names else ""), raw, b"".join(rest)


def _with(tensor: TensorProto, raw: memoryview | None) -> list[bytes | memoryview]:
    """The field of an initializer, in parts."""
    if raw is None:
        return [_field(_INITIALIZER, tensor.SerializeToString(deterministic=True))]
    first, last = _around(tensor, _RAW_DATA)
    head = _number(_RAW_DATA) + _number(len(raw))
    size = len(first) + len(head) + len(raw) + len(last)
    return [_number(_INITIALIZER), _number(size), first, head, raw, last]


def _around(message: Any, key: int) -> tuple[bytes, bytes]:
    """The serialised fields of `message` before and after those of this key."""
    data = message.SerializeToString(deterministic=True)
    before = 0
    for found, _, _, end in _fields(InMemory(data), 0, len(data)):
        if found > key:
            break
        before = end
    return data[:before], data[before:]


def _take(message: Any, field: str, value: Any) -> None:
    if isinstance(value, (int, str)):
        setattr(message, field, value)
    else:
        getattr(message, field).MergeFrom(value)


def _field(key: int, payload: bytes) -> bytes:
    return b"".join([_number(key), _number(len(payload)), payload])


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
