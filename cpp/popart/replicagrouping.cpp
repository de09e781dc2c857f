#include <popart/replicagrouping.hpp>

#include <popart/commgroup.hpp>
#include <popart/error.hpp>

namespace popart {

ReplicaGrouping::ReplicaGrouping(unsigned numReplicas, unsigned stride, unsigned groupSize)
    : replicas_(numReplicas), stride_(groupSize == 1 ? 1 : stride), size_(groupSize) {
  if (numReplicas == 0 || stride == 0 || groupSize == 0)
    throw error(
        "ReplicaGrouping: {} replicas, a stride of {}, groups of {}: each must be at least 1",
        numReplicas, stride, groupSize);
  if (replicas_ % (stride_ * size_) != 0)
    throw error(
        "ReplicaGrouping: groups of {} replicas with a stride of {} do not divide {} replicas: the "
        "product of the two must",
        size_, stride_, replicas_);
}

ReplicaGrouping::ReplicaGrouping(unsigned numReplicas)
    : ReplicaGrouping(numReplicas, 1, numReplicas) {}

unsigned ReplicaGrouping::getGroupAt(unsigned replica) const {
  if (replica >= replicas_)
    throw error("{} has no replica {}: expected less than {}", str(), replica, replicas_);
  return replica / (stride_ * size_) * stride_ + replica % stride_;
}

unsigned ReplicaGrouping::getIndexInGroupAt(unsigned replica) const {
  if (replica >= replicas_)
    throw error("{} has no replica {}: expected less than {}", str(), replica, replicas_);
  return replica % (stride_ * size_) / stride_;
}

unsigned ReplicaGrouping::getReplicaAt(unsigned group, unsigned index) const {
  if (group >= getNumGroups())
    throw error("{} has no group {}: expected less than {}", str(), group, getNumGroups());
  if (index >= size_)
    throw error("{} has no index {} in a group: expected less than {}", str(), index, size_);
  return group / stride_ * (stride_ * size_) + group % stride_ + index * stride_;
}

std::vector<unsigned> ReplicaGrouping::getReplicasAt(unsigned group) const {
  std::vector<unsigned> replicas;
  for (unsigned i = 0; i < size_; ++i) replicas.push_back(getReplicaAt(group, i));
  return replicas;
}

ReplicaGrouping ReplicaGrouping::getTranspose() const {
  const unsigned groups = getNumGroups();
  // Consecutive groups become strided ones; those of one whole stride become consecutive.
  if (stride_ == 1) return ReplicaGrouping(replicas_, size_, groups);
  if (groups == stride_) return ReplicaGrouping(replicas_, 1, groups);
  throw error("{} has no transpose with a single stride", str());
}

std::string ReplicaGrouping::str() const {
  return "ReplicaGrouping(numReplicas=" + std::to_string(replicas_) +
         ", stride=" + std::to_string(stride_) + ", groupSize=" + std::to_string(size_) + ")";
}

std::ostream& operator<<(std::ostream& os, const ReplicaGrouping& grouping) {
  return os << grouping.str();
}

CommGroup::CommGroup(const ReplicaGrouping& grouping) : replicaGroupSize(grouping.getGroupSize()) {
  if (grouping.getGroupSize() == 1 && grouping.getNumReplicas() != 1)
    type = CommGroupType::None;
  else if (grouping.getGroupSize() == grouping.getNumReplicas())
    type = CommGroupType::All;
  else if (grouping.getStride() == 1)
    type = CommGroupType::Consecutive;
  else if (grouping.getStride() == grouping.getNumGroups())
    type = CommGroupType::Orthogonal;
  else
    throw error("{} is no CommGroup: it is neither consecutive nor orthogonal", grouping);
  if (type == CommGroupType::All || type == CommGroupType::None) replicaGroupSize = 0;
}

ReplicaGrouping CommGroup::toReplicaGrouping(unsigned numReplicas) const {
  if (type == CommGroupType::All) return ReplicaGrouping(numReplicas);
  if (type == CommGroupType::None) return ReplicaGrouping(numReplicas, 1, 1);
  const unsigned size = replicaGroupSize == 0 ? numReplicas : replicaGroupSize;
  const bool orthogonal = type == CommGroupType::Orthogonal && numReplicas % size == 0;
  return ReplicaGrouping(numReplicas, orthogonal ? numReplicas / size : 1, size);
}

std::ostream& operator<<(std::ostream& os, CommGroupType type) {
  static const char* const names[] = {"All", "Consecutive", "Orthogonal", "None"};
  return os << (type < CommGroupType::N ? names[static_cast<int>(type)] : "Undefined");
}

std::ostream& operator<<(std::ostream& os, const CommGroup& group) {
  return os << "CommGroup(type=" << group.type << ", replicaGroupSize=" << group.replicaGroupSize
            << ")";
}

}  // namespace popart
