// popops/Rearrange.hpp: layouts of tensors over tiles, changed where that makes later work cheaper.
//
// A grouping is a dimension and how many of its elements lie side by side in one variable and on
// one tile (poputil/VarStructure.hpp). What these functions return has the values of what they were
// given, in another order in memory: blocks of the old and the new grouping are copied to tiles and
// transposed there. Types with transpositions: QUARTER, HALF, SHORT, UNSIGNED_SHORT, FLOAT, INT and
// UNSIGNED_INT.
#ifndef popops_Rearrange_hpp
#define popops_Rearrange_hpp

#include <cstddef>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/VarStructure.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {
namespace rearrange {

/// Whether the target's fast vertices transpose `numTranspositions` matrices of the type: of 1 byte
/// an element, in steps of 8 rows and columns, of 2 bytes in steps of 4, as far as the strides and
/// repeats of the target's instructions reach.
bool canUseFastTranspose(const poplar::Target& target, const poplar::Type& type, unsigned numRows,
                         unsigned numColumns, unsigned numTranspositions);

/// Adds transpositions of matrices of `rows` and `cols` to a compute set. `mapping` has, for each
/// tile, the numbers of those that it makes; `getInOut` gives what a number reads, row by row, and
/// what it writes, each flat. What is written is mapped to the tile.
/// \throws poputil::poplibs_error for a type without transpositions, more rows or columns than
///         65,535, and tensors of other sizes or types.
void addTransposeVertices(
    poplar::Graph& graph, const poplar::ComputeSet& cs, const poplar::Type& dType, unsigned rows,
    unsigned cols, const poplar::Graph::TileToTensorMapping& mapping,
    std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)> getInOut,
    const poplar::DebugContext& debugContext = {});

/// The last two dimensions of `in`, exchanged, in a new variable: each matrix on the tile that
/// holds its first element. Meant for matrices that lie in one piece each.
/// \throws poputil::poplibs_error for a rank below 2, and as addTransposeVertices.
poplar::Tensor partialTranspose(poplar::Graph& graph, const poplar::Tensor& in,
                                const poplar::ComputeSet& cs,
                                const poplar::DebugContext& debugContext = {});

/// Elements in the smallest group that transpositions are worth: 8 of 1 byte, 4 of 2 bytes, 2 of 4;
/// 1 for a type without any.
unsigned getMinimumRegroupGrainSize(const poplar::Type& type);

/// `t`, which lies in the grouping `from`, in the grouping `to`, or in a smaller one of the same
/// dimension where that shares the blocks better over tiles. The copies that gather the blocks go
/// to `copies`, the transpositions to `transposeCS`; execute it after them. Blocks stay on the IPU
/// that holds their first element. A tensor of rank 0 or 1 is returned as it is.
/// \throws poputil::poplibs_error for a type without transpositions, and a grouping of a dimension
///         that is not there, or that it does not divide.
poplar::Tensor regroupTensor(poplar::Graph& graph, const poplar::Tensor& t,
                             poplar::program::Sequence& copies,
                             const poplar::ComputeSet& transposeCS,
                             const poputil::GroupingInfo& from, const poputil::GroupingInfo& to,
                             const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph& graph, const poplar::Tensor& t,
                             std::vector<poplar::program::Copy>& copies,
                             const poplar::ComputeSet& transposeCS,
                             const poputil::GroupingInfo& from, const poputil::GroupingInfo& to,
                             const poplar::DebugContext& debugContext = {});

/// regroupTensor() from the innermost grouping that `t` has, with all that it takes added to
/// `prog`. `t` itself where it lies so already or cannot: where its innermost grouping is of the
/// same dimension, or in no whole grains; and where the dimension is not there or not divided.
poplar::Tensor regroupIfPossible(poplar::Graph& graph, const poplar::Tensor& t,
                                 poplar::program::Sequence& prog, const poputil::GroupingInfo& to,
                                 const poplar::DebugContext& debugContext = {});

/// regroupTensor() to the innermost grouping of `ref`. `in` itself unless both have one, of
/// different dimensions and in whole grains, and the type has transpositions.
/// \throws poputil::poplibs_error for shapes that differ, from rank 2 on.
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   const poplar::Tensor& ref, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   const poplar::Tensor& ref,
                                   std::vector<poplar::program::Copy>& copies,
                                   poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext& debugContext = {});

/// The same to groups of `preferredGrouping` elements of the last dimension.
/// \throws poputil::poplibs_error for a grouping that the dimension is no multiple of.
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   std::size_t preferredGrouping, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});

}  // namespace rearrange
}  // namespace popops
#pragma GCC visibility pop

#endif
