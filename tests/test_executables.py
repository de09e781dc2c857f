"""Compiled programs and weights in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.errors import popart_exception, popart_runtime_error
from tests.models import floats

MANAGER = popir.DeviceManager()
X, W = floats(2, 3), floats(3, 4)


def model(weight: Any = W, op: str = "relu") -> tuple[bytes, str]:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    w = builder.addInitializedInputTensor(weight, "w")
    y = getattr(builder.aiOnnx, op)([builder.aiOnnx.matmul([x, w])])
    builder.addOutputTensor(y)
    return builder.getModelProto(), y


def session(device: Any = None, weight: Any = W, op: str = "relu") -> tuple[Any, str]:
    proto, y = model(weight, op)
    device = device or MANAGER.createCpuDevice()
    return popir.InferenceSession(proto, popir.DataFlow(1, [y]), device), y


def result(made: Any, y: str) -> Any:
    anchors = made.initAnchorArrays()
    made.run(popir.PyStepIO({"x": X}, anchors))
    return anchors[y]


def test_a_program_that_was_exported_is_loaded_and_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = session()
    made.compileAndExport(tmp_path / "sub" / "program")
    fresh, y = session(weight=2 * W)
    fresh.loadExecutable(tmp_path / "sub" / "program")
    monkeypatch.setattr(popir.InferenceSession, "_lowered", None)
    fresh.prepareDevice()
    np.testing.assert_allclose(result(fresh, y), np.maximum(X @ (2 * W), 0), rtol=1e-6)


def test_a_folder_gets_a_file_called_after_the_session(tmp_path: Path) -> None:
    made, _ = session()
    made.compileAndExport(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["inference.popir"]
    fresh, y = session()
    fresh.loadExecutable(tmp_path)
    fresh.prepareDevice()
    assert result(fresh, y).shape == (2, 4)


def test_weights_go_with_a_saved_program_or_alone(tmp_path: Path) -> None:
    made, _ = session(weight=3 * W)
    made.saveExecutable(tmp_path / "both")
    made.saveExecutable(tmp_path / "program", saveVariables=False)
    made.saveVariables(tmp_path / "weights")
    for names, factor in ((["both"], 3), (["program"], 1), (["program", "weights"], 3)):
        fresh, y = session()
        for name in names:
            fresh.loadExecutable(tmp_path / name)
        fresh.prepareDevice()
        np.testing.assert_allclose(result(fresh, y), np.maximum(X @ (factor * W), 0), rtol=1e-6)


def test_a_program_for_an_offline_device_runs_on_a_device_of_its_size(tmp_path: Path) -> None:
    offline, _ = session(MANAGER.createOfflineIPUDevice({"tilesPerIPU": 4}))
    offline.compileAndExport(tmp_path / "program")
    with pytest.raises(popart_runtime_error, match="load an engine on an offline device"):
        offline.prepareDevice()
    fresh, y = session(MANAGER.createIpuModelDevice({"tilesPerIPU": 4}))
    fresh.loadExecutable(tmp_path / "program")
    fresh.prepareDevice()
    np.testing.assert_allclose(result(fresh, y), np.maximum(X @ W, 0), rtol=1e-6)
    other, _ = session(MANAGER.createIpuModelDevice({"tilesPerIPU": 8}))
    with pytest.raises(popart_exception, match="a device of another size"):
        other.loadExecutable(tmp_path / "program")


def test_what_is_refused(tmp_path: Path) -> None:
    made, _ = session()
    path = tmp_path / "program"
    made.saveExecutable(path)
    with pytest.raises(popart_exception, match="has the program of another model"):
        session(op="tanh")[0].loadExecutable(path)
    with pytest.raises(popart_exception, match=r"none cannot be read: No such file"):
        made.loadExecutable(tmp_path / "none")
    with pytest.raises(popart_exception, match="Leave it at True"):
        made.saveExecutable(path, savePopartMetadata=False)
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(popart_exception, match="program is damaged"):
        made.loadExecutable(path)
    path.write_bytes(b"PopEF")
    with pytest.raises(popart_exception, match="is no executable that popir saved"):
        made.loadExecutable(path)
    with pytest.raises(popart_exception, match=r"loadExecutable: .* cannot be read"):
        made.loadExecutable("/")


def test_what_there_is_nothing_for() -> None:
    made, _ = session()
    made.broadcastWeights()
    with pytest.raises(popart_exception, match="of the ranks 0 to 0"):
        made.broadcastWeights(1)
    with pytest.raises(popart_exception, match="no serialised form here"):
        made.getSerializedGraph()
