// Builder: each function is one call of the method of the same name.
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

Object settingsOf(const popart::InputSettings& settings) {
  return make(
      "InputSettings",
      {member("TileSet", {"Compute", "IO"}, static_cast<int>(settings.tileSet())),
       member("ExchangeStrategy", {"JustInTime", "OverlapInnerLoop", "OverlapLoops", "OverlapStep"},
              static_cast<int>(settings.exchangeStrategy())),
       member("ReplicatedStreamMode", {"Broadcast", "Replicate"},
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
using popir::python::ids;
using popir::python::List;
using popir::python::make;
using popir::python::member;
using popir::python::settingsOf;
using popir::python::toPython;
using popir::python::Value;
using popir::python::valueOf;

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
TensorId Builder::addInitializedInputTensor(const ConstVoidData& data,
                                            const VariableSettings& variableSettings,
                                            const DebugContext& debugContext) {
  // The names have the same order in Python and C++.
  const Value mode =
      member("VariableRetrievalMode", {"OnePerGroup", "AllReduceReplicas", "AllReplicas"},
             static_cast<int>(variableSettings.getRetrievalMode()));
  const int64_t size = variableSettings.getGroupSize();
  const Value settings =
      variableSettings.isUsingCommGroup()
          ? make("VariableSettings",
                 {make("CommGroup",
                       {member("CommGroupType", {"All", "Consecutive", "Orthogonal", "Ungrouped"},
                               static_cast<int>(variableSettings.getCommGroupType())),
                        size}),
                  mode})
          : make("VariableSettings",
                 {static_cast<int64_t>(variableSettings.getStride()), size, mode});
  return call(builder_, "addInitializedInputTensor", {valueOf(data), settings},
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
