#include <gcl/CollectiveBalancedReorder.hpp>

#include <poputil/exceptions.hpp>

#include <string>

namespace gcl {

CollectiveBalancedReorder::CollectiveBalancedReorder(poplar::Graph& graph,
                                                     const poplar::Tensor& tensor,
                                                     unsigned replicationFactor,
                                                     const poplar::DebugContext&, bool)
    : graph_(&graph), reference_(tensor) {
  if (replicationFactor != 1)
    throw poputil::poplibs_error(
        "gcl::CollectiveBalancedReorder: " + std::to_string(replicationFactor) +
        " replicas; popir runs one, give 1");
}

poplar::Tensor CollectiveBalancedReorder::createReplicaSlice(const poplar::Type& type) {
  return createCollectivesTensor(type, "replicaSlice");
}

poplar::Tensor CollectiveBalancedReorder::createCollectivesTensor(const poplar::Type& type,
                                                                  const std::string& debugPrefix) {
  return graph_->clone(type, reference_.flatten(), {debugPrefix});
}

poplar::Tensor CollectiveBalancedReorder::rearrangeForCollective(
    const poplar::Tensor& tensor) const {
  return tensor.flatten();
}

poplar::Tensor CollectiveBalancedReorder::undoRearrangeForCollective(
    const poplar::Tensor& tensor) const {
  return tensor.flatten();
}

}  // namespace gcl
