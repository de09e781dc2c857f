"""popir run and popir info on models that are more than one device program."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser

from tests.cli.commands import call, call_json, failure

FOUND = """<ir_version: 10, opset_import: ["": 21]> g (float[N,4] x) => (float[M] y, int64[2,M] at)
{
    r = Relu(x)
    at = NonZero(r)
    t = Transpose(at)
    y = GatherND(r, t)
}"""
PARTS = """<ir_version: 10, opset_import: ["": 21]>
g (float[6] x, int64 size) => (seq(float[N]) parts, string[2] words)
<string[2] words = {"one", "two"}>
{
    e = Exp(x)
    parts = SplitToSequence(e, size)
}"""


def saved(tmp_path: Path, text: str) -> Path:
    onnx.save(parser.parse_model(text), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_run_goes_on_in_segments(tmp_path: Path) -> None:
    found = call_json("run", saved(tmp_path, FOUND), "--dim", "N=3", "--check", "--runs", 2)
    assert [each["ok"] for each in found["check"]] == [True, True]
    assert found["time"]["runs"] == 2
    assert found["outputs"][1]["shape"] == [2, found["outputs"][0]["shape"][0]]
    said = call("run", tmp_path / "m.onnx", "--dim", "N=3").stderr
    assert "(ai.onnx.NonZero) leaves the device: the shape of its result is the number" in said


def test_run_shows_sequences_and_strings(tmp_path: Path) -> None:
    model = saved(tmp_path, PARTS)
    x = np.arange(6, dtype=np.float32)
    np.savez(tmp_path / "in.npz", x=x, size=np.array(4))
    target = tmp_path / "out.npz"
    found = call_json("run", model, "--inputs", tmp_path / "in.npz", "--check")
    names = {each["name"]: each["dtype"] for each in found["outputs"]}
    assert names == {"parts[0]": "float32", "parts[1]": "float32", "words": "object"}
    assert all(each["ok"] for each in found["check"])
    call("run", model, "--inputs", tmp_path / "in.npz", "--output", target)
    with np.load(target) as written:
        assert written["words"].tolist() == ["one", "two"]
        np.testing.assert_allclose(written["parts[1]"], np.exp(x[4:]), rtol=1e-6)


def test_run_takes_strings_from_a_file(tmp_path: Path) -> None:
    text = """<ir_version: 10, opset_import: ["": 21]> g (string[N] s) => (string[M] t)
    { t = Concat<axis = 0>(s, s) }"""
    model = saved(tmp_path, text)
    said = failure("run", model, "--dim", "N=2", code=2)
    assert "The input 's' holds strings, and there are no random ones: give them in a file" in said
    np.savez(tmp_path / "in.npz", s=np.array(["a", "déjà"]))
    target = tmp_path / "out.npz"
    call("run", model, "--inputs", tmp_path / "in.npz", "--output", target, "--check")
    with np.load(target) as written:
        assert written["t"].tolist() == ["a", "déjà"] * 2


def test_a_profile_is_of_one_program(tmp_path: Path) -> None:
    said = failure("run", saved(tmp_path, FOUND), "--dim", "N=3", "--host-profile", code=2)
    assert "--host-profile shows one device program, and this model is more: Node ''" in said


def test_info_lists_where_a_model_leaves_the_device(tmp_path: Path) -> None:
    model = saved(tmp_path, FOUND)
    found = call_json("info", model)
    (left,) = found["leaves_device"]
    assert (left["node"], left["operator"], left["version"]) == ("at", "ai.onnx.NonZero", 21)
    assert "the shape of its result is the number of elements found" in left["message"]
    assert found["unsupported"] == []
    assert found["unexamined"] == []
    text = call("info", model).stdout
    assert "leaves the device:" in text
    assert "more than one device program (popir run runs it in segments)" in text


@pytest.mark.parametrize("command", ["train", "profile", "plan"])
def test_other_commands_refuse_it_in_words(tmp_path: Path, command: str) -> None:
    more = ["--loss", "y"] if command == "train" else []
    said = call(command, saved(tmp_path, FOUND), "--dim", "N=3", *more, code=None)
    assert said.exit_code != 0
    if command != "train":
        assert "runs on the host (the shape of its result" in said.stderr
