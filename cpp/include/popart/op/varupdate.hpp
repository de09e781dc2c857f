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
  /// With the id of the variable, as in PopART 1. It is connected as any input.
  VarUpdateOp(const OperatorIdentifier& opid, const TensorId& varId, const Op::Settings& settings);
  ~VarUpdateOp() override;

  static InIndex getVarToUpdateInIndex() { return 0; }
  static OutIndex getUpdatedVarOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() override;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  view::Regions modifies(InIndex index) const override;
  /// The id that the constructor was given, else that of the input.
  TensorId getVarId() const { return varId_.empty() ? inId(getVarToUpdateInIndex()) : varId_; }
  /// The inputs provided by the optimizer, by index.
  virtual std::map<InIndex, TensorId> optimizerInputs() const = 0;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  void growAliasModel(AliasModel& model) const override;

 private:
  TensorId varId_;
};

/// An update with an updater as input 1.
class VarUpdateWithUpdaterOp : public VarUpdateOp {
 public:
  VarUpdateWithUpdaterOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  VarUpdateWithUpdaterOp(const OperatorIdentifier& opid, const TensorId& varId,
                         const Op::Settings& settings);
  ~VarUpdateWithUpdaterOp() override;

  static InIndex getUpdaterInIndex() { return 1; }
  std::unique_ptr<Op> clone() const override = 0;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
};

/// An update of the variable alone, as PopART 1 names it.
class VarUpdateWithoutUpdaterOp : public VarUpdateOp {
 public:
  VarUpdateWithoutUpdaterOp(const OperatorIdentifier& opid, const TensorId& varId,
                            const Op::Settings& settings)
      : VarUpdateOp(opid, varId, settings) {}
  ~VarUpdateWithoutUpdaterOp() override;
  std::unique_ptr<Op> clone() const override = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
