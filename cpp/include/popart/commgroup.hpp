// popart/commgroup.hpp: which replicas act together.
#ifndef popart_commgroup_hpp
#define popart_commgroup_hpp

namespace popart {

enum class CommGroupType { All = 0, Consecutive, Orthogonal, None, N };

class CommGroup {
 public:
  CommGroup() = default;
  CommGroup(CommGroupType type_, unsigned size) : type(type_), replicaGroupSize(size) {}

  CommGroupType type = CommGroupType::All;
  unsigned replicaGroupSize = 0;
};

}  // namespace popart

#endif
