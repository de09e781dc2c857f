// The order in which the operators of all graphs run, with what is copied around calls.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/liveness.hpp>
#include <popart/op/loop.hpp>
#include <popart/subgraphcopyingstrategy.hpp>

#include <algorithm>

namespace popart {
namespace liveness {
namespace {

/// A call of a graph: which tensors of the operator and of the graph are copied to each other.
class Call {
 public:
  Call(const Op& op, SubgraphIndex number)
      : op_(op),
        number_(number),
        graph_(*op.getCalledGraphs().at(static_cast<std::size_t>(number))) {
    const auto* loop = dynamic_cast<const LoopOp*>(&op);
    isLoop_ = loop != nullptr;
    carried_ = isLoop_ ? loop->getNumExplicitInputs() - 1 : 0;
  }

  const Graph& graph() const { return graph_; }
  bool isLoop() const { return isLoop_; }
  /// How many of a loop's outputs are inputs of the next iteration: the first ones, of the inputs
  /// behind the number of the iteration.
  int carried() const { return carried_; }

  /// The graph's input that an input of the operator is copied to; -1 for none.
  int inputOf(InIndex index) const { return copied(op_.opInToSubgraphInIndex(number_, index)); }
  /// The graph's output that is copied to an output of the operator; -1 for none.
  int outputOf(OutIndex index) const {
    const OutIndex inside = op_.opOutToSubgraphOutIndex(number_, index);
    return inside < static_cast<int>(graph_.getOutputIds().size()) ? inside : -1;
  }
  bool isInputCopied(InIndex inside) const {
    return copied(inside) >= 0 && op_.hasInput(op_.subgraphInToOpInIndex(number_, inside));
  }
  bool isOutputCopied(OutIndex inside) const {
    return op_.hasOutput(op_.subgraphOutToOpOutIndex(number_, inside));
  }

  /// Where an input of the graph gets its first value from the operator: a loop's body starts with
  /// a copy of its outputs to its inputs, so that these hold it.
  TensorId entryOf(int inside) const {
    const bool isCarried = inside >= 1 && inside <= carried_;
    return isCarried ? graph_.getOutputId(inside - 1) : graph_.getInputId(inside);
  }

 private:
  /// The input, unless there is none, or it is the number of the iteration, which the loop counts.
  int copied(int inside) const {
    const int end = static_cast<int>(graph_.getInputIds().size());
    return inside < 0 || inside >= end || (isLoop_ && inside == 0) ? -1 : inside;
  }

  const Op& op_;
  SubgraphIndex number_;
  const Graph& graph_;
  bool isLoop_ = false;
  int carried_ = 0;
};

bool contains(const std::vector<TensorId>& ids, const TensorId& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// The inputs of a called graph that no copy writes, and the outputs that none reads.
std::vector<TensorId> uncopied(const Call& call, bool inputs) {
  const std::vector<TensorId> all =
      inputs ? call.graph().getInputIds() : call.graph().getOutputIds();
  std::vector<TensorId> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!(inputs ? call.isInputCopied(index) : call.isOutputCopied(index))) found.push_back(all[i]);
  }
  return found;
}

/// The inputs or outputs of the operator that no copy stands for.
std::vector<TensorId> uncopied(const Op& op, const Call& call, bool inputs) {
  std::vector<TensorId> found;
  for (const auto& [index, id] : (inputs ? op.input : op.output)->tensorIdMap())
    if ((inputs ? call.inputOf(index) : call.outputOf(index)) < 0) found.push_back(id);
  return found;
}

}  // namespace

ExecutionContext sanitizeExecutionContext(ExecutionContext context) {
  return context == ExecutionContext::Subgraph ? ExecutionContext::Normal : context;
}

// ---- A place ----

LivenessNode::LivenessNode(const OpStatus status, int index, SubgraphIndex subgraphIndex,
                           bool isDuplicate)
    : status_(status), index_(index), subgraphIndex_(subgraphIndex), isDuplicate_(isDuplicate) {}

LivenessNode::LivenessNode(const CallStack& callStack, const OpStatus status, int index,
                           SubgraphIndex subgraphIndex, bool isDuplicate)
    : callStack_(callStack),
      status_(status),
      index_(index),
      subgraphIndex_(subgraphIndex),
      isDuplicate_(isDuplicate) {
  const Op& op = *getOp();
  if (status == OpStatus::Normal) {
    for (const auto& each : op.input->tensorIdMap()) used_.insert(each.second);
    for (const auto& each : op.output->tensorIdMap()) used_.insert(each.second);
    return;
  }
  const Call call(op, subgraphIndex);
  if (!isCopy()) {
    const bool inputs = status == OpStatus::Enter;
    for (const TensorId& id : uncopied(call, inputs)) used_.insert(id);
    for (const TensorId& id : uncopied(op, call, inputs)) used_.insert(id);
    return;
  }
  if (status == OpStatus::CopyLoopCarried)
    ids_ = {call.graph().getOutputId(index), call.graph().getInputId(index + 1)};
  else if (status == OpStatus::CopyOutput)
    ids_ = {op.outId(index), call.graph().getOutputId(call.outputOf(index))};
  else
    ids_ = {op.inId(index), call.entryOf(call.inputOf(index))};
  used_ = {ids_.first, ids_.second};
}

bool LivenessNode::isCopy() const {
  return status_ != OpStatus::Normal && status_ != OpStatus::Enter && status_ != OpStatus::Exit;
}

bool LivenessNode::isProducerOf(Tensor* t) const {
  switch (status_) {
    case OpStatus::CopyInput:
    case OpStatus::CopyLoopCarried: return t->id == ids_.second;
    case OpStatus::CopyOutput:
    case OpStatus::CopyModified: return t->id == ids_.first;
    case OpStatus::Normal: return t->hasProducer() && t->getProducer() == getOp();
    case OpStatus::Enter: return contains(uncopied(Call(*getOp(), subgraphIndex_), true), t->id);
    case OpStatus::Exit:
      return contains(uncopied(*getOp(), Call(*getOp(), subgraphIndex_), false), t->id);
  }
  return false;
}

bool LivenessNode::isConsumerOf(Tensor* t) const {
  switch (status_) {
    case OpStatus::CopyInput:
    case OpStatus::CopyLoopCarried: return t->id == ids_.first;
    case OpStatus::CopyOutput:
    case OpStatus::CopyModified: return t->id == ids_.second;
    case OpStatus::Normal: return getOp()->input->contains(t);
    case OpStatus::Enter:
      return contains(uncopied(*getOp(), Call(*getOp(), subgraphIndex_), true), t->id);
    case OpStatus::Exit: return contains(uncopied(Call(*getOp(), subgraphIndex_), false), t->id);
  }
  return false;
}

bool LivenessNode::overwritesTensor(Tensor* t) const {
  if (status_ == OpStatus::Normal) return getOp()->overwritesTensor(t);
  return status_ != OpStatus::Exit && isProducerOf(t);
}

bool LivenessNode::modifiesTensor(Tensor* t) const {
  if (status_ == OpStatus::Normal) return getOp()->modifiesTensor(t);
  return status_ != OpStatus::Exit && isProducerOf(t);
}

std::ostream& operator<<(std::ostream& os, const OpStatus& status) {
  static const char* const names[] = {"Normal",     "Enter",        "CopyInput", "CopyLoopCarried",
                                      "CopyOutput", "CopyModified", "Exit"};
  return os << names[static_cast<int>(status)];
}

std::ostream& operator<<(std::ostream& os, const LivenessNode& node) {
  os << node.getStatus();
  for (const Op* op : node.getCallStack()) os << " / " << op->debugName();
  if (!node.getTensorIds().first.empty())
    os << " (" << node.getTensorIds().first << ", " << node.getTensorIds().second << ")";
  return os;
}

// ---- The order ----

LivenessAnalyzer::LivenessAnalyzer(const Ir* ir,
                                   const SubgraphCopyingStrategy* subgraphCopyingStrat)
    : ir_(ir), strategy_(subgraphCopyingStrat) {}

void LivenessAnalyzer::apply() {
  if (ir_ == nullptr || strategy_ == nullptr)
    throw error("LivenessAnalyzer: there is no {}; its constructor takes one",
                ir_ == nullptr ? "Ir" : "SubgraphCopyingStrategy");
  for (const Graph* graph : ir_->getAllGraphs())
    graphSchedules_[graph->id] = graph->getOpSchedule({}, RequireOptimalSchedule::Yes);
  callSites_[ir_->getMainGraph().id] = {};
  addGraph(ir_->getMainGraph(), {}, false);
  if (!pending_.empty())
    throw error("LivenessAnalyzer: the strategy has left out {} copies, among them {}",
                pending_.size(), pending_.front());
  for (std::size_t i = 0; i < schedule_.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    for (const TensorId& id : schedule_[i].usedTensorIds()) ofTensors_[id].push_back(place);
    const auto context =
        contexts_.emplace(schedule_[i].getExecutionContext(), std::make_pair(place, place));
    context.first->second.second = place;
  }
}

void LivenessAnalyzer::addGraph(const Graph& graph, const CallStack& stack, bool isDuplicate) {
  for (Op* op : graphSchedules_.at(graph.id)) {
    CallStack within = stack;
    within.push_back(op);
    const std::vector<const Graph*> called = op->getCalledGraphs();
    for (std::size_t g = 0; g < called.size(); ++g) {
      ofOps_[op].push_back(static_cast<int64_t>(schedule_.size()));
      enter(*called[g], within, static_cast<SubgraphIndex>(g), isDuplicate);
    }
    if (called.empty()) ofOps_[op].push_back(add({within, OpStatus::Normal, 0, 0, isDuplicate}));
  }
}

void LivenessAnalyzer::enter(const Graph& graph, const CallStack& stack, SubgraphIndex number,
                             bool isDuplicate) {
  Op* op = stack.back();
  addPending(stack, number, isDuplicate);
  const int64_t begin = add({stack, OpStatus::Enter, 0, number, isDuplicate});
  std::vector<Op*>& sites = callSites_[graph.id];
  if (std::find(sites.begin(), sites.end(), op) == sites.end()) sites.push_back(op);
  const Call call(*op, number);
  if (call.isLoop()) {
    for (const bool isSecond : {false, true}) {
      for (int i = 0; i < call.carried(); ++i)
        add({stack, OpStatus::CopyLoopCarried, i, number, isDuplicate || isSecond});
      addGraph(graph, stack, isDuplicate || isSecond);
    }
  } else {
    addGraph(graph, stack, isDuplicate);
  }
  add({stack, OpStatus::Exit, 0, number, isDuplicate});
  const auto end = static_cast<int64_t>(schedule_.size()) - 1;
  exits_[begin].push_back(end);
  enters_[end].push_back(begin);
}

void LivenessAnalyzer::addPending(const CallStack& stack, SubgraphIndex number, bool isDuplicate) {
  const Op& op = *stack.back();
  const Call call(op, number);
  const auto add = [&](OpStatus status, int index) {
    pending_.push_back({stack, status, index, number, isDuplicate});
  };
  const std::map<InIndex, TensorId> inputs = op.input->tensorIdMap();
  for (const auto& in : inputs)
    if (call.inputOf(in.first) >= 0) add(OpStatus::CopyInput, in.first);
  for (const auto& out : op.output->tensorIdMap())
    if (call.outputOf(out.first) >= 0) add(OpStatus::CopyOutput, out.first);
  for (const auto& in : inputs) {
    const view::Regions changed = op.modifies(in.first);
    const bool isChanged = std::any_of(changed.begin(), changed.end(),
                                       [](const view::Region& r) { return !r.isEmpty(); });
    if (isChanged && call.inputOf(in.first) >= 0) add(OpStatus::CopyModified, in.first);
  }
}

int64_t LivenessAnalyzer::add(const LivenessNode& node) {
  take(strategy_->getIndicesOfCopiesToInsertBeforeNode(node, pending_));
  const auto place = static_cast<int64_t>(schedule_.size());
  schedule_.push_back(node);
  take(strategy_->getIndicesOfCopiesToInsertAfterNode(node, pending_));
  return place;
}

void LivenessAnalyzer::take(const std::vector<size_t>& chosen) {
  for (const size_t index : chosen) {
    if (index >= pending_.size())
      throw error("LivenessAnalyzer: the strategy names copy {} of {}", index, pending_.size());
    schedule_.push_back(pending_[index]);
  }
  PendingCopies rest;
  for (size_t i = 0; i < pending_.size(); ++i)
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) rest.push_back(pending_[i]);
  pending_.swap(rest);
}

int64_t LivenessAnalyzer::getGlobalSchedulePosition(CallStack callStack) const {
  int64_t place = -1;
  for (Op* op : callStack) {
    const std::vector<int64_t>& places = ofOps_.at(op);
    const auto next = std::upper_bound(places.begin(), places.end(), place);
    if (next != places.end()) place = *next;
  }
  return place;
}

int64_t LivenessAnalyzer::getContextStartIndex(ExecutionContext context) const {
  const auto found = contexts_.find(sanitizeExecutionContext(context));
  return found == contexts_.end() ? -1 : found->second.first;
}

int64_t LivenessAnalyzer::getContextEndIndex(ExecutionContext context) const {
  const auto found = contexts_.find(sanitizeExecutionContext(context));
  return found == contexts_.end() ? -1 : found->second.second;
}

}  // namespace liveness
}  // namespace popart
