// The last step of Adagrad, RMSProp and AdaDelta. After popart/op/scaledvarupdate.hpp of PopART 3.
#ifndef popart_op_scaledvarupdate_hpp
#define popart_op_scaledvarupdate_hpp

#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// w - lr * (u + wd * w), or w - (u + wd * w) if the updater u has the learning rate in it. In popir
/// one operator, AdaptiveVarUpdate, computes states, step and weight: patterns meet it as this class,
/// with the gradient as its updater. Graphs of a program have the weight's step alone.
class ScaledVarUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  ScaledVarUpdateOp(OptimizerValue initLr, OptimizerValue initWd, bool lrInUpdater,
                    const Op::Settings& settings);
  ~ScaledVarUpdateOp() override;

  static InIndex getLrInIndex() { return 2; }
  static InIndex getWdInIndex() { return 3; }
  std::unique_ptr<Op> clone() const final;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

  const OptimizerValue initLr;  // learning rate
  const OptimizerValue initWd;  // weight decay
  const bool lrInUpdater;       // whether the updater has the learning rate in it
};

}  // namespace popart

#pragma GCC visibility pop

#endif
