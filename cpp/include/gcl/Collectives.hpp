// gcl/Collectives.hpp: what replicas compute together, for the one replica that popir runs.
//
// With one replica the sum, mean, ... over replicas is the replica's own value; each function gives
// just that.
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

/// Which replicas act together: all `replicaGroupSize` of a kind; 0 for all.
class CommGroup {
 public:
  CommGroup() = default;
  CommGroup(CommGroupType type, unsigned replicaGroupSize)
      : type_(type), replicaGroupSize_(replicaGroupSize) {}
  CommGroupType type() const { return type_; }
  unsigned replicaGroupSize() const { return replicaGroupSize_; }

 private:
  CommGroupType type_ = CommGroupType::ALL;
  unsigned replicaGroupSize_ = 0;
};

/// `data` combined over the replicas of a group: a new tensor of its shape and layout.
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     CollectiveOperator op, poplar::program::Sequence& prog,
                                     const CommGroup& group,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
poplar::Tensor allReduceCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     CollectiveOperator op, poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});
/// The same, written to `data`.
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog, const CommGroup& group,
                                  const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
void allReduceInPlaceCrossReplica(poplar::Graph& graph, poplar::Tensor& data, CollectiveOperator op,
                                  poplar::program::Sequence& prog,
                                  const poplar::DebugContext& debugContext = {},
                                  const poplar::OptionFlags& options = {});
/// This replica's part of `data` combined: all of it, flat.
poplar::Tensor reduceScatterCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                         CollectiveOperator op, poplar::program::Sequence& prog,
                                         const CommGroup& group,
                                         const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {});
/// The tensors of all replicas: [1, shape of `data`].
poplar::Tensor allGatherCrossReplica(poplar::Graph& graph, const poplar::Tensor& data,
                                     poplar::program::Sequence& prog, const CommGroup& group,
                                     const poplar::DebugContext& debugContext = {},
                                     const poplar::OptionFlags& options = {});

}  // namespace gcl
#pragma GCC visibility pop

#endif
