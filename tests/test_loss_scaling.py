"""Loss scaling: constant, changeable, and following the gradients in half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import Adam, GradientTensorTrackingMethod, ReductionType
from popir.errors import popart_exception
from tests.models import Array, floats, step, training_session

FINAL = "finalLossScale"
USER = GradientTensorTrackingMethod.GradientsOfUserSpecifiedTensors


def net(kind: str = "FLOAT16") -> tuple[Any, str]:
    """sum((x w)^2), whose gradient for the product p is 2 p."""
    builder = popir.Builder()
    x = builder.addInputTensor(kind, [2, 4], "x")
    dtype = np.float16 if kind == "FLOAT16" else np.float32
    w = builder.addInitializedInputTensor(floats(4, 3).astype(dtype), "w")
    p = builder.aiOnnx.matmul([x, w])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([p, p])], ReductionType.Sum)
    builder.addOutputTensor(loss)
    return builder.getModelProto(), loss


def options(**more: Any) -> popir.SessionOptions:
    asked = popir.SessionOptions()
    for name, value in {"enabled": True, **more}.items():
        setattr(asked.automaticLossScalingSettings, name, value)
    return asked


def sgd(scaling: float, rate: float = 0.0) -> popir.SGD:
    return popir.SGD({"defaultLearningRate": (rate, False), "lossScaling": (scaling, False)})


def scales(
    asked: popir.SessionOptions, x: Array, optimizer: Any = None, batches: int = 6
) -> list[float]:
    model, loss = net()
    session = training_session(model, loss, [FINAL], optimizer or sgd(4.0), batches, asked)
    found = step(session, {"x": np.repeat(x[None], batches, 0).astype(np.float16)})
    return found[FINAL].tolist()


ONES = np.ones((2, 4))


def test_the_scaling_follows_the_gradients() -> None:
    """With x = 1 the largest gradient is some 7 times the scaling: 8192 is too large for an edge at
    half of what float16 holds, and 4096 is not.
    """
    asked = options(binEdgeLocation=0.5)
    assert scales(asked, ONES) == [4, 8, 16, 32, 64, 128]
    found = scales(asked, ONES, sgd(1024.0), 10)
    assert found[0] == 1024
    top = found.index(max(found))
    assert found[: top + 1] == [1024 * 2**n for n in range(top + 1)]
    rest = found[top + 1 :]
    assert rest == [max(found) / (2 if n % 2 == 0 else 1) for n in range(len(rest))]
    w = floats(4, 3).astype(np.float16).astype(np.float64)
    largest = max(np.abs(2 * ONES @ w).max(), np.abs(ONES.T @ (2 * ONES @ w)).max())
    assert max(found) / 2 * largest < 0.5 * 65504 < max(found) * largest


def test_the_scaling_stays_finite() -> None:
    found = scales(options(binEdgeLocation=1.0), np.zeros((2, 4)), sgd(2.0**13))
    assert found == [2.0**13, 2.0**14, *[2.0**15] * 4]


def test_the_edge_and_the_threshold_act() -> None:
    assert scales(options(binEdgeLocation=0.0), ONES) == [4, 2, 1, 0.5, 0.25, 0.125]
    never = options(binEdgeLocation=0.0, thresholdUpperCountProportion=1.0)
    assert scales(never, ONES) == [4, 8, 16, 32, 64, 128]


def test_the_factor_changes_once_in_a_period() -> None:
    found = scales(options(updatePeriod=3), ONES, batches=8)
    assert found == [4, 8, 8, 8, 16, 16, 16, 32]


def test_what_is_observed() -> None:
    """The gradient of the weight is large here, that of the product is not."""
    x = np.full((2, 4), 100.0)
    w = floats(4, 3).astype(np.float16).astype(np.float64)
    small, large = np.abs(2 * x @ w).max() * 4, np.abs(x.T @ (2 * x @ w)).max() * 4
    edge = (small + large) / 2 / 65504
    for what, goes_up in (
        ({"toTrackTensors": ["MatMul:0"], "gradientTensorTrackingMethod": USER}, True),
        ({"toTrackTensors": ["w"], "gradientTensorTrackingMethod": USER}, False),
        (
            {"gradientTensorTrackingMethod": GradientTensorTrackingMethod.ConvAndMatmulGradients},
            False,
        ),
        ({}, False),
    ):
        found = scales(options(binEdgeLocation=edge, **what), x, batches=2)
        assert found == [4, 8 if goes_up else 2], what


OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda scaling: sgd(scaling, 0.01),
    "combined": lambda scaling: popir.SGD(
        {"defaultMomentum": (0.5, False), "lossScaling": (scaling, False)}
    ),
    "separate": lambda scaling: popir.SGD(
        {"defaultMomentum": (0.5, True), "nesterov": (1, True), "lossScaling": (scaling, False)},
        accumulatorAndMomentum=popir.SGDAccumulatorAndMomentum.Separate,
    ),
    "clipped": lambda scaling: popir.SGD(
        {"lossScaling": (scaling, False)}, [popir.ClipNormSettings.clipAllWeights(0.25)]
    ),
    "adam": lambda scaling: Adam({"lossScaling": (scaling, False)}),
    "rmsprop": lambda scaling: popir.Adaptive({"lossScaling": (scaling, False)}),
}


@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_weights_are_those_without_it(name: str, factor: int) -> None:
    """The factor is a power of two, so that it leaves every bit alone."""
    found: list[Array] = []
    model, loss = net()
    x = 0.25 * floats(3, factor, 2, 4, seed=3).astype(np.float16)
    for asked in (popir.SessionOptions(), options()):
        asked.enableGradientAccumulation, asked.accumulationFactor = factor > 1, factor
        session = training_session(model, loss, [], OPTIMIZERS[name](16.0), 3, asked)
        step(session, {"x": x})
        session.updateOptimizerFromHost(OPTIMIZERS[name](8.0))
        step(session, {"x": x})
        session.weightsToHost()
        found.append(np.empty((4, 3), np.float16))
        session.readWeights(popir.PyWeightsIO({"w": found[-1]}))
    np.testing.assert_array_equal(found[0], found[1])
    assert np.isfinite(found[0]).all()


def test_accumulation_counts_over_all_batches() -> None:
    """One batch of four is large: a quarter of the elements."""
    model, loss = net()
    x = np.zeros((2, 4, 2, 4), np.float16)
    x[:, 1] = 1
    for threshold, want in ((0.2, 2), (0.3, 8)):
        asked = options(
            binEdgeLocation=0.0,
            thresholdUpperCountProportion=threshold,
            toTrackTensors=["w"],
            gradientTensorTrackingMethod=USER,
        )
        asked.enableGradientAccumulation, asked.accumulationFactor = True, 4
        session = training_session(model, loss, [FINAL], sgd(4.0), 2, asked)
        found = step(session, {"x": x})[FINAL]
        assert found.tolist() == [[4] * 4, [want] * 4]


def test_it_goes_on_in_another_session(tmp_path: Path) -> None:
    model, loss = net()
    x = np.ones((3, 2, 4), np.float16)
    found: list[float] = []
    for _ in range(2):
        asked = options(updatePeriod=2)
        session = training_session(model, loss, [FINAL], sgd(4.0), 3, asked)
        found += step(session, {"x": x})[FINAL].tolist()
        model = str(tmp_path / "model.onnx")
        session.modelToHost(model)
    assert found == [4, 8, 8, 16, 16, 32]


def test_a_scaled_state_follows_the_scaling() -> None:
    model, loss = net("FLOAT")
    x = floats(2, 4)
    found: list[dict[str, Array]] = []
    for is_scaled in (False, True):
        made = [
            Adam({"lossScaling": (scaling, False)}, scaled_optimizer_state=is_scaled)
            for scaling in (16.0, 4.0)
        ]
        session = training_session(model, loss, [], made[0])
        for each in made * 2:
            session.updateOptimizerFromHost(each)
            step(session, {"x": x})
        session.weightsToHost()
        ids = ("w", "Accl1___w", "Accl2___w")
        found.append({id: np.empty((4, 3), np.float32) for id in ids})
        session.readWeights(popir.PyWeightsIO(found[-1]))
    np.testing.assert_allclose(found[1]["w"], found[0]["w"], rtol=1e-6)
    np.testing.assert_allclose(found[1]["Accl1___w"], 4 * found[0]["Accl1___w"], rtol=1e-5)
    np.testing.assert_allclose(found[1]["Accl2___w"], 16 * found[0]["Accl2___w"], rtol=1e-5)


def test_what_is_no_automatic_scaling() -> None:
    def session(model: Any, loss: str, optimizer: Any, **more: Any) -> Any:
        return training_session(model, loss, [], optimizer, 1, options(**more))

    half, full = net(), net("FLOAT")
    with pytest.raises(popart_exception, match="lossScaling is constant; give it as"):
        session(*half, popir.ConstSGD(0.1))
    with pytest.raises(popart_exception, match="the model has no gradients in half"):
        session(*full, sgd(4.0))
    with pytest.raises(popart_exception, match="a state that is scaled"):
        session(*half, Adam({"lossScaling": (4.0, False)}, scaled_optimizer_state=True))
    with pytest.raises(popart_exception, match=r"toTrackTensors = \['w'\]: tensors are named"):
        session(*half, sgd(4.0), toTrackTensors=["w"])
    with pytest.raises(popart_exception, match="toTrackTensors = None: tensors are named"):
        session(*half, sgd(4.0), gradientTensorTrackingMethod=USER)
    named = {"gradientTensorTrackingMethod": USER}
    with pytest.raises(popart_exception, match=r"'MatMul:1' is no tensor .* mean 'MatMul:0'"):
        session(*half, sgd(4.0), toTrackTensors=["MatMul:1"], **named)
    with pytest.raises(popart_exception, match=r"'Gradient___w' is FLOAT.* in FLOAT16 are"):
        session(*full, sgd(4.0), toTrackTensors=["w"], **named)
    flow, device = popir.DataFlow(1, [half[1]]), popir.DeviceManager().createCpuDevice()
    with pytest.raises(popart_exception, match="an InferenceSession has no gradients"):
        popir.InferenceSession(half[0], flow, device, userOptions=options())
