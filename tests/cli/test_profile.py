"""popir profile."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from onnx import helper

import popir
from popir.profile import Profile
from tests.cli.commands import WEIGHT, call, call_json, classifier, dense, failure, save
from tests.toolchain import clang

SMALL = ["--tiles", 8, "--dim", "batch=16"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return dense(tmp_path / "dense.onnx")


@pytest.fixture
def training(tmp_path: Path) -> Path:
    classifier(tmp_path / "classifier.onnx")
    return tmp_path / "classifier.onnx"


def test_the_summary(model: Path) -> None:
    result = call("profile", model, *SMALL)
    lines = result.stdout.splitlines()
    assert lines[0] == "dense.onnx: inference on 1 x ipu2, 8 tiles at 1.33 GHz"
    assert [line.partition(":")[0] for line in lines[1:6]] == [
        "cycles",
        "cycles of operations by",
        "FLOPs",
        "exchange",
        "memory",
    ]
    assert lines[3].startswith(f"FLOPs: {2 * 16 * 8 * 4 + 16 * 4:,} (")
    assert "operators by cycles (2 of 2):" in lines
    assert lines[-2].split()[-2:] + lines[-1].split()[-2:] in (
        ["MatMul", "block/fc", "Relu", "relu"],
        ["Relu", "relu", "MatMul", "block/fc"],
    )
    assert result.stderr == ""


def test_json_is_what_the_session_says(model: Path, tmp_path: Path) -> None:
    found = call_json("profile", model, *SMALL)
    (tmp_path / "p.json").write_text(json.dumps(found))
    Profile.load(tmp_path / "p.json")
    session = popir.InferenceSession(
        str(model),
        popir.DataFlow(1, ["y"]),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8}),
        {"x": popir.TensorInfo("FLOAT", [16, 8])},
        name="dense.onnx",
    )
    session.prepareDevice()
    assert session.getProfile().data == found
    assert found["totals"]["cycles"] == session.getCycleCount()


def test_files_hold_the_same_profile(model: Path, tmp_path: Path) -> None:
    page, trace = tmp_path / "r.html", tmp_path / "t.json"
    result = call("profile", model, *SMALL, "-o", page, "--trace", trace)
    assert result.stdout.splitlines()[-2:] == [f"wrote {page}", f"wrote {trace}"]
    found = call_json("profile", model, *SMALL)
    assert json.dumps(found, separators=(",", ":")) in page.read_text()
    other = json.loads(trace.read_text())["otherData"]
    assert other["clock_hz"] == found["machine"]["clock_hz"]


CODELET = """
import popir
from popir.poplar import program

TEXT = '''
#include <poplar/Vertex.hpp>
struct Turns : poplar::Vertex {
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      for (unsigned j = 0; j < 1000; ++j) asm volatile("nop");
      out[i] = in[i];
    }
  }
};
'''


class TurnsOp(popir.Op):
    def setup(self):
        self.setOutInfo(0, self.inInfo(0))


class TurnsOpx(popir.Opx):
    def grow(self, prog):
        graph, x = self.graph(), self.getInTensor(0)
        graph.addCodelets(TEXT)
        y, cs = graph.clone(x), graph.addComputeSet(self.debugContext())
        vertex = graph.addVertex(cs, "Turns", {"in": x.flatten(), "out": y.flatten()})
        graph.setTileMapping(vertex, 0)
        prog.add(program.Execute(cs))
        self.setOutTensor(0, y)


TURNS = popir.OperatorIdentifier("test", "Turns", 1)
popir.OpCreator(TurnsOp, [TURNS])
popir.OpxCreator(TurnsOpx, TURNS)
"""


def test_a_run_counts_codelets(tmp_path: Path) -> None:
    """Five elements, a thousand turns for each: of a tile's nop and `brnzdec` or, without a clang,
    of the host's nop, add, compare, jump.
    """
    (tmp_path / "turns.py").write_text(CODELET)
    node = helper.make_node("Turns", ["x"], ["y"], domain="test")
    model = save(tmp_path / "t.onnx", [node], {"x": [5]}, ["y"], opsets={"": 17, "test": 1})
    words = ["profile", model, "--tiles", 8, "--op-library", tmp_path / "turns.py"]
    plain, counted = call_json(*words), call_json(*words, "--random", 3)
    assert [each["source"] for each in plain["operations"]] == ["unknown"]
    assert [each["source"] for each in counted["operations"]] == ["counted"]
    per = counted["totals"]["compute_cycles"] / (6 * 5 * 1000)
    least, most = (2, 2.1) if clang() else (3, 4.1)
    assert least <= per < most
    assert counted["totals"]["exchange_bytes"] == plain["totals"]["exchange_bytes"]
    what = "bundles" if clang() else "instructions"
    assert any(f"'Turns' take the {what}" in note for note in counted["notes"])


def test_training_costs_more(training: Path) -> None:
    inference = call_json("profile", training, "--tiles", 8)
    words = ["profile", training, "--tiles", 8, "--training"]
    found = call_json(*words)
    assert found["model"] == {**inference["model"], "training": True, "loss": "Nll:0"}
    assert found["totals"]["cycles"] > inference["totals"]["cycles"]
    assert {"SGD0VarUpdate"} <= {each["type"] for each in found["operators"]}
    assert call_json(*words, "--loss", "Nll:0") == found
    momentum = call_json(*words, "--momentum", 0.9)
    assert momentum["memory"]["total_bytes"] > found["memory"]["total_bytes"]


def test_the_machine_can_be_chosen(model: Path) -> None:
    words = ["--target", "ipu21", "--ipus", 2, "--figure", "callCycles=1000"]
    found = call_json("profile", model, *SMALL, *words)
    machine, totals = found["machine"], found["totals"]
    assert (machine["target"], machine["ipus"], machine["tiles_per_ipu"]) == ("ipu21", 2, 8)
    assert len(found["memory"]["categories"][0]["tile_bytes"]) == 16
    assert totals["sync_cycles"] >= 1000 * sum(s["compute_cycles"] > 0 for s in found["steps"])


def test_tiles_out_of_memory_are_said_and_the_report_is_there(model: Path, tmp_path: Path) -> None:
    words = ["profile", model, "--tiles", 8, "--dim", "batch=8192"]
    words += ["--figure", "memoryBytesPerTile=16384"]
    result = call(*words, "-o", tmp_path / "r.html", code=1)
    assert result.stderr == "popir: WARNING: 8 tiles are out of memory\n"
    assert (tmp_path / "r.html").exists()
    assert call_json(*words, code=1)["memory"]["tiles_out_of_memory"] == 8


def test_profiles_are_compared(model: Path, tmp_path: Path) -> None:
    old = call_json("profile", model, *SMALL)
    (tmp_path / "old.json").write_text(json.dumps(old))
    words = ["--tiles", 8, "--dim", "batch=64", "--compare", tmp_path / "old.json"]
    new = call_json("profile", model, "--tiles", 8, "--dim", "batch=64")
    out = call("profile", model, *words, "-o", tmp_path / "c.html").stdout
    a, b = old["totals"]["flops"], new["totals"]["flops"]
    (line,) = [line for line in out.splitlines() if line.startswith("  FLOPs ")]
    assert line.split() == ["FLOPs", f"{a:,}", f"{b:,}", f"+{b - a:,}", "+300.0%"]
    assert "operators whose cycles changed (2 of 2):" in out
    text = (tmp_path / "c.html").read_text()
    assert all(json.dumps(each, separators=(",", ":")) in text for each in (old, new))
    (tmp_path / "new.json").write_text(json.dumps(new))
    saved = call("profile", tmp_path / "new.json", "--compare", tmp_path / "old.json").stdout
    assert saved.splitlines() == out.splitlines()[:-1]
    assert call_json("profile", tmp_path / "new.json") == new


def test_what_does_not_fit(model: Path, training: Path, tmp_path: Path) -> None:
    def said(*words: object, code: int = 2) -> str:
        return failure("profile", *words, code=code)

    assert "give its size, as --dim batch=1" in said(model)
    for words in (
        ("--loss", "Nll:0"),
        ("--optimizer", "sgd"),
        ("--lr", 0.1),
        ("--momentum", 0.1),
        ("--weight-decay", 0.1),
        ("--train", "w"),
        ("--freeze", "w"),
        ("--training-mode", "*"),
        ("--evaluation-mode", "*"),
    ):
        assert f"{words[0]} is for --training" in said(training, *words)
    assert "no node of the model computes such a tensor" in said(
        training, "--training", "--loss", "x"
    )
    assert "is not one of 'ipu1', 'ipu2', 'ipu21'" in said(model, "--target", "gpu")
    assert "exchangeBytes" in said(model, *SMALL, "--figure", "exchangeBytes=1")
    assert "is not of the form of" in said(model, "--figure", "callCycles=many")
    assert "callCycles" in said(model, *SMALL, "--figure", "callCycles=-4")
    assert "0 is not in the range" in said(model, "--ipus", 0)
    nowhere = tmp_path / "no" / "r.html"
    assert str(nowhere) in said(model, *SMALL, "-o", nowhere)
    assert str(nowhere) in said(model, *SMALL, "--trace", nowhere)
    broken = tmp_path / "p.json"
    broken.write_text('{"format": "popir.profile", "version": 1}')
    assert "a profile of version 1" in said(broken, code=3)
    assert "a profile of version 1" in said(model, *SMALL, "--compare", broken, code=3)
    broken.write_text(json.dumps(call_json("profile", model, *SMALL)))
    assert "--ipus is for models; MODEL is a profile" in said(broken, "--ipus", 2)


def test_which_tensor_is_the_loss(tmp_path: Path) -> None:
    """The only one that nothing reads; of several the only output; else it must be said."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("ReduceSum", ["h"], ["sum"], keepdims=0),
        helper.make_node("ReduceMean", ["h"], ["mean"], keepdims=0),
    ]
    words = ["--training", "--tiles", 8]
    given = ({"x": [4, 8]}, {"w": WEIGHT})
    both = save(tmp_path / "both.onnx", nodes, given[0], ["sum", "mean"], given[1])
    error = failure("profile", both, *words, code=2)
    assert "Which tensor is the loss? 2 tensors are read by no node: 'sum', 'mean'." in error
    one = save(tmp_path / "one.onnx", nodes, given[0], ["mean"], given[1])
    assert call_json("profile", one, *words)["model"]["loss"] == "mean"
    last = save(tmp_path / "last.onnx", nodes[:2], given[0], ["h"], given[1])
    assert call_json("profile", last, *words)["model"]["loss"] == "sum"


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    """To look into it would be to wait for somebody who writes."""
    os.mkfifo(tmp_path / "pipe")
    assert "it is no regular file" in failure("profile", tmp_path / "pipe", code=3)


def test_replicas_have_collectives(training: Path) -> None:
    given = ["profile", training, "--training", "--loss", "Nll:0", "--tiles", 8, "--replicas", 512]
    pod = call_json(*given)["pod"]
    (reduced,) = pod["collectives"]
    assert (pod["replicas"], pod["ipus"]) == (512, 512)
    assert reduced["algorithm"] == "two-level" and reduced["gateway_bytes"] > 0
    assert pod["seconds"] == pytest.approx(
        pod["replica_seconds"] + pod["transfer_seconds"] + pod["collective_seconds"]
    )
    assert pod["transfer_seconds"] > 0
    text = call(*given).stdout
    assert "512 replicas, 512 IPUs: " in text and "all-reduce of gradients" in text
    assert "together they may have at most 4096 IPUs" in failure(
        *given[:-1], 4096, "--ipus", 2, code=2
    )
