// Plans of a graph's contractions, each made once and only when somebody asks; and the layouts that
// follow from them.
#ifndef popir_poplar_planned_layout_hpp
#define popir_poplar_planned_layout_hpp

#include <poplar/Graph.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "kernels/kernel.hpp"
#include "machine/planner.hpp"

namespace popir {

/// Of one machine.
class PlanCache {
 public:
  explicit PlanCache(poplar::Target target) : target_(std::move(target)) {}

  /// Of a contraction, on so many tiles side by side.
  const ContractionPlan& of(const VertexClass& kind, const VertexWork& whole, unsigned tiles);

 private:
  using Key = std::tuple<const VertexClass*, poplar::Type, std::vector<std::uint64_t>, unsigned>;
  const poplar::Target target_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const ContractionPlan>> plans_;
};

/// Maps `t`, all of a variable, as the plan of a contraction wants that operand: in the order of
/// the kernel, as ContractionShape names them. `work` is what the kernel says of itself. The plan
/// is made when a layout is asked for. Linearly, where a virtual graph's tiles lie apart.
void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work,
               std::size_t operand);

}  // namespace popir

#endif
