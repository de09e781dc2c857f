"""Patterns in Python, once the updates of the weights are there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import popir
from popir import pattern
from popir.ir import Op
from popir.patterns.edit import make
from tests.models import Array, floats

X, W = floats(4, 3, seed=1), floats(3, 2, seed=2)
SEEN: list[str] = []


class Ascent(popir.Rewrite):
    """Turns the gradient that an update gets around."""

    types = frozenset({"SGD0VarUpdate"})

    def pattern(self, op: Op) -> bool:
        """Whether the update has not been seen yet."""
        SEEN.append(f"{op.graph.has_gradients} {op.graph.has_updates}")
        maker = op.inTensor(1).producer
        return maker is None or maker.opid.type != "Neg"

    def rewrite(self, op: Op) -> None:
        """Puts a Neg before it."""
        turned = f"{op.inId(1)}/turned"
        make(op, ("ai.onnx", "Neg", 13), [op.inId(1)], turned)
        op.disconnectInTensor(1)
        op.connectInTensor(1, turned)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    popir.PatternCreator(Ascent, "Ascent", enabled=False)
    yield
    pattern.remove("Ascent")
    del SEEN[:]


def trained(is_on: bool, accumulation: int) -> Array:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 3], "x")
    w = builder.addInitializedInputTensor(W, "w")
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 1.0, popir.ReductionType.Sum)
    options = popir.SessionOptions(enableGradientAccumulation=accumulation > 1)
    options.accumulationFactor = accumulation
    options.accumulationAndReplicationReductionType = popir.ReductionType.Sum
    session = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, popir.ConstSGD(0.1)),
        popir.DeviceManager().createCpuDevice(),
        userOptions=options,
        patterns=popir.Patterns().enablePattern("Ascent", is_on),
    )
    session.prepareDevice()
    data = np.stack([X] * accumulation) if accumulation > 1 else X
    session.run(popir.PyStepIO({"x": data}, session.initAnchorArrays()))
    session.weightsToHost()
    found = {"w": np.empty_like(W)}
    session.readWeights(popir.PyWeightsIO(found))
    return found["w"]


@pytest.mark.parametrize("accumulation", [1, 3])
def test_updates_are_seen(accumulation: int) -> None:
    step = 0.1 * accumulation * X.T @ np.sign(X @ W)
    np.testing.assert_allclose(trained(False, accumulation), W - step, rtol=1e-5, atol=1e-6)
    assert not SEEN
    np.testing.assert_allclose(trained(True, accumulation), W + step, rtol=1e-5, atol=1e-6)
    assert {*SEEN} == {"True True"}
