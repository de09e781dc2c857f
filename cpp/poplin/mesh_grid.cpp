#include <poplin/MeshGrid.hpp>
#include <poputil/exceptions.hpp>

namespace poplin {

poplar::Tensor linspace(poplar::Graph& graph, const poplar::Type& type, float left, float right,
                        std::size_t count, const poplar::DebugContext& debugContext) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poputil::poplibs_error("poplin::linspace: the type is " + type.toString() +
                                 "; give FLOAT or HALF");
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.0;
    values[i] = static_cast<float>(left + (static_cast<double>(right) - left) * share);
  }
  const auto made = graph.addConstant(type, {count}, values, debugContext);
  graph.setTileMapping(made, 0u);
  return made;
}

std::vector<poplar::Tensor> meshgrid2d(poplar::Graph&, poplar::Tensor x, poplar::Tensor y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw poputil::poplibs_error("poplin::meshgrid2d: x is " + x.shapeToString() + ", y " +
                                 y.shapeToString() + "; give vectors");
  return {x.expand({0}).broadcast(static_cast<unsigned>(y.dim(0)), 0),
          y.expand({1}).broadcast(static_cast<unsigned>(x.dim(0)), 1)};
}

}  // namespace poplin
