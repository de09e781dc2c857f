"""Operator libraries built from sources: what is compiled again and when, and what goes wrong."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import popir
from popir.errors import LibraryBuildError
from popir.foreign import cache
from popir.foreign.build import compile_op_library
from popir.foreign.compiler import dependencies
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated
from tests.toolchain import CXX, ROOT, attempt

TIMES = """
#include "factor.hpp"
#include <popart/opmanager.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>

struct TimesOp : popart::Op {
  using popart::Op::Op;
  void setup() final { outInfo(0) = inInfo(0); }
  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<TimesOp>(*this); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};
struct TimesOpx : popart::popx::Opx {
  using popart::popx::Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto tree = popops::expr::Mul(popops::expr::_1, popops::expr::Const(FACTOR));
    setOutTensor(0, popops::map(graph(), tree, {getInTensor(0)}, prog));
  }
};
const popart::OperatorIdentifier times = {"com.acme", "Times", 1};
popart::OpCreator<TimesOp> opCreator(popart::OpDefinitions({{times, {}}}));
popart::popx::OpxCreator<TimesOpx> opxCreator(times);
"""
SMALL = '#include "factor.hpp"\nfloat factor() { return FACTOR; }\n'
VERTEX = """
#include <poplar/Vertex.hpp>
struct Twice : poplar::Vertex {
  poplar::InOut<poplar::Vector<float>> x;
  bool compute() { for (auto& v : x) v *= FACTOR; return true; }
};
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a line for each source that the compiler compiles; the cache is empty."""
    log, script = tmp_path / "log", tmp_path / "cxx"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *" -c "*) echo "$*" >> {log};; esac\nexec {CXX} "$@"\n'
    )
    script.chmod(0o755)
    log.touch()
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setenv("POPIR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return log


def compiled(log: Path) -> int:
    return len(log.read_text().splitlines())


def times(x: float) -> float:
    """The operator's value."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    given = builder.addInputTensor("FLOAT", [1], "x")
    (y,) = builder.customOp("Times", 1, "com.acme", [given], {})
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(builder.getModelProto(), popir.DataFlow(1, [y]), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popir.PyStepIO({given: np.array([x], np.float32)}, anchors))
    return float(anchors[y][0])


def check_notebook(log: str) -> None:
    header = Path("factor.hpp")
    header.write_text("#define FACTOR 2.0f\n")
    first = popir.build_op_library(TIMES, name="times")
    assert (first.source, times(3)) == ("times (source text)", 6)
    assert [str(opid) for opid in first.operators] == ["com.acme.Times:1"]
    assert first.operators == first.lowerings
    again = popir.build_op_library(TIMES, name="times")
    assert again == first, (again, first)
    assert compiled(Path(log)) == 1
    header.write_text("#define FACTOR 5.0f\n")
    assert popir.build_op_library(TIMES, name="times").path != first.path
    assert (compiled(Path(log)), times(3)) == (2, 15)
    header.write_text("#define FACTOR 2.0f\n")
    assert popir.build_op_library(TIMES, name="times") == first
    assert (compiled(Path(log)), times(3)) == (2, 6)
    said = says(popir.DuplicateOperatorError, sources=TIMES, name="other")
    assert (
        "The library 'other (source text)' registers the operator com.acme.Times:1, which "
        "'times (source text)' has registered; it was refused" in said
    )
    assert times(3) == 6


def test_a_cell_of_a_notebook_run_repeatedly(log: Path, tmp_path: Path) -> None:
    isolated(check_notebook, str(log), cwd=tmp_path)


def test_what_compiles_again(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, source = tmp_path / "factor.hpp", tmp_path / "small op.cpp"
    header.write_text("#define FACTOR 2.0f\n")
    source.write_text(SMALL)
    first = compile_op_library(source)
    assert first.library.name == "libsmall_op.so"
    assert (first.source, first.codelets, first.said) == (str(source), [], "")
    assert compile_op_library([str(source)]) == first
    assert compile_op_library("small op.cpp") == first
    os.utime(header)
    assert compile_op_library(source) == first
    assert compiled(log) == 1
    assert compile_op_library(source, flags=["-DNDEBUG"]) != first
    header.write_text("#define FACTOR 3.0f\n")
    assert compile_op_library(source).library != first.library
    source.write_text(SMALL + "int one() { int unused; return 1; }\n")
    assert "warning: unused variable" in compile_op_library(source).said
    assert "warning: unused variable" in compile_op_library(source).said
    monkeypatch.setenv("CPATH", str(tmp_path))
    compile_op_library(source)
    assert compiled(log) == 5
    script = tmp_path / "cxx"
    script.write_text(script.read_text().replace("exec", '[ "$1" != --version ] || echo 2\nexec'))
    compile_op_library(source)
    assert compiled(log) == 6


def test_many_processes_compile_once(log: Path, tmp_path: Path) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "op.cpp").write_text(SMALL)
    code = (
        "import os; from popir.foreign.build import compile_op_library as c\n"
        "for _ in range(3):\n    if not os.fork(): break\n"
        "library = c('op.cpp').library; assert library.stat().st_size > 5000"
    )
    done = attempt(sys.executable, "-c", code, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert compiled(log) == 1


def test_a_build_that_was_ended_leaves_nothing(log: Path, tmp_path: Path) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "op.cpp").write_text(SMALL)
    first = compile_op_library("op.cpp")
    (first.library.parent / "record.json").write_text('{"depends": {"none": "other"}}')
    left = first.library.parents[1] / "building-abc"
    left.mkdir()
    (left / "record.json").write_text("{}")
    again = compile_op_library("op.cpp")
    assert (again.library.exists(), left.exists(), compiled(log)) == (True, False, 2)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("libop.so", b"\x7fELF and nothing else"),
        ("record.json", b"\xff\xfe"),
        ("record.json", b"[" * 100_000),
        ("record.json", b'{"depends": 1, "holds": {}}'),
        ("record.json", b'{"depends": {"\\u0000": "1"}, "holds": {}}'),
    ],
)
def test_a_damaged_result_is_made_again(
    log: Path, tmp_path: Path, file: str, content: bytes
) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "op.cpp").write_text(SMALL)
    library = compile_op_library("op.cpp").library
    whole = library.read_bytes()
    (library.parent / file).write_bytes(content)
    assert compile_op_library("op.cpp").library == library
    assert (library.read_bytes() == whole, compiled(log)) == (True, 2)


def test_a_cache_that_others_may_write_is_refused(log: Path, tmp_path: Path) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "op.cpp").write_text(SMALL)
    compile_op_library("op.cpp")
    cache.root().chmod(0o777)
    with pytest.raises(LibraryBuildError) as told:
        compile_op_library("op.cpp")
    assert str(told.value) == (
        f"The cache of operator libraries is not used: '{cache.root()}' can be written by "
        "everybody, so that code of others could be run. Set POPIR_CACHE to a folder of your own."
    )


def test_a_cache_of_somebody_else_is_refused(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "op.cpp").write_text(SMALL)
    compile_op_library("op.cpp")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    with pytest.raises(LibraryBuildError) as told:
        compile_op_library("op.cpp")
    assert f"belongs to the user {own}, and this process is {own + 1}'s" in str(told.value)


def test_several_sources_and_codelets(log: Path, tmp_path: Path) -> None:
    (tmp_path / "factor.hpp").write_text("#define FACTOR 2.0f\n")
    (tmp_path / "twice.cpp").write_text('#include "factor.hpp"\n' + VERTEX)
    other = "float factor();\nfloat twice() { return 2 * factor(); }\n"
    first = compile_op_library([SMALL, other], name="two", codelets="twice.cpp", ldflags=["-s"])
    assert [file.name for file in first.codelets] == ["twice.gp"]
    assert first.codelets[0].parent == first.library.parent
    (tmp_path / "factor.hpp").write_text("#define FACTOR 4.0f\n")
    again = compile_op_library([SMALL, other], name="two", codelets="twice.cpp", ldflags=["-s"])
    assert again.codelets[0].read_bytes() != first.codelets[0].read_bytes()


def says(kind: type[Exception], *words: str, sources: object = "", **options: object) -> str:
    said = refusal(kind, lambda: popir.build_op_library(sources, **options))
    for word in words:
        assert word in said, said
    return said


def test_sources_that_do_not_compile(log: Path, tmp_path: Path) -> None:
    build = popir.LibraryBuildError
    said = says(
        build,
        "The operator library 'wrong (source text)' does not compile. `",
        " says:\n",
        "\nwrong.cpp:2:18: error: ",
        sources="\nint f() {return 1 }\n",
        name="wrong",
    )
    assert "building-" not in said
    (tmp_path / "a.cpp").write_text("#include <popart/op/absent.hpp>\n")
    says(
        build, "popir has no header <popart/op/absent.hpp>. docs/cpp_operators.md", sources="a.cpp"
    )
    (tmp_path / "a.cpp").write_text("#include <popart/opmanger.hpp>\n")
    near = "popir has no header <popart/opmanger.hpp>. Did you mean <popart/opmanager.hpp>? docs"
    says(build, near, sources="a.cpp")
    (tmp_path / "b.cpp").write_text("")
    says(build, "The linker finds no library 'nowhere'", sources="b.cpp", ldflags=["-lnowhere"])
    (tmp_path / "v.cpp").write_text("int f() { return }\n")
    says(build, "The codelets '", "v.cpp' do not compile.", sources="b.cpp", codelets="v.cpp")
    with pytest.raises(build) as caught:
        popir.build_op_library("int f() {return 1 }\n")
    assert caught.value.summary.endswith("says") and "error:" in caught.value.said
    assert not list(Path(os.environ["POPIR_CACHE"]).rglob("*.so"))


def test_arguments_that_do_not_fit(log: Path, tmp_path: Path) -> None:
    build = popir.LibraryBuildError
    says(
        build, f"The source '{tmp_path}/none.cpp' cannot be read: No such file", sources="none.cpp"
    )
    (tmp_path / "square.cpp").touch()
    says(build, "No such file or directory. Did you mean 'square.cpp'?", sources="squar.cpp")
    (tmp_path / "square.py").touch()
    says(build, "square.py' cannot be compiled: names of C++ sources end", sources="square.py")
    says(build, "if there is a line break in it.", sources="int f() { return 1; }")
    says(build, "was given no sources", sources=[])
    says(build, "list of strings or paths as sources; given was [1]", sources=[1])
    says(build, "takes codelets as files; text is what", sources="\n", codelets="struct V;\n")
    says(build, "'a/b' cannot be a library's name: use letters", sources="\n", name="a/b")


def test_libraries_that_do_not_load(log: Path, tmp_path: Path) -> None:
    load = popir.LibraryLoadError
    says(
        load, "quiet (source text)' loads, but registers nothing", sources="int i;\n", name="quiet"
    )
    lacks = "int g();\nint f() { return g(); }\n"
    says(load, "undefined symbol: _Z1gv. It stands for g().", sources=lacks)


@pytest.mark.parametrize(
    ("cxx", "words"),
    [
        ("nothing++ -O1", "The C++ compiler 'nothing++', which CXX='nothing++ -O1' names, is not"),
        ("false", "The C++ compiler does not run: `false --version` exits with 1"),
        (None, "There is no C++ compiler: CXX is not set, and none of g++, c++, clang++ is on the"),
    ],
)
def test_compilers_that_are_none(
    cxx: str | None, words: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cxx is None:
        monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CXX", cxx or "")
    says(popir.LibraryBuildError, words, sources="\n")


def test_a_cache_that_cannot_be_written(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POPIR_CACHE", str(log))
    says(
        popir.LibraryBuildError,
        f"The cache of operator libraries, '{log}', cannot be used: ",
        "Set POPIR_CACHE to a folder that can be written.",
        sources="\n",
    )


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POPIR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.root() == Path("/somewhere/popir")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.root() == Path.home() / ".cache" / "popir"


def test_rules_for_make(tmp_path: Path) -> None:
    rule = tmp_path / "a.d"
    rule.write_text("a.o: /x/a.cpp \\\n /x/with\\ space.hpp /x/$$.hpp\\\n  /x/b\\#.hpp\n")
    assert dependencies(rule) == ["/x/a.cpp", "/x/with space.hpp", "/x/$.hpp", "/x/b#.hpp"]
