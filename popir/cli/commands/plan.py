"""`popir plan`: prints what the host executes for a model, and what the engine's passes did."""

from __future__ import annotations

from collections.abc import Sequence

import click

from popir.cli.exits import ExitCode
from popir.cli.inputs import Dimensions
from popir.cli.options import (
    common,
    device_kind,
    device_of,
    model_argument,
    session_options,
    shapes,
)
from popir.cli.output import Output
from popir.cli.progress import bar
from popir.dataflow import DataFlow
from popir.onnxio.describe import describe
from popir.onnxio.load import load
from popir.session import InferenceSession


@click.command(short_help="Show the instructions that the host executes for a model.")
@model_argument
@shapes
@device_kind
@common
def command(
    output: Output,
    model: str,
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    device_kind: str,
) -> ExitCode:
    """Compile MODEL, an ONNX file, and print the engine's plan. Nothing runs.

    Each instruction has its kernel, the name it was given, and the shapes and layouts of its
    operands. The passes that made the plan follow, with what each one did.
    """
    loaded = load(model)
    description = describe(loaded.model)
    with bar("compiling") as progress:
        session = InferenceSession(
            loaded,
            DataFlow(1, [value.name for value in description.outputs]),
            device_of(device_kind),
            Dimensions(description.inputs, dims, shapes).infos(),
            userOptions=session_options(None, progress=progress),
        )
        session.prepareDevice()
    text = session.planText()
    output.text(text)
    sections = _sections(text)
    output.result(
        {
            "model": model,
            "device": device_kind,
            "program": sections["program 0"],
            "before_first_run": sections.get("before the first run", []),
            "passes": sections.get("passes", []),
        }
    )
    return ExitCode.FINE


def _sections(text: str) -> dict[str, list[str]]:
    """The plan's lines by the headings that they stand under."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" "):
            lines.append(line.removeprefix("  "))
        else:
            lines = sections.setdefault(line, [])
    return sections
