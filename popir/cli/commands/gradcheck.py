"""`popir gradcheck`: checks an operator's gradients with finite differences."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from popir import memory, registry
from popir.cli.exits import ExitCode
from popir.cli.options import Count, Number, common, existing_file, given_options
from popir.cli.output import Output
from popir.data.files import open_arrays
from popir.onnxio import schemas
from popir.testing import GradientReport, gradcheck
from popir.types import TensorInfo

Array = np.ndarray[Any, Any]
_DEFAULT_SHAPE = [3, 4]


@click.command(short_help="Compare an operator's gradients with finite differences.")
@click.argument("operator")
@click.option(
    "--input",
    "specs",
    multiple=True,
    metavar="SHAPE[:TYPE]",
    help="An input, such as 3,4 or 2:int64, - to leave one out; in order.  [default: all 3,4]",
)
@click.option(
    "--inputs", "file", type=existing_file, help="A file, .npz or parquet, with their values."
)
@click.option("--attribute", "settings", multiple=True, metavar="NAME=VALUE", help="A value.")
@click.option("--constant", "constants", multiple=True, type=int, help="An input in the model.")
@click.option("--wrt", multiple=True, type=int, help="Input to check.  [default: all]")
@click.option("--outputs", type=Count(1), help="How many the operator has.")
@click.option("--through", multiple=True, type=int, help="Output to differentiate.  [default: all]")
@click.option("--low", type=Number(), default=-2.0, show_default=True, help="Least random float.")
@click.option("--high", type=Number(), default=2.0, show_default=True, help="Largest random float.")
@click.option("--seed", type=Count(0), default=0, show_default=True, help="Of all random.")
@click.option("--most", type=Count(1), default=200, help="Elements moved.  [default: 200]")
@click.option("--step", type=Number(0, is_open=True), help="How far.")
@click.option("--rtol", type=Number(0), help="Relative tolerance.")
@click.option("--atol", type=Number(0), help="Absolute tolerance.")
@common
@click.pass_context
def command(
    context: click.Context,
    output: Output,
    operator: str,
    specs: Sequence[str],
    file: str | None,
    settings: Sequence[str],
    constants: Sequence[int],
    wrt: Sequence[int],
    through: Sequence[int],
    low: float,
    high: float,
    seed: int,
    **options: Any,
) -> ExitCode:
    """Compare the gradients of OPERATOR, such as com.acme.Cubic or Relu:14, with differences.

    The operator runs alone, in double if it can. Exits with 1 if a gradient is wrong.
    """
    (entry, *_) = registry.named(operator)
    if file is not None and specs:
        raise click.UsageError("--input and --inputs exclude each other.")
    if file is not None and (given := given_options(context, {"low", "high"})):
        raise click.UsageError(f"{given[0]} is for random inputs; --inputs has their values.")
    attributes = dict(map(_attribute, settings))
    if len(attributes) < len(settings):
        raise click.UsageError("--attribute gives a name twice; give each once.")
    rng = np.random.default_rng(seed)
    if file is not None:
        inputs: list[Any] = list(open_arrays(file).arrays())
    else:
        shapes = specs or [",".join(map(str, _DEFAULT_SHAPE))] * _count(entry)
        inputs = [_input(spec, rng) for spec in shapes]
    report = gradcheck(
        entry.opid,
        inputs,
        attributes,
        version=entry.opid.version,
        constants=constants,
        wrt=list(wrt) or None,
        through=list(through) or None,
        low=low,
        high=high,
        seed=seed,
        raiseError=False,
        **options,
    )
    _show(output, report)
    output.result(
        {
            **dataclasses.asdict(report),
            "operator": str(report.operator),
            "inputs": [
                {**dataclasses.asdict(each), "ok": each.ok, **_finite(each)}
                for each in report.inputs
            ],
            "ok": report.ok,
        }
    )
    return ExitCode.FINE if report.ok else ExitCode.NO


def _count(entry: registry.OpEntry) -> int:
    definition = entry.definition or schemas.definition(entry.opid)
    return max(1, definition.inputs.least) if definition else 1


def _input(spec: str, rng: np.random.Generator) -> Any:
    """An input from text: a shape, an array of integers or booleans, or None."""
    if spec == "-":
        return None
    dims, _, kind = spec.partition(":")
    if not re.fullmatch(r"(\d+(,\d+)*)?", dims):
        raise click.UsageError(f"--input {spec!r} is not of the form of 3,4 or 3,4:int64 or -.")
    shape = [int(n) for n in dims.split(",")] if dims else []
    memory.require(f"--input {spec}", TensorInfo("INT64", shape).nbytes())
    if kind in ("", "float64", "float32", "float16"):
        return shape
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not re.fullmatch(r"u?int(8|16|32|64)", kind):
        raise click.UsageError(f"--input {spec!r}: {kind!r} is no type such as int64 or bool.")
    return rng.integers(0, 2, shape).astype(kind)


def _attribute(text: str) -> tuple[str, Any]:
    """Name and value of an attribute from text: a number, a list of numbers or texts, else a
    text.
    """
    name, found, value = text.partition("=")
    if not name or not found:
        raise click.UsageError(f"--attribute {text!r} is not of the form of alpha=0.1.")
    try:
        parsed = json.loads(value)
    except ValueError:
        return name, value
    return name, parsed if isinstance(parsed, (int, float, list)) else value


def _finite(each: Any) -> dict[str, float | None]:
    values = {"analytic": each.analytic, "numeric": each.numeric, "allowed": each.allowed}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _show(output: Output, report: GradientReport) -> None:
    output.line(f"{report.operator} ({report.source}), in {report.dtype}, step {report.step:g}")
    if report.note:
        output.line(report.note)
    rows: list[list[object]] = []
    for each in report.inputs:
        name = f"{each.index}{f' {each.name}' if each.name else ''}"
        shape = f"[{','.join(map(str, each.shape))}]"
        if not each.checked:
            rows.append([name, shape, 0, "-", "-", "-", "-", f"not checked: {each.why}"])
            continue
        at = f"[{','.join(map(str, each.worst))}]"
        values = [f"{each.analytic:.9g}", f"{each.numeric:.9g}", f"{each.allowed:.3g}"]
        verdict = "ok" if each.ok else f"{each.wrong} WRONG"
        rows.append([name, shape, each.checked, at, *values, verdict])
    columns = ["input", "shape", ">checked", "worst at", ">gradient", ">difference", ">allowed"]
    output.table("gradients", [*columns, "verdict"], rows)
    for each in report.inputs:
        if each.hint:
            output.warn(f"{each.who}:{each.hint}")
