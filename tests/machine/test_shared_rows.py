"""Rows that several tiles have parts of: softmax, indices of extrema, poolings of a whole field."""

import numpy as np
import pytest

import popir
from popir._device import ext, popnn, popops
from popir.profile import MachineReport
from tests.machine.net import CALL, FLOAT, SYNC, Net, parts

TILES = 1472


def softmax(rows: int, columns: int, *tiles: int) -> MachineReport:
    net = Net()
    ext.softmax(net.graph, net.input("a", [rows, columns], *tiles), net.prog)
    return net.report()


def test_a_row_on_four_tiles_is_reduced_between_them_twice():
    """Each computes on a fourth. Tile 0 gets three partial maxima, then sums, one a worker:
    6 (16 + 3 + 5 + 2) and 6 (16 + 3 + 5 + 3); the others get what it makes of them.
    """
    part = softmax(1, 1000, 0)
    report = softmax(1, 4000, 0, 1, 2, 3)
    assert report.computeCycles == part.computeCycles + 156 + 162
    assert report.exchangeBytes == 2 * (3 * 4 + 3 * 4)
    assert report.syncCycles == 6 * CALL + 2 * (SYNC + CALL + SYNC)


def test_rows_enough_for_all_tiles_stay_whole():
    assert softmax(4, 1000, 0, 1, 2, 3).exchangeBytes == 0


def inference(shape: list[int], function: str, **attributes: object) -> MachineReport:
    """One operator on a float tensor, on an ipu2."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", shape, "x")
    y = getattr(builder.aiOnnx, function)([x], **attributes)
    builder.addOutputTensor(y)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [y]),
        popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice(loadEngine=False)
    return session.getReport()


@pytest.mark.parametrize("function", ["softmax", "logsoftmax"])
def test_a_row_over_all_tiles_takes_little_more_than_its_parts(function: str):
    """262,144 elements, 178 on a tile; a whole row of them on one tile takes 1.8 million cycles."""
    whole = inference([1, 262144], function, axis=1)
    parts_alone = inference([TILES, 178], function, axis=1)
    assert parts_alone.computeCycles < whole.computeCycles < 2 * parts_alone.computeCycles
    assert whole.exchangeBytes > parts_alone.exchangeBytes == 0


def test_elements_are_spread_whatever_row_they_are_of():
    """Of two rows of 1,536 on four tiles each has 768, half a row. A tile's six workers take 128
    each, 9 + 6 (30 + 3 127), and leave six partial results. Then a worker takes the 12 of a row,
    another tile's the other's: 6 (27 + 3 11). Both results live on tile 0: one moves, a span.
    """
    net = Net()
    popnn.argMax(net.graph, net.input("a", [2, 1536], 0, 1, 2, 3), net.prog)
    report = net.report()
    assert report.computeCycles == 9 + 6 * (30 + 3 * 127) + 6 * (27 + 3 * 11)
    assert report.exchangeCycles == 12 * 8 // 4 + 3
    assert report.syncCycles == 2 * (SYNC + CALL)


def test_a_short_row_is_on_fewer_tiles():
    """400 elements, 192 at least on a tile: three tiles have 134, in five pieces of 32 or less."""
    net = Net()
    popnn.argMax(net.graph, net.input("a", [1, 400], 0), net.prog)
    compute = 9 + 6 * (30 + 3 * 31) + 6 * (27 + 3 * 14)
    assert parts(net.report())[0] == compute


def pooled(kind: popnn.PoolingType, field: list[int], kernel: list[int]) -> Net:
    net = Net()
    images = net.input("images", [4, 16, *field], 0, 1, 2, 3)
    params = popnn.pooling.PoolParams(kind, field, kernel, [1, 1], [0, 0], [0, 0], 16, 4, FLOAT)
    popnn.pooling.pool(net.graph, params, images, net.prog)
    return net


@pytest.mark.parametrize(
    ("kind", "op"),
    [
        (popnn.PoolingType.MAX, popops.Operation.MAX),
        (popnn.PoolingType.SUM, popops.Operation.ADD),
        (popnn.PoolingType.AVG, popops.Operation.ADD),
    ],
)
def test_a_window_of_the_whole_field_is_a_reduction(kind: popnn.PoolingType, op: popops.Operation):
    report = pooled(kind, [12, 10], [12, 10]).report()
    assert [row.vertexClass for row in report.operations] == ["popops::Reduce"]
    net = Net()
    images = net.input("images", [4, 16, 12, 10], 0, 1, 2, 3)
    out = net.graph.addVariable(FLOAT, [4, 16], "out")
    net.map(out, 0, 1, 2, 3)
    popops.reduceWithOutput(net.graph, images, out, [2, 3], popops.ReduceParams(op), net.prog)
    assert parts(report) == parts(net.report())


def test_any_other_window_is_a_pooling():
    report = pooled(popnn.PoolingType.AVG, [12, 10], [12, 9]).report()
    assert [row.vertexClass for row in report.operations] == ["popnn::SumPooling"]


def test_the_gradient_of_a_maximum_over_the_field_meets_one_window():
    """A point is in one window, so a vertex skips all kernel elements but those of its own points:
    it took 3.2 million cycles with all of them.
    """
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInitializedInputTensor(np.zeros((4, 32, 56, 56), np.float32))
    y = builder.aiOnnx.globalmaxpool([x])
    loss = builder.aiGraphcore.l1loss([y], 0.1)
    session = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, []),
        loss,
        popir.ConstSGD(0.1),
        popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice(loadEngine=False)
    (gradient,) = (
        row
        for row in session.getReport().operations
        if row.vertexClass == "popnn::MaxPoolingGradient"
    )
    points = 4 * 32 * 56 * 56 / TILES
    assert points < gradient.computeCycles < 12 * points
