"""`MachineReport`: cycles, exchange and memory of a program on the simulated machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from popir.poplar import Engine
from popir.progress import Logger


@dataclass(frozen=True)
class OperationCost:
    """The cost of one vertex or copy of the program, over all its executions. Cycles are those of a
    tile's clock.

    Vertices of one compute set run in parallel, so that rows may add up to more than the totals.
    """

    name: str
    vertexClass: str
    source: str
    """Where the cycles of its vertices come from: "estimator" (a published formula, or a codelet's
    own estimator), "guess" (a formula of popir's), "setPerfEstimate", "counted" (the instructions
    of their first execution) or "unknown" (nobody says: they are in none of its cycles). Several
    are joined by ", ".
    """
    times: int
    """The number of its executions."""
    cycles: int
    computeCycles: int
    exchangeCycles: int
    syncCycles: int
    exchangeBytes: int
    flops: int


@dataclass(frozen=True)
class StepCost:
    """The cost of one step in program order; figures are for one execution.

    Functions and loop bodies are listed at each call. A step in a branch that is not counted has 0
    `times` and no operations.
    """

    name: str
    kind: str
    """ "Execute", "Copy", "StreamCopy" or "Sync"."""
    blocks: list[str]
    """The outermost named Sequence around the step, in the program and in each function called on
    the way.
    """
    times: int
    cycles: int
    """Compute, exchange and sync. For a StreamCopy, the rearrangement of its data on the device."""
    computeCycles: int
    """The cycles of the slowest tile."""
    exchangeCycles: int
    syncCycles: int
    interIPUCycles: int
    """The part of the exchange cycles on links between IPUs."""
    meanComputeCycles: float
    """The mean over all tiles of the target. computeCycles divided by this is the imbalance."""
    exchangeBytes: int
    interIPUBytes: int
    hostBytesIn: int
    hostBytesOut: int
    streamingBytesIn: int
    """The bytes that come from remote buffers; streamingBytesOut go there."""
    streamingBytesOut: int
    transferSeconds: float
    """The seconds of its transfer with the host or streaming memory, in one execution."""
    waitSeconds: float
    """Of all executions, the seconds in which tiles wait for the transfer."""
    transferBegin: float
    """When its transfers begin, in seconds of a run in which each step has all of its executions
    one after another, and is waited for after them. In a loop, transfers beside compute begin with
    the loop.
    """
    liveBytes: int
    """The bytes, over all tiles, of what is live only temporarily: temporaries, gathered operands,
    gaps.
    """
    fullestTileLiveBytes: int
    """The same for the tile with most of it at this step."""
    gatheredBytes: int
    """The bytes, over all tiles, of operands gathered for this step."""
    vertexStateBytes: int
    """The bytes, over all tiles, of its vertices' state, which is always live. If the step is
    called from several places, it is there once; so is the code of its exchange.
    """
    exchangeCodeBytes: int
    operations: list[int]
    """The indices of its rows in `MachineReport.operations`."""
    ipus: list[int]
    """The IPUs that compute or exchange."""
    ipuComputeCycles: list[int]
    """The compute cycles of each of them: those of its slowest tile."""


@dataclass(frozen=True)
class MemoryCost:
    """The bytes of one category: over all tiles, on the fullest tile, and on each tile.

    For what is not always live, each tile counts at its worst step.
    """

    category: str
    alwaysLive: bool
    totalBytes: int
    fullestTileBytes: int
    tileBytes: npt.NDArray[np.uint64] = field(compare=False)
    """The bytes on each tile, [tiles]."""


@dataclass(frozen=True)
class MemoryOwner:
    """A variable, or a vertex that gathers operands, on the fullest tile at its worst step."""

    name: str
    category: str
    bytes: int


TileRuns = list[tuple[int, int, int]]
"""A number for each tile: `(begin, end, number)` for the tiles from `begin` to before `end`, in
ascending order. Tiles in none of them have 0.
"""


@dataclass(frozen=True)
class VariableCost:
    """A variable that a program of the engine uses, or that lasts after a run."""

    name: str
    category: str
    """"variables", "constants" or "temporaries"."""
    bytes: int
    """Over all tiles."""
    tiles: TileRuns
    """The bytes on each tile."""
    live: list[tuple[int, int]]
    """Of temporaries: the first and the last step, each time that it is live. None of what only
    other programs use.
    """


@dataclass(frozen=True)
class VertexClassCost:
    """A class of vertices. A library function counts as one on each tile that computes a part."""

    vertexClass: str
    codeBytes: int
    """The bytes of its code on each tile that has any."""
    tiles: TileRuns
    """The number of vertices on each tile."""


@dataclass(frozen=True)
class ProgramPart:
    """A node of the program's tree that has others in it; the leaves are the steps."""

    kind: str
    """"Sequence", "Repeat", "While", "If", "Else", "Call", or "Program" of several programs."""
    name: str
    depth: int
    """The number of nodes around it. Nodes come in the order of the program."""
    firstStep: int
    steps: int
    times: int
    """Its executions in one run."""


@dataclass(frozen=True)
class RemoteBufferCost:
    """A remote buffer: its bytes in streaming memory, and those that a run reads and writes."""

    name: str
    bytes: int
    bytesIn: int
    bytesOut: int


@dataclass(frozen=True)
class TransferCost:
    """A transfer with the host, or with streaming memory: its executions in one run, its bytes, and
    those at the gateway with most of them, each time.
    """

    withHost: bool
    times: int
    bytes: int
    gatewayBytes: int


_BY_TILE = (
    *("interleavedBytes", "nonInterleavedBytes"),
    *("tileComputeCycles", "tileReceivedBytes"),
)
"""The members of a MachineReport that have a number for each tile."""


@dataclass(frozen=True, repr=False)
class MachineReport:
    """Estimates for a program; `counts` says what they contain and what they do not.

    Cycles are tile cycles of one run, at `clockHz`: compute, exchange and sync add up to `cycles`.
    Memory, in bytes, is that of all programs of the engine. Its categories add up to `totalBytes`
    over all tiles, and to `maxTileBytes` on the fullest one, `fullestTile`; "gaps" and "gaps of
    temporaries" are two of them. Host streams and remote buffers are reported separately, in bytes
    and seconds.
    """

    target: str
    """The target that the program is for, in words."""
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
    """The part of the exchange on links between IPUs; likewise interIPUCycles."""
    interIPUCycles: int
    rearrangementBytes: int
    """The part of the exchange that distributes streams' data or collects it; likewise
    rearrangementCycles.
    """
    rearrangementCycles: int
    flops: int
    hostBytesIn: int
    hostBytesOut: int
    hostTransfers: int
    hostSeconds: float
    """The time of the host's transfers: the bytes at the gateway with most of them at
    `hostBytesPerSecond`, or all bytes at the rate of the servers if that takes longer, and
    `hostLatencySeconds` each; in no cycles.
    """
    overlapSeconds: float
    """Of hostSeconds and streamingSeconds those in which other tiles go on: transfers of IO tiles,
    those without a vertex, up to the next step that uses what is transferred.
    """
    runSeconds: float
    """A run with all transfers: the cycles, hostSeconds and streamingSeconds, without what
    overlaps.
    """
    streamingBytesIn: int
    """The bytes that a run reads from remote buffers; streamingBytesOut are written to them."""
    streamingBytesOut: int
    streamingMemoryBytes: int
    """The bytes of remote buffers, which lie in streaming memory and not on tiles."""
    streamingSeconds: float
    """The time for the bytes read and written at the gateway with most of them, at
    `streamingBytesPerSecond`; in no cycles.
    """
    remoteBuffers: list[RemoteBufferCost]
    transfers: list[TransferCost]
    """In the order of the program."""
    operations: list[OperationCost]
    steps: list[StepCost]
    unknown: list[str]
    """The classes of vertices whose cycles are not known. They are in none of the cycles here,
    which are then at least so many.
    """
    parts: list[ProgramPart]
    """The tree of the program: each node before those in it."""
    tileComputeCycles: npt.NDArray[np.uint64] = field(compare=False)
    """The cycles that each tile computes in one run."""
    tileReceivedBytes: npt.NDArray[np.uint64] = field(compare=False)
    """The bytes that each tile receives from others in one run."""
    distinctSteps: int
    """The number of different steps that were costed: each once, however often it runs."""
    memory: list[MemoryCost]
    variables: list[VariableCost]
    vertices: list[VertexClassCost]
    owners: list[MemoryOwner]
    """The largest ones, at most ten."""
    totalBytes: int
    maxTileBytes: int
    fullestTile: int
    bytesPerTile: int
    """The memory of a tile."""
    tilesOutOfMemory: int
    """The number of tiles that would need more than `bytesPerTile`."""
    interleavedBytes: npt.NDArray[np.uint64] = field(compare=False)
    """The bytes on each tile that have to lie in interleaved memory, at its worst step."""
    nonInterleavedBytes: npt.NDArray[np.uint64] = field(compare=False)
    """The bytes on each tile that must not: its code. All else lies where there is room."""
    interleavedBytesPerTile: int
    """The interleaved memory of a tile."""
    counts: list[str]
    summary: str
    """The whole report as text, with the most expensive operations, as Engine::printProfileSummary
    prints it.
    """

    def __repr__(self) -> str:
        least = "at least " if self.unknown else ""
        return (
            f"<MachineReport: {self.target}, {least}{self.cycles} cycles, {len(self.steps)} steps, "
            f"at most {self.maxTileBytes} of {self.bytesPerTile} bytes on a tile>"
        )

    @staticmethod
    def of(engine: Engine, program: int = 0, progress: Logger | None = None) -> MachineReport:
        """Costs a program of a `poplar.Engine`.

        `progress(done, total)` is called for the steps. Raises poplar_exception if the engine has
        no such program.
        """
        return MachineReport.made(engine.machineReport(program, progress))

    @staticmethod
    def made(values: Mapping[str, Any]) -> MachineReport:
        """The report of what `poplar.Engine.machineReport` returns."""
        fields = dict(values)
        fields["operations"] = [OperationCost(**row) for row in fields["operations"]]
        fields["steps"] = [StepCost(**row) for row in fields["steps"]]
        for row in fields["memory"]:
            row["tileBytes"] = np.array(row["tileBytes"], np.uint64)
        for name in _BY_TILE:
            fields[name] = np.array(fields[name], np.uint64)
        fields["parts"] = [ProgramPart(**row) for row in fields["parts"]]
        fields["variables"] = [VariableCost(**row) for row in fields["variables"]]
        fields["vertices"] = [VertexClassCost(**row) for row in fields["vertices"]]
        fields["memory"] = [MemoryCost(**row) for row in fields["memory"]]
        buffers = fields["remoteBuffers"]
        fields["remoteBuffers"] = [RemoteBufferCost(**row) for row in buffers]
        fields["transfers"] = [TransferCost(**row) for row in fields["transfers"]]
        fields["owners"] = [MemoryOwner(**row) for row in fields["owners"]]
        return MachineReport(**fields)

    def tileBytes(self, alwaysLive: bool = False) -> npt.NDArray[np.uint64]:
        """The bytes on each tile, [tiles], including gaps: at its worst step, or only what is
        always live.
        """
        rows = [m.tileBytes for m in self.memory if m.alwaysLive or not alwaysLive]
        total = np.zeros(self.tiles, np.uint64)
        for row in rows:
            total += row
        return total

    @property
    def seconds(self) -> float:
        """The time of one run at the target's clock, without streams and remote buffers."""
        return self.cycles / self.clockHz
