// When tensors are copied into and out of called graphs. After popart/subgraphcopyingstrategy.hpp of
// PopART 3.
#ifndef popart_subgraphcopyingstrategy_hpp
#define popart_subgraphcopyingstrategy_hpp

#include <popart/aliasesmap.hpp>
#include <popart/liveness.hpp>

#include <cstddef>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace liveness {

/// Says at each place of the order of LivenessAnalyzer which of the copies that are still to be made
/// are made there. Each has to be made at last before its graph is left.
class SubgraphCopyingStrategy {
 public:
  SubgraphCopyingStrategy();
  virtual ~SubgraphCopyingStrategy();

  /// What a strategy may ask.
  virtual void setIr(const Ir* ir);
  virtual void setLivenessAnalyzer(const LivenessAnalyzer* liveness);
  /// What it does before it is asked: nothing by default.
  virtual void apply();
  /// The copies before and after a place, in order, as indices in `pendingCopies`.
  virtual std::vector<size_t> getIndicesOfCopiesToInsertBeforeNode(
      const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const = 0;
  virtual std::vector<size_t> getIndicesOfCopiesToInsertAfterNode(
      const LivenessNode& node, const LivenessAnalyzer::PendingCopies& pendingCopies) const = 0;

 protected:
  const Ir* ir = nullptr;
  const LivenessAnalyzer* liveness = nullptr;
};

/// Inputs are copied right after a graph is entered, outputs and changed inputs right before it is
/// left.
class OnEnterAndExitSubgraphCopyingStrategy : public SubgraphCopyingStrategy {
 public:
  OnEnterAndExitSubgraphCopyingStrategy();
  ~OnEnterAndExitSubgraphCopyingStrategy() override;

  std::vector<size_t> getIndicesOfCopiesToInsertBeforeNode(
      const LivenessNode& node,
      const LivenessAnalyzer::PendingCopies& pendingCopies) const override;
  std::vector<size_t> getIndicesOfCopiesToInsertAfterNode(
      const LivenessNode& node,
      const LivenessAnalyzer::PendingCopies& pendingCopies) const override;
};

/// Inputs are copied right before an operator reads them, outputs and changed inputs as soon as
/// nothing changes them any more, across the calls of several graphs. A graph that another operator
/// than a CallOp calls gets its inputs on entry, and gives its outputs on exit.
class JustInTimeSubgraphCopyingStrategy : public SubgraphCopyingStrategy {
 public:
  JustInTimeSubgraphCopyingStrategy();
  ~JustInTimeSubgraphCopyingStrategy() override;

  /// Looks at the aliases of all graphs.
  /// \throws error without an Ir
  void apply() override;
  std::vector<size_t> getIndicesOfCopiesToInsertBeforeNode(
      const LivenessNode& node,
      const LivenessAnalyzer::PendingCopies& pendingCopies) const override;
  std::vector<size_t> getIndicesOfCopiesToInsertAfterNode(
      const LivenessNode& node,
      const LivenessAnalyzer::PendingCopies& pendingCopies) const override;

 private:
  class Choice;
  using Schedule = std::vector<Op*>;

  /// The tensors of a graph that share elements with one, and itself.
  std::set<TensorId> sharing(const Graph& graph, const TensorId& id) const;
  /// Whether no operator from `next` on computes or changes a tensor.
  bool isFinal(const Graph& graph, const TensorId& id, Schedule::const_iterator next) const;

  AliasesMap aliases_;
};

}  // namespace liveness
}  // namespace popart

#pragma GCC visibility pop

#endif
