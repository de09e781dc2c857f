// Groups of replicas. After popart/commgroup.hpp of PopART 3.
#ifndef popart_commgroup_hpp
#define popart_commgroup_hpp

namespace popart {

enum class CommGroupType { All = 0, Consecutive, Orthogonal, None, N };

/// A group of `replicaGroupSize` replicas, chosen by `type`.
class CommGroup {
 public:
  CommGroup() = default;
  CommGroup(CommGroupType type_, unsigned size) : type(type_), replicaGroupSize(size) {}

  CommGroupType type = CommGroupType::All;
  unsigned replicaGroupSize = 0;
};

}  // namespace popart

#endif
