// When tensors are copied into and out of called graphs.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/subgraphcopyingstrategy.hpp>
#include <popart/subgraphpartitioner.hpp>

#include <algorithm>
#include <set>

namespace popart {
namespace liveness {

SubgraphCopyingStrategy::SubgraphCopyingStrategy() = default;
SubgraphCopyingStrategy::~SubgraphCopyingStrategy() = default;
void SubgraphCopyingStrategy::setIr(const Ir* given) { ir = given; }
void SubgraphCopyingStrategy::setLivenessAnalyzer(const LivenessAnalyzer* given) {
  liveness = given;
}
void SubgraphCopyingStrategy::apply() {}

OnEnterAndExitSubgraphCopyingStrategy::OnEnterAndExitSubgraphCopyingStrategy() = default;
OnEnterAndExitSubgraphCopyingStrategy::~OnEnterAndExitSubgraphCopyingStrategy() = default;

namespace {

/// The copies of these kinds that belong to the call of a place, one kind after the other.
std::vector<size_t> ofCall(const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pending,
                           const std::vector<OpStatus>& kinds) {
  std::vector<size_t> found;
  for (const OpStatus kind : kinds)
    for (size_t i = 0; i < pending.size(); ++i)
      if (pending[i].getStatus() == kind && pending[i].getCallStack() == node.getCallStack() &&
          pending[i].getSubgraphIndex() == node.getSubgraphIndex())
        found.push_back(i);
  return found;
}

}  // namespace

std::vector<size_t> OnEnterAndExitSubgraphCopyingStrategy::getIndicesOfCopiesToInsertBeforeNode(
    const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const {
  if (node.getStatus() != OpStatus::Exit) return {};
  return ofCall(node, pendingCopies, {OpStatus::CopyOutput, OpStatus::CopyModified});
}

std::vector<size_t> OnEnterAndExitSubgraphCopyingStrategy::getIndicesOfCopiesToInsertAfterNode(
    const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const {
  if (node.getStatus() != OpStatus::Enter) return {};
  return ofCall(node, pendingCopies, {OpStatus::CopyInput});
}

// ---- Just in time ----

/// What is chosen at one place: copies in the order in which they are made, each once.
class JustInTimeSubgraphCopyingStrategy::Choice {
 public:
  Choice(const JustInTimeSubgraphCopyingStrategy& strategy,
         const LivenessAnalyzer::PendingCopies& pending)
      : strategy_(strategy), pending_(pending) {}

  /// The copies that write these tensors, which are read next. What such a copy reads itself may be
  /// an input of the calling graph that is still to be copied: the copies of callers come first.
  void fill(const std::vector<TensorId>& read) {
    std::vector<size_t> found;
    std::vector<TensorId> outside;
    for (const TensorId& id : read)
      for (size_t i = 0; i < pending_.size(); ++i)
        if (is(i, OpStatus::CopyInput) && pending_[i].getTensorIds().second == id && !has(i)) {
          found.push_back(i);
          outside.push_back(pending_[i].getTensorIds().first);
          taken_.insert(i);
        }
    if (found.empty()) return;
    fill(outside);
    chosen_.insert(chosen_.end(), found.begin(), found.end());
  }

  /// All copies of a kind that `wanted` takes.
  template <class Wanted>
  void addAll(OpStatus kind, Wanted wanted) {
    for (size_t i = 0; i < pending_.size(); ++i)
      if (is(i, kind) && !has(i) && wanted(pending_[i])) add(i);
  }

  /// The copies out of `graph` of what its operators from `next` on leave as it is; then those out
  /// of the graph that such a copy writes to.
  void empty(const Graph& graph, Schedule::const_iterator next) {
    std::vector<TensorId> outputs, inputs;
    for (const TensorId& id : graph.getOutputIds())
      if (strategy_.isFinal(graph, id, next)) outputs.push_back(id);
    for (const TensorId& id : graph.getInputIds())
      if (strategy_.isFinal(graph, id, next)) inputs.push_back(id);
    for (const TensorId& id : outputs) emptyOf(OpStatus::CopyOutput, id);
    for (const TensorId& id : inputs) emptyOf(OpStatus::CopyModified, id);
  }

  std::vector<size_t> chosen() const { return chosen_; }

 private:
  bool is(size_t i, OpStatus kind) const { return pending_[i].getStatus() == kind; }
  bool has(size_t i) const { return taken_.count(i) != 0; }
  void add(size_t i) {
    taken_.insert(i);
    chosen_.push_back(i);
  }

  /// Copies of a kind that read a tensor.
  void emptyOf(OpStatus kind, const TensorId& id) {
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (!is(i, kind) || has(i) || pending_[i].getTensorIds().second != id) continue;
      fill({id});  // An input that nothing has read so far, and that is an output.
      add(i);
      Op* caller = pending_[i].getOp();
      const Graph& graph = caller->getGraph();
      if (!SubgraphPartitioner::isPartitionable(graph)) continue;
      const Schedule& schedule = strategy_.liveness->getGraphOpSchedule(graph.id);
      const auto at = std::find(schedule.begin(), schedule.end(), caller);
      const std::set<TensorId> written = strategy_.sharing(graph, pending_[i].getTensorIds().first);
      for (const TensorId& each : written) {
        if (!strategy_.isFinal(graph, each, std::next(at))) continue;
        if (graph.hasOutputId(each)) emptyOf(OpStatus::CopyOutput, each);
        if (graph.hasInputId(each)) emptyOf(OpStatus::CopyModified, each);
      }
    }
  }

  const JustInTimeSubgraphCopyingStrategy& strategy_;
  const LivenessAnalyzer::PendingCopies& pending_;
  std::vector<size_t> chosen_;
  std::set<size_t> taken_;
};

JustInTimeSubgraphCopyingStrategy::JustInTimeSubgraphCopyingStrategy() = default;
JustInTimeSubgraphCopyingStrategy::~JustInTimeSubgraphCopyingStrategy() = default;

void JustInTimeSubgraphCopyingStrategy::apply() {
  if (ir == nullptr)
    throw error("JustInTimeSubgraphCopyingStrategy: there is no Ir; setIr() gives it one");
  aliases_.setIr(ir);
  aliases_.update();
}

std::set<TensorId> JustInTimeSubgraphCopyingStrategy::sharing(const Graph& graph,
                                                              const TensorId& id) const {
  std::set<TensorId> found = {id};
  const Aliases& known = aliases_.getAliases(graph.id);
  for (const auto& [tensor, chains] : known.aliasChainsTo(graph.getTensors().get(id)))
    if (!chains.isEmpty()) found.insert(tensor->id);
  return found;
}

bool JustInTimeSubgraphCopyingStrategy::isFinal(const Graph& graph, const TensorId& id,
                                                Schedule::const_iterator next) const {
  const std::set<TensorId> same = sharing(graph, id);
  const auto changes = [&](Op* op) {
    for (const auto& out : op->output->tensorIdMap())
      if (out.second == id) return true;
    for (const auto& in : op->input->tensorIdMap())
      if (same.count(in.second) != 0 && view::nonEmptyRegion(op->modifies(in.first))) return true;
    return false;
  };
  const Schedule& schedule = liveness->getGraphOpSchedule(graph.id);
  return std::none_of(next, schedule.end(), changes);
}

std::vector<size_t> JustInTimeSubgraphCopyingStrategy::getIndicesOfCopiesToInsertBeforeNode(
    const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const {
  Choice choice(*this, pendingCopies);
  if (node.getStatus() == OpStatus::Normal) {
    std::vector<TensorId> read;
    for (const auto& in : node.getOp()->input->tensorIdMap()) read.push_back(in.second);
    choice.fill(read);
  } else if (node.getStatus() == OpStatus::Exit) {
    const Graph& left =
        *node.getOp()->getCalledGraphs().at(static_cast<std::size_t>(node.getSubgraphIndex()));
    // An input that no operator reads is copied last of all.
    choice.addAll(OpStatus::CopyInput, [&](const LivenessNode& copy) {
      return copy.getCallStack() == node.getCallStack() &&
             !left.hasOutputId(copy.getTensorIds().second);
    });
    choice.empty(left, liveness->getGraphOpSchedule(left.id).end());
  }
  return choice.chosen();
}

std::vector<size_t> JustInTimeSubgraphCopyingStrategy::getIndicesOfCopiesToInsertAfterNode(
    const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const {
  if (liveness == nullptr)
    throw error(
        "JustInTimeSubgraphCopyingStrategy: there is no LivenessAnalyzer; setLivenessAnalyzer() "
        "gives it one");
  Choice choice(*this, pendingCopies);
  Op* op = node.getOp();
  if (node.getStatus() == OpStatus::Normal) {
    const Graph& graph = op->getGraph();
    if (SubgraphPartitioner::isPartitionable(graph)) {
      const Schedule& schedule = liveness->getGraphOpSchedule(graph.id);
      choice.empty(graph, std::next(std::find(schedule.begin(), schedule.end(), op)));
    }
  } else if (node.getStatus() == OpStatus::Enter) {
    const Graph& entered =
        *op->getCalledGraphs().at(static_cast<std::size_t>(node.getSubgraphIndex()));
    if (!SubgraphPartitioner::isPartitionable(entered)) {
      // It runs in one piece: all that it and its callers still need is copied before.
      choice.addAll(OpStatus::CopyInput, [](const LivenessNode&) { return true; });
    }
  }
  return choice.chosen();
}

}  // namespace liveness
}  // namespace popart
