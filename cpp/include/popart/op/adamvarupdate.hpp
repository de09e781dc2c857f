// Adam's last step. After popart/op/adamvarupdate.hpp of PopART 3.
#ifndef popart_op_adamvarupdate_hpp
#define popart_op_adamvarupdate_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// A weight's update by Adam, AdaMax or Lamb. In popir one operator of this name computes moments,
/// step and weight: input 1 is the gradient, and there are no squared norms of Lamb as inputs. One that a
/// program gives to a graph of its own reads AdamUpdaterOp's direction as input 1.
class AdamVarUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  AdamVarUpdateOp(OptimizerValue initLr, OptimizerValue initMwn, const Op::Settings& settings);
  ~AdamVarUpdateOp() override;

  static InIndex getLambR1SqInIndex() { return 2; }
  static InIndex getLambR2SqInIndex() { return 3; }
  static InIndex getLrInIndex() { return 4; }
  static InIndex getMwnInIndex() { return 5; }
  std::unique_ptr<Op> clone() const override;
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

  const OptimizerValue initLr;   // learning rate
  const OptimizerValue initMwn;  // max weight norm
};

}  // namespace popart

#pragma GCC visibility pop

#endif
