"""Profiles: the cost of a program on the simulated machine, its time on the host, and its FLOPs."""

from popir.profile.document import Profile
from popir.profile.host import HostProfile, InstructionTime
from popir.profile.html import htmlOf, saveHtml
from popir.profile.pipeline import HostLinks, PipelineReport, StageCost, StageTransfer, When
from popir.profile.pod import CollectiveCost, Kind, PodReport, Traffic
from popir.profile.report import (
    MachineReport,
    MemoryCost,
    MemoryOwner,
    OperationCost,
    ProgramPart,
    RemoteBufferCost,
    StepCost,
    TransferCost,
    VariableCost,
    VertexClassCost,
)
from popir.profile.trace import saveTrace, traceOf
from popir.profile.work import OperatorWork, workOf

__all__ = [
    "CollectiveCost",
    "HostLinks",
    "HostProfile",
    "InstructionTime",
    "Kind",
    "MachineReport",
    "MemoryCost",
    "MemoryOwner",
    "OperationCost",
    "OperatorWork",
    "PipelineReport",
    "PodReport",
    "Profile",
    "ProgramPart",
    "RemoteBufferCost",
    "StageCost",
    "StageTransfer",
    "StepCost",
    "Traffic",
    "TransferCost",
    "VariableCost",
    "VertexClassCost",
    "When",
    "htmlOf",
    "saveHtml",
    "saveTrace",
    "traceOf",
    "workOf",
]
