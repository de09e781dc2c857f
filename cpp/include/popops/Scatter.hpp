// Scatters slices into a tensor. After popops/Scatter.hpp of PopLibs 3.
#ifndef popops_Scatter_hpp
#define popops_Scatter_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Writes slices of `updates` into `operand`, in place, as XLA's scatter does. Each vector of
/// `indices` along `indexVectorDim` is the place of a slice: its element i is the position in
/// dimension scatterDimsToOperandDims[i] of the operand. If `indexVectorDim` is the rank of
/// `indices`, each index is a vector of one. The dimensions `updateWindowDims` of `updates` are
/// those of a slice, in order, without the operand's dimensions `insertWindowDims`, in which a slice
/// has one element. The other dimensions of `updates` are those of `indices` without the vectors. A
/// slice that is not entirely inside of the operand is not written; of slices that overlap the last
/// one wins. `indices` are INT or UNSIGNED_INT.
///
/// The option remapOutOfBoundIndices ("true" or "false") takes a position that is out of range as 0.
/// paddingIndexUsed has no effect: such an index is out of range, and nothing is written.
/// \throws poputil::poplibs_error for dimensions and shapes that do not match
void scatter(poplar::Graph& graph, const poplar::Tensor& operand, const poplar::Tensor& indices,
             const poplar::Tensor& updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, poplar::program::Sequence& prog,
             const poplar::DebugContext& debugContext = {},
             const poplar::OptionFlags& optionFlags = {});

/// Combines a slice of the operand, the first tensor, with one of the updates.
using UpdateComputationFunc = std::function<poplar::Tensor(
    poplar::Graph&, poplar::Tensor&, poplar::Tensor&, poplar::program::Sequence&)>;

/// The same with `updateComputation` of old and new in place of the new values, one slice after the
/// other. Both tensors have the shape of the operand, with the sizes of a slice.
void scatter(poplar::Graph& graph, const poplar::Tensor& operand, const poplar::Tensor& indices,
             const poplar::Tensor& updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc& updateComputation, poplar::program::Sequence& prog,
             const poplar::DebugContext& debugContext = {},
             const poplar::OptionFlags& optionFlags = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
