// Which replicas share a variable, and how the host gets it. After popart/variablesettings.hpp of
// PopART 3.
#ifndef popart_variablesettings_hpp
#define popart_variablesettings_hpp

#include <popart/commgroup.hpp>
#include <popart/names.hpp>
#include <popart/replicagrouping.hpp>

#include <cstdint>
#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What the host gets: the value of the first replica of each group, or that of each replica. A
/// reduction over replicas is refused by a session.
enum class VariableRetrievalMode { OnePerGroup = 0, AllReduceReplicas, AllReplicas };

/// The groups of replicas that share a variable, by a CommGroup or by a stride and a size; all by
/// default. With several groups the initial value is [groups, shape of the variable]. The host has
/// an array of this form; with AllReplicas one of [replicas, shape].
class VariableSettings {
 public:
  VariableSettings() : VariableSettings(CommGroup()) {}
  // These throw error for groups of a type that needs a size without one, and for a stride of 0.
  VariableSettings(CommGroup domain,
                   VariableRetrievalMode mode = VariableRetrievalMode::OnePerGroup);
  VariableSettings(VariableRetrievalMode mode) : VariableSettings(CommGroup(), mode) {}
  VariableSettings(unsigned stride, unsigned groupSize,
                   VariableRetrievalMode mode = VariableRetrievalMode::OnePerGroup);

  /// \throws error as the constructors do
  void verify();
  bool isUsingCommGroup() const { return !hasStride_; }
  /// \throws error if the groups were given by a stride and a size
  const CommGroup getSharedVariableDomain() const;
  CommGroupType getCommGroupType() const { return domain_.type; }
  /// What was given; 0 with a CommGroup.
  unsigned getStride() const { return stride_; }
  unsigned getGroupSize() const { return domain_.replicaGroupSize; }
  VariableRetrievalMode getRetrievalMode() const { return mode_; }

  // For a number of replicas; these throw error if the groups do not divide it.
  ReplicaGrouping getReplicaGrouping(unsigned numReplicas) const;
  /// The values that the host gets.
  unsigned numReplicasReturningVariable(unsigned replicaCount) const;
  unsigned getGroupCount(unsigned replicaCount) const;
  unsigned getStride(unsigned replicaCount) const;
  unsigned getRealGroupSize(unsigned replicaCount) const;
  /// The replicas of each group.
  std::vector<std::vector<std::int64_t>> groups(unsigned replicaCount) const;
  /// The first replica of a group of a CommGroup.
  unsigned getGroupRepresentative(unsigned group) const;

  /// The shape that a replica has of an initial value.
  /// \throws error unless its first dimension is that of the groups, if there are several
  Shape shapeOnReplica(Shape fullShape, unsigned replicaCount, const TensorId name) const;
  /// The shape of an initial value for a variable of `replicaShape`.
  Shape shapeOnHost(Shape replicaShape, unsigned replicaCount) const;

  bool operator==(const VariableSettings& other) const;
  bool operator!=(const VariableSettings& other) const { return !(*this == other); }

 private:
  bool hasStride_;
  unsigned stride_;
  CommGroup domain_;
  VariableRetrievalMode mode_;
};

std::ostream& operator<<(std::ostream& os, const VariableRetrievalMode& mode);
std::ostream& operator<<(std::ostream& os, const VariableSettings& settings);

}  // namespace popart

#pragma GCC visibility pop

#endif
