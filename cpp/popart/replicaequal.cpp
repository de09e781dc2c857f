// Which tensors have the same value on all replicas.
#include <popart/alias/aliasmodelgrower.hpp>
#include <popart/analysis/replicaequal/replicaequalanalysis.hpp>
#include <popart/logging.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/loop.hpp>
#include <popart/tensornames.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace popart {

ReplicaEqualAnalysisProxy::~ReplicaEqualAnalysisProxy() = default;

/// The values of tensors at times: 0 before the graph runs, then the places of operators in the
/// order of their graph.
class ReplicaEqualAnalysis::Walk : public ReplicaEqualAnalysisProxy {
 public:
  explicit Walk(const Ir& ir) : ir_(ir), aliases_(own_) {}
  Walk(const Ir& ir, AliasModel& aliases) : ir_(ir), aliases_(aliases) {}

  void run() {
    for (const Graph* graph : ir_.getAllGraphs()) add(*graph);
    const Graph& main = ir_.getMainGraph();
    do {
      hasChanged_ = false;
      step(main);
    } while (hasChanged_);
    // Nothing changes any more: where a value is now said to be the same and is not, callers differ.
    isLast_ = true;
    walked_.clear();
    step(main);
    for (const TensorId& id : disputed_)
      logging::ir::warn(
          "'{}' is the same on all replicas in some calls or iterations of its graph, and not in "
          "others: it counts as not the same",
          id);
  }

  bool before(const Op& op, Tensor* tensor) const { return at(tensor, time(op) - 1); }
  bool after(const Op& op, Tensor* tensor) const { return at(tensor, time(op)); }

  ReplEqModifiedInputMap getModifiedInputMapFromAliases(
      const Op* op, const ReplEqOutputMap& outputs) const override {
    ReplEqModifiedInputMap modified;
    for (const auto& in : op->input->tensorMap()) {
      if (!op->modifiesIndex(in.first)) continue;
      const auto& outs = op->output->tensorMap();
      modified[in.first] = std::any_of(outs.begin(), outs.end(), [&](const auto& out) {
        return outputs.at(out.first) && aliases_.contains(*out.second, *in.second);
      });
    }
    return modified;
  }

  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqualThroughGraph(
      const Graph* graph, const ReplEqInputMap& inputs) override {
    bool isNew = walked_.insert(graph).second;
    for (std::size_t i = 0; i < graph->getInputIds().size(); ++i) {
      const auto index = static_cast<InIndex>(i);
      const auto given = inputs.find(index);
      if (given == inputs.end())
        throw error("{}: no value of input {} was given", graph->getGraphString(), i);
      isNew |= set(graph->getInputTensor(index), 0, given->second);
    }
    if (isNew) follow(*graph);
    ReplEqOutputMap outs;
    for (std::size_t i = 0; i < graph->getOutputIds().size(); ++i)
      outs[static_cast<OutIndex>(i)] = last(graph->getOutputTensor(static_cast<OutIndex>(i)));
    ReplEqModifiedInputMap ins;
    for (std::size_t i = 0; i < graph->getInputIds().size(); ++i)
      ins[static_cast<InIndex>(i)] = last(graph->getInputTensor(static_cast<InIndex>(i)));
    return {outs, ins};
  }

 private:
  void add(const Graph& graph) {
    std::vector<Op*>& schedule = schedules_[&graph];
    schedule = graph.getOpSchedule({}, RequireOptimalSchedule::No);
    for (std::size_t i = 0; i < schedule.size(); ++i) times_[schedule[i]] = static_cast<int>(i) + 1;
    const std::vector<TensorId> ids = graph.getTensors().getAllTensorIds();
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const TensorId& id) { return !aliases_.contains(id); }))
      AliasModelGrower(aliases_).growFullGraph(graph, DataDependenciesOnly::No);
    for (Tensor* tensor : graph.getTensors().getAll()) {
      if (tensor->hasProducer()) continue;
      const TensorType type = tensor->tensorType();
      if (type == TensorType::Const || type == TensorType::Variable)
        set(tensor, 0, tensor->id != randomSeed());
      else if (type == TensorType::Stream)
        set(tensor, 0, false);
    }
  }

  static TensorId randomSeed() { return std::string(reservedRandomSeedPrefix()) + "fromHost"; }

  /// A step from its beginning to its end, and what that makes of the weights.
  void step(const Graph& main) {
    follow(main);
    for (Tensor* weight : main.getTensors().getOfType(TensorType::Variable))
      if (!last(weight)) set(weight, 0, false);
  }

  void follow(const Graph& graph) {
    for (Op* op : schedules_.at(&graph)) {
      ReplEqInputMap inputs;
      for (const auto& in : op->input->tensorMap()) inputs[in.first] = before(*op, in.second);
      const auto [outputs, modified] = op->fwdPropagateIsReplicaEqual(aliases_, inputs, *this);
      std::map<Tensor*, bool, PTensorCmp> changed;
      for (const auto& out : op->output->tensorMap()) changed[out.second] = outputs.at(out.first);
      for (const auto& in : op->input->tensorMap())
        if (op->modifiesIndex(in.first)) changed[in.second] = modified.at(in.first);
      for (const auto& each : changed) set(each.first, time(*op), each.second);
      if (!modified.empty()) spread(*op, changed);
    }
  }

  /// Gives what shares elements with written tensors their values: the same on all replicas if all
  /// its elements are in one that is, not the same if one is not.
  void spread(const Op& op, const std::map<Tensor*, bool, PTensorCmp>& changed) {
    std::set<Tensor*, PTensorCmp> done;
    for (const auto& each : changed) done.insert(each.first);
    for (const bool isEqual : {true, false})
      for (const auto& [tensor, value] : changed) {
        if (value != isEqual || !aliases_.contains(tensor->id)) continue;
        for (Tensor* alias : aliases_.allAliases(*tensor)) {
          if (done.count(alias) != 0 || (isEqual && !aliases_.contains(*tensor, *alias))) continue;
          set(alias, time(op), isEqual);
          done.insert(alias);
        }
      }
  }

  /// What was once found not to be the same stays so. Returns whether anything changed.
  bool set(Tensor* tensor, int time, bool value) {
    const auto [known, isNew] = values_[tensor].emplace(time, value);
    if (!isNew && known->second == value) return false;
    if (!isNew && value) {
      if (isLast_) disputed_.insert(tensor->id);
      return false;
    }
    known->second = value;
    return hasChanged_ = true;
  }

  bool at(Tensor* tensor, int time) const {
    const auto found = values_.find(tensor);
    if (found == values_.end()) throw error("'{}' has no value before it is read", tensor->id);
    const auto next = found->second.upper_bound(time);
    if (next == found->second.begin())
      throw error("'{}' has no value before it is read", tensor->id);
    return std::prev(next)->second;
  }
  bool last(Tensor* tensor) const {
    const auto found = values_.find(tensor);
    if (found == values_.end()) throw error("'{}' is never computed", tensor->id);
    return found->second.rbegin()->second;
  }
  int time(const Op& op) const {
    const auto found = times_.find(&op);
    if (found == times_.end())
      throw error("{} was not there when the analysis was applied", op.debugName());
    return found->second;
  }

  const Ir& ir_;
  AliasModel own_;
  AliasModel& aliases_;
  std::map<const Graph*, std::vector<Op*>> schedules_;
  std::map<const Op*, int> times_;
  std::map<Tensor*, std::map<int, bool>> values_;
  std::set<const Graph*> walked_;
  std::set<TensorId> disputed_;
  bool hasChanged_ = false, isLast_ = false;
};

ReplicaEqualAnalysis::ReplicaEqualAnalysis(const Ir& ir) : walk_(new Walk(ir)) {}
ReplicaEqualAnalysis::ReplicaEqualAnalysis(const Ir& ir, AliasModel& aliasModel)
    : walk_(new Walk(ir, aliasModel)) {}
ReplicaEqualAnalysis::~ReplicaEqualAnalysis() = default;

void ReplicaEqualAnalysis::apply() { walk_->run(); }

IsReplicaEqual ReplicaEqualAnalysis::isOpInputEqual(const Op* op, InIndex inIndex) const {
  return walk_->before(*op, op->input->tensor(inIndex));
}

IsReplicaEqual ReplicaEqualAnalysis::isOpOutputEqual(const Op* op, OutIndex outIndex) const {
  return walk_->after(*op, op->output->tensor(outIndex));
}

std::map<std::string, popart::any> ReplicaEqualAnalysis::getOpAttrs(const Op* op) const {
  std::map<std::string, popart::any> attributes;
  for (const auto& in : op->input->tensorMap())
    attributes["replEqIn" + std::to_string(in.first)] = isOpInputEqual(op, in.first);
  for (const auto& out : op->output->tensorMap())
    attributes["replEqOut" + std::to_string(out.first)] = isOpOutputEqual(op, out.first);
  return attributes;
}

// ---- What operators make of the values of their inputs ----

namespace {

using Result = std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap>;

/// All outputs have one value.
Result all(const Op& op, bool value, ReplicaEqualAnalysisProxy& proxy) {
  ReplEqOutputMap outputs;
  for (const auto& out : op.output->tensorMap()) outputs[out.first] = value;
  return {outputs, proxy.getModifiedInputMapFromAliases(&op, outputs)};
}

bool isOverAll(const CollectivesBaseOp& op) {
  const ReplicaGrouping& grouping = op.getReplicaGrouping();
  return grouping.getGroupSize() == grouping.getNumReplicas();
}

}  // namespace

Result Op::fwdPropagateIsReplicaEqual(const AliasModel&, const ReplEqInputMap& inputs,
                                      ReplicaEqualAnalysisProxy& proxy) const {
  const auto& ins = input->tensorMap();
  return all(
      *this,
      std::all_of(ins.begin(), ins.end(), [&](const auto& in) { return inputs.at(in.first); }),
      proxy);
}

Result ReplicatedAllReduceOp::fwdPropagateIsReplicaEqual(const AliasModel& aliasModel,
                                                         const ReplEqInputMap& inputs,
                                                         ReplicaEqualAnalysisProxy& proxy) const {
  if (op != CollectiveOperator::Local && isOverAll(*this)) return all(*this, true, proxy);
  return Op::fwdPropagateIsReplicaEqual(aliasModel, inputs, proxy);
}

Result ReplicatedAllGatherOp::fwdPropagateIsReplicaEqual(const AliasModel& aliasModel,
                                                         const ReplEqInputMap& inputs,
                                                         ReplicaEqualAnalysisProxy& proxy) const {
  if (isOverAll(*this)) return all(*this, true, proxy);
  return Op::fwdPropagateIsReplicaEqual(aliasModel, inputs, proxy);
}

Result ReplicatedReduceScatterOp::fwdPropagateIsReplicaEqual(
    const AliasModel& aliasModel, const ReplEqInputMap& inputs,
    ReplicaEqualAnalysisProxy& proxy) const {
  if (getReplicaGrouping().getGroupSize() > 1) return all(*this, false, proxy);
  return Op::fwdPropagateIsReplicaEqual(aliasModel, inputs, proxy);
}

// Each replica gets batches of its own.
Result HostLoadOp::fwdPropagateIsReplicaEqual(const AliasModel&, const ReplEqInputMap&,
                                              ReplicaEqualAnalysisProxy& proxy) const {
  return all(*this, false, proxy);
}

Result MultiExchangeOp::fwdPropagateIsReplicaEqual(const AliasModel&, const ReplEqInputMap& inputs,
                                                   ReplicaEqualAnalysisProxy& proxy) const {
  ReplEqOutputMap outputs;
  for (const auto& out : output->tensorMap()) {
    const int exchange = outIndexToDescriptorIndex(out.first).first;
    bool value = !getExchangeDescriptor(exchange).isHostExchange();
    for (const InIndex in : descriptorIndexToInIndices(exchange)) value = value && inputs.at(in);
    outputs[out.first] = value;
  }
  return {outputs, proxy.getModifiedInputMapFromAliases(this, outputs)};
}

Result SubgraphOp::fwdPropagateIsReplicaEqual(const AliasModel&, const ReplEqInputMap& inputs,
                                              ReplicaEqualAnalysisProxy& proxy) const {
  // What the operator itself gives its graph, such as the number of an iteration, is the same.
  ReplEqInputMap given;
  for (std::size_t i = 0; i < getCalledGraph().getInputIds().size(); ++i) {
    const auto index = static_cast<InIndex>(i);
    const auto found = inputs.find(subgraphInToOpInIndex(index));
    given[index] = found == inputs.end() || found->second;
  }
  const auto [outs, ins] = proxy.fwdPropagateIsReplicaEqualThroughGraph(&getCalledGraph(), given);
  ReplEqOutputMap outputs;
  for (const auto& out : output->tensorMap())
    outputs[out.first] = outs.at(opOutToSubgraphOutIndex(out.first));
  ReplEqModifiedInputMap modified;
  for (const auto& in : input->tensorMap())
    if (modifiesIndex(in.first)) modified[in.first] = ins.at(opInToSubgraphInIndex(in.first));
  return {outputs, modified};
}

Result LoopOp::fwdPropagateIsReplicaEqual(const AliasModel& aliasModel,
                                          const ReplEqInputMap& inputs,
                                          ReplicaEqualAnalysisProxy& proxy) const {
  // An iteration reads what the one before has computed.
  ReplEqInputMap carried = inputs;
  while (true) {
    const Result result = SubgraphOp::fwdPropagateIsReplicaEqual(aliasModel, carried, proxy);
    const std::size_t count = getCalledGraph().getOutputIds().size();
    bool isStable = true;
    for (std::size_t i = 1; i < count; ++i) {
      const auto out = std::get<0>(result).find(static_cast<OutIndex>(i) - 1);
      const auto in = carried.find(static_cast<InIndex>(i) + 1);
      if (out == std::get<0>(result).end() || in == carried.end()) continue;
      if (out->second || !in->second) continue;
      in->second = false;
      isStable = false;
    }
    if (isStable) return result;
  }
}

}  // namespace popart
