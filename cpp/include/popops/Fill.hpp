// popops/Fill.hpp: one value for all elements.
#ifndef popops_Fill_hpp
#define popops_Fill_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace popops {

/// Sets every element of `t` to `fillValue`, converted to the type of `t` as popops::cast does.
/// FillValueType: every arithmetic type, and half.
/// \throws poputil::poplibs_error if `t` is QUARTER.
template <typename FillValueType>
__attribute__((visibility("default"))) void fill(poplar::Graph& graph, const poplar::Tensor& t,
                                                 poplar::program::Sequence& prog,
                                                 FillValueType fillValue,
                                                 const poplar::DebugContext& debugContext = {});

/// The same in a compute set of the caller's, for parts of the flattened `t`: the intervals of one
/// tile, all of `t` on one tile, or the intervals of each tile.
template <typename FillValueType>
__attribute__((visibility("default"))) void fill(poplar::Graph& graph, poplar::Tensor t,
                                                 const std::vector<poplar::Interval>& tileRegions,
                                                 unsigned tile, poplar::ComputeSet fillCS,
                                                 FillValueType fillValue);
template <typename FillValueType>
__attribute__((visibility("default"))) void fill(poplar::Graph& graph, const poplar::Tensor& t,
                                                 unsigned tile, poplar::ComputeSet fillCS,
                                                 FillValueType fillValue);
template <typename FillValueType>
__attribute__((visibility("default"))) void fill(
    poplar::Graph& graph, const poplar::Tensor& t,
    const std::vector<std::vector<poplar::Interval>>& mapping, poplar::ComputeSet fillCS,
    FillValueType fillValue);

}  // namespace popops

#endif
