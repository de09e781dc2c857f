// Gathers slices of a tensor by index. After popops/Gather.hpp of PopLibs 3.
#ifndef popops_Gather_hpp
#define popops_Gather_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
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

/// Creates a tensor for the gather below.
poplar::Tensor createGatherInput(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& inputShape,
                                 const std::vector<std::size_t>& sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext& debugContext = {});
/// Gathers slices of the sizes `sliceSizes` of `input`, as XLA's gather does. Each vector of
/// `indices` along `indexVectorDim` is the place of a slice: its element i is the position in
/// dimension startIndexMap[i] of the input. If `indexVectorDim` is the rank of `indices`, each index
/// is a vector of one. A slice without its dimensions `collapsedSliceDims`, which have size 1, stands
/// in the dimensions `offsetDims` of the result, in order; the other dimensions of the result are
/// those of `indices` without the vectors. A slice that is not entirely inside of the input gives
/// zeros. `indices` are INT or UNSIGNED_INT. Options have no effect.
/// \throws poputil::poplibs_error for dimensions and shapes that do not match
poplar::Tensor gather(poplar::Graph& graph, const poplar::Tensor& input,
                      const poplar::Tensor& indices, std::size_t indexVectorDim,
                      const std::vector<std::size_t>& offsetDims,
                      const std::vector<std::size_t>& sliceSizes,
                      const std::vector<std::size_t>& collapsedSliceDims,
                      const std::vector<unsigned>& startIndexMap, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& optionFlags = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
