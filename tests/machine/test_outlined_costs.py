"""What repeated blocks cost: one exchange for all of their calls, and code that they share."""

from __future__ import annotations

from typing import Any

import numpy as np

import popir
from popir import DataFlow
from popir.ir.graph import called_graphs

COUNT = 5


def device() -> Any:
    return popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 64})


def weight(builder: Any, *shape: int) -> str:
    return builder.addInitializedInputTensor(np.full(shape, 0.01, np.float32))


def layers() -> Any:
    """A session of layers that are alike: a product, a function and a sum."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [96, 128], "x")
    for _ in range(COUNT):
        more = builder.aiOnnx.matmul([x, weight(builder, 128, 128)])
        x = builder.aiOnnx.add([x, builder.aiOnnx.tanh([more])])
    builder.addOutputTensor(x)
    session = popir.InferenceSession(builder.getModelProto(), DataFlow(1, [x]), device())
    session.prepareDevice()
    return session


def test_from_one_call_to_the_next_nothing_moves() -> None:
    report = layers().getReport()
    given = [step for step in report.steps if step.name.endswith("/in") and step.kind == "Copy"]
    assert len(given) == COUNT
    assert [step.exchangeBytes for step in given[1:]] == [0] * (COUNT - 1)


def test_the_blocks_of_a_backward_pass_are_shared() -> None:
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [2, 8, 12, 12], "x")
    for _ in range(COUNT):
        x = builder.aiOnnx.conv([x, weight(builder, 8, 8, 3, 3)], [1, 1], 1, [3, 3], [1, 1, 1, 1])
        x = builder.aiOnnx.relu([x])
    loss = builder.aiGraphcore.l1loss([x], 0.1)
    session = popir.TrainingSession(
        builder.getModelProto(), DataFlow(1, []), loss, popir.ConstSGD(0.1), device()
    )
    session.prepareDevice()
    shared = {
        op.opid.type for graph in called_graphs(session.graph)[1:] for op in graph.ops.values()
    }
    assert {"Conv", "ConvDataGrad", "ConvWeightsGrad"} <= shared


def test_halves_are_normalised_without_copies_in_float() -> None:
    shape = [4, 16, 20, 20]
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT16", shape, "x")
    vectors = [
        builder.addInitializedInputTensor(np.ones(16, np.float16), f"v{i}") for i in range(4)
    ]
    y = builder.aiOnnx.batchnormalization([x, *vectors], 1)[0]
    builder.addOutputTensor(y)
    session = popir.InferenceSession(builder.getModelProto(), DataFlow(1, [y]), device())
    session.prepareDevice()
    data = 2 * int(np.prod(shape))
    # The data and the result, and some vectors.
    assert max(step.liveBytes for step in session.getReport().steps) < 2.2 * data
