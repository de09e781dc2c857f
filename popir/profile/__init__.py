"""What a program costs on the simulated machine."""

from popir.profile.report import MachineReport, MemoryCost, OperationCost

__all__ = ["MachineReport", "MemoryCost", "OperationCost"]
