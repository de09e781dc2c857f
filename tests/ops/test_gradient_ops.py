"""What gradient operators say of themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import registry
from popir.ir import Graph, Op, OpSerialiser
from tests.models import step, training_session


def grad_ops(type: str, attributes: dict[str, object], domain: str = "ai.onnx") -> list[Op]:
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
    (first,), (second,) = grad_ops(type, one, domain), grad_ops(type, other, domain)
    assert said(first) != said(second)
    assert said(first) == said(grad_ops(type, one, domain)[0])
    assert said(first.clone()) == said(first)


def lstm_gradient(**attributes: Any) -> Op:
    graph = Graph("g")
    for i, shape in enumerate(([4, 2, 3], [1, 20, 3], [1, 20, 5])):
        graph.addVarInit(f"{i}", np.ones(shape, np.float32))
    tensors = [graph.getTensor(f"{i}") for i in range(3)]
    op = registry.createOp("ai.onnx", "LSTM", 14, Op.Settings(graph), attributes, tensors)
    graph.createConnectedOp(lambda: op, {i: t.id for i, t in enumerate(tensors)}, {0: "y"})
    (gradient,) = op.getGradOps()
    return gradient


@pytest.mark.parametrize(
    "other",
    [{"direction": "reverse"}, {"clip": 0.5}, {"activations": ["HardSigmoid", "Tanh", "Tanh"]}],
)
def test_gradients_of_different_lstms_are_told_apart(other: dict[str, Any]) -> None:
    assert said(lstm_gradient()) == said(lstm_gradient())
    assert said(lstm_gradient()) != said(lstm_gradient(**other))


@pytest.mark.parametrize(
    ("type", "shapes", "target"),
    [
        ("Add", [[1, 1], [1]], None),
        ("Add", [[1, 3], [3]], None),
        ("Expand", [[3]], [1, 3]),
        ("Gemm", [[1, 2], [2, 3], [3]], None),
    ],
)
def test_gradients_passed_on_in_another_shape_share_no_memory_unsaid(
    type: str, shapes: list[list[int]], target: list[int] | None
) -> None:
    """Dimensions of 1 are broadcast without a sum: the gradient may be a view of the output's."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    arrays = [np.full(shape, 1 + i, np.float32) for i, shape in enumerate(shapes)]
    ids: list[Any] = [builder.addInitializedInputTensor(array) for array in arrays]
    inputs = ids if target is None else [*ids, builder.aiOnnx.constant(np.array(target))]
    y = getattr(builder.aiOnnx, type.lower())(inputs)
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.exp([y])])
    options = popir.SessionOptions(opxAliasChecking=True, opxModifyChecking=True)
    anchors = [f"Gradient___{id}" for id in ids]
    session = training_session(builder.getModelProto(), loss, anchors, options=options)
    gradients = step(session, {})
    if type == "Add":
        for id, array in zip(ids, arrays, strict=True):
            found = gradients[f"Gradient___{id}"]
            assert found.shape == array.shape
            np.testing.assert_allclose(found, np.exp(np.float32(3)) / arrays[0].size, rtol=1e-6)
