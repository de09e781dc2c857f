// Builder and the operators of ai.graphcore.
#include <popart/builder.hpp>

#include <utility>

#include "popart/host/builder.hpp"
#include "popart/host/settings.hpp"

namespace popir {
namespace python {
namespace {

template <class T>
bool put(Value& value, const popart::any& given) {
  if (given.type() != typeid(T)) return false;
  value = Value(popart::any_cast<T>(given));
  return true;
}

template <class... Types>
bool putAny(Value& value, const popart::any& given) {
  return (put<Types>(value, given) || ...);
}

/// An attribute's value.
/// \throws popart::error for a type that no attribute has
Value attribute(const std::string& name, const popart::any& given) {
  Value value;
  if (putAny<bool, int, unsigned, long, long long, unsigned long, float, double, std::string,
             const char*, std::vector<int64_t>, std::vector<int>, std::vector<float>,
             std::vector<std::string>>(value, given))
    return value;
  if (given.type() == typeid(popart::ConstVoidData))
    return valueOf(popart::any_cast<popart::ConstVoidData>(given));
  throw popart::error(
      "The attribute '{}' is a C++ value of the type {}; an attribute is an integer, a float, a "
      "std::string, a vector of int64_t, int, float or std::string, or a popart::ConstVoidData",
      name, given.type().name());
}

Value reductionOf(popart::ReductionType reduction) {
  return member("ReductionType", {"Sum", "Mean", "NoReduction"}, static_cast<int>(reduction));
}

Value scatterOf(popart::ScatterReduction reduction) {
  return member("ScatterReduction", {"Sum", "Max", "Min", "Mul", "NoReduction"},
                static_cast<int>(reduction));
}

Value operatorOf(const nonstd::optional<popart::CollectiveOperator>& op) {
  if (!op) return {};
  return member(
      "CollectiveOperator",
      {"Add", "Mean", "Mul", "Min", "Max", "LogicalAnd", "LogicalOr", "SquareAdd", "Local"},
      static_cast<int>(*op));
}

Value groupOf(const nonstd::optional<popart::CommGroup>& group) {
  if (!group) return {};
  return List{static_cast<int>(group->type), group->replicaGroupSize};
}

Object settingsOf(const popart::InputSettings& settings) {
  return make("InputSettings", {member("ReplicatedStreamMode", {"Broadcast", "Replicate"},
                                       static_cast<int>(settings.replicatedStreamMode()))});
}

}  // namespace

Value valueOf(const popart::ConstVoidData& data) {
  return Array{const_cast<void*>(data.data), data.info, Array::Use::Copy};
}

Value valueOf(const popart::Builder& builder) { return builder.handle(); }

std::vector<std::string> ids(const Value& value) { return value.texts(); }

Value node(const popart::DomainOpSet& opset, const char* name, const List& args,
           const Dict& attributes, const popart::DebugContext& debugContext) {
  Dict named = attributes;
  named["debugContext"] = debugContext.getPathName();
  return call(opset.handle(), name, args, named);
}

popart::TensorId constantNode(const popart::DomainOpSet& opset, const popart::ConstVoidData& value,
                              bool isSparse, const popart::DebugContext& debugContext) {
  if (isSparse) throw popart::error("Constant: popir has no sparse constants");
  return node(opset, "constant", {valueOf(value)}, {}, debugContext).text();
}

}  // namespace python
}  // namespace popir

namespace popart {

using popir::python::attribute;
using popir::python::call;
using popir::python::Dict;
using popir::python::get;
using popir::python::groupOf;
using popir::python::ids;
using popir::python::List;
using popir::python::make;
using popir::python::node;
using popir::python::operatorOf;
using popir::python::reductionOf;
using popir::python::scatterOf;
using popir::python::settingsOf;
using popir::python::toPython;
using popir::python::Value;
using popir::python::valueOf;

// ---- ai.graphcore ----

TensorId AiGraphcoreOpset1::copyvarupdate(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "copyvarupdate", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::batchnormalization(const Ids& args, unsigned num_outputs,
                                                            float epsilon, float momentum,
                                                            const DebugContext& debugContext) {
  return ids(node(*this, "batchnormalization", {args, num_outputs},
                  {{"epsilon", epsilon}, {"momentum", momentum}}, debugContext));
}

std::vector<TensorId> AiGraphcoreOpset1::groupnormalization(const Ids& args, int64_t num_groups,
                                                            float epsilon,
                                                            const DebugContext& debugContext) {
  return ids(node(*this, "groupnormalization", {args},
                  {{"num_groups", num_groups}, {"epsilon", epsilon}}, debugContext));
}

TensorId AiGraphcoreOpset1::subsample(const Ids& args, const Ints& strides,
                                      const DebugContext& debugContext) {
  return node(*this, "subsample", {args}, {{"strides", strides}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::nop(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "nop", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::normalize_image(const Ids& args, float scale,
                                            const DebugContext& debugContext) {
  return node(*this, "normalize_image", {args}, {{"scale", scale}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::scale(const Ids& args, float scale, const DebugContext& debugContext) {
  return node(*this, "scale", {args}, {{"scale", scale}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::scaledadd(const Ids& args, float scale0, float scale1,
                                      const DebugContext& debugContext) {
  return node(*this, "scaledadd", {args}, {{"scale0", scale0}, {"scale1", scale1}}, debugContext)
      .text();
}

std::vector<TensorId> AiGraphcoreOpset1::lstm(const Ids& args, int64_t outputFullSequence,
                                              const DebugContext& debugContext) {
  return ids(
      node(*this, "lstm", {args}, {{"outputFullSequence", outputFullSequence}}, debugContext));
}

TensorId AiGraphcoreOpset1::gelu(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "gelu", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::geluerf(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "geluerf", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::detach(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "detach", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::depthtospace(const Ids& args, int64_t blocksize,
                                         const std::string& mode,
                                         const DebugContext& debugContext) {
  return node(*this, "depthtospace", {args}, {{"blocksize", blocksize}, {"mode", mode}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::round(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "round", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::dynamicslice(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                                         const DebugContext& debugContext) {
  return node(*this, "dynamicslice", {args},
              {{"axes", axes}, {"sizes", sizes}, {"noOverlap", noOverlap}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamicupdate(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                                          const DebugContext& debugContext) {
  return node(*this, "dynamicupdate", {args},
              {{"axes", axes}, {"sizes", sizes}, {"noOverlap", noOverlap}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamiczero(const Ids& args, Ints axes, Ints sizes,
                                        const DebugContext& debugContext) {
  return node(*this, "dynamiczero", {args}, {{"axes", axes}, {"sizes", sizes}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamicadd(const Ids& args, Ints axes, Ints sizes,
                                       const DebugContext& debugContext) {
  return node(*this, "dynamicadd", {args}, {{"axes", axes}, {"sizes", sizes}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::sequenceslice(const Ids& args, int64_t zeroUnused,
                                          const DebugContext& debugContext) {
  return node(*this, "sequenceslice", {args}, {{"zeroUnused", zeroUnused}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::tensorremap(const Ids& args, int64_t remap_type,
                                        const DebugContext& debugContext) {
  return node(*this, "tensorremap", {args}, {{"remap_type", remap_type}}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::ctcbeamsearchdecoder(const Ids& args, unsigned blank,
                                                              unsigned beamWidth, unsigned topPaths,
                                                              const DebugContext& debugContext) {
  return ids(node(*this, "ctcbeamsearchdecoder", {args},
                  {{"blank", blank}, {"beamWidth", beamWidth}, {"topPaths", topPaths}},
                  debugContext));
}

TensorId AiGraphcoreOpset1::shapeddropout(const Ids& args, const Ints& shape, float ratio,
                                          const DebugContext& debugContext) {
  return node(*this, "shapeddropout", {args}, {{"shape", shape}, {"ratio", ratio}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::atan2(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "atan2", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::expm1(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "expm1", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::log1p(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "log1p", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::fmod(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "fmod", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::remainder(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "remainder", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::reverse(const Ids& args, const Ints& dimensions,
                                    const DebugContext& debugContext) {
  return node(*this, "reverse", {args}, {{"dimensions", dimensions}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::slice(const Ids& args, const Ints& ends, const Ints& starts,
                                  const Ints& axes, const DebugContext& debugContext) {
  return node(*this, "slice", {args}, {{"ends", ends}, {"starts", starts}, {"axes", axes}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::bitwisenot(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisenot", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwiseand(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwiseand", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwiseor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwiseor", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwisexor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisexor", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwisexnor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisexnor", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::reducemedian(const Ids& args,
                                                      const nonstd::optional<Ints>& axes,
                                                      int64_t keepdims,
                                                      const DebugContext& debugContext) {
  return ids(
      node(*this, "reducemedian", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext));
}

TensorId AiGraphcoreOpset1::groupedgather(const Ids& args, int64_t axis, int64_t group_size,
                                          const DebugContext& debugContext) {
  return node(*this, "groupedgather", {args}, {{"axis", axis}, {"group_size", group_size}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::swish(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "swish", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::incrementmod(const Ids& args, float increment, float modulus,
                                         const DebugContext& debugContext) {
  return node(*this, "incrementmod", {args}, {{"increment", increment}, {"modulus", modulus}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::bucketize(const Ids& args, int64_t right,
                                      const DebugContext& debugContext) {
  return node(*this, "bucketize", {args}, {{"right", right}}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::sort(const Ids& args, int64_t axis, int64_t descending,
                                              int64_t stable, const DebugContext& debugContext) {
  return ids(node(*this, "sort", {args},
                  {{"axis", axis}, {"descending", descending}, {"stable", stable}}, debugContext));
}

TensorId AiGraphcoreOpset1::nearbyint(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "nearbyint", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::splinebasis(const Ids& args, int64_t degree,
                                                     const DebugContext& debugContext) {
  return ids(node(*this, "splinebasis", {args}, {{"degree", degree}}, debugContext));
}

TensorId AiGraphcoreOpset1::splineweighting(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "splineweighting", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::init(Ints shape, int64_t data_type, int64_t init_type,
                                 int64_t batch_axis, const DebugContext& debugContext) {
  return node(*this, "init", {shape, data_type, init_type, batch_axis}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::init(Ints shape, int64_t data_type, int64_t init_type,
                                 const DebugContext& debugContext) {
  return node(*this, "init", {shape, data_type, init_type}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::call(const Ids& args, unsigned num_outputs,
                                              const Builder& callee,
                                              const DebugContext& debugContext) {
  return ids(node(*this, "call", {args, num_outputs, valueOf(callee)}, {}, debugContext));
}

TensorId AiGraphcoreOpset1::packedDataBlock(const Ids& args, const Ints& maxSequenceLengths,
                                            int64_t resultSize, int64_t callbackBatchSize,
                                            const Builder& callback,
                                            const DebugContext& debugContext) {
  return node(*this, "packedDataBlock", {args},
              {{"maxSequenceLengths", maxSequenceLengths},
               {"resultSize", resultSize},
               {"callbackBatchSize", callbackBatchSize},
               {"callback", valueOf(callback)}},
              debugContext)
      .text();
}

void AiGraphcoreOpset1::abort(const Ids& args, const DebugContext& debugContext) {
  node(*this, "abort", {args}, {}, debugContext);
}

TensorId AiGraphcoreOpset1::reshape(const TensorId& arg, const Ints& shape,
                                    const DebugContext& debugContext) {
  return node(*this, "reshape", {arg, shape}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::printtensor(const Ids& args, int64_t print_gradient,
                                        const DebugContext& debugContext, const std::string& title,
                                        const int summariseThreshold, const int edgeItems,
                                        const int maxLineWidth, const int digits,
                                        const int floatFormat, const char separator,
                                        const char openBracket, const char closeBracket) {
  return node(*this, "printtensor", {args},
              {{"print_gradient", print_gradient},
               {"title", title},
               {"summariseThreshold", summariseThreshold},
               {"edgeItems", edgeItems},
               {"maxLineWidth", maxLineWidth},
               {"digits", digits},
               {"floatFormat", floatFormat},
               {"separator", std::string(1, separator)},
               {"openBracket", std::string(1, openBracket)},
               {"closeBracket", std::string(1, closeBracket)}},
              debugContext)
      .text();
}

std::vector<TensorId> AiGraphcoreOpset1::multiconv(
    const MultiConvInputs& tensors, const MultiConvDilations& dilations,
    const MultiConvDilations& inDilations, const MultiConvPads& pads, const MultiConvPads& outPads,
    const MultiConvStrides& strides, const std::vector<float>& availableMemoryProportions,
    const std::vector<std::string>& partialsTypes, const nonstd::optional<std::string> planType,
    const nonstd::optional<int> perConvReservedTiles, const nonstd::optional<float> cycleBackOff,
    const std::vector<int64_t> enableConvDithering, const DebugContext& debugContext) {
  return ids(node(*this, "multiconv", {tensors},
                  {{"dilations", dilations},
                   {"inDilations", inDilations},
                   {"pads", pads},
                   {"outPads", outPads},
                   {"strides", strides},
                   {"availableMemoryProportions", availableMemoryProportions},
                   {"partialsTypes", partialsTypes},
                   {"planType", planType},
                   {"perConvReservedTiles", perConvReservedTiles},
                   {"cycleBackOff", cycleBackOff},
                   {"enableConvDithering", enableConvDithering}},
                  debugContext));
}

TensorId AiGraphcoreOpset1::replicatedallreduce(
    const Ids& args, const nonstd::optional<std::vector<int64_t>>& commGroup,
    const DebugContext& debugContext) {
  return node(*this, "replicatedallreduce", {args}, {{"commGroup", commGroup}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::replicatedallreduce(
    const Ids& args, const nonstd::optional<CollectiveOperator>& collectiveOperator,
    const nonstd::optional<CommGroup>& commGroup, const DebugContext& debugContext) {
  return node(*this, "replicatedallreduce", {args},
              {{"collectiveOperator", operatorOf(collectiveOperator)},
               {"commGroup", groupOf(commGroup)}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::replicatedreducescatter(
    const Ids& args, const nonstd::optional<CollectiveOperator>& collectiveOperator,
    const nonstd::optional<CommGroup>& commGroup, const DebugContext& debugContext) {
  return node(*this, "replicatedreducescatter", {args},
              {{"collectiveOperator", operatorOf(collectiveOperator)},
               {"commGroup", groupOf(commGroup)}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::l1loss(const Ids& args, const float lambda,
                                   const ReductionType reduction,
                                   const DebugContext& debugContext) {
  return node(*this, "l1loss", {args, lambda, reductionOf(reduction)}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::nllloss(const Ids& args, const ReductionType reduction,
                                    const nonstd::optional<int> ignoreIndex,
                                    bool inputIsLogProbability, const DebugContext& debugContext) {
  return node(*this, "nllloss", {args},
              {{"reduction", reductionOf(reduction)},
               {"ignoreIndex", ignoreIndex},
               {"inputIsLogProbability", inputIsLogProbability}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::identityloss(const Ids& args, const ReductionType reduction,
                                         const DebugContext& debugContext) {
  return node(*this, "identityloss", {args}, {{"reduction", reductionOf(reduction)}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::ctcloss(const Ids& args, const ReductionType reduction,
                                    const unsigned blank, const std::string& outDataType,
                                    const bool zeroInfinity, const DebugContext& debugContext) {
  const List given = {args, reductionOf(reduction), blank, outDataType, zeroInfinity};
  return node(*this, "ctcloss", given, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::_ctcloss(const Ids& args, const ReductionType reduction,
                                                  const unsigned blank,
                                                  const std::string& outDataType,
                                                  const bool zeroInfinity,
                                                  const DebugContext& debugContext) {
  const List given = {args, reductionOf(reduction), blank, outDataType, zeroInfinity};
  return ids(node(*this, "_ctcloss", given, {}, debugContext));
}

TensorId AiGraphcoreOpset1::scatterreduce(const Ids& args, int64_t axis_size, int64_t axis,
                                          ScatterReduction reduction,
                                          int64_t enable_index_broadcast,
                                          const DebugContext& debugContext) {
  return groupedscatterreduce(args, axis_size, axis, reduction, 1, enable_index_broadcast,
                              debugContext);
}

TensorId AiGraphcoreOpset1::groupedscatterreduce(const Ids& args, int64_t axis_size, int64_t axis,
                                                 ScatterReduction reduction, int64_t group_size,
                                                 int64_t enable_index_broadcast,
                                                 const DebugContext& debugContext) {
  const List given = {
      args, axis_size, axis, scatterOf(reduction), group_size, enable_index_broadcast};
  return node(*this, "groupedscatterreduce", given, {}, debugContext).text();
}

// ---- Builder ----

Builder::Builder(std::shared_ptr<void> builder, Builder* parent)
    : builder_(std::move(builder)), parent_(parent) {}
Builder::~Builder() = default;

std::unique_ptr<Builder> Builder::create() {
  return std::unique_ptr<Builder>(new Builder(make("Builder")));
}

std::unique_ptr<Builder> Builder::createFromOnnxModel(const std::string& modelProtoOrFilename) {
  return std::unique_ptr<Builder>(
      new Builder(make("Builder", {popir::python::modelOf(modelProtoOrFilename)})));
}

Builder& Builder::createSubgraphBuilder() {
  children_.emplace_back(new Builder(call(builder_, "createSubgraphBuilder").object(), this));
  return *children_.back();
}

std::shared_ptr<void> Builder::opset(const char* name) { return get(builder_, name).object(); }

TensorId Builder::addInputTensor(const TensorInfo& info, const DebugContext& debugContext) {
  return call(builder_, "addInputTensor", {toPython(info)},
              {{"debugContext", debugContext.getPathName()}})
      .text();
}
TensorId Builder::addInputTensor(const std::string& dataType, const Shape& shape,
                                 const DebugContext& debugContext) {
  return addInputTensor(TensorInfo(dataType, shape), debugContext);
}
TensorId Builder::addInputTensor(const TensorInfo& info, const InputSettings& settings,
                                 const DebugContext& debugContext) {
  return call(builder_, "addInputTensor", {toPython(info)},
              {{"settings", settingsOf(settings)}, {"debugContext", debugContext.getPathName()}})
      .text();
}
TensorId Builder::addInputTensor(const std::string& dataType, const Shape& shape,
                                 const InputSettings& settings, const DebugContext& debugContext) {
  return addInputTensor(TensorInfo(dataType, shape), settings, debugContext);
}
TensorId Builder::addUntypedInputTensor(const DebugContext& debugContext) {
  return call(builder_, "addUntypedInputTensor", {debugContext.getPathName()}).text();
}
void Builder::addInputTensorFromParentGraph(const TensorId& id) {
  call(builder_, "addInputTensorFromParentGraph", {id});
}
TensorId Builder::addInitializedInputTensor(const ConstVoidData& data,
                                            const DebugContext& debugContext) {
  return call(builder_, "addInitializedInputTensor", {valueOf(data)},
              {{"debugContext", debugContext.getPathName()}})
      .text();
}
void Builder::addOutputTensor(const TensorId& id) { call(builder_, "addOutputTensor", {id}); }

std::vector<TensorId> Builder::customOp(const OperatorIdentifier& opid, int opsetVersion,
                                        const std::vector<TensorId>& inputs, unsigned numOutputs,
                                        const std::map<std::string, popart::any>& attributes,
                                        const DebugContext& debugContext) {
  Dict given;
  for (const auto& each : attributes) given[each.first] = attribute(each.first, each.second);
  // In ONNX's domains an operator has the version that is in force at the model's opset.
  int version = opsetVersion;
  if (opid.domain == "ai.onnx" || opid.domain.empty()) {
    get(builder_, ("aiOnnxOpset" + std::to_string(opsetVersion)).c_str());
    version = static_cast<int>(opid.version);
  }
  return ids(call(
      builder_, "customOp",
      {opid.type, version, opid.domain, inputs, given, numOutputs, debugContext.getPathName()}));
}

std::vector<TensorId> Builder::checkpointOutput(const std::vector<TensorId>& outputs) {
  return ids(call(builder_, "checkpointOutput", {outputs}));
}

void Builder::outputTensorLocation(const TensorId&, TensorLocation) {
  throw error(
      "popart::Builder::outputTensorLocation is not there: the location of a tensor is set by "
      "SessionOptions::tensorLocationSettingsOverride");
}
void Builder::recomputeOutput(const TensorId& output, RecomputeType value) {
  recomputeOutputInBackwardPass(Outputs{output}, value);
}
void Builder::recomputeOutputInBackwardPass(const TensorId& output, RecomputeType value) {
  recomputeOutputInBackwardPass(Outputs{output}, value);
}
void Builder::recomputeOutputInBackwardPass(const Outputs& outputs, RecomputeType value) {
  addNodeAttribute(sRecomputeOutputAttribute, static_cast<int64_t>(value), outputs);
}
bool Builder::getRecomputeOutputInBackwardPass(const TensorId& output) {
  return getRecomputeOutputInBackwardPass(Outputs{output});
}
bool Builder::getRecomputeOutputInBackwardPass(const Outputs& outputs) {
  return getBoolNodeAttribute(sRecomputeOutputAttribute, outputs);
}
void Builder::virtualGraph(const TensorId& output, int64_t value) {
  virtualGraph(Outputs{output}, value);
}
void Builder::virtualGraph(const Outputs& outputs, int64_t value) {
  addNodeAttribute(sVirtualGraphAttribute, value, outputs);
}
void Builder::executionPhase(const TensorId& output, int64_t value) {
  executionPhase(Outputs{output}, value);
}
void Builder::executionPhase(const Outputs& outputs, int64_t value) {
  addNodeAttribute(sExecutionPhaseAttribute, value, outputs);
}
void Builder::pipelineStage(const TensorId& output, int64_t value) {
  pipelineStage(Outputs{output}, value);
}
void Builder::pipelineStage(const Outputs& outputs, int64_t value) {
  addNodeAttribute(sPipelineStageAttribute, value, outputs);
}
void Builder::excludePatterns(const TensorId& output, const std::vector<std::string>& patterns) {
  excludePatterns(Outputs{output}, patterns);
}
void Builder::excludePatterns(const Outputs& outputs, const std::vector<std::string>& patterns) {
  addNodeAttribute(sExcludePatternsAttribute, patterns, outputs);
}
void Builder::setSerializeMatMul(const Outputs& outputs, std::string mode, int64_t factor,
                                 bool keep_precision) {
  call(builder_, "setSerializeMatMul", {outputs, mode, factor, keep_precision});
}
void Builder::setPartialsType(const TensorId& output, const std::string partialsType) {
  call(builder_, "setPartialsType", {output, partialsType});
}
void Builder::setEnableConvDithering(const TensorId& output, int64_t value) {
  call(builder_, "setEnableConvDithering", {output, value});
}
std::string Builder::getPartialsType(const TensorId& output) {
  return call(builder_, "getPartialsType", {output}).text();
}
void Builder::setInplacePreferences(const TensorId& output,
                                    const std::map<OpType, float>& preferences) {
  call(builder_, "setInplacePreferences", {output, preferences});
}
void Builder::setAvailableMemoryProportion(const TensorId& output, const float proportion) {
  setAvailableMemoryProportion(Outputs{output}, proportion);
}
void Builder::setAvailableMemoryProportion(const Outputs& outputs, const float proportion) {
  call(builder_, "setAvailableMemoryProportion", {outputs, proportion});
}
int64_t Builder::getVirtualGraph(const TensorId& output) {
  return getVirtualGraph(Outputs{output});
}
int64_t Builder::getVirtualGraph(const Outputs& outputs) {
  return getInt64NodeAttribute(sVirtualGraphAttribute, outputs);
}
int64_t Builder::getExecutionPhase(const TensorId& output) {
  return getExecutionPhase(Outputs{output});
}
int64_t Builder::getExecutionPhase(const Outputs& outputs) {
  return getInt64NodeAttribute(sExecutionPhaseAttribute, outputs);
}

void Builder::setAttribute(const std::string& name, popart::any value) {
  call(builder_, "setAttribute", {name, attribute(name, value)});
}
popart::any Builder::getAttribute(const std::string& name) const {
  const Value value = call(builder_, "getAttribute", {name});
  if (std::holds_alternative<int64_t>(value.held())) return value.integer();
  if (std::holds_alternative<double>(value.held())) return static_cast<float>(value.number());
  if (std::holds_alternative<std::string>(value.held())) return value.text();
  const List& list = value.list();
  if (!list.empty() && std::holds_alternative<std::string>(list[0].held())) return value.texts();
  return value.integers();
}
bool Builder::hasAttribute(const std::string& name) const {
  return call(builder_, "hasAttribute", {name}).integer() != 0;
}
void Builder::clearAttribute(const std::string& name) { call(builder_, "clearAttribute", {name}); }
int64_t Builder::getPipelineStage() const { return call(builder_, "getPipelineStage").integer(); }
int64_t Builder::getExecutionPhase() const { return call(builder_, "getExecutionPhase").integer(); }
int64_t Builder::getVirtualGraph() const { return call(builder_, "getVirtualGraph").integer(); }

void Builder::addNodeAttribute(const std::string& name, const int64_t& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const std::vector<int64_t>& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const float& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const std::vector<float>& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const std::string& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const char* value, const Outputs& outputs) {
  addNodeAttribute(name, std::string(value), outputs);
}
void Builder::addNodeAttribute(const std::string& name, const std::vector<std::string>& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, value, outputs});
}
void Builder::addNodeAttribute(const std::string& name, const bool value, const Outputs& outputs) {
  addNodeAttribute(name, static_cast<int64_t>(value), outputs);
}
void Builder::addNodeAttribute(const std::string& name, const ConstVoidData& value,
                               const Outputs& outputs) {
  call(builder_, "addNodeAttribute", {name, valueOf(value), outputs});
}
bool Builder::nodeHasAttribute(const std::string& name, const Outputs& outputs) {
  return call(builder_, "nodeHasAttribute", {name, outputs}).integer() != 0;
}
int64_t Builder::getInt64NodeAttribute(const std::string& name, const Outputs& outputs) {
  return call(builder_, "getInt64NodeAttribute", {name, outputs}).integer();
}
std::vector<int64_t> Builder::getInt64VectorNodeAttribute(const std::string& name,
                                                          const Outputs& outputs) {
  return call(builder_, "getInt64VectorNodeAttribute", {name, outputs}).integers();
}
float Builder::getFloatNodeAttribute(const std::string& name, const Outputs& outputs) {
  return static_cast<float>(call(builder_, "getFloatNodeAttribute", {name, outputs}).number());
}
std::vector<float> Builder::getFloatVectorNodeAttribute(const std::string& name,
                                                        const Outputs& outputs) {
  std::vector<float> values;
  const Value found = call(builder_, "getFloatVectorNodeAttribute", {name, outputs});
  for (const Value& each : found.list()) values.push_back(static_cast<float>(each.number()));
  return values;
}
std::string Builder::getStringNodeAttribute(const std::string& name, const Outputs& outputs) {
  return call(builder_, "getStringNodeAttribute", {name, outputs}).text();
}
std::vector<std::string> Builder::getStringVectorNodeAttribute(const std::string& name,
                                                               const Outputs& outputs) {
  return call(builder_, "getStringVectorNodeAttribute", {name, outputs}).texts();
}
bool Builder::getBoolNodeAttribute(const std::string& name, const Outputs& outputs) {
  return getInt64NodeAttribute(name, outputs) != 0;
}
void Builder::removeNodeAttribute(const std::string& name, const Outputs& outputs) {
  call(builder_, "removeNodeAttribute", {name, outputs});
}
std::vector<std::string> Builder::getAllNodeAttributeNames(const Outputs& outputs) {
  return call(builder_, "getAllNodeAttributeNames", {outputs}).texts();
}

std::string Builder::getModelProto(bool humanReadable) const {
  if (humanReadable)
    throw error(
        "popart::Builder::getModelProto: popir writes no model as text; take the bytes, and print "
        "them with the onnx package");
  return call(builder_, "getModelProto").text();
}
void Builder::saveModelProto(const std::string& filename) {
  call(builder_, "saveModelProto", {filename});
}
void Builder::saveInitializersExternally(const std::vector<TensorId>& names,
                                         const std::string& filename) {
  call(builder_, "saveInitializersExternally", {names, filename});
}
std::vector<TensorId> Builder::getInputTensorIds() const {
  return ids(call(builder_, "getInputTensorIds"));
}
std::vector<TensorId> Builder::getOutputTensorIds() const {
  return ids(call(builder_, "getOutputTensorIds"));
}
std::vector<TensorId> Builder::getValueTensorIds() const {
  return ids(call(builder_, "getValueTensorIds"));
}
std::vector<TensorId> Builder::getTrainableTensorIds() const {
  return ids(call(builder_, "getTrainableTensorIds"));
}
bool Builder::hasValueInfo(const TensorId& id) const {
  try {
    call(builder_, "getTensorShape", {id});
    return true;
  } catch (const error&) {
    return false;
  }
}
std::vector<int64_t> Builder::getTensorShape(const TensorId id) {
  return call(builder_, "getTensorShape", {id}).integers();
}
bool Builder::isInitializer(const TensorId id) const {
  return call(builder_, "isInitializer", {id}).integer() != 0;
}
std::string Builder::getTensorDtypeString(const TensorId id) {
  return call(builder_, "getTensorDtypeString", {id}).text();
}
DataType Builder::getTensorDataType(const TensorId id) {
  return dataTypeFromString(getTensorDtypeString(id));
}
void Builder::pushNameScope(const std::string& name) { call(builder_, "pushNameScope", {name}); }
void Builder::popNameScope() { call(builder_, "popNameScope"); }
std::string Builder::getNameScope(const std::string& name) const {
  return call(builder_, "getNameScope", {name}).text();
}
void Builder::setGraphName(const std::string& name) { call(builder_, "setGraphName", {name}); }
void Builder::embedReplicationFactor(int replicationFactor) {
  call(builder_, "embedReplicationFactor", {replicationFactor});
}

}  // namespace popart
