"""`popir info`: lists the contents of a model, its cost, and what popir cannot run of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import click

from popir.budget import Budget
from popir.cli.decisions import as_json, decisions_of, show
from popir.cli.exits import CommandError, ExitCode
from popir.cli.initializers import choosing, rows, show_table
from popir.cli.inputs import Dimensions
from popir.cli.options import common, model_argument, shapes
from popir.cli.output import Output
from popir.errors import PopirError, WorkLimitError
from popir.ir import Graph
from popir.onnxio.describe import Description, Stored, Value, describe
from popir.onnxio.examine import Examination, Fault, examine
from popir.onnxio.load import load
from popir.onnxio.training_form import in_training_form
from popir.profile.work import COUNTS, OperatorWork, workOf
from popir.trainable import choose


@click.command(short_help="Describe a model: operators, parameters, FLOPs, support.")
@model_argument
@shapes
@choosing
@click.option(
    "--decisions",
    is_flag=True,
    help="Say what patterns and in-placing do when it is compiled, and where they refuse, why.",
)
@click.option("--loss", help="With --decisions: compile to train, with this tensor as the loss.")
@common
def command(
    output: Output,
    model: str,
    dims: Sequence[tuple[str, int]],
    shapes: Sequence[tuple[str, list[int]]],
    trained: Sequence[str],
    frozen: Sequence[str],
    decisions: bool,
    loss: str | None,
) -> ExitCode:
    """Describe MODEL, an ONNX file: operators, inputs, outputs, parameters, FLOPs.

    The model need not be supported as a whole. Exits with 1 if popir cannot run a part of it, which
    is then listed; nodes at which a model leaves the device are listed, too. FLOPs are for the
    sizes that --dim gives; other symbolic dimensions count as 1.
    Of each initializer it says whether popir train would train it, and why.
    """
    if loss is not None and not decisions:
        raise CommandError("--loss is for --decisions.")
    loaded = load(model)
    description = describe(loaded.model)
    dimensions = Dimensions(description.inputs, dims, shapes)
    assumed = dimensions.assume(1)
    with output.status("examining"), Budget(f"Describing {model}", loaded.nodes).spending():
        examination = examine(in_training_form(loaded), dimensions.infos(partly=True))
        choices = choose(examination.graph, trained, frozen)
        modes = _modes(examination.graph)
        work, faults = _work(examination)
        named = (trained, frozen)
        infos = dimensions.infos(partly=True)
        decided = decisions_of(loaded, infos, loss, *named) if decisions else None
    flops = _by_type(work)
    _show(output, description, flops, assumed, bool(examination.unexamined or faults))
    show_table(output, choices)
    if modes:
        columns = ["node", "operator", "in a TrainingSession", "in an InferenceSession"]
        output.table("normalisation and dropout", columns, [list(m.values()) for m in modes])
    if decided is not None:
        show(output, decided)
    _show_left(output, examination.left)
    _show_faults(output, faults, examination.unexamined)
    output.result(
        {
            "model": model,
            "ir_version": description.ir_version,
            "producer": description.producer,
            "opsets": description.opsets,
            "inputs": [dataclasses.asdict(value) for value in description.inputs],
            "outputs": [dataclasses.asdict(value) for value in description.outputs],
            "operators": description.operators,
            "parameters": dataclasses.asdict(description.parameters),
            "constants": dataclasses.asdict(description.constants),
            "states": dataclasses.asdict(description.states),
            "initializers": rows(choices),
            "flops": sum(flops.values()),
            "flops_by_operator": flops,
            "flops_complete": not (examination.unexamined or faults),
            "flops_count": COUNTS,
            "assumed_dims": assumed,
            "modes": modes,
            "decisions": None if decided is None else as_json(decided),
            "leaves_device": [dataclasses.asdict(fault) for fault in examination.left],
            "unsupported": [dataclasses.asdict(fault) for fault in faults],
            "unexamined": examination.unexamined,
        }
    )
    return ExitCode.NO if faults else ExitCode.FINE


def _work(examination: Examination) -> tuple[list[OperatorWork], list[Fault]]:
    """The FLOPs of the imported operators; all faults, including those found here."""
    try:
        work = workOf(examination.graph)
    except WorkLimitError:
        raise
    except PopirError as error:
        return [], [*examination.faults, Fault("", "", None, str(error))]
    opsets = examination.graph.opsets
    faults = [
        Fault(
            each.op.name() or next((t.id for t in each.op.output.values()), ""),
            f"{each.op.opid.domain}.{each.op.opid.type}",
            opsets.get(each.op.opid.domain),
            each.error,
        )
        for each in work
        if each.error
    ]
    return work, [*examination.faults, *faults]


def _modes(graph: Graph) -> list[dict[str, str]]:
    """How operators with a training mode run, such as Dropout."""
    found: list[dict[str, str]] = []
    for op in graph.schedule():
        said: list[str] = []
        for graph.isTraining in (True, False):
            said.append(op.runsAs())
        if any(said):
            name = op.name() or next((t.id for t in op.output.values()), "")
            operator = f"{op.opid.domain}.{op.opid.type}"
            found.append(
                {"node": name, "operator": operator, "training": said[0], "inference": said[1]}
            )
    return found


def _by_type(work: Iterable[OperatorWork]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for each in work:
        name = f"{each.op.opid.domain}.{each.op.opid.type}"
        sums[name] = sums.get(name, 0) + each.flops
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _show(
    output: Output,
    description: Description,
    flops: Mapping[str, int],
    assumed: Mapping[str, int],
    incomplete: bool,
) -> None:
    output.line(f"IR version: {description.ir_version}")
    output.line(f"producer: {description.producer or '-'}")
    opsets = (f"{domain} {version}" for domain, version in description.opsets.items())
    output.line(f"opsets: {', '.join(opsets)}")
    output.line(f"parameters: {_stored(description.parameters)}")
    output.line(f"constants: {_stored(description.constants)}")
    if description.states.tensors:
        output.line(f"state of training: {_stored(description.states)}")
    columns = ["name", "dtype", "shape"]
    output.table("inputs", columns, [_value(value) for value in description.inputs])
    output.table("outputs", columns, [_value(value) for value in description.outputs])
    rows = [[name, count, flops.get(name, "-")] for name, count in description.operators.items()]
    output.table("operators", ["operator", ">nodes", ">FLOPs"], rows)
    also = ", of what could be examined" if incomplete else ""
    sizes = f", with {', '.join(f'{k}={v}' for k, v in assumed.items())}" if assumed else ""
    output.line(f"FLOPs: {sum(flops.values())}{also}{sizes}")
    output.line(COUNTS)


def _stored(stored: Stored) -> str:
    return f"{stored.elements} in {stored.tensors} tensors, {stored.bytes} bytes"


def _value(value: Value) -> list[str]:
    dims = value.shape
    if dims is None:
        return [value.name, value.type, "-"]
    return [value.name, value.type, f"[{','.join('?' if d is None else str(d) for d in dims)}]"]


def _show_left(output: Output, left: Sequence[Fault]) -> None:
    if left:
        output.line("more than one device program (popir run runs it in segments):")
        rows = [[each.operator or "-", each.node or "-", each.message] for each in left]
        output.table("leaves the device", ["operator", "where", "why"], rows)


def _show_faults(output: Output, faults: Sequence[Fault], unexamined: Sequence[str]) -> None:
    if not faults:
        output.line("supported: all of it")
    else:
        groups: dict[tuple[str, int | None, str], list[str]] = {}
        for fault in faults:
            groups.setdefault((fault.operator, fault.version, fault.message), []).append(fault.node)
        rows = [
            [operator or "-", version or "-", len(nodes), why, ", ".join(nodes) or "-"]
            for (operator, version, why), nodes in groups.items()
        ]
        columns = ["operator", ">opset", ">nodes", "why", "where"]
        output.table("NOT SUPPORTED", columns, rows)
    if unexamined:
        output.line(f"not examined, for want of shapes: {', '.join(unexamined)}")
