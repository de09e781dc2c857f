"""Files that commands write: never one that the same command reads."""

from __future__ import annotations

import os
from pathlib import Path

import click
import numpy as np
import onnx
import pytest

from popir.cli.options import ExistingFile, OutputFile
from tests.cli.commands import call, classifier, dense, failure, samples
from tests.cli.parameters import COMMANDS, options, parameters
from tests.toolchain import CACHED_CXX

OUTPUTS = [
    (name, each.opts[0])
    for name in COMMANDS
    for each in options(name)
    if isinstance(each.type, OutputFile)
]
PAIRS = [
    (name, output, each.opts[0])
    for name, output in OUTPUTS
    for each in parameters(name)
    if isinstance(each.type, ExistingFile)
]


def test_every_path_is_read_or_written() -> None:
    """Only folders are neither: files in them are new, or those that popir wrote before. And what
    runs in other processes.
    """
    others = {
        *(("new-op", "folder"), ("train", "folder"), ("train", "log_folder")),
        ("run-distributed", "script"),
    }
    for name in COMMANDS:
        for each in parameters(name):
            if isinstance(each.type, (click.Path, click.File)):
                is_known = isinstance(each.type, (ExistingFile, OutputFile))
                assert is_known or (name, each.name) in others
    assert {
        ("build-op", "-o"),
        ("profile", "--output"),
        ("profile", "--trace"),
        ("run", "--output"),
        ("tpcc", "-o"),
        ("train", "--output"),
    } == set(OUTPUTS)


OPERATOR = """import popir
class NAMEOp(popir.Op):
    pass
popir.OpCreator(NAMEOp, [popir.OperatorIdentifier("acme.targets", "NAME", 1)])
"""
CODELET = """#include <poplar/Vertex.hpp>
struct Nothing : poplar::Vertex {
  bool compute() { return true; }
};
"""


def files(name: str, folder: Path) -> dict[str, Path]:
    """By each parameter that names a file to read, one that the command takes."""
    library = folder / f"operators_of_{folder.name}.py"
    library.write_text(OPERATOR.replace("NAME", library.stem))
    if name == "build-op":
        (folder / "a.cpp").write_text("int a;\n")
        (folder / "c.cpp").write_text(CODELET)
        return {
            "sources": folder / "a.cpp",
            "--codelets": folder / "c.cpp",
            "--op-library": library,
        }
    if name == "tpcc":
        (folder / "k.c").write_text("void main(tensor in, tensor out) {}\n")
        return {"sources": folder / "k.c", "--op-library": library}
    made = {"--op-library": library}
    if name == "train":
        classifier(folder / "m.onnx")
        made |= {"model": folder / "m.onnx", "--data": samples(folder / "d.npz")}
        return {**made, "--validation": samples(folder / "v.npz")}
    made["model"] = dense(folder / "m.onnx")
    if name == "run":
        np.savez(folder / "i.npz", x=np.zeros((2, 8), np.float32))
        made["--inputs"] = folder / "i.npz"
    if name == "profile":
        words = ["profile", made["model"], "--dim", "batch=2", "--tiles", 2, "--json"]
        made["--compare"] = folder / "p.json"
        made["--compare"].write_text(call(*words).stdout)
    return made


def line(name: str, given: dict[str, Path], read: str = "") -> list[object]:
    """The command line that reads these files."""
    words: list[object] = [name]
    for what, file in given.items():
        if what == "--op-library" and what != read:
            continue  # Python code is imported once in a process.
        words += [what, file] if what.startswith("-") else [file]
    return words + {
        "train": ["--loss", "Nll:0"],
        "profile": ["--dim", "batch=2", "--tiles", 2],
    }.get(name, [])


@pytest.mark.parametrize("how", ["itself", "another way", "link", "hard link"])
@pytest.mark.parametrize(("name", "output", "read"), PAIRS)
def test_no_command_writes_what_it_reads(
    name: str,
    output: str,
    read: str,
    how: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CXX", " ".join(CACHED_CXX))
    given = files(name, tmp_path)
    target = given[read]
    before = {file: file.read_bytes() for file in given.values()}
    if how == "another way":
        target = tmp_path / "." / ".." / tmp_path.name / target.name
    elif how != "itself":
        target = tmp_path / "link"
        (os.symlink if how == "link" else os.link)(given[read], target)
    said = failure(*line(name, given, read), output, target, code=2)
    shown = read if read.startswith("-") else read.upper()
    assert f"{target} cannot be written: it is {shown}, which this command reads." in said
    assert {file: file.read_bytes() for file in given.values()} == before


def test_a_codelets_file_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", " ".join(CACHED_CXX))
    given = files("build-op", tmp_path)
    os.link(given["--codelets"], tmp_path / "c.gp")
    said = failure(*line("build-op", given), "-o", tmp_path / "liba.so", code=2)
    assert f"{tmp_path / 'c.gp'} cannot be written: it is --codelets" in said
    assert not (tmp_path / "liba.so").exists()


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    words = line("profile", {"model": dense(tmp_path / "m.onnx")})
    said = failure(*words, "-o", tmp_path / "a", "--trace", tmp_path / "." / "a", code=2)
    assert "would be written twice" in said
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("name", ["run", "train", "profile"])
def test_data_beside_the_model_are_not_written_over(name: str, tmp_path: Path) -> None:
    given = files(name, tmp_path)
    model = onnx.load(given["model"])
    onnx.save(model, given["model"], save_as_external_data=True, location="w.bin", size_threshold=0)
    before = (tmp_path / "w.bin").read_bytes()
    said = failure(*line(name, given), "--output", tmp_path / "w.bin", code=2)
    assert "w.bin cannot be written: it is the model's data, which this command reads." in said
    assert (tmp_path / "w.bin").read_bytes() == before
