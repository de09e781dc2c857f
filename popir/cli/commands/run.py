"""`popir run`: runs a model once, on given or random inputs, and prints its outputs."""

from __future__ import annotations

import dataclasses
import statistics as timing
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np

from popir.cli import npz, targets
from popir.cli.compare import (
    Difference,
    coarsest,
    compare,
    random_outputs,
    require_onnxruntime,
    run_onnxruntime,
)
from popir.cli.exits import CommandError, ExitCode
from popir.cli.host_profile import profile_json, show_profile
from popir.cli.inputs import Dimensions, learn_from, note_others, random_inputs
from popir.cli.options import (
    Count,
    Number,
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
from popir.cli.progress import bar
from popir.cli.statistics import Statistics, statistics
from popir.data.files import open_arrays
from popir.dataflow import DataFlow
from popir.errors import LeavesDeviceError
from popir.onnxio.describe import Description, describe
from popir.onnxio.load import load
from popir.profile import HostProfile
from popir.segments import SegmentedModel
from popir.session import InferenceSession
from popir.stepio import PyStepIO
from popir.types import DataType

Array = np.ndarray[Any, Any]


@click.command(short_help="Run a model once, on given or random inputs.")
@model_argument
@click.option(
    "--inputs", "file", type=existing_file, help="A file, .npz or parquet, with an array per input."
)
@click.option("--random", "seed", type=Count(0), help="Random inputs from a seed.  [default: 0]")
@shapes
@click.option("--check", is_flag=True, help="Compare every output with onnxruntime.")
@click.option("--rtol", type=Number(0), help="Relative tolerance of --check.")
@click.option("--atol", type=Number(0), help="Absolute tolerance of --check.")
@click.option("--allow-nonfinite", is_flag=True, help="NaN and infinity are no failure.")
@click.option("--runs", type=Count(1), help="Run so many times more, and time it.")
@click.option("--host-profile", is_flag=True, help="Show the host's time by instruction.")
@click.option("--output", "target", type=output_file, help="Write the outputs to an .npz file.")
@device
@common
def command(
    output: Output,
    model: str,
    file: str | None,
    seed: int | None,
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    check: bool,
    rtol: float | None,
    atol: float | None,
    allow_nonfinite: bool,
    runs: int | None,
    host_profile: bool,
    target: str | None,
    device_kind: str,
    threads: int | None,
) -> ExitCode:
    """Run MODEL, an ONNX file, once.

    Prints type, shape, range, mean and a digest of every output. Exits with 1 if an output holds
    NaN or infinity, or if --check finds one out of tolerance.
    """
    if file is not None and seed is not None:
        raise click.UsageError("--inputs and --random exclude each other.")
    if not check and (rtol, atol) != (None, None):
        raise click.UsageError("--rtol and --atol are for --check.")
    targets.check(target)
    if check:
        require_onnxruntime()
    loaded = load(model)
    targets.check_data(loaded, target)
    description = describe(loaded.model)
    dimensions = Dimensions(description.inputs, dims, shapes)
    inputs, infos = _inputs(description, dimensions, file, seed or 0, output)
    names = [value.name for value in description.outputs]
    kind = device_of(device_kind)
    try:
        with bar("compiling") as progress:
            options = session_options(threads, host_profile, progress)
            session = InferenceSession(loaded, DataFlow(1, names), kind, infos, userOptions=options)
            session.graph.require_exact()
            drawn = random_outputs(session.graph, names) if check else {}
            if drawn and len(drawn) == len(names):
                raise CommandError(
                    f"--check has nothing to compare: every output is random, '{names[0]}' by "
                    f"{drawn[names[0]]}, and onnxruntime draws other numbers. Run without "
                    "--check, or check the model as it is exported for evaluation."
                )
            session.prepareDevice()
        computed = session.graph.tensors.values()
        kinds = {t.info.dataType() for t in computed if t.info is not None}
        with output.status("running"):
            outputs, seconds, profile = _run(session, inputs, runs or 0, host_profile)
    except LeavesDeviceError as error:
        if host_profile:
            raise CommandError(
                f"--host-profile shows one device program, and this model is more: {error}"
            ) from error
        segmented = SegmentedModel(loaded, kind, session_options(threads))
        with output.status("running in segments"):
            outputs, seconds = _run_segmented(segmented, inputs, runs or 0)
        drawn, kinds, profile = {}, {DataType.of(a.dtype) for a in outputs.values()}, None
        for node, why in segmented.left.items():
            output.note(f"note: {node} leaves the device: {why}")
    # The file first: whoever reads the rest may stop before its end, as `| head` does.
    if target is not None:
        npz.write(target, outputs)
    found = {name: statistics(array) for name, array in outputs.items()}
    _show_outputs(output, outputs, found)
    differences: list[Difference] = []
    if check:
        expected = _flat(run_onnxruntime(model, inputs, names, threads))
        if expected.keys() != outputs.keys():
            raise CommandError(
                f"The outputs are {', '.join(outputs)}; with onnxruntime they are "
                f"{', '.join(expected)}.",
                ExitCode.NO,
            )
        computed = coarsest(kind.numpy for kind in kinds)
        differences = [
            compare(name, array, expected[name], rtol, atol, computed)
            for name, array in outputs.items()
            if name not in drawn
        ]
        _show_differences(output, differences, drawn)
    _show_time(output, seconds)
    if profile is not None:
        show_profile(output, profile, max(len(seconds), 1))
    if target is not None:
        output.line(f"wrote {target}")
    output.result(
        {
            "model": model,
            "inputs": {name: _type(array) for name, array in inputs.items()},
            "outputs": [
                {"name": name, **_type(array), **dataclasses.asdict(found[name])}
                for name, array in outputs.items()
            ],
            "check": [{**dataclasses.asdict(d), "ok": d.ok} for d in differences]
            if check
            else None,
            "random": drawn if check else None,
            "time": _time_json(seconds),
            "host_profile": profile and profile_json(profile, max(len(seconds), 1)),
            "output": target,
        }
    )
    finite = allow_nonfinite or all(each.finite for each in found.values())
    return ExitCode.FINE if finite and all(d.ok for d in differences) else ExitCode.NO


def _inputs(
    description: Description, dimensions: Dimensions, file: str | None, seed: int, output: Output
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The values of the inputs, and their types and shapes."""
    if file is None:
        infos = dimensions.infos()
        return random_inputs(infos, seed), infos
    arrays = open_arrays(file)
    learn_from(arrays, description.inputs, dimensions)
    infos = dimensions.infos()
    note_others(arrays, infos, output)
    return {name: arrays.array(name, info) for name, info in infos.items()}, infos


def _run(
    session: InferenceSession, inputs: Mapping[str, Array], runs: int, profiled: bool
) -> tuple[dict[str, Array], list[float], HostProfile | None]:
    """The outputs of the first run; the seconds of the other runs; and their profile, or that of
    the first.
    """
    outputs = session.initAnchorArrays()
    session.run(PyStepIO(inputs, outputs))
    profile = session.getHostProfile() if profiled else None
    again = PyStepIO(inputs, session.initAnchorArrays())
    seconds: list[float] = []
    for _ in range(runs):
        began = time.perf_counter()
        session.run(again)
        seconds.append(time.perf_counter() - began)
    if profile is not None and runs:
        profile = session.getHostProfile().since(profile)
    return outputs, seconds, profile


def _run_segmented(
    model: SegmentedModel, inputs: Mapping[str, Array], runs: int
) -> tuple[dict[str, Array], list[float]]:
    """The outputs of the first run, and the seconds of the others."""
    outputs = model.run(inputs)
    seconds: list[float] = []
    for _ in range(runs):
        began = time.perf_counter()
        model.run(inputs)
        seconds.append(time.perf_counter() - began)
    return _flat(outputs), seconds


def _flat(outputs: Mapping[str, Any]) -> dict[str, Array]:
    """The tensors among the outputs: of a sequence s, s[0] and so on; of an empty optional value
    none.
    """
    found: dict[str, Array] = {}
    for name, value in outputs.items():
        if isinstance(value, list):
            found |= _flat({f"{name}[{i}]": each for i, each in enumerate(value)})
        elif isinstance(value, dict):
            found |= _flat({f"{name}[{key!r}]": each for key, each in value.items()})
        elif value is not None:
            found[name] = np.asarray(value)
    return found


def _type(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def _show_outputs(
    output: Output, outputs: Mapping[str, Array], found: Mapping[str, Statistics]
) -> None:
    rows: list[list[object]] = []
    for name, array in outputs.items():
        s = found[name]
        numbers = [_number(s.min), _number(s.max), _number(s.mean), s.nan, s.inf]
        rows.append([name, array.dtype.name, _shape(array), *numbers, s.sha256[:16]])
    columns = ["output", "dtype", "shape", ">min", ">max", ">mean", ">nan", ">inf", "sha256"]
    output.table("outputs", columns, rows)
    for name, s in found.items():
        if not s.finite:
            size = outputs[name].size
            output.warn(
                f"WARNING: the output '{name}' holds {s.nan} NaN and {s.inf} infinities among its "
                f"{size} elements"
            )


def _shape(array: Array) -> str:
    return f"[{','.join(map(str, array.shape))}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _show_differences(
    output: Output, differences: Sequence[Difference], drawn: Mapping[str, str]
) -> None:
    rows = [
        [
            d.name,
            f"{d.absolute:.3g}",
            f"{d.relative:.3g}",
            f"{d.atol:.3g}",
            f"{d.rtol:.3g}",
            "ok" if d.ok else f"{d.outside} OUT OF TOLERANCE",
        ]
        for d in differences
    ]
    rows += [[name, *"----", f"random, not compared: {who}"] for name, who in drawn.items()]
    columns = ["output", ">max abs diff", ">max rel diff", ">atol", ">rtol", "verdict"]
    output.table("against onnxruntime", columns, rows)


def _time_json(seconds: Sequence[float]) -> dict[str, Any] | None:
    if not seconds:
        return None
    median, least = timing.median(seconds), min(seconds)
    return {"runs": len(seconds), "median_seconds": median, "min_seconds": least}


def _show_time(output: Output, seconds: Sequence[float]) -> None:
    if seconds:
        median, least = timing.median(seconds), min(seconds)
        output.line(
            f"time of {len(seconds)} runs: median {median * 1e3:.3f} ms, min {least * 1e3:.3f} ms"
        )
