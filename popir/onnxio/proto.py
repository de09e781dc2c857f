"""ONNX's message classes, and small messages made from our own values."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from popir.onnxio.wire import LARGE
from popir.types import TensorInfo

__all__ = [
    "AttributeProto",
    "GraphProto",
    "ModelProto",
    "NodeProto",
    "TensorProto",
    "TypeProto",
    "ValueInfoProto",
    "apart",
    "finish",
    "opset",
    "tensor",
    "value_info",
    "who",
    "write_as_popart",
]


def who(node: NodeProto) -> str:
    """A node of a model, in messages."""
    return f"Node '{node.name}' ({node.domain or 'ai.onnx'}.{node.op_type})"


def value_info(id: str, info: TensorInfo | None) -> ValueInfoProto:
    """The declaration of a graph input or output; without type and shape if `info` is None."""
    if info is None:
        return ValueInfoProto(name=id)
    return helper.make_tensor_value_info(id, info.dataType().onnx, info.shape())


_typed: set[np.dtype[Any]] = set()
"""The types of which `tensor` writes numbers to a field of their type."""


def write_as_popart() -> None:
    """Lets `tensor` from now on write FLOAT to float_data, INT32 to int32_data and INT64 to
    int64_data, where programs for PopART look for them, and not to raw_data; FLOAT16 to int32_data,
    two in each number, which is PopART's form and not ONNX's.
    """
    _typed.update(map(np.dtype, (np.float32, np.float16, np.int32, np.int64)))


def tensor(id: str, value: np.ndarray[Any, Any]) -> TensorProto:
    """An initializer with this id and value."""
    if value.dtype not in _typed:
        return numpy_helper.from_array(value, id)
    kind = helper.np_dtype_to_tensor_dtype(value.dtype)
    found = TensorProto(name=id, data_type=kind, dims=value.shape)
    if value.dtype == np.float16:
        pairs = np.zeros(value.size + value.size % 2, np.float16)
        pairs[: value.size] = value.reshape(-1)
        found.int32_data.extend(pairs.view(np.int32).tolist())
        return found
    getattr(found, helper.tensor_dtype_to_field(kind)).extend(value.reshape(-1).tolist())
    return found


def apart(value: np.ndarray[Any, Any]) -> tuple[TensorProto, memoryview | None]:
    """An initializer without a name, as `tensor` makes it. Of many floating-point numbers it lacks
    the bytes; they are the second result, a view of `value`.

    Raises as `tensor` does.
    """
    if value.nbytes < LARGE or value.dtype in _typed or value.dtype.kind != "f":
        return tensor("", value), None
    kind = helper.np_dtype_to_tensor_dtype(value.dtype)
    raw = value.reshape(-1).view(np.uint8).data
    return TensorProto(data_type=kind, dims=value.shape), raw


def opset(domain: str, version: int) -> OperatorSetIdProto:
    """The import of one version of a domain. ONNX writes its own domain ai.onnx as ""."""
    return OperatorSetIdProto(domain="" if domain == "ai.onnx" else domain, version=version)


def finish(model: ModelProto, opsets: dict[str, int]) -> ModelProto:
    """Sets the opsets of `model`, the lowest IR version that they allow, and what that version
    requires.

    A training_info needs IR version 7. Before version 4, initializers must be graph inputs, too.
    Returns `model`.
    """
    del model.opset_import[:]
    model.opset_import.extend(opset(domain, version) for domain, version in opsets.items())
    model.ir_version = helper.find_min_ir_version_for(model.opset_import, ignore_unknown=True)
    if model.training_info:
        model.ir_version = max(model.ir_version, 7)
    if model.ir_version < 4:
        inputs = {value.name for value in model.graph.input}
        for each in model.graph.initializer:
            if each.name not in inputs:
                info = TensorInfo(each.data_type, each.dims)
                model.graph.input.append(value_info(each.name, info))
    return model
