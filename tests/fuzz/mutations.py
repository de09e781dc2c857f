"""Changes to a model: to the tree of protobuf messages, to what operators are given, to the bytes.

All of them take a `random.Random`, and make the same change for the same state of it.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper
from onnx.checker import ValidationError

from popir import registry
from popir.ir import AttributeKind
from popir.onnxio import schemas
from tests.fuzz.seeds import Seed, seeds

INTS = [
    *(0, 1, -1, 2, -2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 127, 128, 255, 256, 1000, 4096, 65535),
    *(65536, 10**6, 2**31 - 1, -(2**31), 2**31, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63)),
]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, -1e38, math.inf, -math.inf, math.nan]
WORDS = [
    *(
        "",
        "x",
        "y",
        "\n",
        "\x1b[31m",
        "a" * 20_000,
        "ä",
        "{}",
        "%s",
        "..",
        "/etc/passwd",
        "ai.onnx",
    ),
    *("ai.graphcore", "ai.onnx.ml", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "constant"),
    *("reflect", "edge", "wrap", "linear", "nearest", "cubic", "sum", "mean", "none", "Sum"),
    *("Mean", "tanh", "value", "axis", "axes", "alpha", "offset", "length", "location", "-1"),
    *(
        "18446744073709551616",
        "weights.bin",
        "sub/c.bin",
        "sub/../weights.bin",
        "link",
        "randomSeed",
    ),
]
_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_FLOATING = (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE)


def messages(root: Message) -> Iterator[Message]:
    """The message and all that it consists of."""
    waiting = [root]
    while waiting:
        message = waiting.pop()
        yield message
        for field, value in message.ListFields():
            if field.message_type is not None:
                waiting.extend(value if field.is_repeated else [value])


def mutated(rng: random.Random, seed: Seed) -> bytes:
    """The bytes of a model made from the seed by some changes, mostly few."""
    model = ModelProto()
    model.CopyFrom(seed.model)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 6])):
        try:
            rng.choices(list(CHANGES), list(CHANGES.values()))[0](rng, model)
        except (ValueError, TypeError, IndexError, ValidationError):
            continue  # What protobuf cannot hold, or onnx not read.
    data = model.SerializeToString()
    return changed_bytes(rng, data) if rng.random() < 0.1 else data


# Changes to the tree.


def _field(rng: random.Random, model: ModelProto) -> None:
    """Sets, removes, repeats or reorders any field of any message."""
    message = rng.choice(list(messages(model)))
    field = rng.choice(message.DESCRIPTOR.fields)
    if rng.random() < 0.6 and message.ListFields():
        field = rng.choice(message.ListFields())[0]
    if field.is_repeated:
        _repeated(rng, message, field)
    elif rng.random() < 0.2:
        message.ClearField(field.name)
    elif field.message_type is not None:
        part = getattr(message, field.name)
        part.CopyFrom(_other(rng, field.message_type) or part)
        part.SetInParent()
    else:
        setattr(message, field.name, _value(rng, model, field, getattr(message, field.name)))


def _repeated(rng: random.Random, message: Message, field: Any) -> None:
    items = getattr(message, field.name)
    action = rng.choice(["remove", "repeat", "swap", "add", "change", "clear", "many"])
    if action == "clear":
        message.ClearField(field.name)
    elif action == "remove" and items:
        del items[rng.randrange(len(items))]
    elif action == "swap" and len(items) > 1:
        order = list(range(len(items)))
        rng.shuffle(order)
        copies = [items[i] for i in order]
        if field.message_type is not None:
            copies = [type(item).FromString(item.SerializeToString()) for item in copies]
        del items[:]
        items.extend(copies)
    elif field.message_type is not None:
        source = rng.choice(items) if items and action != "add" else None
        source = source or _other(rng, field.message_type)
        for _ in range(rng.choice([40, 2000]) if action == "many" else 1):
            new = items.add()
            if source is not None:
                new.CopyFrom(source)
    else:
        old = rng.choice(items) if items else None
        value = old if action == "repeat" and old is not None else _value(rng, None, field, old)
        if action == "change" and items:
            items[rng.randrange(len(items))] = value
        else:
            items.extend([value] * (40 if action == "many" else 1))


def _other(rng: random.Random, kind: Any) -> Message | None:
    """A message of that kind out of another seed."""
    found = [m for m in messages(rng.choice(seeds()).model) if m.DESCRIPTOR is kind]
    return rng.choice(found) if found else None


def _value(rng: random.Random, model: ModelProto | None, field: Any, old: Any) -> Any:
    if field.enum_type is not None:
        return rng.choice([value.number for value in field.enum_type.values])
    if field.cpp_type in _FLOATING:
        return rng.choice(FLOATS)
    if field.cpp_type in _RANGES:
        low, high = _RANGES[field.cpp_type]
        near = [old + 1, old - 1, old * 2] if isinstance(old, int) else []
        return min(max(rng.choice([*INTS, *near * 4]), low), high)
    if field.type == FieldDescriptor.TYPE_BYTES:
        data = old or b""
        return rng.choice(
            [b"", data[:-1], data * 2, data + b"\0", b"\xff\xfe", changed_bytes(rng, data)]
        )
    return _word(rng, model)


def _word(rng: random.Random, model: ModelProto | None) -> str:
    if model is not None and rng.random() < 0.5:
        names = [name for node in model.graph.node for name in (*node.input, *node.output)]
        return rng.choice(names or WORDS)
    return rng.choice(WORDS)


# Changes to what operators are given.


def _operator(rng: random.Random, model: ModelProto) -> None:
    """Another operator in the place of one."""
    node = rng.choice(model.graph.node)
    domain, name = rng.choice(_operators())
    node.op_type, node.domain = name, "" if domain == "ai.onnx" else domain


def _operators() -> list[tuple[str, str]]:
    known = {(entry.opid.domain, entry.opid.type) for entry in registry.entries()}
    return sorted(key for key in known if key[0].startswith("ai."))


def _attribute(rng: random.Random, model: ModelProto) -> None:
    """A value of the right kind for an attribute that the operator has."""
    node = rng.choice(model.graph.node)
    domain = node.domain or "ai.onnx"
    opset = next((o.version for o in model.opset_import if (o.domain or "ai.onnx") == domain), 1)
    schema = schemas.find(domain, node.op_type, opset)
    if schema is None or not schema.attributes:
        return
    spec = schema.attributes[rng.choice(sorted(schema.attributes))]
    for i, old in reversed(list(enumerate(node.attribute))):
        if old.name == spec.name:
            del node.attribute[i]
    kind = AttributeProto.AttributeType.Value(spec.kind.name)
    many = rng.choice([0, 1, 1, 2, 2, 2, 3, 4, 4, 6, 8])
    makers: dict[AttributeKind, Callable[[], Any]] = {
        AttributeKind.INT: lambda: rng.choice(INTS),
        AttributeKind.FLOAT: lambda: rng.choice(FLOATS),
        AttributeKind.STRING: lambda: rng.choice(WORDS),
        AttributeKind.INTS: lambda: [_size(rng) for _ in range(many)],
        AttributeKind.FLOATS: lambda: [rng.choice(FLOATS) for _ in range(many)],
        AttributeKind.STRINGS: lambda: [rng.choice(WORDS) for _ in range(many)],
    }
    if spec.kind in makers:
        value = makers[spec.kind]()
        node.attribute.append(helper.make_attribute(spec.name, value, attr_type=kind))


def _size(rng: random.Random) -> int:
    return rng.choice(INTS) if rng.random() < 0.4 else rng.randrange(-4, 9)


def _shape(rng: random.Random, model: ModelProto) -> None:
    """Another shape, or another element type, of a graph input."""
    tensor = rng.choice(model.graph.input).type.tensor_type
    if rng.random() < 0.3:
        tensor.elem_type = rng.choice(list(TensorProto.DataType.values()))
        return
    del tensor.shape.dim[:]
    for _ in range(rng.randrange(6)):
        big = rng.random() < 0.2
        tensor.shape.dim.add(dim_value=rng.choice(INTS) if big else rng.randrange(9))


def _tensor(rng: random.Random, model: ModelProto) -> None:
    """Other numbers in an initializer, or an initializer for an input."""
    tensors = list(model.graph.initializer)
    if rng.random() < 0.4 or not tensors:
        values = [min(max(_size(rng), -(2**63)), 2**63 - 1) for _ in range(rng.randrange(5))]
        name = rng.choice(["n", "m", *model.graph.node[0].input])
        model.graph.initializer.append(
            helper.make_tensor(name, TensorProto.INT64, [len(values)], values)
        )
        node = rng.choice(model.graph.node)
        node.input[rng.randrange(len(node.input))] = model.graph.initializer[-1].name
        return
    tensor = rng.choice(tensors)
    if tensor.data_type in (TensorProto.INT64, TensorProto.INT32) and tensor.raw_data:
        values = numpy_helper.to_array(tensor).copy()
        if values.size:
            low, high = (-(2**31), 2**31 - 1) if tensor.data_type == 6 else (-(2**63), 2**63 - 1)
            values.flat[rng.randrange(values.size)] = min(max(_size(rng), low), high)
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    else:
        tensor.dims[:] = rng.sample(list(tensor.dims), len(tensor.dims))


def _opset(rng: random.Random, model: ModelProto) -> None:
    rng.choice(model.opset_import).version = rng.choice([*range(30), *INTS])


def _wire(rng: random.Random, model: ModelProto) -> None:
    """An output of one node as an input of another, or of itself."""
    node, other = rng.choice(model.graph.node), rng.choice(model.graph.node)
    names = [*other.output, *other.input, ""]
    if rng.random() < 0.3:
        node.input.append(rng.choice(names))
    else:
        node.input[rng.randrange(len(node.input))] = rng.choice(names)


CHANGES: dict[Callable[[random.Random, ModelProto], None], float] = {
    _field: 8,
    _attribute: 6,
    _operator: 3,
    _shape: 3,
    _tensor: 3,
    _wire: 2,
    _opset: 1,
}
"""Each kind of change, and how often it is made."""


# Changes to bytes and files.


def changed_bytes(rng: random.Random, data: bytes) -> bytes:
    """Some bytes changed, left out, repeated or cut off."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if not found:
            break
        at = rng.randrange(len(found))
        action = rng.randrange(5)
        if action == 0:
            found[at] ^= 1 << rng.randrange(8)
        elif action == 1:
            found[at] = rng.choice([0, 1, 127, 128, 255])
        elif action == 2:
            del found[at : at + rng.randrange(1, 9)]
        elif action == 3:
            found[at:at] = found[at : at + rng.randrange(1, 33)]
        else:
            del found[at:]
    return bytes(found)


def mutate_files(rng: random.Random, folder: Path, names: list[str]) -> None:
    """Changes one of the files beside the model, mostly not at all."""
    if not names or rng.random() < 0.7:
        return
    path = folder / rng.choice(names)
    action = rng.randrange(6)
    if action == 0:
        os.truncate(path, rng.choice([0, 1, 47, 10**6, 2**40]))
        return
    path.unlink()
    if action == 1:
        path.symlink_to("/etc/passwd")
    elif action == 2:
        os.mkfifo(path)
    elif action == 3:
        path.mkdir()
    elif action == 4:
        path.symlink_to(path.name)
