"""Graphs that checks of C++ operators work on."""

from typing import Any

import pytest

from popir import Graph, Op, TensorInfo, registry


def graph(**inputs: Any) -> Graph:
    """A graph of the newest opsets with inputs by name: (element type, shape)."""
    made = Graph("g")
    made.opsets = {"ai.onnx": 11, "test": 1}
    for id, (kind, shape) in (inputs or {"x": ("FLOAT", [2, 3])}).items():
        made.addStream(id, TensorInfo(kind, shape))
    return made


def add(
    graph: Graph, type: str, inputs: list[str], out: str = "y", domain: str = "test", **given: Any
) -> Op:
    """Adds an operator as a model would; "name" is its name, all else its attributes."""
    settings = Op.Settings(graph, given.pop("name", ""))
    tensors = [graph.getTensor(id) for id in inputs]
    op = registry.createOp(domain, type, graph.opsets[domain], settings, given, tensors, [out])
    return (
        op if op.output else graph.createConnectedOp(lambda: op, dict(enumerate(inputs)), {0: out})
    )


def refusal(kind: type[Exception], call: Any, *arguments: Any) -> str:
    """What the call says when it raises exactly `kind`, which it must."""
    with pytest.raises(kind) as caught:
        call(*arguments)
    assert caught.type is kind, f"{caught.type.__name__}: {caught.value}"
    return str(caught.value)
