// How called graphs are cut where their callers copy.
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/liveness.hpp>
#include <popart/op/call.hpp>
#include <popart/subgraphpartitioner.hpp>

#include <algorithm>

namespace popart {
namespace liveness {
namespace {

using Part = SubgraphPartitioner::CallOpPart;
using Kind = SubgraphPartitioner::CallOpPartType;

Part partOf(const LivenessNode& node) {
  const int index = node.getIndex();
  switch (node.getStatus()) {
    case OpStatus::CopyInput: return {Kind::CopyInput, index, 0, 0};
    case OpStatus::CopyModified: return {Kind::CopyModified, index, 0, 0};
    case OpStatus::CopyOutput: return {Kind::CopyOutput, 0, index, 0};
    default: return {Kind::Undefined, 0, 0, 0};
  }
}

bool isCopy(const LivenessNode& node) { return partOf(node).type != Kind::Undefined; }

bool isSame(const Part& a, const Part& b) {
  return a.type == b.type && a.inIndex == b.inIndex && a.outIndex == b.outIndex &&
         a.subgraphPartIndex == b.subgraphPartIndex;
}

}  // namespace

SubgraphPartIndex SubgraphPartitioner::Partition::partOf(std::size_t step) const {
  return static_cast<SubgraphPartIndex>(std::distance(cuts.begin(), cuts.upper_bound(step)));
}

SubgraphPartIndex SubgraphPartitioner::Partition::numParts() const {
  return steps.empty() ? 0 : partOf(steps.size() - 1) + 1;
}

/// Reads one run of a graph from the order.
class SubgraphPartitioner::Reading {
 public:
  /// `depth`: how many operators are on the stack of the call; 0 for the main graph.
  Reading(const SubgraphPartitioner& all, const Graph& graph, std::size_t depth)
      : all_(all), graph_(graph), depth_(depth) {}

  void read(const LivenessNode& node) {
    const std::size_t depth = node.getCallStack().size();
    Op* op = node.getOp();
    if (depth <= depth_) {
      if (isCopy(node) && !found_.steps.empty()) cut();
    } else if (depth > depth_ + 1) {
      if (depth == depth_ + 2 && call_ != nullptr) reach(node);
    } else if (auto* call = dynamic_cast<CallOp*>(op)) {
      if (node.getStatus() == OpStatus::Enter) {
        call_ = call;
        called_ = reached_ = 0;
      } else if (node.getStatus() == OpStatus::Exit) {
        reached_ = all_.getNumSubgraphParts(call->getCalledGraph());
        callReached();
        call_ = nullptr;
      } else {
        callReached();
        found_.steps.push_back({op, partOf(node)});
      }
    } else if (node.getStatus() == OpStatus::Normal || node.getStatus() == OpStatus::Enter) {
      // Once, whatever it copies: an If enters two graphs.
      if (found_.steps.empty() || found_.steps.back().op != op)
        found_.steps.push_back({op, partOf(node)});
    }
  }

  Partition take() {
    // A cut behind all steps is none.
    found_.cuts.erase(found_.cuts.lower_bound(found_.steps.size()), found_.cuts.end());
    return std::move(found_);
  }

 private:
  void cut() {
    if (call_ != nullptr) callReached();
    found_.cuts.insert(found_.steps.size());
  }

  /// A place in the graph that is called: its part has to be called by now.
  void reach(const LivenessNode& node) {
    Op* op = node.getOp();
    if (auto* call = dynamic_cast<CallOp*>(op)) {
      const Part what = partOf(node);
      for (const auto& [each, part] : all_.getCallOpSchedule(call))
        if (what.type != Kind::Undefined && isSame(each, what))
          reached_ = std::max(reached_, part + 1);
    } else {
      reached_ = std::max(reached_, all_.getOpSubgraphPartEnd(op));
    }
  }

  void callReached() {
    for (; called_ < reached_; ++called_)
      found_.steps.push_back({call_, {Kind::CallSubgraphPart, 0, 0, called_}});
  }

  const SubgraphPartitioner& all_;
  const Graph& graph_;
  std::size_t depth_;
  Partition found_;
  /// The CallOp that is entered, how many parts of its graph are called, and how many have to be.
  CallOp* call_ = nullptr;
  SubgraphPartIndex called_ = 0, reached_ = 0;
};

void SubgraphPartitioner::setIr(const Ir* ir) { ir_ = ir; }
void SubgraphPartitioner::setLivenessAnalyzer(const LivenessAnalyzer* liveness) {
  liveness_ = liveness;
}

void SubgraphPartitioner::apply() {
  if (ir_ == nullptr) throw error("SubgraphPartitioner: there is no Ir; setIr() gives it one");
  if (liveness_ == nullptr)
    throw error(
        "SubgraphPartitioner: there is no LivenessAnalyzer; setLivenessAnalyzer() gives it one");
  if (liveness_->getOpScheduleSize() == 0 && !ir_->getMainGraph().getOps().empty())
    throw error("SubgraphPartitioner: the LivenessAnalyzer has no order yet; apply() it first");
  partitions_.clear();
  for (const Graph* graph : ir_->getAllGraphs()) partition(*graph);
}

void SubgraphPartitioner::partition(const Graph& graph) {
  if (partitions_.count(graph.id.str()) != 0) return;
  const bool isMain = graph.id == ir_->getMainGraph().id;
  // Those that it calls first, as their parts are steps of it.
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    for (const Graph* called : op->getCalledGraphs()) partition(*called);
  Partition all;
  bool isFirst = true;
  const auto size = static_cast<int64_t>(liveness_->getOpScheduleSize());
  const auto add = [&](int64_t begin, int64_t end, std::size_t depth) {
    Reading reading(*this, graph, depth);
    for (int64_t i = begin; i < end; ++i)
      if (!liveness_->getOpScheduleAt(i).getDuplicate())
        reading.read(liveness_->getOpScheduleAt(i));
    Partition one = reading.take();
    if (isFirst) all.steps = one.steps;
    isFirst = false;
    const bool isEqual = std::equal(
        all.steps.begin(), all.steps.end(), one.steps.begin(), one.steps.end(),
        [](const Step& a, const Step& b) { return a.op == b.op && isSame(a.what, b.what); });
    if (!isEqual)
      throw error("SubgraphPartitioner: the calls of {} run its operators in different orders",
                  graph.getGraphString());
    all.cuts.insert(one.cuts.begin(), one.cuts.end());
  };
  if (isMain) {
    add(0, size, 0);
  } else {
    for (int64_t i = 0; i < size; ++i) {
      const LivenessNode& node = liveness_->getOpScheduleAt(i);
      if (node.getStatus() != OpStatus::Enter || node.getDuplicate()) continue;
      const auto number = static_cast<std::size_t>(node.getSubgraphIndex());
      if (node.getOp()->getCalledGraphs().at(number)->id != graph.id) continue;
      add(i + 1, liveness_->getCallSiteLinksAt(i).back(), node.getCallStack().size());
    }
  }
  if (!all.cuts.empty() && !isPartitionable(graph))
    throw error(
        "SubgraphPartitioner: a caller of {} copies between its operators, and the graph cannot be "
        "called in parts: only one that CallOps alone call can",
        graph.getGraphString());
  partitions_[graph.id.str()] = std::move(all);
}

const SubgraphPartitioner::Partition& SubgraphPartitioner::of(const Graph& graph) const {
  const auto found = partitions_.find(graph.id.str());
  if (found == partitions_.end())
    throw error("SubgraphPartitioner: {} was not there when apply() was called",
                graph.getGraphString());
  return found->second;
}

int SubgraphPartitioner::getNumSubgraphParts(const Graph& graph) const {
  return of(graph).numParts();
}

namespace {

[[noreturn]] void hasNoPart(const Op& op) {
  throw error("SubgraphPartitioner: {} is in no part of {}", op.debugName(),
              op.getGraph().getGraphString());
}

}  // namespace

SubgraphPartIndex SubgraphPartitioner::getOpSubgraphPartBegin(Op* op) const {
  const Partition& found = of(op->getGraph());
  for (std::size_t i = 0; i < found.steps.size(); ++i)
    if (found.steps[i].op == op) return found.partOf(i);
  hasNoPart(*op);
}

SubgraphPartIndex SubgraphPartitioner::getOpSubgraphPartEnd(Op* op) const {
  const Partition& found = of(op->getGraph());
  for (std::size_t i = found.steps.size(); i-- > 0;)
    if (found.steps[i].op == op) return found.partOf(i) + 1;
  hasNoPart(*op);
}

SubgraphPartitioner::CallOpSchedule SubgraphPartitioner::getCallOpSchedule(CallOp* callOp) const {
  const Partition& found = of(callOp->getGraph());
  CallOpSchedule schedule;
  for (std::size_t i = 0; i < found.steps.size(); ++i)
    if (found.steps[i].op == callOp) schedule.emplace_back(found.steps[i].what, found.partOf(i));
  return schedule;
}

bool SubgraphPartitioner::isPartitionable(const Graph& graph) {
  if (graph.id == graph.getIr().getMainGraph().id) return false;
  const std::vector<Op*> callers = graph.getCallSiteOps();
  return std::all_of(callers.begin(), callers.end(),
                     [](const Op* op) { return dynamic_cast<const CallOp*>(op) != nullptr; });
}

std::ostream& operator<<(std::ostream& os, const SubgraphPartitioner::CallOpPartType& type) {
  static const char* const names[] = {"Undefined", "CopyInput", "CopyOutput", "CopyModified",
                                      "CallSubgraphPart"};
  return os << names[static_cast<int>(type)];
}

std::ostream& operator<<(std::ostream& os, const SubgraphPartitioner::CallOpPart& part) {
  os << part.type;
  switch (part.type) {
    case Kind::CopyInput:
    case Kind::CopyModified: return os << "@" << part.inIndex;
    case Kind::CopyOutput: return os << "@" << part.outIndex;
    case Kind::CallSubgraphPart: return os << "(" << part.subgraphPartIndex << ")";
    case Kind::Undefined: return os;
  }
  return os;
}

}  // namespace liveness
}  // namespace popart
