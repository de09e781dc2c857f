#include <poplin/Convolution.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include "poplin/contraction_options.hpp"

namespace poplin {

void addBias(poplar::Graph& graph, const poplar::Tensor& activations, const poplar::Tensor& biases,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
             const poplar::OptionFlags&) {
  if (activations.rank() < 2 || biases.rank() != 1 || biases.dim(0) != activations.dim(1))
    throw poputil::poplibs_error(
        "poplin::addBias: expected activations [batch, channels, field...] and biases [channels], "
        "got " +
        popir::shapeText(activations.shape()) + " and " + popir::shapeText(biases.shape()));
  std::vector<std::size_t> shape(activations.rank() - 1, 1);
  shape[0] = biases.dim(0);
  popops::addInPlace(graph, activations, biases.reshape(shape), prog, debugContext);
}

}  // namespace poplin
