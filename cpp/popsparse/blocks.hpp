// Products of blocks: what all sparse products consist of.
#ifndef popir_popsparse_blocks_hpp
#define popir_popsparse_blocks_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popir {

/// A sparse matrix on the device: blocks and their places. A place outside of the matrix marks a
/// block that is not used.
struct SparseBlocks {
  poplar::Tensor rows, columns;  // UNSIGNED_INT [blocks]
  poplar::Tensor values;         // [blocks, height, width]
  std::size_t blockRows, blockColumns;

  SparseBlocks transposed() const;
};

/// UNSIGNED_INT [n], on tile 0.
poplar::Tensor constantIndices(poplar::Graph& graph, const std::vector<std::size_t>& values,
                               const poplar::DebugContext& context);

/// matrix x dense, [rows, n] of the type of the values, for a dense matrix [columns, n]. Sums are in
/// FLOAT.
poplar::Tensor sparseTimesDense(poplar::Graph& graph, const SparseBlocks& matrix,
                                const poplar::Tensor& dense, poplar::program::Sequence& prog,
                                const poplar::DebugContext& context);

/// The blocks of left x right, [blocks, height, width], at the places of a sparse matrix. `left` is
/// [rows, n], `right` is [n, columns].
poplar::Tensor blocksOfProduct(poplar::Graph& graph, const SparseBlocks& places, std::size_t height,
                               std::size_t width, const poplar::Tensor& left,
                               const poplar::Tensor& right, poplar::program::Sequence& prog,
                               const poplar::DebugContext& context);

/// The matrix with its zeros, [rows, columns].
poplar::Tensor denseOf(poplar::Graph& graph, const SparseBlocks& matrix,
                       poplar::program::Sequence& prog, const poplar::DebugContext& context);

/// The blocks of a dense matrix, [blocks, height, width], at the places of a sparse one; zeros for
/// those that are not used.
poplar::Tensor blocksOf(poplar::Graph& graph, const SparseBlocks& places, std::size_t height,
                        std::size_t width, const poplar::Tensor& dense,
                        poplar::program::Sequence& prog, const poplar::DebugContext& context);

}  // namespace popir

#endif
