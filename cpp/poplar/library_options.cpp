#include "poplar/library_options.hpp"

#include <algorithm>

namespace popir {
namespace {

using Rows = std::vector<OptionRow>;
using Effect = OptionRow::Kind;
using Type = OptionRow::Type;

constexpr const char* kPasses = "NONE INFERENCE_FWD TRAINING_FWD TRAINING_BWD TRAINING_WU";
constexpr const char* kFullyConnected =
    "NONE INFERENCE_FWD TRAINING_FWD TRAINING_BWD TRAINING_WU FC_INFERENCE_FWD FC_TRAINING_FWD "
    "FC_TRAINING_BWD FC_TRAINING_WU";
constexpr const char* kOneKernel = "one kernel does every expression, on the host as it comes";
constexpr const char* kOwnPlan = "the machine reading makes its own plan, of its own terms";
constexpr const char* kOnePartialsType = "all partial sums are of partialsType";
constexpr const char* kWholeTarget = "a plan is for the tiles of the graph";
constexpr const char* kInPlace =
    "the device reads and writes the host's arrays in place, so there is no transfer to arrange";
constexpr const char* kOneShard = "a loop over all steps has one body";
constexpr const char* kOneUpdate =
    "gradients of weights are one product over all steps, after the loop";
constexpr const char* kNoReplicas =
    "replicas are threads that meet, and processes that exchange what they need; there is one "
    "method";

OptionRow without(const char* name, Type type, const char* otherwise, const char* why,
                  const char* choices = "") {
  return {name, Effect::NoMeaning, type, otherwise, why, choices};
}

/// An option that describes a fact, and requests nothing; so setting it gives no note.
OptionRow hint(const char* name, Type type, const char* otherwise, const char* why,
               const char* choices = "") {
  return {name, Effect::NoMeaning, type, otherwise, why, choices, true};
}

Rows contraction(const char* pass, const char* passes, Rows own) {
  Rows rows = {
      {"partialsType", Effect::Acts, Type::Choice, "float",
       "the type of partial sums on the machine; the host adds up in float", "float half"},
      {"availableMemoryProportion", Effect::Acts, Type::Share, "0.6",
       "how much of a tile's memory a plan may use for temporary data"},
      {"use128BitConvUnitLoad", Effect::Acts, Type::Flag, "false",
       "whether weights are loaded 128 bits at a time, where the machine can"},
      {pass, Effect::Acts, Type::Choice, "NONE",
       "the pass of a layer: of a fully connected one those of training are planned together; of a "
       "convolution TRAINING_FWD counts what weights in other groups cost the backward pass",
       passes},
      {"enableMultiStageReduce", Effect::Acts, Type::Flag, "true",
       "whether many partial sums are added up in several stages"},
      {"enableFastReduce", Effect::Acts, Type::Flag, "false",
       "whether partial sums lie in interleaved memory, where they are added up faster"},
  };
  rows.push_back(
      without("remapOutputTensor", Type::Flag, "true", "a result lies as its plan makes it"));
  rows.push_back(without("planConstraints", Type::Text, "{}", kOwnPlan));
  rows.insert(rows.end(), own.begin(), own.end());
  return rows;
}

std::vector<LibraryOptions> tables() {
  return {
      {Library::MatMul, "poplin.matMul",
       contraction("fullyConnectedPass", kPasses,
                   {{"inputRHSIsPreArranged", Effect::Acts, Type::Flag, "false",
                     "the right operand of a TRAINING_BWD comes from preArrangeMatMulInputRHS(), "
                     "which transposes it, and not the product"},
                    without("gatherOutput", Type::Flag, "false", "a result is one variable")})},
      {Library::Convolution, "poplin.convolution",
       contraction(
           "pass", kFullyConnected,
           {without("gatherConvOutput", Type::Flag, "false", "a result is one variable"),
            without("partialsType.interTile", Type::Choice, "float", kOnePartialsType,
                    "float half"),
            without("partialsType.interIPU", Type::Choice, "float", kOnePartialsType, "float half"),
            without("numIPUs", Type::Whole, "1", kWholeTarget),
            without("tilesPerIPU", Type::Whole, "1472", kWholeTarget),
            without("disableTransformations", Type::Flag, "false", kOwnPlan),
            without("insertTransformsCycleCountProgs", Type::Flag, "false",
                    "a report has the cycles of every step"),
            {"enableConvDithering", Effect::Refused, Type::Flag, "false",
             "a plan names the tiles of a convolution; none is chosen at random"}})},
      {Library::Map,
       "popops.map",
       {
           {"costedAs", Effect::Acts, Type::Choice, "expression",
            "the activation, or the gradient of one, that an expression is: the machine reading "
            "costs PopLibs' vertex for it",
            kActivationNames},
           without("enableGenerateCodelet", Type::Flag, "true", kOneKernel),
           without("forceGenerateCodelet", Type::Flag, "false", kOneKernel),
           without("enableVectorBroadcastOptimisations", Type::Flag, "true", kOneKernel),
           without("enableExpressionOptimizations", Type::Flag, "true",
                   "an expression is evaluated as it is written"),
       }},
      {Library::Reduce,
       "popops.reduce",
       {
           without("accumType.interTile", Type::Choice, "float", "a sum is kept in float or wider",
                   "float half"),
           without("accumType.inVertex", Type::Choice, "float", "a sum is kept in float or wider",
                   "float half"),
       }},
      {Library::ScaledAdd,
       "popops.scaledAddTo",
       {
           without("optimizeForSpeed", Type::Flag, "false", "there is one way, the fastest"),
           without("scaleFloatToHalfTolerance", Type::Number, "1e-6",
                   "a scale of float is used as float"),
       }},
      {Library::Slice,
       "popops.multiSlice",
       {
           {"usedForSlice", Effect::Acts, Type::Flag, "true", "whether a plan is for slices"},
           {"usedForUpdate", Effect::Acts, Type::Flag, "true", "whether a plan is for updates"},
           {"operationForUpdate", Effect::Acts, Type::Choice, "add",
            "how updates that are planned are combined with the tensor; none: they replace it",
            "none add max mul"},
           {"indicesAreSorted", Effect::Acts, Type::Flag, "false",
            "whether offsets are in ascending order, so that a tile may search for its own"},
           {"indicesDistribution", Effect::Acts, Type::Choice, "uniform",
            "whether offsets are spread evenly over the tensor, or all are equal",
            "uniform onePoint"},
           {"availableMemoryProportion", Effect::Acts, Type::Share, "0.6",
            "how much of a tile's memory a plan may use for temporary data"},
           {"partialType", Effect::Acts, Type::Choice, "none",
            "the type of partial sums of updates on the machine, none for that of the tensor; the "
            "host adds up in float",
            "none float half"},
           {"planMinimisationTarget", Effect::Acts, Type::Choice, "cycles",
            "whether a plan takes as few cycles as it can, or as little memory, of what stays on a "
            "tile above all",
            "memory cycles"},
       }},
      {Library::Pooling,
       "popnn.pooling.pool",
       {
           without("poolUseIntrospectiveMapping", Type::Flag, "true",
                   "a result lies as its windows do"),
           without("optimizeForSpeed", Type::Flag, "false", "there is one way, the fastest"),
       }},
      {Library::Recurrent,
       "popnn.recurrent",
       {
           {"partialsType", Effect::Acts, Type::Choice, "float",
            "the type of partial sums of a cell's products on the machine", "float half"},
           {"availableMemoryProportion", Effect::Acts, Type::Share, "0.6",
            "how much of a tile's memory a plan of a product may use for temporary data"},
           {"preCalcWeights", Effect::Acts, Type::Flag, "false",
            "whether the inputs of all steps are multiplied by their weights at once, before the "
            "loop"},
           {"weightAccumulatorsType", Effect::Acts, Type::Choice, "",
            "the type in which gradients of weights are added up; that of the data if it is not "
            "set",
            "float half"},
           hint("inferenceOnly", Type::Flag, "false", "what to keep, the other arguments say"),
           without("recomputationMode", Type::Choice, "none",
                   "what the backward pass needs is kept", "none cellAndTanh full"),
           without("numShards", Type::Whole, "1", kOneShard),
           without("rnnCodeReuse", Type::Flag, "false", kOneShard),
           without("codeReuse", Type::Flag, "false", kOneShard),
           without("rnnStepsPerWU", Type::Whole, "1", kOneUpdate),
           without("weightUpdateMemoryProportion", Type::Share, "0.6", kOneUpdate),
           without("disableWUPartialInterleaving", Type::Flag, "false", kOneUpdate),
       }},
      {Library::Collective,
       "gcl.allReduceCrossReplica",
       {
           without("useReplicatedImplementation", Type::Flag, "false", kNoReplicas),
           without("method", Type::Choice, "auto", kNoReplicas,
                   "auto clockwise_ring anticlockwise_ring bidirectional_ring_pair "
                   "meet_in_middle_ring quad_directional_ring broadcast"),
           without("maxBytesPerTile", Type::Whole, "35000", kNoReplicas),
           without("syncful.maxBroadcastSize", Type::Whole, "2048", kNoReplicas),
           without("syncful.useOptimisedLayout", Type::Flag, "true", kNoReplicas),
           without("useSynclessCollectives", Type::Choice, "auto", kNoReplicas, "auto true false"),
       }},
      {Library::Stream,
       "poplar.Graph.addHostToDeviceFIFO",
       {
           without("bufferingDepth", Type::Whole, "1", kInPlace),
           without("splitLimit", Type::Whole, "52428800", kInPlace),
       }},
      {Library::HostFunction, "poplar.Graph.addHostFunction", {}},
  };
}

}  // namespace

const std::vector<LibraryOptions>& libraryOptionTables() {
  static const auto all = tables();
  return all;
}

void checkLibraryOptions(const char* who, Library library, const poplar::OptionFlags& options) {
  if (options.empty()) return;
  const auto& all = libraryOptionTables();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.library == library; });
  for (const auto& note : checkOptions(who, found->rows, options)) noteOption(note);
}

}  // namespace popir
