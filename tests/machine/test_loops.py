"""What loops cost: the slices that they make go to tensors made for slices."""

import numpy as np

import popir


def test_a_step_of_a_loop_updates_its_output_where_columns_lie():
    """Of [32, 8, 64] a step writes [8, 64], which lay on a few tiles if it lay linearly."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    random = np.random.default_rng(0)
    x = builder.addInputTensor("FLOAT", [32, 8, 16], "x")
    weights = [
        builder.addInitializedInputTensor(random.standard_normal(shape).astype(np.float32))
        for shape in ((1, 64, 16), (1, 64, 64))
    ]
    y = builder.aiOnnx.rnn([x, *weights], 2, hidden_size=64)[0]
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice(loadEngine=False)
    (update,) = (
        row for row in session.getReport().operations if row.name.endswith("/dynamicUpdate")
    )
    assert update.times == 32 and update.vertexClass == "popops::MultiUpdate"
    assert update.computeCycles < 500 * update.times  # 3,600 if it lay linearly
