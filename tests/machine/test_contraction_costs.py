"""What contractions cost: how tiles share them, and what they fetch."""

import pytest

from popir import poplar
from popir._device import machine, poplin
from popir.profile import MachineReport
from tests.machine.net import CALL, FLOAT, SYNC, Net, parts


def test_a_product_on_one_tile():
    """Rows and columns are swapped: 16 rows, 3 a worker; of 96 columns 6 groups of 16.

    A pass takes 46, of 2 rows as of 3, so that the supervisor waits 14 more for the last worker;
    the first 2 + 8*3 more: 50 + 13 + 3 (15 + 6 (19 + 6 + 64 + 6*46 + 14)) + 11 +
    6 (18 + 7 + 64 + 6*72) = 10067. Results in groups of 16 are regrouped for the next layer's 8:
    5/4 of 6144 bytes, 8 a cycle.
    """
    net = Net(tiles=1)
    out = poplin.matMul(
        net.graph, net.input("a", [96, 32], 0), net.input("b", [32, 16], 0), net.prog
    )
    net.map(out, 0)
    report = net.report()
    assert parts(report) == (10067 + 960, 0, 2 * CALL)
    assert report.flops == 2 * 96 * 32 * 16


@pytest.mark.parametrize("tiles", [7, 16])
def test_a_backward_product_transposes_what_its_vertex_takes(tiles: int):
    """Products along 80 inner elements, of one column: not a square of 80 by 80.

    One worker has the column: 6 (13 + 8 + 5 + 80 * 4 / 2) = 1116.
    """

    def cycles(arranged: str) -> int:
        net, sizes = Net(tiles=tiles), ([6, 80], [80, 7])
        options = {"fullyConnectedPass": "TRAINING_BWD", "inputRHSIsPreArranged": arranged}
        a = poplin.createMatMulInputLHS(net.graph, FLOAT, FLOAT, *sizes, "a", options)
        b = poplin.createMatMulInputRHS(net.graph, FLOAT, FLOAT, *sizes, "b", options)
        poplin.matMul(net.graph, a, b, net.prog, options=options)
        return net.report().computeCycles

    assert cycles("false") - cycles("true") == 1116


@pytest.mark.parametrize("sizes", [(0, 3, 4), (3, 0, 4), (3, 3, 0)])
@pytest.mark.parametrize("tiles", [1, 4])
def test_a_product_of_nothing(sizes: tuple[int, int, int], tiles: int):
    """It has a plan, by which its operands are laid out and its cost is told."""
    rows, inner, columns = sizes
    net = Net(tiles=tiles)
    a = poplin.createMatMulInputLHS(net.graph, FLOAT, FLOAT, [rows, inner], [inner, columns], "a")
    b = poplin.createMatMulInputRHS(net.graph, FLOAT, FLOAT, [rows, inner], [inner, columns], "b")
    out = poplin.matMul(net.graph, a, b, net.prog)
    assert (a.numElements(), b.numElements()) == (rows * inner, inner * columns)
    for t in (a, b, out):
        mapping = net.graph.getTileMapping(t)
        assert sum(end - begin for tile in mapping for begin, end in tile) == t.numElements()
    assert net.report().flops == 0


def test_half_the_rows_on_each_of_two_tiles():
    """As on one tile, with 3 groups of columns: each tile has its rows of A, which are columns.

    50 + 13 + 3 (15 + 3 (19 + 6 + 64 + 6*46 + 14)) + 11 + 3 (18 + 7 + 64 + 6*72) = 5093. Tile 1
    fetches all 512 elements of B. 5/4 of 3072 bytes are regrouped.
    """
    net = Net(tiles=2)
    a, b = net.input("a", [96, 32], 0, 1), net.input("b", [32, 16], 0)
    net.map(poplin.matMul(net.graph, a, b, net.prog), 0, 1)
    assert parts(net.report()) == (5093 + 480, 512, SYNC + 2 * CALL)


def test_serial_steps_have_their_slice_and_the_rows_that_all_share():
    """Columns in 8 steps on 16 tiles, of which each has 256 rows x 256 inner elements in all of
    them, and of a step 32 columns of these and as many sums; three quarters of the columns come
    from other tiles, all of them from a slice that lies evenly.
    """
    net, sizes = Net(tiles=16), ([1024, 256], [256, 1024])
    a = poplin.createMatMulInputLHS(net.graph, FLOAT, FLOAT, *sizes, "a")
    b = poplin.createMatMulInputRHS(net.graph, FLOAT, FLOAT, *sizes, "b")
    poplin.matMul(net.graph, a, b, net.prog)
    plan = machine.planContraction(
        net.graph.getTarget(), "poplin::ConvPartial1x1Out", FLOAT, [1, 1024, 256, 1024, 1]
    )
    splits = [plan[f"{axis}Split"] for axis in ("row", "column", "inner")]
    assert (plan["serialColumns"], splits) == (8, [4, 4, 1])
    rows, columns, slice_ = 4 * 256 * 256, 4 * 256 * 32, 4 * 256 * 1024 // 8 // 16
    assert plan["temporaryBytes"] == rows + columns + columns
    engine = poplar.Engine(net.graph, [net.prog], {"debug.allowOutOfMemory": "true"})
    memory = MachineReport.of(engine).memory
    gathered = next(m for m in memory if m.category == "gathered operands")
    assert gathered.fullestTileBytes == rows + columns + 3 * columns // 4 + slice_


def conv(net: Net):
    params = poplin.ConvParams(FLOAT, 2, [10, 6], [3, 3], 8, 16, 1)
    shapes = {"in": [2, 8, 10, 6], "out": [2, 16, 8, 4], "weights": [1, 16, 8, 3, 3]}
    tiles = {"in": (0, 1), "out": (0, 1), "weights": (0,)}
    return params, lambda name: net.input(name, shapes[name], *tiles[name])


def test_a_convolution_fetches_its_weights():
    """An image of 8 rows of 4 on a tile. One worker has 2 points of a row, and a whole one.

    So it takes 17 + (3 + 44 - 9) + (3 + 45 + 8 - 9) = 102, of each of 9 kernel elements. To zero
    the sums 6 (43 + 5). 109 + 6 (9 + 9) + 17 + 1 + 1 + 16 + 14 + 14 + 3 (14 + 3 (12 + 64 + 15 +
    3)) + 9*6*102 + 288 = 6964. 5/4 of the result's 2048 bytes are regrouped.
    """
    net = Net(tiles=2)
    params, operand = conv(net)
    out = poplin.convolution(net.graph, operand("in"), operand("weights"), params, False, net.prog)
    net.map(out, 0, 1)
    assert parts(net.report()) == (6964 + 320, 16 * 8 * 9, SYNC + 2 * CALL)


@pytest.mark.parametrize("home", [(0,), (0, 1)], ids=["one", "two"])
def test_a_gradient_of_the_input_may_share_channels(home):
    """Each tile sums up half of the 16 channels that the gradients have, for all points.

    Of the gradients, an image on each tile, it fetches its channels of the other image; tile 1 half
    of the weights. Of the sums a tile sends half to the other. Those of a plan are halves of each
    image; where tiles have whole images, or tile 0 has all, half of the result has to move.
    """
    net = Net(tiles=2)
    params, operand = conv(net)
    grad = poplin.convolution(
        net.graph,
        operand("out"),
        operand("weights"),
        poplin.getGradientParams(params),
        True,
        net.prog,
    )
    net.map(grad, *home)
    report = net.report()
    result = 2 * 8 * 10 * 6
    fetched = 2 * (16 * 8 * 4) // 2 + (16 * 8 * 9) // 2
    assert report.exchangeBytes == 4 * (fetched + result + result // 2)


def test_the_weights_gradient_makes_inner_elements_of_points():
    """Two images are little for the units: with 4 points of each row they become 8 inner elements.

    Each of 8 rows of points is a kernel element. Of 72 rows, one for each input channel and kernel
    element, a tile has 36 in 3 rows of 12, 6 a worker: 17 + 3 + 45 + 8*3 - 9 = 80, and 9 cycles
    until the last worker is done. 109 + 6 (9 + 9) + 17 + 1 + 1 + 16 + 14 + 14 + 8 (14 + 12 + 64 +
    15 + 3 + 6*80 + 9) + 6 (48 + 5) = 5374. The activations of all windows along the rows, half of
    the gradients and half of the result are laid out anew, half of each by an exchange: 5/4 of the
    bytes, 4 a cycle. Tiles share input channels: each fetches, of the image it lacks, half of the
    activations, each for two windows on average, and all of the gradients, and tile 1 sends its
    results to tile 0.
    """
    net = Net(tiles=2)
    params, operand = conv(net)
    grad = poplin.calculateWeightDeltas(net.graph, operand("out"), operand("in"), params, net.prog)
    net.map(grad, 0)
    report = net.report()
    anew = (8 * 10 * 4 * 3 * 4, 16 * 64 * 4 // 2, 36 * 16 * 4)
    assert report.computeCycles == 5374 + sum(anew) * 5 // 16
    fetched = 4 * (2 * (8 // 2 * 60 * 2 + 16 * 32) + 16 * 8 * 9 // 2)
    assert report.exchangeBytes == fetched + sum(anew)
    assert report.flops == poplin.getWuFlops(params)


@pytest.mark.parametrize(
    ("dtype", "vertex"),
    [(FLOAT, "poplin::ConvPartialnx1"), (poplar.HALF, "poplin::ConvPartial1xNSLIC")],
    ids=["float", "half"],
)
def test_the_vertex_of_a_depthwise_convolution(dtype: poplar.Type, vertex: str):
    """Of halves windows slide over rows. Of floats eight groups are one: PopLibs has no windows."""
    net = Net(tiles=1)
    params = poplin.ConvParams(dtype, 1, [10, 6], [3, 3], 1, 1, 32)
    out = poplin.convolution(
        net.graph,
        net.input("in", [1, 32, 10, 6], 0, dtype=dtype),
        net.input("w", [32, 1, 1, 3, 3], 0, dtype=dtype),
        params,
        False,
        net.prog,
    )
    net.map(out, 0)
    (row,) = net.report().operations
    assert row.vertexClass == vertex
