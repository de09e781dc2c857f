"""States of operators in graphs that an operator calls: running statistics in training, as PyTorch
keeps them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir.trainable import Role
from tests.models import floats, step, training_session

Array = np.ndarray[Any, Any]
SHAPE, RATE = (4, 3, 2), 0.1
NAMES = ("scale", "bias", "mean", "var")


class Model:
    """One BatchNormalization in training, with its four initializers, in a graph that is called."""

    def __init__(self) -> None:
        self.builder = popir.Builder(opsets={"ai.onnx": 15, "ai.graphcore": 1})
        self.x = self.builder.addInputTensor("FLOAT", SHAPE, "x")
        self.c = self.builder.addInputTensor("BOOL", [], "c")
        self.values = {name: floats(3, seed=n) + 2 for n, name in enumerate(NAMES)}
        self.weights = [
            self.builder.addInitializedInputTensor(value, name)
            for name, value in self.values.items()
        ]

    def normalised(self, builder: Any, x: str, weights: list[str]) -> str:
        """The result in training mode, whose other outputs are not used. Opset 15."""
        made = builder.customOp(
            opName="BatchNormalization",
            opVersion=15,
            domain="ai.onnx",
            inputs=[x, *weights],
            attributes={"training_mode": 1, "momentum": 0.9},
            numOutputs=3,
        )
        return made[0]

    def graph(self, builder: Any) -> Any:
        """Takes the data and the four initializers."""
        sub = builder.createSubgraphBuilder()
        x, *weights = [sub.addUntypedInputTensor() for _ in range(5)]
        sub.addOutputTensor(self.normalised(sub, x, weights))
        return sub

    def call(self, builder: Any, args: list[str], sub: Any) -> str:
        (found,) = builder.aiGraphcore.call(args, 1, sub)
        return found


def one(model: Model) -> tuple[str, int]:
    sub = model.graph(model.builder)
    return model.call(model.builder, [model.x, *model.weights], sub), 1


def shared(model: Model) -> tuple[str, int]:
    """Two calls with one set of statistics, one after the other."""
    sub = model.graph(model.builder)
    first = model.call(model.builder, [model.x, *model.weights], sub)
    return model.call(model.builder, [first, *model.weights], sub), 2


def twice_inside(model: Model) -> tuple[str, int]:
    """A graph with two layers of one set of statistics."""
    sub = model.builder.createSubgraphBuilder()
    x, *weights = [sub.addUntypedInputTensor() for _ in range(5)]
    first = model.normalised(sub, x, weights)
    sub.addOutputTensor(model.normalised(sub, first, weights))
    return model.call(model.builder, [model.x, *model.weights], sub), 2


def nested(model: Model) -> tuple[str, int]:
    outer = model.builder.createSubgraphBuilder()
    args = [outer.addUntypedInputTensor() for _ in range(5)]
    outer.addOutputTensor(model.call(outer, args, model.graph(outer)))
    return model.call(model.builder, [model.x, *model.weights], outer), 1


def captured(model: Model) -> tuple[str, int]:
    """The graph reads the initializers around itself."""
    sub = model.builder.createSubgraphBuilder()
    x = sub.addUntypedInputTensor()
    sub.addOutputTensor(model.normalised(sub, x, model.weights))
    return model.call(model.builder, [model.x], sub), 1


def trained(model: Model, out: str) -> Any:
    """A session that trains with the sum of cubes of the result as the loss."""
    b = model.builder
    loss = b.aiOnnx.reducesum([b.aiOnnx.mul([out, b.aiOnnx.mul([out, out])])], keepdims=0)
    return training_session(b.getModelProto(), loss, [loss], popir.ConstSGD(RATE)), loss


def weights_of(session: Any) -> dict[str, Array]:
    found = {name: np.zeros(3, np.float32) for name in NAMES}
    session.weightsToHost()
    session.readWeights(popir.PyWeightsIO(found))
    return found


def of_pytorch(model: Model) -> torch.nn.BatchNorm1d:
    layer = torch.nn.BatchNorm1d(3, momentum=0.1)
    state = dict(zip(("weight", "bias", "running_mean", "running_var"), NAMES, strict=True))
    layer.load_state_dict(
        {k: torch.tensor(model.values[v]) for k, v in state.items()}, strict=False
    )
    return layer


@pytest.mark.parametrize("build", [one, shared, twice_inside, nested, captured])
def test_running_statistics_in_a_call(build: Any) -> None:
    """They are state, follow the batch, and the weights train, over two steps."""
    model = Model()
    out, times = build(model)
    session, loss = trained(model, out)
    roles = {name: each.role for name, each in session.choices.items()}
    assert roles == {
        "scale": Role.TRAINED,
        "bias": Role.TRAINED,
        "mean": Role.STATE,
        "var": Role.STATE,
    }
    layer = of_pytorch(model)
    optimizer = torch.optim.SGD(layer.parameters(), RATE)
    for n in range(2):
        x = floats(*SHAPE, seed=10 + n)
        found = step(session, {"x": x, "c": np.array(True)})[loss]
        y = torch.tensor(x)
        for _ in range(times):
            y = normalised(layer, y)
        want = (y**3).sum()
        optimizer.zero_grad()
        want.backward()
        optimizer.step()
        np.testing.assert_allclose(found, want.item(), 1e-4)
    compare(session, layer)


def normalised(layer: torch.nn.BatchNorm1d, x: torch.Tensor) -> torch.Tensor:
    """The layer, with ONNX's running variance: that of PyTorch is unbiased."""
    assert layer.running_var is not None
    before = layer.running_var.clone()
    y = layer(x)
    count = x.shape[0] * x.shape[2]
    old = 0.9 * before
    layer.running_var.data.copy_(old + (layer.running_var - old) * (count - 1) / count)
    return y


def compare(session: Any, layer: torch.nn.BatchNorm1d) -> None:
    names = dict(zip(("weight", "bias", "running_mean", "running_var"), NAMES, strict=True))
    found, state = weights_of(session), layer.state_dict()
    for theirs, ours in names.items():
        np.testing.assert_allclose(found[ours], state[theirs].numpy(), 1e-3, 1e-4, err_msg=ours)


def test_one_branch_normalises() -> None:
    """The statistics follow the batches of the branch that runs."""
    model = Model()
    b = model.builder
    then, other = b.createSubgraphBuilder(), b.createSubgraphBuilder()
    then.addOutputTensor(model.normalised(then, model.x, model.weights))
    other.addOutputTensor(other.aiOnnx.mul([model.x, model.x]))
    (out,) = b.aiOnnx.logical_if([model.c], 1, other, then)
    session, loss = trained(model, out)
    layer = of_pytorch(model)
    optimizer = torch.optim.SGD(layer.parameters(), RATE)
    for n, condition in enumerate((False, True, False)):
        x = floats(*SHAPE, seed=10 + n)
        found = step(session, {"x": x, "c": np.array(condition)})[loss]
        y = normalised(layer, torch.tensor(x)) if condition else torch.tensor(x) ** 2
        want = (y**3).sum()
        optimizer.zero_grad()
        if condition:
            want.backward()
        optimizer.step()
        np.testing.assert_allclose(found, want.item(), 1e-4)
    compare(session, layer)


def test_a_loop_keeps_its_statistics() -> None:
    """A body cannot hand them on, and says so."""
    model = Model()
    b = model.builder
    body = b.createSubgraphBuilder()
    body.addInputTensor("INT64", [])
    goes_on = body.addInputTensor("BOOL", [])
    v = body.addInputTensor("FLOAT", SHAPE)
    body.addOutputTensor(goes_on)
    body.addOutputTensor(model.normalised(body, v, model.weights))
    trip, true = b.aiOnnx.constant(np.array(2, np.int64)), b.aiOnnx.constant(np.array(True))
    (out,) = b.aiOnnx.loop([trip, true, model.x], 1, body)
    with pytest.warns(UserWarning, match="'mean', 'var', stays as it is"):
        session, _ = trained(model, out)
    step(session, {"x": floats(*SHAPE, seed=1), "c": np.array(True)})
    found = weights_of(session)
    np.testing.assert_array_equal(found["mean"], model.values["mean"])
