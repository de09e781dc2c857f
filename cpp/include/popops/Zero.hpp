// Sets tensors to zero. After popops/Zero.hpp of PopLibs 3.
#ifndef popops_Zero_hpp
#define popops_Zero_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Sets every element of `t`, of any type, to zero.
void zero(poplar::Graph& graph, const poplar::Tensor& t, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext = {});

/// The same in a given compute set, for parts of the flattened `t`: some intervals on one tile, all
/// of `t` on one tile, or the intervals of each tile.
void zero(poplar::Graph& graph, poplar::Tensor t, const std::vector<poplar::Interval>& tileRegions,
          unsigned tile, poplar::ComputeSet zeroCS);
void zero(poplar::Graph& graph, const poplar::Tensor& t, unsigned tile, poplar::ComputeSet zeroCS);
void zero(poplar::Graph& graph, const poplar::Tensor& t,
          const std::vector<std::vector<poplar::Interval>>& mapping, poplar::ComputeSet zeroCS);

}  // namespace popops
#pragma GCC visibility pop

#endif
