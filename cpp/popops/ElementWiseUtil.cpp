#include <popops/ElementWiseUtil.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

#include "poplar/graph_impl.hpp"

namespace popops {
namespace {

/// The distribution of a tensor over tiles.
struct Spread {
  std::size_t fullest = 0, tiles = 0;

  Spread(const poplar::Graph& graph, const poplar::Tensor& t) {
    for (const auto& intervals : graph.getTileMapping(t, false)) {
      std::size_t n = 0;
      for (const poplar::Interval& i : intervals) n += i.size();
      fullest = std::max(fullest, n);
      if (n != 0) ++tiles;
    }
  }
  bool betterThan(const Spread& o) const {
    return fullest != o.fullest ? fullest < o.fullest : tiles > o.tiles;
  }
};

/// True for a tensor with a planned layout. It counts as well balanced; evaluating it would force
/// the plan to be computed.
bool liesByPlan(const poplar::Graph& graph, const poplar::Tensor& t) {
  const auto whole = t.view().wholeVariable();
  return whole && graph.impl()->variable(*whole).mapping.rule();
}

}  // namespace

poplar::Tensor createOutputForElementWiseOp(poplar::Graph& graph,
                                            const std::vector<poplar::Tensor>& inputs,
                                            const poplar::Type& outputType,
                                            const poplar::DebugContext& debugContext) {
  const std::string who = "createOutputForElementWiseOp '" + debugContext.getPathName() + "': ";
  if (inputs.empty()) throw poputil::poplibs_error(who + "no inputs were given");
  std::vector<const poplar::Tensor*> candidates;
  for (const poplar::Tensor& t : inputs) {
    if (t.shape() != inputs.front().shape())
      throw poputil::poplibs_error(who + "the inputs have shapes " +
                                   inputs.front().shapeToString() + " and " + t.shapeToString());
    if (!t.containsAliases()) candidates.push_back(&t);
  }
  if (candidates.empty())
    return graph.addVariable(outputType, inputs.front().shape(),
                             poplar::VariableMappingMethod::LINEAR, debugContext);
  const poplar::Tensor* best = candidates.front();
  const auto planned = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const auto* t) { return liesByPlan(graph, *t); });
  if (planned != candidates.end()) {
    best = *planned;
  } else if (candidates.size() > 1) {
    Spread spread(graph, *best);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      const Spread other(graph, *candidates[i]);
      if (!other.betterThan(spread)) continue;
      best = candidates[i];
      spread = other;
    }
  }
  // In rows, whatever the order of the operand in memory: the host computes them fastest.
  return graph.clone(outputType, *best, debugContext, poplar::TensorCloneMethod::CREATE_NEW_ORDER);
}

}  // namespace popops
