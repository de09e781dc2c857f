#include <popops/HostSliceTensor.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {
namespace {

poplar::Tensor spread(poplar::Graph& graph, const poplar::Type& type,
                      const std::vector<std::size_t>& shape,
                      const poplar::DebugContext& debugContext) {
  const auto t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

}  // namespace

IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                           const std::vector<std::size_t>& shape, bool,
                                           const poplar::DebugContext& debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("popops::createHostSliceableTensor: a shape of " +
                                 std::to_string(shape.size()) +
                                 " dimensions given; give rows and their elements");
  return {spread(graph, poplar::UNSIGNED_INT, {shape[0]}, {debugContext, "indices"}),
          spread(graph, type, shape, {debugContext, "tensor"})};
}
IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                           const std::vector<std::size_t>& shape, bool isRead,
                                           std::size_t, const poplar::DebugContext& debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, debugContext);
}
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type,
                                            const std::vector<std::size_t>& shape, bool,
                                            const poplar::DebugContext& debugContext) {
  return spread(graph, type, shape, debugContext);
}
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type,
                                            const std::vector<std::size_t>& shape, bool,
                                            std::size_t, const poplar::DebugContext& debugContext) {
  return spread(graph, type, shape, debugContext);
}

}  // namespace popops
