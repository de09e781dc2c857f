#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using poplar::Tensor;

std::pair<Tensor, Tensor> spatialSoftMax2D(poplar::Graph& graph, poplar::program::Sequence& prog,
                                           const Tensor& fields, float temperature,
                                           bool disableSoftmax,
                                           const poplar::DebugContext& debugContext) {
  if (fields.rank() != 3)
    throw poputil::poplibs_error("popnn::spatialSoftMax2D: the fields are " +
                                 fields.shapeToString() + "; give [fields, height, width]");
  const poplar::DebugContext context(debugContext, "spatialSoftMax2D");
  const poplar::Type type = fields.elementType();
  const std::size_t height = fields.dim(1), width = fields.dim(2);
  const Tensor scale = graph.addVariable(type, {}, {context, "temperature"});
  graph.setTileMapping(scale, 0u);
  graph.setInitialValue(scale, temperature);
  Tensor p = fields.reshape({fields.dim(0), height * width});
  if (!disableSoftmax) {
    p = popops::div(graph, p, scale, prog, context);
    p = nonLinearity(graph, NonLinearityType::SOFTMAX_STABLE, p, prog, context);
  }
  const auto grid =
      poplin::meshgrid2d(graph, poplin::linspace(graph, type, -1.0f, 1.0f, width, context),
                         poplin::linspace(graph, type, -1.0f, 1.0f, height, context));
  const Tensor places =
      poplar::concat(grid[1].flatten().expand({1}), grid[0].flatten().expand({1}), 1);
  return {poplin::matMul(graph, p, places, prog, context), scale};
}

}  // namespace popnn
