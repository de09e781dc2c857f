"""The enumerations of PopART's SessionOptions and devices, with PopART's names.

Not every member has an effect here; `popir options` lists those that have.
"""

from __future__ import annotations

import enum


class SyntheticDataMode(enum.Enum):
    """Synthetic data, generated once, instead of the host's inputs.

    Zeros; RandomNormal: mean 0, standard deviation 1; RandomUniform: from 0 to 1. Both random modes
    give integers and booleans 0 or 1.
    """

    Off, Zeros, RandomNormal, RandomUniform = range(4)


class DeviceType(enum.Enum):
    """The kind of a device. DeviceManager makes Cpu and IpuModel; the others are PopART's and not
    available.
    """

    IpuModel, Cpu, Ipu, OfflineIpu, Sim = range(5)


class DeviceConnectionType(enum.Enum):
    """When a session attaches to a device. `DeviceInfo.connectionType` is always Always."""

    Always, OnDemand, Never = range(3)


class DeviceSelectionCriterion(enum.Enum):
    """Which of several suitable devices is used."""

    First, Random = range(2)


class TileSet(enum.Enum):
    """The tiles that take part in a host transfer. Without effect here: there is no transfer to
    arrange.
    """

    Compute, IO = range(2)


class ExchangeStrategy(enum.Enum):
    """When a host transfer happens. Without effect here: there is no transfer to arrange."""

    JustInTime, OverlapInnerLoop, OverlapLoops, OverlapStep = range(4)


class SGDAccumulatorAndMomentum(enum.Enum):
    """Whether gradient accumulation and momentum share one state tensor (Combined) or not.

    Here only the id of the state depends on it: `Accl___w` if Combined, `Accl1___w` if Separate.
    """

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
    """How replicas are grouped for collective operations."""

    All, Consecutive, Orthogonal, Ungrouped = range(4)


class ExecutionPhaseIOSchedule(enum.Enum):
    """When an execution phase loads its tensors."""

    Preload, OnDemand = range(2)


class ExecutionPhaseSchedule(enum.Enum):
    """The order of the transfers of execution phases."""

    Interleaving, Batch, BatchClusteredIO = range(3)


class GradientTensorTrackingMethod(enum.Enum):
    """The gradients that automatic loss scaling observes."""

    ConvAndMatmulGradients = 0
    AllNonViewChangingGradientTensors = 1
    GradientsOfUserSpecifiedTensors = 2


class Instrumentation(enum.Enum):
    """The loops whose cycles are counted."""

    Outer, Inner = range(2)


class MeanReductionStrategy(enum.Enum):
    """When an accumulated gradient is divided to give the mean."""

    Running, Post = range(2)


class MergeVarUpdateType(enum.Enum):
    """How variable updates are grouped."""

    Off, All, AutoTight, AutoLoose = range(4)


class RecomputationType(enum.Enum):
    """The activations that are recomputed in the backward pass. A session accepts
    NoRecompute only.
    """

    NoRecompute, Standard, NormOnly, RecomputeAll, Pipeline = range(5)


class ReplicatedTensorSharding(enum.Enum):
    """Whether replicas share one copy of a tensor."""

    Off, On = range(2)


class SubgraphCopyingStrategy(enum.Enum):
    """When a subgraph call copies its inputs and outputs."""

    OnEnterAndExit, JustInTime = range(2)


class SyncPattern(enum.Enum):
    """How several IPUs synchronise."""

    Full, SinglePipeline, ReplicaAndLadder = range(3)


class TensorStorage(enum.Enum):
    """Where a tensor is kept."""

    OnChip, OffChip = range(2)


class VirtualGraphMode(enum.Enum):
    """How operators are placed on IPUs.

    Off: on all tiles of the device. Manual: on the IPU of `Builder.virtualGraph`. Auto: the model
    is cut into one part for each IPU. ExecutionPhases is refused.
    """

    Off, Manual, Auto, ExecutionPhases = range(4)


class InitType(enum.Enum):
    """The values of a tensor that `aiGraphcore.init` makes. PopART's enum of this name."""

    NoInit = 0
    """Undefined in PopART, zeros here."""
    Zero = 1
    """Zeros."""


class ScatterReduction(enum.Enum):
    """How `aiGraphcore.scatterreduce` joins elements. PopART's enum of this name."""

    Sum = "sum"
    Max = "max"
    Min = "min"
    Mul = "mul"
    NoReduction = "none"
    """The last one is written."""
