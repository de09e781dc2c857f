// The Cholesky decomposition. After poplin/Cholesky.hpp of PopLibs 3.
//
// Matrices are [n, n], or [batches..., n, n]. Options (blockSize and those of matMul) and caches
// change no result.
// \throws poputil::poplibs_error for other shapes, and for types that are not of floating point
#ifndef poplin_Cholesky_hpp
#define poplin_Cholesky_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

/// The products that cholesky() plans: none.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getCholeskyMatMulPrePlanParameters(
    const poplar::Type& type, const std::vector<std::size_t>& shape, bool lower,
    poplar::OptionFlags options);

poplar::Tensor createCholeskyInput(poplar::Graph& graph, const poplar::Type& type,
                                   const std::vector<std::size_t>& shape, bool lower,
                                   const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options = {},
                                   PlanningCache* cache = nullptr);

/// The lower triangular L of A = L L^T, or the upper U of A = U^T U, with zeros in the other
/// triangle, which of A is not read. A matrix that is not positive definite gives NaN.
poplar::Tensor cholesky(poplar::Graph& graph, const poplar::Tensor& a, bool lower,
                        poplar::program::Sequence& prog,
                        const poplar::DebugContext& debugContext = {},
                        poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);
void choleskyInPlace(poplar::Graph& graph, const poplar::Tensor& a, bool lower,
                     poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                     poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);

}  // namespace poplin
#pragma GCC visibility pop

#endif
