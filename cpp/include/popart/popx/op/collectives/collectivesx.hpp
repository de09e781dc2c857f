// The base of lowerings of collective operators. After popart/popx/op/collectives/collectivesx.hpp
// of PopART 3.
#ifndef popart_popx_op_collectives_collectivesx_hpp
#define popart_popx_op_collectives_collectivesx_hpp

#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <popart/commgroup.hpp>
#include <popart/op/collectives/collectives.hpp>
#include <popart/popx/eitheropx.hpp>
#include <popart/popx/viewchangers.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// \throws error for CollectiveOperator::N
gcl::CollectiveOperator getPoplarCollectiveOperator(CollectiveOperator op);
gcl::CommGroup toGclCommGroup(const ReplicaGrouping& grouping);
/// The same under its name up to PopART 2.6. In CommGroupType::None each replica is its own group.
/// \throws error for CommGroupType::N
gcl::CommGroup toGCLCommGroup(const CommGroup& group);

/// The part of a gathered tensor that the model has: its first elements.
class ReplicatedGatherInScatterOutViewChanger : public ViewChanger {
 public:
  ReplicatedGatherInScatterOutViewChanger(int64_t nelms, ReplicatedTensorShardingGroupId group)
      : nelms_(nelms), group_(group) {}
  poplar::Tensor apply(poplar::Tensor tensor) const final {
    return tensor.slice(0, static_cast<std::size_t>(nelms_), 0);
  }
  snap::Tensor apply(snap::Tensor tensor) const final {
    return tensor.slice(0, static_cast<std::size_t>(nelms_), 0);
  }
  bool containsAllDataRegions() const final { return false; }
  bool operator==(const ViewChanger& other) const final {
    const auto* same = dynamic_cast<const ReplicatedGatherInScatterOutViewChanger*>(&other);
    return same != nullptr && same->group_ == group_;
  }

 private:
  int64_t nelms_;
  ReplicatedTensorShardingGroupId group_;
};

/// The operators that shard in the same way. With one replica nothing is sharded: each operator
/// is its own group, with its id.
struct ReplicatedTensorShardingGroup {
  ReplicatedTensorShardingGroupId id;
};

// There are two classes of one name: which of them is popx::CollectivesBaseOpx is said below.

namespace either {

/// The base of popir's own lowerings of collectives.
class CollectivesBaseOpx : public EitherOpx {
 public:
  CollectivesBaseOpx(Op* op, Devicex* devicex);
  ~CollectivesBaseOpx() override;

  ReplicatedTensorShardingGroup getCollectiveLinkedGroup(
      ReplicatedTensorShardingIndicesIndex groupIndex) const;
  /// What createCollectiveBalancedReorder() made; null before.
  gcl::CollectiveBalancedReorder* getCollectiveBalancedReorder(
      ReplicatedTensorShardingIndicesIndex groupIndex) const;
  /// The order of the elements of `tensor`. A second call for an index returns the same.
  gcl::CollectiveBalancedReorder* createCollectiveBalancedReorder(
      poplar::Tensor tensor, ReplicatedTensorShardingIndicesIndex groupIndex) const;
  gcl::CollectiveBalancedReorder* createCollectiveBalancedReorder(
      snap::Tensor tensor, ReplicatedTensorShardingIndicesIndex groupIndex) const {
    return createCollectiveBalancedReorder(tensor.getPoplarTensor(), groupIndex);
  }

 private:
  mutable std::map<ReplicatedTensorShardingIndicesIndex,
                   std::unique_ptr<gcl::CollectiveBalancedReorder>>
      reorders_;
};

}  // namespace either

namespace snapped {

/// The same for lowerings that are PopOpxs.
class CollectivesBaseOpx : public PopOpx {
 public:
  CollectivesBaseOpx(Op* op, Devicex* devicex);
  ~CollectivesBaseOpx() override;

  ReplicatedTensorShardingGroup getCollectiveLinkedGroup(
      ReplicatedTensorShardingIndicesIndex groupIndex) const {
    return collectives_->getCollectiveLinkedGroup(groupIndex);
  }
  gcl::CollectiveBalancedReorder* getCollectiveBalancedReorder(
      ReplicatedTensorShardingIndicesIndex groupIndex) const {
    return collectives_->getCollectiveBalancedReorder(groupIndex);
  }
  gcl::CollectiveBalancedReorder* createCollectiveBalancedReorder(
      const snap::Tensor& tensor, ReplicatedTensorShardingIndicesIndex groupIndex) const {
    return collectives_->createCollectiveBalancedReorder(tensor.getPoplarTensor(), groupIndex);
  }

 private:
  /// An Opx of the same operator, to which this class forwards.
  const std::unique_ptr<const either::CollectivesBaseOpx> collectives_;
};

}  // namespace snapped

// The base of an author's own lowerings. Up to SDK 3.1 it was a PopOpx, with another type of what
// createInputTensor() returns: popart/popx/popopx.hpp, which only these SDKs have, says so if it is
// included before this header.
#ifdef popart_popx_popopx_hpp
using snapped::CollectivesBaseOpx;
#else
using either::CollectivesBaseOpx;
#endif

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
