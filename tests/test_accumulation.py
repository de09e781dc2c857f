"""Gradient accumulation: several batches and one update equal the large batch, by any optimizer."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import Adam, Adaptive, ReductionType
from popir.errors import popart_exception
from popir.options import OptionWarning
from tests.models import Array, floats, step, training_session

W = floats(5, 3, seed=1)
X = floats(10, 8, 5, seed=2)
SEPARATE = popir.SGDAccumulatorAndMomentum.Separate


def values(**numbers: float) -> dict[str, tuple[float, bool]]:
    return {name: (value, True) for name, value in numbers.items()}


MOMENTUM = values(defaultMomentum=0.9, defaultWeightDecay=0.1, defaultLearningRate=0.02)
OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: popir.SGD(values(defaultWeightDecay=0.1, lossScaling=4)),
    "combined": lambda: popir.SGD({**MOMENTUM, **values(lossScaling=4)}),
    "separate": lambda: popir.SGD(MOMENTUM, accumulatorAndMomentum=SEPARATE),
    "nesterov": lambda: popir.SGD({**MOMENTUM, **values(nesterov=1)}),
    "clipped": lambda: popir.SGD(MOMENTUM, [popir.ClipNormSettings.clipAllWeights(0.5)]),
    **{
        mode.name: lambda mode=mode: Adam(
            values(defaultLearningRate=0.01, defaultWeightDecay=0.1, lossScaling=4), mode
        )
        for mode in popir.AdamMode
    },
    **{
        mode.name: lambda mode=mode: Adaptive(
            values(
                defaultLearningRate=1 if mode.name == "AdaDelta" else 0.01,
                defaultMomentum=0.5,
                lossScaling=4,
            ),
            mode,
        )
        for mode in popir.AdaptiveMode
    },
}


def net(rows: int, reduction: ReductionType, kind: str = "FLOAT") -> tuple[Any, str]:
    """The mean or sum over the rows of tanh(x w + b)^2."""
    builder = popir.Builder()
    x = builder.addInputTensor(kind, [rows, 5], "x")
    dtype = np.float16 if kind == "FLOAT16" else np.float32
    w = builder.addInitializedInputTensor(W.astype(dtype), "w")
    b = builder.addInitializedInputTensor(np.ones(3, dtype), "b")
    y = builder.aiOnnx.tanh([builder.aiOnnx.add([builder.aiOnnx.matmul([x, w]), b])])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, y])], reduction=reduction)
    return builder.getModelProto(), loss


def options(factor: int, **more: Any) -> popir.SessionOptions:
    return popir.SessionOptions(enableGradientAccumulation=True, accumulationFactor=factor, **more)


def trained(
    optimizer: Any,
    reduction: ReductionType,
    asked: popir.SessionOptions | None = None,
    kind: str = "FLOAT",
    scale: float = 1,
) -> dict[str, Array]:
    """Weights and states after ten batches of eight rows, in steps of five."""
    factor = asked.accumulationFactor if asked else 1
    model, loss = net(8 // factor, reduction, kind)
    session = training_session(model, loss, [loss], optimizer, 5, asked)
    for data in (X[:5], X[5:]):
        x = (scale * data).astype(np.float16 if kind == "FLOAT16" else np.float32)
        step(session, {"x": x})
    session.weightsToHost()
    found = {id: array.copy() for id, array in session._host.items()}
    session.readWeights(popir.PyWeightsIO(found))
    return found


@pytest.mark.parametrize("factor", [1, 2, 8])
@pytest.mark.parametrize("how", ["sum", "post", "running"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_accumulation_equals_the_large_batch(name: str, how: str, factor: int) -> None:
    reduction = ReductionType.Sum if how == "sum" else ReductionType.Mean
    asked = options(factor, accumulationAndReplicationReductionType=reduction)
    if how == "running":
        strategy = popir.MeanReductionStrategy.Running
        asked.meanAccumulationAndReplicationReductionStrategy = strategy
    whole = trained(OPTIMIZERS[name](), reduction)
    parts = trained(OPTIMIZERS[name](), reduction, asked)
    assert np.abs(whole["w"] - W).max() > 0.01
    for id, value in whole.items():
        np.testing.assert_allclose(parts[id], value, rtol=2e-5, atol=2e-6, err_msg=id)
    accumulators = {id for id in parts if id.startswith("Accum___")}
    assert accumulators == (set() if name == "combined" else {"Accum___w", "Accum___b"})
    assert not any(parts[id].any() for id in (*accumulators, "Counter___") if id in parts)


@pytest.mark.parametrize("outlining", [False, True])
@pytest.mark.parametrize("fuse", ["true", "false"])
def test_accumulation_is_the_same_however_it_is_compiled(outlining: bool, fuse: str) -> None:
    plain = trained(Adam(), ReductionType.Sum, options(4))
    asked = options(4, enableOutlining=outlining, engineOptions={"host.fuse": fuse})
    other = trained(Adam(), ReductionType.Sum, asked)
    for id, value in plain.items():
        np.testing.assert_array_equal(other[id], value, err_msg=id)


def test_values_that_change_keep_the_factor() -> None:
    asked = options(4, accumulationAndReplicationReductionType=ReductionType.Mean)
    model, loss = net(2, ReductionType.Mean)
    for rate, scaling in ((0.3, 2.0), (0.02, 8.0)):
        given = {"defaultLearningRate": (0.1, False), "lossScaling": (1.0, False)}
        session = training_session(model, loss, [], popir.SGD(given), 1, asked)
        given = {"defaultLearningRate": (rate, False), "lossScaling": (scaling, False)}
        session.updateOptimizerFromHost(popir.SGD(given))
        step(session, {"x": X[0]})
        session.weightsToHost()
        found = {"w": np.empty_like(W)}
        session.readWeights(popir.PyWeightsIO(found))
        model8, loss8 = net(8, ReductionType.Mean)
        other = training_session(model8, loss8, [], popir.ConstSGD(rate), 1)
        step(other, {"x": X[0]})
        other.weightsToHost()
        want = {"w": np.empty_like(W)}
        other.readWeights(popir.PyWeightsIO(want))
        np.testing.assert_allclose(found["w"], want["w"], rtol=1e-5, atol=1e-7)


def test_a_running_mean_does_not_overflow() -> None:
    """Four gradients of 40,000 in half: their sum is infinite, their mean is not."""
    found = {}
    for strategy in popir.MeanReductionStrategy:
        builder = popir.Builder()
        x = builder.addInputTensor("FLOAT16", [2], "x")
        w = builder.addInitializedInputTensor(np.zeros(2, np.float16), "w")
        y = builder.aiOnnx.mul([x, w])
        loss = builder.aiGraphcore.identityloss([y], reduction=ReductionType.Sum)
        asked = options(
            4,
            accumulationAndReplicationReductionType=ReductionType.Mean,
            meanAccumulationAndReplicationReductionStrategy=strategy,
        )
        model = builder.getModelProto()
        session = training_session(model, loss, [], popir.ConstSGD(0.5), 1, asked)
        step(session, {"x": np.full((4, 2), 40000, np.float16)})
        session.weightsToHost()
        found[strategy.name] = np.empty(2, np.float16)
        session.readWeights(popir.PyWeightsIO({"w": found[strategy.name]}))
    np.testing.assert_array_equal(found["Running"], [-20000, -20000])
    assert np.isinf(found["Post"]).all()


def test_accumulation_in_float_of_gradients_in_half() -> None:
    """Small gradients after a large one are lost in half, but not in float."""
    data = np.full((9, 1, 1), 1, np.float16)
    data[0] = 2048
    for kind, want in ((popir.DataType.UNDEFINED, 2048), (popir.DataType.FLOAT, 2056)):
        builder = popir.Builder()
        x = builder.addInputTensor("FLOAT16", [1, 1], "x")
        w = builder.addInitializedInputTensor(np.zeros((1, 1), np.float16), "w")
        y = builder.aiOnnx.mul([x, w])
        loss = builder.aiGraphcore.identityloss([y], reduction=ReductionType.Sum)
        optimizer = popir.SGD(values(defaultLearningRate=0.5), accumType=kind)
        session = training_session(builder.getModelProto(), loss, [], optimizer, 1, options(9))
        step(session, {"x": data})
        session.weightsToHost()
        found = np.empty((1, 1), np.float16)
        session.readWeights(popir.PyWeightsIO({"w": found}))
        assert found[0, 0] == -want / 2


def test_anchors_have_a_dimension_for_the_batches_of_an_update() -> None:
    model, loss = net(2, ReductionType.Sum)
    art = popir.AnchorReturnType
    anchors = {
        "x": art("All"),
        "Accum___b": art("All"),
        "UpdatedVar___b": art("All"),
        loss: art("EveryN", 2),
        "Gradient___b": art("Final"),
        "Gradient___w": art("Sum"),
        "UpdatedVar___w": art("Sum"),
    }
    session = training_session(model, loss, anchors, popir.ConstSGD(0.25), 4, options(3))
    x = floats(4, 3, 2, 5)
    found = step(session, {"x": x})
    assert {id: list(array.shape) for id, array in found.items()} == {
        "x": [4, 3, 2, 5],
        "Accum___b": [4, 3, 3],
        "UpdatedVar___b": [4, 3],
        loss: [2, 3],
        "Gradient___b": [3],
        "Gradient___w": [5, 3],
        "UpdatedVar___w": [5, 3],
    }
    np.testing.assert_array_equal(found["x"], x)
    w, b = W.astype(np.float64), np.ones(3)
    losses, sums, gw = [], np.zeros((5, 3)), np.zeros((5, 3))
    for n in range(4):
        total = np.zeros(3)
        step_w = np.zeros((5, 3))
        for i in range(3):
            y = np.tanh(x[n, i] @ w + b)
            losses.append((y * y).sum())
            g = 2 * y * (1 - y * y)
            total = total + g.sum(0)
            step_w += x[n, i].T @ g
            np.testing.assert_allclose(found["Accum___b"][n, i], total, rtol=1e-5, atol=1e-6)
        w, b = w - 0.25 * step_w, b - 0.25 * total
        np.testing.assert_allclose(found["UpdatedVar___b"][n], b, rtol=1e-5, atol=1e-6)
        sums, gw = sums + w, gw + step_w
    np.testing.assert_allclose(found[loss], np.reshape(losses[1::2], (2, 3)), rtol=1e-5)
    np.testing.assert_allclose(found["Gradient___b"], g.sum(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found["Gradient___w"], gw, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["UpdatedVar___w"], sums, rtol=1e-5, atol=1e-5)


def test_callbacks_get_the_batches_one_by_one() -> None:
    model, loss = net(2, ReductionType.Sum)
    anchors = {loss: popir.AnchorReturnType("EveryN", 2)}
    session = training_session(model, loss, anchors, popir.ConstSGD(0.25), 4, options(3))
    x = floats(4, 3, 2, 5)
    whole = step(session, {"x": x})[loss]
    session.weightsFromHost()
    given = iter(x.reshape(12, 2, 5))
    got: list[Array] = []

    def put(_: str) -> Array:
        got.append(np.empty([], np.float32))
        return got[-1]

    def nothing(_: str) -> None:
        return None

    session.run(popir.PyStepIOCallback(lambda *_: next(given), nothing, put, nothing))
    assert next(given, None) is None
    np.testing.assert_array_equal(np.array(got).reshape(2, 3), whole)


def test_accumulation_with_virtual_graphs() -> None:
    model, loss = net(2, ReductionType.Sum)
    asked = options(4, virtualGraphMode=popir.VirtualGraphMode.Auto)
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 4})
    flow = popir.DataFlow(1, [loss])
    session = popir.TrainingSession(model, flow, loss, Adam(), device, userOptions=asked)
    session.prepareDevice()
    one = training_session(model, loss, [loss], Adam(), 1, options(4))
    for each in (session, one):
        for data in X[:2]:
            step(each, {"x": data})
        each.weightsToHost()
    for id in ("w", "Accl2___w"):
        np.testing.assert_array_equal(session._host[id], one._host[id])


def test_programs_are_kept_with_their_accumulation(tmp_path: Path) -> None:
    model, loss = net(2, ReductionType.Sum)
    anchors = {loss: popir.AnchorReturnType("EveryN", 2)}
    file = str(tmp_path / "program")
    found: list[Array] = []
    for n in range(4):
        more = {"enableEngineCaching": True, "cachePath": str(tmp_path / "cache")} if n > 1 else {}
        asked = options(4, **more)
        device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(2, anchors)
        session = popir.TrainingSession(model, flow, loss, Adam(), device, userOptions=asked)
        if n == 1:
            session.loadExecutable(file)
        session.prepareDevice()
        found.append(step(session, {"x": X[:2]})[loss])
        if n == 0:
            session.compileAndExport(file)
    assert all(np.array_equal(each, found[0]) for each in found)
    other = popir.TrainingSession(model, flow, loss, Adam(), device, userOptions=options(2))
    with pytest.raises(popart_exception, match="of other options"):
        other.loadExecutable(file)


def test_each_batch_draws_its_own_random_numbers() -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [64], "x")
    w = builder.addInitializedInputTensor(np.ones(64, np.float32), "w")
    (y,) = builder.aiOnnx.dropout([builder.aiOnnx.mul([x, w])], 1)
    loss = builder.aiGraphcore.identityloss([y], reduction=ReductionType.Sum)
    session = training_session(builder.getModelProto(), loss, [y], Adam(), 2, options(3))
    found = step(session, {"x": np.ones((2, 3, 64), np.float32)})[y]
    assert len({(each != 0).tobytes() for each in found.reshape(6, 64)}) == 6


def test_what_is_no_accumulation() -> None:
    model, loss = net(2, ReductionType.Sum)
    with pytest.raises(popart_exception, match=r"accumulationFactor = 4: .* True only"):
        training_session(model, loss, [], None, 1, popir.SessionOptions(accumulationFactor=4))
    device, flow = popir.DeviceManager().createCpuDevice(), popir.DataFlow(1, [loss])
    with pytest.raises(popart_exception, match="an InferenceSession has no gradients"):
        popir.InferenceSession(model, flow, device, userOptions=options(4))
    reduction = ReductionType.NoReduction
    with pytest.raises(popart_exception, match="gradients become one by their sum or"):
        options(2, accumulationAndReplicationReductionType=reduction).check()
    with pytest.warns(
        OptionWarning, match="acts only where gradients are accumulated, or there are"
    ):
        popir.SessionOptions(accumulationAndReplicationReductionType=ReductionType.Mean).check()
    session = training_session(model, loss, [], None, 1, options(4))
    with pytest.raises(popir.errors.StepIOError, match="in each of 4 batches"):
        step(session, {"x": floats(2, 5)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        options(4).check()
