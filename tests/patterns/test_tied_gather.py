"""TiedGather and TiedGatherAccumulate, against PyTorch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir import MeanReductionStrategy, ReductionType
from tests.models import Array, floats

ROWS, WIDTH, COUNT, FACTOR = 12, 6, 5, 3
TABLE, HIDDEN = floats(ROWS, WIDTH, seed=1), floats(WIDTH, WIDTH, seed=2)
BOTH = ("TiedGather", "TiedGatherAccumulate")
RUNNING = MeanReductionStrategy.Running
OPTIMIZERS = {
    "plain": lambda: popir.ConstSGD(0.1),
    "momentum": lambda: popir.SGD(
        {name: (value, False) for name, value in MOMENTUM.items()},
    ),
}
MOMENTUM = {"defaultLearningRate": 0.1, "defaultMomentum": 0.9, "defaultDampening": 0.0}


def trained(
    indices: Array,
    labels: Array,
    optimizer: str = "plain",
    patterns: tuple[str, ...] = BOTH,
    by_columns: bool = False,
    parts: int = 1,
    accumulates: bool = True,
    device: Any = None,
    table: Array = TABLE,
    hidden: Array = HIDDEN,
    anchored: bool = False,
    **more: Any,
) -> tuple[Any, dict[str, Array]]:
    """A session after three steps, and its weights: rows of the table, tanh of a layer, and the
    product with the table again.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    kind = {"i": "INT32", "u": "UINT32"}[indices.dtype.kind]
    i = builder.addInputTensor(kind, [indices.shape[-1]], "i")
    t = builder.addInputTensor("INT32", [labels.shape[-1]], "t")
    w = builder.addInitializedInputTensor(np.array(table.T if by_columns else table), "w")
    h = builder.addInitializedInputTensor(hidden, "h")
    turned = builder.aiOnnx.transpose([w])
    rows, columns = (turned, w) if by_columns else (w, turned)
    x = builder.aiOnnx.gather([rows, i])
    y = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, h])])
    z = builder.aiOnnx.matmul([y, columns])
    if parts > 1:
        builder.setSerializeMatMul({z}, "output_channels", parts, True)
    p = builder.aiOnnx.softmax([z], axis=1)
    loss = builder.aiGraphcore.nllloss([p, t], reduction=ReductionType.Mean)
    options = popir.SessionOptions(enableGradientAccumulation=accumulates, **more)
    if accumulates:
        options.accumulationFactor = FACTOR
    chosen = popir.Patterns()
    for name in patterns:
        chosen.enablePattern(name, True)
    anchors = [loss, *(["Gradient___w"] if anchored else [])]
    session = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, anchors), loss, OPTIMIZERS[optimizer]()),
        device or popir.DeviceManager().createCpuDevice(),
        userOptions=options,
        patterns=chosen,
    )
    session.prepareDevice()
    for step in range(3):
        data = {"i": indices[step], "t": labels[step]}
        session.run(popir.PyStepIO(data, session.initAnchorArrays()))
    session.weightsToHost()
    found = {id: np.empty(session.getInfo(id).shape(), np.float32) for id in ("w", "h")}
    session.readWeights(popir.PyWeightsIO(found))
    return session, {**found, "w": found["w"].T if by_columns else found["w"]}


def by_torch(indices: Array, labels: Array, optimizer: str, mean: bool) -> dict[str, Array]:
    w, h = (torch.nn.Parameter(torch.tensor(each)) for each in (TABLE, HIDDEN))
    momentum = 0.9 if optimizer == "momentum" else 0.0
    sgd = torch.optim.SGD([w, h], lr=0.1, momentum=momentum)
    batches = indices[0].size // COUNT
    for step in range(3):
        sgd.zero_grad()
        rows = indices[step].astype(np.int64).reshape(-1, COUNT) % ROWS
        for i, t in zip(rows, labels[step].reshape(-1, COUNT), strict=True):
            scores = torch.tanh(w[torch.tensor(i)] @ h) @ w.T
            loss = torch.nn.functional.cross_entropy(scores, torch.tensor(t.astype(np.int64)))
            (loss / batches if mean else loss).backward()
        sgd.step()
    return {"w": w.detach().numpy(), "h": h.detach().numpy()}


def drawn(kind: type, *between: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    shape = (3, FACTOR, *between, COUNT)
    first = -ROWS if kind is np.int32 else 0
    indices = rng.integers(first, ROWS, shape).astype(kind)
    return indices, rng.integers(0, ROWS, shape).astype(np.int32)


def count(session: Any, type: str) -> int:
    return sum(op.opid.type == type for op in session.graph.ops.values())


@pytest.mark.parametrize(
    ("kind", "by_columns", "parts", "optimizer", "mean", "strategy"),
    [
        (np.int32, False, 1, "plain", True, RUNNING),
        (np.int32, True, 4, "plain", True, RUNNING),
        (np.uint32, True, 1, "plain", True, MeanReductionStrategy.Post),
        (np.uint32, False, 4, "plain", False, MeanReductionStrategy.Post),
        (np.int32, False, 4, "momentum", False, MeanReductionStrategy.Post),
        (np.uint32, True, 4, "momentum", True, RUNNING),
    ],
)
def test_training_is_pytorchs(
    kind: type, by_columns: bool, parts: int, optimizer: str, mean: bool, strategy: Any
) -> None:
    indices, labels = drawn(kind)
    options: dict[str, Any] = {"accumulationAndReplicationReductionType": ReductionType.Sum}
    if mean:
        options["accumulationAndReplicationReductionType"] = ReductionType.Mean
        options["meanAccumulationAndReplicationReductionStrategy"] = strategy
    session, found = trained(
        indices, labels, optimizer, by_columns=by_columns, parts=parts, **options
    )
    assert count(session, "PopartTiedGather") == count(session, "PopartSparseAccumulate") == parts
    assert count(session, "Gather") == count(session, "TiedGatherGrad") == 0
    for id, expected in by_torch(indices, labels, optimizer, mean).items():
        np.testing.assert_allclose(found[id], expected, rtol=1e-5, atol=1e-6)


def test_replicas_add_what_they_accumulated() -> None:
    indices, labels = drawn(np.int32, 2)
    options: dict[str, Any] = {"enableReplicatedGraphs": True, "replicatedGraphCount": 2}
    session, found = trained(indices, labels, parts=4, **options)
    assert count(session, "PopartSparseAccumulate") == 4
    for id, expected in by_torch(indices, labels, "plain", mean=False).items():
        np.testing.assert_allclose(found[id], expected, rtol=1e-5, atol=1e-6)


def test_an_accumulator_off_chip_is_stored_after_the_last_row() -> None:
    indices, labels = drawn(np.int32)
    plain = trained(indices, labels, parts=4)[1]
    away = popir.TensorLocationSettings(popir.TensorLocation(popir.TensorStorage.OffChip), 0)
    options: dict[str, Any] = {
        "accumulatorTensorLocationSettings": away,
        "weightTensorLocationSettings": away,
    }
    session, found = trained(indices, labels, parts=4, **options)
    assert count(session, "RemoteStore") > 0
    assert all(np.array_equal(found[id], plain[id]) for id in plain)


def test_a_sharded_accumulator_stays_whole() -> None:
    indices, labels = drawn(np.int32, 2)
    plain: dict[str, Any] = {"enableReplicatedGraphs": True, "replicatedGraphCount": 2}
    expected = trained(indices, labels, **plain)[1]
    on = popir.TensorLocation(replicatedTensorSharding=popir.ReplicatedTensorSharding.On)
    sharded = popir.TensorLocationSettings(on, 0, 0)
    kinds = ("weight", "optimizerState", "accumulator")
    more: dict[str, Any] = {f"{kind}TensorLocationSettings": sharded for kind in kinds}
    session, found = trained(indices, labels, **plain, **more)
    why = {d.where: d.reason for d in session.decisions if d.what == "replicated tensor sharding"}
    assert why["w"] is None
    assert "SparseAccumulate" in why["Accum___w"]
    for id in expected:
        np.testing.assert_allclose(found[id], expected[id], rtol=1e-5, atol=1e-6)


def test_the_gradient_alone_is_summed_without_the_second_pattern() -> None:
    indices, labels = drawn(np.int32)
    session, found = trained(indices, labels, parts=4, patterns=BOTH[:1])
    assert (count(session, "TiedGatherGrad"), count(session, "PopartSparseAccumulate")) == (4, 0)
    for id, expected in by_torch(indices, labels, "plain", mean=False).items():
        np.testing.assert_allclose(found[id], expected, rtol=1e-5, atol=1e-6)


def reasons(session: Any, pattern: str) -> list[str | None]:
    return [decision.reason for decision in session.decisions if decision.what == pattern]


def test_why_they_leave_an_operator() -> None:
    indices, labels = drawn(np.int32)
    session, _ = trained(indices[:, 0], labels[:, 0], accumulates=False)
    assert reasons(session, "TiedGather") == ["gradients are not accumulated"]
    session, found = trained(indices, labels, anchored=True)
    ((why),) = reasons(session, "TiedGatherAccumulate")
    assert why is not None and "'Gradient___w' is kept" in why
    for id, expected in by_torch(indices, labels, "plain", mean=False).items():
        np.testing.assert_allclose(found[id], expected, rtol=1e-5, atol=1e-6)
    twice: dict[str, Any] = {"enableReplicatedGraphs": True, "replicatedGraphCount": 2}
    session, _ = trained(*drawn(np.int32, 2), "momentum", **twice)
    ((why),) = reasons(session, "TiedGatherAccumulate")
    assert why is not None and "ReplicatedAllReduce" in why


def test_no_gradient_of_the_size_of_the_table_is_made() -> None:
    rng = np.random.default_rng(5)
    table, hidden = floats(4000, 16, seed=6), floats(16, 16, seed=7)
    shape = (3, FACTOR, COUNT)
    indices, labels = (rng.integers(0, 4000, shape).astype(np.int32) for _ in range(2))
    arenas, cycles, large = [], [], []
    for patterns in ((), BOTH):
        device = popir.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 64})
        session, _ = trained(
            indices, labels, patterns=patterns, device=device, table=table, hidden=hidden
        )
        arenas.append(session._engine.arenaBytes())
        cycles.append(session.getReport().cycles)
        large.append(
            {
                op.plainType()
                for op in session.graph.ops.values()
                if any(op.outInfo(i).nelms() == table.size for i in op.output)
            }
        )
    assert arenas[1] < arenas[0]
    assert cycles[1] < cycles[0]
    assert large[0] - large[1] == {"GatherGrad", "Sum"}


def test_popart_knows_the_operators_by_their_names() -> None:
    session, _ = trained(
        *drawn(np.int32), accumulationAndReplicationReductionType=ReductionType.Mean
    )
    (ops,) = json.loads(session._serializeIr()).values()
    matmuls = [op for op in ops if op["type"] == "MatMul"]
    passes = sorted(op["attributes"]["fully_connected_pass"] for op in matmuls)
    assert passes == ["-1", "0"]  # the tied one is planned by itself


def test_stages_do_not_add_to_one_running_mean() -> None:
    """The Gather of the last stage adds behind the product there, that of the first stage last."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    i = builder.addInputTensor("INT32", [COUNT], "i")
    t = builder.addInputTensor("INT32", [COUNT], "t")
    w = builder.addInitializedInputTensor(np.array(TABLE), "w")
    h = builder.addInitializedInputTensor(HIDDEN, "h")
    with builder.virtualGraph(0), builder.pipelineStage(0):
        x = builder.aiOnnx.tanh([builder.aiOnnx.gather([w, i])])
    with builder.virtualGraph(1), builder.pipelineStage(1):
        y = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, h])])
    with builder.virtualGraph(0), builder.pipelineStage(2):
        y = builder.aiOnnx.add([y, builder.aiOnnx.gather([w, t])])
        z = builder.aiOnnx.matmul([y, builder.aiOnnx.transpose([w])])
        p = builder.aiOnnx.softmax([z], axis=1)
        loss = builder.aiGraphcore.nllloss([p, t], reduction=ReductionType.Mean)
    options = popir.SessionOptions(
        enableGradientAccumulation=True,
        accumulationFactor=6,
        enablePipelining=True,
        virtualGraphMode=popir.VirtualGraphMode.Manual,
        accumulationAndReplicationReductionType=ReductionType.Mean,
        meanAccumulationAndReplicationReductionStrategy=RUNNING,
    )
    chosen = popir.Patterns()
    for name in BOTH:
        chosen.enablePattern(name, True)
    said = r"running mean in the pipeline stage 4, and Op\(.*Accumulate:.* in stage 2, .*Post"
    with pytest.raises(popir.popart_exception, match=said):
        popir.TrainingSession(
            *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, popir.ConstSGD(0.1)),
            popir.DeviceManager().createIpuModelDevice({"numIPUs": 2}),
            userOptions=options,
            patterns=chosen,
        ).prepareDevice()
