"""What contractions cost: how tiles share them, and what they fetch."""

import pytest

from popir._device import poplin
from tests.machine.net import FLOAT, PHASE, Net, parts


def test_a_product_on_one_tile():
    """The golden value of ConvPartial1x1Out of these sizes."""
    net = Net(tiles=1)
    out = poplin.matMul(
        net.graph, net.input("a", [96, 32], 0), net.input("b", [32, 16], 0), net.prog
    )
    net.map(out, 0)
    report = net.report()
    assert parts(report) == (4655, 0, PHASE)
    assert report.flops == 2 * 96 * 32 * 16


def test_half_the_rows_on_each_of_two_tiles():
    """48 rows, 8 a worker: a pass takes 46 + 8*5 - 7 = 79, the first 145.

    50 + 6 (7 + 3*3) + 13 + 3 (15 + 19 + 6 + 32 + 6*79) + 11 + 18 + 7 + 32 + 6*145 = 2735. Each tile
    has its rows of A; tile 1 fetches all 512 elements of B.
    """
    net = Net(tiles=2)
    a, b = net.input("a", [96, 32], 0, 1), net.input("b", [32, 16], 0)
    net.map(poplin.matMul(net.graph, a, b, net.prog), 0, 1)
    assert parts(net.report()) == (2735, 512, PHASE)


def conv(net: Net):
    params = poplin.ConvParams(FLOAT, 2, [10, 6], [3, 3], 8, 16, 1)
    shapes = {"in": [2, 8, 10, 6], "out": [2, 16, 8, 4], "weights": [1, 16, 8, 3, 3]}
    tiles = {"in": (0, 1), "out": (0, 1), "weights": (0,)}
    return params, lambda name: net.input(name, shapes[name], *tiles[name])


def test_a_convolution_fetches_its_weights():
    """32 of 64 points on a tile, 6 a worker, 9 passes: a worker takes 18 + 3 + 45 + 8*3 - 9 = 81.

    109 + 16 + 32*16/2 + 30 + 14 + 14 + 9 (14 + 12 + 32 + 15 + 3 + 6*81) = 5497
    """
    net = Net(tiles=2)
    params, operand = conv(net)
    out = poplin.convolution(net.graph, operand("in"), operand("weights"), params, False, net.prog)
    net.map(out, 0, 1)
    assert parts(net.report()) == (5497, 16 * 8 * 9, PHASE)


@pytest.mark.parametrize("home", [(0,), (0, 1)], ids=["one", "two"])
def test_a_gradient_of_the_input_fetches_the_weights_too(home):
    """Tiles share points and have their gradients; tile 1 needs all weights.

    Where the result lives on tile 0 alone, it is moved there.
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
    moved = 0 if len(home) == 2 else 2 * 8 * 10 * 6
    assert report.exchangeBytes == 4 * (16 * 8 * 9 + moved)


def test_the_weights_gradient_makes_inner_elements_of_points():
    """Two images are little for the units: 32 points of each become 64 inner elements.

    Of 72 rows, one for each input channel and kernel element, a tile has 36, 6 a worker: a pass
    takes 46 + 8*3 - 7 = 63, the first 2 + 8*6 more; 50 + 6 (7 + 3*7) + 13 +
    7 (15 + 19 + 6 + 32 + 6*63) + 11 + 18 + 7 + 32 + 6*113 = 4127. 36 rows of 64 elements are laid
    out anew: 587 + 0.44*9216 = 4642. Each tile has half of the activations, fetches the half of the
    gradients that it lacks, and all results move to tile 0.
    """
    net = Net(tiles=2)
    params, operand = conv(net)
    grad = poplin.calculateWeightDeltas(net.graph, operand("out"), operand("in"), params, net.prog)
    net.map(grad, 0)
    report = net.report()
    assert report.computeCycles == 4127 + 4642
    assert report.exchangeBytes == 4 * (2 * 2 * 16 * 32 // 2 + 16 * 8 * 9)
    assert report.flops == poplin.getWuFlops(params)


def test_a_depthwise_convolution_has_its_own_vertex():
    net = Net(tiles=1)
    params = poplin.ConvParams(FLOAT, 1, [10, 6], [3, 3], 1, 1, 32)
    out = poplin.convolution(
        net.graph,
        net.input("in", [1, 32, 10, 6], 0),
        net.input("w", [32, 1, 1, 3, 3], 0),
        params,
        False,
        net.prog,
    )
    net.map(out, 0)
    (row,) = net.report().operations
    assert row.vertexClass == "poplin::ConvPartialVerticalMac"
