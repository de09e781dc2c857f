// Products of block-sparse matrices. After popsparse/experimental/BlockSparseMatMul.hpp of PopLibs 3.
//
// Matrices are stored as in BlockSparse.hpp. Of several groups, one stands above the other: dense
// matrices are [groups * rows, columns], masks and blocks follow one another.
#ifndef popsparse_experimental_BlockSparseMatMul_hpp
#define popsparse_experimental_BlockSparseMatMul_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <popsparse/experimental/BlockSparse.hpp>

#include <array>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace popsparse {
namespace experimental {

class BSMatMulImpl;

/// Sizes and structure of a product [dim[0], dim[1]] x [dim[1], dim[2]], with blocks of the left
/// matrix [blockSize[0], blockSize[1]] and of the right one [blockSize[1], blockSize[2]].
class BSMatMulParams {
 public:
  /// Dense x sparse = dense. With `rhsNeedTranspose` the sparse matrix is given as [dim[2], dim[1]],
  /// with its blocks and its mask.
  /// \throws poputil::poplibs_error for sizes that the blocks do not divide, and for a mask of
  /// another size
  BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                 const std::vector<unsigned char>& rhsSparsity, bool rhsNeedTranspose,
                 poplar::Type inDataType, poplar::Type outDataType, poplar::Type partialDataType,
                 unsigned numGroupsIn = 1);
  /// Dense x dense = sparse.
  BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                 const std::vector<unsigned char>& resSparsity, poplar::Type inDataType,
                 poplar::Type outDataType, poplar::Type partialDataType,
                 SubBlockMask subBlockMask = SubBlockMask::None, unsigned numGroupsIn = 1);
  BSMatMulParams(BSMatMulParams&& other);
  ~BSMatMulParams();

  std::unique_ptr<BSMatMulImpl> impl;
};

/// The left matrix, [groups * dim[0], dim[1]].
poplar::Tensor createBSMatMulInputLHS(poplar::Graph& graph, const BSMatMulParams& bsMatMul,
                                      const poplar::DebugContext& debugContext,
                                      const poplar::OptionFlags& options = {});
/// The right matrix: its blocks, or [groups * dim[1], dim[2]].
poplar::Tensor createBSMatMulInputRHS(poplar::Graph& graph, const BSMatMulParams& bsMatMul,
                                      const poplar::DebugContext& debugContext,
                                      const poplar::OptionFlags& options = {});
/// The product: [groups * dim[0], dim[2]], or its blocks. Options are accepted; there is one plan.
/// \throws poputil::poplibs_error for matrices of other shapes
poplar::Tensor bsMatMul(poplar::Graph& graph, const BSMatMulParams& bsMatMulParams,
                        poplar::program::Sequence& prog, const poplar::Tensor& lhsMatrix,
                        const poplar::Tensor& rhsMatrix, const poplar::OptionFlags& options = {},
                        const poplar::DebugContext& debugContext = {});

}  // namespace experimental
}  // namespace popsparse
#pragma GCC visibility pop

#endif
