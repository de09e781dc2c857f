// The LU decomposition. After poplin/experimental/LuFactorization.hpp of PopLibs 3.
#ifndef poplin_experimental_LuFactorization_hpp
#define poplin_experimental_LuFactorization_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

#pragma GCC visibility push(default)
namespace poplin {
namespace experimental {

/// The lower triangular L [m, m], with ones on its diagonal, and the upper triangular U [m, n] of
/// input = L U, as FLOAT. Rows are not exchanged.
/// \throws poputil::poplibs_error for an input that is no matrix of floating point
std::pair<poplar::Tensor, poplar::Tensor> LUFactorization(
    poplar::Graph& graph, poplar::Tensor& input, poplar::program::Sequence& seq,
    const poplar::DebugContext& debugContext = {});

}  // namespace experimental
}  // namespace poplin
#pragma GCC visibility pop

#endif
