// The public classes for registration; they forward to the registry.
#include <popart/graph.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>

#include "popart/ir_calls.hpp"
#include "popart/registry.hpp"

namespace popart {
namespace {

using popir::Origin;
using popir::record;
using popir::Registry;

}  // namespace

void OpManager::registerOp(const OpInfo& opInfo, const void* where) noexcept {
  const void* caller = __builtin_return_address(0);
  record("an operator", [&] {
    const Origin origin = Origin::of(where, caller);
    Registry::instance().addOp(opInfo, origin);
  });
}

std::unique_ptr<Op> OpManager::createOp(const OperatorIdentifier& opid, Graph& graph,
                                        const std::string& name, const Attributes& attributes) {
  return popir::irCalls().createOp(graph, opid, name, attributes);
}

const std::vector<OperatorIdentifier> OpManager::getSupportedOperations(bool includePrivate) {
  std::vector<OperatorIdentifier> opids;
  for (const auto& op : Registry::instance().ops())
    if (includePrivate || op.second.info.isPublic) opids.push_back(op.first);
  return opids;
}

const OpDefinitions OpManager::getSupportedOperationsDefinition(bool includePrivate) {
  OpDefinitions definitions;
  for (const auto& op : Registry::instance().ops())
    if (includePrivate || op.second.info.isPublic)
      definitions.emplace(op.first, op.second.info.details);
  return definitions;
}

bool OpCreatorInfo::hasInputTensor(int index) const {
  return index >= 0 && index < static_cast<int>(inputIds_.size()) &&
         !inputIds_[static_cast<std::size_t>(index)].empty();
}

Tensor* OpCreatorInfo::getInputTensor(int index) const {
  if (!hasInputTensor(index)) throw error("{} has no input {}", debugName(), index);
  return settings.graph.get().getTensor(inputIds_[static_cast<std::size_t>(index)]);
}

TensorInfo& OpCreatorInfo::getInputTensorInfo(int index) const {
  return getInputTensor(index)->info;
}

const TensorData& OpCreatorInfo::inputData(int index, DataType type) const {
  const Tensor* tensor = getInputTensor(index);
  if (tensor->tensorType() != TensorType::Const || !tensor->hasTensorData())
    throw error(
        "{} needs the value of input {}, '{}', which is not known when the model is compiled",
        debugName(), index, tensor->id);
  if (tensor->info.dataType() != type)
    throw error("{} reads input {}, '{}', as {}, and it is {}", debugName(), index, tensor->id,
                type, tensor->info);
  return *tensor->tensorData();
}

void OpCreatorInfo::checkScalar(int index, std::size_t elements) const {
  if (elements != 1)
    throw error("{} takes input {} for one value, and it has {} elements", debugName(), index,
                elements);
}

std::string OpCreatorInfo::debugName() const {
  return logging::format("Op({}, name='{}', inputs={}, outputs={})", opid, settings.name, inputIds_,
                         outputIds_);
}

namespace popx {

void OpxManager::registerOpx(const OperatorIdentifier& opid, const OpxFactoryFunc& factory,
                             const void* where) noexcept {
  const void* caller = __builtin_return_address(0);
  record("an Opx", [&] {
    const Origin origin = Origin::of(where, caller);
    Registry::instance().addOpx(opid, factory, origin);
  });
}

std::unique_ptr<OpxBase> OpxManager::createOpx(Op* op, Devicex* devicex) {
  const popir::OpxRecord* found = Registry::instance().findOpx(op->opid);
  return found == nullptr ? nullptr : found->factory(op, devicex);
}

}  // namespace popx

void PreAliasPatternManager::registerPattern(std::type_index type, const std::string& name,
                                             bool enabled, bool mandatory, const Factory& factory,
                                             const void* where) noexcept {
  const void* caller = __builtin_return_address(0);
  record("a pattern", [&] {
    const Origin origin = Origin::of(where, caller);
    Registry::instance().addPattern({name, enabled, mandatory, type, factory, origin});
  });
}

void ShapeInferenceFunctions::registerFunction(const OperatorIdentifier& opid,
                                               ShapeInferenceFunction function) {
  const void* caller = __builtin_return_address(0);
  record("a shape inference function", [&] {
    Registry::instance().addShapeFunction(opid, std::move(function), Origin::of(caller, caller));
  });
}

bool ShapeInferenceFunctions::hasFunction(const OperatorIdentifier& opid) {
  return Registry::instance().findShapeFunction(opid) != nullptr;
}

ShapeInferenceFunction ShapeInferenceFunctions::getFunction(const OperatorIdentifier& opid) {
  if (const auto* found = Registry::instance().findShapeFunction(opid)) return found->function;
  throw error("{} has no shape inference function", opid);
}

ShapeInferenceContext::ShapeInferenceContext(std::map<int, TensorInfo> inputs,
                                             const Attributes& attributes, int outputSize)
    : inputs_(std::move(inputs)), attributes_(attributes) {
  for (int index = 0; index < outputSize; ++index) outputs_[index];
}

const TensorInfo& ShapeInferenceContext::inInfo(int index) const {
  const auto found = inputs_.find(index);
  if (found == inputs_.end())
    throw error("Shape inference asked for input {}, of which nothing is known", index);
  return found->second;
}

TensorInfo& ShapeInferenceContext::outInfo(int index) {
  const auto found = outputs_.find(index);
  if (found == outputs_.end())
    throw error("Shape inference asked for output {} of {}", index, outputs_.size());
  return found->second;
}

}  // namespace popart
