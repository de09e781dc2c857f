// Groups of replicas by stride and size. After popart/replicagrouping.hpp of PopART 3.
#ifndef popart_replicagrouping_hpp
#define popart_replicagrouping_hpp

#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Divides the replicas into groups of `groupSize`, whose members are `stride` apart. Eight
/// replicas with stride 2 and size 4 are {0, 2, 4, 6} and {1, 3, 5, 7}.
class ReplicaGrouping {
 public:
  /// \throws error if a number is 0, or if the groups would not hold each replica once. The stride
  /// of groups of one replica becomes 1
  ReplicaGrouping(unsigned numReplicas, unsigned stride, unsigned groupSize);
  /// One group of all replicas.
  explicit ReplicaGrouping(unsigned numReplicas);

  unsigned getNumReplicas() const { return replicas_; }
  unsigned getStride() const { return stride_; }
  unsigned getGroupSize() const { return size_; }
  unsigned getNumGroups() const { return replicas_ / size_; }
  // These throw error for a replica, a group or an index that does not exist.
  unsigned getGroupAt(unsigned replica) const;
  unsigned getIndexInGroupAt(unsigned replica) const;
  unsigned getReplicaAt(unsigned group, unsigned index = 0) const;
  std::vector<unsigned> getReplicasAt(unsigned group) const;
  /// The grouping in which a replica's group is its index here.
  /// \throws error if that has no single stride
  ReplicaGrouping getTranspose() const;
  std::string str() const;

  bool operator==(const ReplicaGrouping& o) const {
    return replicas_ == o.replicas_ && stride_ == o.stride_ && size_ == o.size_;
  }
  bool operator!=(const ReplicaGrouping& o) const { return !(*this == o); }

 private:
  unsigned replicas_, stride_, size_;
};

std::ostream& operator<<(std::ostream& os, const ReplicaGrouping& grouping);

}  // namespace popart

#pragma GCC visibility pop

#endif
