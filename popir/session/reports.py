"""Reports of the simulated machine and of the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from popir.errors import (
    popart_exception,
)
from popir.exclusive import exclusive
from popir.profile import HostProfile, MachineReport, PipelineReport, Profile
from popir.progress import Logger
from popir.session.prepared import Prepared
from popir.typed import typed

Array = np.ndarray[Any, Any]


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

        Raises popart_exception before `prepareDevice`, and if `id` is given: only whole steps are
        counted.
        """
        if id:
            raise popart_exception(
                f"getCycleCount(id={id!r}): only the whole step is counted; leave id out. "
                "getReport() and getProfile() have the cycles of its parts."
            )
        if self._compilation.overlaps:
            return self.getPipelineReport().cycles
        return self.getReport().cycles

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
        loops = self._loops()
        is_accumulated = loops.accumulated > 1
        batches, updates = loops.accumulated, loops.updates
        if not is_accumulated:
            batches, updates = updates, 1
        return PipelineReport.of(self.getReport(), self.graph, batches, updates)

    def getSummaryReport(self, resetProfile: bool = True) -> str:
        """The text summary of `getReport`. PopART's `Session.getSummaryReport`.

        `resetProfile` has no effect: the report depends on the program, not on its runs. Raises
        popart_exception before `prepareDevice`.
        """
        return self.getReport().summary

    @exclusive()
    def getProfile(self, progress: Logger | None = None) -> Profile:
        """The cost of a step by the model's operators, which can be saved as JSON, an HTML page or
        a trace.

        `progress(done, total)` is called while the steps of the program are costed. Raises
        popart_exception before `prepareDevice`.
        """
        report = MachineReport.of(self._prepared("getProfile"), progress=progress)
        return Profile.of(report, self.graph, self.name, self._compilation.loss)

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
