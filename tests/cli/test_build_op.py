"""`popir build-op`, and the three kinds of files that --op-library takes."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.cli.commands import call, dense, failure
from tests.toolchain import ROOT, attempt

NOTHING = """
#include <popart/opmanager.hpp>
struct NothingOp : popart::Op {
  using popart::Op::Op;
  void setup() final {}
  std::unique_ptr<popart::Op> clone() const final { return std::make_unique<NothingOp>(*this); }
  float getSubgraphValue() const final { return 0; }
};
static popart::OpCreator<NothingOp> creator(popart::OpDefinitions({{{"acme.cli", "NAME", 1}, {}}}));
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POPIR_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def popir(*words: object, code: int = 0, cwd: Path) -> tuple[str, str]:
    """Runs a command line in a process of its own, since it loads libraries."""
    command = [sys.executable, "-m", "popir", *map(str, words)]
    done = attempt(*command, cwd=cwd, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def test_a_library_and_its_codelets(folder: Path) -> None:
    (folder / "nothing.cpp").write_text(NOTHING.replace("NAME", "Nothing") + "static int unused;\n")
    vertex = "#include <poplar/Vertex.hpp>\nstruct V : poplar::Vertex { bool compute(); };\n"
    (folder / "v.cpp").write_text(vertex + "bool V::compute() { return true; }\n")
    out, err = popir("build-op", "nothing.cpp", "--codelets", "v.cpp", cwd=folder)
    assert out.splitlines() == [
        "wrote libnothing.so",
        "wrote v.gp",
        "operators: acme.cli.Nothing:1",
        "lowerings: none",
    ]
    assert "warning: ‘unused’ defined but not used" in err
    words = ["nothing.cpp", "--name", "other", "-o", "lib/x.so", "--flag=-w", "--json"]
    out, err = popir("build-op", *words, cwd=folder, code=2)
    assert "lib/x.so cannot be written: its folder does not exist." in err and out == ""
    (folder / "lib").mkdir()
    found = json.loads(popir("build-op", *words, cwd=folder)[0])
    assert found == {
        "library": "lib/x.so",
        "codelets": [],
        "operators": ["acme.cli.Nothing:1"],
        "lowerings": [],
        "patterns": [],
        "warnings": "",
    }
    model = dense(folder / "dense.onnx")
    for library in "libnothing.so", "lib/x.so", "nothing.cpp":
        out, _ = popir("info", model, "--op-library", library, cwd=folder)
        assert "supported: all of it" in out


def test_the_compilers_words(folder: Path) -> None:
    (folder / "wrong.cpp").write_text("int f() {\n\treturn\x1b }\n")
    for words in (["build-op"], ["info", dense(folder / "m.onnx"), "--op-library"]):
        result = call(*words, "wrong.cpp", code=3)
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert lines[0].startswith(f"{folder}/wrong.cpp:2:15: error: stray")
        assert any("|         return\\x1b" in line for line in lines), lines
        assert lines[-1].startswith(
            f"popir: error: The operator library '{folder}/wrong.cpp' does not compile. `"
        )
        assert lines[-1].endswith("says what stands above.")


def test_the_compilers_words_of_codelets(folder: Path) -> None:
    call("new-op", "Square", "--codelet")
    file = folder / "square_codelets.cpp"
    file.write_text(file.read_text().replace("return true;", "return true", 1))
    out, said = popir("gradcheck", "Square", "--op-library", "square.py", cwd=folder, code=3)
    *_, last = lines = said.splitlines()
    # g++ names the brace after the statement, clang the statement's end.
    error = re.compile(rf"{re.escape(str(file))}:(14:3|13:16): error: expected .;. ")
    assert out == "" and any(error.match(line) for line in lines)
    assert last == f"popir: error: codelets of '{file}' do not compile: see what stands above."


def test_libraries_of_nothing(folder: Path) -> None:
    (folder / "none.cpp").write_text("int f() { return 1; }\n")
    said = failure("build-op", "none.cpp", code=3)
    assert "libnone.so' loads, but registers nothing" in said
    said = failure("info", dense(folder / "m.onnx"), "--op-library", "none.cpp", code=3)
    assert f"The operator library '{folder}/none.cpp' loads, but registers nothing" in said
    (folder / "op.py").touch()
    said = failure("build-op", "op.py", code=3)
    assert f"The source '{folder}/op.py' cannot be compiled: names of C++ sources end in" in said
    assert "This is Python, whose operators are registered when it is imported." in said
    assert "Missing argument 'SOURCES...'" in failure("build-op", code=2)
    assert "File 'no.cpp' does not exist" in failure("build-op", "no.cpp", code=2)


def test_operators_in_python(folder: Path) -> None:
    model = dense(folder / "dense.onnx")
    (folder / "helper_of_cli.py").write_text("NAME = 'Python'\n")
    (folder / "operators_of_cli.py").write_text(
        "import popir\nfrom helper_of_cli import NAME\n"
        "class PythonOp(popir.Op): pass\n"
        "popir.OpCreator(PythonOp, [popir.OperatorIdentifier('acme.cli', NAME, 1)])\n"
    )
    file = "operators_of_cli.py"
    words = ["info", model, "--op-library", file, "--op-library", file]
    assert "supported: all of it" in popir(*words, cwd=folder)[0]


def test_python_that_fails(folder: Path) -> None:
    model = dense(folder / "dense.onnx")
    file = folder / "fails_of_cli.py"
    file.write_text("\nnone[0]\n")
    said = failure("info", model, "--op-library", file, code=3)
    assert f"The operators of '{file}' cannot be imported: NameError: name 'none' is not" in said
    assert said.endswith("defined, line 2.\n")
    file = folder / "exits_of_cli.py"
    file.write_text("\n\nraise SystemExit(0)\n")
    said = failure("info", model, "--op-library", file, code=3)
    assert said.endswith("cannot be imported: SystemExit: 0, line 3.\n")
    file = folder / "syntax_of_cli.py"
    file.write_text("\n1 +\n")
    said = failure("info", model, "--op-library", file, code=3)
    assert said.endswith("SyntaxError: invalid syntax (syntax_of_cli.py, line 2).\n")
    file = folder / "quiet_of_cli.py"
    file.write_text("")
    _, said = popir("info", model, "--op-library", file, cwd=folder)
    assert said == f"popir: warning: '{file}' has registered nothing: popir.OpCreator does that.\n"
    (folder / "json.py").write_text("")
    said = failure("info", model, "--op-library", "json.py", code=2)
    assert "a module 'json' is there already. Give the file another name." in said


def test_names_that_are_no_text(folder: Path) -> None:
    source = folder / os.fsdecode(b"op\xe9.cpp")
    source.write_text(NOTHING.replace("NAME", "Nothing"))
    library = folder / os.fsdecode(b"lib\xe9.so")
    out, _ = popir("build-op", source, "-o", library, cwd=folder)
    assert "operators: acme.cli.Nothing:1" in out
    for file in source, library:
        out, _ = popir("ops", "--domain", "acme.cli", "--op-library", file, cwd=folder)
        assert out.count("acme.cli.Nothing") == 1
