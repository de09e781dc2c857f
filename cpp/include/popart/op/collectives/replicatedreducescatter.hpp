// A reduction of which each replica gets a part. After
// popart/op/collectives/replicatedreducescatter.hpp of PopART 3.
#ifndef popart_op_collectives_replicatedreducescatter_hpp
#define popart_op_collectives_replicatedreducescatter_hpp

#include <popart/op/collectives/collectives.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// The output has one dimension: the elements of the input, filled up to a multiple of the group's
/// size and divided by it.
class ReplicatedReduceScatterOp : public CollectivesBaseOp {
 public:
  ReplicatedReduceScatterOp(const OperatorIdentifier& opid, CollectiveOperator op, CommGroup group,
                            bool configureOutputForReplicatedTensorSharding,
                            const Op::Settings& settings);
  ReplicatedReduceScatterOp(const OperatorIdentifier& opid, CollectiveOperator op, CommGroup group,
                            const Op::Settings& settings);
  ReplicatedReduceScatterOp(const OperatorIdentifier& opid, CollectiveOperator op,
                            const ReplicaGrouping& grouping,
                            bool configureOutputForReplicatedTensorSharding,
                            const Op::Settings& settings);
  ReplicatedReduceScatterOp(const OperatorIdentifier& opid, CollectiveOperator op,
                            const ReplicaGrouping& grouping, const Op::Settings& settings);
  /// A sum over all replicas.
  ReplicatedReduceScatterOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~ReplicatedReduceScatterOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  CollectiveOperator getCollectiveOp() const { return op; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  bool isConfigureOutputForReplicatedTensorSharding() const override;
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  /// Of sums and this replica's own value: ReplicatedAllGatherOp.
  /// \throws error for other operators
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;

 protected:
  CollectiveOperator op;
  bool configureOutputForReplicatedTensorSharding;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
