// A reduction over replicas. After popart/op/collectives/replicatedallreduce.hpp of PopART 3.
#ifndef popart_op_collectives_replicatedallreduce_hpp
#define popart_op_collectives_replicatedallreduce_hpp

#include <popart/op/collectives/collectives.hpp>

#pragma GCC visibility push(default)

namespace popart {

class ReplicatedAllReduceOp : public CollectivesBaseOp {
 public:
  ReplicatedAllReduceOp(const OperatorIdentifier& opid, CollectiveOperator op, CommGroup group,
                        const Op::Settings& settings);
  ReplicatedAllReduceOp(const OperatorIdentifier& opid, CollectiveOperator op,
                        const ReplicaGrouping& grouping, const Op::Settings& settings);
  /// A sum over all replicas.
  ReplicatedAllReduceOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~ReplicatedAllReduceOp() override;

  std::unique_ptr<Op> clone() const override;
  void setup() override;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  CollectiveOperator getCollectiveOp() const { return op; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  std::tuple<ReplEqOutputMap, ReplEqModifiedInputMap> fwdPropagateIsReplicaEqual(
      const AliasModel& aliasModel, const ReplEqInputMap& inputs,
      ReplicaEqualAnalysisProxy& proxy) const override;
  // It has no linked tensors.
  bool hasCorrespondingLinkedIndexTensor(Tensor*) override { return false; }
  Tensor* getCorrespondingLinkedIndexTensor(Tensor*) override {
    throw error("{}: a reduction over replicas has no linked tensors", debugName());
  }
  bool isCollectiveLinkedIndexTensor(InIndex) const override { return false; }
  bool isCollectiveLinkedIndexTensor(Tensor*) const override { return false; }

 protected:
  CollectiveOperator op;
};

/// The output is the modified input.
class ReplicatedAllReduceInplaceOp : public ReplicatedAllReduceOp {
 public:
  using ReplicatedAllReduceOp::ReplicatedAllReduceOp;
  explicit ReplicatedAllReduceInplaceOp(const ReplicatedAllReduceOp& op);
  ~ReplicatedAllReduceInplaceOp() override;

  view::Regions modifies(InIndex in) const override { return uses(in); }
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
  std::unique_ptr<Op> clone() const final;
  void setup() final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
