// Orders of the operators of a graph. After popart/scheduler.hpp of PopART 3.
#ifndef popart_scheduler_hpp
#define popart_scheduler_hpp

#include <popart/graphid.hpp>
#include <popart/names.hpp>
#include <popart/scheduler_requireoptimal.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Op;

/// Orders of a graph's operators, for programs that ask. The engine runs those that the graph itself
/// gives (Graph::getOpSchedule without constraints).
class Scheduler {
 public:
  Scheduler();
  ~Scheduler();

  /// Each operator after those whose outputs it reads, those that the graph's constraints name, and
  /// those of `opsBeforeKey`; otherwise in the order of the graph. With `respectExecutionPhase` those
  /// of a phase come before those of a later one. What the others say has no meaning here: no order is
  /// searched.
  /// \throws error if there is no such order
  std::vector<Op*> getSchedule(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                               RequireOptimalSchedule requireOptimalSchedule,
                               bool respectExecutionPhase, double timeLimitSeconds,
                               int64_t swapLimitCount, const std::string& kahnTieBreaker);
  /// Keeps that order: getSchedule() of this graph returns it from then on.
  void finalizeSchedule(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                        RequireOptimalSchedule requireOptimalSchedule, bool respectExecutionPhase,
                        double timeLimitSeconds, int64_t swapLimitCount,
                        const std::string& kahnTieBreaker);
  /// Whether there is such an order.
  bool isSchedulable(const OpsBeforeKey& opsBeforeKey, const Graph& graph,
                     bool respectExecutionPhase) const;
  bool isFinalized() const { return !finalized_.empty(); }

 private:
  std::map<GraphId, std::vector<Op*>> finalized_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
