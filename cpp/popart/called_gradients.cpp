// What gradient operators of operators that call graphs are given.
#include <popart/ir.hpp>
#include <popart/transforms/autodiff/calledgraphgradophelper.hpp>

namespace popart {

CalledGraphGradOpHelper::~CalledGraphGradOpHelper() = default;

void CalledGraphGradOpHelper::setCalledSubgraphGradInfo(
    const FwdGraphToBwdGraphInfo& calledGraphsGradInfo) {
  infos_ = calledGraphsGradInfo;
}

const FwdGraphToBwdGraphInfo& CalledGraphGradOpHelper::getCalledSubgraphGradInfo() const {
  if (!infos_.has_value())
    throw error(
        "{}: its gradients need those of the graphs that it calls; call setCalledSubgraphGradInfo "
        "before",
        op_->debugName());
  return *infos_;
}

const Graph& CalledGraphGradOpHelper::called(SubgraphIndex subgraphIndex) const {
  const std::vector<const Graph*> graphs = op_->getCalledGraphs();
  if (subgraphIndex < 0 || subgraphIndex >= static_cast<SubgraphIndex>(graphs.size()))
    throw error("{} calls {} graphs; number {} was asked for", op_->debugName(), graphs.size(),
                subgraphIndex);
  return *graphs[static_cast<std::size_t>(subgraphIndex)];
}

const BwdGraphInfo& CalledGraphGradOpHelper::getBwdGraphInfo(SubgraphIndex subgraphIndex) {
  const FwdGraphToBwdGraphInfo& infos = getCalledSubgraphGradInfo();
  const GraphId& id = called(subgraphIndex).id;
  const auto found = infos.find(id);
  if (found == infos.end())
    throw error("{}: nothing is known of the gradients of the graph '{}', which it calls",
                op_->debugName(), id);
  return found->second;
}

Graph& CalledGraphGradOpHelper::getBwdGraph(SubgraphIndex subgraphIndex) {
  return op_->getIr().getGraph(getBwdGraphInfo(subgraphIndex).bwdGraphId);
}

std::vector<GradInOutMapper> CalledGraphGradOpHelper::getCalledGraphGradInInfo(
    SubgraphIndex subgraphIndex, const std::function<InIndex(InIndex)>& bwdGraphInToGradOpInIndex) {
  const BwdGraphInfo& info = getBwdGraphInfo(subgraphIndex);
  const Graph& graph = called(subgraphIndex);
  std::vector<GradInOutMapper> given;
  InIndex in = 0;
  for (const ExpectedConnection& each : info.expectedInputs) {
    const InIndex to = bwdGraphInToGradOpInIndex(in++);
    const bool isGradient = each.type == ExpectedConnectionType::FwdGrad;
    if (graph.hasOutputId(each.fwdId))
      given.emplace_back(
          to, op_->subgraphOutToOpOutIndex(subgraphIndex, graph.getOutputIndex(each.fwdId)),
          isGradient ? GradOpInType::GradOut : GradOpInType::Out);
    else if (!isGradient && graph.hasInputId(each.fwdId))
      given.emplace_back(to,
                         op_->subgraphInToOpInIndex(subgraphIndex, graph.getInputIndex(each.fwdId)),
                         GradOpInType::In);
    else
      throw error("{}: input {} of the graph '{}' is '{}'{}, which is no {} of the graph '{}'",
                  op_->debugName(), in - 1, info.bwdGraphId, each.fwdId,
                  isGradient ? "'s gradient" : "", isGradient ? "output" : "input or output",
                  graph.id);
  }
  return given;
}

const std::map<int, int> CalledGraphGradOpHelper::getCalledGraphGradOutToNonGradIn(
    SubgraphIndex subgraphIndex,
    const std::function<OutIndex(OutIndex)>& bwdGraphOutToGradOpOutIndex) {
  const BwdGraphInfo& info = getBwdGraphInfo(subgraphIndex);
  const Graph& graph = called(subgraphIndex);
  std::map<int, int> gradients;
  OutIndex out = 0;
  for (const ExpectedConnection& each : info.expectedOutputs) {
    if (each.type != ExpectedConnectionType::FwdGrad || !graph.hasInputId(each.fwdId))
      throw error("{}: output {} of the graph '{}' is {}, and no gradient of an input of '{}'",
                  op_->debugName(), out, info.bwdGraphId, each.fwdId, graph.id);
    gradients[bwdGraphOutToGradOpOutIndex(out++)] =
        op_->subgraphInToOpInIndex(subgraphIndex, graph.getInputIndex(each.fwdId));
  }
  return gradients;
}

}  // namespace popart
