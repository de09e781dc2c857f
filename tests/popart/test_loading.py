"""Libraries that cannot be loaded, or bring what another one has."""

import ctypes
import os
import sys
from pathlib import Path

import popir
from popir import registry
from popir.foreign import popart
from popir.foreign.load import load_op_library
from tests.popart.graphs import add, graph, refusal
from tests.popart.libraries import build, isolated
from tests.toolchain import PACKAGE, attempt

CONFIG = PACKAGE / "bin" / "popir-config"
THROWS = """
#include <stdexcept>
static int start() { throw std::runtime_error("bad luck"); }
int started = start();
"""
THROWS_INT = "static int start() { throw 42; }\nint started = start();\n"
CRASHES = "#include <cstdlib>\nstatic int start() { std::abort(); }\nint started = start();\n"
EXITS = "#include <cstdlib>\nstatic int start() { std::exit(3); }\nint started = start();\n"
LACKS = "int elsewhere(); int f() { return elsewhere(); }\n"
SAME_OP = """
#include <popart/opmanager.hpp>
#include <popart/popx/opxmanager.hpp>
struct Own : popart::Op {
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Own>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return 0; }
};
static popart::OpCreator<Own> op(popart::OpDefinitions({{{"DOMAIN", "TYPE", 6}, {}}}));
static popart::OpCreator<Own> more(popart::OpDefinitions({{{"test", "NAME", 1}, {}}}));
"""


def same_op(domain: str, type: str, name: str) -> str:
    """A library of the operators `domain`.`type`:6 and test.`name`:1."""
    return SAME_OP.replace("DOMAIN", domain).replace("TYPE", type).replace("NAME", name)


def check_usable(library: str) -> None:
    """Registry and loader work as if nothing had been."""
    loaded = load_op_library(library)
    assert loaded.path == loaded.source == str(loaded) == library
    assert {str(opid) for opid in loaded.operators} == {
        "ai.onnx.LeakyRelu:1",
        "ai.onnx.LeakyRelu:6",
    }
    assert {opid.type for opid in loaded.lowerings} == {"LeakyRelu", "LeakyReluGrad"}
    assert load_op_library(library) == loaded
    assert add(graph(), "LeakyRelu", ["x"], domain="ai.onnx").source == library


def check_refusals(folder: str, good: str) -> None:
    os.chdir(folder)
    before = registry.entries()

    def says(name: str, *words: str) -> None:
        said = refusal(popir.LibraryLoadError, load_op_library, name)
        for word in (str(Path(folder) / name), *words):
            assert word in said, said
        assert registry.entries() == before

    says("missing.so", "There is no operator library", "in that folder: cut.so, ")
    says("cut.so", "cannot be loaded: it ends after 2000 bytes: it was cut off, or is")
    says("liblacks.so", "undefined symbol: _Z9elsewherev", "It stands for elsewhere(). Add the")
    says("libempty.so", "loads, but registers nothing: no operator", "--whole-archive")
    says("libnewer.so", "was compiled with the headers of popir 9.8.7, and this is popir 0.1.0")
    says("libthrows.so", "it threw std::runtime_error: bad luck", "static initialisers must not")
    says("libthrows_int.so", "cannot be loaded: it threw int. Its static")
    says("libcrashes.so", "the process that tried it was ended by SIGABRT")
    says("libexits.so", "the process exited with 3")
    check_usable(good)


def test_libraries_that_cannot_be_loaded(library, tmp_path: Path) -> None:
    good = Path(library("leaky_relu_custom_op"))
    (tmp_path / "cut.so").write_bytes(good.read_bytes()[:2000])
    for name, text in {
        "throws": THROWS, "throws_int": THROWS_INT, "crashes": CRASHES, "exits": EXITS,
        "lacks": LACKS, "empty": "int f() { return 1; }\n",
    }.items():  # fmt: skip
        build(name, tmp_path, CONFIG, text=text)
    newer = tmp_path / "include" / "popir"
    newer.mkdir(parents=True)
    header = (PACKAGE / "include" / "popir" / "sdk_symbol.hpp").read_text()
    (newer / "sdk_symbol.hpp").write_text(header.replace("sdk_0_1_0", "sdk_9_8_7"))
    options = f"-I{newer.parent}"
    build("newer", tmp_path, CONFIG, options, text=same_op("test", "Newer", "Newest"))
    isolated(check_refusals, str(tmp_path), str(good), cwd=tmp_path)


def test_a_library_that_throws_under_ctypes(tmp_path: Path) -> None:
    library = build("throws", tmp_path, CONFIG, text=THROWS)
    code = f"import popir, popir.foreign.popart, ctypes; ctypes.CDLL({str(library)!r})"
    root = str(PACKAGE.parent)
    result = attempt(sys.executable, "-c", code, cwd=tmp_path, env={"PYTHONPATH": root})
    assert result.returncode < 0
    lines = result.stderr.splitlines()
    assert lines[0] == (
        f"popir: terminated while loading '{library}': it threw std::runtime_error: bad luck"
    )
    assert "terminate called after throwing" in lines[1]  # by the handler before it


def check_two(leaky_relu: str, second: str) -> None:
    ctypes.CDLL(leaky_relu)
    ctypes.CDLL(second)
    said = refusal(popir.DuplicateOperatorError, registry.find, "ai.onnx", "LeakyRelu", 11)
    assert said == (
        f"The library '{second}' registers the operator ai.onnx.LeakyRelu:6, which '{leaky_relu}' "
        "has registered; it was refused, and the first was kept. Load one of the two, or give one "
        "of them another identifier."
    )
    assert registry.find("ai.onnx", "LeakyRelu", 11).source == leaky_relu
    assert registry.find("test", "More", 1).source == second
    check_usable(leaky_relu)


def check_two_loaded(leaky_relu: str, second: str) -> None:
    load_op_library(leaky_relu)
    said = refusal(popir.DuplicateOperatorError, load_op_library, second)
    assert f"which '{leaky_relu}' has registered" in said
    check_usable(leaky_relu)


def test_two_libraries_with_one_identifier(library, tmp_path: Path) -> None:
    second = build("second", tmp_path, CONFIG, text=same_op("ai.onnx", "LeakyRelu", "More"))
    for check in check_two, check_two_loaded:
        isolated(check, library("leaky_relu_custom_op"), str(second), cwd=tmp_path)


def check_twice(library: str) -> None:
    said = refusal(popir.DuplicateOperatorError, load_op_library, library)
    assert said == (
        f"The library '{library}' registers the operator test.Twice:1 twice; the first was kept."
    )
    assert registry.find("test", "Twice", 1).source == library


def test_one_library_that_registers_an_operator_twice(tmp_path: Path) -> None:
    text = same_op("test.other", "Twice", "Twice")
    text += (
        'static popart::OpCreator<Own> again(popart::OpDefinitions({{{"test", "Twice", 1}, {}}}));'
    )
    isolated(check_twice, str(build("twice", tmp_path, CONFIG, text=text)), cwd=tmp_path)


def check_rebuilt(library: str, rebuilt: str) -> None:
    load_op_library(library)
    old = add(graph(), "Old", ["x"])
    os.replace(rebuilt, library)
    load_op_library(library)
    assert add(graph(), "New", ["x"]).source == library
    assert registry.find("acme", "Thing", 6).source == library
    assert old.clone().opid == old.opid  # the first copy stays loaded
    assert add(graph(), "Old", ["x"]).source == library


def test_a_rebuild_of_a_library_replaces_it(tmp_path: Path) -> None:
    library = build("rebuilt", tmp_path, CONFIG, text=same_op("acme", "Thing", "Old"))
    (other := tmp_path / "other").mkdir()
    rebuilt = build("rebuilt", other, CONFIG, text=same_op("acme", "Thing", "New"))
    isolated(check_rebuilt, str(library), str(rebuilt), cwd=tmp_path)


def check_owned(library: str) -> None:
    class Ours(popir.Op):
        pass

    Ours.source = registry.BUILT_IN
    opid = popir.OperatorIdentifier("ai.graphcore", "Ours", 6)
    popir.OpCreator(Ours, [opid])
    ctypes.CDLL(library)
    said = refusal(popir.DuplicateOperatorError, popart.sync)
    assert said.startswith(f"ai.graphcore.Ours:6 (operator) of {library} is refused")
    assert "replace none" in said
    assert registry.find("ai.graphcore", "Ours", 6).source == registry.BUILT_IN
    assert registry.find("test", "Own", 1).source == library


def test_the_domain_ai_graphcore_takes_new_names_alone(tmp_path: Path) -> None:
    library = build("owned", tmp_path, CONFIG, text=same_op("ai.graphcore", "Ours", "Own"))
    isolated(check_owned, str(library), cwd=tmp_path)
