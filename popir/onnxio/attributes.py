"""Attributes of operators: ONNX's AttributeProto and the Python value, both ways."""

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

_text = AttributeKind.STRING.coerce

_READ: dict[int, Callable[[AttributeProto], Any]] = {
    AttributeProto.INT: lambda a: a.i,
    AttributeProto.FLOAT: lambda a: a.f,
    AttributeProto.STRING: lambda a: _text(a.s),
    AttributeProto.TENSOR: lambda a: numpy_helper.to_array(a.t),
    AttributeProto.GRAPH: lambda a: a.g,
    AttributeProto.SPARSE_TENSOR: lambda a: a.sparse_tensor,
    AttributeProto.TYPE_PROTO: lambda a: a.tp,
    AttributeProto.INTS: lambda a: list(a.ints),
    AttributeProto.FLOATS: lambda a: list(a.floats),
    AttributeProto.STRINGS: lambda a: [_text(s) for s in a.strings],
    AttributeProto.TENSORS: lambda a: [numpy_helper.to_array(t) for t in a.tensors],
    AttributeProto.GRAPHS: lambda a: list(a.graphs),
}


def to_python(attribute: AttributeProto) -> Any:
    """The value: int, float, str, ndarray, a list of these; a subgraph stays an onnx.GraphProto.

    Raises ModelError for an attribute without a type, and for a tensor whose data do not fit its
    shape.
    """
    read = _READ.get(attribute.type)
    if read is None or attribute.ref_attr_name:
        raise ModelError(f"The attribute '{attribute.name}' has no value of a known type.")
    try:
        return read(attribute)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The attribute '{attribute.name}' cannot be read: {error}.") from error


def to_proto(who: str, name: str, value: Any, kind: AttributeKind | None = None) -> AttributeProto:
    """The attribute that holds `value`; without a `kind`, of the kind that the value has.

    A member of an enumeration stands for its name. Raises OperatorAttributeError, naming `who`, if
    the value is of another kind, or none holds it.
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
    code = AttributeProto.AttributeType.Value(kind.name)
    try:
        return onnx.helper.make_attribute(name, _tensors(value), attr_type=code)
    except (TypeError, ValueError) as error:
        raise OperatorAttributeError(
            f"{who}: the attribute '{name}' cannot hold {value!r}: {error}."
        ) from error


def _graph_kind(value: Any) -> AttributeKind | None:
    return AttributeKind.GRAPH if isinstance(value, onnx.GraphProto) else None


def _tensors(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return numpy_helper.from_array(value)
    return [_tensors(item) for item in value] if isinstance(value, list) else value
