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
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace popart {

ReplicaEqualAnalysisProxy::~ReplicaEqualAnalysisProxy() = default;

/// The values of tensors at times: 0 before the graph runs, then the places of operators in the
/// order of their graph.
class ReplicaEqualAnalysis::Walk : public ReplicaEqualAnalysisProxy {
 public:
  Walk(const Ir& ir, AliasModel* given) : ir_(ir), given_(given) {}

  void run() {
    schedules_.clear();
    times_.clear();
    values_.clear();
    own_.clear();
    models_.clear();
    walked_.clear();
    disputed_.clear();
    isLast_ = false;
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
        return outputs.at(out.first) && aliases(op->getGraph()).contains(*out.second, *in.second);
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
    if (given_ != nullptr && std::all_of(ids.begin(), ids.end(), [&](const TensorId& id) {
          return given_->contains(id);
        })) {
      models_[&graph] = given_;
    } else {
      own_[&graph] = std::make_unique<AliasModel>();
      AliasModelGrower(*own_[&graph]).growFullGraph(graph, DataDependenciesOnly::No);
      models_[&graph] = own_[&graph].get();
    }
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
      const auto [outputs, modified] =
          op->fwdPropagateIsReplicaEqual(aliases(graph), inputs, *this);
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
    const AliasModel& model = aliases(op.getGraph());
    std::set<Tensor*, PTensorCmp> done;
    for (const auto& each : changed) done.insert(each.first);
    for (const bool isEqual : {true, false})
      for (const auto& [tensor, value] : changed) {
        if (value != isEqual || !model.contains(tensor->id)) continue;
        for (Tensor* alias : model.allAliases(*tensor)) {
          if (done.count(alias) != 0 || (isEqual && !model.contains(*tensor, *alias))) continue;
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
  const AliasModel& aliases(const Graph& graph) const { return *models_.at(&graph); }
  int time(const Op& op) const {
    const auto found = times_.find(&op);
    if (found == times_.end())
      throw error("{} was not there when the analysis was applied", op.debugName());
    return found->second;
  }

  const Ir& ir_;
  AliasModel* given_;
  std::map<const Graph*, std::unique_ptr<AliasModel>> own_;
  std::map<const Graph*, const AliasModel*> models_;
  std::map<const Graph*, std::vector<Op*>> schedules_;
  std::map<const Op*, int> times_;
  std::map<Tensor*, std::map<int, bool>> values_;
  std::set<const Graph*> walked_;
  std::set<TensorId> disputed_;
  bool hasChanged_ = false, isLast_ = false;
};

ReplicaEqualAnalysis::ReplicaEqualAnalysis(const Ir& ir) : walk_(new Walk(ir, nullptr)) {}
ReplicaEqualAnalysis::ReplicaEqualAnalysis(const Ir& ir, AliasModel& aliasModel)
    : walk_(new Walk(ir, &aliasModel)) {}
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

/// The inputs of a called graph. What the operator itself gives it, such as the number of an
/// iteration, is the same.
ReplEqInputMap given(const SubgraphOp& op, const ReplEqInputMap& inputs) {
  ReplEqInputMap found;
  for (std::size_t i = 0; i < op.getCalledGraph().getInputIds().size(); ++i) {
    const auto index = static_cast<InIndex>(i);
    const auto in = inputs.find(op.subgraphInToOpInIndex(index));
    found[index] = in == inputs.end() || in->second;
  }
  return found;
}

bool isOverAll(const CollectivesBaseOp& op) {
  const ReplicaGrouping& grouping = op.getReplicaGrouping();
  return grouping.getGroupSize() == grouping.getNumReplicas();
}

}  // namespace

Result Op::fwdPropagateIsReplicaEqual(const AliasModel&, const ReplEqInputMap& inputs,
                                      ReplicaEqualAnalysisProxy& proxy) const {
  const auto& ins = input->tensorMap();
  bool isEqual =
      std::all_of(ins.begin(), ins.end(), [&](const auto& in) { return inputs.at(in.first); });
  // How the operator uses its graphs is not known.
  for (const Graph* graph : getCalledGraphs()) {
    ReplEqInputMap given;
    for (std::size_t i = 0; i < graph->getInputIds().size(); ++i)
      given[static_cast<InIndex>(i)] = isEqual;
    const auto [outs, left] = proxy.fwdPropagateIsReplicaEqualThroughGraph(graph, given);
    for (const auto& out : outs) isEqual = isEqual && out.second;
    for (const auto& in : left) isEqual = isEqual && in.second;
  }
  return all(*this, isEqual, proxy);
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
  const auto [outs, ins] =
      proxy.fwdPropagateIsReplicaEqualThroughGraph(&getCalledGraph(), given(*this, inputs));
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
    Result result = SubgraphOp::fwdPropagateIsReplicaEqual(aliasModel, carried, proxy);
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
    const auto isEqual = [](const ReplEqInputMap& values, InIndex in) {
      const auto found = values.find(in);
      return found == values.end() || found->second;
    };
    const ReplEqOutputMap outs = std::get<0>(
        proxy.fwdPropagateIsReplicaEqualThroughGraph(&getCalledGraph(), given(*this, carried)));
    const bool goesOn = outs.at(getLoopGraphTerminationConditionOutIndex());
    if (!goesOn && isEqual(carried, getTerminationConditionInIndex())) {
      carried[getTerminationConditionInIndex()] = false;
      isStable = false;
    }
    if (!isStable) continue;
    // Replicas that iterate another number of times have other values.
    const bool isCounted = goesOn && isEqual(inputs, getMaximumTripCountInIndex()) &&
                           isEqual(inputs, getTerminationConditionInIndex());
    // Without an iteration, outputs and modified inputs are what the inputs were.
    const bool mayBeSkipped = trips_ <= 0 || input->hasIndex(getTerminationConditionInIndex());
    const auto finally = [&](bool value, InIndex in) {
      return value && isCounted && (!mayBeSkipped || isEqual(inputs, in));
    };
    for (auto& [index, value] : std::get<0>(result)) {
      const InIndex in = index + getFirstInputInIndex();
      value = finally(value, in < getNumExplicitInputs() ? in : -1);
    }
    for (auto& [in, value] : std::get<1>(result)) value = finally(value, in);
    return result;
  }
}

}  // namespace popart
