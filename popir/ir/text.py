"""The text form of a graph: `print_graph` and `parse_graph`. Nothing is lost in either direction.

    graph "main" {
      opset ai.onnx 11
      stream %x: FLOAT[2, 3]
      variable %w: FLOAT[3, 2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
      0: %h: FLOAT[2, 2] = ai.onnx.MatMul:9(%x, %w)
      1: %y: FLOAT[2, 2] = ai.onnx.LeakyRelu:6(%h) {alpha = 0.1} name "act" notes {__ipu_number = 1}
      after 1: 0
      inputs %x
      outputs %y
    }

- Values are in row-major order. More than 16 values, and values that decimal digits do not give
  exactly, are the base64 of their little-endian bytes.
- `_` is an input or output that is left out.
- `?` is an unknown type and shape.
- `after 1: 0` is a constraint: operator 1 runs after operator 0.
- An id with other characters than letters, digits and `_./:-` is in quotes after the %.
- `//` starts a comment.
- The parser accepts an operator without its number.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from popir.errors import popart_exception
from popir.ir import parser
from popir.ir.graph import Graph, Op, Tensor
from popir.ir.parser import AnyOp, parse_graph
from popir.types import TensorInfo

__all__ = ["AnyOp", "parse_graph", "print_graph"]

INLINE = 16
"""The most values of a tensor that are printed in decimal."""


def print_graph(graph: Graph) -> str:
    """The graph as text, with the operators in the order in which they were added.

    Raises popart_exception for an attribute of a kind that has no text form.
    """
    return "\n".join(_lines(graph)) + "\n"


def _lines(graph: Graph) -> list[str]:
    lines = [f"opset {domain} {version}" for domain, version in graph.opsets.items()]
    for tensor in graph.tensors.values():
        if tensor.producer is None:
            value = "" if tensor.data is None else f" = {_data(tensor.data)}"
            lines.append(f"{tensor.tensorType.value} {_declaration(tensor)}{value}")
    lines += [_op(op) for op in graph.ops.values()]
    for op, befores in graph.constraints.items():
        lines.append(f"after {op.id}: {', '.join(str(before.id) for before in befores)}")
    for what, ids in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        if ids:
            lines.append(f"{what} {', '.join(map(_id, ids))}")
    indented = [f"  {line}" for text in lines for line in text.split("\n")]
    return [f"graph {json.dumps(graph.name)} {{", *indented, "}"]


def _op(op: Op) -> str:
    outputs = _holes(op.output, _declaration)
    result = f"{outputs} =" if outputs else "="
    inputs = _holes(op.input, lambda tensor: _id(tensor.id))
    text = f"{op.id}: {result} {op.opid}({inputs})"
    if op.attributes:
        text += f" {_attributes(op, op.attributes)}"
    if op.name():
        text += f" name {json.dumps(op.name())}"
    if op.settings.nodeAttributes:
        text += f" notes {_attributes(op, op.settings.nodeAttributes)}"
    return text


def _holes(tensors: Mapping[int, Tensor], show: Callable[[Tensor], str]) -> str:
    last = max(tensors, default=-1)
    return ", ".join(show(tensors[i]) if i in tensors else "_" for i in range(last + 1))


def _attributes(op: Op, attributes: Mapping[str, Any]) -> str:
    rows = (f"{name} = {_value(op, name, value)}" for name, value in attributes.items())
    return "{" + ", ".join(rows) + "}"


def _value(op: Op, name: str, value: Any) -> str:
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, bytes):
        return f'base64 "{base64.b64encode(value).decode()}"'
    if isinstance(value, list):
        return "[" + ", ".join(_value(op, name, item) for item in value) + "]"
    if isinstance(value, np.ndarray):
        return f"tensor {TensorInfo(value)} {_data(value)}"
    if isinstance(value, Graph):
        return "\n".join(_lines(value))
    raise popart_exception(
        f"{op.debugName()}: the attribute '{name}' is a {type(value).__name__}, which has no text "
        f"form."
    )


def _declaration(tensor: Tensor) -> str:
    return f"{_id(tensor.id)}: {tensor.info or '?'}"


def _id(id: str) -> str:
    return f"%{id}" if parser.PLAIN_ID.fullmatch(id) else f"%{json.dumps(id)}"


def _data(array: np.ndarray[Any, Any]) -> str:
    if array.dtype == np.object_:
        return f"[{', '.join(json.dumps(item) for item in array.reshape(-1))}]"
    if array.size <= INLINE and array.dtype.kind != "c":
        text = f"[{', '.join(map(_number, array.reshape(-1)))}]"
        if parser.data(text, TensorInfo(array)).tobytes() == array.tobytes():
            return text
    return f'base64 "{base64.b64encode(array.tobytes()).decode()}"'


def _number(value: Any) -> str:
    if isinstance(value, np.bool_):
        return json.dumps(bool(value))
    if value.dtype == np.float32:
        return repr(float(str(value)))  # Shorter than repr(float(value)), and as exact.
    return repr(value.item())
