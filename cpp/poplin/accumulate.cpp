// Contractions that accumulate: popops adds the scaled result to the existing values.
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ScaledAdd.hpp>

namespace poplin {

using poplar::Tensor;

void matMulAcc(poplar::Graph& graph, const Tensor& C, const Tensor& k, const Tensor& A,
               const Tensor& B, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
               PlanningCache* cache) {
  const auto product =
      matMul(graph, A, B, prog, C.elementType(), {debugContext, "product"}, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, debugContext);
}

void matMulGroupedAcc(poplar::Graph& graph, const Tensor& C, const Tensor& k, const Tensor& A,
                      const Tensor& B, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                      PlanningCache* cache) {
  const auto product =
      matMulGrouped(graph, A, B, prog, C.elementType(), {debugContext, "product"}, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, debugContext);
}

void convolutionWeightUpdate(poplar::Graph& graph, const Tensor& zDeltas, const Tensor& weights,
                             const Tensor& activations, const ConvParams& params, float scale,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  const auto deltas = calculateWeightDeltas(graph, zDeltas, activations, params, prog,
                                            {debugContext, "deltas"}, options, cache);
  popops::scaledAddTo(graph, weights, deltas, scale, prog, debugContext);
}

void convolutionWeightUpdate(poplar::Graph& graph, const Tensor& zDeltas, const Tensor& weights,
                             const Tensor& activations, ConvParams params, const Tensor& scale,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  const auto deltas = calculateWeightDeltas(graph, zDeltas, activations, params, prog,
                                            {debugContext, "deltas"}, options, cache);
  popops::scaledAddTo(graph, weights, deltas, scale, prog, debugContext);
}

}  // namespace poplin
