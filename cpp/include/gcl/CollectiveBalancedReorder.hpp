// The order in which a collective spreads a tensor over tiles and replicas. After
// gcl/CollectiveBalancedReorder.hpp of the Poplar SDK 3.
//
// popir runs one replica, and balances nothing: a replica's slice has the elements of the reference
// tensor in their order, and the rearranged tensor is the reference tensor, flat.
#ifndef gcl_CollectiveBalancedReorder_hpp
#define gcl_CollectiveBalancedReorder_hpp

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gcl {

class CollectiveBalancedReorder {
 public:
  /// \throws poputil::poplibs_error if `replicationFactor` is not 1
  CollectiveBalancedReorder(poplar::Graph& graph, const poplar::Tensor& tensor,
                            unsigned replicationFactor,
                            const poplar::DebugContext& debugContext = {},
                            bool allowElementMap = false);

  /// A variable for a replica's part, on the reference tensor's tiles.
  poplar::Tensor createReplicaSlice(const poplar::Type& type);
  /// A variable for the parts of all replicas.
  poplar::Tensor createCollectivesTensor(const poplar::Type& type,
                                         const std::string& debugPrefix = {});
  poplar::Tensor rearrangeForCollective(const poplar::Tensor& tensor) const;
  poplar::Tensor undoRearrangeForCollective(const poplar::Tensor& tensor) const;
  std::size_t getNumRearrangedTensorElems() const { return reference_.numElements(); }
  std::vector<std::size_t> getReferenceShape() const { return reference_.shape(); }

 private:
  poplar::Graph* graph_;
  poplar::Tensor reference_;
};

}  // namespace gcl
#pragma GCC visibility pop

#endif
