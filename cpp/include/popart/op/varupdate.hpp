// Base classes of in-place updates of weights. After popart/op/varupdate.hpp of PopART 3.
#ifndef popart_op_varupdate_hpp
#define popart_op_varupdate_hpp

#include <popart/op/builtin.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Output 0 is the modified input 0.
class VarUpdateOp : public Op {
 public:
  VarUpdateOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~VarUpdateOp() override;

  static InIndex getVarToUpdateInIndex() { return 0; }
  static OutIndex getUpdatedVarOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() override;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  view::Regions modifies(InIndex index) const override;
  /// The inputs provided by the optimizer, by index.
  virtual std::map<InIndex, TensorId> optimizerInputs() const = 0;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  void growAliasModel(AliasModel& model) const override;
};

/// An update with an updater as input 1.
class VarUpdateWithUpdaterOp : public VarUpdateOp {
 public:
  VarUpdateWithUpdaterOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~VarUpdateWithUpdaterOp() override;

  static InIndex getUpdaterInIndex() { return 1; }
  std::unique_ptr<Op> clone() const override = 0;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
