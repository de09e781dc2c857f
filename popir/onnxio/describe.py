"""A summary of an ONNX model, whether popir can run it or not: `describe`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from onnx import ModelProto, TensorProto, ValueInfoProto

from popir.errors import popart_exception
from popir.onnxio.limits import each_node
from popir.reserved import OF_SESSION, weight_of_state
from popir.types import TRAINABLE, DataType


@dataclass(frozen=True)
class Value:
    """A graph input or output.

    `type` is numpy's name of the element type, or ONNX's name of a type that is no tensor
    ("sequence"). A dimension is a number, a symbolic name, or None if unknown; `shape` is None if
    the rank is unknown.
    """

    name: str
    type: str
    shape: list[int | str | None] | None


@dataclass(frozen=True)
class Stored:
    """A group of stored tensors: their number, their elements and their bytes."""

    tensors: int
    elements: int
    bytes: int


@dataclass(frozen=True)
class Description:
    """The result of `describe`. `operators` counts nodes by "domain.Type", including those of
    subgraphs.
    """

    ir_version: int
    producer: str
    opsets: dict[str, int]
    inputs: list[Value]
    outputs: list[Value]
    operators: dict[str, int]
    parameters: Stored
    """The initializers of types that can be trained."""
    constants: Stored
    """The initializers of other types."""
    states: Stored
    """The training state in a saved model: the optimizer's state and the random seed."""


def describe(model: ModelProto) -> Description:
    """The description of a model. The model is not checked."""
    graph = model.graph
    initializers = {tensor.name for tensor in graph.initializer}
    operators = Counter(f"{n.domain or 'ai.onnx'}.{n.op_type}" for n in each_node(graph.node))
    states = {id for id in initializers if weight_of_state(id) in initializers} | OF_SESSION
    others = [t for t in graph.initializer if t.name not in states]
    trained = [t for t in others if _type(t.data_type) in TRAINABLE]
    others = [t for t in others if _type(t.data_type) not in TRAINABLE]
    return Description(
        ir_version=model.ir_version,
        producer=f"{model.producer_name} {model.producer_version}".strip(),
        opsets={item.domain or "ai.onnx": item.version for item in model.opset_import},
        inputs=[_value(each) for each in graph.input if each.name not in initializers],
        outputs=[_value(each) for each in graph.output],
        operators=dict(operators.most_common()),
        parameters=_stored(trained),
        constants=_stored(others),
        states=_stored([t for t in graph.initializer if t.name in states]),
    )


def _type(code: int) -> DataType | None:
    try:
        return DataType.of(code)
    except popart_exception:
        return None


def _stored(tensors: list[TensorProto]) -> Stored:
    elements = [math.prod(tensor.dims) for tensor in tensors]
    types = [_type(tensor.data_type) for tensor in tensors]
    size = sum(n * (kind.nbytes if kind else 0) for n, kind in zip(elements, types, strict=True))
    return Stored(len(tensors), sum(elements), size)


def _value(value: ValueInfoProto) -> Value:
    kind = value.type.WhichOneof("value") or "unknown"
    if kind != "tensor_type":
        return Value(value.name, kind.removesuffix("_type"), None)
    tensor = value.type.tensor_type
    known = _type(tensor.elem_type)
    name = known.lcase if known else f"type {tensor.elem_type}"
    if not tensor.HasField("shape"):
        return Value(value.name, name, None)
    shape = [
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in tensor.shape.dim
    ]
    return Value(value.name, name, shape)
