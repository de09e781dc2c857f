// The direction of AdaDelta. After popart/op/adadeltaupdater.hpp of PopART 3.
#ifndef popart_op_adadeltaupdater_hpp
#define popart_op_adadeltaupdater_hpp

#include <popart/op/builtin.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// g * sqrt(v2 + eps) / sqrt(v1 + eps), v2 being the state before this step.
/// popir's AdaptiveVarUpdate computes it, so that no graph of popir's own has this operator: it is
/// for those that a program makes.
class AdaDeltaUpdaterOp : public Op {
 public:
  AdaDeltaUpdaterOp(OptimizerValue eps, const Op::Settings& settings);
  ~AdaDeltaUpdaterOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getAccl1InIndex() { return 1; }
  static InIndex getAccl2InIndex() { return 2; }
  static InIndex getEpsInIndex() { return 3; }
  static OutIndex getUpdaterOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  /// The direction is of the gradient's type and shape.
  void setup() final;
  std::set<InIndex> optionalInputs() const override { return {getEpsInIndex()}; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getGradInIndex(), getAccl1InIndex(), getAccl2InIndex()}, {getUpdaterOutIndex()}}};
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const final;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool isOptimizerOp() const override { return true; }

  const OptimizerValue initEps;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
