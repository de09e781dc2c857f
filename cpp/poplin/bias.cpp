#include <poplin/Convolution.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/contraction/bias_kernel.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplin/contraction_options.hpp"

namespace poplin {

void addBias(poplar::Graph& graph, const poplar::Tensor& activations, const poplar::Tensor& biases,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
             const poplar::OptionFlags& options) {
  popir::convOptions("poplin::addBias", options);
  const auto type = activations.elementType();
  if (activations.rank() < 2 || biases.rank() != 1 || biases.dim(0) != activations.dim(1) ||
      biases.elementType() != type)
    throw poputil::poplibs_error(
        "poplin::addBias: expected activations [batch, channels, field...] and biases [channels] "
        "of one type, got " +
        type.toString() + " " + popir::shapeText(activations.shape()) + " and " +
        biases.elementType().toString() + " " + popir::shapeText(biases.shape()));
  if (type == poplar::FLOAT) {
    popir::addBulkVertex(graph, prog, std::make_shared<popir::BiasKernel>(),
                         {{activations, popir::Access::ReadWrite}, {biases, popir::Access::Read}},
                         debugContext);
    return;
  }
  std::vector<std::size_t> shape(activations.rank() - 1, 1);
  shape[0] = biases.dim(0);
  popops::addInPlace(graph, activations, biases.reshape(shape), prog, debugContext);
}

void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                           const poplar::Tensor& biases, const poplar::Tensor& scale,
                           const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext) {
  popir::convOptions("poplin::convolutionBiasUpdate", options);
  if (zDeltas.rank() < 2)
    throw poputil::poplibs_error("poplin::convolutionBiasUpdate: zDeltas are " +
                                 popir::shapeText(zDeltas.shape()) +
                                 "; expected [batch, channels, field...]");
  std::vector<std::size_t> dims{0};
  for (unsigned d = 2; d < zDeltas.rank(); ++d) dims.push_back(d);
  popops::reduceWithOutput(graph, zDeltas, biases, dims, {popops::Operation::ADD, true, scale},
                           prog, debugContext);
}

void convolutionBiasUpdate(poplar::Graph& graph, const poplar::Tensor& zDeltas,
                           const poplar::Tensor& biases, float scale,
                           const poplar::OptionFlags& options, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext) {
  const auto factor = graph.addConstant<float>(poplar::FLOAT, {}, {scale}, debugContext);
  graph.setTileMapping(factor, 0);
  convolutionBiasUpdate(graph, zDeltas, biases, factor, options, prog, debugContext);
}

}  // namespace poplin
