"""`popir.training.train`: against PyTorch, and resumed after SIGKILL."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import popir
from popir.data import Batches
from popir.errors import CheckpointError, NotFiniteError, popart_exception
from popir.training import Epoch, Schedule, Step, train
from tests.models import floats
from tests.toolchain import ROOT, started
from tests.training.model import BATCH, EPOCHS, LOSS, adam, batches, data, model, schedule, session


def losses(found: list[Any]) -> list[float]:
    return [each.loss for each in found if isinstance(each, Step)]


@pytest.mark.parametrize("kind", ["constant", "linear", "cosine", "step"])
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_fifty_steps_are_pytorchs(kind: str, name: str) -> None:
    """The losses of 50 steps with a warm-up of 5, the same schedule on both sides."""
    steps, rate = 50, 0.2 if name == "sgd" else 0.01
    settings = {"linear": {"steps": steps}, "cosine": {"steps": steps}, "step": {"every": 10}}
    given = Schedule(kind, warmup=5, **settings.get(kind, {}))
    numbers = {"defaultLearningRate": (rate, False)}
    more = {"defaultMomentum": (0.9, True)} if name == "sgd" else {"defaultEps": (1e-8, True)}
    make = popir.SGD if name == "sgd" else popir.Adam
    optimizer = make({**numbers, **more})
    arrays, found = data(BATCH * steps), []
    train(
        session(optimizer, model(plain=True)),
        Batches(arrays, BATCH),
        LOSS,
        1,
        optimizer,
        given,
        report=found.append,
    )

    one, two = (torch.tensor(0.3 * floats(*s, seed=n)) for s, n in (((8, 12), 2), ((12, 4), 3)))
    weights = [each.double().requires_grad_() for each in (one, two)]
    theirs: Any = torch.optim.Adam(weights, rate, eps=1e-8)
    if name == "sgd":
        theirs = torch.optim.SGD(weights, rate, momentum=0.9)
    of = torch.optim.lr_scheduler
    after = {
        "constant": lambda: of.ConstantLR(theirs, 1.0),
        "linear": lambda: of.LinearLR(theirs, 1.0, 0.0, steps - 5),
        "cosine": lambda: of.CosineAnnealingLR(theirs, steps - 5),
        "step": lambda: of.StepLR(theirs, 10),
    }
    both = of.SequentialLR(theirs, [of.LinearLR(theirs, 1 / 6, 1.0, 5), after[kind]()], [5])
    want, rates = [], []
    for x, labels in zip(
        *(torch.tensor(arrays[id]).split(BATCH) for id in ("x", "labels")), strict=True
    ):
        loss = torch.nn.functional.cross_entropy(
            torch.tanh(x.double() @ weights[0]) @ weights[1], labels.long()
        )
        want.append(loss.item())
        rates.append(theirs.param_groups[0]["lr"])
        theirs.zero_grad()
        loss.backward()
        theirs.step()
        both.step()
    assert len(want) == 50 and want[-1] < 0.9 * want[0]
    np.testing.assert_allclose(losses(found), want, rtol=1e-4)
    seen = [each.learning_rate for each in found if isinstance(each, Step)]
    np.testing.assert_allclose(seen, rates, rtol=1e-12)


def test_what_is_reported() -> None:
    found: list[Any] = []
    done = train(session(), batches(), LOSS, 2, report=found.append)
    steps = [each for each in found if isinstance(each, Step)]
    assert [(each.step, each.epoch, each.batch) for each in steps] == [
        (12 * (epoch - 1) + batch, epoch, batch) for epoch in (1, 2) for batch in range(1, 13)
    ]
    assert {each.learning_rate for each in steps} == {None}
    assert [each for each in found if isinstance(each, Epoch)] == done.epochs
    for number, epoch in enumerate(done.epochs):
        assert (epoch.epoch, epoch.batches) == (number + 1, 12)
        assert epoch.loss == pytest.approx(np.mean(losses(found)[12 * number :][:12]), rel=1e-12)
    assert not done.stopped


def printed(text: str) -> dict[int, str]:
    return {int(line.split()[0]): line.split()[1] for line in text.splitlines()}


@pytest.mark.timeout(300)
def test_a_killed_training_resumes_bit_for_bit(tmp_path: Path) -> None:
    """A process that is killed in epoch 2 and one that goes on: all losses, weights and states are
    those of a training that nobody killed, with dropout, batch norm and a schedule.
    """
    whole: list[Any] = []
    optimizer, kept = adam(), session()
    done = train(
        kept,
        batches(),
        LOSS,
        EPOCHS,
        optimizer,
        schedule(),
        folder=tmp_path / "whole",
        report=whole.append,
    )
    want = {each.step: each.loss.hex() for each in whole if isinstance(each, Step)}
    program = [sys.executable, "-m", "tests.training.model", tmp_path / "killed", str(EPOCHS)]
    with started(*program, cwd=ROOT, stdout=-1, text=True) as process:
        seen = ""
        while len(seen.splitlines()) < 20:
            seen += process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        seen += process.stdout.read()
        assert process.wait() == -signal.SIGKILL
    first = printed(seen)
    assert first.items() <= want.items() and 20 <= len(first) < len(want)
    at = popir.checkpoint.read(tmp_path / "killed").manifest.step
    assert at % 3 == 0 and at <= len(first)

    again, found = session(), []
    rest = train(
        again,
        batches(),
        LOSS,
        EPOCHS,
        optimizer,
        schedule(),
        folder=tmp_path / "killed",
        resume=True,
        report=found.append,
    )
    second = {each.step: each.loss.hex() for each in found if isinstance(each, Step)}
    assert second == {step: loss for step, loss in want.items() if step > at}
    assert [(e.epoch, e.loss) for e in rest.epochs] == [
        (e.epoch, e.loss) for e in done.epochs[-len(rest.epochs) :]
    ]
    ends = [popir.checkpoint.read(tmp_path / name) for name in ("whole", "killed")]
    tensors = [each.tensors() for each in ends]
    assert tensors[0].keys() == tensors[1].keys() >= {"one", "Accl1___one", "mean"}
    for id, value in tensors[0].items():
        assert value.tobytes() == tensors[1][id].tobytes(), id
    assert ends[0].manifest.data == ends[1].manifest.data
    assert ends[0].manifest.optimizer == ends[1].manifest.optimizer


def test_stopped_and_resumed_at_every_step(tmp_path: Path) -> None:
    """Also at the last step of an epoch, whose mean is that of all its batches."""
    want = train(session(), batches(), LOSS, 2).epochs
    for at in (1, 11, 12, 13):
        folder, first = tmp_path / str(at), session()
        done = train(
            first, batches(), LOSS, 2, folder=folder, stops=lambda s=first, n=at: s.steps == n
        )
        assert done.stopped and first.steps == at
        rest = train(session(), batches(), LOSS, 2, folder=folder, resume=True)
        assert not rest.stopped
        assert [e.loss for e in rest.epochs] == [e.loss for e in want[-len(rest.epochs) :]]
        assert [e.batches for e in rest.epochs] == [12] * len(rest.epochs)
        assert len(rest.epochs) == (2 if at <= 12 else 1)


def test_when_checkpoints_are_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    save = popir.TrainingSession.save
    monkeypatch.setattr(
        popir.TrainingSession,
        "save",
        lambda self, *given: (saved.append(self.steps), save(self, *given)),
    )
    train(session(), batches(), LOSS, 2, folder=tmp_path / "a")
    train(session(), batches(), LOSS, 2, folder=tmp_path / "b", save_every=5)
    train(session(), batches(), LOSS, 2)
    assert saved == [12, 24, *(5, 10, 15, 20, 24)]


def test_a_loss_that_is_no_number_leaves_the_checkpoint(tmp_path: Path) -> None:
    arrays = data()
    arrays["x"][40] = np.nan
    given = Batches(arrays, BATCH)
    with pytest.raises(NotFiniteError, match=r"The loss is nan in batch 3 of epoch 1\. A smaller"):
        train(session(), given, LOSS, 1, folder=tmp_path, save_every=1)
    found = popir.checkpoint.read(tmp_path)
    assert found.manifest.step == 2
    assert all(np.isfinite(tensor).all() for tensor in found.tensors().values())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"save_every": 2}, "save_every does nothing without folder: give both"),
        ({"resume": True}, "resume does nothing without folder"),
        ({"validate_every": 2}, "validate_every does nothing without validation"),
        ({"schedule": Schedule()}, "schedule does nothing without optimizer"),
        ({"folder": "f", "save_every": 0}, "save_every = 0; it is a number of steps, 1 or more"),
        ({"epochs": 0}, "the data are at epoch 1, so that all 0 epochs are done"),
        ({"loss": "Nll"}, "the loss 'Nll' is no anchor of the session; its DataFlow has 'Nll:0'"),
        ({"log": 3}, "log is an object with the methods scalars and flush"),
        ({"folder": "/dev/null/f"}, "The checkpoint cannot be written to /dev/null/f"),
        ({"folder": "none", "resume": True}, "none has no checkpoint: there is no such folder"),
        (
            {"schedule": Schedule(), "optimizer": popir.SGD({"defaultLearningRate": (0.1, True)})},
            "'defaultLearningRate' is constant: give it as (0.1, False)",
        ),
    ],
)
def test_what_is_refused(
    options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(popart_exception, match=re.escape(said)):
        train(session(), batches(), **{"loss": LOSS, "epochs": 1, **options})


def test_checkpoints_that_are_there(tmp_path: Path) -> None:
    train(session(), batches(), LOSS, 1, folder=tmp_path)
    with pytest.raises(
        CheckpointError,
        match=r"has a checkpoint already\. Resume from it \(resume=True, --resume\)",
    ):
        train(session(), batches(), LOSS, 2, folder=tmp_path)
    with pytest.raises(popart_exception, match="at epoch 2, so that all 1 epochs are done"):
        train(session(), batches(), LOSS, 1, folder=tmp_path, resume=True)
    with pytest.raises(CheckpointError, match="shuffled_by_seed 1; these have"):
        train(session(), batches(seed=2), LOSS, 2, folder=tmp_path, resume=True)
    plain = session(proto=model(plain=True))
    with pytest.raises(CheckpointError, match="It was saved by a session of another model"):
        train(plain, batches(), LOSS, 2, folder=tmp_path, resume=True)
    own = session()
    own.save(tmp_path / "own", given := batches())
    given.epoch, given.step = 1, 12
    own.save(tmp_path / "own", given)
    assert (
        len(train(session(), batches(), LOSS, 2, folder=tmp_path / "own", resume=True).epochs) == 1
    )
    wrong = {**batches().position(), "epoch_loss": "none"}

    class Data:
        def position(self) -> Any:
            return wrong

        def seek(self, position: Any) -> None: ...

    own.save(tmp_path / "own", Data())
    with pytest.raises(CheckpointError, match="are 'none', not a sum and a count"):
        train(session(), batches(), LOSS, 2, folder=tmp_path / "own", resume=True)
