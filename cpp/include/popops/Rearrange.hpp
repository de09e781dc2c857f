// popops/Rearrange.hpp: layouts of tensors over tiles, changed where that makes later work cheaper.
#ifndef popops_Rearrange_hpp
#define popops_Rearrange_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {
namespace rearrange {

/// Gives a tensor of the values of `in` whose layout suits that of `ref`, or the grouping of
/// `preferredGrouping` elements of the last dimension. It is never beneficial here, since a kernel
/// takes views as they are and the engine plans layouts: the result is `in`, and `prog` is left
/// as it was.
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   const poplar::Tensor& ref, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   std::size_t preferredGrouping, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});

}  // namespace rearrange
}  // namespace popops
#pragma GCC visibility pop

#endif
