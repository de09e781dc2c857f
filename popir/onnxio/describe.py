"""What an ONNX model says of itself, whether popir can run it or not: `describe`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from onnx import ModelProto, TensorProto, ValueInfoProto

from popir.errors import popart_exception
from popir.onnxio.importer import TRAINABLE
from popir.onnxio.limits import each_node
from popir.reserved import RANDOM_SEED, weightOfState
from popir.types import DataType


@dataclass(frozen=True)
class Value:
    """A graph input or output.

    `type` is numpy's name of the element type, or ONNX's of what is no tensor ("sequence"). A
    dimension is a number, the name of a symbolic one, or None; `shape` is None if there is none.
    """

    name: str
    type: str
    shape: list[int | str | None] | None


@dataclass(frozen=True)
class Stored:
    """Tensors that a model brings along: how many, their elements and their bytes."""

    tensors: int
    elements: int
    bytes: int


@dataclass(frozen=True)
class Description:
    """What `describe` finds; `operators` counts nodes, those of subgraphs too."""

    irVersion: int
    producer: str
    opsets: dict[str, int]
    inputs: list[Value]
    outputs: list[Value]
    operators: dict[str, int]
    parameters: Stored
    """The initializers of types that can be trained."""
    constants: Stored
    """The other initializers."""
    states: Stored
    """What a saved model has of its training besides: the optimizer's state, the random seed."""


def describe(model: ModelProto) -> Description:
    """Reads the description off a model; nothing in it is checked."""
    graph = model.graph
    initializers = {tensor.name for tensor in graph.initializer}
    operators = Counter(f"{n.domain or 'ai.onnx'}.{n.op_type}" for n in each_node(graph.node))
    states = {id for id in initializers if weightOfState(id) in initializers} | {RANDOM_SEED}
    others = [t for t in graph.initializer if t.name not in states]
    trained = [t for t in others if _type(t.data_type) in TRAINABLE]
    others = [t for t in others if _type(t.data_type) not in TRAINABLE]
    return Description(
        irVersion=model.ir_version,
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
