// Products with a sparse matrix. After popsparse/MatMul.hpp of PopLibs 3.
//
// Options and caches are accepted; there is one plan. One group is supported.
// \throws poputil::poplibs_error for tensors that do not match
#ifndef popsparse_MatMul_hpp
#define popsparse_MatMul_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// A sparse matrix [m, k] for the data of a Partitioner.
SparseTensor createSparseDenseMatMulLHS(poplar::Graph& graph, const poplar::Type& inputType,
                                        const MatMulParams& params,
                                        const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {},
                                        PlanningCache* cache = nullptr);
/// A dense matrix [groups, k, n].
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph& graph, const poplar::Type& inputType,
                                          const MatMulParams& params,
                                          const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags& options = {},
                                          PlanningCache* cache = nullptr);
/// [groups, m, n]: the product. With `transposeLHS` that of the transposed sparse matrix, [k, m];
/// with `transposeRHS` the right tensor is given transposed. Sums are in FLOAT.
poplar::Tensor sparseDenseMatMul(poplar::Graph& graph, const SparseTensor& lhs,
                                 const poplar::Tensor& rhs, poplar::program::Sequence& prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);

}  // namespace dynamic

namespace static_ {

// The pragma does not reach what is made of templates of functions.
#define POPSPARSE_EXPORT __attribute__((visibility("default")))

/// A sparse matrix [m, k] of the structure of `csrLHS`.
template <typename T>
POPSPARSE_EXPORT SparseTensor createSparseDenseMatMulLHS(
    poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
    const CSRMatrix<T>& csrLHS, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
/// A sparse matrix [k, m] of the structure of `csrRHS`.
template <typename T>
POPSPARSE_EXPORT SparseTensor createDenseSparseMatMulRHS(
    poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
    const CSRMatrix<T>& csrRHS, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
/// A dense matrix [groups, k, n].
template <typename T>
POPSPARSE_EXPORT poplar::Tensor createSparseDenseMatMulRHS(
    poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
    const CSRMatrix<T>& csrLHS, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);
/// A dense matrix [groups, n, k].
template <typename T>
POPSPARSE_EXPORT poplar::Tensor createDenseSparseMatMulLHS(
    poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
    const CSRMatrix<T>& csrRHS, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);

#undef POPSPARSE_EXPORT

#define POPSPARSE_DECLARE(T)                                                         \
  extern template SparseTensor createSparseDenseMatMulLHS<T>(                        \
      poplar::Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, \
      const poplar::DebugContext&, const poplar::OptionFlags&, PlanningCache*);      \
  extern template SparseTensor createDenseSparseMatMulRHS<T>(                        \
      poplar::Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, \
      const poplar::DebugContext&, const poplar::OptionFlags&, PlanningCache*);      \
  extern template poplar::Tensor createSparseDenseMatMulRHS<T>(                      \
      poplar::Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, \
      const poplar::DebugContext&, const poplar::OptionFlags, PlanningCache*);       \
  extern template poplar::Tensor createDenseSparseMatMulLHS<T>(                      \
      poplar::Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, \
      const poplar::DebugContext&, const poplar::OptionFlags, PlanningCache*);
POPSPARSE_DECLARE(float)
POPSPARSE_DECLARE(double)
#undef POPSPARSE_DECLARE

/// As dynamic::sparseDenseMatMul().
poplar::Tensor sparseDenseMatMul(poplar::Graph& graph, const SparseTensor& lhs,
                                 const poplar::Tensor& rhs, poplar::program::Sequence& prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);
/// [groups, n, m]: a dense matrix [groups, n, k] times the sparse one.
poplar::Tensor denseSparseMatMul(poplar::Graph& graph, const poplar::Tensor& lhs,
                                 const SparseTensor& rhs, poplar::program::Sequence& prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);

}  // namespace static_
}  // namespace popsparse
#pragma GCC visibility pop

#endif
