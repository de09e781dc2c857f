// What gradient operators of operators that call graphs are given.
// After popart/transforms/autodiff/calledgraphgradophelper.hpp of PopART 3.
#ifndef popart_transforms_autodiff_calledgraphgradophelper_hpp
#define popart_transforms_autodiff_calledgraphgradophelper_hpp

#include <popart/bwdgraphinfo.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/vendored/optional.hpp>

#include <functional>
#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;

/// For a class of operators whose gradient operators call the graphs of gradients of those that it
/// calls, as Autodiff::createBwdGraph() makes them. The class passes on what
/// Op::setCalledSubgraphGradInfo() gives it, and asks in getGradOps(). The operator must outlive this
/// object.
///
/// All but the first throw error before that, and for a number of a graph that the operator does not
/// call.
class CalledGraphGradOpHelper {
 public:
  explicit CalledGraphGradOpHelper(Op* op) : op_(op) {}
  virtual ~CalledGraphGradOpHelper();

  virtual void setCalledSubgraphGradInfo(const FwdGraphToBwdGraphInfo& calledGraphsGradInfo);
  virtual const FwdGraphToBwdGraphInfo& getCalledSubgraphGradInfo() const;
  virtual Graph& getBwdGraph(SubgraphIndex subgraphIndex);
  virtual const BwdGraphInfo& getBwdGraphInfo(SubgraphIndex subgraphIndex);
  /// What the gradient operator is given for the inputs of the graph of gradients: inputs, outputs and
  /// gradients of outputs of the operator. The function says which input of it that is.
  /// \throws error for what is neither
  virtual std::vector<GradInOutMapper> getCalledGraphGradInInfo(
      SubgraphIndex subgraphIndex,
      const std::function<InIndex(InIndex)>& bwdGraphInToGradOpInIndex);
  /// Of which inputs of the operator the outputs are the gradients.
  /// \throws error for an output that is no gradient of an input
  virtual const std::map<int, int> getCalledGraphGradOutToNonGradIn(
      SubgraphIndex subgraphIndex,
      const std::function<OutIndex(OutIndex)>& bwdGraphOutToGradOpOutIndex);

 private:
  const Graph& called(SubgraphIndex subgraphIndex) const;

  Op* op_;
  nonstd::optional<FwdGraphToBwdGraphInfo> infos_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
