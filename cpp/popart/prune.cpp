// Removal of what nothing needs.
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/tensors.hpp>
#include <popart/transforms/prune.hpp>

#include <algorithm>
#include <typeinfo>

namespace popart {
namespace {

const bool registeredPrune = Transform::registerTransform(new Prune());

/// Whether the operator changes what outlives the graph's run: a variable, or what its caller has
/// given.
bool changesOutside(const Op& op) {
  for (const auto& in : op.input->tensorMap()) {
    const bool outlives =
        in.second->tensorType() == TensorType::Variable || in.second->isGraphInput();
    if (outlives && op.modifiesIndex(in.first)) return true;
  }
  return false;
}

bool isMain(const Graph& graph) { return graph.id == GraphId::root(); }

}  // namespace

Prune::~Prune() = default;
std::size_t Prune::id() { return typeid(Prune).hash_code(); }

void PruneHelper::analyze() {
  std::set<Tensor*> seen;
  std::vector<Tensor*> front;
  const auto read = [&](Tensor* tensor) {
    if (seen.insert(tensor).second) front.push_back(tensor);
  };
  const auto require = [&](Op* op) {
    for (const auto& in : op->input->tensorMap()) read(in.second);
  };
  for (Tensor* tensor : front_) read(tensor);
  for (Op* op : required_) require(op);
  while (!front.empty()) {
    Tensor* tensor = front.back();
    front.pop_back();
    std::vector<Op*> needed;
    if (tensor->hasProducer()) needed.push_back(tensor->getProducer());
    for (Op* consumer : tensor->consumers.getOps())
      for (const InIndex in : consumer->input->indices(tensor))
        if (consumer->modifiesIndex(in)) needed.push_back(consumer);
    for (Op* op : needed)
      if (required_.insert(op).second) require(op);
  }
  ops_.clear();
  tensors_.clear();
  for (const auto& each : graph_->getOps()) {
    Op* op = each.second.get();
    if (required_.count(op) != 0 || op->hasSideEffect()) continue;
    ops_.push_back(op);
    for (const auto& out : op->output->tensorMap()) tensors_.push_back(out.second);
  }
  for (const TensorId& id : graph_->getInputIds()) {
    Tensor* tensor = graph_->getTensors().get(id);
    const auto consumers = tensor->consumers.getOps();
    const bool isRead = std::any_of(consumers.begin(), consumers.end(), [&](Op* op) {
      return std::find(ops_.begin(), ops_.end(), op) == ops_.end();
    });
    if (!isRead && seen.count(tensor) == 0) tensors_.push_back(tensor);
  }
}

void PruneHelper::deleteOps(const std::vector<Op*>& ops) const {
  for (Op* op : ops) {
    logging::transform::debug("Prune: {} is removed", op->debugName());
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph_->eraseOp(op->id);
  }
}

void PruneHelper::deleteTensors(const std::vector<Tensor*>& tensors) const {
  for (Tensor* tensor : tensors) graph_->getTensors().remove(tensor->id);
}

bool Prune::apply(Graph& graph) const {
  Ir& ir = graph.getIr();
  std::vector<Tensor*> front;
  const auto outputs = graph.getOutputIds();
  std::set<TensorId> ids(outputs.begin(), outputs.end());
  if (isMain(graph))
    for (const auto& anchors : {ir.getAnchors(), ir.getRootAnchors()})
      ids.insert(anchors.begin(), anchors.end());
  ids.insert(ir.getFinalLossId());
  for (const TensorId& id : ids)
    if (graph.getTensors().contains(id)) front.push_back(graph.getTensors().get(id));

  OpSet required;
  for (const auto& each : graph.getOps()) {
    Op* op = each.second.get();
    if (!op->pruneable || op->hasSideEffect() || changesOutside(*op)) required.insert(op);
  }

  PruneHelper helper(&graph);
  helper.setFront(front);
  helper.setRequired(required);
  helper.analyze();
  const auto ops = helper.getOpsToDelete();
  std::vector<TensorId> outputsOfThese;
  for (Op* op : ops)
    for (const auto& out : op->output->tensorIdMap()) outputsOfThese.push_back(out.second);
  helper.deleteOps(ops);
  for (const TensorId& id : outputsOfThese)
    if (graph.getTensors().contains(id)) graph.getTensors().remove(id);
  return !ops.empty();
}

}  // namespace popart
