"""What is wrong with a graph or a program: errors of Poplar's own kinds, and what they say."""

import re
from pathlib import Path

import numpy as np
import pytest

from popir import errors, poplar, popops
from popir.poplar import FLOAT, INT, UNSIGNED_INT, program

LINEAR = poplar.VariableMappingMethod.LINEAR
MAPPING = errors.poplar_invalid_tile_mapping
CONNECTION = errors.poplar_graph_connection_error
STREAM = errors.poplar_stream_connection_error
OPTION = errors.poplar_invalid_option
COMPILATION = errors.poplar_graph_program_compilation_error


@pytest.fixture
def graph():
    return poplar.Graph(poplar.IPUModel().createDevice())


def variable(graph, shape, name="v", dtype=FLOAT):
    return graph.addVariable(dtype, shape, LINEAR, name)


def refused(kind, words):
    return pytest.raises(kind, match=re.escape(words))


@pytest.mark.parametrize("tile", [1472, 5000, 2**32 - 1])
def test_a_tile_out_of_range(graph, tile):
    with refused(MAPPING, f"tile {tile} given, the target has 1472"):
        graph.setTileMapping(variable(graph, [4]), tile)


def test_a_mapping_that_overlaps_goes_too_far_or_leaves_elements_out(graph):
    t = graph.addVariable(FLOAT, [10], "half")
    with refused(MAPPING, "element 3 is given to tile 0 and to tile 2; give each element once"):
        graph.setTileMapping(t, [[(0, 4)], [], [(3, 10)]])
    with refused(MAPPING, "elements up to 11 given, the tensor has 10"):
        graph.setTileMapping(t, [[(0, 11)]])
    graph.setTileMapping(t, [[(0, 4)], [(6, 10)]])
    with refused(MAPPING, "2 of 10 elements of"):
        graph.getTileMapping(t)
    with refused(MAPPING, "variable 'half' of shape [10] (variable"):
        poplar.Engine(graph, program.Sequence())


def test_a_part_of_another_graph(graph):
    other = poplar.Graph(poplar.IPUModel().createDevice())
    mine, theirs = variable(graph, [4], "mine"), variable(other, [4], "theirs")
    with refused(CONNECTION, "the tensor belongs to another graph"):
        graph.setTileMapping(theirs, 0)
    with refused(CONNECTION, "the tensor belongs to another graph"):
        graph.createHostRead("r", theirs)
    for source, target in (theirs, mine), (mine, theirs):
        with refused(CONNECTION, "belong to different graphs"):
            program.Copy(source, target)
    with refused(CONNECTION, "a tensor of another graph"):
        poplar.Engine(graph, program.Repeat(2, program.Copy(theirs, theirs)))
    # Both have variable 0, but streams and compute sets are their graphs' too.
    stream = other.addHostToDeviceFIFO("s", FLOAT, 4)
    with refused(CONNECTION, "uses stream 's' of another graph"):
        poplar.Engine(graph, program.Copy(stream, mine))
    with refused(CONNECTION, "uses a compute set of another graph"):
        poplar.Engine(graph, program.Execute(other.addComputeSet("cs")))


SCALE = """
#include <poplar/Vertex.hpp>
struct Scale : poplar::Vertex {
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  void compute() {}
};
"""


def test_parts_of_another_graph_that_have_the_same_number(graph):
    other = poplar.Graph(poplar.IPUModel().createDevice())
    mine, theirs = variable(graph, [4], "mine"), variable(other, [4], "theirs")
    for each in graph, other:
        each.addCodelets(SCALE)
        each.addFunction(program.Sequence())
    cs, foreign = graph.addComputeSet("cs"), other.addComputeSet("cs")
    vertex, their_vertex = graph.addVertex(cs, "Scale"), other.addVertex(foreign, "Scale")
    words = "Tensor(float [4] of variables [0]) belongs to another graph than the first tensor"
    with refused(CONNECTION, words):
        poplar.concat([mine, theirs])
    with refused(CONNECTION, "the compute set is not of this graph"):
        graph.addVertex(foreign, "Scale")
    with refused(CONNECTION, "the vertex is not of this graph"):
        graph.setTileMapping(their_vertex, 0)
    with refused(CONNECTION, "the vertex is not of this graph"):
        graph.connect(their_vertex["in"], mine)
    with refused(CONNECTION, "field 'in' (Input<Vector<float>>) of vertex 'Scale'"):
        graph.connect(vertex["in"], theirs)
    with refused(CONNECTION, "program 'sum' uses a compute set of another graph"):
        poplar.Engine(graph, program.Repeat(2, program.Execute(foreign, "sum")))
    call = program.Call(other.addFunction(program.Sequence()))
    with refused(CONNECTION, "uses a function of another graph"):
        poplar.Engine(graph, call)
    with refused(CONNECTION, "program 'p' uses Tensor(float [4] of variables [0])"):
        poplar.Engine(graph, program.PrintTensor("p", theirs))


def test_sizes_that_nothing_has(graph):
    for shape in [2**62, 8], [2**40, 2**40], [2**63]:
        with refused(errors.poplar_graph_memory_allocation_error, "more elements than any machine"):
            graph.addVariable(FLOAT, shape, "huge")
    for shape in [-4], [2.5]:
        with pytest.raises(TypeError):
            graph.addVariable(FLOAT, shape, "none")


def test_an_interval_that_ends_before_it_begins(graph):
    with refused(MAPPING, "elements from 3 to 1 given for tile 1, which end before they begin"):
        graph.setTileMapping(variable(graph, [4]), [[], [(3, 1)]])


def test_an_index_out_of_range(graph):
    t = variable(graph, [2, 3])
    with pytest.raises(IndexError, match=r"index 2 given for a tensor of shape \[2,3\]"):
        t[2]
    assert [row.shape() for row in t] == [[3], [3]]


def test_a_copy_goes_by_elements(graph):
    """PopLibs' CTC inference copies [b,n,1,1] to [b,n,1]: shapes may differ, numbers may not."""
    t, flat = variable(graph, [2, 3], "t"), variable(graph, [6], "flat")
    graph.setInitialValue(t, np.arange(6, dtype=np.float32).reshape(2, 3))
    graph.createHostRead("flat", flat)
    engine = poplar.Engine(graph, program.Copy(t.expand([2]), flat))
    engine.run(0)
    found = np.zeros(6, np.float32)
    engine.readTensor("flat", found)
    assert found.tolist() == [0, 1, 2, 3, 4, 5]


def test_copies_of_what_does_not_fit(graph):
    t = variable(graph, [2, 3], "t")
    for other, words in [
        (variable(graph, [2, 4]), "the source has 6 elements of float, the destination 8 of float"),
        (variable(graph, [2, 3], dtype=INT), "6 elements of float, the destination 6 of int"),
        (poplar.Tensor(), "the destination is not a valid tensor"),
    ]:
        with refused(CONNECTION, words):
            program.Copy(t, other)
    with refused(CONNECTION, "Copy: the source is not a valid tensor"):
        program.Copy(poplar.Tensor(), t)
    stream = graph.addHostToDeviceFIFO("s", FLOAT, 5)
    with refused(STREAM, "stream 's' has 5 elements of float, the tensor is"):
        program.Copy(stream, t)
    with refused(STREAM, "stream 's' is not valid for this direction"):
        program.Copy(variable(graph, [5]), stream)


def test_writing_through_a_view_that_shows_an_element_twice(graph):
    once = variable(graph, [3], "once")
    twice = once.expand([0]).broadcast(2, 0)
    words = "it holds constants or an element twice"
    with refused(CONNECTION, words):
        program.Copy(variable(graph, [2, 3]), twice)
    with refused(CONNECTION, "stream 's' cannot fill"):
        program.Copy(graph.addHostToDeviceFIFO("s", FLOAT, 6), twice)
    with refused(CONNECTION, words):
        graph.createHostWrite("w", twice)
    with refused(CONNECTION, words):
        program.Copy(once, graph.addConstant(FLOAT, [3], [1, 2, 3]))
    with refused(CONNECTION, "Graph::setInitialValue: Tensor(float [2,3] of variables [0]) holds"):
        graph.setInitialValue(twice, np.zeros((2, 3), np.float32))
    graph.addCodelets(SCALE)
    with refused(CONNECTION, "field 'out' (Output<Vector<float>>) of vertex 'Scale'"):
        graph.addVertex(graph.addComputeSet("cs"), "Scale", {"out": twice.flatten()})
    with refused(CONNECTION, f"operand 0 cannot be written, {words}"):
        popops.zero(graph, twice, program.Sequence())
    function = graph.addHostFunction("f", [], [(FLOAT, 6)])
    with refused(CONNECTION, "host function 'f' cannot write Tensor(float [2,3] of variables [0])"):
        program.Call(function, [], [twice])


@pytest.mark.parametrize(
    ("handle", "inputs", "outputs"),
    [
        ("remote buffer:read first 16 4 9999 b", [], [(FLOAT, 4)]),
        ("remote buffer:read indexed 16 4 9999 b", [(UNSIGNED_INT, 1)], [(FLOAT, 4)]),
        ("remote buffer:write first 16 4 1 b", [], [(FLOAT, 4)]),
        ("remote buffer:read first 4611686018427387905 4 1 b", [], [(FLOAT, 1)]),
        ("remote buffer:read first", [], [(FLOAT, 1)]),
    ],
)
def test_host_functions_with_the_handle_of_a_remote_buffer(graph, handle, inputs, outputs):
    function = graph.addHostFunction(handle, inputs, outputs)
    tensors = [[variable(graph, [n], dtype=t) for t, n in each] for each in (inputs, outputs)]
    with refused(
        errors.poplar_exception, "has the handle of a copy from or to a remote buffer, and"
    ):
        poplar.Engine(graph, [program.Call(function, *tensors)])


def test_remote_buffers_that_no_host_holds(graph):
    function = graph.addHostFunction(f"remote buffer:read first 16 {1 << 50} 1 b", [], [(FLOAT, 4)])
    with refused(errors.poplar_graph_memory_allocation_error, "Engine: remote buffer 'b'"):
        poplar.Engine(graph, [program.Call(function, [], [variable(graph, [4])])])


def test_streams_that_nobody_connected(graph):
    t = variable(graph, [4])
    programs = [
        program.Copy(graph.addHostToDeviceFIFO("in", FLOAT, 4), t),
        program.Copy(t, graph.addDeviceToHostFIFO("out", FLOAT, 4)),
    ]
    engine = poplar.Engine(graph, programs)
    for number, handle in enumerate(["in", "out"]):
        with refused(STREAM, f"stream '{handle}' is not connected; use Engine::connectStream"):
            engine.run(number)
    with refused(STREAM, "no stream 'inn'"):
        engine.connectStream("inn", np.zeros(4, np.float32))
    with refused(STREAM, "moves 16 bytes at a time"):
        engine.connectStream("in", np.zeros(5, np.float32))
    with refused(errors.poplar_tensor_io_state_error, "no tensor was given the handle 'w'"):
        engine.writeTensor("w", np.zeros(4, np.float32))
    with refused(errors.poplar_control_program_error, "program 2 given, the engine has 2"):
        engine.run(2)


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"numIPUs": "0"}, "numIPUs"),
        ({"numIPUs": "65"}, "numIPUs"),
        ({"tilesPerIPU": "-4"}, "tilesPerIPU"),
        ({"tilesPerIPU": "1e9"}, "tilesPerIPU"),
        ({"memoryBytesPerTile": "nan"}, "memoryBytesPerTile"),
        ({"tileClockFrequency": "-1"}, "tileClockFrequency"),
        ({"dataPathWidth": "33"}, "dataPathWidth"),
        ({"wheels": "4"}, "wheels"),
    ],
)
def test_targets_that_are_no_machines(figures, words):
    with refused(OPTION, words):
        poplar.Target.createIPUTarget(1, "ipu2", figures)


def test_an_ipu_nobody_knows():
    with refused(OPTION, "ipu9"):
        poplar.IPUModel("ipu9").createDevice()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"host.numThreads": "many"}, "host.numThreads is 'many', expected a number"),
        ({"debug.checkBounds": "yes"}, "debug.checkBounds is 'yes', expected true or false"),
        ({"autoReport.all": "1"}, "autoReport.all is '1', expected true or false"),
    ],
)
def test_options_with_values_they_do_not_have(graph, options, words):
    with refused(OPTION, words):
        poplar.Engine(graph, program.Sequence(), options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("debug.checkBounds", "expected '{' at character 0"),
        ('{"a": }', "expected a value at character 6"),
        ('{"a": "b"', "expected '}' at character 9"),
        ('{"a": "b"} c', "expected nothing more at character 11"),
    ],
)
def test_options_of_the_environment(graph, monkeypatch, text, words):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", text)
    with refused(OPTION, f"POPLAR_ENGINE_OPTIONS: {words}"):
        poplar.Engine(graph, program.Sequence())
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", '{"host.numThreads": 1, "autoReport.all": false}')
    assert poplar.Engine(graph, program.Sequence(), {"host.numThreads": "2"}).numThreads() == 1


CODELET = """
#include <poplar/Vertex.hpp>
struct Nothing : poplar::Vertex { void compute() {} };
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda b: b[:-5], "the file is damaged"),
        (lambda b: b[:-5] + b"12345", "the file is damaged"),
        (lambda b: b[:40], "the file is damaged"),
        (lambda b: b.replace(b"codelets\n6\n", b"codelets\n3\n"), "format '3', this popir reads 6"),
        (lambda b: b"\x7fELF" + b, "this is not a .gp file of popir's popc"),
        (lambda b: b"", "this is not a .gp file of popir's popc"),
    ],
    ids=["short", "changed", "header", "version", "other", "empty"],
)
def test_gp_files_that_are_none(graph, tmp_path: Path, change, words):
    from tests.toolchain import PACKAGE, run

    source = tmp_path / "nothing.cpp"
    source.write_text(CODELET)
    run(PACKAGE / "bin" / "popc", source, "-o", "it.gp", cwd=tmp_path)
    file = tmp_path / "it.gp"
    file.write_bytes(change(file.read_bytes()))
    with refused(COMPILATION, words):
        graph.addCodelets(str(file))
    with refused(CONNECTION, "this graph has none, use Graph::addCodelets"):
        graph.addVertex(graph.addComputeSet("cs"), "Nothing")
