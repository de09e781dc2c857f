// The base of collective operators. After popart/op/collectives/collectives.hpp of PopART 3.
//
// popir runs one replica. A group of replicas that an operator names is kept and printed; what the
// operator computes is what a group of one replica would.
#ifndef popart_op_collectives_collectives_hpp
#define popart_op_collectives_collectives_hpp

#include <popart/commgroup.hpp>
#include <popart/ir.hpp>
#include <popart/op.hpp>
#include <popart/replicagrouping.hpp>

#include <memory>
#include <ostream>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

enum class CollectiveOperator {
  Add = 0,
  Mean,
  Mul,
  Min,
  Max,
  LogicalAnd,
  LogicalOr,
  SquareAdd,  ///< ///< the sum of the squares
  Local,      ///< ///< this replica's own value
  N
};

std::ostream& operator<<(std::ostream& os, const CollectiveOperator& op);

// Names of attributes.
static constexpr const char* sCollectiveOperator = "collectiveOp";
static constexpr const char* sCollectiveCommGroup = "collectiveCommGroup";
static constexpr const char* sCollectiveReplicaGrouping = "collectiveReplicaGrouping";

/// Input 0 is what is exchanged, output 0 what comes of it.
class CollectivesBaseOp : public Op {
 public:
  CollectivesBaseOp(const OperatorIdentifier& opid, CommGroup group, const Op::Settings& settings);
  CollectivesBaseOp(const OperatorIdentifier& opid, const ReplicaGrouping& grouping,
                    const Op::Settings& settings);
  ~CollectivesBaseOp() override;
  std::unique_ptr<Op> clone() const override = 0;

  static InIndex getInIndex() { return 0; }
  /// A tensor that leads to other collectives of the same sharding.
  static InIndex getCollectiveLinkedIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  static ReplicatedTensorShardingIndicesIndex getDefaultTensorShardingGroupIndex() { return 0; }

  virtual bool hasCorrespondingLinkedIndexTensor(Tensor* tensor);
  bool hasCorrespondingLinkedIndexTensor(InIndex in) {
    return hasCorrespondingLinkedIndexTensor(inTensor(in));
  }
  /// \throws error if there is none
  virtual Tensor* getCorrespondingLinkedIndexTensor(Tensor* tensor);
  Tensor* getCorrespondingLinkedIndexTensor(InIndex in) {
    return getCorrespondingLinkedIndexTensor(inTensor(in));
  }
  virtual bool isCollectiveLinkedIndexTensor(InIndex in) const;
  virtual bool isCollectiveLinkedIndexTensor(Tensor* tensor) const;

  void setGCLCommGroup(CommGroup group);
  CommGroup getGCLCommGroup() const { return CommGroup(grouping_); }
  void setReplicaGrouping(const ReplicaGrouping& grouping) { grouping_ = grouping; }
  const ReplicaGrouping& getReplicaGrouping() const { return grouping_; }
  /// The number of replicas of a group.
  virtual int64_t getCommSize() const { return grouping_.getGroupSize(); }

  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// True if the output, or input, is a shard of a tensor of which each replica keeps one.
  virtual bool isConfigureOutputForReplicatedTensorSharding() const { return false; }

 private:
  ReplicaGrouping grouping_;
};

/// The groups that hold one replica of each of these groups.
CommGroup getComplementCommGroup(const Ir& ir, CommGroup group);
/// The same within each group of `superSet`, which is all replicas or `group` itself.
/// \throws internal_error for another superset
CommGroup getComplementCommGroupWithSuperSet(const Ir& ir, CommGroup group, CommGroup superSet);
/// The groups of one replica of each group of `grouping`, within each group of `superSet`: all
/// replicas, or `grouping` itself.
/// \throws error for another superset, or for two numbers of replicas
ReplicaGrouping getTransposedReplicaGroupingWithSuperSet(const ReplicaGrouping& grouping,
                                                         const ReplicaGrouping& superSet);

/// From the attribute of integers `collectiveCommGroup`: type and size. All replicas without it.
CommGroup extractCommGroupFromAttrs(const Attributes& attrs);
/// From `collectiveReplicaGrouping` (replicas, stride, size) or `collectiveCommGroup`; one group of
/// all replicas without either.
ReplicaGrouping extractReplicaGroupingFromAttrs(const Attributes& attrs,
                                                unsigned replicationFactor);
/// \throws error unless there are two numbers: type and size
CommGroup extractCommGroupFromVector(const std::vector<int64_t>& vec);
/// \throws error unless there are three numbers: replicas, stride and size
ReplicaGrouping extractReplicaGroupingFromVector(const std::vector<int64_t>& vec);

}  // namespace popart

#pragma GCC visibility pop

#endif
