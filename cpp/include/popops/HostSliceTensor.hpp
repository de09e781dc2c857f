// Tensors for transfers with the host. After popops/HostSliceTensor.hpp of PopLibs 3.
#ifndef popops_HostSliceTensor_hpp
#define popops_HostSliceTensor_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

#pragma GCC visibility push(default)
namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

/// A tensor of `shape`, two dimensions, whose rows are copied from or to a RemoteBuffer, and the
/// numbers of these rows, UNSIGNED_INT[shape[0]]. `isRead` and `offset` choose tiles in the SDK; here
/// both tensors lie linearly over all tiles.
/// \throws poputil::poplibs_error for another rank
IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                           const std::vector<std::size_t>& shape, bool isRead,
                                           const poplar::DebugContext& debugContext = {});
IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                           const std::vector<std::size_t>& shape, bool isRead,
                                           std::size_t offset,
                                           const poplar::DebugContext& debugContext = {});

/// A tensor of `shape` that streams fill or empty.
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type,
                                            const std::vector<std::size_t>& shape, bool isRead,
                                            const poplar::DebugContext& debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type,
                                            const std::vector<std::size_t>& shape, bool isRead,
                                            std::size_t offset,
                                            const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
