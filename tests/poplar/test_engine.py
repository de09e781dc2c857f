"""The engine: control flow, streams, handles, placement in the arena."""

import ml_dtypes
import numpy as np
import pytest

from popir import errors, poplar, popops, poputil
from popir.poplar import program
from popir.popops import expr as pe

LINEAR = poplar.VariableMappingMethod.LINEAR


@pytest.fixture
def graph():
    return poplar.Graph(poplar.Target.createCPUTarget())


def variable(graph, shape, dtype=poplar.FLOAT, name="v"):
    return graph.addVariable(dtype, shape, LINEAR, name)


def constant(graph, shape, values, dtype=poplar.FLOAT):
    t = graph.addConstant(dtype, shape, values)
    graph.setTileMapping(t, 0)
    return t


def test_handles_write_and_read_strided_tensors(graph):
    t = variable(graph, [3, 4])
    graph.createHostWrite("w", t.transpose())
    graph.createHostRead("r", t.slice(1, 3, 1))
    engine = poplar.Engine(graph, [program.Sequence()])
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    engine.writeTensor("w", values)
    out = np.empty((3, 2), np.float32)
    engine.readTensor("r", out)
    np.testing.assert_array_equal(out, values.T[:, 1:3])


def test_values_last_from_one_program_to_the_next(graph):
    t = variable(graph, [5])
    a, b = (
        graph.addHostToDeviceFIFO("a", poplar.FLOAT, 5),
        graph.addDeviceToHostFIFO("b", poplar.FLOAT, 5),
    )
    scratch = variable(graph, [5], name="scratch")
    clobber = program.Copy(constant(graph, [5], 7.0), scratch)
    programs = [
        program.Copy(a, t),
        program.Sequence([clobber, program.Copy(scratch, variable(graph, [5]))]),
        program.Copy(t, b),
    ]
    engine = poplar.Engine(graph, programs)
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    engine.connectStream("a", x)
    engine.connectStream("b", y)
    for p in range(3):
        engine.run(p)
    np.testing.assert_array_equal(x, y)


def test_streams_advance_in_a_repeat_and_start_again(graph):
    t = variable(graph, [2])
    a, b = (
        graph.addHostToDeviceFIFO("a", poplar.FLOAT, 2),
        graph.addDeviceToHostFIFO("b", poplar.FLOAT, 2),
    )
    out = variable(graph, [2])
    body = program.Sequence(
        [program.Copy(a, t), program.Copy(t.reverse(0), out), program.Copy(out, b)]
    )
    engine = poplar.Engine(graph, [program.Repeat(3, body)])
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    y = np.zeros((3, 2), np.float32)
    engine.connectStream("a", x)
    engine.connectStream("b", y)
    for _ in range(2):
        y[:] = 0
        engine.run()
        np.testing.assert_array_equal(y, x[:, ::-1])


def test_inputs_and_outputs_are_the_hosts_own_memory(graph):
    t, out = variable(graph, [1 << 16]), variable(graph, [1 << 16])
    a = graph.addHostToDeviceFIFO("a", poplar.FLOAT, 1 << 16)
    b = graph.addDeviceToHostFIFO("b", poplar.FLOAT, 1 << 16)
    prog = program.Sequence([program.Copy(a, t)])
    popops.mapWithOutput(graph, pe.Neg(pe._1), [t], out, prog)
    prog.add(program.Copy(out, b))
    engine = poplar.Engine(graph, [prog])
    assert engine.arenaBytes() < 1 << 16, "neither variable needs memory of its own"
    assert "bind a" in engine.planText() and "bind b" in engine.planText()
    x, y = np.random.default_rng(0).normal(size=(2, 1 << 16)).astype(np.float32)
    engine.connectStream("a", x)
    engine.connectStream("b", y)
    engine.run()
    np.testing.assert_array_equal(-x, y)


def test_an_output_on_top_of_an_input_is_staged(graph):
    t, out = variable(graph, [4]), variable(graph, [4])
    a, b = (
        graph.addHostToDeviceFIFO("a", poplar.FLOAT, 4),
        graph.addDeviceToHostFIFO("b", poplar.FLOAT, 4),
    )
    steps = [program.Copy(a, t), program.Copy(t.reverse(0), out), program.Copy(out, b)]
    engine = poplar.Engine(graph, [program.Sequence(steps)])
    x = np.arange(4, dtype=np.float32)
    engine.connectStream("a", x)
    engine.connectStream("b", x)
    engine.run()
    np.testing.assert_array_equal(x, [3, 2, 1, 0])


def test_callbacks_fill_and_drain_streams(graph):
    t = variable(graph, [3], poplar.INT)
    a, b = (
        graph.addHostToDeviceFIFO("a", poplar.INT, 3),
        graph.addDeviceToHostFIFO("b", poplar.INT, 3),
    )
    body = program.Sequence([program.Copy(a, t), program.Copy(t, b)])
    engine = poplar.Engine(graph, [program.Repeat(2, body)])
    got = []
    rounds = iter([[1, 2, 3], [4, 5, 6]])

    def fill(buffer):
        assert buffer.tolist() == [0, 0, 0]
        buffer[:] = next(rounds)
        filled.append(buffer)

    filled = []
    engine.connectStreamToCallback("a", fill)
    engine.connectStreamToCallback("b", got.append)
    engine.run()
    del engine, graph
    for kept in (filled, got):  # arrays that are the callback's, whatever becomes of the engine
        assert [each.tolist() for each in kept] == [[1, 2, 3], [4, 5, 6]]
        for each in kept:
            each[:] = 0


@pytest.mark.parametrize(("flag", "expected"), [(0, 2.0), (1, 1.0)])
def test_if(graph, flag, expected):
    predicate, t = variable(graph, [], poplar.INT), variable(graph, [1])
    graph.createHostWrite("p", predicate)
    graph.createHostRead("t", t)
    yes, no = (program.Copy(constant(graph, [1], v), t) for v in (1.0, 2.0))
    engine = poplar.Engine(graph, [program.If(predicate, yes, no)])
    engine.writeTensor("p", np.array(flag, np.int32))
    engine.run()
    out = np.zeros(1, np.float32)
    engine.readTensor("t", out)
    assert out[0] == expected


def test_repeat_while_true_stops_when_the_predicate_does(graph):
    """A shift register of flags: three rounds until the 0 arrives."""
    flags = variable(graph, [5], poplar.INT)
    graph.setInitialValue(flags, np.array([1, 1, 1, 0, 1], np.int32))
    trail = variable(graph, [5], poplar.INT)
    graph.setInitialValue(trail, np.zeros(5, np.int32))
    graph.createHostRead("flags", flags)
    graph.createHostRead("trail", trail)
    one = constant(graph, [1], 1, poplar.INT)
    body = program.Sequence(
        [
            program.Copy(poplar.concat([flags.slice(1, 5), one]), flags),
            program.Copy(poplar.concat([one, trail.slice(0, 4)]), trail),
        ]
    )
    loop = program.RepeatWhileTrue(program.Sequence(), flags[0], body)
    engine = poplar.Engine(graph, [loop])
    engine.run()
    out = np.zeros(5, np.int32)
    engine.readTensor("trail", out)
    assert out.tolist() == [1, 1, 1, 0, 0]
    engine.readTensor("flags", out)
    assert out.tolist() == [0, 1, 1, 1, 1]


def test_functions_are_called_where_they_stand(graph):
    t = variable(graph, [3], poplar.INT)
    graph.setInitialValue(t, np.array([1, 2, 3], np.int32))
    graph.createHostRead("t", t)
    rotate = graph.addFunction(program.Copy(poplar.concat([t.slice(1, 3), t.slice(0, 1)]), t))
    engine = poplar.Engine(graph, [program.Repeat(2, program.Call(rotate))])
    engine.run()
    out = np.zeros(3, np.int32)
    engine.readTensor("t", out)
    assert out.tolist() == [3, 1, 2]


def test_temporaries_share_the_arena(graph):
    """A chain of copies needs two buffers, not one each."""
    elements = 1 << 14
    chain = [variable(graph, [elements], name=f"t{i}") for i in range(20)]
    graph.createHostWrite("in", chain[0])
    graph.createHostRead("out", chain[-1])
    steps = [program.Copy(a, b) for a, b in zip(chain, chain[1:], strict=False)]
    engine = poplar.Engine(graph, [program.Sequence(steps)])
    assert engine.arenaBytes() < 5 * 4 * elements
    x, y = np.random.default_rng(1).normal(size=(2, elements)).astype(np.float32)
    engine.writeTensor("in", x)
    engine.run()
    engine.readTensor("out", y)
    np.testing.assert_array_equal(x, y)


def test_what_a_loop_reads_from_outside_survives_every_round(graph):
    """`kept` is written before the loop and read in it; the loop's temporaries lie elsewhere."""
    n = 4096
    source, kept, out = (variable(graph, [n], name=name) for name in ("source", "kept", "out"))
    temps = [variable(graph, [n], name=f"temp{i}") for i in range(4)]
    graph.createHostWrite("source", source)
    graph.createHostRead("out", out)
    noise = constant(graph, [n], -1.0)
    body = [program.Copy(kept, out), program.Copy(noise, temps[0])]
    body += [program.Copy(a, b) for a, b in zip(temps, temps[1:], strict=False)]
    step = program.Sequence([program.Copy(source, kept), program.Repeat(3, program.Sequence(body))])
    engine = poplar.Engine(graph, [step])
    x, y = np.random.default_rng(2).normal(size=(2, n)).astype(np.float32)
    engine.writeTensor("source", x)
    engine.run()
    engine.readTensor("out", y)
    np.testing.assert_array_equal(x, y)


def test_copies_of_a_tensor_onto_itself_see_the_old_values(graph):
    t = variable(graph, [3, 3], poplar.INT)
    values = np.arange(9, dtype=np.int32).reshape(3, 3)
    graph.setInitialValue(t, values)
    graph.createHostRead("t", t)
    engine = poplar.Engine(graph, [program.Copy(t.transpose(), t)])
    engine.run()
    out = np.zeros((3, 3), np.int32)
    engine.readTensor("t", out)
    np.testing.assert_array_equal(out, values.T)


@pytest.mark.parametrize("shape", [(3, 9), (4, 4), (64, 33), (67, 130), (2, 35, 21)])
@pytest.mark.parametrize("kind", [poplar.CHAR, poplar.SHORT, poplar.INT, poplar.LONGLONG])
def test_copies_from_and_to_transposed_tensors(graph, shape, kind):
    """Tiles of four by four, and what is left beside them."""
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    t = variable(graph, shape, kind)
    read, written = (variable(graph, [shape[d] for d in order], kind) for _ in range(2))
    for name, each in (("t", t), ("read", read), ("written", written)):
        (graph.createHostWrite if each is t else graph.createHostRead)(name, each)
    copies = [
        program.Copy(t.dimShuffle(order), read),
        program.Copy(t, written.dimShuffle(order)),
    ]
    engine = poplar.Engine(graph, [program.Sequence(copies)])
    dtype = np.dtype(f"i{kind.sizeInBytes()}")
    values = np.random.default_rng(0).integers(-128, 128, shape).astype(dtype)
    engine.writeTensor("t", values)
    engine.run()
    for name in ("read", "written"):
        out = np.empty([shape[d] for d in order], dtype)
        engine.readTensor(name, out)
        np.testing.assert_array_equal(out, values.transpose(order))


def test_programs_are_values(graph):
    t = variable(graph, [1])
    graph.setInitialValue(t, np.float32([0]))
    graph.createHostRead("t", t)
    sequence = program.Sequence()
    holder = program.Sequence([sequence])
    sequence.add(program.Copy(constant(graph, [1], 3.0), t))
    assert holder.isEmpty() is False and len(sequence) == 1
    assert program.Program().isEmpty() and program.Sequence().isEmpty()
    assert not program.Copy(t, t).isEmpty() and not sequence.isEmpty()
    out = np.zeros(1, np.float32)
    for programs, expected in (([holder], 0.0), ([sequence], 3.0)):
        engine = poplar.Engine(graph, programs)
        engine.run()
        engine.readTensor("t", out)
        assert out[0] == expected


def test_program_writes(graph):
    a, b, c = (variable(graph, [2]) for _ in range(3))
    step = program.Sequence([program.Copy(a, b), program.Repeat(2, program.Copy(b.reverse(0), c))])
    assert poplar.programWrites(graph, step) == b.variables() | c.variables()


def test_tile_mapping_of_views():
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
    t = graph.addVariable(poplar.FLOAT, [4, 6])
    graph.setTileMapping(t.slice(0, 3, 1), 5)
    graph.setTileMapping(t.slice(3, 6, 1), 7)
    mapping = graph.getTileMapping(t)
    assert mapping[5] == [(0, 3), (6, 9), (12, 15), (18, 21)]
    assert mapping[7] == [(3, 6), (9, 12), (15, 18), (21, 24)]
    assert graph.getTileMapping(t.transpose())[5] == [(0, 12)]
    clone = graph.clone(t.transpose())
    assert graph.getTileMapping(clone)[7] == [(12, 24)]
    linear = graph.addVariable(poplar.FLOAT, [10000], LINEAR)
    sizes = [sum(e - b for b, e in tile) for tile in graph.getTileMapping(linear)]
    used = [size for size in sizes if size > 0]
    assert sum(used) == 10000
    assert (min(used), max(used)) == (32, 34), "128 bytes at least on a tile, in grains of 8"


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (1, 2, 0), (0, 1, 2)])
def test_clones_have_the_order_of_dimensions_in_memory(order):
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
    t = graph.addVariable(poplar.FLOAT, [4, 1, 6], LINEAR)
    graph.setTileMapping(t.slice(0, 3, 2), 5)
    graph.setTileMapping(t.slice(3, 6, 2), 7)
    view, back = t.dimShuffle(order), list(np.argsort(order))
    clone = graph.clone(poplar.INT, view)
    assert clone.shape() == view.shape() and clone.elementType() == poplar.INT
    assert clone.dimShuffle(back).isContiguous()
    assert clone.isContiguous() == view.isContiguous()
    assert graph.getTileMapping(clone) == graph.getTileMapping(view)
    new = poplar.TensorCloneMethod.CREATE_NEW_ORDER
    other = poputil.duplicate(graph, view, program.Sequence(), method=new)
    assert other.isContiguous() and graph.getTileMapping(other) == graph.getTileMapping(view)
    for part in (view.slice(0, 1, order.index(2)), view.reverse(order.index(0)), view.flatten()):
        made = graph.clone(part)
        assert made.isContiguous() and graph.getTileMapping(made) == graph.getTileMapping(part)


METHODS = poplar.TensorCloneMethod


@pytest.mark.parametrize(
    "method",
    [METHODS.PRESERVE_ORDER_AND_ALIASES, METHODS.GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES],
)
def test_clones_have_aliases(method):
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
    t = graph.addVariable(poplar.FLOAT, [4, 6])
    graph.setTileMapping(t.slice(0, 3, 1), 5)
    graph.setTileMapping(t.slice(3, 6, 1), 3)
    other = graph.addVariable(poplar.FLOAT, [3])
    graph.setTileMapping(other, 4)
    row = t.slice(1, 2, 0).flatten()  # elements 6 to 8 on tile 5, 9 to 11 on tile 3
    shown = poplar.concat([row.reverse(0), other, row.slice(2, 4), other.slice(0, 1)])
    clone = graph.clone(poplar.INT, shown, method=method)
    assert clone.elementType() == poplar.INT and clone.shape() == shown.shape()
    assert clone.containsAliases()
    mapped, wanted = (
        [sorted(i for b, e in tile for i in range(b, e)) for tile in graph.getTileMapping(each)]
        for each in (clone, shown)
    )
    assert mapped == wanted
    for part, first in ((t, 0), (other, 100)):
        graph.setInitialValue(part, np.arange(first, first + part.numElements(), dtype=np.float32))
    steps = program.Sequence()
    copy = poputil.duplicate(graph, shown, steps, method=method)
    graph.createHostRead("copy", copy)
    engine = poplar.Engine(graph, [steps])
    engine.run(0)
    found = np.zeros(12, np.float32)
    engine.readTensor("copy", found)
    assert copy.containsAliases()
    assert found.tolist() == [11, 10, 9, 8, 7, 6, 100, 101, 102, 8, 9, 100]


def test_clones_of_permuted_slices_have_their_order():
    graph = poplar.Graph(poplar.IPUModel("ipu2").createDevice())
    t = graph.addVariable(poplar.FLOAT, [4, 6, 2], LINEAR)
    view = t.slice(1, 3, 0).slice(2, 5, 1).dimShuffle((2, 1, 0))
    clone = graph.clone(view)
    assert clone.dimShuffle((2, 1, 0)).isContiguous() and not clone.isContiguous()
    assert graph.getTileMapping(clone) == graph.getTileMapping(view)


def unmapped(g):
    """On a CPU they would be on its first tile."""
    bare, other = g.addVariable(poplar.FLOAT, [2], "bare"), g.addVariable(poplar.FLOAT, [2])
    return poplar.Engine(g, [program.Copy(bare, other)])


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (
            lambda _: unmapped(poplar.Graph(poplar.Target.createIPUTarget(1, 4, "ipu2"))),
            r"'bare' of shape .2. \(variable 0 of the graph\) has elements without a tile",
        ),
        (
            lambda g: program.Copy(variable(g, [2]), variable(g, [3])),
            "2 elements of float, the destination 3",
        ),
        (lambda g: program.Copy(variable(g, [2]), constant(g, [2], 1.0)), "cannot be written"),
        (
            lambda g: program.Copy(variable(g, [4]), variable(g, [2]).broadcast(2, 0)),
            "cannot be written",
        ),
        (
            lambda g: poplar.Engine(g, [program.Sequence()]).run(3),
            "program 3 given, the engine has 1",
        ),
        (
            lambda g: poplar.Engine(g, [program.Sequence()], {"host.numThreads": "many"}),
            "'many', expected a number",
        ),
        (
            lambda g: program.If(variable(g, [2]), program.Sequence(), program.Sequence()),
            "predicate must be one element",
        ),
        (lambda g: g.setTileMapping(variable(g, [2]), 99), "tile 99 given, the target has 1"),
        (
            lambda g: poplar.Engine(g, [program.Sequence()]).writeTensor(
                "x", np.zeros(1, np.float32)
            ),
            "handle 'x'",
        ),
        (lambda g: g.addConstant(poplar.FLOAT, [3], [1.0, 2.0]), "2 values given.*expected 1 or 3"),
        (lambda g: poplar.IPUModel("ipu9").createDevice(), "'ipu9' given, expected one of ipu1"),
    ],
)
def test_mistakes_are_told_in_words(graph, build, words):
    with pytest.raises(errors.poplar_exception, match=words):
        build(graph)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (None, "stream 'a' is not connected"),
        (np.zeros(3, np.float32), "moves 16 bytes at a time, a buffer of 12 bytes"),
        (np.zeros(4, np.int32), "'a' holds float, an array of dtype int32"),
        (np.zeros(8, np.float32)[::2], "not C-contiguous"),
    ],
)
def test_streams_that_do_not_fit(graph, array, words):
    t = variable(graph, [4])
    engine = poplar.Engine(
        graph, [program.Copy(graph.addHostToDeviceFIFO("a", poplar.FLOAT, 4), t)]
    )
    with pytest.raises(errors.poplar_exception, match=words):
        if array is not None:
            engine.connectStream("a", array)
        engine.run()
    engine.connectStream("a", np.zeros(4, np.float32))
    engine.run()


@pytest.mark.parametrize("size", [3, 5])
def test_arrays_of_another_size_than_the_tensor(graph, size):
    t = variable(graph, [4])
    graph.createHostWrite("w", t)
    graph.createHostRead("r", t)
    engine = poplar.Engine(graph, [program.Sequence()])
    words = f"has 4 elements, an array of {size} given"
    with pytest.raises(errors.poplar_tensor_io_state_error, match=f"writeTensor: 'w' {words}"):
        engine.writeTensor("w", np.zeros(size, np.float32))
    with pytest.raises(errors.poplar_tensor_io_state_error, match=f"readTensor: 'r' {words}"):
        engine.readTensor("r", np.zeros(size, np.float32))


def test_loading_again_brings_the_beginning_back(graph, monkeypatch):
    """What runs and writes have left is gone, in what is kept between runs too."""
    monkeypatch.delenv("POPLAR_ENGINE_OPTIONS", raising=False)  # a variable begins with zeros
    given, plain, kept = (variable(graph, [2], name=name) for name in ("given", "plain", "kept"))
    graph.setInitialValue(given, np.float32([3, 4]))
    graph.setInitialValue(kept, np.float32([10, 20]))
    result = variable(graph, [2], name="result")
    one = constant(graph, [2], [1, 1])
    prog = program.Sequence()
    for t in given, plain:
        popops.addInPlace(graph, t, one, prog)
    prog.add(program.Copy(popops.add(graph, kept, one, prog), result))
    for name, t in ("given", given), ("plain", plain), ("kept", kept), ("result", result):
        graph.createHostWrite(name, t)
        graph.createHostRead(name, t)
    engine = poplar.Engine(graph, [prog])

    def values():
        found = np.empty(2, np.float32)
        for name in "given", "plain", "kept", "result":
            engine.readTensor(name, found)
            yield found.tolist()

    device = poplar.Device.createCPUDevice()
    for _ in range(2):
        engine.load(device)
        assert list(values()) == [[3, 4], [0, 0], [10, 20], [0, 0]]
        engine.run(0)
        engine.run(0)
        assert list(values()) == [[5, 6], [2, 2], [10, 20], [11, 21]]
        engine.writeTensor("kept", np.float32([7, 8]))
        engine.run(0)
        assert list(values())[2:] == [[7, 8], [8, 9]]


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (poplar.FLOAT, np.float32),
        (poplar.HALF, np.float16),
        (poplar.BFLOAT16, ml_dtypes.bfloat16),
        (poplar.DOUBLE, np.float64),
        (poplar.INT, np.int32),
    ],
)
def test_poisoned_memory_shows_what_is_read_unwritten(graph, dtype, kind):
    t, written = variable(graph, [3], dtype), variable(graph, [3], dtype, "written")
    kept = variable(graph, [3], dtype, "kept")
    graph.setInitialValue(kept, [1, 2, 3])
    prog = program.Sequence()
    sums = popops.add(graph, t, kept, prog)
    popops.fill(graph, written, prog, 5)
    found = {}
    for name, tensor in (("sums", sums), ("written", written), ("kept", kept)):
        prog.add(program.Copy(tensor, graph.addDeviceToHostFIFO(name, dtype, 3)))
        found[name] = np.zeros(3, kind)
    engine = poplar.Engine(graph, [prog], {"debug.poisonMemory": "true"})
    for name, out in found.items():
        engine.connectStream(name, out)
    for _ in range(2):
        engine.run()
        if kind is np.int32:
            assert found["sums"].tolist() == [0x7FF57FF5 + i for i in (1, 2, 3)]
        else:
            assert np.isnan(found["sums"].astype(np.float64)).all()
        assert found["written"].tolist() == [5, 5, 5]
        assert found["kept"].tolist() == [1, 2, 3]


def test_outputs_that_are_not_written_are_poisoned(graph):
    """The host's buffer is the variable: what no step writes keeps nothing of the run before."""
    t = variable(graph, [4])
    prog = program.Sequence()
    popops.fill(graph, t.slice(0, 2), prog, 1)
    prog.add(program.Copy(t, graph.addDeviceToHostFIFO("out", poplar.FLOAT, 4)))
    engine = poplar.Engine(graph, [prog], {"debug.poisonMemory": "true"})
    out = np.full(4, 7, np.float32)
    engine.connectStream("out", out)
    engine.run()
    np.testing.assert_array_equal(out, [1, 1, np.nan, np.nan])


def test_poison_is_true_or_false(graph, monkeypatch):
    monkeypatch.delenv("POPLAR_ENGINE_OPTIONS", raising=False)
    with pytest.raises(
        errors.poplar_invalid_option, match=r"debug\.poisonMemory is 'nan', expected true"
    ):
        poplar.Engine(graph, [program.Sequence()], {"debug.poisonMemory": "nan"})


@pytest.mark.parametrize(("given", "threads"), [({}, None), ({"host.numThreads": "3"}, 3)])
def test_replicas_share_the_cores_unless_an_option_says_otherwise(given, threads) -> None:
    def engine(replicas, options):
        graph = poplar.Graph(poplar.Target.createCPUTarget(), replicas)
        return poplar.Engine(graph, program.Sequence(), options)

    cores = engine(1, {}).numThreads()
    for replicas in (2, 5, 4 * cores):
        expected = threads or max(cores // replicas, 1)
        assert engine(replicas, given).numThreads() == expected
