// Groups of replicas. After popart/commgroup.hpp of PopART 3.
#ifndef popart_commgroup_hpp
#define popart_commgroup_hpp

#include <popart/replicagrouping.hpp>

#include <ostream>

#pragma GCC visibility push(default)

namespace popart {

enum class CommGroupType { All = 0, Consecutive, Orthogonal, None, N };

/// A group of `replicaGroupSize` replicas, chosen by `type`.
class CommGroup {
 public:
  CommGroup() = default;
  CommGroup(CommGroupType type_, unsigned size) : type(type_), replicaGroupSize(size) {}
  /// \throws error if the grouping is neither consecutive nor orthogonal
  explicit CommGroup(const ReplicaGrouping& grouping);

  /// \throws error if the groups do not divide the replicas
  ReplicaGrouping toReplicaGrouping(unsigned numReplicas) const;

  bool operator==(const CommGroup& o) const {
    return type == o.type && replicaGroupSize == o.replicaGroupSize;
  }
  bool operator!=(const CommGroup& o) const { return !(*this == o); }

  CommGroupType type = CommGroupType::All;
  unsigned replicaGroupSize = 0;
};

std::ostream& operator<<(std::ostream& os, CommGroupType type);
std::ostream& operator<<(std::ostream& os, const CommGroup& group);

}  // namespace popart

#pragma GCC visibility pop

#endif
