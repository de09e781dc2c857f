// The options of a session, by name.
#include "popart/host/settings.hpp"

#include <popart/error.hpp>
#include <popart/logging.hpp>

#include <set>
#include <utility>

namespace popart {

unsigned SessionOptions::getBufferingDepth(const TensorId& id, bool isRearrangedOnHost) {
  if (defaultPrefetchBufferingDepth != initialDefaultPrefetchBufferingDepthValue) {
    logging::warn("defaultPrefetchBufferingDepth has been deprecated; use defaultBufferingDepth");
    defaultBufferingDepth = defaultPrefetchBufferingDepth;
    defaultPrefetchBufferingDepth = initialDefaultPrefetchBufferingDepthValue;
  }
  if (!prefetchBufferingDepthMap.empty()) {
    logging::warn("prefetchBufferingDepthMap has been deprecated; use bufferingDepthMap");
    bufferingDepthMap = std::move(prefetchBufferingDepthMap);
    prefetchBufferingDepthMap.clear();
  }
  const auto own = bufferingDepthMap.find(id);
  const unsigned usual = isRearrangedOnHost ? 1 : defaultBufferingDepth;
  const unsigned depth = own == bufferingDepthMap.end() ? usual : own->second;
  if (depth == 0 || (depth > 1 && isRearrangedOnHost))
    throw error("The stream of '{}' has a buffering depth of {}; expected is {}", id, depth,
                isRearrangedOnHost ? "1, as the host rearranges it" : "1 or more");
  return depth;
}

}  // namespace popart

namespace popir {
namespace python {
namespace {

using namespace popart;

// ---- Values of options ----

template <class T, std::enable_if_t<!std::is_enum_v<T>, int> = 0>
Value valueOf(const T& value) {
  return value;
}

#define POPIR_ENUMERATION(NAME, ...) \
  Value valueOf(NAME value) { return member(#NAME, {__VA_ARGS__}, static_cast<int>(value)); }
// Python's names, in PopART's order in C++.
POPIR_ENUMERATION(GradientTensorTrackingMethod, "AllNonViewChangingGradientTensors",
                  "ConvAndMatmulGradients", "GradientsOfUserSpecifiedTensors")
POPIR_ENUMERATION(RecomputationType, "NoRecompute", "Standard", "NormOnly", "Pipeline",
                  "RecomputeAll")
POPIR_ENUMERATION(MergeVarUpdateType, "Off", "All", "AutoLoose", "AutoTight")
POPIR_ENUMERATION(VirtualGraphMode, "Off", "Manual", "Auto", "ExecutionPhases")
POPIR_ENUMERATION(SyntheticDataMode, "Off", "Zeros", "RandomNormal", "RandomUniform")
POPIR_ENUMERATION(Instrumentation, "Outer", "Inner")
POPIR_ENUMERATION(BatchSerializationBatchSchedule, "Scheduler", "Isomorphic", "OverlapOnIo",
                  "OverlapOnCompute")
POPIR_ENUMERATION(BatchSerializationTransformContext, "Fwd", "Bwd")
POPIR_ENUMERATION(BatchSerializationMethod, "UnrollDynamic", "UnrollStatic", "Loop")
POPIR_ENUMERATION(ExecutionPhaseIOSchedule, "Preload", "OnDemand")
POPIR_ENUMERATION(ExecutionPhaseSchedule, "Interleaving", "Batch", "BatchClusteredIO")
POPIR_ENUMERATION(AccumulateOuterFragmentSchedule, "Scheduler", "Serial", "OverlapCycleOptimized",
                  "OverlapMemoryOptimized")
POPIR_ENUMERATION(SubgraphCopyingStrategy, "OnEnterAndExit", "JustInTime")
POPIR_ENUMERATION(MeanReductionStrategy, "Running", "Post")
POPIR_ENUMERATION(ReductionType, "Sum", "Mean", "NoReduction")
POPIR_ENUMERATION(TensorStorage, "OnChip", "OffChip")
POPIR_ENUMERATION(TileSet, "Compute", "IO")
POPIR_ENUMERATION(ExchangeStrategy, "JustInTime", "OverlapInnerLoop", "OverlapLoops", "OverlapStep")
POPIR_ENUMERATION(ReplicatedTensorSharding, "Off", "On")
POPIR_ENUMERATION(CommGroupType, "All", "Consecutive", "Orthogonal", "Ungrouped")
POPIR_ENUMERATION(PatternsLevel, "NoPatterns", "Minimal", "Default", "All")
#undef POPIR_ENUMERATION

Value valueOf(const std::set<Instrumentation>& values) {
  List list;
  for (const Instrumentation each : values) list.push_back(valueOf(each));
  return Set{list};
}

Value valueOf(const std::set<std::string>& values) {
  return Set{List(values.begin(), values.end())};
}

/// None, which is the default in Python, for the default.
Value valueOf(const CommGroup& group) {
  if (group == CommGroup()) return {};
  return make("CommGroup", {valueOf(group.type), static_cast<int>(group.replicaGroupSize)});
}

Value valueOf(const TensorLocation& location) {
  return make(
      "TensorLocation",
      {valueOf(location.storage), valueOf(location.loadTileSet), valueOf(location.storageTileSet),
       valueOf(location.replicatedTensorSharding), valueOf(location.shardingDomain)});
}

Value valueOf(const std::map<TensorId, TensorLocation>& locations) {
  Dict dict;
  for (const auto& [id, location] : locations) dict[id] = valueOf(location);
  return dict;
}

// ---- Comparing with the default ----

/// Sets what differs from the default on one object of the compiler.
template <class Settings>
class Differences {
 public:
  Differences(Object into, const Settings& given) : into_(std::move(into)), given_(given) {}

  template <class T>
  void operator()(const char* name, T Settings::*option) const {
    if (given_.*option != default_.*option) set(into_, name, valueOf(given_.*option));
  }

 private:
  Object into_;
  const Settings& given_;
  Settings default_;
};

Object nestedIn(const Object& options, const char* name) { return get(options, name).object(); }

void copy(const Object& into, const AutomaticLossScalingSettings& given) {
  using S = AutomaticLossScalingSettings;
  const Differences<S> put(into, given);
  put("enabled", &S::enabled);
  put("binEdgeLocation", &S::binEdgeLocation);
  put("thresholdUpperCountProportion", &S::thresholdUpperCountProportion);
  put("updatePeriod", &S::updatePeriod);
  put("gradientTensorTrackingMethod", &S::gradientTensorTrackingMethod);
  if (given.toTrackTensors) set(into, "toTrackTensors", *given.toTrackTensors);
}

void copy(const Object& into, const ReplicatedCollectivesSettings& given) {
  using S = ReplicatedCollectivesSettings;
  const Differences<S> put(into, given);
  put("prepareScheduleForMergingCollectives", &S::prepareScheduleForMergingCollectives);
  put("mergeAllReduceCollectives", &S::mergeAllReduceCollectives);
  put("mergeReduceScatterCollectives", &S::mergeReduceScatterCollectives);
  put("mergeAllGatherCollectives", &S::mergeAllGatherCollectives);
}

void copy(const Object& into, const TensorLocationSettings& given) {
  using S = TensorLocationSettings;
  const Differences<S> put(into, given);
  put("location", &S::location);
  put("minElementsForOffChip", &S::minElementsForOffChip);
  put("minElementsForReplicatedTensorSharding", &S::minElementsForReplicatedTensorSharding);
}

void copy(const Object& into, const BatchSerializationSettings& given) {
  using S = BatchSerializationSettings;
  const Differences<S> put(into, given);
  put("factor", &S::factor);
  put("concatOnVirtualGraphChange", &S::concatOnVirtualGraphChange);
  put("concatOnExecutionPhaseChange", &S::concatOnExecutionPhaseChange);
  put("concatOnPipelineStageChange", &S::concatOnPipelineStageChange);
  put("transformContext", &S::transformContext);
  put("method", &S::method);
  put("batchSchedule", &S::batchSchedule);
}

void copy(const Object& into, const ExecutionPhaseSettings& given) {
  using S = ExecutionPhaseSettings;
  const Differences<S> put(into, given);
  put("phases", &S::phases);
  put("stages", &S::stages);
  put("weightIOSchedule", &S::weightIOSchedule);
  put("activationIOSchedule", &S::activationIOSchedule);
  put("optimizerStateIOSchedule", &S::optimizerStateIOSchedule);
  put("accumulatorIOSchedule", &S::accumulatorIOSchedule);
  put("schedule", &S::schedule);
}

void copy(const Object& into, const AccumulateOuterFragmentSettings& given) {
  using S = AccumulateOuterFragmentSettings;
  const Differences<S> put(into, given);
  put("schedule", &S::schedule);
  put("excludedVirtualGraphs", &S::excludedVirtualGraphs);
}

void copy(const Object& into, const SessionOptions::ExperimentalSettings& given) {
  using S = SessionOptions::ExperimentalSettings;
  const Differences<S> put(into, given);
  put("customTransformApplierSettings", &S::customTransformApplierSettings);
  put("createHostTransferableTensorWithOffset", &S::createHostTransferableTensorWithOffset);
}

}  // namespace

Object toPython(const SessionOptions& options) {
  const Object into = make("SessionOptions");
  using S = SessionOptions;
  const Differences<S> put(into, options);
#define POPIR_OPTION(NAME) put(#NAME, &S::NAME);
  POPIR_OPTION(logDir)
  POPIR_OPTION(dotChecks)
  POPIR_OPTION(firstDotOp)
  POPIR_OPTION(finalDotOp)
  POPIR_OPTION(dotOpNames)
  POPIR_OPTION(exportPoplarComputationGraph)
  POPIR_OPTION(exportPoplarVertexGraph)
  POPIR_OPTION(separateCallOpPdfs)
  POPIR_OPTION(enableOutlining)
  POPIR_OPTION(enableOutliningCopyCostPruning)
  POPIR_OPTION(outlineThreshold)
  POPIR_OPTION(outlineSequenceBreakCost)
  POPIR_OPTION(subgraphCopyingStrategy)
  POPIR_OPTION(autoRecomputation)
  POPIR_OPTION(mergeVarUpdate)
  POPIR_OPTION(mergeVarUpdateMemThreshold)
  POPIR_OPTION(looseThresholdAtPeak)
  POPIR_OPTION(rearrangeAnchorsOnHost)
  POPIR_OPTION(rearrangeStreamsOnHost)
  POPIR_OPTION(enablePrefetchDatastreams)
  POPIR_OPTION(defaultBufferingDepth)
  POPIR_OPTION(defaultPrefetchBufferingDepth)
  POPIR_OPTION(bufferingDepthMap)
  POPIR_OPTION(prefetchBufferingDepthMap)
  POPIR_OPTION(enableNonStableSoftmax)
  POPIR_OPTION(enableReplicatedGraphs)
  POPIR_OPTION(enableGradientAccumulation)
  POPIR_OPTION(accumulationAndReplicationReductionType)
  POPIR_OPTION(meanAccumulationAndReplicationReductionStrategy)
  POPIR_OPTION(replicatedGraphCount)
  POPIR_OPTION(accumulationFactor)
  POPIR_OPTION(virtualGraphMode)
  POPIR_OPTION(virtualGraphSplitRatios)
  POPIR_OPTION(enablePipelining)
  POPIR_OPTION(syntheticDataMode)
  POPIR_OPTION(instrumentWithHardwareCycleCounter)
  POPIR_OPTION(hardwareInstrumentations)
  POPIR_OPTION(disableGradAccumulationTensorStreams)
  POPIR_OPTION(disableOptimizerStateTensorStreams)
  POPIR_OPTION(compileEngine)
  POPIR_OPTION(constantWeights)
  POPIR_OPTION(enableEngineCaching)
  POPIR_OPTION(enableVariablesCaching)
  POPIR_OPTION(cachePath)
  POPIR_OPTION(enableFloatingPointChecks)
  POPIR_OPTION(enableStochasticRounding)
  POPIR_OPTION(_enableRngStateManagement)
  POPIR_OPTION(explicitRecomputation)
  POPIR_OPTION(numIOTiles)
  POPIR_OPTION(aliasZeroCopy)
  POPIR_OPTION(delayVarUpdates)
  POPIR_OPTION(scheduleNonWeightUpdateGradientConsumersEarly)
  POPIR_OPTION(enableFullyConnectedPass)
  POPIR_OPTION(enableSerializedMatmuls)
  POPIR_OPTION(enableGroupedMatmuls)
  POPIR_OPTION(partialsTypeMatMuls)
  POPIR_OPTION(enableStableNorm)
  POPIR_OPTION(engineOptions)
  POPIR_OPTION(convolutionOptions)
  POPIR_OPTION(lstmOptions)
  POPIR_OPTION(matmulOptions)
  POPIR_OPTION(reportOptions)
  POPIR_OPTION(gclOptions)
  POPIR_OPTION(customCodelets)
  POPIR_OPTION(updatableNamedBuffers)
  POPIR_OPTION(customCodeletCompileFlags)
  POPIR_OPTION(timeLimitScheduler)
  POPIR_OPTION(swapLimitScheduler)
  POPIR_OPTION(serializedPoprithmsShiftGraphsDir)
  POPIR_OPTION(kahnTieBreaker)
  POPIR_OPTION(transitiveClosureOptimizationThreshold)
  POPIR_OPTION(decomposeGradSum)
  POPIR_OPTION(enableDistributedReplicatedGraphs)
  POPIR_OPTION(globalReplicationFactor)
  POPIR_OPTION(globalReplicaOffset)
  POPIR_OPTION(groupHostSync)
  POPIR_OPTION(strictOpVersions)
  POPIR_OPTION(opxAliasChecking)
  POPIR_OPTION(opxModifyChecking)
  POPIR_OPTION(useHostCopyOps)
  POPIR_OPTION(enableEfficientOverlapIOTopoCons)
  POPIR_OPTION(enableLoadAndOffloadRNGState)
  POPIR_OPTION(tensorLocationSettingsOverride)
  POPIR_OPTION(enableSupportedDataTypeCasting)
  POPIR_OPTION(enableExplicitMainLoops)
  POPIR_OPTION(groupNormStridedChannelGrouping)
  POPIR_OPTION(compilationProgressTotal)
  POPIR_OPTION(enableMergeExchange)
  POPIR_OPTION(ensureFp32LossScaleTensor)
  POPIR_OPTION(enableInplaceAmbiguityChecking)
  POPIR_OPTION(createImplicitPipeliningFwdOnlyProgram)
  POPIR_OPTION(throwIfLog2ScaleTensorNotInRange)
  POPIR_OPTION(enableConstantFoldingOfMultipleConsumers)
  POPIR_OPTION(useLoopCandidateCreator)
  POPIR_OPTION(stashAllTensorsInferencePipeline)
  POPIR_OPTION(useHostCopyOps)
  POPIR_OPTION(enableExplicitMainLoops)
  POPIR_OPTION(explicitRecomputation)
#undef POPIR_OPTION
#define POPIR_SETTINGS(NAME) copy(nestedIn(into, #NAME), options.NAME);
  POPIR_SETTINGS(executionPhaseSettings)
  POPIR_SETTINGS(accumulateOuterFragmentSettings)
  POPIR_SETTINGS(batchSerializationSettings)
  POPIR_SETTINGS(experimentalSettings)
  POPIR_SETTINGS(replicatedCollectivesSettings)
  POPIR_SETTINGS(activationTensorLocationSettings)
  POPIR_SETTINGS(weightTensorLocationSettings)
  POPIR_SETTINGS(optimizerStateTensorLocationSettings)
  POPIR_SETTINGS(accumulatorTensorLocationSettings)
  POPIR_SETTINGS(automaticLossScalingSettings)
#undef POPIR_SETTINGS
  if (options.autodiffSettings.stitchStrategy != AutodiffSettings().stitchStrategy)
    throw error(
        "SessionOptions.autodiffSettings.stitchStrategy: gradients of called graphs are made in "
        "one way, so there is nothing to choose. Leave it at RecomputeAllNonInputs");
  if (options.compilationProgressLogger) {
    const auto logger = options.compilationProgressLogger;
    set(into, "compilationProgressLogger", Function([logger](const List& args) {
          logger(static_cast<int>(args.at(0).integer()), static_cast<int>(args.at(1).integer()));
          return Value();
        }));
  }
  return into;
}

Value modelOf(const std::string& modelProtoOrFilename) {
  // A serialised model has control characters in its first bytes, and a path has none.
  bool isText = !modelProtoOrFilename.empty() && modelProtoOrFilename.size() < 4096;
  for (const char c : modelProtoOrFilename) isText = isText && (c < 0 || c >= ' ');
  if (isText) return modelProtoOrFilename;
  return Bytes{modelProtoOrFilename};
}

Object toPython(const DataFlow& dataFlow) {
  Dict anchors;
  for (const auto& [id, art] : dataFlow.getAnchorReturnTypeMap()) {
    List given = {art.str()};
    if (art.id() == AnchorReturnTypeId::EveryN) given.push_back(art.rp());
    anchors[id] = make("AnchorReturnType", given,
                       {{"tileSet", valueOf(art.tileSet())},
                        {"exchangeStrategy", valueOf(art.exchangeStrategy())}});
  }
  return make("DataFlow", {dataFlow.batchesPerStep(), anchors});
}

Value toPython(const InputShapeInfo& infos) {
  Dict dict;
  for (const auto& [id, info] : infos.getInfos()) dict[id] = toPython(info);
  return dict;
}

Object toPython(const Patterns& patterns) {
  const Object made = make("Patterns", {valueOf(patterns.level())});
  for (const auto& [name, isOn] : patterns.switched()) call(made, "enablePattern", {name, isOn});
  if (!patterns.asserts()) call(made, "enableRuntimeAsserts", {false});
  return made;
}

}  // namespace python
}  // namespace popir
