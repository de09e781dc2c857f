"""Dropout: the mask's share, its scale, and that the backward pass draws it again."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import popir
from tests.models import floats, step

N = 20000
RATIO = 0.25


def model(opset: int, training: bool | None = None, mask: bool = False) -> onnx.ModelProto:
    """loss = sum(w * dropout(x)); x and w are [N]."""
    value = helper.make_tensor_value_info
    inputs, attributes = ["x"], {"ratio": RATIO}
    initializers = [numpy_helper.from_array(floats(N, seed=1), "w")]
    if opset >= 12:
        inputs, attributes = ["x", "ratio"], {}
        initializers.append(numpy_helper.from_array(np.float32(RATIO), "ratio"))
        if training is not None:
            inputs.append("training")
            initializers.append(numpy_helper.from_array(np.bool_(training).reshape(()), "training"))
    nodes = [
        helper.make_node("Dropout", inputs, ["y", "mask"] if mask else ["y"], **attributes),
        helper.make_node("Mul", ["y", "w"], ["z"]),
        helper.make_node("IdentityLoss", ["z"], ["loss"], domain="ai.graphcore", reduction="Sum"),
    ]
    graph = helper.make_graph(
        nodes, "g", [value("x", 1, [N])], [value("loss", 1, [])], initializers
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.graphcore", 1)]
    return helper.make_model(graph, opset_imports=opsets)


def train(proto: onnx.ModelProto, anchors: list[str], batches: int = 1) -> Any:
    session = popir.TrainingSession(
        proto,
        popir.DataFlow(batches, anchors),
        "loss",
        popir.ConstSGD(0.0),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    return session


X = floats(N) + 10


@pytest.mark.parametrize("opset", [7, 10, 12, 13, 22])
def test_training(opset: int) -> None:
    session = train(model(opset, mask=True), ["y", "mask", "Gradient___x"])
    out = step(session, {"x": X})
    kept = out["y"] != 0
    assert kept.mean() == pytest.approx(1 - RATIO, abs=0.02)
    np.testing.assert_allclose(out["y"][kept], X[kept] / (1 - RATIO), rtol=1e-6)
    np.testing.assert_array_equal(out["mask"].astype(bool), kept)
    assert out["mask"].dtype == (np.float32 if opset < 10 else np.bool_)
    want = np.where(kept, floats(N, seed=1) / np.float32(1 - RATIO), 0)
    np.testing.assert_allclose(out["Gradient___x"], want, rtol=1e-6)


@pytest.mark.parametrize("opset", [7, 13])
def test_all_may_be_dropped(opset: int) -> None:
    """As PyTorch does for p=1; onnxruntime takes less than 1 alone."""
    proto = model(opset, mask=True)
    for attribute in proto.graph.node[0].attribute:
        attribute.f = 1.0
    if opset >= 12:
        ratio = proto.graph.node[0].input[1]
        (held,) = (t for t in proto.graph.initializer if t.name == ratio)
        held.CopyFrom(numpy_helper.from_array(np.float32(1), ratio))
    out = step(train(proto, ["y", "mask", "Gradient___x"]), {"x": X})
    assert not any(array.any() for array in out.values())


def test_each_batch_and_step_draws_anew_and_the_seed_repeats() -> None:
    session = train(model(10), ["y"], batches=2)
    session.setRandomSeed(7)
    first = step(session, {"x": np.stack([X, X])})["y"]
    second = step(session, {"x": np.stack([X, X])})["y"]
    drawn = [*first, *second]
    assert all(not np.array_equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])
    assert session.getRandomSeed() == 11
    session.setRandomSeed(7)
    np.testing.assert_array_equal(step(session, {"x": np.stack([X, X])})["y"], first)
    session.setRandomSeed(7 << 32)
    assert not np.array_equal(step(session, {"x": np.stack([X, X])})["y"], first)


@pytest.mark.parametrize("opset", [7, 10, 13])
def test_inference_passes_its_input_on(opset: int) -> None:
    session = popir.InferenceSession(
        model(opset, mask=True),
        popir.DataFlow(1, ["y", "mask"]),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    out = step(session, {"x": X})
    np.testing.assert_array_equal(out["y"], X)
    assert out["mask"].all()


def test_the_third_input_decides() -> None:
    session = train(model(13, training=False), ["y", "Gradient___x"])
    out = step(session, {"x": X})
    np.testing.assert_array_equal(out["y"], X)
    np.testing.assert_array_equal(out["Gradient___x"], floats(N, seed=1))
    other = popir.InferenceSession(
        model(13, training=True), popir.DataFlow(1, ["y"]), popir.DeviceManager().createCpuDevice()
    )
    other.prepareDevice()
    assert (step(other, {"x": X})["y"] == 0).mean() == pytest.approx(RATIO, abs=0.02)


def test_outlined_blocks_drop_each_for_itself() -> None:
    """What repeats has one function, but not one mask; backwards it is that of the way forwards."""
    value, n, blocks = helper.make_tensor_value_info, 32, range(4)
    nodes, initializers, before = [], [numpy_helper.from_array(np.float32(RATIO), "ratio")], "x"
    for i in blocks:
        initializers.append(numpy_helper.from_array(floats(n, n, seed=i), f"w{i}"))
        nodes += [
            helper.make_node("MatMul", [before, f"w{i}"], [f"m{i}"]),
            helper.make_node("Tanh", [f"m{i}"], [f"y{i}"]),
            helper.make_node("Dropout", [f"y{i}", "ratio"], [f"z{i}"]),
        ]
        before = f"z{i}"
    nodes.append(helper.make_node("ReduceSum", [before], ["loss"], keepdims=0))
    graph = helper.make_graph(
        nodes, "g", [value("x", 1, [n, n])], [value("loss", 1, [])], initializers
    )
    session = popir.TrainingSession(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)]),
        popir.DataFlow(1, [*(f"z{i}" for i in blocks), *(f"Gradient___y{i}" for i in blocks)]),
        "loss",
        popir.ConstSGD(0.0),
        popir.DeviceManager().createCpuDevice(),
        userOptions=popir.SessionOptions(
            enableOutlining=True, outlineThreshold=0.0, enableOutliningCopyCostPruning=False
        ),
    )
    session.prepareDevice()
    found = step(session, {"x": floats(n, n, seed=9)})
    dropped = [found[f"z{i}"] == 0 for i in blocks]
    for i in blocks:
        assert abs(dropped[i].mean() - RATIO) < 0.1
        np.testing.assert_array_equal(found[f"Gradient___y{i}"] == 0, dropped[i])
        for k in range(i):
            assert (dropped[i] & dropped[k]).mean() < 2 * RATIO**2


@pytest.mark.parametrize("opset", [11, 17])
def test_nodes_that_are_alike_drop_each_for_itself(opset: int) -> None:
    """As in the layers of a network, whose nodes have no names."""
    made = model(opset)
    first = made.graph.node[0]
    second = made.graph.node.add()
    second.CopyFrom(first)
    second.output[0] = "other"
    made.graph.node.add(op_type="Sum", input=["other", "loss"], output=["used"])
    flow = popir.DataFlow(1, ["y", "other"])
    session = popir.TrainingSession(
        made.SerializeToString(), flow, "loss", popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
    )  # fmt: skip
    session.prepareDevice()
    found = session.initAnchorArrays()
    session.run(popir.PyStepIO({"x": np.ones(N, np.float32)}, found))
    kept = found["y"] != 0, found["other"] != 0
    share = (1 - RATIO) ** 2
    assert abs(np.mean(kept[0] & kept[1]) - share) < 0.02
