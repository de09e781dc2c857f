"""Conversion of operator attributes between ONNX's AttributeProto and Python values."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, numpy_helper

from popir.errors import ModelError, OperatorAttributeError
from popir.ir import AttributeKind
from popir.ir.attributes import coerce
from popir.onnxio.tensors import TensorReader
from popir.typed import shown

_text = AttributeKind.STRING.coerce

_READ: dict[int, tuple[str, Callable[[Any, str, TensorReader], Any]]] = {
    AttributeProto.INT: ("i", lambda value, *_: value),
    AttributeProto.FLOAT: ("f", lambda value, *_: value),
    AttributeProto.STRING: ("s", lambda value, *_: _text(value)),
    AttributeProto.TENSOR: ("t", lambda value, who, reader: reader.array(value, who)),
    AttributeProto.GRAPH: ("g", lambda value, *_: value),
    AttributeProto.SPARSE_TENSOR: ("sparse_tensor", lambda value, *_: value),
    AttributeProto.TYPE_PROTO: ("tp", lambda value, *_: value),
    AttributeProto.INTS: ("ints", lambda value, *_: list(value)),
    AttributeProto.FLOATS: ("floats", lambda value, *_: list(value)),
    AttributeProto.STRINGS: ("strings", lambda value, *_: [_text(s) for s in value]),
    AttributeProto.TENSORS: (
        "tensors",
        lambda value, who, reader: [reader.array(t, who) for t in value],
    ),
    AttributeProto.GRAPHS: ("graphs", lambda value, *_: list(value)),
}
"""For each AttributeProto type: the field with the value, and the function that converts it to
Python.
"""
_MESSAGES: dict[AttributeKind, type] = {
    AttributeKind.GRAPH: onnx.GraphProto,
    AttributeKind.GRAPHS: onnx.GraphProto,
    AttributeKind.SPARSE_TENSOR: onnx.SparseTensorProto,
    AttributeKind.TYPE_PROTO: onnx.TypeProto,
}
"""The ONNX message classes of the attribute kinds that hold messages."""
_BESIDES = {"name", "type", "doc_string"}


def to_python(attribute: AttributeProto, reader: TensorReader | None = None) -> Any:
    """The value of an attribute: int, float, str, ndarray, or a list of these. A subgraph stays an
    onnx.GraphProto.

    Raises ModelError for an attribute without a type, for one with a value of another type, and for
    a tensor with data that do not fit its shape.
    """
    row = _READ.get(attribute.type)
    if row is None or attribute.ref_attr_name:
        raise ModelError(f"The attribute '{attribute.name}' has no value of a known type.")
    field, read = row
    others = {f.name for f, _ in attribute.ListFields()} - {field} - _BESIDES
    if others:
        kind = AttributeProto.AttributeType.Name(attribute.type)
        raise ModelError(
            f"The attribute '{attribute.name}' is of type {kind}, but has a value in "
            f"{', '.join(sorted(others))}; expected it in {field}."
        )
    who = f"The tensor in the attribute '{attribute.name}'"
    return read(getattr(attribute, field), who, reader or TensorReader())


def to_proto(who: str, name: str, value: Any, kind: AttributeKind | None = None) -> AttributeProto:
    """The AttributeProto for `value`, of the given `kind` or else of the kind inferred from the
    value.

    An enumeration member is stored as its name. Raises OperatorAttributeError, naming `who`, if the
    value is of another kind or of none.
    """
    if isinstance(value, enum.Enum):
        value = value.name
    kind = kind or AttributeKind.of(value) or _graph_kind(value)
    if kind is None:
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {value!r} ({type(value).__name__}); an attribute is "
            f"an integer, a float, a string, a numpy array, a graph, or a list of one of these."
        )
    value = coerce(who, name, kind, value)
    messages = value if kind.is_list else [value]
    if kind in _MESSAGES and not all(isinstance(each, _MESSAGES[kind]) for each in messages):
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' is {kind.words}; given was {shown(value)}."
        )
    code = AttributeProto.AttributeType.Value(kind.name)
    try:
        return onnx.helper.make_attribute(name, _tensors(value), attr_type=code)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' cannot hold {value!r}: {error}."
        ) from error


def _graph_kind(value: Any) -> AttributeKind | None:
    return AttributeKind.GRAPH if isinstance(value, onnx.GraphProto) else None


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return numpy_helper.from_array(value)
    return [_tensors(item) for item in value] if isinstance(value, list) else value
