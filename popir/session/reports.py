"""Reports of the simulated machine and of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from popir.enums import ExchangeStrategy
from popir.errors import popart_exception
from popir.exclusive import exclusive
from popir.ir import Tensor
from popir.profile import (
    HostLinks,
    HostProfile,
    Kind,
    MachineReport,
    PipelineReport,
    PodReport,
    Profile,
    StageTransfer,
    Traffic,
    When,
)
from popir.progress import Logger
from popir.reserved import reservedAcclPrefix, reservedAccumPrefix
from popir.session.compiled import RETURNED
from popir.session.pod_traffic import spread, traffic_of
from popir.session.prepared import Prepared
from popir.step import Returned, anchor_stage, input_stage
from popir.typed import typed
from popir.virtual_graphs import Places

Array = np.ndarray[Any, Any]

_COMES = {
    ExchangeStrategy.JustInTime: When.Waits,
    ExchangeStrategy.OverlapInnerLoop: When.Ahead,
    ExchangeStrategy.OverlapLoops: When.AheadOfUpdates,
}


@typed
class Reports(Prepared):
    """The methods that report what a step costs."""

    @exclusive()
    def getReport(self) -> MachineReport:
        """The cost of a step on the simulated machine: cycles, exchange, memory. Computed at each
        call.

        Raises popart_exception before `prepareDevice`.
        """
        return MachineReport.of(self._prepared("getReport"))

    def getCycleCount(self, id: str = "") -> int:
        """The estimated tile cycles of a step, of all its batches. PopART's
        `Session.getCycleCount`.

        Raises popart_exception before `prepareDevice`, if `id` is given, as only whole steps are
        counted, and if the program has vertices whose cycles are not known.
        """
        if id:
            raise popart_exception(
                f"getCycleCount(id={id!r}): only the whole step is counted; leave id out. "
                "getReport() and getProfile() have the cycles of its parts."
            )
        report = self.getReport()
        if report.unknown:
            raise popart_exception(
                f"getCycleCount: nobody says what vertices of {', '.join(report.unknown)} take. "
                "Give them setPerfEstimate or registerPerfEstimator; or run a step first, of a "
                'session with SessionOptions.engineOptions["debug.instrument"] = "true", which '
                "counts what they execute. getReport() has the cycles of all else."
            )
        return self._pipeline(report).cycles if self._compilation.overlaps else report.cycles

    def getPipelineReport(self) -> PipelineReport:
        """The cost of a step of a pipeline: the stages, its ramp-up, steady state and bubble.

        Raises popart_exception before `prepareDevice`, and without a pipeline whose stages run at
        once.
        """
        if not self._compilation.overlaps:
            raise popart_exception(
                "getPipelineReport(): the session has no pipeline whose stages run at once. Set "
                "SessionOptions.enablePipelining and, in training, accumulationFactor."
            )
        return self._pipeline(self.getReport())

    def _pipeline(self, report: MachineReport) -> PipelineReport:
        loops = self._loops()
        is_accumulated = loops.accumulated > 1
        batches, updates = loops.accumulated, loops.updates
        if not is_accumulated:
            batches, updates = updates, 1
        links = HostLinks.of(self._device.device.getTarget())
        moved = self._stage_transfers()
        return PipelineReport.of(report, self.graph, batches, updates, moved, links)

    def _stage_transfers(self) -> dict[str, StageTransfer]:
        """What moves inputs and anchors of the stages of a pipeline, by the names of the steps."""
        graph, by_io, loops = self.graph, self._by_io(), self._loops()
        found: dict[str, StageTransfer] = {}
        for id in graph.inputs:
            stage = input_stage(graph, id)
            when = _COMES[by_io.inputs.get(id, ExchangeStrategy.JustInTime)]
            found[f"{id}/in"] = StageTransfer(stage, when)
            found[f"{id}/from io"] = StageTransfer(stage, When.Waits)
        for id in self.dataFlow.anchors():
            each = RETURNED[self.dataFlow.art(id).id()] is Returned.Each
            if each and loops.within(graph, id) == loops.accumulated:
                stage = anchor_stage(graph, id)
                leaves = When.Behind if id in by_io.anchors else When.Waits
                found[f"{id}/out"] = StageTransfer(stage, leaves)
                found[f"{id}/to io"] = StageTransfer(stage, When.Waits)
        return found

    def getPodReport(self, replicas: int) -> PodReport:
        """The time of a step on that many replicas of the model: one is costed, and the collectives
        between them are added. The device is the machine of one replica. A model that is compiled
        for several replicas has its own collectives, with what sharding gathers and scatters.

        Nothing is run on several replicas for it. Raises popart_exception before `prepareDevice`
        and for less than one replica, poplar_invalid_option for a replica that does not fit a pod,
        and for more than 4096 IPUs together.
        """
        return self._pod(self.getReport(), replicas)

    def _pod(self, report: MachineReport, replicas: int) -> PodReport:
        pipeline = self._pipeline(report) if self._compilation.overlaps else None
        step = pipeline or report
        cycles = step.cycles
        target = self._device.device.getTarget()
        seconds, ipus = cycles / report.clockHz, self._device.numIpus
        places = Places(self.graph) if self._is_placed else None

        def home(tensor: Tensor) -> int | None:
            return None if places is None else places.home(tensor)

        if self.graph.replicas > 1:
            traffic = traffic_of(self.graph, home, ipus, self._loops())
        else:
            traffic = [self._gradients(home, ipus)]
        waited = step.runSeconds - seconds
        return PodReport.of(target, replicas, seconds, ipus, traffic, report.transfers, waited)

    def _gradients(self, home: Callable[[Tensor], int | None], ipus: int) -> Traffic:
        """What replicas would reduce for an update of a model that is compiled for one: gradients,
        or what they are accumulated in.
        """
        c, found = self._compilation, [0] * ipus
        for weight in c.weights:
            if weight in c.gradients:
                gradient = self.graph.getTensor(c.gradients[weight])
                size = self.getInfo(self._reduced(weight, gradient).id).nbytes()
                spread(found, size, home(gradient))
        return Traffic(Kind.AllReduce, "gradients", found, self._loops().updates)

    def _reduced(self, weight: str, gradient: Tensor) -> Tensor:
        if self._compilation.accumulation.is_on:
            for prefix in (reservedAccumPrefix(), reservedAcclPrefix()):
                if self.graph.hasTensor(prefix + weight):
                    return self.graph.getTensor(prefix + weight)
        return gradient

    def getSummaryReport(self, resetProfile: bool = True) -> str:
        """The text summary of `getReport`. PopART's `Session.getSummaryReport`.

        `resetProfile` has no effect: the report depends on the program, not on its runs. Raises
        popart_exception before `prepareDevice`.
        """
        return self.getReport().summary

    @exclusive()
    def getProfile(self, progress: Logger | None = None, replicas: int | None = None) -> Profile:
        """The cost of a step by the model's operators, which can be saved as JSON, an HTML page or
        a trace.

        `progress(done, total)` is called while the steps of the program are costed. With more than
        one of `replicas`, by default those of the session in all its instances, the profile has
        their collectives, too (`getPodReport`). Raises popart_exception before `prepareDevice`, and
        the errors of `getPodReport`.
        """
        report = MachineReport.of(self._prepared("getProfile"), progress=progress)
        if replicas is None:
            replicas = self.options.getGlobalReplicationFactor()
        pod = self._pod(report, replicas) if replicas != 1 else None
        return Profile.of(report, self.graph, self.name, self._compilation.loss, pod)

    @exclusive()
    def planText(self) -> str:
        """The instructions that the host executes for a step, and what the engine's passes did.

        One line each, with kernel, name, shapes and layouts: `Engine.planText`. Raises
        popart_exception before `prepareDevice`.
        """
        return self._prepared("planText").planText()

    @exclusive()
    def getHostProfile(self) -> HostProfile:
        """The measured host time by instruction, over all runs so far.

        Raises popart_exception before `prepareDevice`; poplar_profiling_disabled unless the session
        was made with `SessionOptions.engineOptions["host.profile"] = "true"`.
        """
        return HostProfile.of(self._prepared("getHostProfile"), self.graph)
