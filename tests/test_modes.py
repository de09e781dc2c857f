"""Normalisation and dropout as in training or in evaluation, by name; how they run, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import popir
from popir.errors import popart_exception
from tests.cli.commands import call, call_json, failure
from tests.models import Array, floats, step

X = floats(6, 3, 4) * np.array([1, 2, 3], np.float32)[:, None] + 1


def model(opset: int, training: bool) -> onnx.ModelProto:
    """Two normalisations, one without a name, and dropout, exported in one mode or the other."""
    late = opset >= 14
    attributes = {"training_mode": int(training)} if late else {}
    more = [] if not training else ["m", "v"] if late else ["m", "v", "sm", "sv"]
    nodes = [
        helper.make_node(
            "BatchNormalization", ["x", *"sbnw"], ["one", *more], name="layer.1", **attributes
        ),
        helper.make_node("BatchNormalization", ["one", *"sbnw"], ["two"], **attributes),
        helper.make_node("Mul", ["two", "factor"], ["scaled"]),
    ]
    if opset < 12:
        nodes.append(helper.make_node("Dropout", ["scaled"], ["y"], name="drop", ratio=0.5))
    else:
        inputs = ["scaled", "ratio", "isTraining"]
        nodes.append(helper.make_node("Dropout", inputs, ["y"], name="drop"))
    nodes.append(helper.make_node("ReduceSum", ["y"], ["loss"], keepdims=0))
    if late:
        nodes[1].attribute[0].i = 0
    arrays = {
        "s": np.array([1, 2, 3], np.float32),
        "b": np.array([0, 1, 0], np.float32),
        "n": np.array([0.5, 0, 1], np.float32),
        "w": np.array([1, 4, 9], np.float32),
        "factor": floats(3, 4, seed=2),
        "ratio": np.array(0.5, np.float32),
        "isTraining": np.array(training),
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
        [
            numpy_helper.from_array(a, id)
            for id, a in arrays.items()
            if opset >= 12 or id not in ("ratio", "isTraining")
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def normalised(x: Array, batch: bool) -> Array:
    s, b, mean, var = (
        np.array(v, np.float64)[:, None] for v in ([1, 2, 3], [0, 1, 0], [0.5, 0, 1], [1, 4, 9])
    )
    if batch:
        mean, var = (f(x, axis=(0, 2), keepdims=True)[0] for f in (np.mean, np.var))
    return (x - mean) / np.sqrt(var + 1e-5) * s + b


def ran(given: onnx.ModelProto, training: bool = True, **modes: Any) -> tuple[str, str, str]:
    """How each of the three nodes runs: seen from the numbers."""
    flow, device = popir.DataFlow(1, ["one", "two", "y"]), popir.DeviceManager().createCpuDevice()
    if training:
        session: Any = popir.TrainingSession(
            given, flow, "loss", popir.ConstSGD(0.1), device, **modes
        )
    else:
        session = popir.InferenceSession(given, flow, device, **modes)
    session.prepareDevice()
    out = step(session, {"x": X})
    found = []
    for before, after in (("x", "one"), ("one", "two")):
        source = X if before == "x" else out[before]
        fits = {
            name: np.allclose(out[after], normalised(source, name == "batch"), 1e-4, 1e-4)
            for name in ("batch", "running")
        }
        assert sum(fits.values()) == 1
        found.append("batch" if fits["batch"] else "running")
    dropped = float(np.mean(out["y"] == 0))
    assert dropped == 0 or 0.2 < dropped < 0.8
    return found[0], found[1], "drops" if dropped else "off"


@pytest.mark.parametrize("opset", [9, 13, 14, 17])
def test_modes_by_name(opset: int) -> None:
    old = opset < 12  # Dropout without a word of training drops in a TrainingSession.
    evaluated = model(opset, training=False)
    assert ran(evaluated) == ("running", "running", "drops" if old else "off")
    assert ran(evaluated, trainingMode=["*"]) == ("batch", "batch", "drops")
    assert ran(evaluated, trainingMode=["two", "drop"]) == ("running", "batch", "drops")
    only = {"trainingMode": ["*"], "evaluationMode": ["layer.*", "drop"]}
    assert ran(evaluated, **only) == ("running", "batch", "off")
    trained = model(opset, training=True)
    assert ran(trained) == ("batch", "running", "drops")
    assert ran(trained, evaluationMode=["*"]) == ("running", "running", "off")
    assert ran(trained, training=False, evaluationMode=["*"]) == ("running", "running", "off")
    assert ran(trained, training=False, evaluationMode=["drop"]) == ("batch", "running", "off")


def test_what_fits_nothing_and_what_contradicts() -> None:
    given = model(17, training=False)
    with pytest.raises(
        popart_exception, match=r"trainingMode: 'layer1' fits no normalisation.*'la"
    ):
        ran(given, trainingMode=["layer1"])
    with pytest.raises(popart_exception, match=r"It has 3 such nodes.*optimize=False"):
        ran(given, trainingMode=["bn*"])
    with pytest.raises(popart_exception, match=r"'layer.1' fits '\*' of trainingMode and '\*' of"):
        ran(given, trainingMode=["*"], evaluationMode=["*"])
    with pytest.raises(
        popart_exception, match=r"takes a list of strings as trainingMode; given was '"
    ):
        ran(given, trainingMode="drop")


def test_a_saved_model_has_the_modes_that_it_had(tmp_path: Path) -> None:
    given, file = model(17, training=False), tmp_path / "m.onnx"
    session = popir.TrainingSession(
        given,
        popir.DataFlow(1, ["loss"]),
        "loss",
        popir.ConstSGD(0.1),
        popir.DeviceManager().createCpuDevice(),
        trainingMode=["*"],
    )
    session.prepareDevice()
    for _ in range(3):
        step(session, {"x": X})
    session.modelToHost(file)
    saved = onnx.load(file)
    assert list(saved.graph.node) == list(given.graph.node)
    tensors = {t.name: numpy_helper.to_array(t) for t in saved.graph.initializer}
    assert np.abs(tensors["n"] - [0.5, 0, 1]).min() > 1e-3
    run = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    assert np.isfinite(run.run(None, {"x": X})[0])


def test_info_says_how_they_run(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    onnx.save(model(9, training=True), file)
    found = {each["node"]: each for each in call_json("info", file)["modes"]}
    assert list(found) == ["layer.1", "two", "drop"]
    assert found["layer.1"]["operator"] == "ai.onnx.BatchNormalization"
    assert (
        found["layer.1"]["training"] == found["layer.1"]["inference"] == "statistics of the batch"
    )
    assert found["two"]["training"] == "running statistics"
    assert (found["drop"]["training"], found["drop"]["inference"]) == ("drops 0.5", "drops nothing")
    said = call("info", file).stdout
    assert "normalisation and dropout:" in said and "in a TrainingSession" in said


def test_the_command_line_names_nodes(tmp_path: Path) -> None:
    file, data = tmp_path / "m.onnx", tmp_path / "d.npz"
    onnx.save(model(17, training=False), file)
    np.savez(data, x=X)
    words = ["train", file, "--data", data, "--loss", "loss", "--output", tmp_path / "out.onnx"]
    losses = [
        call_json(*words, *more)["epochs"][0]["loss"]
        for more in ([], ["--training-mode", "layer.1", "--training-mode", "two"])
    ]
    given = X
    for i, batch in enumerate((False, True)):
        want = normalised(normalised(given, batch), batch) * floats(3, 4, seed=2)
        np.testing.assert_allclose(losses[i], want.sum(), 1e-3)
    said = failure(*words, "--evaluation-mode", "dorp", code=3)
    assert "evaluationMode: 'dorp' fits no normalisation or dropout node" in said
    assert "Did you mean 'drop'?" in said
