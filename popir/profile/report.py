"""`MachineReport`: cycles, exchange and memory of a program on the simulated machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OperationCost:
    """One vertex or copy of the program, over all the times that it runs.

    Vertices of one compute set run side by side, so their rows may add up to more than the totals.
    """

    name: str
    vertexClass: str
    times: int
    cycles: int
    computeCycles: int
    exchangeCycles: int
    syncCycles: int
    exchangeBytes: int
    flops: int


@dataclass(frozen=True)
class MemoryCost:
    """Bytes of one category, over all tiles and on the fullest tile."""

    category: str
    totalBytes: int
    fullestTileBytes: int


@dataclass(frozen=True)
class MemoryOwner:
    """A variable, or the vertex that gathers operands, on the fullest tile at its worst step."""

    name: str
    category: str
    bytes: int


@dataclass(frozen=True)
class MachineReport:
    """Estimates for the program as grown; `counts` says what is in them and what is not.

    Cycles are tile cycles of one run of the program: compute, exchange and sync add up to `cycles`.
    Memory is that of all programs of the engine: the categories add up to `totalBytes` and, on the
    fullest tile, to `maxTileBytes`. Host streams are apart, in bytes and seconds.
    """

    target: str
    tiles: int
    clockHz: float
    cycles: int
    computeCycles: int
    exchangeCycles: int
    syncCycles: int
    exchangeBytes: int
    flops: int
    hostBytesIn: int
    hostBytesOut: int
    hostSeconds: float
    operations: list[OperationCost]
    memory: list[MemoryCost]
    owners: list[MemoryOwner]
    """The largest, at most ten."""
    totalBytes: int
    maxTileBytes: int
    fullestTile: int
    bytesPerTile: int
    tilesOutOfMemory: int
    counts: list[str]
    summary: str
    """All of it as text, with the dearest operations; what Engine::printProfileSummary prints."""

    @staticmethod
    def of(engine: Any, program: int = 0) -> MachineReport:
        """Cost a program of a `poplar.Engine`; nothing is worked out before.

        Raises poplar_exception if the engine has no such program.
        """
        fields = dict(engine.machineReport(program))
        fields["operations"] = [OperationCost(**row) for row in fields["operations"]]
        fields["memory"] = [MemoryCost(**row) for row in fields["memory"]]
        fields["owners"] = [MemoryOwner(**row) for row in fields["owners"]]
        return MachineReport(**fields)

    @property
    def seconds(self) -> float:
        """Time of one run at the target's clock, without host streams."""
        return self.cycles / self.clockHz
