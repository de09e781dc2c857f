#include <popart/tensors.hpp>

#include <popart/graph.hpp>
#include <popart/op.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "popart/ir_calls.hpp"
#include "popart/link.hpp"

namespace popart {

using popir::irCalls;

namespace {

/// The whole id of a tensor in a scope or in one around it.
std::optional<TensorId> within(const Tensors& tensors, const TensorId& id, Scope scope) {
  for (; !scope.empty(); scope.pop()) {
    const TensorId whole = (scope / id).str();
    if (tensors.contains(whole)) return whole;
  }
  if (tensors.contains(id)) return id;
  return {};
}

}  // namespace

Tensor* Tensors::get(const TensorId& id) const {
  Tensor* tensor = irCalls().tensor(graph_, id);
  if (tensor == nullptr) throw error("{} has no tensor '{}'", graph_.getGraphString(), id);
  popir::touch(*tensor);
  return tensor;
}

bool Tensors::contains(TensorId id) const { return irCalls().tensor(graph_, id) != nullptr; }

void Tensors::remove(const TensorId& id) { irCalls().removeTensor(graph_, id); }

void Tensors::addActGrad(TensorId id, const DebugContext&) { irCalls().addActGrad(graph_, id); }

std::vector<TensorId> Tensors::getAllTensorIds() const { return irCalls().tensorIds(graph_); }

std::vector<Tensor*> Tensors::getAll() const {
  std::vector<Tensor*> all;
  for (const TensorId& id : getAllTensorIds()) all.push_back(get(id));
  return all;
}

void Tensors::addStream(TensorId id, const TensorInfo& info, const DebugContext&) {
  irCalls().addStream(graph_, id, info);
}

void Tensors::addVarInit(const TensorId& id, const TensorInfo& info, const void* data,
                         const DebugContext&) {
  irCalls().addInit(graph_, "addVarInit", id, info, data);
}

void Tensors::addConstInit(const TensorId& id, const TensorInfo& info, const void* data,
                           const DebugContext&) {
  irCalls().addInit(graph_, "addConstInit", id, info, data);
}

std::vector<Tensor*> Tensors::getOfType(const std::vector<TensorType>& types) const {
  std::vector<Tensor*> found;
  for (Tensor* tensor : getAll())
    if (std::find(types.begin(), types.end(), tensor->tensorType()) != types.end())
      found.push_back(tensor);
  return found;
}

std::vector<Tensor*> Tensors::getOfType(TensorType type) const {
  return getOfType(std::vector<TensorType>{type});
}

std::vector<TensorId> Tensors::getIds(TensorType type) const {
  std::vector<TensorId> ids;
  for (const Tensor* tensor : getOfType(type)) ids.push_back(tensor->id);
  return ids;
}

bool Tensors::contains(TensorId id, const Scope& scope) const {
  return within(*this, id, scope).has_value();
}

TensorId Tensors::find(TensorId id, const Scope& scope) const {
  if (const auto whole = within(*this, id, scope)) return *whole;
  throw error("{} has no tensor '{}' in the scope '{}' or around it", graph_.getGraphString(), id,
              scope.str());
}

void Tensors::addVarInit(const TensorId& id, const TensorInfo& info, const void* data,
                         const VariableSettings& settings, const DebugContext& context) {
  const bool isOne = settings.isUsingCommGroup()
                         ? settings.getSharedVariableDomain().type == CommGroupType::All
                         : false;
  if (!isOne || settings.getRetrievalMode() != VariableRetrievalMode::OnePerGroup)
    throw error(
        "Tensors::addVarInit: '{}' has settings ({}) of groups of replicas; a variable that a "
        "program "
        "adds is the same on all, and Builder::addInitializedInputTensor() takes groups",
        id, settings);
  addVarInit(id, info, data, context);
}

void Tensors::addVarInitFromViewOf(const TensorId& id, const TensorInfo&, void*,
                                   const VariableSettings&, const DebugContext&) {
  throw error(
      "Tensors::addVarInitFromViewOf: the value of '{}' cannot stay in memory of the program's "
      "own; "
      "addVarInit() copies it",
      id);
}

void Tensors::makeConstInit(const TensorId& id, const void* data) {
  Tensor* tensor = get(id);
  if (const Op* producer = tensor->getProducerUnsafe())
    throw error("Tensors::makeConstInit: '{}' is computed by {}", id, producer->debugName());
  const TensorInfo info = tensor->info;
  std::vector<std::pair<Op*, InIndex>> readers;
  for (Op* op : tensor->consumers.getOps())
    for (const int index : op->input->indices(tensor)) readers.emplace_back(op, index);
  for (const auto& [op, index] : readers) op->disconnectInTensor(index);
  const bool isOutput = graph_.hasOutputId(id);
  const OutIndex place = isOutput ? graph_.getOutputIndex(id) : -1;
  if (isOutput) graph_.removeOutput(id);
  if (graph_.hasInputId(id)) graph_.removeInput(id);
  if (contains(id)) remove(id);
  addConstInit(id, info, data);
  if (isOutput) graph_.markAsOutput(place, id, false);
  for (const auto& [op, index] : readers) op->connectInTensor(index, id);
}

std::vector<TensorId> Tensors::getNoProducerIds() const {
  std::vector<TensorId> ids;
  for (const TensorType type : {TensorType::Stream, TensorType::Const, TensorType::Variable}) {
    const std::vector<TensorId> some = getIds(type);
    ids.insert(ids.end(), some.begin(), some.end());
  }
  return ids;
}

void Tensors::append(std::stringstream& ss) const {
  const char* before = "[";
  for (const TensorId& id : getAllTensorIds()) ss << std::exchange(before, " ") << id;
  ss << (*before == '[' ? "[]" : "]");
}

void Tensors::removeIsolated(bool retainUsedIOTensors, bool retainAllIOTensors,
                             bool retainVarTensors, bool retainConstTensors) {
  graph_.removeIsolatedTensors(retainUsedIOTensors, retainAllIOTensors, retainVarTensors,
                               retainConstTensors);
}

}  // namespace popart
