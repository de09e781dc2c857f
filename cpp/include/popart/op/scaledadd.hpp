// Weighted sums of two tensors. After popart/op/scaledadd.hpp of PopART 3.
#ifndef popart_op_scaledadd_hpp
#define popart_op_scaledadd_hpp

#include <popart/op.hpp>

#include <memory>
#include <set>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// scale0 * arg0 + scale1 * arg1. Each factor is an input, or else what the constructor was given.
class ScaledAddOp : public Op {
 public:
  ScaledAddOp(const OperatorIdentifier& opid, float scale0, float scale1,
              const Op::Settings& settings)
      : Op(opid, settings), scale0_(scale0), scale1_(scale1) {}
  ~ScaledAddOp() override;

  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static InIndex getScale0InIndex() { return 2; }
  static InIndex getScale1InIndex() { return 3; }
  static OutIndex getOutIndex() { return 0; }

  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getArg0InIndex()); }
  /// Over either argument, if the other's factor is no input.
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::set<InIndex> optionalInputs() const override {
    return {getScale0InIndex(), getScale1InIndex()};
  }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getArg0InIndex(), getArg1InIndex()}, {getOutIndex()}}};
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  float getScale0() const { return scale0_; }
  float getScale1() const { return scale1_; }

 private:
  float scale0_, scale1_;
};

/// The output is arg0, which is overwritten.
class ScaledAddLhsInplaceOp : public ScaledAddOp {
 public:
  ScaledAddLhsInplaceOp(float scale0, float scale1, const Op::Settings& settings);
  explicit ScaledAddLhsInplaceOp(const ScaledAddOp& op);
  ~ScaledAddLhsInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    return {};
  }
  view::Regions modifies(InIndex index) const override { return aliases(index, 0); }
  view::Regions aliases(InIndex in, OutIndex out) const override;
};

/// The output is arg1, which is overwritten.
class ScaledAddRhsInplaceOp : public ScaledAddOp {
 public:
  explicit ScaledAddRhsInplaceOp(const ScaledAddOp& op);
  ~ScaledAddRhsInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    return {};
  }
  view::Regions modifies(InIndex index) const override { return aliases(index, 0); }
  view::Regions aliases(InIndex in, OutIndex out) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
