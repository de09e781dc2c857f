"""Where contractions want their operands, and what it costs when these lie elsewhere."""

import random

import numpy as np
import pytest

import popir
from popir import poplar, poputil
from popir._device import machine, poplin, popops
from popir._device.popart import Devicex
from popir.builder import Builder
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import FLOAT

SEEDS = range(12)


def graph_of(tiles: int = 1472, ipus: int = 1) -> poplar.Graph:
    return poplar.Graph(poplar.Target.createIPUTarget(ipus, tiles, "ipu2"))


def owners(graph: poplar.Graph, t: poplar.Tensor) -> np.ndarray:
    """The tile of every element, each of which must have one."""
    found = np.full(t.numElements(), -1)
    for begin, end, tile in machine.tileRuns(graph, t):
        assert (found[begin:end] == -1).all()
        found[begin:end] = tile
    assert (found >= 0).all()
    return found


def tensors(graph: poplar.Graph, rng: random.Random) -> list[poplar.Tensor]:
    """Operands and results of a random product or convolution."""
    sizes = [rng.choice([1, rng.randint(2, 40), rng.randint(2, 200)]) for _ in range(3)]
    if rng.random() < 0.4:
        m, k, n = sizes
        return [
            create(graph, FLOAT, FLOAT, [m, k], [k, n], "t", {})
            for create in (
                poplin.createMatMulInputLHS,
                poplin.createMatMulInputRHS,
                poplin.createMatMulOutput,
            )
        ]
    field = [rng.randint(5, 20) for _ in range(rng.randint(1, 2))]
    kernel = [rng.randint(1, 5) for _ in field]
    groups, channels, out = rng.choice([1, 1, 3]), rng.randint(1, 20), rng.randint(1, 20)
    params = poplin.ConvParams(FLOAT, rng.randint(1, 3), field, kernel, channels, out, groups)
    return [
        create(graph, params, "t", {})
        for create in (poplin.createInput, poplin.createWeights, poplin.createConvOutput)
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tiles", [1, 6, 100, 1472])
def test_a_planned_layout_has_every_element_on_one_tile_that_there_is(seed, tiles):
    graph, rng = graph_of(tiles), random.Random(seed)
    for t in tensors(graph, rng):
        tile = owners(graph, t)
        assert tile.max() < tiles
        mapping = graph.getTileMapping(t)
        held = [sum(end - begin for begin, end in intervals) for intervals in mapping]
        assert held == np.bincount(tile, minlength=tiles).tolist()


def costs(lhs, rhs, n=256, k=1024, m=1024, ipus=1):
    """The report of a product of operands that `lhs` and `rhs` lay out."""
    graph, prog = graph_of(ipus=ipus), program.Sequence()
    a = poplin.createMatMulInputLHS(graph, FLOAT, FLOAT, [n, k], [k, m], "a", {})
    b = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, [n, k], [k, m], "b", {})
    lhs(graph, a)
    rhs(graph, b)
    poplin.matMul(graph, a, b, prog, FLOAT, "product", {})
    return machine.programReport(graph, prog)


def planned(graph, t):
    pass


def linear(graph, t):
    poputil.mapTensorLinearly(graph, t)


def on_one_tile(graph, t):
    graph.setTileMapping(t, 7)


def test_channels_are_spread_in_groups_that_a_convolution_unit_takes():
    graph = graph_of()
    params = poplin.ConvParams(FLOAT, 1, [28, 28], [1, 1], 64, 256, 1)
    tile = owners(graph, poplin.createInput(graph, params, "in", {})).reshape(8, 8, 28, 28)
    assert (tile == tile[:, :1]).all()
    assert len(np.unique(tile)) > 700


def chained(size: int) -> dict[str, int]:
    """Exchange of a 1x1 convolution of 64 channels that reads another one's result."""
    graph, prog = graph_of(), program.Sequence()
    params = poplin.ConvParams(FLOAT, 1, [size, size], [1, 1], 64, 64, 1)
    t = poplin.createInput(graph, params, "in", {})
    for name in ("first", "second"):
        weights = poplin.createWeights(graph, params, f"{name}/weights", {})
        t = poplin.convolution(graph, t, weights, params, False, prog, name, {})
    engine = poplar.Engine(graph, [prog], {"debug.allowOutOfMemory": "true"})
    step = next(s for s in MachineReport.of(engine).steps if s.name.startswith("second"))
    return {"bytes": step.exchangeBytes, "code": step.exchangeCodeBytes}


def test_what_travels_between_convolutions_has_spans_of_whole_channel_groups():
    # 12 bytes of code a span, on top of 12 for the phase and what is sent; a group has 32 bytes.
    for size in (14, 28, 56):
        moved = chained(size)
        assert moved["code"] <= 1472 * 12 * 3 + 12 * moved["bytes"] / 32


def test_operands_laid_out_by_plan_cost_least():
    best = costs(planned, planned)
    for bad in (linear, on_one_tile):
        for worse in (costs(bad, planned), costs(planned, bad)):
            assert worse["exchangeBytes"] > best["exchangeBytes"]
            assert worse["exchangeCycles"] >= best["exchangeCycles"]
            assert worse["computeCycles"] == best["computeCycles"]


def test_one_tile_that_holds_all_sends_all():
    """1,024 x 1,024 floats, 4 bytes a cycle."""
    assert costs(planned, on_one_tile)["exchangeCycles"] >= 1024 * 1024
    assert costs(planned, planned)["exchangeCycles"] < 20_000


def test_a_transposed_operand_costs_by_where_its_elements_are():
    """Weights that lie for x W are no better than any others for g W', and need not be moved where
    tiles want the same."""

    def backward(own: bool) -> int:
        graph, prog = graph_of(64), program.Sequence()
        w = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, [64, 256], [256, 256], "w", {})
        g = poplin.createMatMulInputLHS(graph, FLOAT, FLOAT, [64, 256], [256, 256], "g", {})
        if own:
            w = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, [64, 256], [256, 256], "w", {})
            w = w.transpose()
        poplin.matMul(graph, g, w.transpose(), prog, FLOAT, "g", {})
        return machine.programReport(graph, prog)["exchangeBytes"]

    assert backward(own=True) < backward(own=False)


def test_a_part_of_a_field_needs_a_halo():
    """16 channels of 32 x 32 points, 3 x 3, on 4 tiles: quarters of the field, of 15 x 15 results.

    A tile holds 16 x 16 points of the input and needs 17 x 17. Of 16*16*9 weights it holds a
    quarter.
    """
    graph, prog = graph_of(4), program.Sequence()
    params = poplin.ConvParams(FLOAT, 1, [32, 32], [3, 3], 16, 16, 1)
    data = poplin.createInput(graph, params, "in", {})
    weights = poplin.createWeights(graph, params, "weights", {})
    poplin.convolution(graph, data, weights, params, False, prog, "out", {})
    (row,) = machine.programReport(graph, prog)["operations"]
    lacking = 16 * (17 * 17 - 16 * 16) + 16 * 16 * 9 * 3 // 4
    assert row["exchangeBytes"] == 4 * 4 * lacking


@pytest.mark.parametrize(("side", "tiles"), [(8, 4), (6, 16)])
def test_an_operand_of_another_shape_costs_by_where_its_elements_are(side, tiles):
    """A convolution's field as the columns of a matrix: the rule of its layout, of more dimensions
    than the matrix, says what it says tile by tile."""

    def moved(spelled: bool) -> int:
        graph, prog = graph_of(tiles), program.Sequence()
        params = poplin.ConvParams(FLOAT, 1, [side, side], [1, 1], 16, 8, 1)
        data = poplin.createInput(graph, params, "in", {})
        if spelled:
            for begin, end, tile in machine.tileRuns(graph, data):
                graph.setTileMapping(data.flatten().slice(begin, end), tile)
        shapes = [16, side * side], [side * side, 8]
        other = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, *shapes, "other", {})
        poplin.matMul(graph, data.reshape(shapes[0]), other, prog, FLOAT, "product", {})
        return machine.programReport(graph, prog)["exchangeBytes"]

    assert moved(spelled=False) == moved(spelled=True) > 0


def test_the_weights_of_a_model_lie_as_its_products_want_them():
    builder = Builder()
    info = popir.TensorInfo("FLOAT", [256, 1024])
    x = builder.addInputTensor(info)
    w = builder.addInitializedInputTensor(np.ones([1024, 1024], np.float32))
    y = builder.aiOnnx.matmul([x, w])
    device = popir.DeviceManager().createIpuModelDevice({"ipuVersion": "ipu2"})
    session = popir.InferenceSession(
        builder.getModelProto(), popir.DataFlow(1, {y: popir.AnchorReturnType("All")}), device
    )
    session.prepareDevice()
    report = session.getReport()
    (row,) = [o for o in report.operations if "ConvPartial" in o.vertexClass]
    best = costs(planned, planned)
    assert row.exchangeBytes == best["exchangeBytes"]
    assert row.exchangeCycles == best["exchangeCycles"]


@pytest.mark.parametrize("seed", SEEDS)
def test_joined_tensors_of_a_plan_travel_by_where_their_elements_are(seed: int) -> None:
    """As the arguments of a function do: a copy of all of them at once."""
    graph, rng = graph_of(64), random.Random(seed)
    theirs = tensors(graph, rng)
    mine = [graph.addVariable(FLOAT, t.shape(), "mine") for t in theirs]
    for t in mine:
        linear(graph, t)
    sides = [poplar.concat([t.flatten() for t in side]) for side in (theirs, mine)]
    for source, to in (sides, sides[::-1]):
        report = machine.programReport(graph, program.Copy(source, to))
        moved = owners(graph, source) != owners(graph, to)
        assert report["exchangeBytes"] == 4 * np.count_nonzero(moved)


def split(ipus: int, n: int, **figures: str):
    target = poplar.Target.createIPUTarget(ipus, "ipu2", figures)
    sizes = [1, n, 1024, 1024, 1]
    return machine.planContraction(target, "poplin::ConvPartial1x1Out", FLOAT, sizes)


@pytest.mark.parametrize("n", [512, 16384, 65536])
def test_a_product_takes_the_tiles_of_one_ipu_as_in_poplibs(n):
    one, four = split(1, n), split(4, n)
    assert one == four and four["tiles"] <= 1472


def test_more_ipus_make_a_product_no_dearer():
    one, four = (costs(planned, planned, n=16384, ipus=ipus) for ipus in (1, 4))
    assert four["interIPUBytes"] == 0
    assert four["cycles"] == one["cycles"]


def test_a_planned_layout_is_saved_with_its_program():
    graph, prog = graph_of(64), program.Sequence()
    a = poplin.createMatMulInputLHS(graph, FLOAT, FLOAT, [40, 60], [60, 50], "a", {})
    b = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, [40, 60], [60, 50], "b", {})
    poplin.matMul(graph, a, b, prog, FLOAT, "product", {})
    for name, t in (("a", a), ("b", b)):
        graph.createHostWrite(name, t)
    before = poplar.Engine(graph, [prog]).machineReport(0)
    saved = poplar.compileGraph(graph, [prog]).serialize()
    after = poplar.Engine(poplar.Executable.deserialize(saved)).machineReport(0)
    assert after["steps"] == before["steps"]


def test_a_layout_for_slices_is_saved_with_its_program():
    """The columns begin on a tile from which they go on at the first one."""
    graph, prog = graph_of(64), program.Sequence()
    table = popops.createSliceableTensor(graph, FLOAT, [20, 64], [0], [1])
    rows = owners(graph, table).reshape(20, 64)
    assert (rows == rows[0]).all() and sorted(rows[0]) == list(range(64)) and rows[0, 0] > 0
    offsets = popops.createIndicesTensor(graph, [0], 8)
    slices = popops.multiSlice(graph, table, offsets, [0], [1], prog)
    for name, t in (("table", table), ("offsets", offsets)):
        graph.createHostWrite(name, t)
    graph.createHostRead("slices", slices)
    before = poplar.Engine(graph, [prog]).machineReport(0)
    saved = poplar.compileGraph(graph, [prog]).serialize()
    after = poplar.Engine(poplar.Executable.deserialize(saved)).machineReport(0)
    assert after["steps"] == before["steps"]
    assert after["memory"] == before["memory"]


@pytest.mark.parametrize(
    ("inner", "columns"), [(1024, 1024), (1024, 3072), (1024, 4096), (4096, 1024)]
)
def test_weights_of_bert_lie_on_nearly_all_tiles(inner: int, columns: int) -> None:
    """A layer's weights at 18 sequences of 128 tokens. If few tiles had them, 24 layers would not
    fit where their bytes do."""
    graph = graph_of()
    w = poplin.createMatMulInputRHS(
        graph,
        poplar.HALF,
        poplar.HALF,
        [18 * 128, inner],
        [inner, columns],
        "w",
        {"partialsType": "half", "availableMemoryProportion": "0.2"},
    )
    share = inner * columns / 1472
    held = np.bincount(owners(graph, w), minlength=1472)
    assert held.max() <= 1.1 * share
    assert (held > 0).sum() >= 0.95 * 1472


def test_small_tensors_begin_where_the_last_one_ended():
    """PopART's LinearMapper: at least 128 bytes on a tile, whole vectors in shares that differ by
    one, and around after the last tile.
    """
    tiles, rng = 100, random.Random(1)
    graph = graph_of(tiles)
    devicex, after = Devicex(graph), 0
    for _ in range(60):
        n = rng.choice([1, 33, 64, 512, 1000, 5000])
        t = graph.addVariable(FLOAT, [n], "t")
        devicex.mapLinearly(t)
        vectors = -(-n // 2)
        each = max(-(-vectors // tiles), -(-vectors // max(vectors // 16, 1)))
        shares = -(-vectors // each)
        begins = np.arange(1, shares) * vectors // shares
        want = (after + np.searchsorted(begins, np.arange(n) // 2, "right")) % tiles
        assert (owners(graph, t) == want).all()
        after = (after + shares) % tiles


def test_each_virtual_graph_has_a_next_tile_of_its_own():
    graph = graph_of(tiles=20, ipus=2)
    devicex, found = Devicex(graph), []
    for lower in (0, 20, 0, 20):
        devicex.useTiles(lower, lower + 20)
        t = devicex.graph().addVariable(FLOAT, [64], "t")
        devicex.mapLinearly(t)
        found.append(owners(graph, t).max())
    assert found == [1, 21, 3, 23]


def test_small_tensors_take_the_first_of_several_ipus() -> None:
    """Where contractions are, too; a tensor that needs more tiles than an IPU has takes all."""
    graph = graph_of(tiles=20, ipus=2)
    devicex, found = Devicex(graph), []
    for n in (32, 32 * 19, 32, 32 * 21):
        t = graph.addVariable(FLOAT, [n], "t")
        devicex.mapLinearly(t)
        found.append(set(owners(graph, t).tolist()))
    assert found == [{0}, set(range(1, 20)), {0}, set(range(21))]


def test_vectors_of_a_model_share_tiles_evenly():
    builder = Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [64, 64], "x")
    for _ in range(40):
        bias = builder.addInitializedInputTensor(np.ones(64, np.float32))
        x = builder.aiOnnx.add([x, bias])
    builder.addOutputTensor(x)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 16})
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [x]), device)
    session.prepareDevice()
    variables = next(m for m in session.getReport().memory if m.category == "variables")
    # 40 vectors of 256 bytes on 16 tiles, each on two of them.
    assert set(variables.tileBytes) == {40 * 256 // 16}


def test_a_padded_result_lies_as_the_plan_says():
    """The gradient of a convolution that goes in steps of 2 over 14 columns ends at the 13th."""
    graph = graph_of()
    inner, padded = (poplin.ConvParams(FLOAT, 4, [7, 7], [1, 1], 64, 256, 1) for _ in range(2))
    for params in (inner, padded):
        params.inputTransform.dilation = [2, 2]
    padded.outputTransform.paddingUpper = [1, 1]
    own = owners(graph, poplin.createConvOutput(graph, inner, "inner", {})).reshape(4, 256, 13, 13)
    t = poplin.createConvOutput(graph, padded, "padded", {})
    found = owners(graph, t).reshape(4, 256, 14, 14)
    held = np.bincount(found.ravel(), minlength=1472)
    assert held.max() <= 1.3 * np.bincount(own.ravel(), minlength=1472).max()
    # Groups of channels stay together, and most elements are where the plan makes them.
    assert (found.reshape(4, 32, 8, 14, 14) == found.reshape(4, 32, 8, 14, 14)[:, :, :1]).all()
    assert (found[:, :, :13, :13] == own).mean() > 0.5


@pytest.mark.parametrize("dims", [[0], [1]])
def test_partial_results_are_counted_where_the_input_lies(dims):
    """A tile sends one number for each result that it has elements of, and does not keep."""
    graph, prog = graph_of(64), program.Sequence()
    m, n = 96, 48
    t = poplin.createMatMulOutput(graph, FLOAT, FLOAT, [m, 64], [64, n], "t", {})
    popops.reduce(graph, t, dims, popops.ReduceParams(popops.Operation.ADD), prog, "sum")
    tile = owners(graph, t).reshape(m, n)
    line = tile if dims == [1] else tile.T
    partials = sum(len(np.unique(of)) for of in line)
    sources = -(-partials // len(line))
    assert sources > 1
    moved = machine.programReport(graph, prog)["exchangeBytes"]
    results = 4 * len(line)
    # Each result is the sum of so many, of which one at most is there already; the results may move
    # to where they belong.
    assert (sources - 1) * results <= moved <= (sources + 1) * results
