#include <popart/scheduler.hpp>

#include <popart/graph.hpp>
#include <popart/op.hpp>

#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "popart/schedule.hpp"

namespace popir {

using popart::Graph;
using popart::Op;
using popart::OpId;

nonstd::optional<std::vector<Op*>> orderOf(const Graph& graph, const std::vector<Op*>& first,
                                           const popart::OpsBeforeKey& constraints,
                                           bool respectsPhases) {
  std::map<OpId, std::unordered_set<OpId>> edges = graph.getEdgeMap();
  const auto isHere = [&](const Op* op) { return graph.getOpUnsafe(op->id) == op; };
  for (const auto& each : constraints)
    for (const Op* before : each.second)
      if (isHere(before) && isHere(each.first)) edges[before->id].insert(each.first->id);
  std::map<OpId, int> waits;
  for (const auto& each : edges)
    for (const OpId after : each.second) ++waits[after];
  std::map<OpId, std::size_t> place;
  std::multiset<popart::ExecutionPhase> phases;
  for (std::size_t i = 0; i < first.size(); ++i) {
    place[first[i]->id] = i;
    if (respectsPhases && first[i]->hasExecutionPhase())
      phases.insert(first[i]->getExecutionPhase());
  }
  std::set<std::pair<std::size_t, OpId>> ready;
  const auto becomesReady = [&](OpId id) { ready.emplace(place.at(id), id); };
  for (const auto& each : edges)
    if (waits[each.first] == 0) becomesReady(each.first);
  std::vector<Op*> order;
  while (!ready.empty()) {
    // The first one that is of no later phase than any that is still to come.
    auto next = ready.begin();
    const auto isEarly = [&](OpId id) {
      const Op* op = graph.getOp(id);
      return phases.empty() || !op->hasExecutionPhase() ||
             op->getExecutionPhase() == *phases.begin();
    };
    while (next != ready.end() && !isEarly(next->second)) ++next;
    if (next == ready.end()) return nonstd::nullopt;
    Op* op = graph.getOp(next->second);
    ready.erase(next);
    if (!phases.empty() && op->hasExecutionPhase())
      phases.erase(phases.find(op->getExecutionPhase()));
    order.push_back(op);
    for (const OpId after : edges[op->id])
      if (--waits[after] == 0) becomesReady(after);
  }
  if (order.size() != edges.size()) return nonstd::nullopt;
  return order;
}

std::vector<Op*> requireOrder(const Graph& graph, const std::vector<Op*>& first,
                              const popart::OpsBeforeKey& constraints, bool respectsPhases) {
  const auto order = orderOf(graph, first, constraints, respectsPhases);
  if (!order)
    throw popart::error(
        "{} has no order of its operators that keeps what is to be before {} of them{}",
        graph.getGraphString(), constraints.size(), respectsPhases ? ", and execution phases" : "");
  return *order;
}

}  // namespace popir

namespace popart {

Scheduler::Scheduler() = default;
Scheduler::~Scheduler() = default;

std::vector<Op*> Scheduler::getSchedule(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                                        RequireOptimalSchedule requireOptimalSchedule,
                                        bool respectExecutionPhase, double, int64_t,
                                        const std::string&) {
  const auto kept = finalized_.find(graph.id);
  if (kept != finalized_.end()) return kept->second;
  const std::vector<Op*> own = graph.getOpSchedule({}, requireOptimalSchedule);
  return popir::requireOrder(graph, own, opsBeforeKey, respectExecutionPhase);
}

void Scheduler::finalizeSchedule(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                                 RequireOptimalSchedule requireOptimalSchedule,
                                 bool respectExecutionPhase, double timeLimitSeconds,
                                 int64_t swapLimitCount, const std::string& kahnTieBreaker) {
  finalized_.erase(graph.id);
  finalized_[graph.id] =
      getSchedule(opsBeforeKey, graph, requireOptimalSchedule, respectExecutionPhase,
                  timeLimitSeconds, swapLimitCount, kahnTieBreaker);
}

bool Scheduler::isSchedulable(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                              bool respectExecutionPhase) const {
  return graph.isSchedulable(opsBeforeKey, respectExecutionPhase);
}

}  // namespace popart
