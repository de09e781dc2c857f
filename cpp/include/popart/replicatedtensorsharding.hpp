// Which tensors are sharded alike over replicas. After popart/replicatedtensorsharding.hpp of
// PopART 3.
#ifndef popart_replicatedtensorsharding_hpp
#define popart_replicatedtensorsharding_hpp

#include <popart/names.hpp>
#include <popart/pointercomparators.hpp>
#include <popart/tensor.hpp>
#include <popart/tensordebuginfo.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <ostream>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Ir;
class Op;

/// The inputs and outputs of an operator that are of one group.
struct ReplicatedTensorShardingOpInfo {
  ReplicatedTensorShardingOpInfo() = default;
  ReplicatedTensorShardingOpInfo(OpId id_, std::set<InIndex> inIndices_,
                                 std::set<OutIndex> outIndices_)
      : id(id_), inIndices(std::move(inIndices_)), outIndices(std::move(outIndices_)) {}

  OpId id = -1;
  std::set<InIndex> inIndices;
  std::set<OutIndex> outIndices;

  bool operator<(const ReplicatedTensorShardingOpInfo& rhs) const;
};

/// Tensors that are sharded alike, and what exchanges them.
struct ReplicatedTensorShardingGroup {
  /// Its place among the groups of a tracer.
  ReplicatedTensorShardingGroupId id = -1;
  /// The shape of a shard, and that of the whole (TensorInfo::metaShape).
  nonstd::optional<Shape> shape;
  nonstd::optional<Shape> metaShape;
  /// Variables that a program keeps in remote buffers: popir has none, so there are none here.
  std::set<TensorId> remoteTensorIds;
  std::set<TensorId> collectiveLinkedTensorIds;
  std::set<TensorId> shardedTensorIds;
  std::map<OpId, ReplicatedTensorShardingOpInfo> collectiveOpIds;
  std::map<OpId, ReplicatedTensorShardingOpInfo> exchangeOpIds;
};

std::ostream& operator<<(std::ostream& os, const ReplicatedTensorShardingOpInfo& info);
std::ostream& operator<<(std::ostream& os, const ReplicatedTensorShardingGroup& group);

/// Finds the groups of the graphs of a program. A group is what tensors lead to: by the indices that
/// Op::getReplicatedTensorShardingIndices() puts together, by graphs that are called, by the linked
/// tensors of collectives, and by exchanges with one remote buffer.
class ReplicatedTensorShardingTracer {
 public:
  /// The Ir must outlive it.
  explicit ReplicatedTensorShardingTracer(const Ir& ir) : ir_(ir) {}

  /// Finds the group of tensors, unless they have one.
  /// \throws internal_error if some of them have one and others not, or another one, or if two are
  /// of different shapes
  void trace(const std::set<Tensor*, PTensorCmp>& startTensors);
  /// Of an operator: whether one group has all these inputs and outputs.
  bool hasGroup(const ReplicatedTensorShardingOpInfo& opInfo) const;
  bool hasGroup(const TensorId& tensorId) const { return tensors_.count(tensorId) != 0; }
  /// \throws error if there is none
  const ReplicatedTensorShardingGroup& getGroup(const ReplicatedTensorShardingOpInfo& opInfo) const;
  const ReplicatedTensorShardingGroup& getGroup(const TensorId& tensorId) const;

 private:
  const ReplicatedTensorShardingGroup* find(const ReplicatedTensorShardingOpInfo& opInfo) const;

  const Ir& ir_;
  std::vector<ReplicatedTensorShardingGroup> groups_;
  std::map<TensorId, std::size_t> tensors_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
