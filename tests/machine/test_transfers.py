"""The time of transfers with the host: their bytes, their latency, and what goes on beside them."""

import pytest

from popir import poplar
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import FLOAT, Net

RATE, LATENCY, CLOCK = 5.5e9, 10e-6, 1.33e9


def test_streams_that_follow_one_another_in_one_direction_are_one_transfer():
    net = Net()
    a, b = (net.input(name, [1000], 0, 1, 2, 3) for name in "ab")
    ins = [net.graph.addHostToDeviceFIFO(f"in{i}", FLOAT, 1000) for i in range(2)]
    out = net.graph.addDeviceToHostFIFO("out", FLOAT, 1000)
    both = program.Sequence([program.Copy(ins[0], a), program.Copy(ins[1], b)])
    report = net.report(program.Repeat(5, program.Sequence([both, program.Copy(a, out)])))
    assert report.hostTransfers == 10
    assert report.hostSeconds == pytest.approx(5 * (3 * 4000 / RATE + 2 * LATENCY))
    assert (report.overlapSeconds, report.runSeconds) == (0, report.hostSeconds)
    assert any("10 us beside its bytes, which is a guess" in line for line in report.counts)


def test_the_latency_is_a_figure_of_the_machine():
    target = poplar.Target.createIPUTarget(1, 4, "ipu2", {"hostLatencySeconds": "0.001"})
    graph = poplar.Graph(target)
    a = graph.addVariable(FLOAT, [1000], poplar.VariableMappingMethod.LINEAR, "a")
    into = graph.addHostToDeviceFIFO("in", FLOAT, 1000)
    report = MachineReport.of(poplar.Engine(graph, [program.Copy(into, a)]))
    assert report.hostSeconds == pytest.approx(4000 / RATE + 0.001)


SERVER = 25e9


def streamed(ipus: int, *where: range, **figures: str) -> MachineReport:
    """4096 bytes to each of some variables, which are spread over these IPUs of 4 tiles."""
    graph = poplar.Graph(poplar.Target.createIPUTarget(ipus, 4, "ipu2", figures))
    prog = program.Sequence()
    for n, of in enumerate(where):
        t = graph.addVariable(FLOAT, [1024], f"x{n}")
        for i, ipu in enumerate(of):
            each = 1024 // len(of)
            graph.setTileMapping(t.slice(i * each, (i + 1) * each), 4 * ipu)
        into = graph.addHostToDeviceFIFO(f"in{n}", FLOAT, 1024)
        prog.add(program.Copy(into, t))
    return MachineReport.of(poplar.Engine(graph, [prog]))


@pytest.mark.parametrize(
    ("where", "most"),
    [
        ((range(1), range(3, 4)), 8192),  # of one machine
        ((range(1), range(4, 5)), 4096),  # of two
        ((range(8),), 2048),
        ((range(8), range(7, 8)), 6144),
    ],
)
def test_each_machine_has_a_link_to_the_host(where: tuple[range, ...], most: int) -> None:
    report = streamed(8, *where)
    (transfer,) = report.transfers
    assert (transfer.withHost, transfer.times) == (True, 1)
    assert (transfer.bytes, transfer.gatewayBytes) == (4096 * len(where), most)
    assert report.hostTransfers == 1
    assert report.hostSeconds == pytest.approx(most / RATE + LATENCY)


def test_the_machines_of_a_pod_share_its_servers() -> None:
    each = [range(ipu, ipu + 1) for ipu in range(0, 64, 4)]
    assert 4096 / RATE < 16 * 4096 / SERVER
    assert streamed(64, *each).hostSeconds == pytest.approx(16 * 4096 / SERVER + LATENCY)
    four = streamed(64, *each, serversPerPod="4")
    assert four.hostSeconds == pytest.approx(4096 / RATE + LATENCY)


def prefetched(elements: int, adds: int, io: int) -> MachineReport:
    """Ten times: what has come to tile `io` is copied to tile 0, what comes next is streamed, and
    tile 0 computes.
    """
    net = Net()
    x, staged = net.input("x", [elements], 0), net.input("staged", [elements], io)
    into = net.graph.addHostToDeviceFIFO("in", FLOAT, elements)
    body = program.Sequence([program.Copy(staged, x), program.Copy(into, staged)])
    for _ in range(adds):
        net.add(x, x, 0, prog=body)
    return net.report(program.Repeat(10, body))


def seconds(report: MachineReport, kind: str) -> float:
    """Of one execution of all steps of a kind."""
    return sum(step.cycles for step in report.steps if step.kind == kind) / CLOCK


def test_a_short_transfer_of_io_tiles_takes_no_time():
    report = prefetched(1000, 40, 3)
    each = 4000 / RATE + LATENCY
    assert each < seconds(report, "Execute")
    assert report.hostSeconds == pytest.approx(10 * each)
    assert report.overlapSeconds == pytest.approx(report.hostSeconds)
    assert report.runSeconds == pytest.approx(report.cycles / CLOCK)
    assert any("overlap with the cycles" in line for line in report.counts)


def test_a_long_transfer_of_io_tiles_waits_for_what_is_left():
    report = prefetched(20000, 1, 3)
    assert seconds(report, "Execute") < 80000 / RATE + LATENCY
    assert report.overlapSeconds == pytest.approx(10 * seconds(report, "Execute"))
    assert "us of them beside compute" in report.summary


def test_tiles_that_compute_transfer_nothing_beside_it():
    report = prefetched(1000, 40, 0)
    assert report.hostSeconds > 0 and report.overlapSeconds == 0
    assert report.runSeconds == pytest.approx(report.cycles / CLOCK + report.hostSeconds)


def test_what_is_used_at_once_does_not_overlap():
    net = Net()
    x, staged = net.input("x", [1000], 0), net.input("staged", [1000], 3)
    into = net.graph.addHostToDeviceFIFO("in", FLOAT, 1000)
    prog = program.Sequence([program.Copy(into, staged), program.Copy(staged, x)])
    net.add(x, x, 0, prog=prog)
    report = net.report(program.Repeat(10, prog))
    assert report.hostTransfers == 10 and report.overlapSeconds == 0


def test_an_exchange_has_a_start_of_its_own():
    cycles = []
    for start in ("0", "50"):
        target = poplar.Target.createIPUTarget(1, 4, "ipu2", {"exchangeStartCycles": start})
        graph = poplar.Graph(target)
        a, b = (graph.addVariable(FLOAT, [100], name) for name in "ab")
        graph.setTileMapping(a, 0)
        graph.setTileMapping(b, 1)
        graph.createHostWrite("a", a)
        graph.createHostRead("b", b)
        report = MachineReport.of(poplar.Engine(graph, [program.Copy(a, b)]))
        assert any(f"{start} to start it" in line and "a guess" in line for line in report.counts)
        cycles.append(report.syncCycles)
    assert cycles[1] == cycles[0] + 50


def streamed_arrays(elements: int, method: str) -> MachineReport:
    """What BabelStream's program has on an IPU: three arrays, which are streamed in and back. Each
    tile has as many elements as the next, within one; or they lie as streams do.
    """
    graph = poplar.Graph(poplar.Target.createIPUTarget(1, "ipu1"))
    tiles = graph.getTarget().getNumTiles()
    prog, back = program.Sequence(), program.Sequence()
    for name in "abc":
        array = graph.addVariable(FLOAT, [elements], poplar.VariableMappingMethod.LINEAR, name)
        if method == "own":
            array, at = graph.addVariable(FLOAT, [elements], name), 0
            for tile in range(tiles):
                here = elements // tiles + (tile < elements % tiles)
                graph.setTileMapping(array.slice(at, at + here), tile)
                at += here
        into = graph.addHostToDeviceFIFO(f"{name}.in", FLOAT, elements)
        out = graph.addDeviceToHostFIFO(f"{name}.out", FLOAT, elements)
        prog.add(program.Copy(into, array))
        back.add(program.Copy(array, out))
    options = {"debug.allowOutOfMemory": "true"}
    return MachineReport.of(poplar.Engine(graph, [program.Sequence([prog, back])], options))


BABEL_STREAM = 16_185_000
"""The largest array of floats that fitted a GC2: UoB-HPC/BabelStream, pull request 70. Its author
writes of a later version, which fills the arrays by vertices, that a stream copy "creates a very
large FIFO which limits the array size even further".
"""


def test_a_stream_that_is_rearranged_has_a_copy_on_the_tiles() -> None:
    own, linear = (streamed_arrays(BABEL_STREAM, method) for method in ("own", "linear"))
    array = 4 * -(-BABEL_STREAM // 1216)

    def bytes_of(report: MachineReport, category: str) -> int:
        (row,) = (row for row in report.memory if row.category == category)
        return int(max(row.tileBytes))

    assert bytes_of(own, "host exchange buffers") == pytest.approx(array, rel=0.001)
    assert bytes_of(linear, "host exchange buffers") == 0
    assert own.tilesOutOfMemory == linear.tilesOutOfMemory == 0
    # Not three arrays but four are what fits at most.
    most = 262_144 // 16 * 1216 + 600
    assert streamed_arrays(most, "own").tilesOutOfMemory > 1200
    assert streamed_arrays(most, "linear").tilesOutOfMemory == 0
