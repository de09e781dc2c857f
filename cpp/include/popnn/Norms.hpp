// Parameters of normalisation. After popnn/Norms.hpp of PopLibs 3.
#ifndef popnn_Norms_hpp
#define popnn_Norms_hpp

#include <poplin/Norms.hpp>

#include <cstddef>
#include <cstdint>

namespace popnn {

inline poplar::Tensor createNormGamma(poplar::Graph& graph, const poplar::Tensor& acts,
                                      const poplar::DebugContext& debugContext = {}) {
  return poplin::createNormGamma(graph, acts, debugContext);
}
inline poplar::Tensor createNormBeta(poplar::Graph& graph, const poplar::Tensor& acts,
                                     const poplar::DebugContext& debugContext = {}) {
  return poplin::createNormBeta(graph, acts, debugContext);
}
inline std::pair<poplar::Tensor, poplar::Tensor> createNormParams(
    poplar::Graph& graph, const poplar::Tensor acts,
    const poplar::DebugContext& debugContext = {}) {
  return poplin::createNormParams(graph, acts, debugContext);
}

/// Floating-point operations of a normalisation of `numActsElements` activations: of the forward
/// pass, of the gradient of its input, and of that of its parameters with their update.
inline std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                                     bool computeStats = true) {
  return computeStats ? 6 * numActsElements + 5 * statisticsSize : 2 * numActsElements;
}
inline std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements) {
  return 8 * numActsElements + 2 * statisticsSize;
}
inline std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements) {
  return 3 * numActsElements + 4 * paramsSize;
}

}  // namespace popnn

#endif
