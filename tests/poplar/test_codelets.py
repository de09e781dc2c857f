"""User codelets: reflection, connections, execution; errors in their words."""

import re
from pathlib import Path

import numpy as np
import pytest

import popir
from models.mandelbrot import mandelbrot
from popir import errors, poplar
from popir.poplar import program
from popir.profile import MachineReport
from tests.poplar.test_tile_code import popc
from tests.toolchain import CACHED_CXX, PACKAGE, attempt, popir_config, python, run

SOURCE = Path(__file__).with_name("codelets.cpp")
COMPILATION = errors.poplar_graph_program_compilation_error
CONNECTION = errors.poplar_graph_connection_error


class Bench:
    """A graph with the codelets, one compute set, variables with values, and what they become."""

    def __init__(self, source: str = str(SOURCE)) -> None:
        self.graph = poplar.Graph(poplar.IPUModel().createDevice())
        self.graph.addCodelets(source)
        self.set = self.graph.addComputeSet("set")

    def variable(self, values, dtype=np.float32, name="x"):
        array = np.asarray(values, dtype)
        t = self.graph.addVariable(poplar.typeOf(array.dtype), array.shape, name)
        self.graph.setTileMapping(t, 0)
        self.graph.setInitialValue(t, array)
        return t

    def vertex(self, name, tile=0, cs=None, **connections):
        v = self.graph.addVertex(cs or self.set, name, connections)
        self.graph.setTileMapping(v, tile)
        return v

    def engine(self, times=1, threads=2):
        prog = program.Sequence([program.Execute(self.set)] * times)
        return poplar.Engine(self.graph, [prog], {"host.numThreads": str(threads)})

    def run(self, t, times=1, threads=2):
        self.graph.createHostRead("out", t)
        engine = self.engine(times, threads)
        engine.run(0)
        out = np.zeros(t.shape(), t.elementType().dtype)
        engine.readTensor("out", out)
        return out


@pytest.fixture
def bench():
    return Bench()


@pytest.mark.parametrize("threads", [1, 2])
def test_fields_may_be_constant_and_private(bench, threads):
    x, y = bench.variable(np.arange(60)), bench.variable(np.zeros((30, 2)))
    for i in range(30):  # strided outputs are scattered, the others written where they are
        part = x.slice(2 * i, 2 * i + 2)
        out = y.transpose().flatten().slice(2 * i, 2 * i + 2)
        bench.vertex("Scale", i, **{"in": part, "out": out, "factor": 0.5})
    out = bench.run(y.transpose(), threads=threads)
    np.testing.assert_array_equal(out.reshape(-1), np.arange(60) / 2)


@pytest.mark.parametrize(
    ("name", "dtype"), [("float", np.float32), ("half", np.float16), ("unsigned short", np.uint16)]
)
def test_templates_are_known_by_poplars_names(bench, name, dtype):
    x, y = bench.variable(np.arange(10), dtype), bench.variable([0, 0], dtype)
    rows = [x.slice(0, 3), x.slice(3, 3), x.slice(3, 10).subSample(2, 0)]
    bench.vertex(f"maths::Reduce<{name},maths::Op::Add,2,false>", rows=rows, out=y[1])
    assert bench.run(y).tolist() == [0, 2 * (0 + 1 + 2 + 3 + 5 + 7 + 9)]


def test_a_matrix_connects_as_its_rows(bench):
    x, y = bench.variable([[3, 1], [7, 2]], np.int32), bench.variable([0], np.int32)
    bench.vertex("maths::Reduce<int, maths::Op::Max, 1, true>", rows=x, out=y[0])
    assert bench.run(y).tolist() == [-7]


@pytest.mark.parametrize(("name", "dtype"), [("CountInt", np.int32), ("CountShort", np.uint16)])
def test_state_lasts_from_one_execution_to_the_next(bench, name, dtype):
    y = bench.variable([100], dtype)
    bench.vertex(name, out=y, count=5, table=[1, 2, 3])
    assert bench.run(y, times=3).tolist() == [100 + 8 + 11 + 14]


def test_what_lies_between_elements_that_are_written_stays(bench):
    x, rows = bench.variable([1, 2, 3, 4], np.int32), bench.variable([[5, 6]], np.int32)
    y, out = (bench.graph.clone(x, name) for name in ("y", "out"))
    for i in (0, 3):
        bench.vertex("maths::Reduce<int, maths::Op::Max, 1, true>", rows=rows, out=y[i])
    # What has a use between would lie in the place of `y`, if that were written as a whole later.
    given = bench.variable([0.5, 1.5, 2.5, 3.5])
    between, doubled = (bench.graph.clone(given, name) for name in ("between", "doubled"))
    sets = [bench.graph.addComputeSet(name) for name in ("first", "second")]
    for cs, (source, to) in zip(sets, ((given, between), (between, doubled)), strict=True):
        bench.vertex("Scale", cs=cs, **{"in": source, "out": to, "factor": 2.0})
    executed = [program.Execute(cs) for cs in (*sets, bench.set)]
    bench.graph.createHostRead("doubled", doubled)
    bench.graph.createHostRead("out", out)
    steps = [program.Copy(x, y), *executed, program.Copy(y, out)]
    engine = poplar.Engine(bench.graph, program.Sequence(steps))
    engine.run()
    found, four = np.zeros(4, np.int32), np.zeros(4, np.float32)
    engine.readTensor("out", found)
    engine.readTensor("doubled", four)
    assert found.tolist() == [-6, 2, 3, -6] and four.tolist() == [2, 6, 10, 14]


def test_loading_again_brings_state_back(bench):
    y = bench.variable([100], np.int32)
    bench.vertex("CountInt", out=y, count=5, table=[1, 2, 3])
    bench.graph.createHostRead("out", y)
    engine = bench.engine(times=3)
    out = np.zeros(1, np.int32)
    for _ in range(2):
        engine.load(poplar.IPUModel().createDevice())
        engine.run(0)
        engine.readTensor("out", out)
        assert out.tolist() == [100 + 8 + 11 + 14]
    engine.run(0)
    engine.readTensor("out", out)
    assert out.tolist() == [133 + 17 + 20 + 23]


def test_fields_of_bases_and_lists_of_vectors(bench):
    x = bench.variable([[1, 5, 2], [6, 7, 0.5]], np.float16)
    ab = bench.variable([2, 3], np.float16)
    v = bench.graph.addVertex(bench.set, "Derived", {"a": ab[0], "b": ab[1]})
    bench.graph.setTileMapping(v, 0)
    bench.graph.setFieldSize(v["lists"], 2)
    for i in range(2):
        bench.graph.connect(v["lists"][i], x[i])
    assert bench.graph.getFieldSize(v["lists"]) == 2
    assert bench.run(x).tolist() == [[3, 5, 2], [6, 7, 3]]


def test_an_input_that_is_assigned_to_an_output_is_copied(bench):
    x, y = bench.variable([[1, 2], [3, 4]]), bench.variable(np.zeros((2, 2)))
    first, copy = bench.variable([7, 8]), bench.variable(np.zeros(4))
    parts = {"rows": x, "out": y, "first": first, "whole": x.flatten(), "copy": copy}
    bench.vertex("Passes", **parts)
    out = bench.run(poplar.concat([y.flatten(), first, copy]))
    assert out.tolist() == [1, 2, 3, 4, 1, 2, 1, 2, 3, 4]


def test_inputs_have_the_widths_of_a_tile(bench):
    """size_t is UNSIGNED_INT and long INT, as tensors and as numbers."""
    count, by = bench.variable([3], np.uint32), bench.variable([-5], np.int32)
    y = bench.variable(np.zeros(2), np.int32)
    bench.vertex("Widths", count=count[0], by=by[0], out=y[0])
    bench.vertex("Widths", count=2, by=-7, out=y[1])
    assert bench.run(y).tolist() == [-15, -14]
    with refused(
        errors.poplar_type_error, r"'count' \(Input<unsigned int>\) .* unsigned long long"
    ):
        bench.vertex("Widths", count=bench.variable([3], np.uint64)[0], by=1, out=y[0])


def test_vectors_of_inputs_have_the_widths_of_a_tile(bench):
    counts = bench.variable([2, 1], np.uint32)
    rows = bench.variable([[3, -5], [7, 9]], np.int32)
    y = bench.variable(np.zeros(3), np.int32)
    bench.vertex("WideRows", counts=counts, rows=rows, out=y)
    assert bench.run(y).tolist() == [-2, 7, 5]
    with refused(errors.poplar_type_error, r"'counts' \(Input<Vector<unsigned int>>\)"):
        bench.vertex("WideRows", counts=bench.variable([1], np.uint64), rows=rows, out=y)


def test_workers_and_supervisors(bench):
    x, y = bench.variable(np.zeros(8), np.uint32), bench.variable(np.full(3, 9))
    bench.vertex("Workers", out=x)
    bench.vertex("Supervisor", 1, outs=[y[0], y[2]])
    engine_out = bench.run(poplar.concat([x, y.reinterpret(poplar.UNSIGNED_INT)]))
    assert engine_out[:8].tolist() == [0, 1, 2, 3, 4, 5, 0, 1]
    assert engine_out[8:].view(np.float32).tolist() == [0, 9, 1]


@pytest.mark.parametrize("profiles", [False, True])
def test_the_first_worker_comes_after_the_others(bench, profiles):
    y = bench.variable([7], np.uint32)
    bench.vertex("Gathers", sum=y[0])
    bench.graph.createHostRead("sum", y)
    options = {"debug.instrument": "true"} if profiles else {}
    engine = poplar.Engine(bench.graph, [program.Execute(bench.set)], options)
    for _ in range(2):  # A run that counts comes first, if any.
        engine.run(0)
        found = np.zeros(1, np.uint32)
        engine.readTensor("sum", found)
        assert found.tolist() == [15]


def test_an_input_may_be_a_number(bench):
    y = bench.variable([1, 1], np.int32)
    bench.vertex("Thrower", at=7, out=y[0])
    assert bench.run(y).tolist() == [7, 1]


def test_a_codelet_that_throws_names_vertex_and_tile(bench):
    x, y = bench.variable(range(6), np.int32), bench.variable([0] * 6, np.int32)
    for i in range(6):
        bench.vertex("Thrower", 10 + i, at=x[i], out=y[i])
    engine = bench.engine()
    with pytest.raises(
        errors.poplar_application_runtime_error,
        match=r"'Thrower' \(number 3 .*\) on tile 13 threw: three is too many",
    ):
        engine.run(0)


def refused(error, words):
    return pytest.raises(error, match=words)


def test_what_cannot_be_connected_is_named(bench):
    x, n = bench.variable([1.0, 2.0]), bench.variable([1, 2], np.int32)
    connect, add = bench.graph.connect, bench.graph.addVertex
    with refused(CONNECTION, r"no codelet 'Scales'; this graph has .*Scale.* "):
        add(bench.set, "Scales")
    with refused(CONNECTION, r"template class Name<float>"):
        add(bench.set, "maths::Reduce<bool,maths::Op::Add,2,false>")
    v = add(bench.set, "Scale")
    with refused(CONNECTION, r"'Scale' .* no field 'inn'; its fields: in \(Input<Vector<float>>\)"):
        connect(v["inn"], x)
    with refused(errors.poplar_type_error, r"'in' .*'Scale'.* tensor of int, expected float"):
        connect(v["in"], n)
    with refused(CONNECTION, r"'factor' \(float\).* is state.*setInitialValue"):
        connect(v["factor"], x)
    with refused(CONNECTION, r"'out' .*takes tensors, a value given"):
        bench.graph.setInitialValue(v["out"], 1.0)
    with refused(CONNECTION, r"'in' .* takes one tensor, 2 given"):
        connect(v["in"], [x, x])
    with refused(CONNECTION, r"shape \[1,2\], expected one dimension"):
        connect(v["in"], x.reshape([1, 2]))
    with refused(CONNECTION, r"'out' .*holds constants or an element twice"):
        connect(v["out"], x[0].broadcast(3, 0) if x[0].rank() else x.slice(0, 1).broadcast(3, 0))
    t = add(bench.set, "Thrower")
    with refused(CONNECTION, r"'at' .*shape \[2\], expected one element"):
        connect(t["at"], n)
    with refused(CONNECTION, r"'at' .* no list of edges"):
        connect(t["at"][0], n[0])
    with refused(errors.poplar_invalid_tile_mapping, r"tile 5000 given, the target has 1472"):
        bench.graph.setTileMapping(t, 5000)


def test_what_is_left_open_is_named(bench):
    x = bench.variable([1.0, 2.0])
    v = bench.graph.addVertex(bench.set, "Scale", {"in": x.slice(0, 1)})
    with refused(errors.poplar_invalid_tile_mapping, r"'Scale' .* has no tile"):
        bench.engine()
    bench.graph.setTileMapping(v, 3)
    with refused(CONNECTION, r"'out' \(Output<Vector<float>>\) of vertex 'Scale' .* not connected"):
        bench.engine()
    bench.graph.connect(v["out"], x.slice(1, 2))
    assert bench.run(x).tolist() == [1, 0]  # a number without a value is 0


def test_races_are_found(bench):
    x, y = bench.variable(np.arange(6), name="x"), bench.variable(np.zeros(6), name="y")
    bench.vertex("Scale", **{"in": x, "out": y, "factor": 1})
    bench.vertex("Scale", **{"in": x, "out": x.slice(4, 5).reshape([1]), "factor": 1})
    with refused(
        COMPILATION,
        r"'out' of vertex 'Scale' \(number 1 .* writes elements of 'x' from 4, which field 'in' of "
        r"vertex 'Scale' \(number 0 .* reads too",
    ):
        bench.engine()


def test_two_writers_race_in_a_strided_view(bench):
    y = bench.variable(np.zeros((3, 2)), name="y")
    x = bench.variable(np.zeros(3))
    bench.vertex("Scale", **{"in": x, "out": y.transpose()[1], "factor": 1})
    bench.vertex("Scale", **{"in": x.slice(0, 2), "out": y.flatten().slice(4, 6), "factor": 1})
    with refused(COMPILATION, r"elements of 'y' from 5, which .* writes too"):
        bench.engine()


def test_errors_of_the_compiler_are_shown():
    with refused(
        COMPILATION, r"(?s)do not compile.*source text:3:.*(foo. was not declared|identifier .foo)"
    ):
        Bench("#include <poplar/Vertex.hpp>\nstruct V : poplar::Vertex {\nbool compute() "
              "{ return foo; }\n};\n")  # fmt: skip
    with refused(COMPILATION, r"no class in it derives from poplar::Vertex"):
        Bench("int x;\n")
    with refused(COMPILATION, r"cannot read 'nowhere.cpp'"):
        Bench("nowhere.cpp")
    with refused(COMPILATION, r"cannot read 'nowhere.gp'"):
        Bench("nowhere.gp")


def test_source_text_with_options_and_twice():
    text = (
        "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "struct V : Vertex { Output<float> o; bool compute() { o = VALUE; return true; } };\n"
    )
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    assert graph.addCodelets(text, "-DVALUE=4.5f -O1")
    assert not graph.addCodelets(text, "-DVALUE=4.5f -O1")


def respelled(codelets: bytes) -> bytes:
    """The first size as a number below 0 that is the same modulo 2^64."""
    name, form, size, rest = codelets.split(b"\n", 3)
    return b"\n".join([name, form, str(int(size) - 2**64).encode(), rest])


def test_popc_makes_files_of_several_sources(tmp_path):
    for name in "AB":
        (tmp_path / f"{name}.cpp").write_text(
            f"#include <poplar/Vertex.hpp>\nstruct {name} : poplar::Vertex "
            f"{{ poplar::Output<int> out; void compute() {{ *out = {name}_VALUE; }} }};\n"
        )
    popc = PACKAGE / "bin" / "popc"
    options = ["-O3", "-D", "A_VALUE=3", "-DB_VALUE=4", "--target=cpu,ipu2", "-o", "both.gp"]
    run(popc, "A.cpp", *options, "B.cpp", cwd=tmp_path)
    bench = Bench(str(tmp_path / "both.gp"))
    assert not bench.graph.addCodelets(str(tmp_path / "both.gp"))
    y = bench.variable([0, 0], np.int32)
    bench.vertex("A", out=y[0])
    bench.vertex("B", out=y[1])
    assert bench.run(y).tolist() == [3, 4]

    good = (tmp_path / "both.gp").read_bytes()
    bad = tmp_path / "bad.gp"
    for content, words in [
        (good[:-100], "damaged: it has [0-9]* bytes of content, expected [0-9]*; compile"),
        (good[:-1] + b"!", "damaged: its content is not what popc wrote; compile the sources ag"),
        (respelled(good), "the file is damaged: '-[0-9]*' is no size"),
        (good.replace(b"codelets\n6\n", b"codelets\n999\n", 1), "has format '999'.*popc"),
        (b"\x7fELF", "not a .gp file"),
        (b"", "not a .gp file"),
    ]:
        bad.write_bytes(content)
        with refused(COMPILATION, words):
            Bench(str(bad))


def test_popc_says_what_is_wrong(tmp_path):
    popc = PACKAGE / "bin" / "popc"
    unknown = "target 'ipu9' given, expected one or more of cpu, ipu1, ipu2 and ipu21"
    for options, words in [
        ([], "no source"),
        (["--frob"], "unknown option"),
        (["x.cpp"], "x.cpp"),
        (["--target=cpu,ipu9", "x.cpp"], unknown),
    ]:
        result = attempt(popc, *options, cwd=tmp_path)
        assert result.returncode == 1 and words in result.stderr
    assert "Usage" in run(popc, "--help", cwd=tmp_path)
    version = run(popc, "--version", cwd=tmp_path)
    assert re.fullmatch(
        rf"POPLAR version [\d.]+ \([0-9a-f]{{16}}\)\npopir version {popir.__version__}\n", version
    )


def test_one_file_is_host_and_codelet_and_costs_what_it_says(tmp_path):
    flags = popir_config("--cflags"), popir_config("--libs")
    run(*CACHED_CXX, "-std=c++11", "-Wall", *flags[0], SOURCE, *flags[1], "-o", "it", cwd=tmp_path)
    # rows 2.5, 5, 7.5 and 2.5; rows 10, 12.5, 15 and 2.5; twice
    assert run(tmp_path / "it", cwd=tmp_path).split() == ["35", "80"]


def test_the_example_draws_the_mandelbrot_set():
    rows, columns, limit = 9, 25, 30
    c = np.linspace(-2, 0.5, columns) + 1j * np.linspace(-1.2, 1.2, rows)[:, None]
    z, wanted = np.zeros_like(c), np.full(c.shape, 0)
    for _ in range(limit):
        inside = np.abs(z) <= 2
        wanted += inside
        z = np.where(inside, z * z + c, z)
    found = mandelbrot.steps(rows, columns, limit)
    assert np.mean(found == wanted) > 0.97  # points on the edge go by float32's rounding


def test_estimates_are_scheduled_on_the_workers_of_a_tile(bench):
    x, y = bench.variable(range(7), np.int32), bench.variable([0] * 7, np.int32)
    for i in range(7):
        v = bench.vertex("Thrower", at=x[i], out=y[i])
        bench.graph.setPerfEstimate(v, 100, 3)
    z = bench.variable(np.zeros(8), np.uint32)
    bench.graph.setPerfEstimate(bench.vertex("Workers", 0, out=z), 50)
    report = MachineReport.of(bench.engine())
    # Seven on six workers: one has two, each cycle of which takes six; then the multi-vertex.
    assert report.computeCycles == 6 * 200 + 50
    assert report.exchangeCycles == 0  # all is on tile 0


def test_estimators_of_a_type(bench):
    """They see sizes of fields, rows and state; what setPerfEstimate says wins."""
    seen = []

    def reduce(vertex, target):
        rows, out = vertex.getFieldInfo("rows"), vertex.getFieldInfo("out")
        seen.append((rows.size(), [rows[i].size() for i in range(rows.size())], out.size()))
        return 10 * rows.size() + rows[0].size()

    def scale(vertex, target):
        with pytest.raises(CONNECTION, match="has no field 'no'; its fields: in, out, factor"):
            vertex.getFieldInfo("no")
        values = vertex.getFieldInfo("factor").getInitialValues()
        assert values.dtype == np.float32 and values.tolist() == [2.5]
        return int(
            vertex.getFieldInfo("factor").getInitialValue() * 40
        ), target.getNumWorkerContexts()

    x, y = bench.variable(np.arange(10)), bench.variable(np.zeros(10))
    bench.graph.registerPerfEstimator("maths::Reduce<float, maths::Op::Add, 2, false>", reduce)
    bench.graph.registerPerfEstimator("Scale", scale)
    bench.vertex(
        "maths::Reduce<float,maths::Op::Add,2,false>", rows=[x, x[1].expand([0])], out=y[0]
    )
    report = MachineReport.of(bench.engine())
    assert report.computeCycles == 6 * (10 * 2 + 10)
    assert seen[0] == (2, [10, 1], 1)
    bench.vertex("Scale", 1, **{"in": x, "out": y.slice(1, 10), "factor": 2.5})
    report = MachineReport.of(bench.engine())
    assert (report.computeCycles, report.flops) == (6 * 100, 6)
    assert report.operations[0].source == "estimator"
    given = bench.vertex(
        "Scale", 2, **{"in": x, "out": bench.variable(np.zeros(10)), "factor": 2.5}
    )
    bench.graph.setPerfEstimate(given, 1000)
    saved = poplar.compileGraph(bench.graph, [program.Execute(bench.set)])
    for engine in bench.engine(), poplar.Engine(saved):
        report = MachineReport.of(engine)
        assert report.computeCycles == 6 * 1000
        assert report.operations[0].source == "setPerfEstimate, estimator"


def test_an_estimator_that_gives_something_else(bench):
    x = bench.variable(np.arange(4))
    bench.vertex("Scale", **{"in": x, "out": bench.variable(np.zeros(4)), "factor": 1.0})
    for wrong in "many", (1, 2, 3), -1, 1.5:
        bench.graph.registerPerfEstimator("Scale", lambda vertex, target, wrong=wrong: wrong)
        with pytest.raises(TypeError, match=r"estimator of 'Scale' gave .*, expected cycles, or"):
            MachineReport.of(bench.engine())


def test_bounds_are_checked_if_asked_for(bench):
    x, y = bench.variable(np.arange(4)), bench.variable(np.zeros(3))
    bench.vertex("Scale", 7, **{"in": x, "out": y, "factor": 1.0})
    prog = program.Execute(bench.set)
    engine = poplar.Engine(bench.graph, prog, {"debug.checkBounds": "true"})
    words = (
        r"vertex 'Scale' \(number 0 .*\) on tile 7 accessed element 3 of field 'out', "
        "which has 3 elements"
    )
    with pytest.raises(errors.poplar_application_runtime_error, match=words):
        engine.run(0)


def test_bounds_of_lists_and_what_is_within_them(bench):
    rows, out = bench.variable([[3, 1], [7, 2]], np.int32), bench.variable([0], np.int32)
    bench.vertex("maths::Reduce<int,maths::Op::Max,1,true>", rows=rows, out=out[0])
    bench.vertex("Lists", 3, values=rows, sum=bench.variable([0], np.int32)[0], column=2)
    engine = poplar.Engine(bench.graph, program.Execute(bench.set), {"debug.checkBounds": "true"})
    words = r"on tile 3 accessed element 2 of field 'values\[0\]', which has 2 elements"
    with pytest.raises(errors.poplar_application_runtime_error, match=words):
        engine.run(0)


def test_an_edited_source_is_compiled_again(tmp_path):
    source = tmp_path / "constant.cpp"
    bench = Bench()
    y = bench.variable([0, 0], np.int32)

    def write(value):
        source.write_text(
            "#include <poplar/Vertex.hpp>\n"
            "struct Constant : poplar::Vertex {\n  poplar::Output<int> y;\n"
            f"  void compute() {{ *y = {value}; }}\n}};\n"
        )

    write(5)
    assert bench.graph.addCodelets(str(source))
    bench.vertex("Constant", y=y[0])
    write(-12)
    assert bench.graph.addCodelets(str(source))
    assert not bench.graph.addCodelets(str(source))
    bench.vertex("Constant", y=y[1])
    assert bench.run(y).tolist() == [5, -12]


def test_vector_types_of_a_tile():
    source = SOURCE.with_name("vectors.cpp")
    bench = Bench()
    bench.graph.addCodelets(str(source))  # for a tile alone, which is found out
    types = [("float", np.float32), ("half", np.float16)]
    for name, dtype in types:
        y = bench.variable(np.zeros(4), dtype)
        bench.vertex(f"Pairs<{name}>", x=bench.variable([1, -2, 3, -4], dtype), y=y)
        bench.graph.createHostRead(name, y)
    engine = bench.engine()
    engine.run(0)
    for name, dtype in types:
        out = np.zeros(4, dtype)
        engine.readTensor(name, out)
        assert out.tolist() == [2, 4, 6, 8]


def test_a_second_process_compiles_nothing(tmp_path):
    """The compiler is a script that counts how often it does more than preprocess."""
    log, compiler = tmp_path / "log", tmp_path / "compiler"
    compiler.write_text(
        f'#!/bin/sh\ncase " $* " in *" -E "*|*" --version "*) ;; *) echo x >> {log} ;; esac\n'
        'exec g++ "$@"\n'
    )
    compiler.chmod(0o755)
    code = (
        "from popir import poplar\n"
        "graph = poplar.Graph(poplar.Target.createCPUTarget())\n"
        f"graph.addCodelets({str(SOURCE)!r})\n"
        "graph.addVertex(graph.addComputeSet('cs'), 'Scale')\n"
        "graph.addCodelets('#include <poplar/Vertex.hpp>\\n"
        "struct A : poplar::Vertex { void compute() {} };\\n')\n"
    )
    env = {"CXX": str(compiler), "POPIR_CACHE": str(tmp_path / "cache")}
    python(code, tmp_path, env)
    once = log.read_text()
    assert once.count("x") == 4  # for the fields, and the library
    kept = list((tmp_path / "cache" / "codelets").iterdir())
    assert [file.suffix for file in kept] == [".gp", ".gp"]
    python(code, tmp_path, env)
    assert log.read_text() == once
    for file in kept:  # what is damaged is made again
        file.write_bytes(file.read_bytes()[:-1])
    python(code, tmp_path, env)
    assert log.read_text() == once * 2
    env["POPIR_CACHE"] = "/proc/no/folder"
    python(code, tmp_path, env)
    assert log.read_text() == once * 3
    # Without a folder of popir's, one for all programs; without that too, the user's own.
    for name, folder in (("XDG_CACHE_HOME", "all"), ("HOME", "home")):
        env |= {"POPIR_CACHE": "", "XDG_CACHE_HOME": "", name: str(tmp_path / folder)}
        python(code, tmp_path, env)
        inside = tmp_path / folder / (".cache" if name == "HOME" else ".") / "popir" / "codelets"
        assert len(list(inside.iterdir())) == 2


ALIASES = """
#include <poplar/Alignment.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
namespace pop {
using Base = MultiVertex;
template <class T>
struct Roots : SupervisorVertexIf<sizeof(T) == 4> {
  Input<Vector<T>> x;
  Output<Vector<float>> y;
  void compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      y[i] = std::sqrt(x[i]) + std::pow(x[i], T(2)) + (std::isnan(x[i]) ? 1 : 0);
  }
};
template struct Roots<float>;
template struct Roots<half>;
template <class T>
struct Limits : Vertex {
  Output<Vector<float>> y;
  void compute() {
    using L = std::numeric_limits<T>;
    const T all[] = {L::min(),     L::max(),       L::lowest(),   L::epsilon(),
                     L::infinity(), L::quiet_NaN(), L::denorm_min(), T(L::digits)};
    for (unsigned i = 0; i < y.size(); ++i) y[i] = float(all[i]);
  }
};
template struct Limits<float>;
template struct Limits<half>;
struct Workers : Base {
  InOut<Vector<float>> y;
  void compute(unsigned worker = 5) {
    if (worker < y.size()) y[worker] = float(IeeeHalf(float(worker) + 0.0001f));
  }
};
}
"""


@pytest.mark.parametrize(("name", "dtype"), [("float", "float32"), ("half", "float16")])
def test_bases_may_have_other_names_and_functions_take_halves(tmp_path, name, dtype):
    """Bases that are aliases, in std and in the source; functions and limits of a half."""
    source = tmp_path / "aliases.cpp"
    source.write_text(ALIASES)
    bench = Bench(str(source))
    x = np.array([0.25, 2, 9], dtype)
    y = bench.variable(np.zeros(3), name="y")
    bench.vertex(f"pop::Roots<{name}>", x=bench.variable(x, dtype), y=y)
    np.testing.assert_allclose(
        bench.run(y), np.sqrt(x.astype("float32")) + x.astype("float32") ** 2, 1e-6
    )
    bench = Bench(str(source))
    y = bench.variable(np.zeros(8), name="y")
    bench.vertex(f"pop::Limits<{name}>", y=y)
    info = np.finfo(dtype)
    limits = [info.tiny, info.max, info.min, info.eps, np.inf, np.nan, info.smallest_subnormal]
    np.testing.assert_array_equal(bench.run(y), np.array([*limits, info.nmant + 1], "float32"))
    bench = Bench(str(source))
    y = bench.variable(np.full(8, -1.0), name="y")
    bench.vertex("pop::Workers", y=y)
    assert bench.run(y).tolist() == [0.00010001659393310547, 1, 2, 3, 4, 5, -1, -1]


CALLED = """
#include <stddef.h>
#ifdef __cplusplus
#error this is C
#endif
static const float weights[] = {0.5f, 2.0f};
float weighted(const float *values, int n) {
  int class = n, new = 0;
  float sum = 0;
  for (int i = 0; i < class; ++i) sum += values[i] * weights[(new + i) % 2];
  return sum;
}
"""
CALLING = """
#include <poplar/Vertex.hpp>
extern "C" float weighted(const float* values, int n);
class Weighted : public poplar::Vertex {
 public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() { *out = weighted(&in[0], in.size()); return true; }
};
"""


@pytest.mark.parametrize("way", ["joined", "at once"])
def test_vertices_call_functions_in_c(tmp_path, way):
    (tmp_path / "weighted.c").write_text(CALLED)
    (tmp_path / "vertex.cpp").write_text(CALLING)
    if way == "joined":
        for source in ("vertex.cpp", "weighted.c"):
            made = popc(source, "-std=c++14", "-O3", "-o", f"{source}.gp", cwd=tmp_path)
            assert made.returncode == 0, made.stderr
        parts = ["vertex.cpp.gp", "weighted.c.gp"]
    else:
        parts = ["weighted.c", "vertex.cpp"]
    made = popc(*parts, "-o", "all.gp", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    bench = Bench(str(tmp_path / "all.gp"))
    y, cycles = bench.variable([0]), []
    for n in (4, 400):
        cs = bench.graph.addComputeSet("set")
        bench.vertex("Weighted", cs=cs, out=y[0], **{"in": bench.variable(np.ones(n))})
        options = {"debug.instrument": "true"}
        bench.graph.createHostRead(f"out{n}", y)
        engine = poplar.Engine(bench.graph, [program.Execute(cs)], options)
        engine.run(0)
        found = np.zeros(1, np.float32)
        engine.readTensor(f"out{n}", found)
        assert found[0] == 1.25 * n
        operation = engine.machineReport(0, None)["operations"][0]
        assert operation["source"] == "counted"
        cycles.append(operation["computeCycles"])
    assert cycles[1] > cycles[0] + 2 * 6 * 396  # what is in C counts, too


def test_what_is_nowhere_defined_is_an_error_of_linking(tmp_path):
    (tmp_path / "vertex.cpp").write_text(CALLING)
    with refused(errors.poplar_link_error, "weighted is used and nowhere defined; give it a body"):
        Bench(str(tmp_path / "vertex.cpp"))


def test_c_has_no_builtins_of_a_tile(tmp_path):
    (tmp_path / "tile.c").write_text("int tile() { return __builtin_ipu_get_tile_id(); }\n")
    said = popc("tile.c", cwd=tmp_path)
    assert said.returncode == 1
    assert "tile.c:1 calls __builtin_ipu_get_tile_id, which it does not have" in said.stderr
