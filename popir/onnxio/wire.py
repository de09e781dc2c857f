"""Protobuf's wire format, as far as it takes to count what a message consists of before it is
parsed: a part of two bytes becomes an object of a hundred and more.
"""

from __future__ import annotations

from typing import Any

from onnx import ModelProto

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_GROWTH = 200
"""How many times its size on the wire a part may become, at most."""


def worst_case(size: int) -> int:
    """The most bytes of memory that parsing `size` bytes takes."""
    return size * _GROWTH


def count_messages(data: bytes, most: int) -> int:
    """How many messages a serialised model consists of; gives up, with a number above `most`, once
    there are more of them, or of fields, than that.

    What is no message of the wire format ends the count: the parser will say so.
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
    """The fields of a message that are messages themselves, by number."""
    found = _known.get(descriptor.full_name)
    if found is None:
        found = {f.number: f.message_type for f in descriptor.fields if f.message_type is not None}
        _known[descriptor.full_name] = found
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at `at`, and where the next thing is; past the end, zero."""
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
