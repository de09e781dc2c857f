"""`popir train`: trains a model that computes its loss, on arrays in a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from popir.cli import targets
from popir.cli.exits import CommandError, ExitCode
from popir.cli.initializers import choosing, note_untold, rows, show_summary
from popir.cli.inputs import Dimensions, note_others
from popir.cli.options import (
    Count,
    common,
    device,
    device_of,
    existing_file,
    model_argument,
    output_file,
    session_options,
    shapes,
)
from popir.cli.output import Output
from popir.cli.progress import Interruption, Progress, bar
from popir.cli.training import (
    loss_of,
    loss_option,
    mode_options,
    optimizer_options,
    schedule_options,
)
from popir.data import Batches
from popir.data.files import ArrayFile, open_arrays
from popir.dataflow import DataFlow
from popir.errors import NotFiniteError
from popir.onnxio.describe import Value, describe
from popir.onnxio.load import load
from popir.onnxio.training_info import joined
from popir.optimizers import TableOptimizer
from popir.session import TrainingSession
from popir.training import Epoch, Schedule, Score, Step, TensorBoard, Validation, train

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """Training samples: dimension 0 of every array."""

    arrays: Mapping[str, Array]
    samples: int
    batch: int


@click.command(short_help="Train a model that holds its loss, on arrays of a file.")
@model_argument
@click.option(
    "--data",
    "file",
    type=existing_file,
    required=True,
    help="A file, .npz or parquet: an array per input.",
)
@loss_option(required=True)
@click.option("--epochs", type=Count(1), default=1, show_default=True)
@click.option("--batch-size", type=Count(1), help="For a model that leaves it open.")
@schedule_options
@optimizer_options
@choosing
@mode_options
@click.option("--shuffle/--no-shuffle", default=True, show_default=True)
@click.option(
    "--seed",
    type=Count(0),
    help="Of the order, and of dropout.  [default: 0, or for dropout as the saved model goes on]",
)
@click.option(
    "--first-epoch",
    "first",
    type=Count(1),
    default=1,
    show_default=True,
    help="The number of the first epoch, for training that goes on.",
)
@click.option(
    "--validation",
    "held_out",
    type=existing_file,
    help="A file as --data, to measure loss and accuracy with.",
)
@click.option(
    "--validate-every",
    type=Count(1),
    help="Steps between.  [default: at the end of each epoch]",
)
@click.option(
    "--checkpoints", "folder", type=click.Path(file_okay=False), help="A folder to save them in."
)
@click.option(
    "--save-every", type=Count(1), help="Steps between.  [default: at the end of each epoch]"
)
@click.option(
    "--resume", is_flag=True, help="Go on from the checkpoint, with the same options otherwise."
)
@click.option(
    "--tensorboard",
    "log_folder",
    type=click.Path(file_okay=False),
    help="A folder for files that TensorBoard shows (needs popir[tensorboard]).",
)
@click.option("--output", "target", type=output_file, help="[default: MODEL.trained.onnx]")
@shapes
@device
@common
def command(
    output: Output,
    model: str,
    file: str,
    loss: str,
    epochs: int,
    batch_size: int | None,
    optimizer: TableOptimizer,
    schedule: Callable[[int], Schedule] | None,
    trained: Sequence[str],
    frozen: Sequence[str],
    training_mode: Sequence[str],
    evaluation_mode: Sequence[str],
    shuffle: bool,
    seed: int | None,
    first: int,
    held_out: str | None,
    validate_every: int | None,
    folder: str | None,
    save_every: int | None,
    resume: bool,
    log_folder: str | None,
    target: str | None,
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    device_kind: str,
    threads: int | None,
) -> ExitCode:
    """Train MODEL, an ONNX file whose graph computes a loss.

    --data has one array for each input of the model, named as it is, with the samples along the
    first dimension. The trained model is written at the end, or when Ctrl-C stops the training; it
    holds the optimizer's state, so that training can go on with it as MODEL. With --checkpoints the
    same command and --resume goes on where a training that was killed had saved last.
    """
    for option, given, other, needed in (
        ("--validate-every", validate_every, "--validation", held_out),
        ("--save-every", save_every, "--checkpoints", folder),
        ("--resume", resume or None, "--checkpoints", folder),
    ):
        if given is not None and needed is None:
            raise click.UsageError(f"{option} is for {other}.")
    target = target or f"{Path(model).stem}.trained.onnx"
    targets.check(target)
    loaded = joined(load(model), [loss])
    targets.check_data(loaded, target)
    description = describe(loaded.model)
    loss_of(loaded.model, loss)
    dimensions = Dimensions(description.inputs, dims, shapes)
    arrays = open_arrays(file)
    infos = _sizes(arrays, description.inputs, dimensions, batch_size)
    data = _data(arrays, infos)
    note_others(arrays, infos, output)
    other = None
    if held_out is not None:
        other = _data(open_arrays(held_out), infos)
    last = first + epochs - 1
    per_epoch = data.samples // data.batch
    made = None if schedule is None else schedule(last * per_epoch)
    log = None if log_folder is None else TensorBoard(log_folder)
    kind = device_of(device_kind)
    with bar("compiling") as progress:
        options = session_options(threads, progress=progress)
        session = TrainingSession(
            loaded,
            DataFlow(1, [loss]),
            loss,
            optimizer,
            kind,
            infos,
            userOptions=options,
            trained=trained,
            frozen=frozen,
            trainingMode=training_mode,
            evaluationMode=evaluation_mode,
        )
        session.prepareDevice()
        session.steps = (first - 1) * per_epoch
        if seed is not None:
            session.setRandomSeed(seed)
        validation = None
        if other is not None:
            held = Batches(other.arrays, other.batch)
            validation = Validation(loaded, loss, held, kind, infos, options)
    show_summary(output, session.choices)
    note_untold(output, session.choices)
    with (
        Batches(data.arrays, data.batch, shuffle, seed or 0) as batches,
        Progress(epochs * per_epoch) as shown,
        Interruption() as interruption,
        log or nullcontext(),
    ):
        batches.epoch = first
        try:
            done = train(
                session,
                batches,
                loss,
                last,
                optimizer,
                made,
                validation,
                validate_every,
                folder,
                save_every,
                resume,
                log,
                partial(_report, output, shown, first, last, per_epoch),
                lambda: interruption.asked,
            )
        except NotFiniteError as error:
            raise CommandError(f"{error} {target} is not written.", ExitCode.NO) from None
    session.modelToHost(target)
    output.line(f"wrote {target}")
    output.result(
        {
            "model": model,
            "samples": data.samples,
            "batch_size": data.batch,
            "initializers": rows(session.choices),
            "epochs": [vars(epoch) for epoch in done.epochs],
            "validation": [
                {**vars(score), "loss": score.loss if math.isfinite(score.loss) else None}
                for score in done.scores
            ],
            "steps": session.steps,
            "interrupted": done.stopped,
            "output": target,
        }
    )
    if done.stopped:
        output.note(f"interrupted; {target} holds what was trained")
    return ExitCode.INTERRUPTED if done.stopped else ExitCode.FINE


def _report(
    output: Output, shown: Progress, first: int, last: int, per_epoch: int, what: Any
) -> None:
    """Shows a step, the end of an epoch, or what validation found."""
    if isinstance(what, Step):
        shown.reach((what.epoch - first) * per_epoch + what.batch, what.loss)
    elif isinstance(what, Epoch):
        output.line(
            f"epoch {what.epoch}/{last}: loss {what.loss:.6g}, {what.batches} batches, "
            f"{what.seconds:.3f} s"
        )
    elif isinstance(what, Score):
        accuracy = "" if what.accuracy is None else f", accuracy {what.accuracy:.4f}"
        output.line(f"step {what.step}: validation loss {what.loss:.6g}{accuracy}")


def _sizes(
    file: ArrayFile, inputs: Sequence[Value], dimensions: Dimensions, batch: int | None
) -> dict[str, Any]:
    """Types and shapes of the inputs of a batch: the batch size first, the rest from the arrays."""
    for value in inputs:
        shape, _ = file.header(value.name)
        if not shape:
            raise CommandError(
                f"{file.path}: the array '{value.name}' has no dimension; training data have the "
                "samples along the first."
            )
        first = (value.shape or [None])[0]
        size = first if isinstance(first, int) and first > 0 else dimensions.sizes.get(str(first))
        size = size or batch or min(32, shape[0])
        if batch is not None and size != batch:
            raise CommandError(
                f"--batch-size {batch}: the input '{value.name}' takes batches of {size}."
            )
        dimensions.learn(value.name, (size, *shape[1:]))
    return dimensions.infos()


def _data(file: ArrayFile, infos: Mapping[str, Any]) -> Data:
    """The arrays. Raises CommandError unless they fit the inputs and have the same number of
    samples.
    """
    if not infos:
        raise CommandError("The model has no inputs, so there is nothing to train it on.")
    arrays: dict[str, Array] = {}
    for name, info in infos.items():
        shape, _ = file.header(name)
        if list(shape[1:]) != info.shape()[1:]:
            expected = ", ".join(map(str, ["samples", *info.shape()[1:]]))
            raise CommandError(
                f"{file.path}: the array '{name}' has the shape {list(shape)}; the model takes "
                f"[{expected}]."
            )
        arrays[name] = file.array(name, type(info)(info.dataType(), shape))
    counts = {name: len(array) for name, array in arrays.items()}
    batches = {name: info.shape()[0] for name, info in infos.items()}
    for what, found in (("samples", counts), ("batches of", batches)):
        if len(set(found.values())) > 1:
            said = ", ".join(f"'{name}' {n}" for name, n in found.items())
            raise CommandError(f"{file.path}: the inputs differ in {what}: {said}.")
    samples, batch = next(iter(counts.values())), next(iter(batches.values()))
    if not batch or samples < batch:
        raise CommandError(f"{file.path} has {samples} samples; a batch takes {batch}.")
    return Data(arrays, samples, batch)
