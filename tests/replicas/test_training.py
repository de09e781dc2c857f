"""Replicas in one process train as PyTorch does on the whole batch, and add in one order."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import popir
from tests.models import floats, training_session
from tests.replicas.networks import Network, mlp, transformer
from tests.replicas.training import ROWS, Trained, options, train


@pytest.fixture(scope="module", params=["mlp", "transformer"])
def network(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Network:
    return mlp() if request.param == "mlp" else transformer(tmp_path_factory.mktemp("model"))


def of_replicas(network: Network, replicas: int) -> Trained:
    return train(network.models[ROWS // replicas], network.data, options(replicas))


def test_replicas_train_as_the_large_batch(network: Network) -> None:
    want = network.losses()
    for replicas in (1, 2, 4):
        found = of_replicas(network, replicas)
        assert found.losses.shape == (len(want), replicas)
        np.testing.assert_allclose(found.losses.mean(1), want, rtol=0, atol=1e-4)
    again = of_replicas(network, 4)
    np.testing.assert_array_equal(again.losses, found.losses)
    for id, weight in again.weights.items():
        np.testing.assert_array_equal(weight, found.weights[id], err_msg=id)


W, X = floats(5, 3, seed=1), floats(3, 4, 2, 8, 5, seed=2)


def net(rows: int) -> tuple[bytes, str]:
    """The sum over the rows of tanh(x w)^2."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [rows, 5], "x")
    w = builder.addInitializedInputTensor(W, "w")
    y = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, w])])
    square = builder.aiOnnx.mul([y, y])
    loss = builder.aiGraphcore.identityloss([square], reduction=popir.ReductionType.Sum)
    return builder.getModelProto(), loss


def weight_of(session: Any) -> Any:
    session.weightsToHost()
    found = np.empty_like(W)
    session.readWeights(popir.PyWeightsIO({"w": found}))
    return found


ADAM = {"defaultLearningRate": (0.01, True), "defaultWeightDecay": (0.1, True)}
MOMENTUM = {"defaultMomentum": (0.9, True), "defaultLearningRate": (0.01, True)}
SEPARATE = popir.SGDAccumulatorAndMomentum.Separate
OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: popir.SGD({"defaultLearningRate": (0.01, True)}),
    "combined": lambda: popir.SGD(MOMENTUM),
    "separate": lambda: popir.SGD(MOMENTUM, accumulatorAndMomentum=SEPARATE),
    "clipped": lambda: popir.SGD(MOMENTUM, [popir.ClipNormSettings.clipAllWeights(0.5)]),
    "lamb": lambda: popir.Adam(ADAM, popir.AdamMode.Lamb),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize(
    ("reduction", "strategy"), [("Sum", "Post"), ("Mean", "Post"), ("Mean", "Running")]
)
def test_accumulated_and_replicated(name: str, reduction: str, strategy: str) -> None:
    kinds = popir.ReductionType.__members__
    asked = functools.partial(
        popir.SessionOptions,
        accumulationAndReplicationReductionType=kinds[reduction],
        meanAccumulationAndReplicationReductionStrategy=popir.MeanReductionStrategy[strategy],
        enableGradientAccumulation=True,
    )
    model, loss = net(8)
    # 4 batches for each of 2 replicas: what 8 batches for one are, in another order.
    replicated = training_session(
        *(model, loss, [loss], OPTIMIZERS[name](), 3),
        asked(accumulationFactor=4, enableReplicatedGraphs=True, replicatedGraphCount=2),
    )
    plain = training_session(
        *(model, loss, [loss], OPTIMIZERS[name](), 3), asked(accumulationFactor=8)
    )
    found = []
    for session in (replicated, plain):
        anchors = session.initAnchorArrays()
        session.run(popir.PyStepIO({"x": X}, anchors))
        found.append((anchors[loss], weight_of(session)))
    assert found[0][0].shape == (3, 4, 2)
    assert found[1][0].shape == (3, 8)
    np.testing.assert_allclose(found[0][0].reshape(3, 8), found[1][0], rtol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-5, atol=1e-7)
    assert np.abs(found[0][1] - W).max() > 1e-3
