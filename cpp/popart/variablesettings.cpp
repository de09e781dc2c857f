#include <popart/error.hpp>
#include <popart/variablesettings.hpp>

namespace popart {

VariableSettings::VariableSettings(CommGroup domain, VariableRetrievalMode mode)
    : hasStride_(false), stride_(0), domain_(domain), mode_(mode) {
  verify();
}

VariableSettings::VariableSettings(unsigned stride, unsigned groupSize, VariableRetrievalMode mode)
    : hasStride_(true),
      stride_(stride),
      domain_(CommGroupType::Consecutive, groupSize),
      mode_(mode) {
  verify();
}

void VariableSettings::verify() {
  const bool needs =
      domain_.type == CommGroupType::Consecutive || domain_.type == CommGroupType::Orthogonal;
  if ((needs && domain_.replicaGroupSize == 0) || (hasStride_ && stride_ == 0))
    throw error("{}: groups have a size of at least 1, and a stride of at least 1", *this);
}

const CommGroup VariableSettings::getSharedVariableDomain() const {
  if (hasStride_)
    throw error(
        "{}: The variable settings were not initialised using a `popart::CommGroup` instance.",
        *this);
  return domain_;
}

ReplicaGrouping VariableSettings::getReplicaGrouping(unsigned numReplicas) const {
  return hasStride_ ? ReplicaGrouping(numReplicas, stride_, domain_.replicaGroupSize)
                    : domain_.toReplicaGrouping(numReplicas);
}

unsigned VariableSettings::numReplicasReturningVariable(unsigned replicaCount) const {
  const ReplicaGrouping grouping = getReplicaGrouping(replicaCount);
  return mode_ == VariableRetrievalMode::AllReplicas ? replicaCount : grouping.getNumGroups();
}

unsigned VariableSettings::getGroupCount(unsigned replicaCount) const {
  return getReplicaGrouping(replicaCount).getNumGroups();
}
unsigned VariableSettings::getStride(unsigned replicaCount) const {
  return getReplicaGrouping(replicaCount).getStride();
}
unsigned VariableSettings::getRealGroupSize(unsigned replicaCount) const {
  return getReplicaGrouping(replicaCount).getGroupSize();
}

std::vector<std::vector<std::int64_t>> VariableSettings::groups(unsigned replicaCount) const {
  const ReplicaGrouping grouping = getReplicaGrouping(replicaCount);
  std::vector<std::vector<std::int64_t>> all;
  for (unsigned group = 0; group < grouping.getNumGroups(); ++group) {
    const auto replicas = grouping.getReplicasAt(group);
    all.emplace_back(replicas.begin(), replicas.end());
  }
  return all;
}

unsigned VariableSettings::getGroupRepresentative(unsigned group) const {
  if (hasStride_) {
    const unsigned size = stride_ * domain_.replicaGroupSize;
    return getReplicaGrouping((group / stride_ + 1) * size).getReplicaAt(group);
  }
  const CommGroup domain = getSharedVariableDomain();
  if (domain.type == CommGroupType::Consecutive) return group * domain.replicaGroupSize;
  return domain.type == CommGroupType::All ? 0 : group;
}

Shape VariableSettings::shapeOnReplica(Shape fullShape, unsigned replicaCount,
                                       const TensorId name) const {
  const unsigned count = getGroupCount(replicaCount);
  if (count == 1) return fullShape;
  if (fullShape.empty())
    throw error(
        "Tensor '{}' should have at least one dimension: {} groups of the {} replicas have values "
        "of "
        "their own ({})",
        name, count, replicaCount, *this);
  if (fullShape[0] != static_cast<int64_t>(count))
    throw error(
        "Return mismatch with possibly appended outer dimension: the variable '{}' has the shape "
        "{}, "
        "and {} groups of the {} replicas have values of their own ({}), which is to be the first "
        "dimension",
        name, fullShape, count, replicaCount, *this);
  return Shape(fullShape.begin() + 1, fullShape.end());
}

Shape VariableSettings::shapeOnHost(Shape replicaShape, unsigned replicaCount) const {
  const unsigned count = getGroupCount(replicaCount);
  if (count > 1) replicaShape.insert(replicaShape.begin(), static_cast<int64_t>(count));
  return replicaShape;
}

bool VariableSettings::operator==(const VariableSettings& other) const {
  return hasStride_ == other.hasStride_ && stride_ == other.stride_ && domain_ == other.domain_ &&
         mode_ == other.mode_;
}

std::ostream& operator<<(std::ostream& os, const VariableRetrievalMode& mode) {
  static const char* const names[] = {"OnePerGroup", "AllReduceReplicas", "AllReplicas"};
  return os << names[static_cast<int>(mode)];
}

std::ostream& operator<<(std::ostream& os, const VariableSettings& settings) {
  os << "VariableSettings(";
  if (settings.isUsingCommGroup())
    os << settings.getSharedVariableDomain();
  else
    os << settings.getStride() << ", " << settings.getGroupSize();
  return os << ", " << settings.getRetrievalMode() << ")";
}

}  // namespace popart
