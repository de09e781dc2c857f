// Plans of a graph's contractions, poolings and slices, and the tensor layouts derived from the first
// two. Each plan is computed once, on first use.
#ifndef popir_poplar_planned_layout_hpp
#define popir_poplar_planned_layout_hpp

#include <poplar/Graph.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "machine/contraction/planner.hpp"
#include "machine/pooling/planner.hpp"
#include "machine/slices/planner.hpp"
#include "workload/work.hpp"

namespace popir {

/// The plans for one machine.
class PlanCache {
 public:
  explicit PlanCache(poplar::Target target) : target_(std::move(target)) {}

  /// The plan on `tiles` contiguous tiles.
  const ContractionPlan& of(const VertexClass& kind, const ContractionWork& whole, unsigned tiles);
  const PoolingPlan& of(const VertexClass& kind, const PoolingWork& whole, unsigned tiles);
  /// The same for slices; each of the sizes is 1 at least.
  const SlicePartition& of(const SliceSizes& sizes, const SliceUse& use, unsigned tiles);

 private:
  template <class... Fields>
  static std::tuple<std::decay_t<Fields>...> valuesOf(const std::tuple<Fields...>& state) {
    return state;
  }
  /// The fields of T::state(), by value.
  template <class T>
  using Values = decltype(valuesOf(std::declval<const T&>().state()));
  template <class W, class Plan>
  using Plans = std::map<std::tuple<const VertexClass*, W, unsigned>, std::unique_ptr<const Plan>>;

  const poplar::Target target_;
  std::mutex mutex_;
  Plans<ContractionWork, ContractionPlan> contractions_;
  Plans<PoolingWork, PoolingPlan> poolings_;
  /// By the sizes, the use and the tiles.
  std::map<std::tuple<poplar::Type, std::array<std::uint64_t, 4>, Values<SliceUse>, unsigned>,
           std::unique_ptr<const SlicePartition>>
      slices_;
};

/// Maps `t`, which is a whole variable, to the layout that a contraction's plan prefers for operand
/// number `operand` of the kernel (numbered as in ContractionShape). `work` is the kernel's work
/// and holds a ContractionWork. The plan is computed when the layout is first needed. The mapping
/// is linear if the tiles of a virtual graph are not contiguous. `sizes` is as for layoutOf().
void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work, std::size_t operand,
               std::vector<std::int64_t> sizes = {});
/// Maps `t`, the result of a pooling and a whole variable, in the same way; linearly if `work` holds
/// no PoolingWork.
void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work);

}  // namespace popir

#endif
