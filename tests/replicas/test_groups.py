"""Weights of which each group of replicas has its own, beside those that all share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import popir
from popir import ReductionType

REPLICAS, GROUPS = 4, 2
RATE = 0.1
Array = np.ndarray[Any, Any]
SHARED = "u"
OWN = "w"
"""One for each two replicas."""


def trained(
    order: str, optimizer: Callable[[], Any], x: Array, reduction: ReductionType, **more: Any
) -> dict[str, Array]:
    """Both weights of all replicas after a step in which a replica's gradient of each is its row of
    x. They are 1 before it, and made in this order.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    data = builder.addInputTensor("FLOAT", [x.shape[1]], "x")
    every = popir.VariableRetrievalMode.AllReplicas
    losses: list[str] = []
    for name in order:
        kind = popir.CommGroupType.Consecutive if name == OWN else popir.CommGroupType.All
        group = popir.CommGroup(kind, REPLICAS // GROUPS if name == OWN else 0)
        shape = [GROUPS, x.shape[1]] if name == OWN else [x.shape[1]]
        settings = popir.VariableSettings(group, every)
        weight = builder.addInitializedInputTensor(np.ones(shape, np.float32), settings, name)
        product = builder.aiOnnx.mul([weight, data])
        losses.append(
            builder.aiGraphcore.identityloss([product], reduction=popir.ReductionType.Sum)
        )
    loss = builder.aiOnnx.sum(losses)
    session = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, optimizer()),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(
            enableReplicatedGraphs=True,
            replicatedGraphCount=REPLICAS,
            accumulationAndReplicationReductionType=reduction,
            **more,
        ),
    )
    session.prepareDevice()
    session.run(popir.PyStepIO({"x": x}, session.initAnchorArrays()))
    session.weightsToHost()
    found = {name: np.zeros((REPLICAS, x.shape[1]), np.float32) for name in order}
    session.readWeights(popir.PyWeightsIO(found))
    return found


def gradients(x: Array, reduction: ReductionType) -> dict[str, Array]:
    """Of both weights, for all replicas."""
    join = np.sum if reduction == ReductionType.Sum else np.mean
    half = REPLICAS // GROUPS
    own = [join(x[half * g : half * (g + 1)], 0) for g in range(GROUPS)]
    return {SHARED: np.stack([join(x, 0)] * REPLICAS), OWN: np.repeat(np.stack(own), half, 0)}


def rows() -> Array:
    return np.random.default_rng(0).standard_normal((REPLICAS, 6)).astype(np.float32)


@pytest.mark.parametrize("is_constant", [True, False], ids=["constant", "changing"])
@pytest.mark.parametrize("reduction", [ReductionType.Sum, ReductionType.Mean])
@pytest.mark.parametrize("order", ["uw", "wu"])
def test_each_weight_has_the_mean_over_the_replicas_that_share_it(
    order: str, reduction: ReductionType, is_constant: bool
) -> None:
    x = rows()
    rate = {"defaultLearningRate": (RATE, is_constant)}
    found = trained(order, lambda: popir.SGD(rate), x, reduction)
    for name, gradient in gradients(x, reduction).items():
        np.testing.assert_allclose(found[name], 1 - RATE * gradient, rtol=1e-6)


@pytest.mark.parametrize("shards", [False, True], ids=["whole", "sharded"])
@pytest.mark.parametrize("reduction", [ReductionType.Sum, ReductionType.Mean])
@pytest.mark.parametrize("order", ["uw", "wu"])
def test_weights_that_are_clipped_together_have_one_norm_on_all_replicas(
    order: str, reduction: ReductionType, shards: bool
) -> None:
    """That of the shared gradient and of those of all groups."""
    x, most = rows(), 0.5
    more: dict[str, Any] = {}
    if shards:
        on = popir.ReplicatedTensorSharding.On
        where = popir.TensorLocation(replicatedTensorSharding=on)
        more["weightTensorLocationSettings"] = popir.TensorLocationSettings(where, 2, 2)
    clip = [popir.ClipNormSettings.clipAllWeights(most)]
    rate = {"defaultLearningRate": (RATE, False)}
    found = trained(order, lambda: popir.SGD(rate, clip_norm_settings=clip), x, reduction, **more)
    made = gradients(x, reduction)
    own = made[OWN][:: REPLICAS // GROUPS]
    norm = np.sqrt((made[SHARED][0] ** 2).sum() + (own**2).sum())
    assert norm > most
    for name, gradient in made.items():
        np.testing.assert_allclose(found[name], 1 - RATE * most / norm * gradient, rtol=1e-5)
        assert (found[name][0] == found[name][1]).all()
