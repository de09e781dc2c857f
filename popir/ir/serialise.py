"""The JSON form of graphs, as PopART writes it: `to_json`.

    {"maingraph": [{"type": "Relu", "name": "act",
                    "inputs": [{"name": "x", "shape": "[2 3]", "type": "FLOAT", "index": "0"}],
                    "outputs": [{"name": "Relu:0", "index": "0"}],
                    "attributes": {"__ipu_number": "1"}}]}

To its own attributes each operator has some that PopART gives to all, such as "recompute". All
values are text. Operators are in the order in which they run. Nothing reads this form here: the
text form of `popir.ir.text` is the one that loses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from popir.enums import RecomputeType
from popir.ir.graph import Graph, Op, Tensor, called_graphs
from popir.ir.traits import OpSerialiser
from popir.options.annotations import PIPELINE_STAGE
from popir.types import TensorInfo

_UNNAMED = ("", "BuilderGraph")
"""Names of a graph that nobody has given one."""


def to_json(graph: Graph, anchors: Iterable[str] | None = None) -> str:
    """The graph and all that it calls as JSON. The main graph is called "maingraph", unless the
    model has a name for it.

    With `anchors`, the transfers between host and device are listed with its operators, as PopART's
    are: each input that is read comes from a HostLoad, which fills what an Init makes, and each of
    these ids goes to a HostStore.
    """
    found: dict[str, list[Any]] = {}
    for each in called_graphs(graph):
        name = each.name
        if each is graph and name in _UNNAMED:
            name = "maingraph"
        ops = [_op(op) for op in each.schedule()]
        if each is graph and anchors is not None:
            read = [t for t in map(graph.getTensor, graph.inputs) if t.uses]
            loads = [_transfer(*each, tensor) for tensor in read for each in _LOAD]
            ops = [*loads, *ops, *(_transfer(*_STORE, graph.getTensor(id)) for id in anchors)]
        found[_free(name, found)] = ops
    return json.dumps(found)


def _free(name: str, taken: dict[str, Any]) -> str:
    """The name, with a number behind it if it is taken."""
    found, n = name, 0
    while found in taken:
        n += 1
        found = f"{name}_{n}"
    return found


_INIT = "/init"
_LOAD = (("Init", None, _INIT), ("HostLoad", _INIT, ""))
_STORE = ("HostStore", "", None)


def _transfer(type: str, read: str | None, made: str | None, tensor: Tensor) -> dict[str, Any]:
    """A step that moves a tensor; `read` and `made` are what is behind its id in what that reads
    and makes, None for nothing.
    """
    one = {"name": tensor.id + (read or ""), **_info(tensor.info), "index": "0"}
    return {
        "type": type,
        "name": "",
        "inputs": [one] if read is not None else [],
        "outputs": [{"name": tensor.id + made, "index": "0"}] if made is not None else [],
        "attributes": {} if type == "Init" else {"hostStreamTensorId": tensor.id},
    }


def _op(op: Op) -> dict[str, Any]:
    inputs = [
        {"name": tensor.id, **_info(tensor.info), "index": str(i)}
        for i, tensor in sorted(op.input.items())
    ]
    outputs = [{"name": tensor.id, "index": str(i)} for i, tensor in sorted(op.output.items())]
    os = OpSerialiser()
    op.appendAttributes(os)
    kinds = {op.graph.recomputed.get(tensor.id) for tensor in op.output.values()}
    kind = next((each for each in kinds if each is not None), RecomputeType.Undefined)
    notes = {
        **op.attributes,
        **os.attributes,
        PIPELINE_STAGE: "",
        "recompute": "YES" if kind is RecomputeType.Recompute else "NO",
        "recomputetype": kind.name,
        **op.settings.nodeAttributes,
    }
    return {
        "type": op.opid.type,
        "name": op.name(),
        "inputs": inputs,
        "outputs": outputs,
        "attributes": {name: _value(value) for name, value in notes.items()},
    }


def _info(info: TensorInfo | None) -> dict[str, str]:
    if info is None:
        return {"shape": "?", "type": "UNDEFINED"}
    return {"shape": _value(info.shape()), "type": info.dataType().name}


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:f}"
    if isinstance(value, (list, tuple)):
        return f"[{' '.join(_value(each) for each in value)}]"
    if isinstance(value, np.ndarray):
        return str(TensorInfo(value))
    if isinstance(value, Graph):
        return value.name
    return str(value)
