// The direction of AdaGrad and RMSProp. After popart/op/rmspropupdater.hpp of PopART 3.
#ifndef popart_op_rmspropupdater_hpp
#define popart_op_rmspropupdater_hpp

#include <popart/op/builtin.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// g / (sqrt(v1) + eps), with v1 - v2 * v2 for v1 if there is a second state. With `TFVariant` eps is
/// under the root.
/// popir's AdaptiveVarUpdate computes it, so that no graph of popir's own has this operator: it is
/// for those that a program makes.
class RMSPropUpdaterOp : public Op {
 public:
  RMSPropUpdaterOp(OptimizerValue eps, bool TFVariant, const Op::Settings& settings);
  ~RMSPropUpdaterOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getAccl1InIndex() { return 1; }
  static InIndex getAccl2InIndex() { return 2; }
  static InIndex getEpsInIndex() { return 3; }
  static OutIndex getUpdaterOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  /// The direction is of the gradient's type and shape.
  void setup() final;
  std::set<InIndex> optionalInputs() const override { return {getAccl2InIndex(), getEpsInIndex()}; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    std::set<InIndex> in = {getGradInIndex(), getAccl1InIndex()};
    if (hasInput(getAccl2InIndex())) in.insert(getAccl2InIndex());
    return {{in, {getUpdaterOutIndex()}}};
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const final;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool isOptimizerOp() const override { return true; }

  const OptimizerValue initEps;
  const bool TFVariant;  // TensorFlow's variant
};

}  // namespace popart

#pragma GCC visibility pop

#endif
