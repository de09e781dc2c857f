"""`MachineReport`: cycles, exchange and memory of a program on the simulated machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from popir.progress import Logger


@dataclass(frozen=True)
class OperationCost:
    """One vertex or copy of the program, over all the times that it runs.

    Vertices of one compute set run side by side, so their rows may add up to more than the totals.
    """

    name: str
    vertexClass: str
    source: str
    """Who says what its vertices take: "estimator", "setPerfEstimate", "counted" (the instructions
    of their first execution) or "bytes" (one pass over them, for want of these); several, joined by
    ", ", where vertices of one compute set differ.
    """
    times: int
    cycles: int
    computeCycles: int
    exchangeCycles: int
    syncCycles: int
    exchangeBytes: int
    flops: int


@dataclass(frozen=True)
class StepCost:
    """One step in the order of the program; figures are those of one execution.

    Functions and bodies of loops are spelled out where they are called. A step in a branch that is
    not counted has 0 `times` and no operations.
    """

    name: str
    kind: str
    """"Execute", "Copy", "StreamCopy" or "Sync"."""
    blocks: list[str]
    """The outermost named Sequence around it in the program and in each function called on the way,
    where there is one.
    """
    times: int
    cycles: int
    """Compute, exchange and sync; of a StreamCopy what rearranges its data on the device."""
    computeCycles: int
    """Of the tile that takes longest."""
    exchangeCycles: int
    syncCycles: int
    interIPUCycles: int
    """Of the exchange those on links between IPUs."""
    meanComputeCycles: float
    """Over all tiles of the target: computeCycles over this is the imbalance."""
    exchangeBytes: int
    interIPUBytes: int
    hostBytesIn: int
    hostBytesOut: int
    liveBytes: int
    """Not always live while the step runs, over all tiles: temporaries, gathered operands, gaps."""
    fullestTileLiveBytes: int
    """The same of the tile that has most of it at this step."""
    gatheredBytes: int
    """Operands gathered for the step alone, over all tiles."""
    vertexStateBytes: int
    """Always live, of its vertices, over all tiles; a step that is called from several places has
    it once, as the code of its exchange.
    """
    exchangeCodeBytes: int
    operations: list[int]
    """Rows of `MachineReport.operations`."""
    ipus: list[int]
    """Those that compute or exchange."""


@dataclass(frozen=True)
class MemoryCost:
    """Bytes of one category, over all tiles, on the fullest tile and on each.

    What is not always live counts as at each tile's worst step.
    """

    category: str
    alwaysLive: bool
    totalBytes: int
    fullestTileBytes: int
    tileBytes: npt.NDArray[np.uint64] = field(compare=False)
    """[tiles]"""


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
    Memory is that of all programs of the engine: the categories add up on every tile, over all
    tiles to `totalBytes` and on the fullest to `maxTileBytes`; "gaps" and "gaps of temporaries" are
    two of them. Host streams are apart, in bytes and seconds.
    """

    target: str
    tiles: int
    numIPUs: int
    tilesPerIPU: int
    clockHz: float
    cycles: int
    computeCycles: int
    exchangeCycles: int
    syncCycles: int
    exchangeBytes: int
    interIPUBytes: int
    """Of the exchange those on links between IPUs, as are the cycles."""
    interIPUCycles: int
    rearrangementBytes: int
    """Of the exchange that which spreads what streams bring, or collects what they take."""
    rearrangementCycles: int
    flops: int
    hostBytesIn: int
    hostBytesOut: int
    hostSeconds: float
    operations: list[OperationCost]
    steps: list[StepCost]
    distinctSteps: int
    """Steps that were worked out: each once, however often programs execute it."""
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
    def of(engine: Any, program: int = 0, progress: Logger | None = None) -> MachineReport:
        """Cost a program of a `poplar.Engine`; nothing is worked out before.

        `progress` hears how many steps are done. Raises poplar_exception if the engine has no such
        program.
        """
        fields = dict(engine.machineReport(program, progress))
        fields["operations"] = [OperationCost(**row) for row in fields["operations"]]
        fields["steps"] = [StepCost(**row) for row in fields["steps"]]
        for row in fields["memory"]:
            row["tileBytes"] = np.array(row["tileBytes"], np.uint64)
        fields["memory"] = [MemoryCost(**row) for row in fields["memory"]]
        fields["owners"] = [MemoryOwner(**row) for row in fields["owners"]]
        return MachineReport(**fields)

    def tileBytes(self, alwaysLive: bool = False) -> npt.NDArray[np.uint64]:
        """Bytes [tiles], gaps included: at the worst step, or what is always live."""
        rows = [m.tileBytes for m in self.memory if m.alwaysLive or not alwaysLive]
        total = np.zeros(self.tiles, np.uint64)
        for row in rows:
            total += row
        return total

    @property
    def seconds(self) -> float:
        """Time of one run at the target's clock, without host streams."""
        return self.cycles / self.clockHz
