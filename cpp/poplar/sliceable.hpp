// The layout of tensors of which slices are taken at offsets that are known at run time: a tile has
// all elements along the sliced dimensions, so that no element moves when it is sliced.
#ifndef popir_poplar_sliceable_hpp
#define popir_poplar_sliceable_hpp

#include <poplar/Graph.hpp>

#include <optional>
#include <vector>

#include "machine/contraction/grid.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// Makes a tensor to slice in `dims`. The elements of its other dimensions, the columns, are divided
/// evenly over the tiles from `first` on, with at least `minGrainSize` on a tile. In memory `dims`
/// come first.
poplar::Tensor addSliceable(poplar::Graph& graph, const poplar::Type& type,
                            const std::vector<std::size_t>& shape,
                            const std::vector<std::size_t>& dims, std::size_t minGrainSize,
                            unsigned first, const poplar::DebugContext& debugContext);

/// Makes a tensor [numSlices..., shape of `s`] of which each slice lies as `s` does: none if the tiles
/// of `s` are not told by a rule for a whole variable, or `s` is not the variable with its dimensions
/// in some order.
std::optional<poplar::Tensor> addSlicesLike(poplar::Graph& graph, const poplar::Tensor& s,
                                            const std::vector<std::size_t>& numSlices,
                                            const poplar::DebugContext& debugContext);

/// The tiles of the columns of `t`, [the sliced dimensions, their number being `sliced`; columns...],
/// if each tile has all elements of the sliced dimensions of the columns that it has, as a rule says.
std::optional<Grid> columnsOf(const GraphImpl& graph, const poplar::Tensor& t, std::size_t sliced);

/// The mapping of slices [sizes...; columns...] of a tensor with these columns, which leaves each
/// column where it is. The first `sizes` dimensions of `shape` are those before the columns.
Grid slicesOf(const Grid& columns, const Dims& shape, std::size_t sizes);

}  // namespace popir

#endif
