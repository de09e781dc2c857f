"""PrintTensor in a graph that is called, whose gradient computes it again."""

import numpy as np
import pytest

import popir


def test_values_are_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    """The forward pass prints; the copy of it that the gradient needs does not."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    info = popir.TensorInfo("FLOAT", [2])
    w = builder.addInitializedInputTensor(np.array([1, 2], np.float32), "w")
    body = builder.createSubgraphBuilder()
    x = body.addInputTensor(info)
    shown = body.aiGraphcore.printtensor([body.aiOnnx.exp([x])], 1, title="shown")
    body.addOutputTensor(body.aiOnnx.sin([shown]))
    (y,) = builder.aiGraphcore.call([w], 1, body)
    loss = builder.aiGraphcore.l1loss([y], 1.0)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.ConstSGD(0.5),
        popir.DeviceManager().createCpuDevice(),
    )
    session.prepareDevice()
    session.run(popir.PyStepIO({}, session.initAnchorArrays()))
    printed = capfd.readouterr().err
    assert printed.count("shown:") == 1
    assert printed.count("shown_gradient") == 1
    session.weightsToHost()
    found = {w: np.zeros(2, np.float32)}
    session.readWeights(popir.PyWeightsIO(found))
    v = np.array([1.0, 2.0])
    e = np.exp(v)
    np.testing.assert_allclose(found[w], v - 0.25 * np.sign(np.sin(e)) * np.cos(e) * e, rtol=1e-5)
