// Softmax of block-sparse matrices. After popsparse/experimental/BlockSparse.hpp of PopLibs 3.
//
// A matrix [dim[0], dim[1]] consists of blocks [blockSize[0], blockSize[1]]. `sparsity` has one
// number for each of them, by rows: 0 where there is no block. The tensor holds the blocks that there
// are in that order, [blocks, elements of a block], elements by rows.
// \throws poputil::poplibs_error for sizes that do not go together
#ifndef popsparse_experimental_BlockSparse_hpp
#define popsparse_experimental_BlockSparse_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <array>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace popsparse {
namespace experimental {

/// Which elements are zero in addition: those above the diagonal, or those below it.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

/// Softmax along the rows, over the elements that there are and that the mask leaves; the others
/// become 0. The rows belong to `numGroups` matrices one above the other, each with a mask of its
/// own.
poplar::Tensor bsSoftmax(poplar::Graph& graph, poplar::Tensor sparseTensor,
                         const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                         const std::vector<unsigned char>& sparsity, SubBlockMask subBlockMaskType,
                         unsigned numGroups, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
void bsSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor sparseTensor,
                      const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                      const std::vector<unsigned char>& sparsity, SubBlockMask subBlockMaskType,
                      unsigned numGroups, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
/// The gradient of the input, from the result and its gradient.
poplar::Tensor bsSoftmaxGrad(poplar::Graph& graph, poplar::Tensor sparseOut,
                             poplar::Tensor sparseOutGrad, const std::array<int, 2>& dim,
                             const std::array<int, 2>& blockSize,
                             const std::vector<unsigned char>& sparsity,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});

}  // namespace experimental
}  // namespace popsparse
#pragma GCC visibility pop

#endif
