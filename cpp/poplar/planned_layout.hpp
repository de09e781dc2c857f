// Plans of a graph's contractions, and the tensor layouts derived from them. Each plan is computed
// once, on first use.
#ifndef popir_poplar_planned_layout_hpp
#define popir_poplar_planned_layout_hpp

#include <poplar/Graph.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "machine/contraction/planner.hpp"
#include "workload/work.hpp"

namespace popir {

/// The plans for one machine.
class PlanCache {
 public:
  explicit PlanCache(poplar::Target target) : target_(std::move(target)) {}

  /// The plan of a contraction on `tiles` contiguous tiles.
  const ContractionPlan& of(const VertexClass& kind, const ContractionWork& whole, unsigned tiles);

 private:
  using Key = std::tuple<const VertexClass*, ContractionWork, unsigned>;
  const poplar::Target target_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const ContractionPlan>> plans_;
};

/// Maps `t`, which is a whole variable, to the layout that a contraction's plan prefers for operand
/// number `operand` of the kernel (numbered as in ContractionShape). `work` is the kernel's work
/// and holds a ContractionWork. The plan is computed when the layout is first needed. The mapping
/// is linear if the tiles of a virtual graph are not contiguous.
void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work,
               std::size_t operand);

}  // namespace popir

#endif
