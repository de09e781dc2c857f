#include <popart/alias/aliasmodel.hpp>
#include <popart/alias/aliasmodelgrower.hpp>
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>
#include <popart/tensors.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace popart {

namespace inplace = poprithms::memory::inplace;

void AliasModel::insertTensor(const PoprithmsTensorId& poprithmsTensor,
                              const Tensor& popartTensor) {
  toTensor_[popartTensor.id] = poprithmsTensor;
  fromTensor_[poprithmsTensor] = popartTensor.id;
}

void AliasModel::insertOp(PoprithmsOpId poprithmsOp, OpId op) {
  toOp_[op].push_back(poprithmsOp);
  fromOp_[poprithmsOp] = op;
}

void AliasModel::insertModified(const Op& op, const std::vector<InIndex>& inputs) {
  inplace::TensorIds ids;
  InIndex open = -1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ids.push_back(getPoprithmsTensorId(op.inId(inputs[i])));
    if (open < 0 && op.doesAlias(inputs[i], 0)) open = static_cast<InIndex>(i);
  }
  const PoprithmsOpId gate = open < 0 ? g.aliasGate(ids) : g.aliasGate(ids, open);
  const PoprithmsTensorId written = g.modify({gate, 0});
  insertOp(gate, op.id);
  insertOp(written.opId(), op.id);
  insertTensor(written, *op.outTensor(0));
}

void AliasModel::insertUnaryModifier(const Op& op, InIndex index) { insertModified(op, {index}); }

void AliasModel::insertNG2aryModifier(const Op& op, unsigned numInputs) {
  std::vector<InIndex> inputs;
  for (InIndex index = 0; index < static_cast<InIndex>(numInputs); ++index) inputs.push_back(index);
  insertModified(op, inputs);
}

void AliasModel::insertViewChange(PoprithmsTensorId viewChangeOut, const Tensor& t,
                                  bool isOutplace) {
  const PoprithmsOpId gate =
      isOutplace ? g.aliasGate({viewChangeOut}) : g.aliasGate({viewChangeOut}, 0);
  const OpId op = t.getProducer()->id;
  insertOp(viewChangeOut.opId(), op);
  insertOp(gate, op);
  insertTensor({gate, 0}, t);
}

void AliasModel::update(OpId oldId, OpId newId) {
  const auto found = toOp_.find(oldId);
  if (found == toOp_.end()) throw error("The alias model has no operator with the id {}", oldId);
  const std::vector<PoprithmsOpId> ops = std::move(found->second);
  toOp_.erase(found);
  for (const PoprithmsOpId op : ops) insertOp(op, newId);
}

TensorId AliasModel::getTensorId(const PoprithmsTensorId& id) const {
  const auto found = fromTensor_.find(id);
  if (found != fromTensor_.end()) return found->second;
  throw error("Output {} of operator {} of the alias model stands for no tensor", id.outIndex(),
              id.opId().get());
}

AliasModel::PoprithmsTensorId AliasModel::getPoprithmsTensorId(const TensorId& id) const {
  const auto found = toTensor_.find(id);
  if (found != toTensor_.end()) return found->second;
  throw error("The alias model has no tensor {}", id);
}

OpId AliasModel::getOpId(PoprithmsOpId id) const {
  const auto found = fromOp_.find(id);
  if (found != fromOp_.end()) return found->second;
  throw error("Operator {} of the alias model stands for none of the graph", id.get());
}

std::vector<AliasModel::PoprithmsOpId> AliasModel::getAll(OpId opId) const {
  const auto found = toOp_.find(opId);
  if (found != toOp_.end()) return found->second;
  throw error("The alias model has no operator with the id {}", opId);
}

AliasModel::PoprithmsOpId AliasModel::getGate(OpId opId) const {
  for (const PoprithmsOpId op : getAll(opId))
    if (g.isGate(op)) return op;
  throw error("Operator {} has no gate in the alias model", opId);
}

std::vector<Tensor*> AliasModel::allAliases(const Tensor& t) const {
  Graph& graph = const_cast<Tensor&>(t).getGraph();
  std::vector<Tensor*> found;
  for (const PoprithmsTensorId& id : g.allAliases(getPoprithmsTensorId(t.id))) {
    const auto tensor = fromTensor_.find(id);
    if (tensor == fromTensor_.end() || toTensor_.at(tensor->second) != id) continue;
    found.push_back(graph.getTensors().get(tensor->second));
  }
  return found;
}

bool AliasModel::contains(const Tensor& super, const Tensor& sub) const {
  return g.contains(getPoprithmsTensorId(super.id), getPoprithmsTensorId(sub.id));
}

// ---- Growing ----

void AliasModelGrower::addInputs(const Op& op) {
  AliasModel& model = model_;
  for (const auto& in : op.input->tensorMap())
    if (!model.contains(in.second->id))
      model.insertTensor(model.g.allocate(in.second->info.shape()), *in.second);
}

void AliasModelGrower::add(const Op& op) {
  addInputs(op);
  op.growAliasModel(model_);
}

void AliasModelGrower::growFullGraph(const Graph& graph, DataDependenciesOnly) {
  AliasModel& model = model_;
  model.setGraph(&graph);
  for (const Tensor* tensor : graph.getTensors().getAll())
    if (!tensor->hasProducer() && !model.contains(tensor->id))
      model.insertTensor(model.g.allocate(tensor->info.shape()), *tensor);
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) add(*op);
}

void AliasModelGrower::growPartialGraph(const Graph& graph, const TensorId& tensorId,
                                        DataDependenciesOnly) {
  AliasModel& model = model_;
  model.setGraph(&graph);
  const auto mayAlias = [](const Op* op) {
    return op->doesAlias() || !op->inplacePriorityDefault().empty();
  };
  // What is connected to the tensor by such operators.
  std::set<const Op*> ops;
  std::set<TensorId> seen{tensorId};
  std::vector<const Tensor*> front{graph.getTensors().get(tensorId)};
  while (!front.empty()) {
    const Tensor* tensor = front.back();
    front.pop_back();
    std::vector<Op*> around = tensor->consumers.getOps();
    if (tensor->hasProducer()) around.push_back(tensor->getProducer());
    for (const Op* op : around) {
      if (!mayAlias(op) || !ops.insert(op).second) continue;
      for (const auto* map : {&op->input->tensorMap(), &op->output->tensorMap()})
        for (const auto& each : *map)
          if (seen.insert(each.second->id).second) front.push_back(each.second);
    }
  }
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    if (ops.count(op) != 0) add(*op);
  const Tensor* asked = graph.getTensors().get(tensorId);
  if (!model.contains(tensorId)) model.insertTensor(model.g.allocate(asked->info.shape()), *asked);
}

// ---- Op's functions for alias models ----

void Op::growAliasModel(AliasModel& model) const { growAliasModelMulti(model); }

void Op::growAliasModelMulti(AliasModel& model) const {
  inplace::TensorIds ids;
  inplace::Shapes shapes;
  inplace::CrossLinks links;
  std::vector<const Tensor*> outputs;
  std::set<InIndex> wholly;  // the inputs of which an output shows all elements
  const auto cut = [&](const Tensor& tensor, const view::Region& region) {
    const inplace::TensorId of = model.getPoprithmsTensorId(tensor.id);
    if (region.nelms() == tensor.info.nelms()) return of;
    const inplace::TensorId part = model.g.slice(of, region.getLower(), region.getUpper());
    model.insertOp(part.opId(), id);
    return part;
  };
  const auto show = [&](const inplace::TensorId& shown, OutIndex at, bool isWritten) {
    const auto in = static_cast<InIndex>(ids.size());
    ids.push_back(shown);
    links.push_back(isWritten ? inplace::CrossLink::modifies(in, at)
                              : inplace::CrossLink::pureAliases(in, at));
  };
  for (const auto& out : output->tensorMap()) {
    const auto at = static_cast<OutIndex>(outputs.size());
    const Shape& shape = out.second->info.shape();
    outputs.push_back(out.second);
    shapes.push_back(shape);
    for (const auto& in : input->tensorMap()) {
      if (!doesAlias(in.first, out.first)) continue;
      const inplace::TensorId from = model.getPoprithmsTensorId(in.second->id);
      const bool isWritten = modifiesIndex(in.first);
      if (model.g.shape(from) == shape) {
        show(from, at, isWritten);
        wholly.insert(in.first);
        break;
      }
      const view::Regions regions = aliases(in.first, out.first);
      if (regions.size() != 1 || regions[0].nelms() != out.second->info.nelms())
        throw error(
            "{}: output {} shows elements of input {} that are no single region; the class has to "
            "override growAliasModel()",
            debugName(), out.first, in.first);
      const inplace::TensorId shown = model.g.reshape(cut(*in.second, regions[0]), shape);
      model.insertOp(shown.opId(), id);
      show(shown, at, isWritten);
      break;
    }
  }
  // What is written of other inputs.
  for (const auto& in : input->tensorMap()) {
    if (wholly.count(in.first) != 0 || !modifiesIndex(in.first)) continue;
    for (const view::Region& region : modifies(in.first))
      if (!region.isEmpty()) model.insertOp(model.g.modify(cut(*in.second, region)).opId(), id);
  }
  const inplace::OpId made = model.g.multi(ids, shapes, links);
  model.insertOp(made, id);
  for (std::size_t i = 0; i < outputs.size(); ++i) model.insertTensor({made, i}, *outputs[i]);
}

poprithms::memory::inplace::Proposal Op::mapInplaceProposal(const AliasModel&,
                                                            OperatorIdentifier variant) const {
  throw error("{} says nothing of its in-place variant {}: its class has no mapInplaceProposal()",
              debugName(), variant);
}

poprithms::memory::inplace::Proposal Op::mapInplaceProposalGate0(const AliasModel& model,
                                                                 OperatorIdentifier) const {
  return {model.getGate(id), 0};
}

}  // namespace popart
