// Joins the tensors of replicas. After popart/op/collectives/replicatedallgather.hpp of PopART 3.
#ifndef popart_op_collectives_replicatedallgather_hpp
#define popart_op_collectives_replicatedallgather_hpp

#include <popart/op/collectives/collectives.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// The output has the elements of the group's replicas, one replica after the other, in one
/// dimension or in the shape that was asked for.
class ReplicatedAllGatherOp : public CollectivesBaseOp {
 public:
  ReplicatedAllGatherOp(const OperatorIdentifier& opid, CommGroup group,
                        const Op::Settings& settings);
  ReplicatedAllGatherOp(const OperatorIdentifier& opid, CommGroup group,
                        const Op::Settings& settings, TensorInfo outInfo);
  ReplicatedAllGatherOp(const OperatorIdentifier& opid, const ReplicaGrouping& grouping,
                        const Op::Settings& settings);
  ReplicatedAllGatherOp(const OperatorIdentifier& opid, const ReplicaGrouping& grouping,
                        const Op::Settings& settings, const TensorInfo& outInfo);
  ~ReplicatedAllGatherOp() override;

  std::unique_ptr<Op> clone() const final;
  void setup() final;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  bool isConfigureOutputForReplicatedTensorSharding() const override;
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  /// ReplicatedReduceScatterOp, for an input of one dimension.
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;

 private:
  TensorInfo gathered_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
