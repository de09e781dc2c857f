// Adam's step. After popart/op/adamupdater.hpp of PopART 3.
#ifndef popart_op_adamupdater_hpp
#define popart_op_adamupdater_hpp

#include <popart/op/builtin.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

enum class AdamMode;

/// The step from the moments; it counts in the number of steps first. popir's AdamVarUpdate computes it,
/// so that no graph of popir's own has this operator: it is for those that a program makes.
class AdamUpdaterOp : public Op {
 public:
  AdamUpdaterOp(AdamMode mode, OptimizerValue wd, OptimizerValue b1, OptimizerValue b2,
                OptimizerValue eps, const Op::Settings& settings);
  ~AdamUpdaterOp() override;

  static InIndex getVarInIndex() { return 0; }
  static InIndex getAccl1InIndex() { return 1; }
  static InIndex getAccl2InIndex() { return 2; }
  static InIndex getStepInIndex() { return 3; }
  static InIndex getWdInIndex() { return 4; }
  static InIndex getBeta1InIndex() { return 5; }
  static InIndex getBeta2InIndex() { return 6; }
  static InIndex getEpsInIndex() { return 7; }
  static OutIndex getUpdaterOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  view::Regions modifies(InIndex index) const override {
    return index == getStepInIndex() ? uses(index) : view::Regions{};
  }
  std::set<InIndex> optionalInputs() const override {
    return {getVarInIndex(),   getStepInIndex(),  getWdInIndex(),
            getBeta1InIndex(), getBeta2InIndex(), getEpsInIndex()};
  }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    std::set<InIndex> in = {getAccl1InIndex(), getAccl2InIndex()};
    if (hasInput(getVarInIndex())) in.insert(getVarInIndex());
    return {{in, {getUpdaterOutIndex()}}};
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  AdamMode mode;
  const OptimizerValue initWd, initB1, initB2, initEps;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
