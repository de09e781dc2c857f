"""`profile.pop`, which an Engine writes: shown as the profile of a model is, by names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from popir import poplar, poplin, popops
from popir.devices import DeviceManager
from popir.errors import ModelError
from popir.poplar import program
from popir.popops import expr as pe
from popir.profile import Profile, htmlOf
from popir.profile.document import check
from tests.cli.commands import call, call_json

TILES = 16


def written(folder: Path, several: bool, runs: Sequence[int] = (0,)) -> poplar.Engine:
    """An engine of one or two programs that writes profile.pop to `folder`."""
    device = DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": TILES}).device
    graph = poplar.Graph(device.getTarget())
    a, b = (
        graph.addVariable(poplar.FLOAT, [64, 64], poplar.VariableMappingMethod.LINEAR, name)
        for name in "ab"
    )
    first, second = program.Sequence(), program.Sequence()
    c = poplin.matMul(graph, a, b, first, poplar.FLOAT, "product")
    popops.mapInPlace(graph, pe.Exp(pe._1), [c], first, "squash/exp")
    inner = program.Sequence(debugContext="normalise")
    popops.mapInPlace(graph, pe.Sqrt(pe._1), [c], inner, "root")
    (second if several else first).add(inner)
    programs = [first, second] if several else [first]
    options = {"autoReport.all": "true", "autoReport.directory": str(folder)}
    engine = poplar.Engine(graph, programs, options)
    engine.load(device)
    for each in runs:
        engine.run(each)
    return engine


def total(engine: poplar.Engine, programs: Sequence[int], what: str) -> Any:
    return sum(engine.machineReport(each)[what] for each in programs)


def test_the_parts_are_what_the_author_has_named(tmp_path: Path) -> None:
    engine = written(tmp_path, several=False)
    profile = Profile.load(tmp_path / "profile.pop")
    check(profile.data, "it")
    assert [row["name"] for row in profile.data["operators"]] == ["product", "squash", "normalise"]
    assert {row["domain"] for row in profile.data["operators"]} == {"poplar"}
    totals = profile.data["totals"]
    for ours, theirs in (("cycles",) * 2, ("flops",) * 2, ("exchange_bytes", "exchangeBytes")):
        assert totals[ours] == total(engine, [0], theirs)
    assert sum(row["cycles"] for row in profile.data["operators"]) == totals["cycles"]
    assert profile.data["memory"]["total_bytes"] == engine.machineReport(0)["totalBytes"]
    assert profile.data["machine"]["tiles_per_ipu"] == TILES


@pytest.mark.parametrize(
    ("runs", "counted"), [((), [0, 1]), ((1,), [1]), ((1, 0, 0, 1, 1), [0, 1])], ids=str
)
def test_each_program_that_has_run_counts_once(
    tmp_path: Path, runs: tuple[int, ...], counted: list[int]
) -> None:
    engine = written(tmp_path, several=True, runs=runs)
    cycles = total(engine, counted, "cycles")
    del engine  # It writes the profile again, with what has run.
    profile = Profile.load(tmp_path / "profile.pop")
    check(profile.data, "it")
    names = {0: ["program 0/product", "program 0/squash"], 1: ["program 1/normalise"]}
    wanted = [name for each in counted for name in names[each]]
    assert [row["name"] for row in profile.data["operators"]] == wanted
    assert profile.data["totals"]["cycles"] == cycles


def test_the_command_shows_it_as_a_page(tmp_path: Path) -> None:
    written(tmp_path, several=False)
    file, page = tmp_path / "profile.pop", tmp_path / "page.html"
    said = call("profile", file, "-o", page).stdout
    assert "profile.pop: program on 1 x " in said
    assert "squash" in said
    assert "squash" in page.read_text(encoding="utf-8")
    found = call_json("profile", file)
    assert found == Profile.load(file).data
    assert page.read_text(encoding="utf-8") == htmlOf(Profile(found))
    compared = call("profile", file, "--compare", file).stdout
    assert "+0.0%" in compared


def test_options_of_models_are_refused(tmp_path: Path) -> None:
    written(tmp_path, several=False)
    refused = call("profile", tmp_path / "profile.pop", "--training", code=2).stderr
    assert "--training is for models; MODEL is a profile" in refused


def damaged(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def foreign(data: bytes) -> bytes:
    magic, _, rest = data.split(b"\n", 2)
    return b"\n".join([magic, b"0.0.1", rest])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (damaged, "is damaged"),
        (lambda data: data[:200], "is damaged"),
        (foreign, "was written by popir 0.0.1, this is"),
    ],
    ids=["damaged", "cut off", "another version"],
)
def test_other_files_are_refused(tmp_path: Path, change: Any, reason: str) -> None:
    written(tmp_path, several=False)
    file = tmp_path / "profile.pop"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(ModelError, match=reason) as raised:
        Profile.load(file)
    assert str(raised.value).startswith(f"'{file}' ")
    assert "run the program again with the engine option autoReport.all" in str(raised.value)


def test_a_name_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    """A program in C++ may have any bytes in a debug name."""
    written(tmp_path, several=False)
    file = tmp_path / "profile.pop"
    magic, version, size, _, content = file.read_bytes().split(b"\n", 4)
    content = content.replace(b"normalise", b"normalis\xe9")
    digest = 0xCBF29CE484222325
    for byte in content:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    file.write_bytes(b"\n".join([magic, version, size, b"%016x" % digest, content]))
    said = call("profile", file, code=3).stderr
    assert "has a name that is no UTF-8" in said and "normalis\\xe9" in said


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3\0", b"\x0a\x03abc"], ids=["empty", "a", "b"]
)
def test_a_file_of_other_tools_is_no_model(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "profile.pop").write_bytes(data)
    said = call("profile", tmp_path / "profile.pop", code=3).stderr
    assert "is no profile that popir wrote; the format of Graphcore's tools is not public" in said
    assert "ONNX" not in said


def test_an_engine_without_programs(tmp_path: Path) -> None:
    device = DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": TILES}).device
    graph = poplar.Graph(device.getTarget())
    options = {"autoReport.all": "true", "autoReport.directory": str(tmp_path)}
    poplar.Engine(graph, [], options)
    with pytest.raises(ModelError, match="has no program"):
        Profile.load(tmp_path / "profile.pop")
