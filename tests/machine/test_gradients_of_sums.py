"""The gradient of a sum is a view of a copy of what the sum has: nothing as large as its operand is
made or moved. Values are compared with PyTorch's.
"""

import numpy as np
import pytest
import torch

import popir


def trained(builder: popir.Builder, loss: str, device: popir.DeviceInfo) -> popir.TrainingSession:
    session = popir.TrainingSession(
        builder.getModelProto(), popir.DataFlow(1, []), loss, popir.ConstSGD(0.01), device
    )
    session.prepareDevice()
    return session


def summed(builder: popir.Builder, y: str, axes: list[int] | None, keepdims: int) -> str:
    inputs = [y] if axes is None else [y, builder.aiOnnx.constant(np.array(axes, np.int64))]
    return builder.aiOnnx.reducesum(inputs, keepdims=keepdims)


@pytest.mark.parametrize("axes", [None, [0], [1]])
def test_only_the_sums_move(axes: list[int] | None) -> None:
    """A gradient of 1,024 x 1,024 floats from one tile would be 1,048,576 cycles of exchange."""
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    w = builder.addInitializedInputTensor(np.zeros((1024, 1024), np.float32), "w")
    loss = builder.aiGraphcore.l1loss([summed(builder, w, axes, 0)], 0.1)
    device = popir.DeviceManager().createIpuModelDevice({})
    report = trained(builder, loss, device).getReport()
    assert report.cycles < 10_000
    assert all(row.exchangeCycles < 2000 for row in report.operations)


CHAINS = {
    "nothing": (lambda op, x: x, lambda t: t),
    "relu": (lambda op, x: op.relu([x]), torch.relu),
    "tanh of the negative": (lambda op, x: op.tanh([op.neg([x])]), lambda t: (-t).tanh()),
    "exp, less itself": (lambda op, x: op.sub([op.exp([x]), x]), lambda t: t.exp() - t),
    "a transposition": (lambda op, x: op.exp([op.transpose([x], [1, 0])]), lambda t: t.T.exp()),
}


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axes", [None, [0], [1], [0, 1]])
@pytest.mark.parametrize("chain", CHAINS)
def test_operators_before_it_do_not_overwrite_the_view(
    chain: str, axes: list[int] | None, keepdims: int
) -> None:
    ours, theirs = CHAINS[chain]
    start = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    builder = popir.Builder(opsets={"ai.onnx": 13, "ai.graphcore": 1})
    w = builder.addInitializedInputTensor(start, "w")
    total = summed(builder, ours(builder.aiOnnx, w), axes, keepdims)
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.mul([total, total])], 1.0)
    session = trained(builder, loss, popir.DeviceManager().createCpuDevice())
    session.weightsFromHost()
    session.run(popir.PyStepIO({}, {}))
    session.weightsToHost()
    found = {"w": np.empty_like(start)}
    session.readWeights(popir.PyWeightsIO(found))
    t = torch.tensor(start, requires_grad=True)
    y = theirs(t)
    other = y.sum() if axes is None else y.sum(dim=axes, keepdim=bool(keepdims))
    (other * other).mean().backward()
    assert t.grad is not None
    np.testing.assert_allclose(found["w"], start - 0.01 * t.grad.numpy(), rtol=2e-4, atol=2e-5)
