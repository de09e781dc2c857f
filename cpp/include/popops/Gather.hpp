// popops/Gather.hpp: slices of a tensor by index.
#ifndef popops_Gather_hpp
#define popops_Gather_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Accepted; the engine plans layouts.
struct GatherParams {
  std::size_t maxElementsPerTile = 65535;

  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile_) : maxElementsPerTile(maxElementsPerTile_) {}
};

/// A new tensor to gather from along `axis`.
poplar::Tensor createGatherInput(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext& debugContext = {});
/// The slices indices[0], indices[1], ... of `input` along `axis`, in place of that axis. `indices`
/// is [slices] of INT or UNSIGNED_INT; one out of range gives zeros. \throws poputil::poplibs_error
/// for other shapes and types.
poplar::Tensor gather(poplar::Graph& graph, const poplar::Tensor& input,
                      const poplar::Tensor& indices, unsigned axis, poplar::program::Sequence& prog,
                      GatherParams params = {}, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
