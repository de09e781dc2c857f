"""What costing a program takes does not grow with how often parts of it are executed.

`python -m bench.costing` has the seconds and megabytes of a training step of ResNet-50.
"""

import pytest

from popir import poplar
from popir._device import poplin
from popir.poplar import program
from tests.machine.net import FLOAT, Net


def test_a_step_is_worked_out_once_however_often_it_is_executed():
    net = Net()
    a = net.input("a", [1000], 0)
    net.add(a, a, 1, name="first")
    net.add(a, a, 2, name="second")
    call = program.Call(net.graph.addFunction(net.prog))
    report = net.report(program.Repeat(1000, program.Sequence([call] * 50)))
    assert (len(report.steps), report.distinctSteps, len(report.operations)) == (100, 2, 2)
    assert [row.times for row in report.operations] == [50_000, 50_000]


@pytest.mark.parametrize("tiles", [16, 1472])
def test_what_a_report_holds_grows_with_steps_and_tiles_and_not_with_both(tiles):
    net = Net(tiles)
    a = net.input("a", [tiles * 8], *range(tiles))
    for i in range(20):
        net.add(a, a, *range(tiles), name=f"sum{i}")
    report = net.report()
    assert (len(report.steps), report.distinctSteps) == (20, 20)
    assert {m.tileBytes.size for m in report.memory} == {tiles}
    assert all(len(s.ipus) == 1 for s in report.steps)


def test_serial_steps_of_a_contraction_are_one_step():
    """A product that is cut into many serial steps has the phases of one of them."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 16, "ipu2"))
    prog = program.Sequence()
    a = poplin.createMatMulInputLHS(graph, FLOAT, FLOAT, [4096, 512], [512, 4096], "a")
    b = poplin.createMatMulInputRHS(graph, FLOAT, FLOAT, [4096, 512], [512, 4096], "b")
    poplin.matMul(graph, a, b, prog, FLOAT, "product", {"availableMemoryProportion": "0.05"})
    net = Net()
    net.graph, net.prog = graph, prog
    engine = poplar.Engine(graph, [prog], {"debug.allowOutOfMemory": "true"})
    (row,) = engine.machineReport(0)["operations"]
    (step,) = engine.machineReport(0)["steps"]
    assert row["syncCycles"] >= 4 * 414  # several serial steps, each of which syncs and calls
    assert step["times"] == row["times"] == 1


@pytest.mark.timeout(60)
def test_tiles_that_need_no_element_of_an_operand():
    """A transposed convolution leaves tiles at its borders nothing to fetch."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, 64, "ipu2"))
    prog = program.Sequence()
    params = poplin.getGradientParams(poplin.ConvParams(FLOAT, 1, [5, 6, 7], [3, 3, 3], 2, 1, 1))
    image = poplin.createInput(graph, params, "image")
    weights = poplin.createWeights(graph, params, "weights")
    poplin.convolution(graph, image, weights, params, False, prog)
    assert poplar.Engine(graph, [prog]).machineReport(0)["cycles"] > 0
