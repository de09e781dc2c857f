"""Counts the messages in serialised protobuf data before it is parsed.

Parsing can take far more memory than the data: a message of two bytes becomes an object of over a
hundred bytes.
"""

from __future__ import annotations

from typing import Any

from onnx import ModelProto

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
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


def _varint(data: bytes, at: int) -> tuple[int, int]:
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
