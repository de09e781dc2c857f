#include <poplin/Convolution.hpp>
#include <popops/ElementWise.hpp>
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

}  // namespace poplin
