// Changes of memory layout that make later operations cheaper.
// After popops/Rearrange.hpp of PopLibs 3.
//
// A grouping is a dimension, and the number of its elements that are contiguous in one variable on
// one tile (poputil/VarStructure.hpp). The functions return a tensor with the same values as their
// argument, in another memory order. They copy blocks of the old and the new grouping to tiles and
// transpose them there. For example, regrouping [n, c] from groups of 8 along n to groups of 8
// along c transposes blocks of 8 by 8. Transposable types: QUARTER, HALF, SHORT, UNSIGNED_SHORT,
// FLOAT, INT and UNSIGNED_INT.
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

/// True if the target's fast vertices can transpose `numTranspositions` matrices. They handle
/// elements of 1 byte in multiples of 8 rows and columns, and of 2 bytes in multiples of 4, within
/// the stride and repeat limits of the instructions.
bool canUseFastTranspose(const poplar::Target& target, const poplar::Type& type, unsigned numRows,
                         unsigned numColumns, unsigned numTranspositions);

/// Adds transpositions of matrices [rows, cols] to a compute set. `mapping` lists for each tile the
/// indices of its transpositions. `getInOut` returns the input and the output of an index, both
/// flattened. The output is mapped to the tile.
/// \throws poputil::poplibs_error for a type that is not transposable, more than 65,535 rows or
/// columns, or tensors of another size or type
void addTransposeVertices(
    poplar::Graph& graph, const poplar::ComputeSet& cs, const poplar::Type& dType, unsigned rows,
    unsigned cols, const poplar::Graph::TileToTensorMapping& mapping,
    std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)> getInOut,
    const poplar::DebugContext& debugContext = {});

/// Returns a new variable: `in` with the last two dimensions exchanged. Each matrix is on the tile
/// of its first element. Intended for contiguous matrices.
/// \throws poputil::poplibs_error for rank < 2, and like addTransposeVertices()
poplar::Tensor partialTranspose(poplar::Graph& graph, const poplar::Tensor& in,
                                const poplar::ComputeSet& cs,
                                const poplar::DebugContext& debugContext = {});

/// Size of the smallest group that is worth transposing: 8 elements of 1 byte, 4 of 2 bytes, 2 of 4
/// bytes; 1 for types that are not transposable.
unsigned getMinimumRegroupGrainSize(const poplar::Type& type);

/// Returns `t`, with grouping `from`, rearranged to grouping `to`. It may use a smaller group in
/// the same dimension if that balances the tiles better. `copies` receives the copies that gather
/// the blocks, and `transposeCS` the transpositions; execute `transposeCS` after `copies`. Blocks
/// stay on the IPU of their first element. A tensor of rank 0 or 1 is returned unchanged.
/// \throws poputil::poplibs_error for a type that is not transposable, or a grouping whose
/// dimension does not exist or is not divisible by the group size
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

/// regroupTensor() from the innermost grouping of `t`, with all steps added to `prog`. Returns `t`
/// unchanged if its innermost grouping already has the dimension of `to` or is not a multiple of
/// the minimum group size, or if the dimension does not exist or is not divisible.
poplar::Tensor regroupIfPossible(poplar::Graph& graph, const poplar::Tensor& t,
                                 poplar::program::Sequence& prog, const poputil::GroupingInfo& to,
                                 const poplar::DebugContext& debugContext = {});

/// regroupTensor() to the innermost grouping of `ref`. Returns `in` unchanged unless the type is
/// transposable and both tensors have a grouping, in different dimensions and in multiples of the
/// minimum group size.
/// \throws poputil::poplibs_error if the shapes differ, for rank >= 2
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   const poplar::Tensor& ref, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   const poplar::Tensor& ref,
                                   std::vector<poplar::program::Copy>& copies,
                                   poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext& debugContext = {});

/// The same to groups of `preferredGrouping` elements of the last dimension.
/// \throws poputil::poplibs_error if the dimension is not a multiple of it
poplar::Tensor regroupIfBeneficial(poplar::Graph& graph, const poplar::Tensor& in,
                                   std::size_t preferredGrouping, poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {});

}  // namespace rearrange
}  // namespace popops
#pragma GCC visibility pop

#endif
