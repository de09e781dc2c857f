"""Accumulation in a model cut into virtual graphs, stages or phases trains as in a whole one:
with running means, and with momentum of weights that two IPUs read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import popir
from popir import MeanReductionStrategy, ReductionType, SGDAccumulatorAndMomentum
from tests.models import Array, floats

FACTOR, STEPS = 3, 3
X = floats(STEPS, FACTOR, 2, 4, seed=9)
OFF = popir.TensorLocationSettings(popir.TensorLocation(popir.TensorStorage.OffChip), 2)


def trained(how: str, optimizer: Any, is_tied: bool, is_running: bool, off: str = "") -> Any:
    """The weights after some steps of four layers on two IPUs, or on one for "plain"."""
    builder = popir.Builder()
    h = builder.addInputTensor("FLOAT", [2, 4], "x")
    weights = [builder.addInitializedInputTensor(floats(4, 4, seed=i), f"w{i}") for i in range(4)]
    if is_tied:
        weights[3] = weights[0]
    for i, weight in enumerate(weights):
        for op, more in ((builder.aiOnnx.matmul, [weight]), (builder.aiOnnx.tanh, [])):
            h = op([h, *more])
            if how in ("virtual graphs", "pipeline"):
                builder.virtualGraph(h, i // 2)
            if how == "pipeline":
                builder.pipelineStage(h, i // 2)
            if how == "phases":
                builder.executionPhase(h, i // 2)
    loss = builder.aiGraphcore.identityloss([h], reduction=ReductionType.Sum)
    if how in ("virtual graphs", "pipeline"):
        builder.virtualGraph(loss, 1)
    if how == "pipeline":
        builder.pipelineStage(loss, 1)
    if how == "phases":
        builder.executionPhase(loss, 1)
    options = popir.SessionOptions(
        enableGradientAccumulation=True,
        accumulationFactor=FACTOR,
        accumulationAndReplicationReductionType=ReductionType.Mean,
        enablePipelining=how == "pipeline",
    )
    if is_running:
        options.meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy.Running
    if how in ("virtual graphs", "pipeline"):
        options.virtualGraphMode = popir.VirtualGraphMode.Manual
    if how == "phases":
        options.virtualGraphMode = popir.VirtualGraphMode.ExecutionPhases
        options.executionPhaseSettings.phases = 2
    if off:
        setattr(options, f"{off}TensorLocationSettings", OFF)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        optimizer,
        popir.DeviceManager().createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 16}),
        userOptions=options,
    )
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    for x in X:
        session.run(popir.PyStepIO({"x": np.ascontiguousarray(x)}, anchors))
    session.weightsToHost()
    found: dict[str, Array] = {id: np.empty((4, 4), np.float32) for id in {*weights}}
    session.readWeights(popir.PyWeightsIO(found))
    return found


@pytest.mark.parametrize("off", ["", "weight", "accumulator"])
@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize("how", ["virtual graphs", "pipeline", "phases"])
def test_running_means_count_the_batches_of_their_part(how: str, is_tied: bool, off: str) -> None:
    plain = trained("plain", popir.ConstSGD(0.1), is_tied, False)
    found = trained(how, popir.ConstSGD(0.1), is_tied, True, off)
    for id, value in plain.items():
        np.testing.assert_allclose(found[id], value, rtol=1e-5, atol=1e-6, err_msg=id)
        assert np.abs(value - floats(4, 4, seed=int(id[1]))).max() > 0.05


@pytest.mark.parametrize("form", SGDAccumulatorAndMomentum)
@pytest.mark.parametrize("how", ["virtual graphs", "pipeline", "phases"])
def test_the_momentum_of_a_weight_that_two_ipus_read_decays(
    how: str, form: SGDAccumulatorAndMomentum
) -> None:
    def sgd() -> Any:
        given = {"defaultLearningRate": (0.1, True), "defaultMomentum": (0.5, True)}
        return popir.SGD(given, accumulatorAndMomentum=form)

    plain, found = (trained(each, sgd(), True, False) for each in ("plain", how))
    for id, value in plain.items():
        np.testing.assert_allclose(found[id], value, rtol=1e-5, atol=1e-6, err_msg=id)
