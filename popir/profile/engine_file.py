"""`profile.pop`, what an Engine writes with the option `autoReport.all`: `report_of`, `Parts`.

The file has a report of each program of the engine. Nothing in it says what an operator is. So the
parts of a program are what its author has named: the outermost named Sequence or Block around a
step, or else the beginning of the step's debug name, up to the first slash.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from popir._device import machine
from popir.errors import ModelError
from popir.profile.report import (
    MachineReport,
    OperationCost,
    ProgramPart,
    RemoteBufferCost,
    StepCost,
)

MAGIC = b"popir profile\n"
"""How the file begins."""
_SUMS = (
    *("cycles", "computeCycles", "exchangeCycles", "syncCycles", "exchangeBytes"),
    *("interIPUBytes", "interIPUCycles", "rearrangementBytes", "rearrangementCycles", "flops"),
    *("hostBytesIn", "hostBytesOut", "hostTransfers", "hostSeconds"),
    *("overlapSeconds", "runSeconds"),
    *("streamingBytesIn", "streamingBytesOut", "streamingSeconds"),
)
"""The members of a MachineReport that are of one program; the others are of the whole engine."""


def is_engine_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a `profile.pop`, or is called so. Raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC or os.fspath(path).endswith(".pop")


def report_of(path: str | os.PathLike[str]) -> tuple[MachineReport, bool]:
    """The report of the programs that have run, one after another and each once; of all programs if
    none has. And whether the engine has several: then the outermost block of each step is
    "program n".

    Raises ModelError for a file that is none, is damaged, is of another version, or has a name that
    is no UTF-8.
    """
    try:
        found = machine.readProfile(os.fspath(path))
    except UnicodeDecodeError as error:
        raise ModelError(
            f"{path} has a name that is no UTF-8, {error.object!r}; give what has it in the "
            "program another one."
        ) from None
    reports = [MachineReport.made(fields) for fields in found["reports"]]
    if not reports:
        raise ModelError(f"{path} has no program: the Engine that wrote it was made with none.")
    if len(reports) == 1:
        return reports[0], False
    chosen = sorted(set(found["runs"])) or range(len(reports))
    return _joined({n: reports[n] for n in chosen}), True


def _joined(reports: Mapping[int, MachineReport]) -> MachineReport:
    """One report of several programs of an engine, one after another, by their numbers."""
    operations: list[OperationCost] = []
    steps: list[StepCost] = []
    parts: list[ProgramPart] = []
    live: list[list[tuple[int, int]]] = [[] for _ in next(iter(reports.values())).variables]
    buffers: dict[str, RemoteBufferCost] = {}
    seconds = 0.0
    for n, report in reports.items():
        before, begin = len(operations), len(steps)
        parts.append(ProgramPart("Program", f"program {n}", 0, begin, len(report.steps), 1))
        for part in report.parts:
            first, depth = begin + part.firstStep, part.depth + 1
            parts.append(dataclasses.replace(part, firstStep=first, depth=depth))
        for spans, variable in zip(live, report.variables, strict=True):
            spans += [(begin + first, begin + last) for first, last in variable.live]
        operations += report.operations
        for step in report.steps:
            blocks, rows = [f"program {n}", *step.blocks], [before + i for i in step.operations]
            at = seconds + step.transferBegin
            steps.append(
                dataclasses.replace(step, blocks=blocks, operations=rows, transferBegin=at)
            )
        seconds += report.runSeconds
        for each in report.remoteBuffers:
            old = buffers.get(each.name, dataclasses.replace(each, bytesIn=0, bytesOut=0))
            into, out = old.bytesIn + each.bytesIn, old.bytesOut + each.bytesOut
            buffers[each.name] = dataclasses.replace(old, bytesIn=into, bytesOut=out)
    every = list(reports.values())
    variables = zip(every[0].variables, live, strict=True)
    return dataclasses.replace(
        every[0],
        **{name: sum(getattr(report, name) for report in every) for name in _SUMS},
        operations=operations,
        steps=steps,
        unknown=sorted({name for report in every for name in report.unknown}),
        parts=parts,
        tileComputeCycles=sum(report.tileComputeCycles for report in every),
        tileReceivedBytes=sum(report.tileReceivedBytes for report in every),
        variables=[dataclasses.replace(each, live=spans) for each, spans in variables],
        remoteBuffers=list(buffers.values()),
        transfers=[each for report in every for each in report.transfers],
        counts=list(dict.fromkeys(note for report in every for note in report.counts)),
    )


class Parts:
    """The parts of a program, which stand for the operators of a model."""

    def __init__(self, report: MachineReport, has_numbers: bool) -> None:
        """`has_numbers`: the outermost block of each step is the number of its program."""
        self._outer = int(has_numbers)
        self.rows: list[dict[str, Any]] = []
        """Name and type of each part; the type is the class of its first vertex."""
        self._by_name: dict[str, int] = {}
        self._by_beginning: dict[str, int] = {}
        for step in report.steps:
            name = self._part(step.blocks, step.name)
            if not step.operations or name in self._by_name:
                continue
            kind = report.operations[step.operations[0]].vertexClass or step.kind
            self._by_name[name] = len(self.rows)
            self._by_beginning.setdefault(_beginning(step.name), len(self.rows))
            self.rows.append({"name": name, "type": kind, **_OF_PROGRAMS})

    def behind(self, blocks: Sequence[str], name: str) -> int | None:
        """The row of the part that a step belongs to; None if there is none."""
        return self._by_name.get(self._part(blocks, name))

    def named(self, name: str) -> int | None:
        """The row of the first part whose names begin as this one does; None if there is none."""
        return self._by_beginning.get(_beginning(name))

    def _part(self, blocks: Sequence[str], name: str) -> str:
        inner = blocks[self._outer : self._outer + 1] or [_beginning(name)]
        return "/".join([*blocks[: self._outer], *inner])


_OF_PROGRAMS = {"domain": "poplar", "output_bytes": 0, "weight_bytes": 0}
"""What a part of a program has in place of an operator's."""


def _beginning(name: str) -> str:
    return name.partition("/")[0]
