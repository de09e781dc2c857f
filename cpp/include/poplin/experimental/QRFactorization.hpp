// The QR decomposition. After poplin/experimental/QRFactorization.hpp of PopLibs 3.
#ifndef poplin_experimental_QRFactorization_hpp
#define poplin_experimental_QRFactorization_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <array>
#include <cstddef>

#pragma GCC visibility push(default)
namespace poplin {
namespace experimental {

/// A [m, n] and Q [m, m].
/// \throws poputil::poplibs_error if m < n
std::array<poplar::Tensor, 2> createQRFactorizationMatrices(
    poplar::Graph& graph, const poplar::Type& type, const std::size_t m, const std::size_t n,
    const poplar::DebugContext& debugContext);

/// Writes the upper triangular R to A [m, n], m >= n, and multiplies Q [m, m], which is to be the
/// identity, by the orthogonal matrix of A = Q R, by reflections. The option rowsPerIteration has no
/// effect.
/// \throws poputil::poplibs_error for other shapes and types
void QRFactorization(poplar::Graph& graph, poplar::Tensor& A, poplar::Tensor& Q,
                     poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                     const poplar::OptionFlags& options = {});

}  // namespace experimental
}  // namespace poplin
#pragma GCC visibility pop

#endif
