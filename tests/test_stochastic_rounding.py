"""SessionOptions.enableStochasticRounding: training that goes on because of it, what the draws
depend on, and operators in half against onnxruntime in float.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper

import popir
from popir import SessionOptions
from tests.models import floats, step, training_session
from tests.rounding import Array, check

N = 3000
DELTA = 2.0**-13


def training(batches: int = 1, device: Any = None, source: Any = None, **options: Any) -> Any:
    """A session that takes DELTA, less than half of a unit in the last place, from weights of 1 in
    half in each batch; or from those of a saved model.
    """
    asked: dict[str, Any] = {"enableStochasticRounding": True, **options}
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT16", [N], "x")
    w = builder.addInitializedInputTensor(np.ones(N, np.float16), "w")
    y = builder.aiOnnx.mul([x, w])
    loss = builder.aiGraphcore.identityloss([y], reduction=popir.ReductionType.Sum)
    session = popir.TrainingSession(
        source or builder.getModelProto(),
        popir.DataFlow(batches, []),
        loss,
        popir.ConstSGD(DELTA),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=SessionOptions(**asked),
    )
    session.prepareDevice()
    return session


def weights(session: Any, steps: int = 1, batches: int = 1) -> Array:
    """What the weights are after some more steps."""
    for _ in range(steps):
        step(session, {"x": np.ones((batches, N) if batches > 1 else N, np.float16)})
    session.weightsToHost()
    value = np.empty(N, np.float16)
    session.readWeights(popir.PyWeightsIO({"w": value}))
    return value


def test_training_in_half_goes_on_where_updates_are_small() -> None:
    steps = 400
    stalled = weights(training(enableStochasticRounding=False), steps)
    np.testing.assert_array_equal(stalled, np.ones(N))
    moved = weights(training(), steps).astype(np.float64)
    # The variance is that of `steps` draws that move by 2^-11 with a probability of 1/4.
    deviation = 2.0**-11 * np.sqrt(steps * 3 / 16)
    assert abs(moved.mean() - (1 - steps * DELTA)) < 5 * deviation / np.sqrt(N)
    assert 0.85 * deviation < moved.std() < 1.15 * deviation


def test_the_seed_says_what_is_drawn() -> None:
    session = training(batches=3)
    session.setRandomSeed(5)
    first = weights(session, 2, 3)
    assert session.getRandomSeed() == 5 + 6

    def again(seed: int, **options: Any) -> Array:
        other = training(batches=3, **options)
        other.setRandomSeed(seed)
        return weights(other, 2, 3)

    np.testing.assert_array_equal(again(5), first)
    for threads in ("1", "2"):
        options = {"host.numThreads": threads}
        np.testing.assert_array_equal(again(5, engineOptions=options), first)
    assert not np.array_equal(again(6), first)
    assert not np.array_equal(again(5 + (1 << 32)), first)


def test_each_batch_draws_anew() -> None:
    one, session = training(), training(batches=2)
    once = weights(one)
    twice = weights(session, 1, 2)
    assert np.count_nonzero((twice != once) & (once == 1)) > 0.2 * N * 0.75
    assert np.count_nonzero((twice == once) & (once != 1)) > 0.5 * N * 0.25


def test_both_devices_draw_the_same() -> None:
    machine = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
    np.testing.assert_array_equal(weights(training(device=machine), 7), weights(training(), 7))


def test_a_kept_program_rounds_as_before(tmp_path: Path) -> None:
    options: dict[str, Any] = {"enableEngineCaching": True, "cachePath": str(tmp_path)}
    first = weights(training(**options), 7)
    assert len(list(tmp_path.iterdir())) == 1
    np.testing.assert_array_equal(weights(training(**options), 7), first)
    # Another program, not that of the option.
    off = weights(training(enableStochasticRounding=False, **options), 7)
    np.testing.assert_array_equal(off, np.ones(N))
    assert len(list(tmp_path.iterdir())) == 2


def test_saved_training_goes_on_with_the_seed_it_had(tmp_path: Path) -> None:
    session = training()
    weights(session, 3)
    session.modelToHost(tmp_path / "model.onnx")
    want = weights(session, 3)
    again = training(source=tmp_path / "model.onnx")
    np.testing.assert_array_equal(weights(again, 3), want)


def test_repeated_blocks_that_are_called_draw_each_for_itself() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT16", [N], "x")
    factor = builder.addInitializedInputTensor(np.full(1, 1.25, np.float16))
    sums = []
    for _ in range(6):
        y = builder.aiOnnx.mul([x, factor])
        y = builder.aiOnnx.mul([builder.aiOnnx.sigmoid([y]), factor])
        sums.append(builder.aiOnnx.add([y, x]))
        x = y
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, sums),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
        userOptions=SessionOptions(
            enableStochasticRounding=True, enableOutlining=True, outlineThreshold=-1.0
        ),
    )
    session.prepareDevice()
    out = step(session, {"x": floats(N).astype(np.float16)})
    again = step(session, {"x": floats(N).astype(np.float16)})
    assert all(np.count_nonzero(out[id] != again[id]) > 100 for id in sums)


def model(kind: int, op: str, inputs: dict[str, Array], attributes: dict[str, Any]) -> ModelProto:
    """One node, whose floating-point inputs are of `kind`."""
    types = [kind if x.dtype == np.float16 else TensorProto.INT64 for x in inputs.values()]
    infos = [
        helper.make_tensor_value_info(id, type, x.shape)
        for (id, x), type in zip(inputs.items(), types, strict=True)
    ]
    node = helper.make_node(op, list(inputs), ["y"], **attributes)
    out = helper.make_tensor_value_info("y", kind, None)
    graph = helper.make_graph([node], "g", infos, [out])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def halves(*shape: int, seed: int = 0) -> Array:
    return floats(*shape, seed=seed).astype(np.float16)


ROWS, IMAGES = halves(200, 150), halves(2, 12, 40, 30)
OPERATORS: dict[str, tuple[list[Array], dict[str, Any]]] = {
    "Add": ([ROWS, halves(150, seed=1)], {}),
    "Exp": ([ROWS], {}),
    "Gemm": ([ROWS, halves(150, 90, seed=1), halves(90, seed=2)], {"alpha": 0.5}),
    "MatMul": ([halves(3, 60, 50), halves(3, 50, 70, seed=1)], {}),
    "Conv": ([IMAGES, halves(24, 12, 3, 3, seed=1), halves(24, seed=2)], {"pads": [1, 1, 1, 1]}),
    "ConvTranspose": ([halves(1, 8, 30, 30), halves(8, 10, 3, 3, seed=1)], {}),
    "LayerNormalization": ([ROWS, halves(150, seed=1), halves(150, seed=2)], {}),
    "ReduceMean": ([halves(4000, 30)], {"axes": [1]}),
    "ReduceLogSumExp": ([halves(4000, 30)], {"axes": [1]}),
    "Softmax": ([ROWS], {}),
    "LogSoftmax": ([ROWS], {}),
    "AveragePool": ([IMAGES], {"kernel_shape": [3, 3]}),
    "Elu": ([ROWS], {}),
    "Sum": ([ROWS, halves(200, 150, seed=1), halves(200, 150, seed=2)], {}),
}


@pytest.mark.parametrize("op", OPERATORS)
def test_operators_round_their_results_once(op: str) -> None:
    arrays, attributes = OPERATORS[op]
    inputs = {f"x{i}": x for i, x in enumerate(arrays)}
    oracle = onnxruntime.InferenceSession(
        model(TensorProto.FLOAT, op, inputs, attributes).SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    (exact,) = map(
        np.asarray, oracle.run(None, {id: x.astype(np.float32) for id, x in inputs.items()})
    )
    session = popir.InferenceSession(
        model(TensorProto.FLOAT16, op, inputs, attributes).SerializeToString(),
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createCpuDevice(),
        userOptions=SessionOptions(enableStochasticRounding=True),
    )
    session.prepareDevice()
    first = step(session, inputs)["y"]
    check(first, exact, 0.02)
    assert np.count_nonzero(step(session, inputs)["y"] != first) > 100


def test_nothing_else_changes() -> None:
    """A model without 16-bit floats has the same bits."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [40, 30], "x")
    w = builder.addInitializedInputTensor(floats(30, 20, seed=1), "w")
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.matmul([x, w])])
    results = []
    for is_on in (False, True):
        session = training_session(
            builder.getModelProto(),
            loss,
            [loss],
            options=SessionOptions(enableStochasticRounding=is_on),
        )
        results.append([step(session, {"x": floats(40, 30)})[loss] for _ in range(3)])
    np.testing.assert_array_equal(results[0], results[1])
