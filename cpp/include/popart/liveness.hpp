// The order in which the operators of all graphs run, with what is copied around calls. After
// popart/liveness.hpp of PopART 3.
#ifndef popart_liveness_hpp
#define popart_liveness_hpp

#include <popart/graphid.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Ir;

namespace liveness {

/// Subgraph counts as Normal: a called graph runs where its caller does.
ExecutionContext sanitizeExecutionContext(ExecutionContext context);

class SubgraphCopyingStrategy;

/// An operator, after those in whose called graphs it runs.
using CallStack = std::vector<Op*>;

/// What happens at a place of the order: an operator that calls no graph runs; or one that does
/// enters a graph, copies a tensor into it, from one iteration to the next, or out of it, or leaves.
enum class OpStatus {
  Normal = 0,
  Enter,
  CopyInput,
  CopyLoopCarried,
  CopyOutput,
  /// To an input of the operator, which the graph has changed.
  CopyModified,
  Exit
};

/// A place of the order.
class LivenessNode {
 public:
  /// Without operators: to compare status and index with.
  LivenessNode(const OpStatus status, int index, SubgraphIndex subgraphIndex, bool isDuplicate);
  /// `index` is the operator's input or output that is copied, or the graph's output whose value the
  /// next iteration gets. A duplicate is a place of a loop's second iteration.
  LivenessNode(const CallStack& callStack, const OpStatus status, int index,
               SubgraphIndex subgraphIndex, bool isDuplicate);

  Op* getOp() const { return callStack_.back(); }
  const CallStack& getCallStack() const { return callStack_; }
  OpStatus getStatus() const { return status_; }
  int getIndex() const { return index_; }
  int getSubgraphIndex() const { return subgraphIndex_; }
  bool getDuplicate() const { return isDuplicate_; }
  /// The tensors that the place reads or writes. At Enter and Exit these are the ones that no copy
  /// stands for, such as the condition of an If and the number of the iteration.
  const std::set<TensorId>& usedTensorIds() const { return used_; }
  /// Of a copy the tensor outside of the graph, and the one in it; of CopyLoopCarried the output of
  /// an iteration, and the input of the next. A loop's copies go to what the body carries on.
  const std::pair<TensorId, TensorId>& getTensorIds() const { return ids_; }

  bool isProducerOf(Tensor* t) const;
  bool isConsumerOf(Tensor* t) const;
  bool overwritesTensor(Tensor* t) const;
  bool modifiesTensor(Tensor* t) const;
  ExecutionContext getExecutionContext() const {
    return sanitizeExecutionContext(getOp()->settings.executionContext);
  }

 private:
  bool isCopy() const;

  CallStack callStack_;
  OpStatus status_;
  int index_;
  SubgraphIndex subgraphIndex_;
  bool isDuplicate_;
  std::pair<TensorId, TensorId> ids_;
  std::set<TensorId> used_;
};

std::ostream& operator<<(std::ostream& os, const OpStatus& status);
std::ostream& operator<<(std::ostream& os, const LivenessNode& node);

/// The order of all graphs: a graph stands where it is called, as often as that is, and the body of
/// a loop twice, so that what one iteration leaves to the next is seen. An If has both its graphs,
/// one after the other. popir's own: the compiler plans memory by its own schedule; this is for
/// programs and transforms that ask.
class LivenessAnalyzer {
 public:
  using PendingCopies = std::vector<LivenessNode>;

  LivenessAnalyzer(const Ir* ir, const SubgraphCopyingStrategy* subgraphCopyingStrat);
  /// \throws error if the strategy leaves out a copy, or names one that there is not
  void apply();

  /// The place of the last operator of a stack, in the calls that the others are; -1 for none.
  int64_t getGlobalSchedulePosition(CallStack callStack) const;
  size_t getOpScheduleSize() const { return schedule_.size(); }
  const LivenessNode& getOpScheduleAt(int64_t scheduleIndex) const {
    return schedule_.at(static_cast<std::size_t>(scheduleIndex));
  }
  const std::vector<Op*>& getGraphOpSchedule(GraphId id) const { return graphSchedules_.at(id); }
  /// The places at which an operator runs, or enters a graph; at which a tensor is used.
  const std::vector<int64_t>& getScheduleIndices(Op* op) const { return ofOps_.at(op); }
  const std::vector<int64_t>& getScheduleIndices(Tensor* t) const {
    return getScheduleIndices(t->id);
  }
  const std::vector<int64_t>& getScheduleIndices(TensorId tid) const {
    static const std::vector<int64_t> none;
    const auto found = ofTensors_.find(tid);
    return found == ofTensors_.end() ? none : found->second;
  }
  /// The Exit of an Enter, and the reverse.
  const std::vector<int64_t>& getCallSiteLinksAt(int64_t scheduleIndex) const {
    return exits_.at(scheduleIndex);
  }
  const std::vector<int64_t>& getCallSiteLinksInvAt(int64_t scheduleIndex) const {
    return enters_.at(scheduleIndex);
  }
  /// The operators that call a graph, in the order in which they run.
  const std::vector<Op*>& getGraphCallSites(GraphId id) const { return callSites_.at(id); }
  /// The first and the last place of a context; -1 for one that there is not.
  int64_t getContextStartIndex(ExecutionContext context) const;
  int64_t getContextEndIndex(ExecutionContext context) const;

 private:
  void addGraph(const Graph& graph, const CallStack& stack, bool isDuplicate);
  void enter(const Graph& graph, const CallStack& stack, SubgraphIndex number, bool isDuplicate);
  void addPending(const CallStack& stack, SubgraphIndex number, bool isDuplicate);
  int64_t add(const LivenessNode& node);
  void take(const std::vector<size_t>& chosen);

  const Ir* ir_;
  const SubgraphCopyingStrategy* strategy_;
  PendingCopies pending_;
  std::vector<LivenessNode> schedule_;
  std::map<GraphId, std::vector<Op*>> graphSchedules_;
  std::map<Op*, std::vector<int64_t>> ofOps_;
  std::map<TensorId, std::vector<int64_t>> ofTensors_;
  std::map<int64_t, std::vector<int64_t>> exits_, enters_;
  std::map<GraphId, std::vector<Op*>> callSites_;
  std::map<ExecutionContext, std::pair<int64_t, int64_t>> contexts_;
};

}  // namespace liveness
}  // namespace popart

#pragma GCC visibility pop

#endif
