// Session options. After popart/sessionoptions.hpp of PopART 3.
//
// Names and defaults are PopART's. Which options act, which are refused and which have no effect
// here, docs/options.md says; a session gives the compiler those that differ from the default.
#ifndef popart_sessionoptions_hpp
#define popart_sessionoptions_hpp

#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/util.hpp>
#include <popart/vendored/optional.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class GradientTensorTrackingMethod {
  AllNonViewChangingGradientTensors = 0,
  ConvAndMatmulGradients,
  GradientsOfUserSpecifiedTensors,
  N
};
enum class RecomputationType { None = 0, Standard, NormOnly, Pipeline, RecomputeAll, N };
enum class MergeVarUpdateType { None = 0, All, AutoLoose, AutoTight, N };
enum class VirtualGraphMode { Off = 0, Manual, Auto, ExecutionPhases, N };
enum class IrSerializationFormat { JSON };
enum class SyntheticDataMode { Off = 0, Zeros, RandomNormal, RandomUniform, N };
enum class Instrumentation { Outer = 0, Inner, N };
enum class BatchSerializationBatchSchedule {
  Scheduler = 0,
  Isomorphic,
  OverlapOnIo,
  OverlapOnCompute,
  N
};
enum class BatchSerializationTransformContext { Fwd = 0, Bwd, N };
enum class BatchSerializationMethod { UnrollDynamic = 0, UnrollStatic, Loop, N };
enum class ExecutionPhaseIOSchedule { Preload = 0, OnDemand, N };
enum class ExecutionPhaseSchedule { Interleaving = 0, Batch, BatchClusteredIO, N };
enum class AccumulateOuterFragmentSchedule {
  Scheduler = 0,
  Serial,
  OverlapCycleOptimized,
  OverlapMemoryOptimized
};
enum class SubgraphCopyingStrategy { OnEnterAndExit = 0, JustInTime, N };
enum class MeanReductionStrategy { Running = 0, Post, N };
enum class AutodiffStitchStrategy {
  RecomputeMinimal = 0,
  RecomputeAllNonInputs,
  AddFwdOutputs,
  SafeAddFwdOutputs,
  N
};

// Values with the names of their types: "VirtualGraphMode::Off".
std::string toString(const RecomputationType& type);
std::string toString(const VirtualGraphMode& mode);
std::string toString(const AutodiffStitchStrategy& strategy);
std::ostream& operator<<(std::ostream& os, const RecomputationType& type);
std::ostream& operator<<(std::ostream& os, const VirtualGraphMode& mode);
std::ostream& operator<<(std::ostream& os, const AutodiffStitchStrategy& strategy);

struct AutomaticLossScalingSettings {
  AutomaticLossScalingSettings() = default;
  AutomaticLossScalingSettings(bool enabled_,
                               const nonstd::optional<std::vector<TensorId>>& toTrackTensors_,
                               float binEdgeLocation_, float thresholdUpperCountProportion_,
                               int updatePeriod_,
                               GradientTensorTrackingMethod gradientTensorTrackingMethod_)
      : enabled(enabled_),
        binEdgeLocation(binEdgeLocation_),
        thresholdUpperCountProportion(thresholdUpperCountProportion_),
        toTrackTensors(toTrackTensors_),
        updatePeriod(updatePeriod_),
        gradientTensorTrackingMethod(gradientTensorTrackingMethod_) {}

  bool enabled = false;
  float binEdgeLocation = 0.125f;
  float thresholdUpperCountProportion = 1e-7f;
  nonstd::optional<std::vector<TensorId>> toTrackTensors;
  int updatePeriod = 1;
  GradientTensorTrackingMethod gradientTensorTrackingMethod =
      GradientTensorTrackingMethod::AllNonViewChangingGradientTensors;
};

struct ReplicatedCollectivesSettings {
  ReplicatedCollectivesSettings(bool prepareScheduleForMergingCollectives_ = false,
                                bool mergeAllReduceCollectives_ = false,
                                bool mergeReduceScatterCollectives_ = false,
                                bool mergeAllGatherCollectives_ = false)
      : prepareScheduleForMergingCollectives(prepareScheduleForMergingCollectives_),
        mergeAllReduceCollectives(mergeAllReduceCollectives_),
        mergeReduceScatterCollectives(mergeReduceScatterCollectives_),
        mergeAllGatherCollectives(mergeAllGatherCollectives_) {}

  bool prepareScheduleForMergingCollectives;
  bool mergeAllReduceCollectives;
  bool mergeReduceScatterCollectives;
  bool mergeAllGatherCollectives;
};

struct TensorLocationSettings {
  TensorLocationSettings() = default;
  TensorLocationSettings(TensorLocation location_, int minElementsForOffChip_ = 2,
                         int minElementsForReplicatedTensorSharding_ = 8192)
      : location(location_),
        minElementsForOffChip(minElementsForOffChip_),
        minElementsForReplicatedTensorSharding(minElementsForReplicatedTensorSharding_) {}
  TensorLocationSettings(TensorStorage storage_, int minElementsForOffChip_ = 2,
                         int minElementsForReplicatedTensorSharding_ = 8192)
      : TensorLocationSettings(TensorLocation(storage_), minElementsForOffChip_,
                               minElementsForReplicatedTensorSharding_) {}

  TensorLocation location;
  int minElementsForOffChip = 2;
  int minElementsForReplicatedTensorSharding = 8192;
};

struct BatchSerializationSettings {
  BatchSerializationSettings() = default;
  BatchSerializationSettings(
      int factor_, bool concatOnVirtualGraphChange_, bool concatOnExecutionPhaseChange_,
      bool concatOnPipelineStageChange_,
      BatchSerializationTransformContext transformContext_ =
          BatchSerializationTransformContext::Fwd,
      BatchSerializationMethod method_ = BatchSerializationMethod::UnrollDynamic,
      BatchSerializationBatchSchedule batchSchedule_ = BatchSerializationBatchSchedule::Isomorphic)
      : factor(factor_),
        concatOnVirtualGraphChange(concatOnVirtualGraphChange_),
        concatOnExecutionPhaseChange(concatOnExecutionPhaseChange_),
        concatOnPipelineStageChange(concatOnPipelineStageChange_),
        transformContext(transformContext_),
        method(method_),
        batchSchedule(batchSchedule_) {}

  int factor = 0;
  bool concatOnVirtualGraphChange = true;
  bool concatOnExecutionPhaseChange = true;
  bool concatOnPipelineStageChange = true;
  BatchSerializationTransformContext transformContext = BatchSerializationTransformContext::Fwd;
  BatchSerializationMethod method = BatchSerializationMethod::UnrollDynamic;
  BatchSerializationBatchSchedule batchSchedule = BatchSerializationBatchSchedule::Isomorphic;
};

struct ExecutionPhaseSettings {
  ExecutionPhaseSettings() = default;
  ExecutionPhaseSettings(int phases_, bool stages_, ExecutionPhaseIOSchedule weightIOSchedule_,
                         ExecutionPhaseIOSchedule activationIOSchedule_,
                         ExecutionPhaseIOSchedule optimizerStateIOSchedule_,
                         ExecutionPhaseIOSchedule accumulatorIOSchedule_,
                         ExecutionPhaseSchedule schedule_)
      : phases(phases_),
        stages(stages_),
        weightIOSchedule(weightIOSchedule_),
        activationIOSchedule(activationIOSchedule_),
        optimizerStateIOSchedule(optimizerStateIOSchedule_),
        accumulatorIOSchedule(accumulatorIOSchedule_),
        schedule(schedule_) {}

  int phases = 0;
  int stages = 2;
  ExecutionPhaseIOSchedule weightIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule activationIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule optimizerStateIOSchedule = ExecutionPhaseIOSchedule::OnDemand;
  ExecutionPhaseIOSchedule accumulatorIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseSchedule schedule = ExecutionPhaseSchedule::Interleaving;
};

struct AccumulateOuterFragmentSettings {
  AccumulateOuterFragmentSettings() = default;
  AccumulateOuterFragmentSettings(AccumulateOuterFragmentSchedule schedule_,
                                  const std::vector<int>& excludedVirtualGraphs_)
      : schedule(schedule_), excludedVirtualGraphs(excludedVirtualGraphs_) {}

  AccumulateOuterFragmentSchedule schedule = AccumulateOuterFragmentSchedule::Serial;
  std::vector<int> excludedVirtualGraphs;
};

struct AutodiffSettings {
  AutodiffSettings() = default;
  AutodiffSettings(AutodiffStitchStrategy stitchStrategy_) : stitchStrategy(stitchStrategy_) {}

  AutodiffStitchStrategy stitchStrategy = AutodiffStitchStrategy::RecomputeAllNonInputs;
};

struct DeveloperSettings {
  double timePartitionLoggerThresholdPercentage = 1.0;
};

struct SessionOptions {
  std::string logDir;
  std::set<std::string> dotChecks;
  int firstDotOp = 0;
  int finalDotOp = 10000;
  bool dotOpNames = false;
  bool exportPoplarComputationGraph = false;
  bool exportPoplarVertexGraph = false;
  bool separateCallOpPdfs = true;
  bool enableOutlining = true;
  bool enableOutliningCopyCostPruning = true;
  float outlineThreshold = 1.0f;
  float outlineSequenceBreakCost = 10000.0f;
  SubgraphCopyingStrategy subgraphCopyingStrategy = SubgraphCopyingStrategy::OnEnterAndExit;
  RecomputationType autoRecomputation = RecomputationType::None;
  MergeVarUpdateType mergeVarUpdate = MergeVarUpdateType::None;
  int64_t mergeVarUpdateMemThreshold = 1000000;
  int64_t looseThresholdAtPeak = 8000;
  bool rearrangeAnchorsOnHost = true;
  bool rearrangeStreamsOnHost = false;
  bool enablePrefetchDatastreams = true;
  unsigned defaultBufferingDepth = 1;
  /// Earlier names of the two beside them: getBufferingDepth() moves what is set here.
  static constexpr unsigned initialDefaultPrefetchBufferingDepthValue = 111122;
  unsigned defaultPrefetchBufferingDepth = initialDefaultPrefetchBufferingDepthValue;
  std::map<TensorId, unsigned> bufferingDepthMap;
  std::map<TensorId, unsigned> prefetchBufferingDepthMap;
  bool enableNonStableSoftmax = false;
  bool enableReplicatedGraphs = false;
  bool enableGradientAccumulation = false;
  ReductionType accumulationAndReplicationReductionType = ReductionType::Sum;
  MeanReductionStrategy meanAccumulationAndReplicationReductionStrategy =
      MeanReductionStrategy::Post;
  int64_t replicatedGraphCount = 1;
  int64_t accumulationFactor = 1;
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  std::vector<float> virtualGraphSplitRatios;
  bool enablePipelining = false;
  SyntheticDataMode syntheticDataMode = SyntheticDataMode::Off;
  bool instrumentWithHardwareCycleCounter = false;
  std::set<Instrumentation> hardwareInstrumentations = {Instrumentation::Outer};
  bool disableGradAccumulationTensorStreams = false;
  bool disableOptimizerStateTensorStreams = false;
  bool compileEngine = true;
  bool constantWeights = true;
  bool enableEngineCaching = false;
  bool enableVariablesCaching = true;
  std::string cachePath = "session_cache";
  bool enableFloatingPointChecks = false;
  bool enableStochasticRounding = false;
  bool _enableRngStateManagement = false;
  ExecutionPhaseSettings executionPhaseSettings;
  AccumulateOuterFragmentSettings accumulateOuterFragmentSettings;
  bool explicitRecomputation = false;
  int numIOTiles = 0;
  bool aliasZeroCopy = false;
  BatchSerializationSettings batchSerializationSettings;
  AutodiffSettings autodiffSettings;
  bool delayVarUpdates = true;
  bool scheduleNonWeightUpdateGradientConsumersEarly = false;
  bool enableFullyConnectedPass = true;
  bool enableSerializedMatmuls = true;
  bool enableGroupedMatmuls = false;
  std::string partialsTypeMatMuls;
  bool enableStableNorm = false;
  std::map<std::string, std::string> engineOptions;
  std::map<std::string, std::string> convolutionOptions;
  std::map<std::string, std::string> lstmOptions;
  std::map<std::string, std::string> matmulOptions;
  std::map<std::string, std::string> reportOptions;
  std::map<std::string, std::string> gclOptions;
  struct ExperimentalSettings {
    std::map<std::string, std::vector<std::string>> customTransformApplierSettings;
    bool createHostTransferableTensorWithOffset = false;
  };
  ExperimentalSettings experimentalSettings;
  std::vector<std::string> customCodelets;
  std::vector<TensorId> updatableNamedBuffers;
  std::string customCodeletCompileFlags;
  double timeLimitScheduler = 1e9;
  int64_t swapLimitScheduler = static_cast<int64_t>(1e9);
  std::string serializedPoprithmsShiftGraphsDir;
  std::string kahnTieBreaker = "greedy";
  std::size_t transitiveClosureOptimizationThreshold = 100000;
  bool decomposeGradSum = false;
  ReplicatedCollectivesSettings replicatedCollectivesSettings;
  bool enableDistributedReplicatedGraphs = false;
  int64_t globalReplicationFactor = 1;
  int64_t globalReplicaOffset = 0;
  bool groupHostSync = false;
  bool strictOpVersions = true;
  bool opxAliasChecking = false;
  bool opxModifyChecking = false;
  bool useHostCopyOps = false;
  bool enableEfficientOverlapIOTopoCons = false;
  bool enableLoadAndOffloadRNGState = false;
  TensorLocationSettings activationTensorLocationSettings;
  TensorLocationSettings weightTensorLocationSettings;
  TensorLocationSettings optimizerStateTensorLocationSettings;
  TensorLocationSettings accumulatorTensorLocationSettings;
  std::map<TensorId, TensorLocation> tensorLocationSettingsOverride;
  AutomaticLossScalingSettings automaticLossScalingSettings;
  DeveloperSettings developerSettings;
  bool enableSupportedDataTypeCasting = true;
  bool enableExplicitMainLoops = false;
  bool groupNormStridedChannelGrouping = false;
  std::function<void(int, int)> compilationProgressLogger;
  int compilationProgressTotal = 100;
  bool enableMergeExchange = true;
  bool ensureFp32LossScaleTensor = false;
  bool enableInplaceAmbiguityChecking = false;
  bool createImplicitPipeliningFwdOnlyProgram = false;
  bool throwIfLog2ScaleTensorNotInRange = true;
  bool enableConstantFoldingOfMultipleConsumers = true;
  bool useLoopCandidateCreator = false;
  bool stashAllTensorsInferencePipeline = false;

  bool explicitPipeliningEnabled() const {
    return enablePipelining && useHostCopyOps && enableExplicitMainLoops;
  }
  bool implicitPipeliningEnabled() const {
    return enablePipelining && !(useHostCopyOps && enableExplicitMainLoops);
  }
  bool autoRecomputationEnabled() const { return autoRecomputation != RecomputationType::None; }
  void enableExplicitIR(bool enable) {
    useHostCopyOps = enable;
    enableExplicitMainLoops = enable;
    explicitRecomputation = enable;
  }
  /// The depth of a tensor's stream, which has no meaning here: 1 for what the host rearranges.
  /// \throws error for a depth of 0
  /// \throws error for more than 1 for what the host rearranges
  unsigned getBufferingDepth(const TensorId& id, bool isRearrangedOnHost = false);
  int64_t getGlobalReplicationFactor() const {  // in all instances of the program
    if (enableDistributedReplicatedGraphs) return globalReplicationFactor;
    return enableReplicatedGraphs ? replicatedGraphCount : 1;
  }
  unsigned getAccumulationFactor() const {
    return enableGradientAccumulation ? static_cast<unsigned>(accumulationFactor) : 1;
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
