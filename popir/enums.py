"""The enumerations of PopART's SessionOptions and devices, with PopART's names.

Not every member has an effect here; `popir options` lists those that have.
"""

from __future__ import annotations

import enum


class PopartEnum(enum.Enum):
    """The base of these enumerations: `int` gives the number that PopART has for a member."""

    def __int__(self) -> int:
        return int(self.value)


class RecoveryAction(PopartEnum):
    """What brings a device back after a `poplar_recoverable_runtime_error`."""

    IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET = range(4)


class SyntheticDataMode(PopartEnum):
    """Synthetic data, generated once, instead of the host's inputs.

    Zeros; RandomNormal: mean 0, standard deviation 1; RandomUniform: from 0 to 1. Both random modes
    give integers and booleans 0 or 1.
    """

    Off, Zeros, RandomNormal, RandomUniform = range(4)


class DeviceType(PopartEnum):
    """The kind of a device. DeviceManager makes Cpu, IpuModel and OfflineIpu; the others are
    PopART's and not available: there is no hardware.
    """

    IpuModel, Cpu, Ipu, OfflineIpu, Sim = range(5)


class DeviceConnectionType(PopartEnum):
    """When a device is attached: as soon as it is acquired, when a session loads its program, or
    never, so that sessions only compile for it.
    """

    Always, OnDemand, Never = range(3)


class DeviceSelectionCriterion(PopartEnum):
    """Which of several suitable devices is used."""

    First, Random = range(2)


class TileSet(PopartEnum):
    """The tiles that a tensor travels by, to and from the host or streaming memory: those that
    compute, or those of `SessionOptions.numIOTiles`, which do nothing else.
    """

    Compute, IO = range(2)


class ExchangeStrategy(PopartEnum):
    """When the host sends an input: when it is needed, or while the tiles compute the batch before,
    in the innermost loop of a step, in all its loops, or in the step before. The last is refused.
    """

    JustInTime, OverlapInnerLoop, OverlapLoops, OverlapStep = range(4)


class ReplicatedStreamMode(PopartEnum):
    """Whether the host sends an input to each replica, or once for all."""

    Replicate, Broadcast = range(2)


class SGDAccumulatorAndMomentum(PopartEnum):
    """Whether gradient accumulation and momentum share one state tensor (Combined) or not.

    `popir.optimizers.sgd` has the formulas of the states, `Accl___w` and `Accl1___w`.
    """

    Combined, Separate = range(2)


class AccumulateOuterFragmentSchedule(PopartEnum):
    """The order of the updates after gradient accumulation."""

    Scheduler, Serial, OverlapCycleOptimized, OverlapMemoryOptimized = range(4)


class AdamMode(PopartEnum):
    """The variants of the optimizer Adam. PopART's enum of this name."""

    Adam, AdamNoBias, Lamb, LambNoBias, AdaMax = range(5)


class AdaptiveMode(PopartEnum):
    """The variants of the optimizer Adaptive. PopART's enum of this name."""

    AdaGrad, RMSProp, CenteredRMSProp, AdaDelta = range(4)


class AutodiffStitchStrategy(PopartEnum):
    """How a called graph's gradient gets what the forward graph computed. Not chosen by users
    here.
    """

    RecomputeMinimal, RecomputeAllNonInputs, AddFwdOutputs, SafeAddFwdOutputs = range(4)


class BatchSerializationBatchSchedule(PopartEnum):
    """The order of the parts of a serialised batch."""

    Scheduler, Isomorphic, OverlapOnIo, OverlapOnCompute = range(4)


class BatchSerializationMethod(PopartEnum):
    """How a batch is serialised."""

    UnrollDynamic, UnrollStatic, Loop = range(3)


class BatchSerializationTransformContext(PopartEnum):
    """When a batch is serialised."""

    Fwd, Bwd = Forward, Backward = range(2)


class CommGroupType(PopartEnum):
    """How replicas are grouped for collective operations."""

    All, Consecutive, Orthogonal, Ungrouped = range(4)


class CollectiveOperator(PopartEnum):
    """How the values of replicas become one. SquareAdd is the sum of the squares, Local each
    replica's own value.
    """

    Add, Mean, Mul, Min, Max, LogicalAnd, LogicalOr, SquareAdd, Local = range(9)


class ExecutionPhaseIOSchedule(PopartEnum):
    """When an execution phase loads its tensors."""

    Preload, OnDemand = range(2)


class ExecutionPhaseSchedule(PopartEnum):
    """The order of the transfers of execution phases."""

    Interleaving, Batch, BatchClusteredIO = range(3)


class GradientTensorTrackingMethod(PopartEnum):
    """The gradients that automatic loss scaling observes."""

    ConvAndMatmulGradients = 0
    AllNonViewChangingGradientTensors = 1
    GradientsOfUserSpecifiedTensors = 2


class InitType(PopartEnum):
    """The content of a tensor that the operator Init makes: anything, or zeros."""

    NoInit, Zero = range(2)


class Instrumentation(PopartEnum):
    """The loops whose cycles are counted."""

    Outer, Inner = range(2)


class IrSerializationFormat(PopartEnum):
    """The form in which a session's compiled graphs are written as text."""

    JSON = 0


class MeanReductionStrategy(PopartEnum):
    """When an accumulated gradient is divided to give the mean."""

    Running, Post = range(2)


class MergeVarUpdateType(PopartEnum):
    """How variable updates are grouped."""

    Off, All, AutoTight, AutoLoose = range(4)


class RecomputationType(PopartEnum):
    """The activations that are recomputed in the backward pass; see
    `SessionOptions.autoRecomputation`.
    """

    NoRecompute, Standard, NormOnly, RecomputeAll, Pipeline = range(5)


class RecomputeType(PopartEnum):
    """Whether an operator's result is kept for the backward pass or computed again, as an
    annotation of the operator.
    """

    Undefined, Checkpoint, Recompute, Recomputed = range(4)


class ReplicatedTensorSharding(PopartEnum):
    """Whether replicas share one copy of a tensor."""

    Off, On = range(2)


class ScatterReduction(PopartEnum):
    """How values that the operator ScatterReduce puts in one place are joined."""

    Sum, Max, Min, Mul, NoReduction = 0, 1, 2, 3, 4


class SubgraphCopyingStrategy(PopartEnum):
    """When a subgraph call copies its inputs and outputs."""

    OnEnterAndExit, JustInTime = range(2)


class SyncPattern(PopartEnum):
    """How several IPUs synchronise."""

    Full, SinglePipeline, ReplicaAndLadder = range(3)


class TensorRemapType(PopartEnum):
    """The directions in which the operator TensorRemap lays its tensor out again."""

    FwdBwdReverse, FwdBwd, Fwd = range(3)


class TensorStorage(PopartEnum):
    """Where a tensor is kept."""

    OnChip, OffChip = range(2)


class VariableRetrievalMode(PopartEnum):
    """How the host gets a weight that replicas have in several copies: that of the first replica
    of each group, the sum over each group, or those of all replicas. Sums are for `readWeights`
    alone: what is saved, and sent to the device again, is the value of the first replica.
    """

    OnePerGroup, AllReduceReplicas, AllReplicas = range(3)


class VirtualGraphMode(PopartEnum):
    """How operators are placed on IPUs.

    Off: on all tiles of the device. Manual: on the IPU of `Builder.virtualGraph`. Auto: the model
    is cut into one part for each IPU. ExecutionPhases is refused.
    """

    Off, Manual, Auto, ExecutionPhases = range(4)


class WeightDecayMode(PopartEnum):
    """Whether weight decay acts on the weight or on the gradient, in the optimizers Adam and
    Adaptive. PopART's enum of this name.
    """

    Decay, L2Regularization = range(2)
