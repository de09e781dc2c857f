// Choices between two graphs. After popart/op/if.hpp of PopART 3.
#ifndef popart_op_if_hpp
#define popart_op_if_hpp

#include <popart/bwdgraphinfo.hpp>
#include <popart/graphid.hpp>
#include <popart/op.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// A graph that an IfOp may run: which of the operator's inputs each of its inputs is, and the same
/// of the outputs. The keys are the operator's.
struct BranchInfo {
  BranchInfo(const GraphId& graphId_, const std::map<int, int> inputIndicesMap_,
             const std::map<int, int> outputIndicesMap_)
      : graphId(graphId_), inputIndicesMap(inputIndicesMap_), outputIndicesMap(outputIndicesMap_) {}

  GraphId graphId;
  std::map<int, int> inputIndicesMap;
  std::map<int, int> outputIndicesMap;
};

/// Runs one of two graphs, by a condition, which is input 0. Its class and that of its gradient are
/// for graphs that a program makes; the compiler's choices are shown as objects of the first.
class IfOp : public Op {
 public:
  /// \throws error if the Ir has no such graphs
  IfOp(const OperatorIdentifier& opid, const BranchInfo& thenBranchInfo,
       const BranchInfo& elseBranchInfo, const Op::Settings& settings);
  /// For popir itself: a choice that the compiler has made. It knows the graphs; the inputs that
  /// each of these gets, in order.
  IfOp(const OperatorIdentifier& opid, const std::vector<int64_t>& thenInputs,
       const std::vector<int64_t>& elseInputs, const Op::Settings& settings);
  ~IfOp() override;

  static InIndex getConditionInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// An IfGradOp, which calls the gradients of the graphs (`Autodiff::createBwdGraph`); none if no
  /// input is of a floating-point type.
  /// \throws error for a choice of a model: its gradient is the compiler's
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  /// \throws error if an input of a graph or an output of the operator is not mapped, if an input
  /// differs from the graph's in type or shape, or the graphs' outputs from each other, or if the
  /// condition is not one BOOL
  void setup() override;

  Graph& getThenGraph() const;
  Graph& getElseGraph() const;
  /// \throws error for a graph that is neither
  const std::map<InIndex, InIndex>& getBranchInIndicesMap(const Graph& graph) const;
  const std::map<OutIndex, OutIndex>& getBranchOutIndicesMap(const Graph& graph) const;
  /// The graph for a condition that is true first.
  std::vector<const Graph*> getCalledGraphs() const override;
  InIndex opInToSubgraphInIndex(SubgraphIndex subgraph, InIndex index) const override;
  InIndex subgraphInToOpInIndex(SubgraphIndex subgraph, InIndex index) const override;
  OutIndex opOutToSubgraphOutIndex(SubgraphIndex subgraph, OutIndex index) const override;
  OutIndex subgraphOutToOpOutIndex(SubgraphIndex subgraph, OutIndex index) const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

 protected:
  /// With the graphs of `ir`, where that of the settings, as a copy that the compiler has made, is
  /// in none.
  IfOp(const OperatorIdentifier& opid, const BranchInfo& thenBranchInfo,
       const BranchInfo& elseBranchInfo, const Op::Settings& settings, const Ir& ir);

 private:
  Graph& branch(int number) const;
  const BranchInfo& infoOf(SubgraphIndex subgraph) const;

  BranchInfo branches_[2];
  /// Null where the compiler has made it.
  Graph* graphs_[2] = {nullptr, nullptr};
};

/// The gradient of the graph that was run: output i is that of input i + 1 of the IfOp. A graph gives
/// zeros for an input on which its outputs do not depend.
class IfGradOp : public IfOp {
 public:
  IfGradOp(const IfOp& fwdOp, const std::vector<GradInOutMapper>& gradInInfo,
           const BranchInfo& thenBranchInfo, const BranchInfo& elseBranchInfo);
  ~IfGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
