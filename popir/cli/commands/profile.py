"""`popir profile`: costs a model on the simulated machine; output as page, trace, JSON or text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from popir.cli import targets
from popir.cli.exits import ExitCode
from popir.cli.initializers import choosing
from popir.cli.inputs import Dimensions, random_inputs
from popir.cli.options import (
    Count,
    assignments,
    common,
    existing_file,
    given_options,
    model_argument,
    output_file,
    session_options,
    shapes,
    threads,
)
from popir.cli.output import Output
from popir.cli.profile_text import show_changes, show_profile
from popir.cli.progress import bar
from popir.cli.training import TRAINING, loss_of, loss_option, mode_options, optimizer_options
from popir.dataflow import DataFlow
from popir.devices import DeviceInfo, DeviceManager
from popir.errors import PopirError
from popir.onnxio.describe import describe
from popir.onnxio.load import load
from popir.onnxio.training_info import joined
from popir.optimizers import Optimizer
from popir.profile import PodReport, Profile, saveHtml, saveTrace
from popir.profile.engine_file import is_engine_file
from popir.session import InferenceSession, TrainingSession
from popir.stepio import PyStepIO

TARGETS = ["ipu1", "ipu2", "ipu21"]


def _figure(text: str) -> str | None:
    float(text)  # createIpuModelDevice checks the range.
    return text


@click.command(short_help="Cost a model on the simulated IPU: a page, a trace, JSON, a summary.")
@model_argument
@click.option("--training", is_flag=True, help="Cost a step of training: MODEL holds its loss.")
@loss_option(required=False)
@optimizer_options
@choosing
@mode_options
@click.option("--target", type=click.Choice(TARGETS), default="ipu2", show_default=True)
@click.option("--ipus", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option(
    "--replicas",
    type=click.IntRange(1, 4096),
    default=1,
    show_default=True,
    help="Replicas, of --ipus IPUs each: adds the collectives between them.",
)
@click.option("--tiles", type=Count(1), help="Tiles of an IPU.  [default: all that it has]")
@click.option(
    "--figure",
    "figures",
    multiple=True,
    metavar="NAME=X",
    callback=assignments(_figure, "exchangeBytesPerCycle=8"),
    help="Another figure of the machine; may be repeated.",
)
@shapes
@click.option(
    "--random",
    "seed",
    type=Count(0),
    help="Run once, on random inputs from a seed, to count codelets that nobody estimates.",
)
@click.option("--output", "-o", "page", type=output_file, help="Write a page, an .html file.")
@click.option("--trace", type=output_file, help="Write a trace for Perfetto, a .json file.")
@click.option(
    "--compare", "earlier", type=existing_file, help="Compare with a profile saved by --json."
)
@threads
@common
@click.pass_context
def command(
    context: click.Context,
    output: Output,
    model: str,
    page: str | None,
    trace: str | None,
    earlier: str | None,
    **options: Any,
) -> ExitCode:
    """Cost MODEL, an ONNX file, on the simulated IPU. Or show MODEL, a profile saved by --json or
    the profile.pop of a Poplar program.

    Without --random nothing runs: cycles, exchange and memory of each tile are worked out from the
    program. Exits with 1 if tiles are out of memory.
    """
    if not options["training"]:
        given = given_options(context, TRAINING)
        if given:
            raise click.UsageError(f"{given[0]} is for --training.")
    targets.check(page, trace)
    before = None if earlier is None else Profile.load(earlier)
    if _is_profile(model):
        _refuse_options(context)
        profile = Profile.load(model)
    else:
        profile = _profile(model, (page, trace), **options)
    # Files first: whoever reads the summary may stop before its end, as `| head` does.
    if page is not None:
        saveHtml(profile, page, before)
    if trace is not None:
        saveTrace(profile, trace)
    show_profile(output, profile)
    if before is not None:
        show_changes(output, before, profile)
    for written in filter(None, (page, trace)):
        output.line(f"wrote {written}")
    output.result(profile.data)
    full = profile.data["memory"]["tiles_out_of_memory"]
    if full:
        output.warn(f"WARNING: {full} tiles are out of memory")
    return ExitCode.NO if full else ExitCode.FINE


def _is_profile(path: str) -> bool:
    """Whether a file is JSON, for no ONNX model begins with a brace, or an Engine's profile."""
    if not os.path.isfile(path):  # Reading a pipe would block.
        return False
    if is_engine_file(path):
        return True
    with open(path, "rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def _refuse_options(context: click.Context) -> None:
    """Raises UsageError for an option that does not apply to a saved profile."""
    kept = {"model", "page", "trace", "earlier", "libraries", "as_json"}
    given = given_options(context, {p.name or "" for p in context.command.params} - kept)
    if given:
        raise click.UsageError(
            f"{given[0]} is for models; MODEL is a profile, which has been made."
        )


def _profile(
    model: str,
    written: Sequence[str | None],
    training: bool,
    loss: str | None,
    optimizer: Optimizer,
    trained: Sequence[str],
    frozen: Sequence[str],
    training_mode: Sequence[str],
    evaluation_mode: Sequence[str],
    target: str,
    ipus: int,
    replicas: int,
    tiles: int | None,
    figures: Sequence[tuple[str, str]],
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    seed: int | None,
    threads: int | None,
) -> Profile:
    device = _machine(target, ipus, tiles, figures)
    _check_replicas(device, replicas)
    loaded = load(model)
    targets.check_data(loaded, *written)
    if training:
        loaded = joined(loaded, [loss] if loss else None)
    description = describe(loaded.model)
    infos = Dimensions(description.inputs, dims, shapes).infos()
    with bar("compiling") as progress:
        options = session_options(threads, progress=progress)
        options.engineOptions["debug.allowOutOfMemory"] = "true"
        if seed is not None:
            options.engineOptions["debug.instrument"] = "true"
        name = Path(model).name
        if training:
            loss = loss_of(loaded.model, loss)
            flow = DataFlow(1, [loss])
            session = TrainingSession(
                loaded,
                flow,
                loss,
                optimizer,
                device,
                infos,
                userOptions=options,
                name=name,
                trained=trained,
                frozen=frozen,
                trainingMode=training_mode,
                evaluationMode=evaluation_mode,
            )
        else:
            flow = DataFlow(1, [value.name for value in description.outputs])
            session = InferenceSession(loaded, flow, device, infos, userOptions=options, name=name)
        session.prepareDevice(loadEngine=seed is not None)
    if seed is not None:
        session.run(PyStepIO(random_inputs(infos, seed), session.initAnchorArrays()))
    with bar("costing") as progress:
        return session.getProfile(progress, replicas)


def _check_replicas(device: DeviceInfo, replicas: int) -> None:
    """Raises UsageError for replicas that no machine has room for, before anything is compiled."""
    try:
        PodReport.of(device.device.getTarget(), replicas, 0.0, device.numIpus, [])
    except PopirError as error:
        raise click.UsageError(str(error)) from None


def _machine(
    target: str, ipus: int, tiles: int | None, figures: Sequence[tuple[str, str]]
) -> DeviceInfo:
    given = {**dict(figures), "ipuVersion": target, "numIPUs": str(ipus)}
    if tiles is not None:
        given["tilesPerIPU"] = str(tiles)
    try:
        return DeviceManager().createIpuModelDevice(given)
    except PopirError as error:
        raise click.UsageError(str(error)) from None
