// Parameters of normalisation. After popnn/Norms.hpp of PopLibs 3.
#ifndef popnn_Norms_hpp
#define popnn_Norms_hpp

#include <poplin/Norms.hpp>

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

}  // namespace popnn

#endif
