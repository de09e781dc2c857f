"""popir train: schedules, validation, checkpoints and what resumes from them, TensorBoard."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import popir
from popir.training import Schedule
from tests.cli.commands import call, call_json, classifier, failure, samples
from tests.cli.test_process import on_terminal
from tests.cli.test_train import weights
from tests.toolchain import ROOT, started
from tests.training.test_tensorboard import shown


@pytest.fixture
def words(tmp_path: Path) -> list[object]:
    """The command: 12 steps an epoch, of a batch of 16."""
    loss = classifier(tmp_path / "m.onnx")
    data = samples(tmp_path / "data.npz")
    target = tmp_path / "out.onnx"
    start = ["train", tmp_path / "m.onnx", "--data", data, "--loss", loss, "--output", target]
    return [*start, "--lr", 0.5, "--momentum", 0.5]


@pytest.mark.parametrize(
    ("options", "schedule"),
    [
        (["--warmup", 6], Schedule(warmup=6)),
        (["--lr-schedule", "linear"], Schedule("linear", steps=24)),
        (
            ["--lr-schedule", "cosine", "--warmup", 3, "--lr-end", 0.25],
            Schedule("cosine", steps=24, warmup=3, end=0.25),
        ),
        (
            ["--lr-schedule", "step", "--lr-every", 5, "--lr-gamma", 0.5],
            Schedule("step", every=5, gamma=0.5),
        ),
    ],
)
def test_learning_rates(
    words: list[object], options: list[object], schedule: Schedule, tmp_path: Path
) -> None:
    """The steps of all epochs are those of the schedule; so they are when training goes on."""
    log, last = tmp_path / "log", 24
    call(*words, *options, "--epochs", 2, "--tensorboard", log)
    found = shown(log)["train/learning_rate"]
    want = {step + 1: 0.5 * schedule.factor(step) for step in range(last)}
    assert found == pytest.approx(want, rel=1e-6)
    call(*words, *options, "--first-epoch", 2, "--tensorboard", log)
    assert shown(log)["train/learning_rate"] == pytest.approx(want, rel=1e-6)
    assert not np.array_equal(weights(tmp_path / "out.onnx"), weights(tmp_path / "m.onnx"))


def test_validation(words: list[object], tmp_path: Path) -> None:
    other = samples(tmp_path / "other.npz", 100)
    assert call_json(*words)["validation"] == []
    found = call_json(*words, "--epochs", 3, "--validation", other)
    scores = found["validation"]
    assert [score["step"] for score in scores] == [12, 24, 36] and found["steps"] == 36
    assert {score["batches"] for score in scores} == {100 // 16}
    last = scores[-1]
    arrays = dict(np.load(other))
    x, labels = (arrays[id][:96] for id in ("x", "labels"))
    y = x.astype(np.float64) @ weights(tmp_path / "out.onnx")
    logs = y - np.log(np.exp(y).sum(1, keepdims=True))
    assert last["loss"] == pytest.approx(-logs[np.arange(96), labels].mean(), rel=1e-5)
    assert last["accuracy"] == (y.argmax(1) == labels).mean() > 0.8
    more = ["--validation", other, "--validate-every", 5]
    assert [score["step"] for score in call_json(*words, *more)["validation"]] == [5, 10, 12]
    lines = call(*words, *more).stdout.splitlines()
    assert re.fullmatch(r"step 5: validation loss [\d.]+, accuracy 0\.\d{4}", lines[1])
    np.savez(other, x=arrays["x"][:, :7], labels=arrays["labels"])
    said = failure(*words, *more, code=2)
    assert "other.npz: the array 'x' has the shape [100, 7]; the model takes [samples, 8]" in said


@pytest.mark.timeout(300)
def test_a_killed_command_resumes(words: list[object], tmp_path: Path) -> None:
    """The model of a command that is killed, and run again with --resume, is byte for byte that of
    one that is not; so are the losses of the epochs.
    """
    options = ["--epochs", 40, "--lr-schedule", "cosine", "--warmup", 4, "--save-every", 7]
    folder = ["--checkpoints", tmp_path / "killed"]
    want = call_json(*words, *options, "--checkpoints", tmp_path / "whole")
    whole = (tmp_path / "out.onnx").read_bytes()
    (tmp_path / "out.onnx").unlink()
    command = [str(word) for word in (*words, *options, *folder)]
    with started(
        *(sys.executable, "-m", "popir", *command), cwd=ROOT, stdout=-1, text=True
    ) as process:
        while not process.stdout.readline().startswith("epoch 2/"):
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "out.onnx").exists()
    at = popir.checkpoint.read(tmp_path / "killed").manifest.step
    assert 21 <= at < 480
    found = call_json(*words, *options, *folder, "--resume")
    assert (tmp_path / "out.onnx").read_bytes() == whole
    assert found["steps"] == want["steps"] == 480
    assert [(e["epoch"], e["batches"], e["loss"]) for e in found["epochs"]] == [
        (e["epoch"], e["batches"], e["loss"]) for e in want["epochs"][-len(found["epochs"]) :]
    ]
    assert found["epochs"][0]["epoch"] == -(-at // 12)


def test_where_checkpoints_are(words: list[object], tmp_path: Path) -> None:
    folder = ["--checkpoints", tmp_path / "new" / "folder"]
    call(*words, *folder)
    assert popir.checkpoint.read(folder[1]).manifest.step == 12
    said = call(*words, *folder, code=2).stderr
    assert "has a checkpoint already. Resume from it (resume=True, --resume), or give" in said
    assert "so that all 1 epochs are done" in call(*words, *folder, "--resume", code=2).stderr
    assert call_json(*words, *folder, "--resume", "--epochs", 2)["steps"] == 24
    said = call(*words, "--checkpoints", tmp_path / "none", "--resume", code=2).stderr
    assert "none has no checkpoint: there is no such folder." in said
    more = [*folder, "--resume", "--epochs", 3]
    said = call(*words, *more, "--seed", 5, code=2).stderr
    assert (
        "shuffled_by_seed 0; these have samples 200, samples_per_step 16, shuffled_by_see" in said
    )
    said = call(*words, *more, "--lr", 0.25, code=2).stderr
    assert "has defaultLearningRate 0.5, that of the session defaultLearningRate 0.25" in said


def test_a_file_for_tensorboard(
    words: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = samples(tmp_path / "other.npz", 100)
    log = tmp_path / "log"
    found = call_json(*words, "--validation", other, "--tensorboard", log)
    values = shown(log)
    score = found["validation"][0]
    assert np.mean([*values["train/loss"].values()]) == pytest.approx(found["epochs"][0]["loss"])
    assert values["train/learning_rate"] == dict.fromkeys(range(1, 13), 0.5)
    assert values["validation/loss"] == pytest.approx({12: score["loss"]})
    assert values["validation/accuracy"] == pytest.approx({12: score["accuracy"]})
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    said = failure(*words, "--tensorboard", log, code=4)
    assert "pip install 'popir[tensorboard]'" in said


def test_the_time_that_is_left(words: list[object], tmp_path: Path) -> None:
    """Also after --resume, where the bar begins at the checkpoint."""
    code, text = on_terminal(*words, "--epochs", 200)
    assert code == 0
    assert "/2400" in text and re.search(r"0:00:\d\d left", re.sub(r"\x1b\[[\d;]*m", "", text))
    folder = ["--checkpoints", tmp_path / "folder"]
    call(*words, *folder, "--epochs", 5)
    code, text = on_terminal(*words, *folder, "--resume", "--epochs", 205)
    plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", text)
    seen = [int(done) for done in re.findall(r"(\d+)/2460", plain)]
    assert code == 0 and seen and min(seen) > 60


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--save-every", 3], "--save-every is for --checkpoints."),
        (["--resume"], "--resume is for --checkpoints."),
        (["--validate-every", 3], "--validate-every is for --validation."),
        (["--lr-every", 3], "--lr-every is for --lr-schedule step."),
        (["--lr-end", 0.5], "--lr-end is for --lr-schedule linear and cosine."),
        (["--lr-schedule", "cosine", "--lr-gamma", 0.5], "--lr-gamma is for --lr-schedule step."),
        (["--lr-schedule", "step"], "--lr-schedule step needs --lr-every."),
        (["--lr-schedule", "linear", "--lr-end", 2], "end = 2; it is from 0 to 1."),
        (["--lr-schedule", "linear", "--warmup", 12], "warmup = 12 leaves nothing of 12 steps"),
        (["--lr-schedule", "sin"], "'sin' is not one of 'constant', 'linear', 'cosine', 'step'."),
    ],
)
def test_what_is_refused(words: list[object], options: list[object], said: str) -> None:
    assert said in failure(*words, *options, code=2)


def test_interrupted_and_resumed(words: list[object], tmp_path: Path) -> None:
    """Ctrl-C leaves a checkpoint; the command that goes on gives the model of one that did not."""
    folder: list[Any] = ["--epochs", 400, "--checkpoints", tmp_path / "folder"]
    call(*words, "--epochs", 400)
    whole = (tmp_path / "out.onnx").read_bytes()
    command = [str(word) for word in (*words, *folder)]
    with started(
        *(sys.executable, "-m", "popir", *command), cwd=ROOT, stdout=-1, stderr=-1, text=True
    ) as process:
        while not process.stdout.readline().startswith("epoch 2/"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 130
    assert (tmp_path / "out.onnx").read_bytes() != whole
    call(*words, *folder, "--resume")
    assert (tmp_path / "out.onnx").read_bytes() == whole
