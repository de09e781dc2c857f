"""Poplar programs in C++, compiled with the installed headers and run by themselves."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import popir
from tests.toolchain import CACHED_CXX, attempt, popir_config, run

SOURCES = Path(__file__).with_name("programs")


def build(name: str, folder: Path) -> Path:
    """The program `name`, as C++11, with no warning, linked as Poplar's users do."""
    cflags, libs = popir_config("--cflags"), popir_config("--libs")
    source, binary = SOURCES / f"{name}.cpp", folder / name
    words = [*CACHED_CXX, "-std=c++11", "-Wall", "-Werror", *cflags, source, *libs, "-o", binary]
    run(*words, "-lpoplar", "-lpopops", "-lpoplin", "-lpva", "-lpvti", cwd=folder)
    return binary


def test_streams_loops_and_handles(tmp_path: Path):
    result = attempt(build("streams", tmp_path), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    first, second, last = "0 1 2 3 2.5 2 1.5 1", "4 5 6 7 2.5 2 1.5 1", "4 5 6 7"
    assert result.stdout.split("|")[0].split() == f"{first} {second} {last}".split()
    assert "tile 5000 given, the target has 1472" in result.stdout
    assert "a: [4.0000000 5.0000000 6.0000000 7.0000000]" in result.stderr


def test_counted_loops_and_options_from_json(tmp_path: Path):
    lines = run(build("loops", tmp_path), cwd=tmp_path).splitlines()
    assert lines.pop(1).endswith("'sums' has 12 bytes, a buffer of 8 given")
    assert lines[0] == "10 21 0 1 -18"
    assert lines[1] == "popops::countedLoop: a step of 0 given"
    assert lines[2].startswith(
        "popops::countedForLoop: the limit is one element of INT or UNSIGNED"
    )
    assert lines[3].split(" ", 3)[:3] == ["flag=true", "kept=no", "number=0.5"]
    assert lines[3].endswith('text=a "b" ')
    assert lines[4].startswith("poplar::readJSON: expected a value at character")
    assert lines[5] == "305"


def test_functions_that_few_programs_call(tmp_path: Path):
    """What each line says follows from the program by hand."""
    lines = run(build("spellings", tmp_path), cwd=tmp_path).splitlines()
    assert lines[:9] == [
        "70",
        "-1",
        "20",
        "20 ErrorProgram: the value is no case of the Switch 'checked': 3",
        "3 Abort: enough",
        "3 Abort: program 'named'",
        "6",
        "5 Abort: stopped",
        "true",
    ]
    assert lines[9:14] == [
        "011101",  # half of `a` has no tile; of `c`, a constant, no tile has a variable
        "01 a, c",
        "variable 0 'a' [3, 6)",
        "variable 1 'c' [0, 3)",
        "0",
    ]
    assert lines[14].endswith("is float; quarter has metadata")
    assert lines[15] == "[1,3,1][2,3][2,3]"
    assert lines[16] == "1011 3-4 0-1 2-3 5-6 | 1-2 0-1 2-3 5-6"
    assert lines[17].endswith("given, expected 6 elements")
    assert lines[18].endswith("elements from 3 to 7 given, there are 6")
    assert lines[19:22] == [
        "[2,2,3]4111",
        "clones: Graph::cloneN: 0 clones given, expected 1 or more",
        "10 65535",
    ]
    assert lines[22] == "1"
    assert "use Graph::setPerfEstimate or registerPerfEstimator" in lines[23]
    assert lines[24] == "200 5 6"
    assert "no codelet 'Columns'" in lines[25] and "has no field 'inn'" in lines[26]
    assert lines[27] == f"{(1 + 2) * 3 - 2 * (3 + 4) * 3} 1 2"
    assert lines[28] == "53566"  # the half's tiles are 1, 3, 5 and 7
    assert "tile 2 given, which this virtual graph has not" in lines[29]
    assert "tile 4 given, there are 4" in lines[30] and "an IPU has 4" in lines[31]
    assert "replication factor 0" in lines[32]
    assert lines[33] == f"24 4 {2**15 - 1} -65504 {2**64 - 1} 3"
    assert "depend on a tensor's metadata" in lines[34]
    assert "numIPUs = 0 given, expected a whole number from 1 to 64" in lines[35]
    assert lines[36:] == ["121 6 3 2 b", "111 .cpp c++"]


def test_devices_by_id_and_written_executables(tmp_path: Path):
    lines = run(build("written", tmp_path), cwd=tmp_path).splitlines()
    assert lines[0] == "0 1472"
    assert lines[1] == "DeviceManager::getDevice: no device has id 1; expected one below 1"
    assert lines[2] == "0 1 2 1472 1473 1474 "  # three tiles of each IPU
    assert "expected different ones, at least one, of 1472" in lines[3]
    assert lines[4:] == ["8 48", "0 2 12"]


def test_rows_that_are_reduced_over_ipus_stay_on_theirs(tmp_path: Path):
    assert run(build("within", tmp_path), cwd=tmp_path).split() == (
        ["1", "5", "9", "9", "12", "18", "24", "9", "12"]
    )


def test_what_limits_traffic_between_ipus(tmp_path: Path):
    """Links carry 85 % of 128 Gibit/s. IPUs 0 and 1, 2 and 3 are partners, of four links; what goes
    to the other rung takes two links along its side, and first two to the partner if it ends on the
    other side. What a model states takes the links' place.
    """
    text = run(build("exchange_limits", tmp_path), cwd=tmp_path)
    links, stated, *summaries, errors = text.split("--\n")
    link, expected = 128 * 2**30 * 0.85, []
    for ipu in range(4):
        partner, beside = ipu ^ 1, ipu ^ 2
        far = beside ^ 1
        expected += [
            (4, [(ipu, partner)]),
            (2, [(ipu, far)]),
            (2, [(ipu, beside), (partner, beside)]),
        ]
    given = []
    for line in links.splitlines():
        rate, *flows = line.split()
        assert float(rate) / link == pytest.approx(round(float(rate) / link), rel=1e-4)
        given.append((round(float(rate) / link), sorted((int(f[0]), int(f[1])) for f in flows)))
    assert sorted(given) == sorted((rate, sorted(flows)) for rate, flows in expected)
    count, first = stated.split("\n", 1)
    assert count == "2"
    refused, second = summaries[0].split("\n", 1)
    # 400,000 bytes on each flow, and the 100,000 words that a tile takes.
    bits = 8 * 400_000
    for summary, seconds in ((first, 2 * bits / 1e9), (second, bits / 2.5e8)):
        assert f"exchange {round(seconds * 1.33e9) + 100_000}," in summary
        assert "links between IPUs as the model limits them" in summary
    assert refused.startswith("a program for an IPUModel with globalExchangeConstraints cannot be")
    assert errors.splitlines() == [
        "IPUModel::globalExchangeConstraints: a bandwidth above 0 was expected, in bits a second; "
        "given was 0.000000",
        "IPUModel::globalExchangeConstraints: a flow between two of the model's 4 IPUs was "
        "expected; given was one from 0 to 4",
        "IPUModel::globalExchangeConstraints: a flow between two of the model's 4 IPUs was "
        "expected; given was one from 2 to 2",
    ]


def test_what_a_device_says_spans_as_csv_and_slices_by_lists(tmp_path: Path):
    lines = run(build("devices", tmp_path), cwd=tmp_path).splitlines()
    words = dict(each.split("=") for each in lines[0].split(";")[:-1])
    assert words["tiles per ipu"] == "4" and words["ipu count"] == "1"
    assert words["ipu architecture"] == "ipu2" and words["simulated"] == "true"
    assert lines[0].endswith(";10")
    assert lines[1].startswith(
        'Device::getAttribute: "board" given, expected one of bytes per tile'
    )
    assert lines[2] == "program,from,to"
    (span,) = [line for line in lines[3:] if line.startswith('"') and "twice" in line]
    assert span.startswith('"say ""twice""')
    begin, end = (int(word) for word in span.rsplit(",", 2)[1:])
    assert 0 <= begin < end
    version = next(i for i, line in enumerate(lines) if line == "popir")
    rest = lines[version + 1 :]
    assert rest[0].replace(" ", "") == "[2,6][2,3]1"
    assert "need as many values as each other" in rest[1]
    assert rest[2:4] == ["00110", "2-5 5-6 0-2 64"]
    assert rest[4].startswith(
        "popops::getSliceMapping: of a tensor {8, 64}, slices of the sizes {1}"
    )
    # 16 rows of 3 elements each have a tile, every second one of them the tile 2.
    spread, partly = (list(map(int, each.split())) for each in rest[5:7])
    assert sum(spread) == sum(partly) == 48 and spread[2] == 0 and partly[2] == 24
    assert rest[7:] == ["111110000010"]


def test_what_a_cpu_leaves_without_a_tile_and_memory_by_category(tmp_path: Path):
    matrix, vector = np.arange(12.0).reshape(3, 4), np.arange(1.0, 5)
    lines = run(build("unmapped", tmp_path), cwd=tmp_path).splitlines()
    product = matrix @ vector
    assert [float(x) for x in lines[0].split()] == [*2 * product, *product, 1]
    assert "elements" in lines[1] and "tile" in lines[1], lines[1]
    assert lines[2] == "ipu2 IPU-POD16"
    assert lines[3:] == ["4000 111", "0 001"]


def test_cycles_by_popsys_and_a_profile_that_is_reset(tmp_path: Path):
    runs, later, *cycles, value = map(int, run(build("cycles", tmp_path), cwd=tmp_path).split())
    assert (runs, later) == (2, 2)
    stamp, stamp_above, count, count_above = cycles
    assert stamp == count > 1000 / 2 and stamp_above == count_above == 0
    assert value == 2**4  # doubled in each run


def test_types_that_a_branch_never_uses(tmp_path: Path):
    first, second = run(build("foreign_types", tmp_path), cwd=tmp_path).splitlines()
    assert first == "22"
    assert "a C++ type that no type of the device is equivalent to" in second


def test_a_half_of_ones_own_engines_of_one_executable_and_orders_of_clones(tmp_path: Path):
    lines = run(build("own_half", tmp_path), cwd=tmp_path).splitlines()
    assert lines[0].split() == "5 4 3 2 1 0 6 7 1".split()  # variable by variable
    assert lines[1].split() == "2 1 0 7 6 5 3 4 6".split()  # tiles 3, 4 and 5
    refused = "popops::expr::Const: TypeTraits describe a value of 3 bytes that is no number"
    assert lines[2:] == ["221101", "3", "-3", refused, "4 5.5", "4 5.5"]


def test_an_executable_runs_in_another_process_without_sources(tmp_path: Path):
    binary = build("saved", tmp_path)
    saved = run(binary, "save", "it.poplar", cwd=tmp_path)
    # 1, counted and doubled twice: ((1 + 1) 2 + 2) 2 = 12; from then on calls are 3 and 4.
    rows = saved.splitlines()
    assert rows[0] == "negative: [-576.00000 -720.00000]"  # 3 rows of 12 (1 + 3 + 5 + 7) ...
    assert rows[1] == "12 12 576 720"
    assert rows[3] == "24 24 1152 1440"
    gone = tmp_path / "elsewhere"
    gone.mkdir()
    (tmp_path / "it.poplar").rename(gone / "it.poplar")
    loaded = run(binary, "load", "it.poplar", cwd=gone, env={"CXX": "no-such-compiler"})
    assert loaded == saved


def test_remote_buffers_switches_and_profiles(tmp_path: Path):
    binary = build("remote", tmp_path)
    env = {"PVTI_OPTIONS": '{"enable": "true"}'}
    lines = run(binary, cwd=tmp_path, env=env).split("\n", 20)
    assert lines[0] == "3.3.0 1"
    assert lines[1].endswith("a remote buffer with handle 'rows' exists already")
    assert "has rows of 4 elements of float, 1 of them are copied" in lines[2]
    assert lines[3] == "Switch: the case 7 occurs twice"
    assert lines[4] == "7-8 6-7 5-6 ; 3-4 2-3 1-2 0-1 ; "
    assert lines[5] == "digraph vertices { 1"
    zeros = "0 0 0 0"
    assert lines[6] == f"2 4 6 8 {zeros} 10 12 14 16 "
    assert lines[7].replace("-0", "0") == f"-2 -4 -6 -8 {zeros} -10 -12 -14 -16 "
    assert lines[8].replace("-0", "0") == f"4 8 12 16 {zeros} 20 24 28 32 "
    assert lines[9] == lines[8]
    assert lines[10] == "100"
    assert "no program of this engine uses a remote buffer 'columns'" in lines[11]
    assert "row 3 of replica 0 given, 'rows' has 3 rows" in lines[12]
    assert "a row of 'rows' has 16 bytes, 4 given" in lines[13]
    assert "remote buffer 'rows' has 3 rows, a program copies row 3" in lines[14]
    assert lines[15] == "1"
    execution, graph = json.loads(lines[16]), json.loads("\n".join(lines[17:]))
    assert execution["runs"] == [0] * 5 and execution["programs"][0]["cycles"] > 100
    assert graph["target"]["tiles"] == 1472 == len(graph["memory"]["byTile"]["total"])
    dumped, shown = (tmp_path / "program.json").read_text().splitlines()
    program = json.loads(dumped)
    assert program["kind"] == "Sequence"
    assert program["programs"][0]["kind"] == "HostCall"
    assert "Execute" in dumped and "computeSet" in dumped
    assert shown.startswith("Tensor(float ")
    (trace,) = tmp_path.glob("pvti-*.json")
    events = json.loads(trace.read_text())
    assert [event["ph"] for event in events] == ["B", "C", "E"]
    assert events[0]["args"] == {"n": "3"} and events[1]["args"] == {"car": 2.5}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda b: b[:-9], r"damaged: it has \d+ bytes, expected \d+; compile the graph again"),
        (lambda b: b[:-9] + b"x" * 9, "damaged: its content is not what was written; compile"),
        (lambda b: b.replace(popir.__version__.encode(), b"0.0.0", 1), "written by popir 0.0.0"),
        (lambda b: b"#!/bin/sh\n" + b, "this is no executable that popir wrote"),
        (lambda b: b"", "this is no executable that popir wrote"),
    ],
    ids=["short", "changed", "version", "other file", "empty"],
)
def test_what_is_no_executable_is_refused(change: Callable[[bytes], bytes], words: str):
    from popir import errors, poplar

    graph = poplar.Graph(poplar.Target.createCPUTarget())
    whole = poplar.compileGraph(graph, [poplar.program.Sequence()]).serialize()
    assert poplar.Executable.deserialize(whole).serialize() == whole
    with pytest.raises(errors.poplar_exception, match=words):
        poplar.Executable.deserialize(change(whole))


def test_callbacks_and_host_functions(tmp_path: Path):
    lines = run(build("callbacks", tmp_path), cwd=tmp_path).splitlines()
    # What arrives is changed where the result is to be, whose buffer is asked for first.
    unconnected = "Engine::run: stream 'out' is not connected; use Engine::connectStream"
    no_function = "Engine::run: host function 'twice' is not connected; use "
    no_function += "Engine::connectHostFunction"
    assert lines[0] == lines[6] == unconnected
    assert lines[1] == lines[7] == no_function
    # The first transfer's result is lost. 20 is there already; the third transfer comes late and is
    # fetched. A prefetch that waits for the last result holds up neither.
    assert lines[2] == lines[8] == "40 60 80 100 "
    assert lines[3] == (
        "fetch complete prefetch complete late fetch complete prefetch complete prefetch complete "
        "late "
    )
    assert lines[9] == "fetch complete " * 5
    assert lines[4] == lines[10] == "200 400 "
    assert "Engine::connectStream: called from a callback of this engine's own run" in lines[5]
    wrong = [
        "no host function 'thrice'; the graph has: twice",
        "replica 1 given for 'twice', there is one, number 0",
        "no stream 'inn'; the graph has: in, out",
        "host function 'twice' has 1 inputs, 2 given",
        "host function 'twice' has as input 0 1 elements of int, the tensor is",
        "host function 'twice' cannot write",
        "a host function with handle 'twice' exists already",
    ]
    assert len(lines) == 11 + len(wrong)  # without prefetch, nobody uses the engine meanwhile
    for line, words in zip(lines[11:], wrong, strict=True):
        assert words in line


def test_conditions(tmp_path: Path):
    """What follows AbortOnCondition does not run; the program before it has."""
    lines = run(build("conditions", tmp_path), cwd=tmp_path).splitlines()
    assert lines[0] == "ran 3"
    assert "AbortOnCondition: the condition of 'guard' is true" in lines[1]
    assert lines[-2:] == ["2", "AssumeEqualAcrossReplicas: the tensor is not valid"]


def test_printing(tmp_path: Path):
    assert run(build("printing", tmp_path), cwd=tmp_path) == (
        "scalar: 0.5000000\n"
        "bool: [1 0]\n"
        "ints: [\n [ 1 -2  3]\n [40 50 60]\n]\n"
        "half: [1.0000 1024.0000]\n"
        "large: [1.0000000e+10 -1.0000000e+00 inf]\n"
        "small: [1.0000000e-06 nan]\n"
        "cube: [\n [\n  [1 2]\n ]\n [\n  [3 4]\n ]\n]\n"
        "empty: []\n"
        "long: [ 0  1 ... 28 29]\n"
        "wide: [ 0  1  2  3\n  4  5  6  7\n  8  9 10 11]\n"
        "own: {1.50e+00,2.00e+00}\n"
        "plain: [1.5 2]\n"
    )


def test_profiles(tmp_path: Path):
    binary = build("report", tmp_path)
    own = run(binary, cwd=tmp_path)
    rows = own.splitlines()
    version = f"popir {popir.__version__}"
    assert rows[0] == f"{version}; ipu21 1472 1; 1 1 2; 1472 1; 1"
    names = [row.split()[:2] for row in rows[2:]]
    assert names == [["in", "10"]] * 6 + [["stage", "01"]] * 2 + [["out", "10"]] * 3
    spans = [tuple(map(int, row.split()[2:])) for row in rows[2:]]
    assert spans[0][0] == 0
    assert all(a[1] == b[0] for a, b in zip(spans[:8], spans[1:8], strict=False))
    cycles = [end - begin for begin, end in spans]
    # Streams that follow one another are one transfer, of one latency: 10 us and 4,000 bytes.
    transfer = (10e-6 + 4000 / 5.5e9) * 1.85e9
    assert abs(cycles[1] - transfer) < 1
    assert abs(cycles[4] - 4000 / 5.5e9 * 1.85e9) < 1
    assert cycles[6] == cycles[7] > 1871  # float add in place of 1,000 elements, and a phase
    assert abs(cycles[9] - transfer) < 1
    # What has come is spread over the tiles after the transfer, what goes is gathered before it: on
    # one tile, at most 4 bytes a cycle. Nothing else is on the tiles.
    assert cycles[0] == cycles[3] == cycles[10] == 0
    assert cycles[2] == cycles[5] > 1000 - 8
    assert cycles[8] > 0
    # A run takes the report's cycles and the transfers.
    assert rows[1].startswith("run ")
    ran, counted = int(rows[1].split()[1]), int((tmp_path / "cycles").read_text())
    assert ran == counted + cycles[1] + cycles[4] + cycles[9]

    file = tmp_path / "reports" / "here" / "profile.pop"
    assert run(binary, file, cwd=tmp_path) == own
    file.write_bytes(file.read_bytes()[:-1])
    assert "is damaged" in run(binary, file, cwd=tmp_path)
    file.write_text("no profile")
    assert "is no profile that popir wrote" in run(binary, file, cwd=tmp_path)
    assert "cannot read" in run(binary, tmp_path / "none.pop", cwd=tmp_path)


def test_library_operations_beside_vertices_in_one_compute_set(tmp_path: Path):
    out, race, other, cycles = run(build("mixed", tmp_path), cwd=tmp_path).splitlines()
    assert out == "2 4 6 8 | 1 2 3 4"
    vertex = "field 'out' of vertex 'Twice' (number 0 of the graph, in compute set 'both')"
    assert race.startswith(f"Engine: {vertex} writes elements of 'y' from 2, which ")
    assert "of a library reads too; vertices of one compute set run at the same time" in race
    assert "of a library writes elements of 'x' from 0, which field 'in' of vertex" in other
    # A worker issues once in six cycles, and a call has 288 of its own. What an estimator says of
    # a type counts as if said of its vertices.
    assert cycles == "3888 3888 0"


def test_threads_share_an_engine(tmp_path: Path):
    """Also run with ThreadSanitizer: `python -m tests.sanitize --threads`."""
    assert run(build("threads", tmp_path), cwd=tmp_path) == "0 wrong, 60 runs\n"


def test_what_a_graph_shows_of_itself(tmp_path: Path):
    lines = run(build("shown", tmp_path), cwd=tmp_path).splitlines()
    # Elements 1, 2, 7, 8, 10 and 11 of t.
    assert lines[0] == "1[1,3) 1[7,9) 1[10,12) [0,2) [2,4) [4,6) "
    assert lines[1] == "[6][2,6] 1 1 1"
    # An addition on two tiles, executed twice.
    assert lines[2].startswith("2 2 110 twice")
    assert lines[3] == "./profile.pop Target: ipu2"
    assert lines[4] == (
        "convolution {half to half, batch 2, field [8, 9], kernel [3, 3], channels 4 to 5 in 1 "
        "groups, input {truncation [0, 0] [0, 0], dilation [1, 1], padding [1, 1] [0, 0], flip "
        "[0, 1]}}"
    )
    assert lines[5].startswith("ErrorProgram: it is wrong: [0 0]")
    graph = json.loads((tmp_path / "graph.json").read_text())
    assert [v["name"] for v in graph["variables"]] == ["t"]
    assert graph["variables"][0]["tiles"] == [[0, 6, 3], [6, 12, 7]]
    contexts = json.loads((tmp_path / "debug.json").read_text())["contexts"]
    assert [c["api"] for c in contexts] == ["aFunction"] and contexts[0]["name"] == "here"
    assert b"aFunction" in (tmp_path / "debug.cbor").read_bytes()


def test_replicas_after_a_failed_run_and_their_threads(tmp_path: Path):
    lines = run(build("failed_replicas", tmp_path), cwd=tmp_path).splitlines()
    # In the run that fails replica 0 takes the transfers 1 and 2 of each stream, replica 1 those of
    # number 1. Both go on with 3 and 4.
    for ahead, calls in ((0, "fetch complete " * 2), (1, "prefetch complete " * 2)):
        at = 4 * ahead
        assert lines[at] == "replica 1 cannot"
        assert lines[at + 1] == "told: 3 4 3 4"
        assert lines[at + 2] == "shared: 3 4 3 4 own: 5 7 6 8"
        assert lines[at + 3].endswith(calls), lines[at + 3]
    # One thread for each replica, and for each a second one, as its option says.
    assert lines[8] == "threads: 8"


def test_replicas_of_one_engine(tmp_path: Path):
    program = build("replicas", tmp_path)
    printed = run(program, cwd=tmp_path)
    assert run(program, "saved", cwd=tmp_path) == printed
    lines = printed.splitlines()
    own = np.arange(16.0).reshape(2, 4, 2)
    shared = np.array([[100, 200], [300, 400]])[:, None]
    called, told = 1000.0 * np.arange(4)[:, None], 1e4 * np.array([1, 2])[:, None, None]
    sums = np.repeat((own + shared + called + told).sum(1, keepdims=True), 4, 1)
    assert np.array_equal(np.array(lines[0].split()[1:], float), sums.ravel())
    assert lines[1] == "calls: 2"
    kept = 50.0 * np.arange(4)[:, None] + own.sum(0)  # the row, and what each run has added
    assert np.array_equal(np.array(lines[2].split()[1:], float), kept.ravel())
    assert np.array_equal(np.array(lines[3].split()[3:], float), kept[3])
    assert lines[4] == "printed: 8"
    assert lines[5].endswith("has 8 bytes on each of 4 replicas, a buffer of 8 given")
    assert lines[6].endswith(
        "moves 8 bytes at a time, on each of 4 replicas, a buffer of 24 bytes given"
    )
    assert lines[7].endswith("replica 4 given, the graph has 4, counted from 0")
    assert lines[8].endswith("replica 1 given, 'told' is broadcast: replica 0 has the callback")
    assert lines[9].endswith("replica 9 given, the graph has 4, counted from 0")
    functions = ("run", "readTensor", "copyFromRemoteBuffer", "connectHostFunction")
    for line, function in zip(lines[10:14], functions, strict=True):
        assert line.startswith(
            f"Engine::{function}: called from a callback of this engine's own run"
        )
    assert lines[14] == "calls: 100"
    assert lines[15].endswith("replica 1 given for 'in', there is one, number 0")


def test_copies_between_replicas(tmp_path: Path):
    program = build("replica_copies", tmp_path)
    printed = run(program, cwd=tmp_path)
    assert run(program, "saved", cwd=tmp_path) == printed
    lines = printed.splitlines()

    def passed(replicas: int, target: list[int], rounds: int) -> np.ndarray:
        values = np.arange(replicas * 3).reshape(replicas, 3)
        for _ in range(rounds):
            values = values[np.argsort(target)]  # replica r gives to target[r]
        return values.ravel()

    cases = [(4, [1, 2, 3, 0], 1), (4, [3, 1, 0, 2], 2), (1, [0], 3)]
    for line, case in zip(lines, cases, strict=False):
        assert np.array_equal(np.array(line.split(), int), passed(*case))
    assert lines[3].startswith("CrossReplicaCopy: the map names 1 of 2 replicas")
    assert "replica 1 cannot give to replica 1: the graph has 2 replicas" in lines[4]
    assert "replica 2 cannot give to replica 0" in lines[5]
    assert lines[6].endswith("overlap; copy to a variable between")
    assert lines[7].startswith("Copy: ") and "float" in lines[7]
    assert lines[8].endswith("is not a valid tensor")
    assert "the map names 0 of 2 replicas; each has to give to one" in lines[9]
    assert "replica 0 cannot give to replica 2" in lines[10]
    assert lines[11].startswith("Copy: the source has 3 elements of int, the destination 2 of int")
    assert all(each.endswith("constants or an element twice") for each in lines[12:14])
    assert "replica 0 cannot give to replica 1: the graph has 1 replicas" in lines[14]
    assert "the map names 0 of 1 replicas" in lines[15]
    assert lines[16].endswith("belong to different graphs") and len(lines) == 17


def test_collectives_of_popops_and_sizes_of_fields(tmp_path: Path):
    lines = run(build("former", tmp_path), cwd=tmp_path).splitlines()

    def shown(name: str) -> np.ndarray:
        (line,) = (each for each in lines if each.startswith(f"{name}:"))
        return np.array(line.split(":")[1].split(), "float32")

    # Each replica has one of the sums of elements 0, 3 and 4, and one of those of 1 and 2.
    sums = np.arange(20.0).reshape(4, 5).sum(axis=0)
    first, second = [*sums[[0, 3, 4]], 0], [*sums[[1, 2]], 0, 0]
    np.testing.assert_array_equal(shown("parts"), np.stack([first, second], 1).ravel())
    assert lines[1].endswith("a tensor of rank 2 given, expected a vector; flatten it")
    x, rows = np.arange(8.0).reshape(4, 2), np.arange(16.0).reshape(4, 4)
    for name, f in {"sum": np.sum, "max": np.max, "min": np.min, "changed": np.sum}.items():
        np.testing.assert_array_equal(shown(name), np.tile(f(x, axis=0), 4), name)
    np.testing.assert_array_equal(shown("part"), rows.sum(axis=0))
    np.testing.assert_array_equal(shown("all"), np.tile(x.ravel(), 4))
    np.testing.assert_array_equal(shown("exchanged"), rows.T.ravel())
    np.testing.assert_array_equal(shown("reduced"), [3, 5, 7] * 2)
    np.testing.assert_array_equal(shown("chunk0"), [3, 5])
    np.testing.assert_array_equal(shown("chunk1"), [7])
    np.testing.assert_array_equal(shown("gathered"), [3, 5, 7] * 2)
    refusals = lines[lines.index("gathered: 3 5 7 3 5 7") + 1 :]
    assert "expected ADD, MUL, MIN, MAX" in refusals[0]
    assert "the tensor is a scalar" in refusals[1]
    assert "the index 0 of a chunk occurs twice" in refusals[2]
    assert "must have the elements of one row" in refusals[3]
    assert "popops::allGather" in refusals[4] and "option 'no'" in refusals[4]
    assert refusals[5] == "65535 2147483647 4294967295 4294967295"
    assert "the field 'f' of Fields is not state of a whole number" in refusals[6]
    assert "the field 'x' of Fields is not state of a whole number" in refusals[7]
    assert refusals[8].startswith("Fields has no field 'z'; its fields: x, rows, y")
    assert "the field 'y' of Fields has 0 dimensions, 0 given" in refusals[9]
    assert "the field 'x' of Fields has 1 dimensions, 1 given" in refusals[10]


def test_declarations_that_few_programs_use(tmp_path: Path):
    """What each line says follows from the program by hand; a refusal says who refuses."""
    result = attempt(build("declared", tmp_path), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "target.syncMethod is 'polling', which has no meaning here" in result.stderr
    wanted = """application_runtime_error FLOATING_POINT_OVERFLOW 3
recoverable_runtime_error IPU_RESET 1
recoverable_runtime_error LINK_RESET 1
unrecoverable_runtime_error IPU_MEMORY_FAILURE 3
unknown_runtime_error HOST_SYNC_TIMEOUT 3
3 1 7
4 16
erase: Engine::eraseSimulatedError: tile 3 has no error
none: Engine::insertSimulatedError: NONE is no error
tile: Engine::insertSimulatedError: tile 99999 given, the device has 1472
name: Engine::getSimulatedErrorLocations: there is no compute set and no vertex
code: errorCodeFromString: there is no error 'NO_CODE'; take one of: NONE, UNKNOWN, TRAP,
1
reset: Engine::run: the device was reset after the engine was loaded; load it again
a list: index 7 is outside of it (made by 'made', file.cpp:12)
5
1
1
runtime: RuntimeOptions: there is no option 'opt.enableInlining'.
execute: Execute: what would be written to Tensor(int [1] of variables [0]) is not published
2 1
copy: Copy: the buffer does not hold the code of this function
buffer: Graph::addFunctionBuffer: the graph has no such function
number: Call: host function 3 is given as a number
1
segments: Module::forEachLoadableSegment: no code is compiled for a tile
0
options: Engine: there is no option 'no.suchOption'.
module: compileModule: the graph has stream 's'
88 00 88 8
other: setFloatingPointBehaviour: Tensor(unsigned int [1472] of variables [1]) is no tensor
cleared: getAndModifyFloatingPointBehaviour: inv is cleared, which is on
0.5 -1.25 3 0.5 -1.25 3 1.5 1.5
joined: Tensor::getMetadata: Tensor(quarter [6] of variables [1,17]) joins tensors of different
metadata: Graph::addConstant: float with metadata; only quarter has it
6 in 11
F152, scale 3
marked: Engine::connectStreamToCallback: the callback of stream 'in' has metadata
1rows101
way: Copy: stream 'rows' is not valid for this direction
block: Target::getTileHostExchangeXB: the blocks by which tiles reach the host are published for
register: Target::getFpIctlRegIndex: a simulated tile has no registers
external: Graph::addExternalVariable: 'ddr' would lie where others address it
vertex: Graph::addExternalExchangeVertex: 'V' would exchange data by the assembly of a tile
map: Graph::setInitialValue: what the numbers of a map are for a tensor is not published
driver: Device::getDriverVersion: simulated IPUs have no driver
0-110 16 1
child: DeviceManager::getDevice: no device has id 4; expected one below 1
ScaledPtr64 DeltaNElements 10
types: popops: a number of the host stands beside a tensor of int
x11""".splitlines()
    lines = result.stdout.splitlines()
    assert [line[: len(want)] for line, want in zip(lines, wanted, strict=True)] == wanted
