// Fills a tensor with one value. After popops/Fill.hpp of PopLibs 3.
#ifndef popops_Fill_hpp
#define popops_Fill_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace popops {

/// Sets every element of `t` to `fillValue`, converted as by popops::cast. FillValueType is any
/// arithmetic type, or half.
/// \throws poputil::poplibs_error if `t` is QUARTER
template <typename FillValueType>
__attribute__((visibility("default"))) void fill(poplar::Graph& graph, const poplar::Tensor& t,
                                                 poplar::program::Sequence& prog,
                                                 FillValueType fillValue,
                                                 const poplar::DebugContext& debugContext = {});

/// The same in a given compute set, for parts of the flattened `t`: some intervals on one tile, all
/// of `t` on one tile, or the intervals of each tile.
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
