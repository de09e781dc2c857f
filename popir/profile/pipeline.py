"""`PipelineReport`: how the stages of a pipeline fill it, run at once, and drain it."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from popir import poplar
from popir.ir import Graph
from popir.options.annotations import PIPELINE_STAGE, VIRTUAL_GRAPH
from popir.opx import block_of, device
from popir.profile.report import MachineReport


@dataclass(frozen=True)
class StageCost:
    """One stage of a pipeline: its IPU, and its cycles for one micro-batch."""

    stage: int
    ipu: int
    cycles: int
    transferSeconds: float
    """The transfers with the host for which its tiles wait, of one micro-batch."""
    aheadSeconds: float
    """Those that bring the next micro-batch to IO tiles, beside which all stages compute."""
    behindSeconds: float
    """Those that take results from IO tiles beside what follows."""


class When(enum.Enum):
    """When an input or anchor of a stage is transferred."""

    Waits = 0
    """While the tiles of the stage wait. Copies between these and IO tiles are such steps too."""
    Ahead = 1
    """Beside the micro-batch before, if that is of the same update."""
    AheadOfUpdates = 2
    """Beside the micro-batch before."""
    Behind = 3
    """Beside what follows."""


@dataclass(frozen=True)
class StageTransfer:
    """A step that transfers an input or anchor of a stage, or copies it on its way."""

    stage: int
    when: When


@dataclass(frozen=True)
class HostLinks:
    """How the IPUs of a machine reach the host: so many share a gateway and its link, and all
    links together have `links` times the rate of one, which is what the servers can do.
    """

    ipusPerGateway: int
    links: float

    @staticmethod
    def of(target: poplar.Target) -> HostLinks:
        """Those of a target."""
        figure = device("machine").figure
        rate, servers = (figure(target, f"{name}BytesPerSecond") for name in ("host", "server"))
        together = servers * figure(target, "serversPerPod") / rate
        return HostLinks(int(figure(target, "ipusPerGateway")), together)

    def seconds(self, transfers: Iterable[tuple[int, float]]) -> float:
        """The time of transfers, each an IPU and the seconds that it takes alone: those at one
        gateway follow one another.
        """
        gateways: defaultdict[int, float] = defaultdict(float)
        for ipu, seconds in transfers:
            gateways[ipu // self.ipusPerGateway] += seconds
        return max(max(gateways.values(), default=0.0), sum(gateways.values()) / self.links)


@dataclass(frozen=True)
class PipelineReport:
    """The time of a step with a pipeline. IPUs run side by side; the stages on one IPU, one after
    the other. A cycle of the pipeline is as long as the busiest IPU takes; all numbers are cycles
    of a tile's clock, and of all updates of the step together.
    """

    stages: list[StageCost]
    batches: int
    """The micro-batches that go through the pipeline each time it fills."""
    updates: int
    """How often it fills in a step."""
    fillCycles: int
    """From the first stage's start until all stages run: the ramp-up."""
    steadyCycles: int
    """While all stages run."""
    drainCycles: int
    """From the end of the first stage's last micro-batch to that of the last stage's."""
    otherCycles: int
    """What is outside of the pipeline, such as updates of weights, and transfers from the host."""
    sequentialCycles: int
    """What the step takes if stages run one after another: `MachineReport.cycles`."""
    bubble: float
    """The share of the IPUs' time in the pipeline in which they have nothing to do."""
    runSeconds: float
    """A step with all transfers. A cycle of the pipeline takes as long as its busiest IPU, or as
    the transfers beside it together if these take longer; and as all transfers for which tiles
    wait, the first ones of what comes beside compute too. Transfers at one gateway follow one
    another (`HostLinks`).
    """

    @property
    def cycles(self) -> int:
        """The cycles of the whole step."""
        return self.fillCycles + self.steadyCycles + self.drainCycles + self.otherCycles

    @property
    def summary(self) -> str:
        """The report as a few lines of text."""
        rows = [f"stage {s.stage} on IPU {s.ipu}: {s.cycles} cycles" for s in self.stages]
        parts = (
            f"{self.updates} x {self.batches} micro-batches: ramp-up {self.fillCycles}, steady "
            f"{self.steadyCycles}, drain {self.drainCycles}, other {self.otherCycles} cycles"
        )
        total = f"{self.cycles} cycles, bubble {self.bubble:.1%}"
        return "\n".join([*rows, parts, f"{total}, {self.runSeconds * 1e6:.1f} us with transfers"])

    @staticmethod
    def of(
        report: MachineReport,
        graph: Graph,
        batches: int,
        updates: int,
        transfers: Mapping[str, StageTransfer],
        links: HostLinks,
    ) -> PipelineReport:
        """The report for a graph whose operators have stages, from that of its program;
        `transfers` by the names of their steps.
        """
        of_block: dict[str, int] = {}
        ipus: dict[int, Counter[int]] = {}
        for op in graph.ops.values():
            notes = op.settings.nodeAttributes
            if PIPELINE_STAGE in notes:
                stage = of_block[block_of(op)] = notes[PIPELINE_STAGE]
                is_own = op.opid.type not in ("IpuCopy", "Stash", "Restore")
                ipus.setdefault(stage, Counter())[notes.get(VIRTUAL_GRAPH, 0)] += is_own
        spent = dict.fromkeys(sorted(ipus), 0)
        seconds = {stage: dict.fromkeys(When, 0.0) for stage in spent}
        waited = 0.0
        for step in report.steps:
            if step.blocks and (stage := of_block.get(step.blocks[0])) is not None:
                spent[stage] += step.cycles * step.times
            elif (transfer := transfers.get(step.name)) is not None:
                spent[transfer.stage] += step.cycles * step.times
                taken = step.transferSeconds * step.times
                seconds[transfer.stage][transfer.when] += taken
            else:
                waited += step.waitSeconds
        runs = batches * updates
        stages = [
            StageCost(
                stage,
                ipus[stage].most_common(1)[0][0],
                cycles // runs,
                seconds[stage][When.Waits] / runs,
                (seconds[stage][When.Ahead] + seconds[stage][When.AheadOfUpdates]) / runs,
                seconds[stage][When.Behind] / runs,
            )
            for stage, cycles in spent.items()
        ]
        n, others = len(stages), report.cycles - sum(spent.values())
        spans = [_cycle(stages, now, batches) for now in range(batches + n - 1)]
        across = links.seconds(
            (each.ipu, seconds[each.stage][When.AheadOfUpdates] / runs) for each in stages
        )
        first = links.seconds((each.ipu, each.aheadSeconds) for each in stages)
        waited += updates * first - (updates - 1) * across
        waited += updates * sum(
            _seconds(stages, now, batches, span / report.clockHz, links)
            for now, span in enumerate(spans)
        )
        last = stages[-1].behindSeconds if stages else 0.0
        waited += updates * max(0.0, last - others / updates / report.clockHz)
        fill, drain = sum(spans[: n - 1]), sum(spans[batches:])
        busy = batches * sum(each.cycles for each in stages)
        room = len({each.ipu for each in stages}) * sum(spans)
        return PipelineReport(
            stages,
            batches,
            updates,
            fill * updates,
            (sum(spans) - fill - drain) * updates,
            drain * updates,
            others,
            report.cycles,
            1 - busy / room if room else 0.0,
            waited + others / report.clockHz,
        )


def _active(stages: Sequence[StageCost], now: int, batches: int) -> list[StageCost]:
    return [each for n, each in enumerate(stages) if 0 <= now - n < batches]


def _cycle(stages: Sequence[StageCost], now: int, batches: int) -> int:
    """The length of a cycle of the pipeline: that of the IPU with the most to do in it."""
    busy: Counter[int] = Counter()
    for each in _active(stages, now, batches):
        busy[each.ipu] += each.cycles
    return max(busy.values(), default=0)


def _seconds(
    stages: Sequence[StageCost], now: int, batches: int, computing: float, links: HostLinks
) -> float:
    """The same with transfers."""
    ahead = [(each.ipu, each.aheadSeconds) for each in _active(stages, now, batches - 1)]
    behind = [(each.ipu, each.behindSeconds) for each in _active(stages, now - 1, batches)]
    waits = [(each.ipu, each.transferSeconds) for each in _active(stages, now, batches)]
    return max(computing, links.seconds(ahead + behind)) + links.seconds(waits)
