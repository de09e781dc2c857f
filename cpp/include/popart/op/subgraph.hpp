// Base class of operators that call one graph. After popart/op/subgraph.hpp of PopART 3.
#ifndef popart_op_subgraph_hpp
#define popart_op_subgraph_hpp

#include <popart/chains.hpp>
#include <popart/op.hpp>

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The called graph has inputs and outputs of its own; a derived class says which of the operator's
/// they are.
class SubgraphOp : public Op {
 public:
  SubgraphOp(const OperatorIdentifier& opid, const Op::Settings& settings) : Op(opid, settings) {}
  ~SubgraphOp() override;

  virtual Graph& getCalledGraph() const = 0;
  virtual void setCalledGraph(Graph& graph) = 0;
  std::vector<const Graph*> getCalledGraphs() const override { return {&getCalledGraph()}; }
  // -1 where there is none.
  virtual InIndex subgraphInToOpInIndex(InIndex index) const = 0;
  virtual InIndex opInToSubgraphInIndex(InIndex index) const = 0;
  virtual OutIndex subgraphOutToOpOutIndex(OutIndex index) const = 0;
  virtual OutIndex opOutToSubgraphOutIndex(OutIndex index) const = 0;
  InIndex subgraphInToOpInIndex(SubgraphIndex, InIndex index) const override {
    return subgraphInToOpInIndex(index);
  }
  InIndex opInToSubgraphInIndex(SubgraphIndex, InIndex index) const override {
    return opInToSubgraphInIndex(index);
  }
  OutIndex subgraphOutToOpOutIndex(SubgraphIndex, OutIndex index) const override {
    return subgraphOutToOpOutIndex(index);
  }
  OutIndex opOutToSubgraphOutIndex(SubgraphIndex, OutIndex index) const override {
    return opOutToSubgraphOutIndex(index);
  }

  /// The regions of an input that the called graph writes, as far as they were added.
  view::Regions modifies(InIndex index) const override;
  void addModified(InIndex index, view::Regions regions) { modified_[index] = regions; }
  void removeModified(InIndex index) { modified_.erase(index); }
  /// What of an input an output shows, as far as it was added: how elements of the input come to the
  /// output, and the reverse. Added to what there is.
  void addAlias(InIndex in, OutIndex out, view::Chains forward, view::Chains backward);
  void removeAlias(InIndex in, OutIndex out) { aliases_.erase({in, out}); }
  view::Regions aliases(InIndex in, OutIndex out) const override;
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const override;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const override;
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  /// True if an operator of the called graph has one.
  bool hasSideEffect() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// Where the called graph reads an input, and where it computes an output.
  using Op::getIntrospectionInVirtualGraphId;
  using Op::getIntrospectionOutVirtualGraphId;
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                      std::set<OpId>& visited) const override;
  VGraphIdAndTileSet getIntrospectionOutVirtualGraphId(OutIndex index,
                                                       std::set<OpId>& visited) const override;

 private:
  std::map<InIndex, view::Regions> modified_;
  std::map<std::pair<InIndex, OutIndex>, std::pair<view::Chains, view::Chains>> aliases_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
