"""`SessionOptions`: how a session compiles and runs a model.

The names and defaults are PopART's. What changes a result is either done or refused when the
session is made; placement, caching, scheduling and reporting options are recorded and change no
result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from popir import enums as e
from popir.errors import did_you_mean, popart_exception
from popir.types import ReductionType


@dataclass
class TensorLocation:
    """Where tensors of a kind are kept. Recorded."""

    storage: e.TensorStorage = e.TensorStorage.OnChip
    loadTileSet: e.TileSet = e.TileSet.Compute
    storageTileSet: e.TileSet = e.TileSet.Compute
    replicatedTensorSharding: e.ReplicatedTensorSharding = e.ReplicatedTensorSharding.Off
    shardingDomain: Any = None


@dataclass
class TensorLocationSettings:
    """Where tensors of a kind and of at least a size are kept. Recorded."""

    location: TensorLocation = field(default_factory=TensorLocation)
    minElementsForOffChip: int = 2
    minElementsForReplicatedTensorSharding: int = 8192


@dataclass
class AutomaticLossScalingSettings:
    """Loss scaling that follows the gradients' range. Refused when enabled."""

    enabled: bool = False
    toTrackTensors: list[str] | None = None
    binEdgeLocation: float = 0.125
    thresholdUpperCountProportion: float = 1e-7
    updatePeriod: int = 1
    gradientTensorTrackingMethod: e.GradientTensorTrackingMethod = (
        e.GradientTensorTrackingMethod.AllNonViewChangingGradientTensors
    )


@dataclass
class BatchSerializationSettings:
    """A batch computed in `factor` parts. Recorded."""

    factor: int = 0
    concatOnVirtualGraphChange: bool = True
    concatOnExecutionPhaseChange: bool = True
    concatOnPipelineStageChange: bool = True
    transformContext: e.BatchSerializationTransformContext = (
        e.BatchSerializationTransformContext.Fwd
    )
    method: e.BatchSerializationMethod = e.BatchSerializationMethod.UnrollDynamic
    batchSchedule: e.BatchSerializationBatchSchedule = e.BatchSerializationBatchSchedule.Isomorphic


@dataclass
class ExecutionPhaseSettings:
    """Phases that share the device's memory. Recorded."""

    phases: int = 0
    stages: int = 2
    weightIOSchedule: e.ExecutionPhaseIOSchedule = e.ExecutionPhaseIOSchedule.Preload
    activationIOSchedule: e.ExecutionPhaseIOSchedule = e.ExecutionPhaseIOSchedule.Preload
    optimizerStateIOSchedule: e.ExecutionPhaseIOSchedule = e.ExecutionPhaseIOSchedule.OnDemand
    accumulatorIOSchedule: e.ExecutionPhaseIOSchedule = e.ExecutionPhaseIOSchedule.Preload
    schedule: e.ExecutionPhaseSchedule = e.ExecutionPhaseSchedule.Interleaving


@dataclass
class SessionOptions:
    """Options of a session. Assigning one that does not exist raises AttributeError."""

    # What a check of an operator's declarations finds is an error, where it is otherwise worked
    # around.
    opxAliasChecking: bool = False
    opxModifyChecking: bool = False
    # How the model is read and run.
    constantWeights: bool = True
    strictOpVersions: bool = True
    compileEngine: bool = True
    engineOptions: dict[str, str] = field(default_factory=dict)
    instrumentWithHardwareCycleCounter: bool = False
    # Hears how far compiling is, from making the session to the end of prepareDevice: ticks done,
    # and compilationProgressTotal.
    compilationProgressLogger: Callable[[int, int], None] | None = None
    compilationProgressTotal: int = 100
    # Refused when used: these would change what is computed.
    enableGradientAccumulation: bool = False
    accumulationFactor: int = 1
    enableReplicatedGraphs: bool = False
    replicatedGraphCount: int = 1
    enableDistributedReplicatedGraphs: bool = False
    globalReplicationFactor: int = 1
    globalReplicaOffset: int = 0
    syntheticDataMode: e.SyntheticDataMode = e.SyntheticDataMode.Off
    automaticLossScalingSettings: AutomaticLossScalingSettings = field(
        default_factory=AutomaticLossScalingSettings
    )
    # What repeats becomes one graph that is called: the same results, less code on the machine.
    # None is PopART's True on a machine, and False on a Cpu device, which gains nothing by it.
    enableOutlining: bool | None = None
    enableOutliningCopyCostPruning: bool = True
    outlineThreshold: float = 1.0
    # Recorded.
    outlineSequenceBreakCost: float = 10000.0
    logDir: str = ""
    exportPoplarComputationGraph: bool = False
    exportPoplarVertexGraph: bool = False
    hardwareInstrumentations: set[e.Instrumentation] = field(
        default_factory=lambda: {e.Instrumentation.Outer}
    )
    disableGradAccumulationTensorStreams: bool = False
    disableOptimizerStateTensorStreams: bool = False
    accumulationAndReplicationReductionType: ReductionType = ReductionType.Sum
    meanAccumulationAndReplicationReductionStrategy: e.MeanReductionStrategy = (
        e.MeanReductionStrategy.Post
    )
    enableNonStableSoftmax: bool = False
    enablePipelining: bool = False
    subgraphCopyingStrategy: e.SubgraphCopyingStrategy = e.SubgraphCopyingStrategy.OnEnterAndExit
    autoRecomputation: e.RecomputationType = e.RecomputationType.NoRecompute
    mergeVarUpdate: e.MergeVarUpdateType = e.MergeVarUpdateType.Off
    mergeVarUpdateMemThreshold: int = 1000000
    rearrangeAnchorsOnHost: bool = True
    rearrangeStreamsOnHost: bool = False
    executionPhaseSettings: ExecutionPhaseSettings = field(default_factory=ExecutionPhaseSettings)
    numIOTiles: int = 0
    explicitRecomputation: bool = False
    batchSerializationSettings: BatchSerializationSettings = field(
        default_factory=BatchSerializationSettings
    )
    aliasZeroCopy: bool = False
    enablePrefetchDatastreams: bool = True
    defaultBufferingDepth: int = 1
    bufferingDepthMap: dict[str, int] = field(default_factory=dict)
    virtualGraphMode: e.VirtualGraphMode = e.VirtualGraphMode.Off
    virtualGraphSplitRatios: list[float] = field(default_factory=list)
    convolutionOptions: dict[str, str] = field(default_factory=dict)
    lstmOptions: dict[str, str] = field(default_factory=dict)
    matmulOptions: dict[str, str] = field(default_factory=dict)
    reportOptions: dict[str, str] = field(default_factory=dict)
    gclOptions: dict[str, str] = field(default_factory=dict)
    dotOpNames: bool = False
    dotChecks: set[str] = field(default_factory=set)
    separateCallOpPdfs: bool = True
    finalDotOp: int = 10000
    firstDotOp: int = 0
    cachePath: str = "session_cache"
    enableEngineCaching: bool = False
    enableVariablesCaching: bool = True
    enableFloatingPointChecks: bool = False
    enableStochasticRounding: bool = False
    enableFullyConnectedPass: bool = True
    partialsTypeMatMuls: str = ""
    enableStableNorm: bool = False
    groupNormStridedChannelGrouping: bool = False
    customCodelets: list[str] = field(default_factory=list)
    customCodeletCompileFlags: str = ""
    updatableNamedBuffers: list[str] = field(default_factory=list)
    kahnTieBreaker: str = "greedy"
    timeLimitScheduler: float = 1e9
    swapLimitScheduler: int = 10**9
    transitiveClosureOptimizationThreshold: int = 100000
    decomposeGradSum: bool = False
    serializedPoprithmsShiftGraphsDir: str = ""
    groupHostSync: bool = False
    activationTensorLocationSettings: TensorLocationSettings = field(
        default_factory=TensorLocationSettings
    )
    weightTensorLocationSettings: TensorLocationSettings = field(
        default_factory=TensorLocationSettings
    )
    optimizerStateTensorLocationSettings: TensorLocationSettings = field(
        default_factory=TensorLocationSettings
    )
    accumulatorTensorLocationSettings: TensorLocationSettings = field(
        default_factory=TensorLocationSettings
    )
    tensorLocationSettingsOverride: dict[str, TensorLocation] = field(default_factory=dict)
    enableLoadAndOffloadRNGState: bool = False
    useHostCopyOps: bool = False
    enableEfficientOverlapIOTopoCons: bool = False
    enableSupportedDataTypeCasting: bool = True
    enableExplicitMainLoops: bool = False
    enableMergeExchange: bool = True
    ensureFp32LossScaleTensor: bool = False
    delayVarUpdates: bool = True
    scheduleNonWeightUpdateGradientConsumersEarly: bool = False
    enableInplaceAmbiguityChecking: bool = False
    createImplicitPipeliningFwdOnlyProgram: bool = False
    throwIfLog2ScaleTensorNotInRange: bool = True
    enableConstantFoldingOfMultipleConsumers: bool = True
    useLoopCandidateCreator: bool = False
    stashAllTensorsInferencePipeline: bool = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in SessionOptions.__dataclass_fields__:
            near = did_you_mean(name, SessionOptions.__dataclass_fields__)
            raise AttributeError(f"SessionOptions has no option '{name}'.{near}")
        object.__setattr__(self, name, value)

    def enableExplicitIR(self, enable: bool) -> None:
        """Sets useHostCopyOps, explicitRecomputation and enableExplicitMainLoops together."""
        self.useHostCopyOps = self.explicitRecomputation = self.enableExplicitMainLoops = enable

    def refuse(self) -> None:
        """Raises popart_exception for an option whose effect on results popir does not have."""
        default = SessionOptions()
        for name in _REFUSED:
            given = getattr(self, name)
            if given != getattr(default, name):
                raise popart_exception(
                    f"SessionOptions.{name} = {given!r} would change what is computed, and this "
                    f"version of popir does not do it; leave it at {getattr(default, name)!r}."
                )
        if self.automaticLossScalingSettings.enabled:
            raise popart_exception(
                "SessionOptions.automaticLossScalingSettings.enabled = True would change what is "
                "computed, and this version of popir does not do it; set lossScaling in the "
                "optimizer."
            )


_REFUSED = (
    "enableGradientAccumulation",
    "accumulationFactor",
    "enableReplicatedGraphs",
    "replicatedGraphCount",
    "enableDistributedReplicatedGraphs",
    "globalReplicationFactor",
    "globalReplicaOffset",
    "syntheticDataMode",
)

NOT_COMPILED = frozenset(
    {
        *("logDir", "cachePath", "enableEngineCaching", "enableVariablesCaching"),
        *("reportOptions", "dotOpNames", "dotChecks", "finalDotOp", "firstDotOp"),
        *("exportPoplarComputationGraph", "exportPoplarVertexGraph"),
        "serializedPoprithmsShiftGraphsDir",
        *("compilationProgressLogger", "compilationProgressTotal"),
    }
)
"""Options that no device program depends on: where files are, and what is written into them."""
