"""`popir plan`: the instructions of a model, and what the passes did."""

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import popir
from tests.cli.commands import call, call_json, dense, failure, save


def convolutions(file: Path) -> Path:
    """Two convolutions in a row, and Relu after the second."""
    weights = {
        "w": np.ones((32, 16, 3, 3), np.float32),
        "v": np.ones((32, 32, 3, 3), np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="first"),
        helper.make_node("Conv", ["c", "v"], ["d"], name="second"),
        helper.make_node("Relu", ["d"], ["y"], name="relu"),
    ]
    return save(file, nodes, {"x": [1, 16, 8, 8]}, ["y"], weights)


def test_instructions_and_passes(tmp_path: Path) -> None:
    lines = call("plan", dense(tmp_path / "m.onnx"), "--dim", "batch=4").stdout.splitlines()
    assert lines[0] == "program 0"
    # Of so few rows the weights are packed on AVX-512.
    assert lines[2].removesuffix(", packed") == "  matmul block/fc [1,4,8] [1,8,4] [1,4,4]"
    assert "  map relu [4,4] [4,4]" in lines
    passes = lines[lines.index("passes") + 1 :]
    assert passes and all(line.startswith("  ") and ": " in line for line in passes)


def test_json_has_the_sections(tmp_path: Path) -> None:
    model = convolutions(tmp_path / "m.onnx")
    found = call_json("plan", model)
    assert (found["model"], found["device"]) == (str(model), "cpu")
    # Relu is part of the second convolution's instruction: one instruction fewer than operators.
    instructions = [line for line in found["program"] if "conv" in line or "relu" in line]
    assert len(instructions) == 2 and "relu" in instructions[1]
    assert [line.split()[0] for line in found["before_first_run"]] == ["pack", "pack"]
    assert any(line.startswith("fuse") for line in found["passes"])
    headings = ("program 0", "before the first run", "passes")
    printed = [line for line in call("plan", model).stdout.splitlines() if line not in headings]
    every = found["program"] + found["before_first_run"] + found["passes"]
    assert printed == [f"  {line}" for line in every]


def test_sizes_are_those_given(tmp_path: Path) -> None:
    model = dense(tmp_path / "m.onnx")
    four = call("plan", model, "--dim", "batch=4").stdout
    assert call("plan", model, "--shape", "x=4,8").stdout == four
    assert "[1,5,8]" in call("plan", model, "--dim", "batch=5").stdout
    assert "give its size, as --dim batch=1" in failure("plan", model, code=2)


def test_a_simulated_ipu_shares_repeated_blocks(tmp_path: Path) -> None:
    nodes, names = [], ["x"]
    for i in range(4):
        names.append(f"s{i}")
        nodes.append(helper.make_node("MatMul", [names[-2], f"w{i}"], [f"h{i}"]))
        nodes.append(helper.make_node("Softmax", [f"h{i}"], [names[-1]]))
    weights = {f"w{i}": np.full((8, 8), i, np.float32) for i in range(4)}
    model = save(tmp_path / "m.onnx", nodes, {"x": [2, 8]}, [names[-1]], weights)
    assert "subgraph" not in call("plan", model, "--device", "cpu").stdout
    assert "subgraph_0/3/MatMul" in call("plan", model, "--device", "ipumodel").stdout


def test_a_session_has_a_plan_once_it_is_prepared(tmp_path: Path) -> None:
    model = convolutions(tmp_path / "m.onnx")
    device = popir.DeviceManager().createCpuDevice()
    session = popir.InferenceSession(str(model), popir.DataFlow(1, ["y"]), device)
    with pytest.raises(popir.popart_exception, match=r"must be called before planText\(\)"):
        session.planText()
    session.prepareDevice()
    assert session.planText() == call("plan", model).stdout
