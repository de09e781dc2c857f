"""Constants of losses on tiles, and the ones and zeros that a loss of classes selects with.

Expected are those that PopART's lowerings add: its sources (graphcore/popart, gradgrowerloss.cpp,
nllx.cpp, softmaxx.cpp and l1x.cpp of willow) were read for each row, in bytes by name.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import popir
from popir import ext, poplar
from popir.poplar import FLOAT, HALF, program
from popir.profile import MachineReport
from tests.machine.net import Net


def constants(report: MachineReport) -> Counter[tuple[str, int]]:
    """The constants on tiles: how many of each name, without what is before it, and bytes."""
    return Counter(
        (v.name.rpartition("/")[2], v.bytes) for v in report.variables if v.category == "constants"
    )


def training(
    loss_of: Callable[[popir.Builder, str], str], **settings: tuple[float, bool]
) -> MachineReport:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [4, 8], "x")
    w = builder.addInitializedInputTensor(np.ones((8, 8), np.float32), "w")
    loss = loss_of(builder, builder.aiOnnx.matmul([x, w]))
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        loss,
        popir.SGD({"defaultLearningRate": (0.1, True), **settings}),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
    )
    session.prepareDevice(loadEngine=False)
    return session.getReport()


def started(report: MachineReport) -> list[tuple[str, int]]:
    """What the gradient of the loss starts from, and its bytes."""
    return [(v.category, v.bytes) for v in report.variables if v.name.startswith("Gradient___")]


def test_the_start_of_the_gradient_is_a_constant_on_a_tile() -> None:
    report = training(lambda b, y: b.aiGraphcore.l1loss([y], 0.1))
    assert ("constants", 4) in started(report)
    on_tiles = next(m for m in report.memory if m.category == "constants")
    # With it the factors of the loss and of its gradient, of 4 bytes each.
    assert on_tiles.totalBytes == 3 * 4 and max(on_tiles.tileBytes) <= 3 * 4
    assert constants(report)["scale", 4] == 2


def test_a_start_that_changes_is_no_constant() -> None:
    report = training(lambda b, y: b.aiGraphcore.l1loss([y], 0.1), lossScaling=(8.0, False))
    assert ("constants", 4) not in started(report)
    assert constants(report)["scale", 4] == 2


def nll(kind: str, dtype: poplar.Type, reduction: str, logs: bool, ignores: bool) -> MachineReport:
    net = Net(4)
    p = net.input("p", [6, 8], 1, dtype=dtype)
    labels = net.input("labels", [6], 1, dtype=poplar.INT)
    params = ext.NllParams()
    params.reduction = getattr(ext.LossReduction, reduction)
    params.inputIsLogProbability = logs
    params.hasIgnoreIndex, params.ignoreIndex = ignores, -1
    if kind == "nllLoss":
        ext.nllLoss(net.graph, p, labels, params, net.prog)
    else:
        g = net.input("g", [6] if reduction == "None_" else [], 1)
        getattr(ext, kind)(net.graph, g, p, labels, params, net.prog)
    return net.report()


@pytest.mark.parametrize(
    ("kind", "dtype", "reduction", "logs", "ignores", "expected"),
    [
        ("nllLoss", FLOAT, "Mean", False, False, {("epsilon", 4): 1, ("scale", 4): 1}),
        ("nllLoss", HALF, "Sum", False, False, {("epsilon", 2): 1, ("scale", 4): 1}),
        ("nllLoss", FLOAT, "Sum", True, False, {("scale", 4): 1}),
        ("nllLoss", FLOAT, "None_", True, False, {}),
        ("nllLoss", FLOAT, "None_", False, True, {("epsilon", 4): 1, ("ignoreIndex", 4): 1}),
        (
            "nllLoss",
            HALF,
            "Mean",
            False,
            True,
            {
                ("epsilon", 2): 1,
                ("ignoreIndex", 4): 2,
                ("one", 2): 1,
                ("leastCount", 2): 1,
                ("scale", 4): 1,
            },
        ),
        ("nllLossGrad", FLOAT, "Sum", False, False, {("epsilon", 4): 1}),
        ("nllLossGrad", HALF, "Mean", False, False, {("epsilon", 2): 1, ("count", 2): 1}),
        (
            "nllLossGrad",
            FLOAT,
            "Mean",
            True,
            True,
            {("ignoreIndex", 4): 1, ("leastCount", 4): 1},
        ),
        ("nllSoftmaxGrad", FLOAT, "Sum", False, False, {}),
        ("nllSoftmaxGrad", FLOAT, "Mean", False, False, {("count", 4): 1}),
    ],
)
def test_a_loss_of_classes_has_its_constants(
    kind: str,
    dtype: poplar.Type,
    reduction: str,
    logs: bool,
    ignores: bool,
    expected: dict[tuple[str, int], int],
) -> None:
    report = nll(kind, dtype, reduction, logs, ignores)
    assert constants(report) == Counter(expected)
    memory = next(m for m in report.memory if m.category == "constants")
    assert memory.totalBytes == sum(size * n for (_, size), n in expected.items())


@pytest.mark.parametrize("reduction", ["Mean", "None_"])
@pytest.mark.parametrize("dtype", [FLOAT, HALF])
def test_ones_and_zeros_are_as_large_as_the_probabilities(
    dtype: poplar.Type, reduction: str
) -> None:
    """PopART clones the probabilities for them, and leaves a number for each row."""
    report = nll("nllLoss", dtype, reduction, False, False)
    gathered = next(m for m in report.memory if m.category == "gathered operands")
    assert list(gathered.tileBytes)[1] == (6 * 8 + 6) * dtype.sizeInBytes()


def test_a_gradient_is_made_where_its_ones_and_zeros_are() -> None:
    report = nll("nllLossGrad", FLOAT, "Sum", False, False)
    gathered = next(m for m in report.memory if m.category == "gathered operands")
    assert sum(gathered.tileBytes) == 0


def test_constants_of_losses_are_in_a_saved_program() -> None:
    net = Net(4)
    p, labels = net.input("p", [6, 8], 1), net.input("labels", [6], 1, dtype=poplar.INT)
    loss = ext.nllLoss(net.graph, p, labels, ext.NllParams(), net.prog)
    net.graph.createHostRead("loss", loss)
    grown = poplar.Engine(net.graph, program.Sequence([net.prog]))
    data = poplar.compileGraph(net.graph, [program.Sequence([net.prog])]).serialize()
    loaded = poplar.Engine(poplar.Executable.deserialize(data))
    assert loaded.machineReport() == grown.machineReport()
    assert ("epsilon", 4) in constants(MachineReport.of(loaded))
