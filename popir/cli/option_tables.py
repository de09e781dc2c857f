"""The tables of all options: of sessions, engines, devices and nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from popir import poplar
from popir._device import machine
from popir.options import Kind, Row, SessionOptions, rows
from popir.options.annotations import ANNOTATIONS
from popir.options.contractions import ENTRIES


@dataclass(frozen=True)
class Group:
    """The options of one kind of object."""

    key: str
    """The name of the group in JSON."""
    title: str
    rows: Callable[[], list[Row]]


def _of_text(table: Iterable[tuple[str, str, str, str, str]]) -> list[Row]:
    return [
        Row(name, type, otherwise, Kind(kind), f"{reason}.")
        for name, kind, type, otherwise, reason in table
    ]


def _whole(figure: float) -> float:
    return int(figure) if figure.is_integer() else figure


def _devices() -> list[Row]:
    target = poplar.IPUModel("ipu2").createDevice().getTarget()
    version, figure = "where all figures come from.", "a figure of the machine."
    return [
        Row("ipuVersion", "one of ipu1, ipu2, ipu21", "ipu2", Kind.ACTS, version),
        *(
            Row(name, "a number", _whole(machine.figure(target, name)), Kind.ACTS, figure)
            for name in machine.figures()
        ),
        *_of_text(poplar.deviceOptionTable()),
    ]


GROUPS = [
    Group("options", "SessionOptions", lambda: rows(SessionOptions)),
    Group(
        "engine_options",
        "engineOptions, and options of poplar.Engine",
        lambda: _of_text(poplar.engineOptionTable()),
    ),
    Group(
        "contraction_options",
        "matmulOptions, convolutionOptions and lstmOptions",
        lambda: ENTRIES,
    ),
    Group(
        "library_options",
        "options of functions of poplin, popops, popnn and gcl",
        lambda: _of_text(poplar.libraryOptionTable()),
    ),
    Group("device_options", "createIpuModelDevice, and options of poplar.Target", _devices),
    Group("annotations", "annotations of nodes: methods of Builder", lambda: ANNOTATIONS),
]
