// Gathers slices of a tensor by index. After popops/Gather.hpp of PopLibs 3.
#ifndef popops_Gather_hpp
#define popops_Gather_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Layout hints. They have no effect: the engine chooses layouts.
struct GatherParams {
  std::size_t maxElementsPerTile = 65535;

  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile_) : maxElementsPerTile(maxElementsPerTile_) {}
};

/// Creates a tensor to gather from along `axis`.
poplar::Tensor createGatherInput(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext& debugContext = {});
/// Gathers slices of `input` along `axis`: the result has the slices indices[0], indices[1], ... in
/// place of that axis. `indices` is a vector of INT or UNSIGNED_INT. An index out of range gives
/// zeros.
/// \throws poputil::poplibs_error for other shapes and types
poplar::Tensor gather(poplar::Graph& graph, const poplar::Tensor& input,
                      const poplar::Tensor& indices, unsigned axis, poplar::program::Sequence& prog,
                      GatherParams params = {}, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
