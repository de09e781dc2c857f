// Rows of sparse weights. After popsparse/Embedding.hpp of PopLibs 3.
#ifndef popsparse_Embedding_hpp
#define popsparse_Embedding_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/SparseTensor.hpp>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// Indices of rows, UNSIGNED_INT [numIndices].
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const FullyConnectedParams& params,
                                   std::size_t numIndices, const poplar::OptionFlags& options = {},
                                   const poplar::DebugContext& debugContext = {});
/// Rows, [numIndices, input channels].
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& dataType,
                                 const FullyConnectedParams& params, std::size_t numIndices,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);
/// The rows of `t`, [output channels, input channels], that the indices name, with their zeros.
poplar::Tensor embeddingSlice(poplar::Graph& graph, const SparseTensor& t,
                              const poplar::Tensor& indices, poplar::program::Sequence& prog,
                              const FullyConnectedParams& params,
                              const poplar::DebugContext& debugContext = {},
                              const poplar::OptionFlags& options = {},
                              PlanningCache* cache = nullptr);
/// Adds scale * slices[i] to row indices[i], where the matrix has elements. `scale` is one element.
void embeddingUpdateAdd(poplar::Graph& graph, const SparseTensor& t, const poplar::Tensor& slices,
                        const poplar::Tensor& indices, const poplar::Tensor& scale,
                        poplar::program::Sequence& prog, const FullyConnectedParams& params,
                        const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

}  // namespace dynamic
}  // namespace popsparse
#pragma GCC visibility pop

#endif
