"""`popir train`: trains a model that computes its loss, on arrays in a file."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from popir.cli.training import loss_of, loss_option, mode_options, optimizer_options
from popir.data import Batches
from popir.data.files import ArrayFile, open_arrays
from popir.dataflow import DataFlow
from popir.onnxio.describe import Value, describe
from popir.onnxio.load import load
from popir.onnxio.training_info import joined
from popir.optimizers import Optimizer
from popir.session import TrainingSession
from popir.stepio import PyStepIO

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Data:
    """Training samples: dimension 0 of every array."""

    arrays: Mapping[str, Array]
    samples: int
    batch: int


@dataclass(frozen=True)
class Epoch:
    """The result of one epoch; `loss` is the mean over its batches."""

    epoch: int
    batches: int
    loss: float
    seconds: float


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
    optimizer: Optimizer,
    trained: Sequence[str],
    frozen: Sequence[str],
    training_mode: Sequence[str],
    evaluation_mode: Sequence[str],
    shuffle: bool,
    seed: int | None,
    first: int,
    target: str | None,
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    device_kind: str,
    threads: int | None,
) -> ExitCode:
    """Train MODEL, an ONNX file whose graph computes a loss.

    --data has one array for each input of the model, named as it is, with the samples along the
    first dimension. The trained model is written at the end, or when Ctrl-C stops the training; it
    holds the optimizer's state, so that training can go on with it as MODEL.
    """
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
    with bar("compiling") as progress:
        session = TrainingSession(
            loaded,
            DataFlow(1, [loss]),
            loss,
            optimizer,
            device_of(device_kind),
            infos,
            userOptions=session_options(threads, progress=progress),
            trained=trained,
            frozen=frozen,
            trainingMode=training_mode,
            evaluationMode=evaluation_mode,
        )
        session.prepareDevice()
        if seed is not None:
            session.setRandomSeed(seed)
    show_summary(output, session.choices)
    note_untold(output, session.choices)
    numbers = range(first, first + epochs)
    with Batches(data.arrays, data.batch, shuffle, seed or 0) as batches:
        done, interrupted = _train(session, batches, loss, numbers, output)
    session.modelToHost(target)
    output.line(f"wrote {target}")
    output.result(
        {
            "model": model,
            "samples": data.samples,
            "batch_size": data.batch,
            "initializers": rows(session.choices),
            "epochs": [vars(epoch) for epoch in done],
            "interrupted": interrupted,
            "output": target,
        }
    )
    if interrupted:
        output.note(f"interrupted; {target} holds what was trained")
    return ExitCode.INTERRUPTED if interrupted else ExitCode.FINE


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


def _train(
    session: TrainingSession,
    batches: Batches,
    loss: str,
    numbers: range,
    output: Output,
) -> tuple[list[Epoch], bool]:
    """Trains the epochs with the given numbers. Returns those done, and whether Ctrl-C ended it.

    Raises CommandError if the loss becomes NaN or infinite.
    """
    anchors = session.initAnchorArrays()
    value = anchors[loss]
    done: list[Epoch] = []
    batches.epoch = numbers[0]
    steps = len(numbers) * (batches.steps or 0)
    with Interruption() as interruption, Progress(steps) as progress:
        for epoch in numbers:
            began, losses = time.perf_counter(), []
            for batch, inputs in enumerate(batches):
                session.run(PyStepIO(inputs, anchors))
                losses.append(float(value.sum()))
                progress.advance(losses[-1])
                if not math.isfinite(losses[-1]):
                    is_first = batch == 0 and epoch == numbers[0]
                    advice = (
                        "Look for NaN and infinity in the data, and for labels that are no class."
                        if is_first
                        else "A smaller --lr may help."
                    )
                    raise CommandError(
                        f"The loss is {losses[-1]} in batch {batch + 1} of epoch {epoch}; nothing "
                        f"is written. {advice}",
                        ExitCode.NO,
                    )
                if interruption.asked:
                    break
            seconds = time.perf_counter() - began
            done.append(Epoch(epoch, len(losses), sum(losses) / len(losses), seconds))
            output.line(
                f"epoch {epoch}/{numbers[-1]}: loss {done[-1].loss:.6g}, {len(losses)} batches, "
                f"{seconds:.3f} s"
            )
            if interruption.asked:
                return done, True
    return done, False
