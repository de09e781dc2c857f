"""Patterns in C++ that run when the updates of the weights are there, against PyTorch."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir import AdamMode, MeanReductionStrategy, ReductionType, SGDAccumulatorAndMomentum
from tests.models import Array
from tests.patterns import test_tied_gather as tied
from tests.popart.conftest import Library
from tests.popart.libraries import isolated
from tests.popart.test_cpp_patterns import Lines

BOTH = ("HideRows", "HandOver")
ADAM = {"defaultLearningRate": 0.05, "defaultBeta1": 0.8, "defaultBeta2": 0.9, "defaultEps": 1e-6}


def numbers(values: dict[str, float], is_const: bool = False) -> dict[str, tuple[float, bool]]:
    return {name: (value, is_const) for name, value in values.items()}


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    **tied.OPTIMIZERS,
    "dampened": lambda: popir.SGD(numbers({**tied.MOMENTUM, "defaultDampening": 0.4}, True)),
    "separate": lambda: popir.SGD(
        numbers(tied.MOMENTUM), accumulatorAndMomentum=SGDAccumulatorAndMomentum.Separate
    ),
    "adam": lambda: popir.Adam(numbers(ADAM)),
    "lamb": lambda: popir.Adam(
        numbers({**ADAM, "defaultWeightDecay": 0.1}, True), mode=AdamMode.LambNoBias
    ),
    "adagrad": lambda: popir.Adaptive(
        numbers({"defaultLearningRate": 0.05, "defaultEps": 1e-6}), mode=popir.AdaptiveMode.AdaGrad
    ),
}
POST: dict[str, Any] = {"accumulationAndReplicationReductionType": ReductionType.Mean}
SUM: dict[str, Any] = {"accumulationAndReplicationReductionType": ReductionType.Sum}
RUNNING: dict[str, Any] = {
    **POST,
    "meanAccumulationAndReplicationReductionStrategy": MeanReductionStrategy.Running,
}
REDUCTIONS: dict[str, dict[str, Any]] = {"sum": SUM, "post": POST, "running": RUNNING}
CASES = [
    ("plain", "sum", False, 1),
    ("plain", "running", True, 4),
    ("momentum", "running", True, 1),
    ("momentum", "sum", False, 4),
    ("momentum", "sum", True, 1),
    ("dampened", "sum", True, 4),
    ("separate", "post", False, 1),
    ("adam", "post", True, 4),
    ("adam", "running", False, 1),
    ("lamb", "running", True, 4),
    ("lamb", "sum", False, 1),
    ("adagrad", "post", True, 1),
]


def lamb(weights: list[Any]) -> Callable[[], None]:
    """LAMB without a correction of the bias, by its formulas."""
    moments = [(torch.zeros_like(w), torch.zeros_like(w)) for w in weights]

    def step() -> None:
        for w, (m, v) in zip(weights, moments, strict=True):
            with torch.no_grad():
                m.mul_(0.8).add_(w.grad, alpha=1 - 0.8)
                v.mul_(0.9).addcmul_(w.grad, w.grad, value=1 - 0.9)
                move = m / (v.sqrt() + 1e-6) + 0.1 * w
                w -= 0.05 * min(w.norm(), torch.tensor(10.0)) / move.norm() * move

    return step


def steps(kind: str, weights: list[Any]) -> Callable[[], Any]:
    if kind == "lamb":
        return lamb(weights)
    if kind == "adam":
        return torch.optim.Adam(weights, lr=0.05, betas=(0.8, 0.9), eps=1e-6).step
    if kind == "adagrad":
        return torch.optim.Adagrad(weights, lr=0.05, eps=1e-6).step
    damped = 0.4 if kind == "dampened" else 0.0
    momentum = 0.0 if kind == "plain" else 0.9
    made = torch.optim.SGD(weights, lr=0.1, momentum=momentum, dampening=damped)
    return made.step


def by_torch(indices: Array, labels: Array, kind: str, mean: bool) -> dict[str, Array]:
    w, h = (torch.nn.Parameter(torch.tensor(each)) for each in (tied.TABLE, tied.HIDDEN))
    step = steps(kind, [w, h])
    if kind == "dampened":  # PopART dampens the first gradient too; PyTorch takes it as it is.
        step = dampened([w, h])
    batches = indices[0].size // tied.COUNT
    for i in range(3):
        w.grad = h.grad = None
        rows = indices[i].astype(np.int64).reshape(-1, tied.COUNT)
        for at, t in zip(rows, labels[i].reshape(-1, tied.COUNT), strict=True):
            scores = torch.tanh(w[torch.tensor(at)] @ h) @ w.T
            loss = torch.nn.functional.cross_entropy(scores, torch.tensor(t.astype(np.int64)))
            (loss / batches if mean else loss).backward()
        step()
    return {"w": w.detach().numpy(), "h": h.detach().numpy()}


def dampened(weights: list[Any]) -> Callable[[], None]:
    velocities = [torch.zeros_like(w) for w in weights]

    def step() -> None:
        for w, v in zip(weights, velocities, strict=True):
            with torch.no_grad():
                v.mul_(0.9).add_(w.grad, alpha=1 - 0.4)
                w -= 0.1 * v

    return step


def data(*between: int) -> tuple[Array, Array]:
    """Indices of which none is negative: those of PopART's are not."""
    indices, labels = tied.drawn(np.uint32, *between)
    return indices, labels


def check_training(library: str, replicas: str) -> None:
    ctypes.CDLL(library)
    tied.OPTIMIZERS.update(OPTIMIZERS)
    count = int(replicas)
    device = popir.DeviceManager().createIpuModelDevice({"numIPUs": count}) if count > 1 else None
    more: dict[str, Any] = {"enableReplicatedGraphs": True, "replicatedGraphCount": count}
    indices, labels = data(*([count] if count > 1 else []))
    for optimizer, reduction, by_columns, parts in CASES:
        options = {**REDUCTIONS[reduction], **(more if count > 1 else {})}
        session, found = tied.trained(
            *(indices, labels, optimizer, BOTH, by_columns, parts),
            device=device,
            **options,
        )
        case = f"{optimizer} {reduction} {by_columns} {parts}"
        types = [op.opid.type for op in session.graph.ops.values()]
        assert types.count("Rows") == types.count("PopartSparseAccumulate") == parts, case
        assert not {"GatherGrad", "TransposeInplace", "Concat"} & {*types}, case
        assert sum("VarUpdate" in type for type in types) == 2, case
        for id, expected in by_torch(indices, labels, optimizer, reduction != "sum").items():
            np.testing.assert_allclose(found[id], expected, rtol=2e-5, atol=2e-6, err_msg=case)


@pytest.mark.parametrize("replicas", ["1", "2"])
def test_rows_are_added_to_what_is_accumulated(
    replicas: str, library: Library, tmp_path: Path
) -> None:
    isolated(check_training, library("updates"), replicas, cwd=tmp_path)


def refused(patterns: tuple[str, ...], **more: Any) -> str:
    with pytest.raises(popir.popart_exception) as caught:
        tied.trained(*data(), "plain", patterns, **more)
    return str(caught.value)


def check_refusals(library: str) -> None:
    ctypes.CDLL(library)
    said = refused(("HideRows",))
    assert re.search(r"GatherGrad.* is not pruneable.*none has.* would be lost", said), said
    said = refused(("HandOver", "HideRows", "Meddle"), parts=4)
    assert re.search(
        "One of the patterns HandOver, Meddle has removed a part of the update of 'w'", said
    ), said


def test_what_is_refused(library: Library, tmp_path: Path) -> None:
    isolated(check_refusals, library("updates"), cwd=tmp_path)


SEEN = {
    "plain": {
        "Accumulate Add constant of Accum___w, each batch",
        "SGD0VarUpdate of w, once",
        "AccumulatorZero of Accum___w/summed, once",
    },
    "momentum": {
        "Accumulate DampenedAdd input of Accl___w, each batch",
        "SGD1VarUpdate of w, once",
    },
    "separate": {
        "Accumulate Add constant of Accum___w, each batch",
        "SGD2VarUpdate of w, once",
    },
    "adam": {
        "Accumulate Add constant of Accum___w, each batch",
        "AdamVarUpdate of w, once",
    },
    "lamb": {
        "Accumulate Add constant of Accum___w, each batch",
        "AdamVarUpdate of w, once",
    },
    "adagrad": {
        "Accumulate Add constant of Accum___w, each batch",
        "ScaledVarUpdate of w, once",
    },
}


def check_classes(library: str) -> None:
    ctypes.CDLL(library)
    tied.OPTIMIZERS.update(OPTIMIZERS)
    for optimizer, expected in SEEN.items():
        log = Lines()
        session, _ = tied.trained(*data(), optimizer, ("LookAround",), **SUM)
        assert expected <= {*log.lines}, (optimizer, log.lines)
        types = [op.opid.type for op in session.graph.ops.values()]
        assert "PopartSparseAccumulate" not in types
    log = Lines()
    indices, labels = data()
    tied.trained(indices[:, 0], labels[:, 0], "plain", ("LookAround",), accumulates=False)
    assert "SGD0VarUpdate of w, each batch" in log.lines
    log = Lines()
    tied.trained(*data(), "plain", ("LookAround",), **RUNNING)
    assert "Accumulate Mean input of Accum___w, each batch" in log.lines


def test_updates_have_popart_classes(library: Library, tmp_path: Path) -> None:
    isolated(check_classes, library("updates"), cwd=tmp_path)


def pipelined(indices: Array, labels: Array, parts: int, **more: Any) -> Array:
    """The table after three steps, where the Gather is in the first of three stages and the product
    in the last, on one IPU.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    i = builder.addInputTensor("UINT32", [tied.COUNT], "i")
    t = builder.addInputTensor("INT32", [tied.COUNT], "t")
    w = builder.addInitializedInputTensor(np.array(tied.TABLE.T), "w")
    h = builder.addInitializedInputTensor(tied.HIDDEN, "h")
    with builder.virtualGraph(0), builder.pipelineStage(0):
        x = builder.aiOnnx.gather([builder.aiOnnx.transpose([w]), i])
    with builder.virtualGraph(1), builder.pipelineStage(1):
        y = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, h])])
    with builder.virtualGraph(0), builder.pipelineStage(2):
        z = builder.aiOnnx.matmul([y, w])
        p = builder.aiOnnx.softmax([z], axis=1)
        loss = builder.aiGraphcore.nllloss([p, t], reduction=ReductionType.Mean)
    if parts > 1:
        builder.setSerializeMatMul({z}, "output_channels", parts, True)
    options = popir.SessionOptions(
        enableGradientAccumulation=True,
        accumulationFactor=indices.shape[1],
        enablePipelining=True,
        virtualGraphMode=popir.VirtualGraphMode.Manual,
        **more,
    )
    chosen = popir.Patterns()
    for name in BOTH:
        chosen.enablePattern(name, True)
    session = popir.TrainingSession(
        *(builder.getModelProto(), popir.DataFlow(1, [loss]), loss, OPTIMIZERS["adam"]()),
        popir.DeviceManager().createIpuModelDevice({"numIPUs": 2}),
        userOptions=options,
        patterns=chosen,
    )
    session.prepareDevice()
    for step in range(3):
        given = {"i": indices[step], "t": labels[step]}
        session.run(popir.PyStepIO(given, session.initAnchorArrays()))
    session.weightsToHost()
    found = {"w": np.empty(tied.TABLE.T.shape, np.float32)}
    session.readWeights(popir.PyWeightsIO(found))
    return found["w"].T


def check_pipeline(library: str) -> None:
    ctypes.CDLL(library)
    rng = np.random.default_rng(8)
    indices = rng.integers(0, tied.ROWS, (3, 6, tied.COUNT)).astype(np.uint32)
    labels = rng.integers(0, tied.ROWS, indices.shape).astype(np.int32)
    expected = by_torch(indices, labels, "adam", mean=True)["w"]
    for parts in (1, 4):
        found = pipelined(indices, labels, parts, **POST)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    with pytest.raises(popir.popart_exception, match=r"running mean.*MeanReductionStrategy.Post"):
        pipelined(indices, labels, 1, **RUNNING)


def test_stages_add_to_one_sum(library: Library, tmp_path: Path) -> None:
    isolated(check_pipeline, library("updates"), cwd=tmp_path)
