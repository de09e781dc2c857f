"""What gradient operators say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from popir import registry
from popir.ir import Graph, Op, OpSerialiser


def gradOps(type: str, attributes: dict[str, object], domain: str = "ai.onnx") -> list[Op]:
    graph = Graph("g")
    graph.addVarInit("x", np.ones((2, 3), np.float32))
    settings = Op.Settings(graph)
    op = registry.createOp(domain, type, 13, settings, attributes, [graph.getTensor("x")])
    graph.createConnectedOp(lambda: op, {0: "x"}, {0: "y"})
    return op.getGradOps()


def said(op: Op) -> dict[str, object]:
    os = OpSerialiser()
    op.appendOutlineAttributes(os)
    return os.attributes


@pytest.mark.parametrize(
    ("type", "domain", "one", "other"),
    [
        ("LeakyRelu", "ai.onnx", {"alpha": 0.1}, {"alpha": 0.2}),
        ("Elu", "ai.onnx", {"alpha": 0.1}, {"alpha": 0.2}),
        ("Transpose", "ai.onnx", {"perm": [0, 1]}, {"perm": [1, 0]}),
        ("Softmax", "ai.onnx", {"axis": 0}, {"axis": 1}),
        ("IdentityLoss", "ai.graphcore", {"reduction": "Sum"}, {"reduction": "Mean"}),
    ],
)
def test_gradients_of_different_operators_are_told_apart(
    type: str, domain: str, one: dict[str, object], other: dict[str, object]
) -> None:
    (first,), (second,) = gradOps(type, one, domain), gradOps(type, other, domain)
    assert said(first) != said(second)
    assert said(first) == said(gradOps(type, one, domain)[0])
    assert said(first.clone()) == said(first)
