"""The loop of training: `train`."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from popir.checkpoint import folder as folders
from popir.data import Batches
from popir.errors import CheckpointError, DataError, NotFiniteError, popart_exception, require_path
from popir.optimizers import TableOptimizer
from popir.session import TrainingSession
from popir.stepio import PyStepIO
from popir.training.schedules import Schedule
from popir.training.validation import Score, Validation
from popir.typed import shown, typed


class Log(Protocol):
    """What takes numbers of a training, such as `popir.training.TensorBoard`."""

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Takes numbers of a step, by name."""
        ...

    def flush(self) -> None:
        """Writes what was taken."""
        ...


@dataclass(frozen=True)
class Step:
    """A step that was run."""

    step: int
    """Its number in the whole training; the first is 1."""
    epoch: int
    batch: int
    """Its number in the epoch; the first is 1."""
    loss: float
    learning_rate: float | None
    """The default learning rate of the step, if `train` was given the optimizer."""


@dataclass(frozen=True)
class Epoch:
    """The result of one epoch, or of what was done of it."""

    epoch: int
    batches: int
    loss: float
    """The mean over its batches, also those before the training was resumed."""
    seconds: float
    """The time it took, without what was done before the training was resumed."""


@dataclass
class Trained:
    """The result of `train`."""

    epochs: list[Epoch] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    """What validation found, in order."""
    stopped: bool = False
    """Whether `stops` ended it."""


@typed
def train(
    session: TrainingSession,
    batches: Batches,
    loss: str,
    epochs: int,
    optimizer: TableOptimizer | None = None,
    schedule: Schedule | None = None,
    validation: Validation | None = None,
    validate_every: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    save_every: int | None = None,
    resume: bool = False,
    log: Any = None,
    report: Callable[[Step | Epoch | Score], Any] | None = None,
    stops: Callable[[], bool] | None = None,
) -> Trained:
    """Trains a session on the rest of an epoch and those after it.

    Args:
        session: the session, prepared; `session.steps` is the number of steps before the first.
        batches: the data; training begins at their position.
        loss: the id of the loss, an anchor of the session.
        epochs: the number of the last epoch.
        optimizer: the session's, whose learning rates, not constant, `schedule` multiplies.
        schedule: the learning rate of each step, by `session.steps`.
        validation: what to measure the model with, after each epoch and at the end.
        validate_every: the steps after which to do so, instead of after each epoch.
        folder: where to save checkpoints, after each epoch and at the end.
        save_every: the steps after which to do so, instead of after each epoch.
        resume: whether to load the checkpoint in `folder` first. Training then goes on bit for bit,
            given the same arguments. Without, a checkpoint must not be there.
        log: what takes losses, learning rates and scores of each step: an object with the methods
            `scalars` and `flush`, such as `popir.training.TensorBoard`.
        report: a function that is told each step, score and epoch when it is done.
        stops: a function that is asked after each step whether training is to end there.

    Raises NotFiniteError if the loss becomes NaN or infinite; CheckpointError for a checkpoint that
    cannot be written or loaded; DataError for bad data; popart_exception for arguments that do not
    go together, and as `Session.run` does.
    """
    for what, number in (("validate_every", validate_every), ("save_every", save_every)):
        if number is not None and number < 1:
            raise popart_exception(f"train: {what} = {number}; it is a number of steps, 1 or more.")
    for what, given, other, needed in (
        ("validate_every", validate_every, "validation", validation),
        ("save_every", save_every, "folder", folder),
        ("resume", resume or None, "folder", folder),
        ("schedule", schedule, "optimizer", optimizer),
    ):
        if given is not None and needed is None:
            raise popart_exception(f"train: {what} does nothing without {other}: give both.")
    if log is not None and not all(
        callable(getattr(log, name, None)) for name in ("scalars", "flush")
    ):
        raise popart_exception(
            "train: log is an object with the methods scalars and flush, such as "
            f"popir.training.TensorBoard; given was {shown(log)}."
        )
    anchors = session.initAnchorArrays()
    if loss not in anchors:
        raise popart_exception(
            f"train: the loss '{loss}' is no anchor of the session; its DataFlow has "
            f"{', '.join(map(repr, anchors)) or 'none'}."
        )
    loop = _Loop(session, batches, loss, anchors, optimizer, schedule, log, report or _ignored)
    loop.validation, loop.validate_every = validation, validate_every
    if folder is not None:
        loop.folder, loop.save_every = require_path("train", folder), save_every
        loop.begin(resume)
    if batches.epoch > epochs:
        raise DataError(
            f"train: the data are at epoch {batches.epoch}, so that all {epochs} epochs are done; "
            "to train further, give more."
        )
    return loop.run(epochs, stops)


def _ignored(_: object) -> None:
    pass


class _Loop:
    """A training under way. It is the data of its checkpoints: the position in the batches, and the
    losses of the epoch so far.
    """

    def __init__(
        self,
        session: TrainingSession,
        batches: Batches,
        loss: str,
        anchors: dict[str, Any],
        optimizer: TableOptimizer | None,
        schedule: Schedule | None,
        log: Log | None,
        report: Callable[[Any], Any],
    ) -> None:
        self._session, self._batches = session, batches
        self._loss, self._anchors = loss, anchors
        self._optimizer, self._schedule = optimizer, schedule
        self._log, self._report = log, report
        self.validation: Validation | None = None
        self.validate_every: int | None = None
        self.folder: Any = None
        self.save_every: int | None = None
        self._sum, self._count = 0.0, 0
        """Of the losses of the epoch so far."""
        self._factor: float | None = None
        """That of the learning rates which the session has."""
        self._saved: Any = None
        """The position at the last save."""
        self._scored = -1
        """The step of the last validation."""
        self._done = Trained()

    # What a checkpoint has of it.

    def position(self) -> dict[str, Any]:
        return {**self._batches.position(), "epoch_loss": [self._sum, self._count]}

    def seek(self, position: Any) -> None:
        found = position.get("epoch_loss", [0.0, 0]) if isinstance(position, Mapping) else None
        is_one = isinstance(found, list) and [type(each) for each in found] == [float, int]
        if found is not None and not is_one:
            raise CheckpointError(
                f"train: the losses of the epoch so far are {shown(found)}, not a sum and a count."
            )
        self._batches.seek(position)
        self._sum, self._count = found or (0.0, 0)

    def begin(self, resume: bool) -> None:
        """Loads the checkpoint of the folder, or finds that there is none."""
        if resume:
            self._session.load(self.folder, self)
            self._saved = self.position()
            return
        with folders.Writer(self.folder, self._session.steps):  # It can be written to.
            if (self.folder / folders.MANIFEST).exists():
                raise CheckpointError(
                    f"{self.folder} has a checkpoint already. Resume from it (resume=True, "
                    "--resume), or give another folder."
                )

    def _save(self) -> None:
        if self.folder is None or self._saved == self.position():
            return
        if self._log is not None:
            self._log.flush()
        self._session.save(self.folder, self)
        self._saved = self.position()

    # Running.

    def run(self, epochs: int, stops: Callable[[], bool] | None) -> Trained:
        while self._batches.epoch <= epochs and not self._done.stopped:
            epoch, began = self._batches.epoch, time.perf_counter()
            for inputs in self._batches:
                self._step(inputs)
                steps = self._session.steps
                if self.validate_every is not None and steps % self.validate_every == 0:
                    self._validate()
                if self.save_every is not None and steps % self.save_every == 0:
                    self._save()
                if stops is not None and stops():
                    self._done.stopped = True
                    break
            seconds, count = time.perf_counter() - began, self._count
            if count:
                self._done.epochs.append(Epoch(epoch, count, self._sum / count, seconds))
            if self._batches.epoch > epoch:
                self._sum, self._count = 0.0, 0
                if self.validate_every is None:
                    self._validate()
                if self.save_every is None:
                    self._save()
            if count:
                self._report(self._done.epochs[-1])
        if not self._done.stopped:
            self._validate()
        self._save()
        if self._log is not None:
            self._log.flush()
        return self._done

    def _step(self, inputs: dict[str, Any]) -> None:
        session, rate = self._session, self._rate()
        session.run(PyStepIO(inputs, self._anchors))
        loss = float(np.mean(self._anchors[self._loss], dtype=np.float64))
        self._sum, self._count = self._sum + loss, self._count + 1
        step = Step(session.steps, self._batches.epoch, self._batches.step, loss, rate)
        if not math.isfinite(loss):
            is_first = not self._done.epochs and self._count == 1
            raise NotFiniteError(
                f"The loss is {loss} in batch {step.batch} of epoch {step.epoch}. "
                + (
                    "Look for NaN and infinity in the data, and for labels that are no class."
                    if is_first
                    else "A smaller learning rate may help."
                )
            )
        if self._log is not None:
            rates = {} if rate is None else {"train/learning_rate": rate}
            self._log.scalars(step.step, {"train/loss": loss, **rates})
        self._report(step)

    def _rate(self) -> float | None:
        """Sets the learning rates of the next step; the default one."""
        if self._optimizer is None:
            return None
        factor = 1.0
        if self._schedule is not None:
            factor = self._schedule.factor(self._session.steps)
            if factor != self._factor:
                changed = self._optimizer.withLearningRates(factor)
                self._session.updateOptimizerFromHost(changed)
                self._factor = factor
        return factor * self._optimizer.learningRates().getDefault().val

    def _validate(self) -> None:
        if self.validation is None or self._scored == self._session.steps:
            return
        score = self.validation.score(self._session)
        self._scored = score.step
        self._done.scores.append(score)
        if self._log is not None:
            accuracy = {} if score.accuracy is None else {"validation/accuracy": score.accuracy}
            self._log.scalars(score.step, {"validation/loss": score.loss, **accuracy})
        self._report(score)
