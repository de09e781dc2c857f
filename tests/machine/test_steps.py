"""Steps of a report, and memory tile by tile: what an execution trace and a liveness plot show."""

import numpy as np
import pytest

from popir import poplar
from popir._device import popops
from popir.poplar import program
from popir.popops import expr as pe
from popir.profile import MachineReport
from tests.machine.net import CALL, FLOAT, SYNC, Net, parts


def chain() -> Net:
    """Two sums on tile 0, then a copy to tile 1."""
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 1)
    t = net.add(a, a, 0, name="first")
    u = net.add(t, t, 0, name="second")
    net.prog.add(program.Copy(u, b, "home"))
    return net


def test_steps_come_in_order_and_add_up():
    net = chain()
    report = net.report(program.Repeat(3, net.prog))
    assert [(s.name, s.kind, s.times) for s in report.steps] == [
        ("first", "Execute", 3),
        ("second", "Execute", 3),
        ("home", "Copy", 3),
    ]
    for part in ("computeCycles", "exchangeCycles", "syncCycles", "exchangeBytes", "cycles"):
        assert sum(s.times * getattr(s, part) for s in report.steps) == getattr(report, part)
    assert [[report.operations[i].name for i in s.operations] for s in report.steps] == [
        ["first"],
        ["second"],
        ["home"],
    ]
    first, _, home = report.steps
    assert (first.computeCycles, first.syncCycles, first.meanComputeCycles) == (
        1697,
        CALL,
        1697 / 4,
    )
    assert (home.exchangeCycles, home.exchangeBytes, home.ipus) == (1000, 4000, [0])


def test_live_bytes_of_steps():
    """t lives through both sums, u from the second to the copy, whose bytes arrive in b."""
    report = chain().report()
    assert [s.liveBytes for s in report.steps] == [4000, 8000, 4000]
    assert [s.fullestTileLiveBytes for s in report.steps] == [4000, 8000, 4000]


def test_a_function_called_twice_is_two_steps_and_one_operation():
    net = chain()
    call = program.Call(net.graph.addFunction(net.prog))
    report = net.report(program.Sequence([call, call]))
    assert [s.name for s in report.steps] == ["first", "second", "home"] * 2
    assert [s.operations for s in report.steps] == [[0], [1], [2]] * 2


def test_steps_of_the_branch_that_is_not_counted_have_no_times():
    net = Net()
    a = net.input("a", [1000], 0)
    flag = net.input("flag", [], 0, dtype=poplar.BOOL)
    cheap, dear = program.Sequence(), program.Sequence()
    net.add(a, a, 0, prog=cheap, name="cheap")
    net.add(a, a, 1, prog=dear, name="dear")
    report = net.report(program.If(flag, dear, cheap))
    assert [(s.name, s.times, s.operations) for s in report.steps] == [
        ("dear", 1, [0]),
        ("cheap", 0, []),
    ]


def test_streams_are_steps():
    net = Net()
    a = net.input("a", [1000], 0)
    into = net.graph.addHostToDeviceFIFO("in", FLOAT, 1000)
    out = net.graph.addDeviceToHostFIFO("out", FLOAT, 1000)
    report = net.report(program.Sequence([program.Copy(into, a), program.Copy(a, out)]))
    assert [(s.kind, s.hostBytesIn, s.hostBytesOut) for s in report.steps] == [
        ("StreamCopy", 4000, 0),
        ("StreamCopy", 0, 4000),
    ]


def test_memory_by_tile_adds_up():
    net = chain()
    report = net.report()
    assert all(m.tileBytes.shape == (4,) for m in report.memory)
    assert all(int(m.tileBytes.sum()) == m.totalBytes for m in report.memory)
    assert all(int(m.tileBytes[report.fullestTile]) == m.fullestTileBytes for m in report.memory)
    peak, always = report.tileBytes(), report.tileBytes(alwaysLive=True)
    assert int(peak.sum()) == report.totalBytes
    assert int(peak.max()) == report.maxTileBytes
    assert np.all(always <= peak)
    assert (peak - always).tolist() == [8000, 0, 0, 0]


def test_gaps_are_what_alignment_leaves():
    """Three half elements take 6 bytes of 8."""
    net = Net()
    net.input("a", [3], 1, dtype=poplar.HALF)
    gaps = {m.category: m.tileBytes.tolist() for m in net.report().memory}["gaps"]
    assert gaps == [0, 2, 0, 0]


def test_code_of_a_function_is_there_once():
    net = chain()
    call = program.Call(net.graph.addFunction(net.prog))

    def code(*parts):
        report = net.report(program.Sequence(list(parts)))
        names = ("vertex state", "vertex code", "exchange code")
        return [m.tileBytes.tolist() for m in report.memory if m.category in names]

    assert code(call) == code(call, call)
    assert sum(sum(row) for row in code(call)) > 0


def two_ipus(bytes_: int):
    graph = poplar.Graph(poplar.Target.createIPUTarget(2, 4, "ipu2"))
    prog = program.Sequence()
    a = graph.addVariable(FLOAT, [bytes_ // 4], "a")
    out = graph.addVariable(FLOAT, [bytes_ // 4], "out")
    graph.setTileMapping(a, 1)
    graph.setTileMapping(out, 6)
    graph.createHostWrite("a", a)
    graph.createHostRead("out", out)
    popops.addWithOutput(graph, a, a, out, prog, "sum")
    net = Net()
    net.graph, net.prog = graph, prog
    return net.report()


def test_links_between_ipus():
    """Both operands come over: 2e5 bytes by four links of 128 Gibit/s, 85 % of them payload.

    A global sync beside that of each IPU: one hop each way of 15 ns.
    """
    report = two_ipus(100_000)
    seconds = 200_000 / (4 * 128 * 2**30 / 8 * 0.85)
    assert report.interIPUBytes == 200_000
    assert report.interIPUCycles == -int(-seconds * 1.33e9 // 1)
    assert parts(report)[1:] == (50_000 + report.interIPUCycles, SYNC + CALL + 40)
    (step,) = report.steps
    assert step.ipus == [0, 1]
    assert (report.numIPUs, report.tilesPerIPU, report.tiles) == (2, 4, 8)


def test_one_cycle_is_work():
    """A supervisor of one cycle makes its IPU part of the step."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(2, 4, "ipu2"))
    graph.addCodelets(
        "#include <poplar/Vertex.hpp>\n"
        "struct Quick : poplar::SupervisorVertex {\n"
        '  __attribute__((target("supervisor"))) void compute() {}\n'
        "};\n"
    )
    compute_set = graph.addComputeSet("quick")
    vertex = graph.addVertex(compute_set, "Quick")
    graph.setTileMapping(vertex, 5)
    graph.setPerfEstimate(vertex, 1)
    (step,) = MachineReport.of(poplar.Engine(graph, [program.Execute(compute_set)])).steps
    assert (step.computeCycles, step.ipus) == (1, [1])


def test_a_step_has_the_names_of_the_sequences_around_it():
    """The outermost one in the program, then in each function that was called."""
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 0)
    pieces = {}
    for name in ("alone", "inner", "called", "named"):
        pieces[name] = program.Sequence()
        net.add(a, b, 0, prog=pieces[name], name=name)
    nested = program.Sequence([program.Sequence([pieces["inner"]], "in")], "out")
    plain = net.graph.addFunction(pieces["called"])
    own = net.graph.addFunction(program.Sequence([pieces["named"]], "own"))
    calls = program.Sequence(
        [program.Call(plain), program.Call(own), program.Call(plain)], "caller"
    )
    whole = program.Sequence([pieces["alone"], nested, calls, program.Call(plain)])
    assert [(step.name, step.blocks) for step in net.report(whole).steps] == [
        ("alone", []),
        ("inner", ["out"]),
        ("called", ["caller"]),
        ("named", ["caller", "own"]),
        ("called", ["caller"]),
        ("called", []),
    ]


def test_what_a_step_has_of_memory_adds_up_to_the_categories():
    net = chain()
    c = net.input("c", [1000], 0, 1, 2, 3)
    net.add(c, net.input("d", [1000], 1), 0, 1, 2, 3, name="third")
    report = net.report()
    bytes_ = {each.category: each.totalBytes for each in report.memory}
    assert bytes_["vertex state"] == sum(s.vertexStateBytes for s in report.steps) > 0
    assert bytes_["exchange code"] == sum(s.exchangeCodeBytes for s in report.steps) > 0
    third = report.steps[-1]
    assert third.gatheredBytes == third.exchangeBytes == 3 * 250 * 4
    twice = net.report(program.Repeat(2, program.Sequence([net.prog, net.prog])))
    assert len(twice.steps) == 2 * len(report.steps)
    again = {each.category: each.totalBytes for each in twice.memory}
    assert again["vertex state"] == bytes_["vertex state"], "a step that runs again has it once"


def test_progress_counts_the_steps():
    net, heard = chain(), []
    engine = poplar.Engine(net.graph, [net.prog])
    engine.machineReport(0, lambda done, of: heard.append((done, of)))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_variables_are_on_their_tiles_and_live_in_their_steps():
    net = chain()
    report = net.report()
    assert {row.category for row in report.variables} == {"variables", "temporaries"}
    for category in ("variables", "constants"):
        per_tile = sum(
            each * (end - begin)
            for row in report.variables
            if row.category == category
            for begin, end, each in row.tiles
        )
        (memory,) = (m for m in report.memory if m.category == category)
        assert per_tile == memory.totalBytes
    temporaries = [row for row in report.variables if row.category == "temporaries"]
    assert temporaries
    for s, step in enumerate(report.steps):
        live = sum(
            row.bytes for row in temporaries if any(first <= s <= last for first, last in row.live)
        )
        assert live <= step.liveBytes
        assert step.liveBytes - live - step.gatheredBytes <= 8 * len(temporaries) * report.tiles


def test_the_tree_has_every_step_once_and_says_how_often():
    net = Net()
    a = net.input("a", [40], 0)
    net.add(a, a, 1, name="alone")
    inner = program.Sequence(debugContext="body")
    net.add(a, a, 2, prog=inner, name="first")
    net.add(a, a, 3, prog=inner, name="second")
    net.prog.add(program.Repeat(5, inner))
    call = program.Call(net.graph.addFunction(inner))
    net.prog.add(program.Sequence([call], debugContext="outer"))
    report = net.report()
    rows = [(p.kind, p.name, p.depth, p.firstStep, p.steps, p.times) for p in report.parts]
    assert rows == [
        ("Repeat", "", 0, 1, 2, 1),
        ("Sequence", "body", 1, 1, 2, 5),
        ("Sequence", "outer", 0, 3, 2, 1),
        ("Call", "", 1, 3, 2, 1),
        ("Sequence", "body", 2, 3, 2, 1),
    ]
    assert [s.times for s in report.steps] == [1, 5, 5, 1, 1]


def test_the_load_of_tiles_adds_up():
    """Each tile computes what it would alone; in each step the slowest tile is the step's."""
    net = Net()
    a = net.input("a", [400], 0)
    net.add(a, a, 1, name="first")
    net.prog = program.Sequence([program.Repeat(3, net.prog)])
    net.add(a, a, 1, 2, name="both")
    report = net.report()
    first, both = report.steps
    assert report.tileComputeCycles.tolist()[2:] == [both.computeCycles, 0]
    assert report.tileComputeCycles[1] == 3 * first.computeCycles + both.computeCycles
    assert report.tileReceivedBytes.sum() == report.exchangeBytes
    mean = sum(s.times * s.meanComputeCycles for s in report.steps)
    assert report.tileComputeCycles.sum() == pytest.approx(mean * report.tiles)


def test_each_ipu_has_the_cycles_of_its_slowest_tile():
    graph = poplar.Graph(poplar.Target.createIPUTarget(2, 4, "ipu2"))
    a = graph.addVariable(FLOAT, [400], "a")
    for tile, (begin, end) in {0: (0, 100), 1: (100, 120), 5: (120, 400)}.items():
        graph.setTileMapping(a.slice(begin, end), tile)
    graph.createHostWrite("a", a)
    prog = program.Sequence()
    popops.mapInPlace(graph, pe.Exp(pe._1), [a], prog, "exp")
    (step,) = MachineReport.of(poplar.Engine(graph, [prog])).steps
    assert step.ipus == [0, 1]
    assert step.ipuComputeCycles[0] < step.ipuComputeCycles[1] == step.computeCycles
