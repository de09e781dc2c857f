"""Data in files beside the model: what is written, and where."""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, numpy_helper

import popir
from popir.errors import ModelError, popart_exception
from popir.onnxio.external import location_of
from popir.onnxio.tensors import TensorReader
from tests.models import step, training_session
from tests.toolchain import started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "model"
    (found / "sub").mkdir(parents=True)
    return found


def initializers(path: Path) -> dict[str, TensorProto]:
    model = onnx.load(path, load_external_data=False)
    return {tensor.name: tensor for tensor in model.graph.initializer}


def saved_externally(path: Path, bias: str = "inside") -> popir.Builder:
    """A model y = relu(x w) + b with w in the file weights.bin beside it."""
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    w = builder.addInitializedInputTensor(np.ones((3, 4), np.float32), "w")
    b = builder.addInitializedInputTensor(np.arange(4, dtype=np.float32), "b")
    y = builder.aiOnnxOpset11.matmul([x, w])
    builder.addOutputTensor(builder.aiOnnxOpset11.add([builder.aiOnnxOpset11.relu([y]), b]))
    builder.saveInitializersExternally([w] if bias == "inside" else [w, b], path.parent / "w.bin")
    builder.saveModelProto(path)
    return builder


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def by_onnxruntime(path: Path) -> Any:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0]


def session_of(source: Any) -> Any:
    session = popir.InferenceSession(
        source, popir.DataFlow(1, ["Add:0"]), popir.DeviceManager().createCpuDevice()
    )
    session.prepareDevice()
    return session


@pytest.mark.parametrize("bias", ["inside", "outside"])
def test_a_builder_saves_initializers_externally(folder: Path, bias: str) -> None:
    path = folder / "model.onnx"
    builder = saved_externally(path, bias)
    expected = np.maximum(X @ np.ones((3, 4), np.float32), 0) + np.arange(4)
    np.testing.assert_allclose(by_onnxruntime(path), expected)
    onnx.checker.check_model(str(path), full_check=True)
    for source in (path, builder.getModelProto()):
        session = session_of(source)
        np.testing.assert_allclose(step(session, {"x": X})["Add:0"], expected)
    assert builder.getTensorShape("Add:0") == [2, 4]
    assert sorted(os.listdir(folder)) == ["model.onnx", "sub", "w.bin"]


def test_a_builder_refuses(folder: Path) -> None:
    builder = saved_externally(folder / "model.onnx")
    with pytest.raises(popart_exception, match=r"'c' is no initialized input of the model"):
        builder.saveInitializersExternally(["c"], folder / "c.bin")
    with pytest.raises(popart_exception, match=r"The value of 'w' is in a file already"):
        builder.saveInitializersExternally(["w"], folder / "c.bin")
    with pytest.raises(
        ModelError, match=r"is not in the model's folder .* or below; a model finds"
    ):
        builder.saveInitializersExternally(["b"], folder.parent / "c.bin")
    with pytest.raises(ModelError, match=r"has data in the folder .*, and cannot be saved in"):
        builder.saveModelProto(folder / "sub" / "model.onnx")
    builder.saveInitializersExternally(["b"], folder / "sub" / "b.bin")
    builder.saveModelProto(folder / "model.onnx")
    where = [location_of(tensor) for tensor in initializers(folder / "model.onnx").values()]
    assert where == ["w.bin", "sub/b.bin"]
    np.testing.assert_array_equal(by_onnxruntime(folder / "model.onnx")[0], 3 + np.arange(4))


def test_trained_weights_that_were_external_are_again(folder: Path) -> None:
    path, target = folder / "model.onnx", folder / "sub" / "trained.onnx"
    builder = saved_externally(path)
    builder = popir.Builder(path)
    loss = builder.aiGraphcore.identityloss(["Add:0"])
    builder.addOutputTensor(loss)
    (folder / "loss").mkdir()
    builder.saveInitializersExternally(["w"], folder / "loss" / "w.bin")
    before = (folder / "loss" / "w.bin").read_bytes()
    session = training_session(builder.getModelProto(), loss)
    for _ in range(2):  # The second replaces what the first wrote.
        step(session, {"x": X})
        session.modelToHost(target)
        names = sorted(os.listdir(target.parent))
        assert len(names) == 2 and names[0] == "trained.onnx"
        assert re.fullmatch(r"trained\.onnx\.[0-9a-f]{16}\.data", names[1])
    assert (folder / "loss" / "w.bin").read_bytes() == before
    trained = {t.name: numpy_helper.to_array(t) for t in onnx.load(target).graph.initializer}
    weights = {"w": np.empty((3, 4), np.float32), "b": np.empty(4, np.float32)}
    session.readWeights(popir.PyWeightsIO(weights))
    for id, value in weights.items():
        np.testing.assert_array_equal(trained[id], value)
    assert not np.array_equal(trained["w"], np.ones((3, 4)))
    where = {id: location_of(tensor) for id, tensor in initializers(target).items()}
    assert where == {"w": names[1], "b": ""}


def test_the_model_may_be_gone_when_its_weights_are_saved(folder: Path) -> None:
    path = folder / "model.onnx"
    saved_externally(path)
    session = session_of(path)
    path.unlink()
    (folder / "w.bin").unlink()
    session.modelToHost(folder / "again.onnx")
    np.testing.assert_array_equal(by_onnxruntime(folder / "again.onnx")[0], 3 + np.arange(4))


def test_a_file_of_the_callers_name(folder: Path) -> None:
    path, target = folder / "model.onnx", folder / "again.onnx"
    saved_externally(path)
    session = session_of(path)
    with pytest.raises(popart_exception, match=r"no tensors in the file 'v.bin'.*some in: w.bin"):
        session.updateExternallySavedTensorLocations("v.bin", "new.bin")
    secret = folder.parent / "secret"
    secret.write_bytes(b"secret")
    (folder / "new.bin").symlink_to(secret)
    session.updateExternallySavedTensorLocations("w.bin", str(folder / "new.bin"))
    session.modelToHost(target)
    assert secret.read_bytes() == b"secret" and not (folder / "new.bin").is_symlink()
    np.testing.assert_array_equal(by_onnxruntime(target)[0], 3 + np.arange(4))
    (folder / "out").symlink_to(folder.parent)
    for file in (folder.parent / "new.bin", folder / "out" / "new.bin"):
        session.updateExternallySavedTensorLocations("w.bin", str(file))
        with pytest.raises(ModelError, match="is not in the model's folder"):
            session.modelToHost(target)


def test_a_location_of_the_model_is_never_written_to(folder: Path) -> None:
    """Its author must not choose which of the user's files are replaced."""
    path, target = folder / "model.onnx", folder / "sub" / "model.onnx"
    saved_externally(path)
    (folder / "sub" / "w.bin").write_bytes(b"the user's")
    session_of(path).modelToHost(target)
    assert (folder / "sub" / "w.bin").read_bytes() == b"the user's"
    np.testing.assert_array_equal(by_onnxruntime(target)[0], 3 + np.arange(4))


def test_files_of_other_names_are_not_taken_for_replaced_data(folder: Path) -> None:
    path = folder / "model.onnx"
    saved_externally(path)
    others = ["model.onnx.data", "model.onnx.0123.data", "model.onnx.xxxxxxxxxxxxxxxx.data"]
    for name in others:
        (folder / name).touch()
    (folder / f"model.onnx.{'0' * 16}.data").touch()
    session_of(path).modelToHost(path)
    names = set(os.listdir(folder)) - {"sub", "w.bin", "model.onnx", *others}
    assert len(names) == 1 and names != {f"model.onnx.{'0' * 16}.data"}


def test_weights_too_large_for_one_file_are_external(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = popir.Builder()
    x = builder.addInputTensor("FLOAT", [2, 3], "x")
    w = builder.addInitializedInputTensor(np.ones((3, 4), np.float32), "w")
    zeros = builder.aiOnnxOpset11.constant(np.zeros(4, np.float32))
    y = builder.aiOnnxOpset11.add([builder.aiOnnxOpset11.matmul([x, w]), zeros])
    builder.addOutputTensor(y)
    session = session_of(builder.getModelProto())
    session.modelToHost(folder / "a.onnx")
    assert sorted(os.listdir(folder)) == ["a.onnx", "sub"]
    monkeypatch.setattr("popir.onnxio.skeleton._MAX_INSIDE", 40)
    session.modelToHost(folder / "a.onnx")
    assert len(os.listdir(folder)) == 3
    np.testing.assert_array_equal(by_onnxruntime(folder / "a.onnx"), X @ np.ones((3, 4)))


SAVER = """
import sys
import numpy as np
import popir

session = popir.InferenceSession(
    sys.argv[1], popir.DataFlow(1, ["Add:0"]), popir.DeviceManager().createCpuDevice()
)
n = 0
while True:
    n += 1
    weights = {"w": np.full((3, 4), n, np.float32), "b": np.full(4, n, np.float32)}
    session.writeWeights(popir.PyWeightsIO(weights))
    session.modelToHost(sys.argv[2])
    print(n, flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_model_with_its_data(folder: Path) -> None:
    source, target = folder / "model.onnx", folder / "sub" / "trained.onnx"
    saved_externally(source)
    rng = random.Random(1)
    for _ in range(2):
        command = [sys.executable, "-c", SAVER, str(source), str(target)]
        with started(*command, stdout=subprocess.PIPE) as saver:
            assert saver.stdout is not None
            assert saver.stdout.readline(), "nothing was saved"
            time.sleep(rng.uniform(0, 0.02))
            saver.kill()
            last = max((int(line) for line in saver.stdout.read().split()), default=1)
        found = {
            t.name: TensorReader(target.parent).array(t) for t in initializers(target).values()
        }
        n = int(found["b"][0])
        assert n in (last, last + 1)
        np.testing.assert_array_equal(found["w"], np.full((3, 4), n))
        np.testing.assert_array_equal(found["b"], np.full(4, n))
