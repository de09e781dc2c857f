"""The machine reading: cycles, exchange and memory of programs, worked out by hand."""

import re
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import errors, poplar, poplin
from popir._device import popops
from popir.poplar import program
from popir.profile import MachineReport
from tests.machine.net import CALL, FLOAT, SYNC, Net, parts
from tests.toolchain import CACHED_CXX, ROOT, popir_config, run

STACK = 376


def test_an_addition_on_one_tile():
    net = Net()
    net.add(net.input("a", [1000], 2), net.input("b", [1000], 2), 2)
    report = net.report()
    assert parts(report) == (1697, 0, CALL)
    (row,) = report.operations
    assert (row.name, row.vertexClass, row.times) == ("add", "popops::BinaryOp1D", 1)
    assert (row.cycles, row.exchangeBytes, row.flops) == (1697 + CALL, 0, 1000)
    assert report.seconds == report.cycles / 1.33e9


def test_the_mapping_makes_the_cost():
    """The fullest of two tiles has 600 elements: 100 a worker, 50 vectors, 11 + 6 (29 + 150)."""
    net = Net()
    a, b = net.input("a", [1200], 0, 1), net.input("b", [1200], 0, 1)
    net.add(a, b, 0, 1)
    assert parts(net.report()) == (1085, 0, CALL)


def test_operands_on_another_tile_travel_at_four_bytes_a_cycle():
    """Tile 0 receives 500 of b's elements, tile 1 sends them."""
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 0, 1)
    net.add(a, b, 0)
    report = net.report()
    assert parts(report) == (1697, 500, SYNC + CALL)
    assert report.exchangeBytes == 2000
    gathered = {m.category: m.fullestTileBytes for m in report.memory}["gathered operands"]
    assert (gathered, report.fullestTile) == (2000, 0)


def test_exchange_takes_as_long_as_the_tile_that_sends_most():
    """Tile 0 sends 250 elements to each of three tiles."""
    net = Net()
    a, b = net.input("a", [1000], 0, 1, 2, 3), net.input("b", [1000], 0)
    net.add(a, b, 0, 1, 2, 3)
    assert parts(net.report())[1] == 750


def test_a_word_is_sent_once_for_all_its_readers():
    """Each tile receives all ten elements of b; tile 0 sends them once."""
    net = Net()
    a, b = net.input("a", [40, 10], 0, 1, 2, 3), net.input("b", [10], 0)
    net.add(a, b.expand([0]).broadcast(40, 0), 0, 1, 2, 3)
    report = net.report()
    assert (report.exchangeCycles, report.exchangeBytes) == (10, 3 * 40)


def test_a_transposed_operand_travels_in_spans():
    """Of a 2 x 500 matrix by rows, half of each tile's part of the transpose is elsewhere.

    250 elements of 4 bytes, each by itself: three slots of control for each.
    """
    net = Net()
    a, b = net.input("a", [500, 2], 0, 1), net.input("b", [2, 500], 0, 1)
    net.add(a, b.transpose(), 0, 1)
    report = net.report()
    assert (report.exchangeCycles, report.exchangeBytes) == (3 * 250, 2 * 1000)


@pytest.mark.parametrize(
    ("words", "cycles"),
    [(100, 500), (2, 15)],
    ids=["long spans cost their bytes", "short ones their control: 5 of 3 slots"],
)
def test_spans(words, cycles):
    """Rows lie on two tiles in turn; tile 0 wants all ten, of which five arrive."""
    net = Net()
    a, b = net.input("a", [10, words], 0), net.input("b", [10, words], 0)
    for row in range(1, 10, 2):
        net.map(b[row], 1)
    net.add(a, b, 0)
    assert net.report().exchangeCycles == cycles


def test_a_span_of_a_broadcast_operand_arrives_once():
    """A vector of 10 on two tiles, added to 40 rows on a third: two spans, 10 words."""
    net = Net()
    a, b = net.input("a", [40, 10], 2), net.input("b", [10], 0, 1)
    net.add(a, b.expand([0]).broadcast(40, 0), 2)
    report = net.report()
    assert (report.exchangeCycles, report.exchangeBytes) == (10, 40)


def test_a_copy_within_a_tile_and_between_tiles():
    """500 elements stay, 288 + 2000/8 cycles; 500 travel."""
    net = Net()
    a, b = net.input("a", [1000], 0, 1), net.input("b", [1000], 0, 2)
    net.prog.add(program.Copy(a, b, "move"))
    report = net.report()
    assert parts(report) == (250, 500, SYNC + CALL)
    assert [row.vertexClass for row in report.operations] == ["Copy"]


def test_repeat_multiplies():
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 1)
    net.add(a, b, 0)
    once, often = net.report(), net.report(program.Repeat(7, net.prog))
    assert parts(often) == tuple(7 * part for part in parts(once))
    assert often.exchangeBytes == 7 * once.exchangeBytes
    assert often.operations[0].times == 7
    assert often.operations[0].cycles == 7 * once.operations[0].cycles


def test_a_function_called_twice_is_one_row():
    net = Net()
    net.add(net.input("a", [1000], 0), net.input("b", [1000], 0), 0)
    call = program.Call(net.graph.addFunction(net.prog))
    report = net.report(program.Sequence([call, call]))
    assert parts(report) == (2 * 1697, 0, 2 * CALL)
    assert [row.times for row in report.operations] == [2]


def test_the_dearer_branch_and_one_round_of_a_loop_are_counted_and_said():
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 0)
    flag = net.input("flag", [], 0, dtype=poplar.BOOL)
    cheap, dear = program.Sequence(), program.Sequence()
    net.add(a, b, 0, prog=cheap, name="cheap")
    net.add(a, b, 1, prog=dear, name="dear")
    branch = net.report(program.If(flag, cheap, dear))
    assert [row.name for row in branch.operations] == ["dear"]
    assert parts(branch) == (1697, 2000, SYNC + CALL)
    assert any("the dearer" in line for line in branch.counts)
    loop = net.report(program.RepeatWhileTrue(program.Sequence(), flag, cheap))
    assert parts(loop) == (1697, 0, CALL)
    assert any("counted once" in line for line in loop.counts)
    assert not any("counted once" in line for line in branch.counts)


def test_host_streams_are_counted_apart():
    """A linear variable is where the stream brings it."""
    net = Net()
    a = net.input("a", [1000], 0, 1, 2, 3)
    into = net.graph.addHostToDeviceFIFO("in", FLOAT, 1000)
    out = net.graph.addDeviceToHostFIFO("out", FLOAT, 1000)
    report = net.report(
        program.Repeat(3, program.Sequence([program.Copy(into, a), program.Copy(a, out)]))
    )
    assert (report.cycles, report.hostBytesIn, report.hostBytesOut) == (0, 12000, 12000)
    assert report.hostSeconds == pytest.approx(24000 / 5.5e9 + 6 * 10e-6)
    assert "12000 bytes in, 12000 bytes out, 6 transfers (64.4 us)" in report.summary


def test_what_a_stream_brings_is_rearranged():
    """It lies on four tiles first, 250 words each, in a copy; tile 2 gets what the others have."""
    net = Net()
    a = net.input("a", [1000], 2)
    into = net.graph.addHostToDeviceFIFO("in", FLOAT, 1000)
    out = net.graph.addDeviceToHostFIFO("out", FLOAT, 1000)
    report = net.report(program.Sequence([program.Copy(into, a), program.Copy(a, out)]))
    assert parts(report) == (0, 2 * 750, 2 * SYNC)
    assert (report.rearrangementCycles, report.rearrangementBytes) == (2 * 750, 2 * 3000)
    buffers = {m.category: m.tileBytes.tolist() for m in report.memory}["host exchange buffers"]
    assert buffers == [1000, 1000, 1000, 1000]


def test_memory_is_what_lives_and_where():
    """a and b stay, 4000 bytes each; of the chain t, u, v two sums live at a time."""
    net = Net()
    a, b = net.input("a", [1000], 0), net.input("b", [1000], 1)
    t = net.add(a, a, 0)
    u = net.add(t, t, 0)
    v = net.add(u, u, 0)
    net.prog.add(program.Copy(v, b))
    constant = net.graph.addConstant(FLOAT, [10], 1.0)
    net.graph.setTileMapping(constant, 3)
    report = net.report()
    assert report.fullestTile == 0
    categories = {m.category: (m.totalBytes, m.fullestTileBytes) for m in report.memory}
    assert categories["temporaries"] == (8000, 8000)
    assert categories["variables"] == (8000, 4000)
    assert categories["stack"] == (4 * STACK, STACK)
    code = 490 + 8 * 4  # of the program, and of three sums and a copy
    assert categories["control code"] == (4 * code, code)
    assert sum(total for total, _ in categories.values()) == report.totalBytes
    assert sum(tile for _, tile in categories.values()) == report.maxTileBytes
    assert report.tilesOutOfMemory == 0


def test_code_is_that_of_the_assembly_of_a_class():
    """A fill is assembly in PopLibs, 144 bytes of it; a sum is taken to be a short loop."""
    net = Net()
    a = net.input("a", [1000], 1)
    code = []
    for change in (
        lambda: net.add(a, a, 1),
        lambda: net.add(a, a, 1),
        lambda: popops.zero(net.graph, a, net.prog, "zero"),
    ):
        change()
        code.append({m.category: m.totalBytes for m in net.report().memory}["vertex code"])
    assert code == [166, 166, 166 + 144]


@pytest.mark.parametrize("asked", [None, 2048])
def test_code_of_contractions(asked):
    """1,212 bytes of `ConvPartial1x1Out`, in each tile that has a part; or what is asked for."""
    options = {} if asked is None else {"contractionCodeBytes": asked}
    target = poplar.Target.createIPUTarget(1, 4, "ipu2", options)
    graph = poplar.Graph(target)
    prog = program.Sequence()
    a, b = (graph.addVariable(FLOAT, [64, 64], name) for name in "ab")
    for t in (a, b):
        graph.setTileMapping(t, 0)
    poplin.matMul(graph, a, b, prog, debugContext="product")
    report = MachineReport.of(poplar.Engine(graph, [prog]))
    assert {o.vertexClass for o in report.operations} == {"poplin::ConvPartial1x1Out"}
    code = {m.category: m.fullestTileBytes for m in report.memory}["vertex code"]
    assert code == (asked or 1212)


def test_constants_that_are_used_count():
    net = Net()
    constant = net.graph.addConstant(FLOAT, [1000], 1.0)
    net.graph.setTileMapping(constant, 3)
    net.add(net.input("a", [1000], 3), constant, 3)
    categories = {m.category: m.totalBytes for m in net.report().memory}
    assert categories["constants"] == 4000


def out_of_memory() -> Net:
    """Tile 2 has 31 variables, the largest of 80,000 bytes, and two sums at a time."""
    net = Net()
    for i in range(30):
        net.input(f"v{i}", [1000 + 250 * i], 2)
    a = net.input("a", [20_000], 2)
    t = net.add(net.add(a, a, 2, name="first"), a, 2, name="second")
    net.add(t, a, 1, name="third")
    return net


def test_out_of_memory_names_tile_bytes_and_the_largest():
    used = STACK + 4 * (sum(1000 + 250 * i for i in range(30)) + 3 * 20_000)
    assert used > 638976
    with pytest.raises(errors.poplar_graph_memory_allocation_error) as error:
        out_of_memory().engine()
    text = str(error.value)
    assert f"Out of memory on tile 2: {used} bytes used but tiles only have 638976 bytes" in text
    assert "(1 tile out of memory)" in text
    assert re.findall(r"'(\w+)' (\d+) \((\w+)\);", text)[:4] == [
        ("a", "80000", "variables"),
        ("first", "80000", "temporaries"),
        ("second", "80000", "temporaries"),
        ("v29", "33000", "variables"),
    ]
    assert len(re.findall(r"\);", text)) == 10
    assert "debug.allowOutOfMemory" in text


def test_out_of_memory_may_be_allowed_and_is_counted():
    net = out_of_memory()
    engine = poplar.Engine(net.graph, [net.prog], {"debug.allowOutOfMemory": "true"})
    report = MachineReport.of(engine)
    assert (report.tilesOutOfMemory, report.bytesPerTile, report.fullestTile) == (1, 638976, 2)
    assert any("1 tiles would be out of memory" in line for line in report.counts)
    assert len(report.owners) == 10
    assert [o.name for o in report.owners[:3]] == ["a", "first", "second"]
    assert "80000  first (temporaries)" in report.summary
    with pytest.raises(errors.poplar_invalid_option, match="allowOutOfMemory is 'yes', expected"):
        poplar.Engine(net.graph, [net.prog], {"debug.allowOutOfMemory": "yes"})


def test_what_vertices_gather_and_code_are_looked_at_where_little_room_is_left():
    """Tile 1 has 520,000 bytes of variables and the sum; what comes from tile 0 is too much."""
    net = Net()
    a, b = net.input("a", [40_000], 0), net.input("b", [40_000], 1)
    net.add(a, b, 1, name="sum")
    net.input("c", [50_000], 1)
    with pytest.raises(errors.poplar_graph_memory_allocation_error) as error:
        net.engine()
    assert "'sum' 160000 (gathered operands)" in str(error.value)
    assert "Out of memory on tile 1" in str(error.value)


def test_code_fits_where_instructions_are_fetched_from():
    """That is the memory that is not interleaved, as the glossary of the PopVision Graph Analyser
    says.
    """

    def engine(region: int):
        net = Net()
        net.graph = poplar.Graph(
            poplar.Target.createIPUTarget(1, 4, "ipu2", {"interleavedMemoryOffset": str(region)})
        )
        a, b = net.input("a", [40_000], 0), net.input("b", [40_000], 1)
        net.add(a, b, 0, name="sum")
        return net.engine()

    report = MachineReport.of(engine(212_992))
    kinds = ("vertex code", "exchange code", "control code")
    code = sum(int(m.tileBytes[0]) for m in report.memory if m.category in kinds)
    assert report.tilesOutOfMemory == 0
    less = (code - 1) // 8 * 8
    engine(less + 8)
    with pytest.raises(
        errors.poplar_graph_memory_allocation_error,
        match=f"Out of memory on tile 0: {code} bytes of code but instructions are fetched from "
        rf"the first {less} bytes only \(interleavedMemoryOffset\) \(1 tile out of memory\)",
    ):
        engine(less)


def test_partial_sums_fit_into_interleaved_memory():
    """PopLibs' vertices on the units write partial sums there: a plan takes what room there is."""

    def engine(offset: int, memory: str = "1"):
        target = poplar.Target.createIPUTarget(
            1, 4, "ipu2", {"interleavedMemoryOffset": str(offset)}
        )
        graph = poplar.Graph(target)
        prog = poplar.program.Sequence()
        make = {"partialsType": "half", "availableMemoryProportion": memory}
        shapes = [320, 64], [64, 320]
        a = poplin.createMatMulInputLHS(graph, poplar.HALF, poplar.HALF, *shapes, "a", make)
        b = poplin.createMatMulInputRHS(graph, poplar.HALF, poplar.HALF, *shapes, "b", make)
        poplin.matMul(graph, a, b, prog, poplar.HALF, "product", make)
        return poplar.Engine(graph, [prog])

    wide = MachineReport.of(engine(212_992))
    assert wide.interleavedBytesPerTile == 638_976 - 212_992
    assert wide.interleavedBytes.tolist() == [160 * 160 * 2] * 4
    code = [m.tileBytes for m in wide.memory if m.category.endswith("code")]
    assert wide.nonInterleavedBytes.tolist() == sum(code).tolist()
    narrow = MachineReport.of(engine(638_976 - 30_000))
    assert narrow.interleavedBytes.max() <= narrow.interleavedBytesPerTile == 30_000
    assert narrow.cycles > wide.cycles
    assert narrow.tilesOutOfMemory == 0
    # Without room for any, products are those of a vertex without units.
    bare = MachineReport.of(engine(638_968))
    assert bare.interleavedBytes.tolist() == [0] * 4
    assert bare.cycles > narrow.cycles


def test_a_session_raises_popart_s_own_error():
    rng = np.random.default_rng(0)
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [4, 600], "x")
    w = builder.addInitializedInputTensor(rng.random((600, 600), np.float32), "weights")
    y = builder.aiOnnx.matmul([x, w])
    builder.addOutputTensor(y)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 1, "ipuVersion": "ipu2"})
    dataFlow = popir.DataFlow(1, [y])
    session = popir.InferenceSession(builder.getModelProto(), dataFlow, device)
    with pytest.raises(popir.OutOfMemoryException, match="Out of memory on tile 0") as error:
        session.prepareDevice()
    assert "'weights' 1440000 (variables)" in str(error.value)
    assert "Memory Usage: " in error.value.getSummaryReport()
    assert error.value.getProfilePath() == ""
    options = popir.SessionOptions()
    options.engineOptions = {"debug.allowOutOfMemory": "true"}
    session = popir.InferenceSession(builder.getModelProto(), dataFlow, device, userOptions=options)
    session.prepareDevice()
    assert session.getReport().tilesOutOfMemory == 1


def test_temporaries_that_do_not_live_together_fit():
    """Ten sums of 100,000 bytes one after another: two at a time, and a."""
    net = Net()
    a = t = net.input("a", [25_000], 0)
    for _ in range(10):
        t = net.add(t, a, 0)
    net.prog.add(program.Copy(t, a))
    report = net.report()
    assert report.owners[0].bytes == report.owners[2].bytes == 100_000 > report.owners[3].bytes
    assert report.tilesOutOfMemory == 0


def test_what_a_vertex_gathers_is_an_owner():
    net = Net()
    net.add(net.input("a", [1000], 0), net.input("b", [1000], 1), 0, name="sum")
    owners = [(o.name, o.category, o.bytes) for o in net.report().owners]
    assert sorted(owner for owner in owners if owner[2] == 4000) == [
        ("a", "variables", 4000),
        ("sum", "gathered operands", 4000),
        ("sum", "temporaries", 4000),
    ]


def test_types_that_no_ipu_holds_are_named():
    net = Net()
    net.input("a", [10], 0, dtype=poplar.LONGLONG)
    net.input("b", [10], 0)
    assert any("long long: 1 variables, 80 bytes" in line for line in net.report().counts)
    other = Net()
    other.input("b", [10], 0)
    assert not any("No IPU holds" in line for line in other.report().counts)


def test_every_element_wise_function_has_an_estimator():
    net = Net()
    a, b = net.input("a", [6, 8], 0), net.input("b", [6, 8], 1)
    truth = net.input("truth", [6, 8], 0, dtype=poplar.BOOL)
    column = b.slice(0, 1, 1).broadcast(8, 1)
    row = b.slice(0, 1, 0).broadcast(6, 0)
    for name in ("exp", "sin", "relu", "isNaN", "abs"):
        getattr(popops, name)(net.graph, a, net.prog, name)
    for name in ("add", "div", "lt", "pow", "max"):
        for other in (b, row, column, b[0][0].reshape([1, 1])):
            getattr(popops, name)(net.graph, a, other, net.prog, name)
    popops.addInPlace(net.graph, a, b, net.prog)
    popops.expInPlace(net.graph, a, net.prog)
    popops.select(net.graph, a, b, truth, net.prog)
    popops.clamp(net.graph, a, b, row, net.prog)
    report = net.report()
    assert len(report.operations) == 29
    assert all(row.computeCycles > 0 for row in report.operations)
    assert not any("No estimator" in line for line in report.counts)


def test_costing_changes_nothing_that_the_engine_executes():
    net = Net()
    net.add(net.input("a", [1000], 0), net.input("b", [1000], 1), 2)
    engine = net.engine()
    before = engine.planText(), engine.arenaBytes()
    first, second = MachineReport.of(engine), MachineReport.of(engine)
    assert (engine.planText(), engine.arenaBytes()) == before
    assert first == second
    assert net.engine().planText() == before[0]


def test_a_program_that_is_not_there():
    with pytest.raises(errors.poplar_exception, match="program 1 given, the engine has 1"):
        MachineReport.of(Net().engine(), 1)


def test_the_summary_says_what_it_counts():
    net = Net()
    net.add(net.input("a", [1000], 2), net.input("b", [1000], 2), 2, name="layer1/bias")
    report = net.report()
    assert "Cycles: 1985 (1.5 us), compute 1697, exchange 0, sync 288" in report.summary
    assert "1985  layer1/bias (popops::BinaryOp1D, 1 time)" in report.summary
    assert all(line in report.summary for line in report.counts)
    assert any(
        "that of PopLibs' assembly, where it is of that, else 166 bytes" in line
        for line in report.counts
    )


def test_the_profile_summary_of_a_cpp_program(tmp_path: Path):
    source, binary = Path(__file__).with_name("profile_summary.cpp"), tmp_path / "program"
    flags = popir_config("--cflags"), popir_config("--libs")
    run(*CACHED_CXX, "-std=c++11", *flags[0], source, *flags[1], "-o", binary, cwd=tmp_path)
    text = run(binary, cwd=tmp_path)
    assert text.count("Target: ipu2, 1472 tiles") == 3
    # A call each, 288; 4800/8 to copy on a tile; 738 to fill, twice on one tile, once on each.
    assert re.findall(r"^Cycles: (\d+) .*compute (\d+)", text, re.MULTILINE) == [
        ("888", "600"),
        ("1764", "1476"),
        ("1026", "738"),
    ]


def test_a_vertex_without_an_estimator_has_no_number_and_is_named(tmp_path: Path):
    source, binary = Path(__file__).with_name("unknown_vertex.cpp"), tmp_path / "program"
    flags = popir_config("--cflags"), popir_config("--libs")
    own = ["-std=c++17", "-I", ROOT / "cpp", ROOT / "cpp/kernels/kernel.cpp"]
    run(*CACHED_CXX, *own, *flags[0], source, *flags[1], "-o", binary, cwd=tmp_path)
    text = run(binary, cwd=tmp_path)
    assert "Cycles: at least 288 (" in text and "compute 0," in text
    assert "     unknown  juggling (popops::Juggle, 1 time)" in text
    assert "Nobody says what vertices of class 'popops::Juggle' take" in text
