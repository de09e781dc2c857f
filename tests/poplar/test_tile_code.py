"""Codelets that are written for a tile's compiler, compiled by a clang and by a g++."""

import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from popir import poplar
from popir.errors import poplar_graph_program_compilation_error as COMPILATION
from popir.errors import poplar_link_error
from popir.poplar import program
from tests.toolchain import PACKAGE, attempt

SOURCE = Path(__file__).with_name("tile_code.cpp")
COMPILERS = [c for c in ("clang++-19", "g++") if shutil.which(c)]


def run(vertex: str, y: np.ndarray, text: str | None = None, **fields: Any) -> np.ndarray:
    """One vertex of SOURCE, or of a text; its result in the place of `y`."""
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    if text:
        graph.addCodelets(text)
    else:
        graph.addCodelets(str(SOURCE))

    def variable(values: Any) -> poplar.Tensor:
        values = np.asarray(values)
        made = graph.addVariable(poplar.FLOAT, values.shape)
        graph.setTileMapping(made, 0)
        graph.setInitialValue(made, values.astype(np.float32))
        return made

    out = variable(y)
    name = "out" if vertex in ("Builtins", "Random") else "y"
    given = {k: v if isinstance(v, int) else variable(v) for k, v in fields.items()}
    compute_set = graph.addComputeSet()
    graph.setTileMapping(graph.addVertex(compute_set, vertex, {name: out, **given}), 0)
    graph.createHostRead("out", out)
    engine = poplar.Engine(graph, [program.Execute(compute_set)])
    engine.run(0)
    result = np.empty(y.shape, np.float32)
    engine.readTensor("out", result)
    return result


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CXX", request.param)
    return request.param


def test_pointers_that_step(compiler: str) -> None:
    assert run("Steps", np.zeros(4), x=[1.0, -2.0, 3.0, -4.0]).tolist() == [3, 2, 5, 2]


UNROLLED = """
#include <poplar/Vertex.hpp>
#define TIMES 4
class Unrolled : public poplar::Vertex {
 public:
  poplar::Vector<poplar::Output<float>> y;
  bool compute() {
    for (unsigned i = 0; i < 4; ++i) y[i] = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) y[i] += 1;
#pragma unroll TIMES
    for (unsigned i = 0; i < 4; ++i) y[i] += 2;
#pragma unroll(TIMES)
    for (unsigned i = 0; i < 4; ++i) y[i] += 4;
#pragma unroll 4
    for (unsigned i = 0; i < 4; ++i) y[i] += 8;
    return true;
  }
};
"""


def test_loops_that_are_unrolled(compiler: str) -> None:
    assert run("Unrolled", np.zeros(4), UNROLLED).tolist() == [15] * 4


def test_members_of_vectors(compiler: str) -> None:
    assert run("Members", np.zeros(4), x=[1.0, 2.0, 3.0, 4.0]).tolist() == [10, 2, 4, 3]


def test_builtins(compiler: str) -> None:
    a, b = -1.5, 0.25
    want = [a, -1, math.exp(a), math.log(b), a + b, 3, b, abs(a) + 1, 0, a, 0, 128, 30, a]
    want += [float(np.float16(math.tanh(2))), -b]
    got = run("Builtins", np.zeros(len(want)), a=a, b=b)
    np.testing.assert_allclose(got, want, rtol=2e-7)


def test_random_numbers(compiler: str) -> None:
    mean, square, normal, variance = run("Random", np.zeros(4), n=20000)
    assert abs(mean) < 0.01 and abs(square - 1 / 12) < 0.005
    assert abs(normal) < 0.03 and abs(variance - 1) < 0.05


VERTEX = """#include <poplar/Vertex.hpp>
{before}
class V : public poplar::Vertex {{
 public:
  poplar::Output<poplar::Vector<float>> y;
  bool compute() {{ {body} return true; }}
}};
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('asm volatile("uput $TAS, %0" : : "r"(1));', r"assembly of a tile.*#ifndef __IPU__"),
        ("__builtin_ipu_put(1, 2);", r"for the host: .*:6 calls __builtin_ipu_put, which"),
        ("__builtin_ipu_tapack(1, 2, 3);", r":6 calls __builtin_ipu_tapack, .*under #ifndef"),
        ("y[0] = __builtin_ipu_nothing(1);", r":6 calls __builtin_ipu_nothing, .*under #ifndef"),
    ],
)
def test_what_only_a_tile_can_do_is_refused_with_its_line(
    compiler: str, body: str, words: str
) -> None:
    with pytest.raises(COMPILATION, match=f"(?s){words}") as caught:
        run("V", np.zeros(1), VERTEX.format(before="", body=body))
    assert ":6:" in str(caught.value)


@pytest.mark.parametrize("of", ["V", "V<float>"])
def test_a_vertex_in_assembly_alone_is_named_with_its_line(compiler: str, of: str) -> None:
    """Its class declares compute(), which another file has in assembly."""
    source = VERTEX.format(before="", body="").replace("{  return true; }", ";")
    if of != "V":
        source = (
            source.replace("class V", "template <class T> class V") + "template class V<float>;"
        )
    words = rf"'{of}' at .*:3, has a compute\(\) that is nowhere defined.*#ifndef __IPU__"
    with pytest.raises(poplar_link_error, match=words):
        run(of, np.zeros(1), source)


def test_without_a_compiler_the_error_says_what_to_install(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    monkeypatch.setenv("POPIR_CACHE", str(tmp_path))
    words = r"cannot run '.*none'.*; install a clang\+\+ from 15 on or a g\+\+, or name"
    with pytest.raises(COMPILATION, match=words):
        run("V", np.zeros(1), VERTEX.format(before="", body="y[0] = 17;"))


def test_the_branch_for_the_host_is_taken(compiler: str) -> None:
    body = '#ifdef __IPU__\n asm("exitz $mzero");\n#else\n y[0] = 4;\n#endif\n'
    text = VERTEX.format(before="", body="\n" + body)
    assert run("V", np.zeros(1), text).tolist() == [4]
    graph = poplar.Graph(poplar.Target.createCPUTarget())
    graph.addCodelets(text, "-D__IPU__")  # a tile's branch does not compile, the other one does


def test_a_source_for_tiles_alone_is_compiled_as_one(compiler: str) -> None:
    before = "#ifndef __IPU__\n#error for tiles alone\n#endif\n#include <ipu_vector_math>"
    body = "y[0] = ipu::sqrt(float2{4, 9})[1]; rptsize_t n = 2; y[0] += n;"
    assert run("V", np.zeros(1), VERTEX.format(before=before, body=body)).tolist() == [5]


@pytest.mark.parametrize(
    "own",
    [
        "struct float2 { float a, b; float sum() const { return a + b; } };",
        "struct Two { float a, b; float sum() const { return a + b; } }; typedef Two float2;",
        "struct Two { float a, b; float sum() const { return a + b; } };\nusing float2 = Two;",
    ],
)
def test_vectors_of_a_source_itself(compiler: str, own: str) -> None:
    """By the names of the SDK's, which the source has for the host."""
    text = VERTEX.format(before=own, body="y[0] = float2{4, 9}.sum();")
    assert run("V", np.zeros(1), text).tolist() == [13]


def test_the_counter_of_a_loop_and_the_names_of_registers(compiler: str) -> None:
    """Headers that codelets of others include, with __IPU__ or without."""
    before = "#include <poplar/Loops.hpp>\n#include <arch/gc_tile_defines.h>"
    body = "for (rptsize_t i = 0; i < CTXT_WORKERS; ++i) y[0] += 1;"
    assert run("V", np.zeros(1), VERTEX.format(before=before, body=body)).tolist() == [6]


def popc(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return attempt(PACKAGE / "bin" / "popc", *words, cwd=cwd)


def test_files_are_joined_and_assembly_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(VERTEX.format(before="", body="y[0] = 1;"))
    (tmp_path / "b.cpp").write_text(VERTEX.format(before="#define V W", body="y[0] = 2;"))
    (tmp_path / "c.S").write_text("exitz $mzero\n")
    for name in "ab":
        assert popc(f"{name}.cpp", "-o", f"{name}.gp", cwd=tmp_path).returncode == 0
    made = popc("a.gp", "b.gp", "c.S", "-o", "all.gp", cwd=tmp_path)
    assert made.returncode == 0 and "'c.S' is assembly of a tile and is left out" in made.stderr
    for vertex, value in (("V", 1), ("W", 2)):
        graph = poplar.Graph(poplar.Target.createCPUTarget())
        graph.addCodelets(str(tmp_path / "all.gp"))
        y = graph.addVariable(poplar.FLOAT, [1])
        graph.setTileMapping(y, 0)
        compute_set = graph.addComputeSet()
        graph.setTileMapping(graph.addVertex(compute_set, vertex, {"y": y}), 0)
        graph.createHostRead("y", y)
        engine = poplar.Engine(graph, [program.Execute(compute_set)])
        engine.run(0)
        out = np.empty(1, np.float32)
        engine.readTensor("y", out)
        assert out[0] == value
    alone = popc("c.S", "-o", "c.gp", cwd=tmp_path)
    assert alone.returncode == 1 and "give the source in C++" in alone.stderr


SHUFFLES = """
#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
struct Shuffle : poplar::Vertex {
  poplar::Input<poplar::Vector<unsigned>> in;
  poplar::Output<poplar::Vector<unsigned>> out;
  poplar::Input<poplar::Vector<float>> f;
  poplar::Output<poplar::Vector<float>> g;
  void compute() {
    out[0] = __builtin_ipu_shuf8x8lo(in[0], in[1]);
    out[1] = __builtin_ipu_shuf8x8hi(in[0], in[1]);
    out[2] = __builtin_ipu_sort8x8lo(in[0], in[1]);
    out[3] = __builtin_ipu_sort8x8hi(in[0], in[1]);
    float2 a = {f[0], f[1]}, b = {f[2], f[3]};
    float2 lo = __builtin_ipu_sort4x32lo(a, b), hi = __builtin_ipu_sort4x32hi(a, b);
    g[0] = lo[0]; g[1] = lo[1]; g[2] = hi[0]; g[3] = hi[1];
  }
};
"""


def test_bytes_and_numbers_of_two_words_in_another_order(compiler: str) -> None:
    """PopLibs packs four bytes with shuf8x8lo; tests of Graphcore's compiler widen bytes with the
    shuffles, and narrow words of 16 bits to bytes with sort8x8lo.
    """
    graph = poplar.Graph(poplar.IPUModel().createDevice())
    graph.addCodelets(SHUFFLES)
    words = np.array([0xA3A2A1A0, 0xB3B2B1B0], np.uint32)
    numbers = np.array([1, 2, 3, 4], np.float32)
    tensors = {}
    for name, values in {"in": words, "out": np.zeros(4, np.uint32), "f": numbers}.items():
        kind = poplar.FLOAT if values.dtype == np.float32 else poplar.UNSIGNED_INT
        tensors[name] = graph.addVariable(kind, [len(values)], name)
        graph.setTileMapping(tensors[name], 0)
        graph.setInitialValue(tensors[name], values)
    tensors["g"] = graph.clone(tensors["f"])
    cs = graph.addComputeSet("cs")
    graph.setTileMapping(graph.addVertex(cs, "Shuffle", tensors), 0)
    for name in ("out", "g"):
        graph.createHostRead(name, tensors[name])
    engine = poplar.Engine(graph, [program.Execute(cs)])
    engine.run(0)
    out, g = np.zeros(4, np.uint32), np.zeros(4, np.float32)
    engine.readTensor("out", out)
    engine.readTensor("g", g)
    a, b = words.view(np.uint8).reshape(2, 4)
    turns = np.stack([a, b], 1).reshape(2, 4)
    sorted_ = [np.concatenate([a[k::2], b[k::2]]) for k in (0, 1)]
    assert out.view(np.uint8).reshape(4, 4).tolist() == [*turns.tolist(), *map(list, sorted_)]
    assert g.tolist() == numbers.reshape(2, 2).T.flatten().tolist()


PARTS = """
#include <ipudef.h>
#include <poplar/Vertex.hpp>
class Parts : public poplar::Vertex {
 public:
  poplar::InOut<poplar::Vector<float>> y;
  void compute() {
    float4 v = {1, 2, 3, 4};
    float2 part = v.xy;
    y[0] = part[1];
  }
};
"""


def test_a_gpp_names_the_remedy_where_it_does_not_know_a_part_of_a_vector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CXX", "g++")
    with pytest.raises(COMPILATION, match=r"v\.xy is a part of a vector.*install clang 15"):
        run("Parts", np.zeros(1), PARTS)


TILES = """
#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
struct One : poplar::Vertex {
  poplar::Output<unsigned> y;
  void compute() { *y = __builtin_ipu_get_tile_id(); }
};
struct Six : poplar::MultiVertex {
  poplar::Output<poplar::Vector<unsigned>> y;
  void compute(unsigned worker) { y[worker] = __builtin_ipu_get_tile_id(); }
};
"""


@pytest.mark.parametrize("option", ["", "debug.instrument", "debug.checkBounds"])
def test_a_vertex_knows_the_number_of_its_tile_in_its_ipu(compiler: str, option: str) -> None:
    model = poplar.IPUModel()
    model.numIPUs, model.tilesPerIPU = 2, 8
    graph = poplar.Graph(model.createDevice())
    graph.addCodelets(TILES)
    tensors = {n: graph.addVariable(poplar.UNSIGNED_INT, [k], n) for n, k in (("a", 16), ("b", 6))}
    cs = graph.addComputeSet()
    for tile in range(16):
        graph.setTileMapping(tensors["a"][tile], tile)
        graph.setTileMapping(graph.addVertex(cs, "One", {"y": tensors["a"][tile]}), tile)
    graph.setTileMapping(tensors["b"], 13)
    graph.setTileMapping(graph.addVertex(cs, "Six", {"y": tensors["b"]}), 13)
    for name, tensor in tensors.items():
        graph.createHostRead(name, tensor)
    engine = poplar.Engine(graph, [program.Execute(cs)], {option: "true"} if option else {})
    engine.run(0)
    found = {name: np.zeros(t.shape(), np.uint32) for name, t in tensors.items()}
    for name, values in found.items():
        engine.readTensor(name, values)
    assert found["a"].tolist() == [*range(8), *range(8)]
    assert found["b"].tolist() == [5] * 6
