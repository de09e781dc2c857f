// Calls of a graph. After popart/op/call.hpp of PopART 3.
#ifndef popart_op_call_hpp
#define popart_op_call_hpp

#include <popart/op/subgraph.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Runs a graph on its inputs and returns that graph's outputs, both in order.
class CallOp : public SubgraphOp {
 public:
  CallOp(const OperatorIdentifier& opid, Graph& callee, const Op::Settings& settings)
      : SubgraphOp(opid, settings), callee_(&callee) {}
  /// `modifiedInputsViaAttrs` are the inputs that the graph writes.
  CallOp(const OperatorIdentifier& opid, Graph& callee,
         const std::vector<int>& modifiedInputsViaAttrs, const Op::Settings& settings);
  /// For popir itself: a call that the compiler has made. It knows the graph.
  CallOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : SubgraphOp(opid, settings) {}
  ~CallOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override;
  Graph& getCalledGraph() const override;
  void setCalledGraph(Graph& graph) override { callee_ = &graph; }
  InIndex subgraphInToOpInIndex(InIndex index) const override { return index; }
  InIndex opInToSubgraphInIndex(InIndex index) const override { return index; }
  OutIndex subgraphOutToOpOutIndex(OutIndex index) const override { return index; }
  OutIndex opOutToSubgraphOutIndex(OutIndex index) const override { return index; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  view::Regions modifies(InIndex index) const override;
  view::Regions aliases(InIndex in, OutIndex out) const override;

 private:
  Graph* callee_ = nullptr;
  std::vector<int> modifiedInputs_;
};

/// A call as the gradient operator of another one: `bwdGraph` computes the gradients, of inputs and to
/// outputs as said.
class CallGradOp : public CallOp {
 public:
  CallGradOp(CallOp& fwdOp, Graph& bwdGraph, const std::vector<GradInOutMapper>& gradInInfo,
             const std::map<int, int>& gradOutInfo);
  ~CallGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return inputs_; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return outputs_; }

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
