"""Profiles: the cost of a program on the simulated machine, its time on the host, and its FLOPs."""

from popir.profile.document import Profile
from popir.profile.host import HostProfile, InstructionTime
from popir.profile.html import htmlOf, saveHtml
from popir.profile.pipeline import PipelineReport, StageCost
from popir.profile.report import MachineReport, MemoryCost, MemoryOwner, OperationCost, StepCost
from popir.profile.trace import saveTrace, traceOf
from popir.profile.work import OperatorWork, workOf

__all__ = [
    "HostProfile",
    "InstructionTime",
    "MachineReport",
    "MemoryCost",
    "MemoryOwner",
    "OperationCost",
    "OperatorWork",
    "PipelineReport",
    "Profile",
    "StageCost",
    "StepCost",
    "htmlOf",
    "saveHtml",
    "saveTrace",
    "traceOf",
    "workOf",
]
