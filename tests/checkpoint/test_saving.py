"""Sessions saved in checkpoints and loaded from them, and what is refused."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir import SGD, Adam, CheckpointError, SessionOptions
from popir.checkpoint import Writer, manifest, read
from popir.data import Batches
from popir.errors import popart_exception
from tests.models import floats, step, training_session
from tests.test_optimizer_steps import CASES, values_of
from tests.test_saving_training import LOSS, T, X, classifier

SOFT = {"defaultMomentum": (0.9, True), "defaultLearningRate": (0.1, False)}


def session(optimizer: Any = None, model: Any = None, **more: Any) -> Any:
    given = classifier(dropout=True).getModelProto() if model is None else model
    return training_session(given, LOSS, [LOSS], optimizer or SGD(SOFT), **more)


def run(session: Any, steps: Iterable[int]) -> list[float]:
    return [float(step(session, {"x": X[i], "labels": T[i]})[LOSS]) for i in steps]


def state(session: Any) -> dict[str, bytes]:
    """All that a session knows."""
    session.weightsToHost()
    seed = session.getRandomSeed().to_bytes(8, "little")
    return {id: a.tobytes() for id, a in session._host.items()} | {"randomSeed___fromHost": seed}


# Going on.


def net(dtype: Any, rows: int) -> tuple[Any, str]:
    """Two layers with dropout between them."""
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT16" if dtype is np.float16 else "FLOAT", [rows, 5], "x")
    w = builder.addInitializedInputTensor(floats(5, 6, seed=1).astype(dtype), "w")
    b = builder.addInitializedInputTensor(floats(6, 3, seed=2).astype(dtype), "b")
    h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([x, w])])
    (h,) = builder.aiOnnx.dropout([h], 1)
    y = builder.aiOnnx.matmul([h, b])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, y])])
    return builder.getModelProto(), loss


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize("name", CASES)
def test_every_optimizer_goes_on_bit_for_bit(
    name: str, factor: int, dtype: Any, tmp_path: Path
) -> None:
    """Numbers that change, values of one weight, dropout: eight steps, and four and four. What a
    session lost could not be seen by the losses alone.
    """
    case = CASES[name]
    x = (0.5 * floats(8, 8, 5, seed=4)).astype(dtype)
    model, loss = net(dtype, 8 // factor)
    asked = SessionOptions(enableGradientAccumulation=factor > 1, accumulationFactor=factor)

    def made(rate: float) -> Any:
        given = values_of(case.numbers)
        given["defaultLearningRate"] = (rate, False)
        optimizer = case.make(given)
        if "alpha" not in case.numbers:
            optimizer._clip = [popir.ClipNormSettings.clipAllWeights(0.5)]
        optimizer.insertSpecific("b", {"learningRate": (rate / 2, False)})
        return optimizer

    def begun() -> Any:
        return training_session(model, loss, [loss], made(0.02), 1, asked)

    def steps(session: Any, which: Iterable[int]) -> bytes:
        return b"".join(step(session, {"x": x[i]})[loss].tobytes() for i in which)

    whole, half, again = begun(), begun(), begun()
    for s in (whole, half):
        steps(s, range(3))
        s.updateOptimizerFromHost(made(0.01))
        steps(s, range(3, 4))
    half.save(tmp_path, shards=3)
    steps(again, [7, 6])  # What it was before does not matter.
    again.load(tmp_path)
    assert again.steps == 4
    assert steps(again, range(4, 8)) == steps(whole, range(4, 8))
    assert state(again) == state(whole)
    assert again.steps == 8


GOES_ON = """
import sys
from tests.checkpoint.test_saving import run, session

made = session()
made.load(sys.argv[1])
run(made, range(5, 10))
made.save(sys.argv[1])
"""


def test_a_new_process_goes_on(tmp_path: Path) -> None:
    whole, half = session(), session()
    run(whole, range(10))
    run(half, range(5))
    half.save(tmp_path)
    subprocess.run([sys.executable, "-c", GOES_ON, tmp_path], check=True, timeout=120)
    half.load(tmp_path)
    assert half.steps == 10
    assert state(half) == state(whole)


def test_loading_before_the_device_is_prepared(tmp_path: Path) -> None:
    first = session()
    run(first, range(3))
    first.save(tmp_path)
    made = popir.TrainingSession(
        classifier(dropout=True).getModelProto(),
        popir.DataFlow(1, [LOSS]),
        LOSS,
        SGD(SOFT),
        popir.DeviceManager().createCpuDevice(),
    )
    made.load(tmp_path)
    made.save(tmp_path / "again")
    assert read(tmp_path / "again").manifest.seed == 3
    made.prepareDevice()
    assert run(made, range(3, 6)) == run(first, range(3, 6))


def test_automatic_loss_scaling_goes_on(tmp_path: Path) -> None:
    model, loss = net(np.float16, 8)
    x = floats(10, 8, 5, seed=4).astype(np.float16)

    def made() -> Any:
        asked = SessionOptions()
        settings = asked.automaticLossScalingSettings
        settings.enabled, settings.updatePeriod = True, 3
        optimizer = SGD({**SOFT, "lossScaling": (2.0, False)})
        return training_session(model, loss, [loss], optimizer, options=asked)

    def steps(session: Any, which: Iterable[int]) -> bytes:
        return b"".join(step(session, {"x": x[i]})[loss].tobytes() for i in which)

    whole, half, again = made(), made(), made()
    steps(whole, range(4))
    steps(half, range(4))
    half.save(tmp_path)
    again.load(tmp_path)
    np.testing.assert_array_less(1, again._host["lossScaleUpdateFactor"])
    assert steps(again, range(4, 10)) == steps(whole, range(4, 10))
    assert state(again) == state(whole)


def test_an_inference_session_takes_the_weights(tmp_path: Path) -> None:
    trained = session()
    run(trained, range(5))
    trained.save(tmp_path, shards=2)
    runs = popir.InferenceSession(
        classifier().getModelProto(),
        popir.DataFlow(1, [LOSS]),
        popir.DeviceManager().createCpuDevice(),
    )
    runs.prepareDevice()
    assert runs.load(tmp_path).step == 5
    for id in ("one", "two"):
        np.testing.assert_array_equal(runs._host[id], trained._host[id])
    runs.save(tmp_path / "weights")
    assert read(tmp_path / "weights").manifest.optimizer is None
    with pytest.raises(CheckpointError, match=r"lacks 'Accl___one', 'Accl___two'.*without one"):
        session().load(tmp_path / "weights")


def test_a_checkpoint_takes_the_place_of_another(tmp_path: Path) -> None:
    made = session()
    for shards in (3, 1, 2):
        run(made, [0])
        made.save(tmp_path, shards=shards)
    (tmp_path / "step-3-01234567-00001-of-00001.safetensors").write_bytes(b"of a killed process")
    (tmp_path / "notes.txt").write_text("mine")
    made.save(tmp_path, shards=2)
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names[:3] == [".lock", "checkpoint.json", "notes.txt"] and len(names) == 5
    assert read(tmp_path).step == 3


class Position:
    """Data with a position."""

    def __init__(self, at: Any = 0) -> None:
        self.at = at

    def position(self) -> Any:
        return self.at

    def seek(self, position: Any) -> None:
        self.at = position


def test_the_position_in_the_data(tmp_path: Path) -> None:
    made = session()
    made.save(tmp_path, Position({"epoch": 2, "batch": 7}))
    data = Position()
    assert made.load(tmp_path, data).data == data.at == {"epoch": 2, "batch": 7}
    assert made.load(tmp_path).step == 0
    made.save(tmp_path)
    with pytest.raises(CheckpointError, match="no position in the data was saved"):
        made.load(tmp_path, data)
    for call in (made.save, made.load):
        with pytest.raises(popart_exception, match=f"Session.{call.__name__} takes data with the"):
            call(tmp_path, [1, 2])


def test_data_that_cannot_go_to_the_position(tmp_path: Path) -> None:
    """The session is as it was, and so are the data of a session that the checkpoint is not of."""
    made, other = session(), session()
    run(made, range(3))
    made.save(tmp_path, Batches({"y": np.arange(20)}, 5))
    before = state(other)
    with pytest.raises(CheckpointError, match="the position is one in data with samples 20"):
        other.load(tmp_path, Batches({"y": np.arange(20)}, 4))
    assert state(other) == before and other.steps == 0
    data = Position()
    with pytest.raises(CheckpointError, match="another optimizer"):
        session(Adam({})).load(tmp_path, data)
    assert data.at == 0


# What cannot be written.


def test_every_write_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full at each moment: the folder has the old checkpoint, and nothing else."""
    made = session()
    run(made, range(2))
    made.save(tmp_path, shards=2)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    run(made, [2])
    sync, calls, fails = os.fsync, 0, 0

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    refused: list[str] = []
    for fails in range(1, 10):
        calls = 0
        try:
            made.save(tmp_path, shards=2)
        except CheckpointError as error:
            refused.append(str(error))
            now = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
            assert now == before
        else:
            if calls < fails:
                break
            before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    for words in refused:
        assert f"cannot be written to {tmp_path}" in words
        assert words.endswith("No space left on device.")
    assert len(refused) >= 3
    assert read(tmp_path).step == 3


LIMITED = """
import resource, sys
from popir import CheckpointError
from tests.checkpoint.test_saving import run, session

made = session()
run(made, range(2))
made.save(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    made.save(sys.argv[1])
except CheckpointError as error:
    print(error)
made.load(sys.argv[1])
"""


def test_a_file_that_gets_too_large(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"The checkpoint cannot be written to {tmp_path}")
    assert done.stdout.endswith("File too large.\n")
    assert len([*tmp_path.glob("*.safetensors")]) == 1


def test_folders_that_take_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(CheckpointError, match=r"cannot be written to .*file: (File|Not a dir)"):
        session().save(tmp_path / "file")
    with pytest.raises(CheckpointError, match="1 to 99999 shards; given was 0"):
        session().save(tmp_path / "new", shards=0)


def test_others_that_save_there_too(tmp_path: Path) -> None:
    made = session()
    with Writer(tmp_path, 1), pytest.raises(CheckpointError, match="another session saves"):
        made.save(tmp_path)
    made.save(tmp_path)


def test_reading_while_another_saves(tmp_path: Path) -> None:
    """A reader finds one checkpoint or the next, never parts of both."""
    writes, reads = session(), session()
    writes.save(tmp_path, shards=3)
    is_over = threading.Event()

    def save() -> None:
        for _ in range(30):
            run(writes, [0])
            writes.save(tmp_path, shards=3)
        is_over.set()

    thread = threading.Thread(target=save)
    thread.start()
    seen: set[int] = set()
    while not is_over.is_set():
        seen.add(reads.load(tmp_path).step)
        assert reads.getRandomSeed() == reads.steps
    thread.join()
    assert len(seen) > 3


# What cannot be read.


def damaged_json(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Changes a manifest, with its digest made right."""

    def damage(folder: Path) -> None:
        path = folder / "checkpoint.json"
        said = json.loads(path.read_text())
        change(said)
        rest = {key: said[key] for key in said if key not in ("format", "version", "digest")}
        said["digest"] = manifest.digest(rest)
        path.write_text(json.dumps(said))

    return damage


def damaged_shard(change: Callable[[bytes], bytes], sealed: bool) -> Callable[[Path], None]:
    """Changes the second shard and, if sealed, what the manifest says of it."""

    def damage(folder: Path) -> None:
        (path,) = folder.glob("*-00002-of-00002.safetensors")
        content = change(path.read_bytes())
        path.write_bytes(content)

        def seal(said: dict[str, Any]) -> None:
            said["shards"][1]["bytes"] = len(content)
            said["shards"][1]["sha256"] = hashlib.sha256(content).hexdigest()

        if sealed:
            damaged_json(seal)(folder)

    return damage


def flipped(content: bytes) -> bytes:
    return content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]


def gone(pattern: str) -> Callable[[Path], None]:
    return lambda folder: next(folder.glob(pattern)).unlink()


def text(of: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "checkpoint.json").write_text(of) and None


def edited(old: str, new: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        path = folder / "checkpoint.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return damage


def cut(folder: Path) -> None:
    path = folder / "checkpoint.json"
    path.write_bytes(path.read_bytes()[:-40])


def put(*path: Any) -> Callable[[Path], None]:
    """Sets a value in the manifest; the last of `path` is the value."""

    def change(said: Any) -> None:
        for key in path[:-2]:
            said = said[key]
        said[path[-2]] = path[-1]

    return damaged_json(change)


SHARD = r"step-2-[0-9a-f]{8}-00002-of-00002.safetensors"
DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no manifest": (gone("checkpoint.json"), r"has no checkpoint: it has no checkpoint.json\."),
    "an empty one": (text(""), "json is no manifest of a checkpoint: Expecting value"),
    "another's": (text('{"a": 1}'), r"json is no manifest of a checkpoint that popir saved\."),
    "a list": (text("[]"), "json is no manifest of a checkpoint that popir saved"),
    "deep": (text("[" * 100000), "json is no manifest of a checkpoint"),
    "bytes": (text("\x00\x80"), "json is no manifest of a checkpoint"),
    "truncated": (cut, "json is no manifest of a checkpoint"),
    "a newer popir's": (
        *(edited('"version": 1', '"version": 2'), "is of version 2; this popir reads version 1."),
    ),
    "another number": (edited('"step": 2', '"step": 3'), "is damaged: it has another digest"),
    "no digest": (edited('"digest"', '"digests"'), "is damaged: it has another digest"),
    "without a shard": (gone("*-00002-of*"), f"is not whole: its shard {SHARD} is missing"),
    "a short shard": (
        damaged_shard(lambda content: content[:-1], False),
        f"{SHARD} is damaged: it has [0-9]* bytes, its manifest says",
    ),
    "a long one": (damaged_shard(lambda content: content + b"x", False), f"{SHARD} is damaged"),
    "an empty shard": (damaged_shard(lambda _: b"", False), "it has 0 bytes, its manifest says"),
    "one bit": (damaged_shard(flipped, False), f"{SHARD} is damaged: its bytes have another SHA"),
    "no safetensors": (damaged_shard(lambda _: b"zz", True), f"{SHARD} is no safetensors file: "),
    "another shard": (
        damaged_shard(lambda content: content.replace(b'"two"', b'"owt"'), True),
        f"{SHARD}: the part 0 to 15 of 'two' is not in it",
    ),
    "a path": (put("shards", 0, "file", "../../etc/passwd"), "no shard is called '../../etc/pas"),
    "twice": (
        damaged_json(lambda said: said["shards"][0]["parts"].extend(said["shards"][0]["parts"])),
        "is damaged: the part 0 to 20 of 'Accl___one' follows element 20",
    ),
    "not all": (
        damaged_json(lambda said: said["shards"].pop()),
        "is damaged: its shards have",
    ),
    "one more": (
        damaged_json(lambda said: said["shards"][0]["parts"].append(["zz", 0, 1])),
        "is damaged: a shard has 'zz', which is no tensor of it",
    ),
    "a step": (put("step", -1), "is damaged: -1 is no number of anything"),
    "a seed": (put("randomSeed", 1 << 64), "is damaged: a random seed has 64 bits"),
    "a type": (put("tensors", "one", 0, "FLOAT1"), "is damaged: 'FLOAT1' is not an element type"),
    "strings": (put("tensors", "one", 0, "STRING"), "is damaged: a tensor has elements STRING"),
    "a shape": (put("tensors", "one", 1, [-4, -5]), "is damaged: a tensor has the shape"),
    "huge": (put("tensors", "one", 1, [1 << 40, 1 << 40]), "is damaged: a tensor has the shape"),
    "no tensors": (put("tensors", None), "is damaged: 'NoneType' object"),
    "infinite": (
        put("optimizer", "values", "scaledLearningRate1___default___FLOAT", float("inf")),
        "is damaged: a number of the optimizer is not finite",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_checkpoints(what: str, tmp_path: Path) -> None:
    damage, words = DAMAGE[what]
    trained, made = session(), session()
    run(trained, range(2))
    trained.save(tmp_path, shards=2)
    damage(tmp_path)
    before = state(made)
    with pytest.raises(CheckpointError, match=words) as raised:
        made.load(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert state(made) == before and made.steps == 0


def test_a_folder_of_another_s_is_not_saved_over(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.json").write_text('{"epoch": 3}')
    (tmp_path / "model.safetensors").write_text("mine")
    with pytest.raises(CheckpointError, match="is no manifest of a checkpoint that popir saved"):
        session().save(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} <= {
        *(".lock", "checkpoint.json", "model.safetensors")
    }
    with pytest.raises(CheckpointError, match=r"has no checkpoint: there is no such folder\."):
        session().load(tmp_path / "zz")


def other_model(rows: int = 4, name: str = "one") -> Any:
    builder = popir.Builder(opsets={"ai.onnx": 17, "ai.graphcore": 1})
    x = builder.addInputTensor("FLOAT", [6, rows], "x")
    labels = builder.addInputTensor("INT32", [6], "labels")
    one = builder.addInitializedInputTensor(floats(rows, 5, seed=3), name)
    two = builder.addInitializedInputTensor(floats(5, 3, seed=4), "two")
    y = builder.aiOnnx.matmul([builder.aiOnnx.matmul([x, one]), two])
    loss = builder.aiGraphcore.nllloss([builder.aiOnnx.softmax([y], axis=1), labels])
    assert loss == LOSS
    return builder.getModelProto()


def specific(**values: tuple[float, bool]) -> Any:
    optimizer = SGD(SOFT)
    optimizer.insertSpecific("one", values)
    return optimizer


CLIP = [popir.ClipNormSettings.clipAllWeights(1.0)]
OTHERS: dict[str, tuple[Callable[[], Any], str]] = {
    "a shape": (
        lambda: session(model=other_model(rows=3)),
        r"its 'one' is FLOAT\[4, 5\], that of the session FLOAT\[3, 5\].*of another model",
    ),
    "a name": (
        lambda: session(model=other_model(name="oen")),
        r"it lacks 'oen', 'Accl___oen', which the session has, and has 'one', 'Accl___one', which "
        r"the session lacks\. It was saved by a session of another model\.",
    ),
    "Adam": (
        lambda: session(Adam({})),
        r"it lacks 'Accl1___one', 'Accl2___one', 'Step___one' and 3 more, which .* another optim",
    ),
    "a constant": (
        lambda: session(SGD({**SOFT, "defaultMomentum": (0.8, True)})),
        r"was saved with has defaultMomentum 0.9, that of the session defaultMomentum 0.8\. What",
    ),
    "constant instead": (
        lambda: session(SGD({**SOFT, "defaultLearningRate": (0.1, True)})),
        r"with has no constant defaultLearningRate, that of the session defaultLearningRate 0.1\.",
    ),
    "of one weight": (lambda: session(specific(weightDecay=(0.5, True))), r"has specific \{\}"),
    "clipped": (lambda: session(SGD(SOFT, clip_norm_settings=CLIP)), "has clip_norm_settings"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_checkpoints_of_others(what: str, tmp_path: Path) -> None:
    other, words = OTHERS[what]
    trained, made = session(), other()
    run(trained, range(2))
    trained.save(tmp_path)
    before = state(made)
    with pytest.raises(CheckpointError, match=words):
        made.load(tmp_path)
    assert state(made) == before


def test_memory_that_does_not_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("popir.memory.SMALL", 0)
    monkeypatch.setattr("popir.poplar.availableMemory", lambda: 100)
    words = "Writing a shard of the checkpoint needs"
    with Writer(tmp_path, 1) as writer, pytest.raises(popir.OutOfMemoryException, match=words):
        writer.write({"a": np.zeros(100)}, 0, 1)
