"""The files of `SessionOptions.dotChecks`, which graphviz draws."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.errors import UnwritableError
from popir.options.table import OptionWarning


def compiled(folder: Path, *checks: str, training: bool = False, **options: Any) -> None:
    """Compiles six times a product of matrices and a relu, and writes files to a folder."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    y = x = builder.addInputTensor("FLOAT", [4, 4], "x")
    for i in range(6):
        w = builder.addInitializedInputTensor(np.eye(4, dtype=np.float32), f"w{i}")
        y = builder.aiOnnx.relu([builder.aiOnnx.matmul([y, w], debugContext=f'"{i}"')])
    asked = popir.SessionOptions()
    asked.dotChecks = set(checks)
    asked.logDir = str(folder)
    asked.outlineThreshold = 0.0
    for name, value in options.items():
        setattr(asked, name, value)
    device = popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4})
    if training:
        loss = builder.aiGraphcore.identityloss([y])
        flow = popir.DataFlow(1, {loss: popir.AnchorReturnType("All")})
        optimizer = popir.SGD({"defaultLearningRate": (0.1, True)})
        model = builder.getModelProto()
        popir.TrainingSession(model, flow, loss, optimizer, device, userOptions=asked)
        return
    builder.addOutputTensor(y)
    flow = popir.DataFlow(1, {y: popir.AnchorReturnType("All")})
    popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=asked)
    assert x


def files(folder: Path) -> dict[str, str]:
    return {each.stem: each.read_text() for each in folder.glob("*.dot")}


def test_files_of_the_stages(tmp_path: Path) -> None:
    """The stages that are asked for, or all of them, as they are then: there are gradients behind
    the first two alone. Without a name there is no file.
    """
    compiled(tmp_path / "some", "Fwd0", "Final", training=True, separateCallOpPdfs=False)
    assert {*files(tmp_path / "some")} == {"Fwd0", "Final"}
    compiled(tmp_path / "all", "ALL", training=True, separateCallOpPdfs=False)
    found = files(tmp_path / "all")
    assert {*found} == {"Fwd0", "Fwd1", "Bwd0", "PreAlias", "Final"}
    has_gradients = {name for name, text in found.items() if "Gradient___" in text}
    assert has_gradients == {"Bwd0", "PreAlias", "Final"}
    compiled(tmp_path / "none")
    assert not files(tmp_path / "none")


def test_called_graphs(tmp_path: Path) -> None:
    """Graphs of outlining in files of their own, or in the one of the main graph."""
    compiled(tmp_path / "apart", "Final")
    compiled(tmp_path / "whole", "Final", separateCallOpPdfs=False)
    apart, whole = files(tmp_path / "apart"), files(tmp_path / "whole")
    assert len(apart) > 1 and all(name.startswith("Final") for name in apart)
    assert {*whole} == {"Final"}
    assert whole["Final"].count("subgraph cluster_") == len(apart)
    assert "label=Call" not in apart["Final"] and 'label="Call"' in apart["Final"]
    boxes = [sum(text.count("shape=box") for text in each.values()) for each in (apart, whole)]
    assert boxes[0] == boxes[1]


def test_what_is_drawn(tmp_path: Path) -> None:
    """Operators with the tensors that they read, their names in quotes, and a range of them."""
    compiled(tmp_path / "plain", "Fwd0")
    plain = files(tmp_path / "plain")["Fwd0"]
    assert re.findall(r"op\d+ \[shape=box label=\"(\w+)\"\]", plain) == ["MatMul", "Relu"] * 6
    assert '"0:w3" [shape=ellipse label="w3"]' in plain and 'op0 -> op1 [label="' in plain
    compiled(tmp_path / "named", "Fwd0", dotOpNames=True, firstDotOp=2, finalDotOp=5)
    named = files(tmp_path / "named")["Fwd0"]
    assert named.count("shape=box") == 3 and '"MatMul \\"1\\""' in named
    assert "op1 " not in named and "op4 " in named


def test_nodes_are_of_one_operator_or_tensor(tmp_path: Path) -> None:
    """An input has the name that an operator has in the file."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInputTensor("FLOAT", [4], "op1")
    y = builder.aiOnnx.relu([builder.aiOnnx.neg([x])])
    builder.addOutputTensor(y)
    options = popir.SessionOptions()
    options.dotChecks, options.logDir = {"Fwd0"}, str(tmp_path)
    flow = popir.DataFlow(1, {y: popir.AnchorReturnType("All")})
    device = popir.DeviceManager().createCpuDevice()
    popir.InferenceSession(builder.getModelProto(), flow, device, userOptions=options)
    text = files(tmp_path)["Fwd0"]
    nodes = re.findall(r'^("[^"]*"|\w+) \[shape=(?:box|ellipse) label=("[^"]*")\]', text, re.M)
    assert len({name.strip('"') for name, _ in nodes}) == 3
    assert sorted(label for _, label in nodes) == ['"Neg"', '"Relu"', '"op1"']


def test_checks_that_cannot_be(tmp_path: Path) -> None:
    with pytest.warns(OptionWarning, match=r"Finally.*: files are written at Fwd0, Fwd1, Bwd0"):
        compiled(tmp_path, "Finally", firstDotOp=1)
    assert not files(tmp_path)
    (tmp_path / "file").touch()
    words = r"logDir = '.*file': the file of the dotChecks 'Fwd0' cannot be written there: File ex"
    with pytest.raises(UnwritableError, match=words):
        compiled(tmp_path / "file", "Fwd0")
    with pytest.warns(OptionWarning, match="finalDotOp.*dotChecks is not empty"):
        compiled(tmp_path, finalDotOp=3)
