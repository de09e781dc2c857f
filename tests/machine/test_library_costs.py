"""What library functions cost: reductions in two stages; every function has an estimator."""

import numpy as np
import pytest

import popir
from popir import poplar
from popir._device import ext, machine, popnn, popops, poprand
from popir.poplar import program
from tests.machine.net import CALL, FLOAT, SYNC, Net, parts
from tests.machine.test_estimators import KINDS, op

ADD = popops.ReduceParams(popops.Operation.ADD)


def reduced(net: Net, t, shape: list[int], dims: list[int], *tiles: int) -> None:
    out = net.graph.addVariable(FLOAT, shape, "out")
    net.map(out, *tiles)
    popops.reduceWithOutput(net.graph, t, out, dims, ADD, net.prog)


def test_rows_that_lie_on_the_tile_of_their_sum_need_one_stage():
    """4 rows of 100 on each of two tiles, one a worker: 6 (17 + 12 + 50)."""
    net = Net()
    reduced(net, net.input("a", [8, 100], 0, 1), [8], [1], 0, 1)
    assert parts(net.report()) == (474, 0, CALL)


def test_rows_that_lie_elsewhere_are_added_up_where_they_lie():
    """As above; then tile 0 receives the four sums of tile 1, not its 400 elements."""
    net = Net()
    reduced(net, net.input("a", [8, 100], 0, 1), [8], [1], 0)
    report = net.report()
    assert parts(report)[:2] == (474, 4)
    assert report.exchangeBytes == 16


def test_a_sum_over_four_tiles_needs_two_stages():
    """Six workers share 1,000 elements, 167 each, an odd number: 6 (17 + 2 + 12 + 83).

    Then four partial sums, of which tile 0 receives three, one a worker: 6 (16 + 3 + 5 + 3).
    """
    net = Net()
    reduced(net, net.input("a", [4000], 0, 1, 2, 3), [], [0], 0)
    report = net.report()
    assert parts(report) == (684 + 162, 3, SYNC + 2 * CALL)
    assert report.exchangeBytes == 12


def test_sums_of_columns_over_four_tiles():
    """100 rows of 4 vectors on a tile, one a worker: 6 (16 + 11 + 99).

    Then four partial sums of 8 columns, of which tile 0 receives three: 6 (16 + 11 + 3).
    """
    net = Net()
    reduced(net, net.input("a", [400, 8], 0, 1, 2, 3), [8], [0], 0)
    assert parts(net.report()) == (756 + 180, 3 * 8, SYNC + 2 * CALL)


def test_a_softmax_counts_the_phases_of_its_steps():
    """60 rows of 100 on one tile: the golden value of popnn::Softmax."""
    net = Net()
    ext.softmax(net.graph, net.input("a", [60, 100], 0), net.prog)
    assert parts(net.report()) == (39686, 0, 6 * CALL)


def test_a_second_result_goes_to_where_it_lives():
    """Indices of 4 maxima, a row on each tile; the maxima of all live on tile 3. Before, the six
    partial results of each row go to the tile that takes them.
    """
    net = Net()
    a = net.input("a", [4, 192], 0, 1, 2, 3)
    values, indices = popnn.maxAndArgMax(net.graph, a, net.prog)
    net.map(values, 3)
    net.map(indices, 0, 1, 2, 3)
    assert net.report().exchangeBytes == 4 * 6 * 8 + 4 * 3
    net.map(values, 0, 1, 2, 3)
    assert net.report().exchangeBytes == 4 * 6 * 8


def test_a_seed_is_shared_in_proportion_and_written_once():
    """Two words on tile 0 for four tiles: 1, 2 and 3 fetch one each, 2 writes the second back."""
    net = Net()
    reference = net.input("reference", [4000], 0, 1, 2, 3)
    out = poprand.normal(net.graph, None, 0, reference, FLOAT, 0.0, 1.0, net.prog)
    assert [net.graph.getTileMapping(out)[t] for t in range(4)] == [
        [(t * 1000, (t + 1) * 1000)] for t in range(4)
    ]
    report = net.report()
    assert report.computeCycles == 2138  # the golden value of poprand::Normal
    assert report.exchangeBytes == (3 + 1) * 4


@pytest.mark.parametrize("dtype", [FLOAT, poplar.HALF], ids=["float", "half"])
def test_every_library_function_has_an_estimator(dtype):
    net = Net()
    g, prog = net.graph, net.prog
    a = net.input("a", [6, 8], 0, dtype=dtype)
    b = net.input("b", [6, 8], 1, dtype=dtype)
    labels = net.input("labels", [6], 2, dtype=poplar.INT)
    popops.cast(g, a, poplar.INT, prog)
    popops.fill(g, a, prog, 1.0)
    popops.scaledAddTo(g, a, b, 0.5, prog)
    popops.scaledAddTo(g, a, 0.5, b, 0.5, prog)
    popops.reduce(g, a, [0], ADD, prog)
    y = ext.softmax(g, a, prog)
    ext.softmaxGrad(g, y, b, prog)
    z = ext.logSoftmax(g, a, prog)
    ext.logSoftmaxGrad(g, z, b, prog)
    loss = ext.nllLoss(g, y, labels, ext.NllParams(), prog)
    ext.nllLossGrad(g, loss, y, labels, ext.NllParams(), prog)
    ext.nllSoftmaxGrad(g, loss, y, labels, ext.NllParams(), prog)
    rows = net.input("rows", [2, 1], 3, dtype=poplar.UNSIGNED_INT)
    slices = popops.multiSlice(g, a, rows, [0], [1], prog)
    popops.multiUpdate(g, b, slices, rows, [0], [1], prog)
    one = net.input("one", [], 3, dtype=dtype)
    popops.multiUpdateAdd(g, b, slices, rows, one, [0], [1], prog)
    popnn.argMax(g, a, prog)
    popnn.argMin(g, a, prog)
    popops.topK(g, prog, a, popops.TopKParams(3, True, popops.SortOrder.NONE))
    ext.runningSum(g, a, 1, ext.ScanOptions(), prog)
    ext.runningProductGradient(g, a, b, 0, ext.ScanOptions(), prog)
    pooling = popnn.pooling.PoolParams(
        popnn.PoolingType.MAX, [2, 8], [2, 2], [1, 1], [0, 0], [0, 0], 3, 1, dtype
    )
    images = a.reshape([1, 3, 2, 8])
    ext.maxPoolIndices(g, pooling, ext.PoolOptions(), images, False, prog)
    regions, first = b.reshape([12, 4]).slice(0, 6), labels
    pooled = ext.roiPool(g, ext.RoiParams(), regions, first, images, prog)
    ext.roiPoolInputGradient(g, ext.RoiParams(), regions, first, images, pooled, prog)
    for make, *arguments in [
        (poprand.uniform, dtype, 0.0, 1.0),
        (poprand.logUniform, dtype, 1.0, 2.0),
        (poprand.bernoulli, dtype, 0.5),
        (poprand.normal, dtype, 0.0, 1.0),
        (poprand.truncatedNormal, dtype, 0.0, 1.0, 2.0),
    ]:
        make(g, None, 0, a, *arguments, prog)
    poprand.dropout(g, None, 0, a, a, 0.5, 2.0, prog)
    report = net.report()
    assert len(report.operations) == 29
    assert all(row.computeCycles > 0 for row in report.operations)
    assert not any("No estimator" in line for line in report.counts)


def test_costs_grow_with_the_batch_and_memory_stays_the_sum_of_its_categories():
    cycles = []
    for batch in (64, 256, 1024):
        net = Net(tiles=16)
        x = net.graph.addVariable(FLOAT, [batch, 64], poplar.VariableMappingMethod.LINEAR, "x")
        net.graph.createHostWrite("x", x)
        y = ext.softmax(net.graph, x, net.prog)
        popops.reduce(net.graph, y, [0], ADD, net.prog)
        report = net.report(program.Repeat(2, net.prog))
        assert sum(row.cycles for row in report.operations) == report.cycles
        assert sum(m.totalBytes for m in report.memory) == report.totalBytes
        assert sum(m.fullestTileBytes for m in report.memory) == report.maxTileBytes
        cycles.append(report.cycles)
    assert (np.diff(cycles) > 0).all()


def test_slices_of_a_tensor_that_is_made_for_them_do_not_move():
    """6 slices of 1,000 rows of 8 floats on 4 tiles, each with 2 columns of all rows, and an update
    with them. All tiles get the 24 bytes of offsets, and nothing else moves.
    """
    net = Net()
    table = popops.createSliceableTensor(net.graph, FLOAT, [1000, 8], [0], [1])
    net.graph.createHostWrite("table", table)
    offsets = net.graph.addVariable(poplar.UNSIGNED_INT, [6, 1], "offsets")
    net.map(offsets, 0)
    slices = popops.multiSlice(net.graph, table, offsets, [0], [1], net.prog)
    report = net.report()
    assert parts(report) == (6 * (30 + 19 + 2), 24 // 4, SYNC + CALL)
    assert report.exchangeBytes == 4 * 24
    back = program.Sequence()
    popops.multiUpdate(net.graph, table, slices, offsets, [0], [1], back)
    report = net.report(back)
    assert parts(report) == (6 * (29 + 19 + 2), 24 // 4, SYNC + CALL)
    assert report.exchangeBytes == 4 * 24
    # What lies elsewhere moves, and nothing else does.
    net.map(slices, 3)
    assert net.report(back).exchangeBytes == 4 * 24 + 6 * 6 * 4


def test_a_gather_moves_what_it_returns():
    """6 slices of a table of 1,000 rows of 8 floats on 4 tiles: each takes 2 columns of all slices.

    One slice a worker: 6 (30 + 19 + 2). All tiles get the 24 bytes of offsets, then tile 3 gets
    6 * 8 elements, from 4 tiles.
    """
    net = Net()
    table = net.input("table", [1000, 8], 0, 1, 2, 3)
    offsets = net.graph.addVariable(poplar.UNSIGNED_INT, [6, 1], "offsets")
    net.map(offsets, 0)
    out = popops.multiSlice(net.graph, table, offsets, [0], [1], net.prog)
    net.map(out, 3)
    report = net.report()
    assert parts(report) == (306, 24 // 4 + 6 * 8 * 4 // 4, 2 * SYNC + CALL)
    assert report.exchangeBytes == 4 * 24 + 6 * 8 * 4


def test_a_sum_over_many_tiles_takes_a_stage_between():
    """100 partial sums of 16 columns are reduced to 10 each, 8 columns a tile, then by tile 0.

    Of 10 partial sums of 16 columns a worker has two vectors: 6 (16 + 2 (11 + 9)); of 8
    columns one. A tile receives 10 of each of its columns, less what it holds.
    """
    net = Net(100)
    reduced(net, net.input("a", [1000, 16], *range(100)), [16], [0], 0)
    report = net.report()
    assert report.computeCycles == 336 + 216 + 336
    assert 8 * 10 + 16 * 10 - 16 <= report.exchangeCycles <= 8 * 10 + 16 * 10
    assert report.syncCycles == 2 * SYNC + 3 * CALL


@pytest.mark.parametrize("reduction", ["Sum", "Mean"])
def test_the_loss_of_all_samples_is_added_up_where_they_lie(reduction):
    """As much as one tile takes for its 20 samples, then as much as a sum of 64 numbers."""
    tiles, classes = 64, 10

    def loss(*tiles):
        net = Net(64)
        p = net.input("p", [20 * len(tiles), classes], *tiles)
        labels = net.input("labels", [20 * len(tiles)], *tiles, dtype=poplar.INT)
        params = ext.NllParams()
        params.reduction = getattr(ext.LossReduction, reduction)
        ext.nllLoss(net.graph, p, labels, params, net.prog)
        return net.report()

    numbers = Net(tiles)
    reduced(numbers, numbers.input("sums", [tiles], *range(tiles)), [], [0], 0)
    whole, own, rest = loss(*range(tiles)), loss(0), numbers.report()
    assert whole.computeCycles == own.computeCycles + rest.computeCycles
    assert whole.exchangeBytes == rest.exchangeBytes == (tiles - 1) * 4


ROWS = 20


def loss_report(
    reduction: str, *, gradient: bool = False, weighted: bool = False, **more: bool | int
):
    """Of a loss, or of its gradient, of 20 rows on each of 64 tiles."""
    net, tiles = Net(64), range(64)
    p = net.input("p", [ROWS * 64, 10], *tiles)
    labels = net.input("labels", [ROWS * 64], *tiles, dtype=poplar.INT)
    weights = net.input("weights", [10], 0) if weighted else None
    params = ext.NllParams()
    params.reduction = getattr(ext.LossReduction, reduction)
    for name, value in more.items():
        setattr(params, name, value)
    if gradient:
        each = [ROWS * 64] if reduction == "None_" else []
        g = net.input("g", each, *(tiles if each else [0]))
        ext.nllLossGrad(net.graph, g, p, labels, params, net.prog, weights=weights)
    else:
        loss = ext.nllLoss(net.graph, p, labels, params, net.prog, weights=weights)
        net.map(loss, *(tiles if reduction == "None_" else [0]))
    return net.report()


def of_rows(vertex: str, dtype: poplar.Type = FLOAT, *sizes: int) -> int:
    target = poplar.Target.createIPUTarget(1, "ipu2")
    return machine.estimateCycles(target, f"popops::{vertex}", dtype, [ROWS, *sizes])


def test_a_loss_of_each_row_has_no_sum():
    """The sign, which a sum has as its scale, is an operator of its own."""
    each, whole = loss_report("None_"), loss_report("Sum")
    numbers = Net(64)
    reduced(numbers, numbers.input("sums", [64], *range(64)), [], [0], 0)
    own = whole.computeCycles - numbers.report().computeCycles
    negated = of_rows("UnaryOp1DInPlace", FLOAT, op("NEGATE"))
    assert each.computeCycles == own - of_rows("Reduce", FLOAT, 1, ROWS) + negated
    assert each.exchangeBytes == 0 and each.syncCycles == 3 * CALL


def test_a_loss_of_logarithms_takes_none():
    log = of_rows("UnaryOp1DInPlace", FLOAT, op("LOGARITHM"))
    given, taken = (loss_report("Mean", inputIsLogProbability=is_log) for is_log in (True, False))
    assert taken.computeCycles - given.computeCycles == log


@pytest.mark.parametrize("gradient", [False, True])
def test_a_mean_over_what_labels_say_has_a_second_sum(gradient):
    """PopART's steps: labels that are not ignored are ones of the probabilities' type, losses are
    multiplied with them, and their sum, which is added up as the losses' is, divides.
    """
    plain, summed, mean = (
        loss_report(reduction, gradient=gradient, hasIgnoreIndex=is_given)
        for reduction, is_given in (("Mean", False), ("Sum", True), ("Mean", True))
    )
    scales = (
        of_rows("BroadcastScalar1D", poplar.INT, op("NOT_EQUAL"))
        + of_rows("Cast1D", poplar.BOOL, KINDS.index("Bool"), KINDS.index("Float"))
        + of_rows("BinaryOp1DInPlace", FLOAT, op("MULTIPLY"))
    )
    assert summed.computeCycles - plain.computeCycles == scales
    assert summed.exchangeBytes == plain.exchangeBytes
    target = poplar.Target.createIPUTarget(1, "ipu2")
    numbers = Net(64)
    reduced(numbers, numbers.input("sums", [64], *range(64)), [], [0], 0)
    division = machine.estimateCycles(target, "popops::BinaryOp1D", FLOAT, [1, op("DIVIDE")])
    own = of_rows("Reduce", FLOAT, 1, ROWS)
    assert mean.computeCycles - summed.computeCycles == (
        own + numbers.report().computeCycles + division
    )
    assert mean.exchangeBytes - summed.exchangeBytes == 63 * 4
    weighted = loss_report("Mean", gradient=gradient, weighted=True)
    unweighted_sum = loss_report("Sum", gradient=gradient, weighted=True)
    assert weighted.computeCycles - unweighted_sum.computeCycles == (
        mean.computeCycles - summed.computeCycles
    )


def test_a_loss_moves_to_its_tile_and_rows_to_that_of_their_first_element():
    """Of 16 of 64 rows the second column is on another tile, which sends 4 bytes a row."""

    def loss(home, second):
        net = Net(4)
        p = net.input("p", [64, 2], 1)
        labels = net.input("labels", [64], 1, dtype=poplar.INT)
        net.map(p.slice(1, 2, 1).slice(0, 16, 0), second)
        net.map(ext.nllLoss(net.graph, p, labels, ext.NllParams(), net.prog), home)
        return net.report()

    here, away, split = loss(1, 1), loss(0, 1), loss(1, 2)
    assert (here.exchangeBytes, away.exchangeBytes, split.exchangeBytes) == (0, 4, 16 * 4)
    assert away.syncCycles == here.syncCycles + SYNC
    assert here.computeCycles == away.computeCycles == split.computeCycles


@pytest.mark.parametrize("reduction", ["Sum", "None_"])
def test_rows_in_parts_stay_where_they_are(reduction):
    """PopART's steps: numbers that are 1 at the label, a product with them, and sums of the parts
    of rows; tile 2 gets the labels and sends its sums. What follows is that of whole rows.
    """
    rows, classes = 8, 6

    def loss(*tiles):
        net = Net(4)
        p = net.input("p", [rows, classes], 1)
        labels = net.input("labels", [rows], 1, dtype=poplar.INT)
        for i, tile in enumerate(tiles):
            net.map(p.slice(3 * i, 3 * i + 3, 1), tile)
        params = ext.NllParams()
        params.reduction = getattr(ext.LossReduction, reduction)
        net.map(ext.nllLoss(net.graph, p, labels, params, net.prog), 1)
        return net.report()

    target = poplar.Target.createIPUTarget(1, "ipu2")

    def estimate(vertex: str, *sizes: int) -> int:
        return machine.estimateCycles(target, f"popops::{vertex}", FLOAT, list(sizes))

    part = rows * classes // 2
    sums = Net(4)
    reduced(sums, sums.input("sums", [2, rows], 1, 2), [rows], [0], 1)
    whole, split = loss(1), loss(1, 2)
    assert split.computeCycles == whole.computeCycles + sums.report().computeCycles + (
        estimate("Fill", part)
        + estimate("BinaryOp1DInPlace", part, op("MULTIPLY"))
        + estimate("Reduce", part, rows, 3)
    )
    assert split.exchangeBytes == rows * 4 + rows * 4
    assert whole.exchangeBytes == 0


def test_the_loss_of_a_vocabulary_fits_the_tiles():
    """160 rows of 30,522 probabilities that a product has made. All on a few tiles they would take
    1.9 MB of each, and 240,000 cycles of exchange."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT16", [160, 64], "x")
    w = builder.addInitializedInputTensor(np.zeros((64, 30522), np.float16), "w")
    labels = builder.addInputTensor("INT32", [160], "labels")
    p = builder.aiOnnx.softmax([builder.aiOnnx.matmul([x, w])], axis=1)
    loss = builder.aiGraphcore.nllloss([p, labels], debugContext="loss")
    builder.addOutputTensor(loss)
    session = popir.InferenceSession(
        builder.getModelProto(),
        popir.DataFlow(1, [loss]),
        popir.DeviceManager().createIpuModelDevice({}),
    )
    session.prepareDevice(loadEngine=False)
    profile = session.getProfile().data
    (found,) = (each for each in profile["operators"] if each["type"] == "Nll")
    assert found["exchange_cycles"] < 1000 and found["cycles"] < 12_000
    assert profile["memory"]["max_tile_bytes"] < 100_000


def test_a_loss_of_no_classes_has_a_cost():
    net = Net()
    p, labels = net.input("p", [2, 0], 0), net.input("labels", [2], 0, dtype=poplar.INT)
    ext.nllLoss(net.graph, p, labels, ext.NllParams(), net.prog)
    assert net.report().cycles > 0


@pytest.mark.parametrize(
    ("dtype", "rows", "columns", "k", "tiles", "steps", "cycles"),
    [
        (FLOAT, 1, 1000, 10, 64, 40, 13192),
        (FLOAT, 16, 30522, 20, 1472, 75, 64131),
        (FLOAT, 8, 1000, 5, 1472, 34, 10342),
        (poplar.INT, 4, 50000, 50, 1472, 91, 95233),
        (poplar.INT, 64, 512, 512, 256, 45, 72405),
        (FLOAT, 128, 80, 3, 100, 18, 9732),
    ],
)
def test_top_k_takes_the_steps_of_poplibs_network(dtype, rows, columns, k, tiles, steps, cycles):
    """Cycles of compute and steps by PopLibs' lists of comparisons and its formula for them, which
    were evaluated outside of this project for every tile."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, tiles, "ipu2"))
    params, prog = popops.TopKParams(k, True, popops.SortOrder.DESCENDING), program.Sequence()
    t = popops.createTopKInput(graph, dtype, [rows, columns], params, "t")
    popops.topKWithPermutation(graph, prog, t, params)
    report = machine.programReport(graph, prog)
    assert report["computeCycles"] == cycles
    # A call for each step, a sync where something moves: at most before each, and to the result.
    assert steps * CALL < report["syncCycles"] <= steps * (CALL + SYNC) + SYNC
    # Keys and values, of 4 bytes each; at most all of them in each step.
    assert 0 < report["exchangeBytes"] <= (steps + 1) * 8 * rows * columns


def test_halves_are_sorted_as_floats():
    def compute(dtype):
        graph = poplar.Graph(poplar.Target.createIPUTarget(1, 16, "ipu2"))
        params, prog = popops.TopKParams(4, True, popops.SortOrder.DESCENDING), program.Sequence()
        t = popops.createTopKInput(graph, dtype, [32, 64], params, "t")
        popops.topKWithPermutation(graph, prog, t, params)
        return machine.programReport(graph, prog)["computeCycles"]

    # A cast of 128 elements on each tile before, and of 8 after.
    assert 0 < compute(poplar.HALF) - compute(FLOAT) < 1000
