// Loops. After popart/op/loop.hpp of PopART 3.
#ifndef popart_op_loop_hpp
#define popart_op_loop_hpp

#include <popart/op/subgraph.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Runs a graph several times. Inputs: the most iterations and the first condition, both optional;
/// values that the iterations pass on; values that all read. The graph has the number of the
/// iteration and the condition before these, and the next condition before its outputs.
class LoopOp : public SubgraphOp {
 public:
  LoopOp(const OperatorIdentifier& opid, const Op::Settings& settings, Graph& callee)
      : LoopOp(opid, settings, callee, 0) {}
  LoopOp(const OperatorIdentifier& opid, const Op::Settings& settings, Graph& callee,
         int numImplicitScanOutputs)
      : SubgraphOp(opid, settings), callee_(&callee), scanOutputs_(numImplicitScanOutputs) {}
  /// For popir itself: a loop that the compiler has made. It knows the graph.
  LoopOp(const OperatorIdentifier& opid, const Op::Settings& settings, int tripCount,
         int scanOutputs)
      : SubgraphOp(opid, settings), trips_(tripCount), scanOutputs_(scanOutputs) {}
  ~LoopOp() override;

  static InIndex getMaximumTripCountInIndex() { return 0; }
  static InIndex getTerminationConditionInIndex() { return 1; }
  static InIndex getFirstInputInIndex() { return 2; }
  static OutIndex getFirstOutputOutIndex() { return 0; }
  static InIndex getLoopGraphIterationInIndex() { return 0; }
  static InIndex getLoopGraphTerminationConditionInIndex() { return 1; }
  static InIndex getLoopGraphFirstInputInIndex() { return 2; }
  static OutIndex getLoopGraphTerminationConditionOutIndex() { return 0; }
  static OutIndex getLoopGraphFirstOutputOutIndex() { return 1; }

  std::unique_ptr<Op> clone() const override;
  void setup() override;
  Graph& getCalledGraph() const override;
  void setCalledGraph(Graph& graph) override { callee_ = &graph; }
  using SubgraphOp::opInToSubgraphInIndex;
  using SubgraphOp::opOutToSubgraphOutIndex;
  using SubgraphOp::subgraphInToOpInIndex;
  using SubgraphOp::subgraphOutToOpOutIndex;
  InIndex subgraphInToOpInIndex(InIndex index) const override { return index; }
  InIndex opInToSubgraphInIndex(InIndex index) const override { return index; }
  OutIndex subgraphOutToOpOutIndex(OutIndex index) const override { return index - 1; }
  OutIndex opOutToSubgraphOutIndex(OutIndex index) const override { return index + 1; }
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// Of a value that iterations pass on, too, where it is computed.
  using SubgraphOp::getIntrospectionInVirtualGraphId;
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                      std::set<OpId>& visited) const override;

  /// The most iterations; 0 until they are set. -1 where only the run knows them.
  int getTripCountValue() const { return trips_; }
  void setTripCountValue(int value);
  int getNumImplicitScanOutputs() const { return scanOutputs_; }
  void setNumImplicitScanOutputs(int numOutputs) { scanOutputs_ = numOutputs; }
  /// Inputs that iterations pass on, the first two among them; and those that all read.
  int getNumExplicitInputs() const;
  int getNumImplicitInputs() const;

  /// Adds an input at `index`, and one of the graph, which is made; later ones move up. With
  /// `overwrite` they take the place of those that are there.
  void addLoopInput(InIndex index, TensorId tensorId, TensorId subgraphTensorId, bool overwrite);
  /// Adds an output at `index`, which is made, and one of the graph.
  void addLoopOutput(OutIndex index, TensorId tensorId, TensorId subgraphTensorId, bool overwrite);
  void removeLoopInput(InIndex index);
  void removeLoopOutput(OutIndex index);

 private:
  Graph* callee_ = nullptr;
  int trips_ = 0;
  int scanOutputs_ = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
