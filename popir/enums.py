"""The enumerations of PopART's settings, by their names there.

`popir options` says which members of an option's enumeration act.
"""

from __future__ import annotations

import enum


class SyntheticDataMode(enum.Enum):
    """Data made on the device in place of the host's."""

    Off, Zeros, RandomNormal, RandomUniform = range(4)


class DeviceType(enum.Enum):
    """The kind of a device; all of them are simulated here."""

    IpuModel, Cpu, Ipu, OfflineIpu, Sim = range(5)


class DeviceConnectionType(enum.Enum):
    """When a device is attached."""

    Always, OnDemand, Never = range(3)


class DeviceSelectionCriterion(enum.Enum):
    """Which of several devices is taken."""

    First, Random = range(2)


class TileSet(enum.Enum):
    """The tiles that serve a host transfer."""

    Compute, IO = range(2)


class ExchangeStrategy(enum.Enum):
    """When a host transfer happens."""

    JustInTime, OverlapInnerLoop, OverlapLoops, OverlapStep = range(4)


class SGDAccumulatorAndMomentum(enum.Enum):
    """Whether gradient accumulation and momentum share one state tensor (Combined) or not."""

    Combined, Separate = range(2)


class AccumulateOuterFragmentSchedule(enum.Enum):
    """The order of the updates after gradient accumulation."""

    Scheduler, Serial, OverlapCycleOptimized, OverlapMemoryOptimized = range(4)


class BatchSerializationBatchSchedule(enum.Enum):
    """The order of the parts of a serialised batch."""

    Scheduler, Isomorphic, OverlapOnIo, OverlapOnCompute = range(4)


class BatchSerializationMethod(enum.Enum):
    """How a batch is serialised."""

    UnrollDynamic, UnrollStatic, Loop = range(3)


class BatchSerializationTransformContext(enum.Enum):
    """When a batch is serialised."""

    Forward, Backward, Fwd, Bwd = range(4)


class CommGroupType(enum.Enum):
    """Which replicas belong together."""

    All, Consecutive, Orthogonal, Ungrouped = range(4)


class ExecutionPhaseIOSchedule(enum.Enum):
    """When a phase loads its tensors."""

    Preload, OnDemand = range(2)


class ExecutionPhaseSchedule(enum.Enum):
    """The order of the phases' transfers."""

    Interleaving, Batch, BatchClusteredIO = range(3)


class GradientTensorTrackingMethod(enum.Enum):
    """Which gradients automatic loss scaling watches."""

    ConvAndMatmulGradients = 0
    AllNonViewChangingGradientTensors = 1
    GradientsOfUserSpecifiedTensors = 2


class Instrumentation(enum.Enum):
    """Which loops are timed."""

    Outer, Inner = range(2)


class MeanReductionStrategy(enum.Enum):
    """When an accumulated mean is divided."""

    Running, Post = range(2)


class MergeVarUpdateType(enum.Enum):
    """How variable updates are grouped."""

    Off, All, AutoTight, AutoLoose = range(4)


class RecomputationType(enum.Enum):
    """Which activations are computed again in the backward pass."""

    NoRecompute, Standard, NormOnly, RecomputeAll, Pipeline = range(5)


class ReplicatedTensorSharding(enum.Enum):
    """Whether replicas share one copy of a tensor."""

    Off, On = range(2)


class SubgraphCopyingStrategy(enum.Enum):
    """When a call copies its tensors."""

    OnEnterAndExit, JustInTime = range(2)


class SyncPattern(enum.Enum):
    """How IPUs synchronise."""

    Full, SinglePipeline, ReplicaAndLadder = range(3)


class TensorStorage(enum.Enum):
    """Where a tensor is kept."""

    OnChip, OffChip = range(2)


class VirtualGraphMode(enum.Enum):
    """How operators are placed on IPUs."""

    Off, Manual, Auto, ExecutionPhases = range(4)
