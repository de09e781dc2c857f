"""Variables that graphs write which an operator calls: CopyVarUpdate in a Call, If or Loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir.errors import OperatorInputError
from tests.models import step, training_session

Array = np.ndarray[Any, Any]
X, W, K = (np.array(v, np.float32) for v in ([10, 20], [1, 2], [3, 4]))


class Model:
    """A model of x, FLOAT[2]; the condition c; and the variables w and k, FLOAT[2]."""

    def __init__(self) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
        self.x = self.builder.addInputTensor("FLOAT", [2], "x")
        self.c = self.builder.addInputTensor("BOOL", [], "c")
        self.w = self.builder.addInitializedInputTensor(W, "w")
        self.k = self.builder.addInitializedInputTensor(K, "k")

    def call(self, builder: Any, args: list[str], sub: Any) -> str:
        (found,) = builder.aiGraphcore.call(args, 1, sub)
        return found

    def product(self, builder: Any) -> Any:
        """A graph of v and a that returns v a, and writes v + a into v."""
        sub = builder.createSubgraphBuilder()
        v, a = sub.addUntypedInputTensor(), sub.addUntypedInputTensor()
        product = sub.aiOnnx.mul([v, a])
        sub.aiGraphcore.copyvarupdate([v, sub.aiOnnx.add([v, a])])
        sub.addOutputTensor(product)
        return sub


def twice(model: Model) -> str:
    """The graph on x, then on what came of that."""
    sub = model.product(model.builder)
    first = model.call(model.builder, [model.w, model.x], sub)
    return model.call(model.builder, [model.w, first], sub)


def nested(model: Model) -> str:
    """The same in a graph that is called itself."""
    outer = model.builder.createSubgraphBuilder()
    v, a = outer.addUntypedInputTensor(), outer.addUntypedInputTensor()
    sub = model.product(outer)
    first = model.call(outer, [v, a], sub)
    outer.addOutputTensor(model.call(outer, [v, first], sub))
    return model.call(model.builder, [model.w, model.x], outer)


def after_twice(w: Any, x: Any) -> tuple[Any, Any]:
    """What both models return, and what they leave in w."""
    first = w * x
    return (w + x) * first, w + x + first


def session_of(model: Model, out: str) -> Any:
    flow = popir.DataFlow(1, {out: popir.AnchorReturnType("All")})
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(model.builder.getModelProto(), flow, device)
    session.prepareDevice()
    session.weightsFromHost()
    return session


def variable(session: Any, name: str) -> Array:
    found = np.zeros(2, np.float32)
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO({name: found}))
    return found


@pytest.mark.parametrize("build", [twice, nested])
def test_calls_write_in_order(build: Callable[[Model], str]) -> None:
    """A call begins with what the one before has left, of this run and of the last."""
    model = Model()
    out = build(model)
    session = session_of(model, out)
    w = W
    for _ in range(2):
        found = step(session, {"x": X, "c": np.array(True)})[out]
        want, w = after_twice(w, X)
        np.testing.assert_allclose(found, want, 1e-6)
    np.testing.assert_allclose(variable(session, "w"), w, 1e-6)


@pytest.mark.parametrize("build", [twice, nested])
def test_training_beside_a_written_variable(build: Callable[[Model], str]) -> None:
    """w is state; k is trained, by the gradient through the calls."""
    model = Model()
    b = model.builder
    loss = b.aiGraphcore.l1loss([b.aiOnnx.mul([build(model), model.k])], 1.0)
    session = training_session(b.getModelProto(), loss, [loss])
    roles = {name: each.role.value for name, each in session.choices.items()}
    assert roles == {"w": "state", "k": "trained"}
    found = step(session, {"x": X, "c": np.array(True)})[loss]
    out, w = after_twice(torch.tensor(W), torch.tensor(X))
    k = torch.tensor(K, requires_grad=True)
    want = (out * k).abs().mean()
    want.backward()
    np.testing.assert_allclose(found, want.item(), 1e-6)
    np.testing.assert_allclose(variable(session, "w"), w.numpy(), 1e-6)
    assert k.grad is not None
    moved = K - variable(session, "k")
    np.testing.assert_allclose(moved / moved[0], (k.grad / k.grad[0]).numpy(), 1e-5)


def test_around_a_graph() -> None:
    """A variable that the graph does not get but reads around itself."""
    model = Model()
    b = model.builder
    sub = b.createSubgraphBuilder()
    a = sub.addUntypedInputTensor()
    sub.addOutputTensor(sub.aiOnnx.mul([model.w, a]))
    sub.aiGraphcore.copyvarupdate([model.w, sub.aiOnnx.add([model.w, a])])
    out = model.call(b, [model.x], sub)
    session = session_of(model, out)
    np.testing.assert_array_equal(step(session, {"x": X, "c": np.array(True)})[out], W * X)
    np.testing.assert_array_equal(variable(session, "w"), W + X)


def test_one_branch_writes() -> None:
    model = Model()
    b = model.builder
    then, other = b.createSubgraphBuilder(), b.createSubgraphBuilder()
    total = then.aiOnnx.add([model.w, model.x])
    then.addOutputTensor(then.aiGraphcore.copyvarupdate([model.w, total]))
    other.addOutputTensor(other.aiOnnx.neg([model.x]))
    (out,) = b.aiOnnx.logical_if([model.c], 1, other, then)
    session = session_of(model, out)
    for condition, want, w in ((True, W + X, W + X), (False, -X, W + X)):
        found = step(session, {"x": X, "c": np.array(condition)})[out]
        np.testing.assert_array_equal(found, want)
        np.testing.assert_array_equal(variable(session, "w"), w)


@pytest.mark.parametrize("grows", [False, True])
def test_a_loop_must_not_write_around_itself(grows: bool) -> None:
    """Neither as a loop nor, where its values change their shapes, iteration by iteration."""
    model = Model()
    b = model.builder
    body = b.createSubgraphBuilder()
    body.addInputTensor("INT64", [])
    goes_on = body.addInputTensor("BOOL", [])
    v = body.addUntypedInputTensor() if grows else body.addInputTensor("FLOAT", [2])
    body.aiGraphcore.copyvarupdate([model.w, body.aiOnnx.add([model.w, model.x])])
    body.addOutputTensor(goes_on)
    body.addOutputTensor(body.aiOnnx.concat([v, v], 0) if grows else body.aiOnnx.neg([v]))
    trip, true = b.aiOnnx.constant(np.array(3, np.int64)), b.aiOnnx.constant(np.array(True))
    (out,) = b.aiOnnx.loop([trip, true, model.x], 1, body)
    with pytest.raises(OperatorInputError, match="its body writes 'w' around it"):
        session_of(model, out)


def test_an_activation_is_passed_by_value() -> None:
    """What the graph writes into its copy of an activation stays there, as in PopART."""
    model = Model()
    b = model.builder
    activation = b.aiOnnx.add([model.x, model.x])
    product = model.call(b, [activation, model.x], model.product(b))
    out = b.aiOnnx.add([product, activation])
    session = session_of(model, out)
    found = step(session, {"x": X, "c": np.array(True)})[out]
    np.testing.assert_array_equal(found, 2 * X * X + 2 * X)
