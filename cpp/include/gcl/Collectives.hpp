// Collective operations over replicas. After gcl/Collectives.hpp of the Poplar SDK 3.
//
// Reductions are made in the order of the replicas. In a graph of one replica, a sum or mean is its
// own value.
#ifndef gcl_Collectives_hpp
#define gcl_Collectives_hpp

#include <gcl/CollectiveOperator.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace gcl {

enum class CommGroupType { ALL, CONSECUTIVE, ORTHOGONAL };

/// A group of replicas: `replicaGroupSize` replicas chosen by `type`. Size 0 means all replicas.
class CommGroup {
 public:
  CommGroup() = default;
  CommGroup(CommGroupType type, unsigned replicaGroupSize, unsigned replicaGroupStride = 1)
      : type_(type), replicaGroupSize_(replicaGroupSize), stride_(replicaGroupStride) {}
  CommGroupType type() const { return type_; }
  unsigned replicaGroupSize() const { return replicaGroupSize_; }
  unsigned replicaGroupStride() const { return stride_; }

 private:
  CommGroupType type_ = CommGroupType::ALL;
  unsigned replicaGroupSize_ = 0, stride_ = 1;
};

/// Reduces `data` over the replicas of a group into a new tensor of the same shape and layout.
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     CollectiveOperator op, poplar::program::Sequence& prog,
                                     const CommGroup& group,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     CollectiveOperator op, poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
/// The same, in place.
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const CommGroup& group,
                                  const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog,
                                  const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
/// Reduces `data` over the replicas of a group; each gets one part: the elements divided by the
/// replicas, rounded up, with zeros beyond the end. With one replica: all of it, as a vector.
poplar::Tensor reduceScatterCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                         CollectiveOperator op, poplar::program::Sequence& prog,
                                         const CommGroup& group,
                                         const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {});
/// The reductions of several tensors, of any types.
std::vector<poplar::Tensor> allReduceCrossReplica(
    poplar::Graph& graph, const std::vector<poplar::Tensor>& datas, CollectiveOperator op,
    poplar::program::Sequence& prog, const CommGroup& group,
    const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
/// Concatenates the tensors of the replicas of a group: [their number, shape of `data`].
poplar::Tensor allGatherCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     poplar::program::Sequence& prog, const CommGroup& group,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});

/// Part i of `data`, along its first dimension, goes to replica i, and the parts from all replicas
/// are joined. With one replica: a copy.
poplar::Tensor allToAllCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                    poplar::program::Sequence& prog, const CommGroup& group,
                                    const poplar::DebugContext& debugContext = {},
                                    const poplar::OptionFlags& options = {});
poplar::Tensor allToAllCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                    poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {},
                                    const poplar::OptionFlags& options = {});

/// Reduces over the first dimension, of which each row is that of one IPU, and gives each row the
/// result, on the tiles where the row lies.
/// \throws poputil::poplibs_error for a scalar
poplar::Tensor allReduceWithinReplica(poplar::Graph& graph, const poplar::Tensor& toReduce,
                                      CollectiveOperator op, poplar::program::Sequence& prog,
                                      const poplar::DebugContext& debugContext = {},
                                      const poplar::OptionFlags& options = {});

}  // namespace gcl
#pragma GCC visibility pop

#endif
