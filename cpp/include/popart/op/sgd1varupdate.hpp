// SGD with momentum: the weight's step. After popart/op/sgd1varupdate.hpp of PopART 3.
#ifndef popart_op_sgd1varupdate_hpp
#define popart_op_sgd1varupdate_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// The weight minus slr1 times the updater, for patterns that look for it. The compiler's own step of
/// SGD with momentum is one operator with its accumulator and none of these, and what a library makes
/// of this class has no lowering.
class SGD1VarUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  SGD1VarUpdateOp(OptimizerValue initialSlr1, const Op::Settings& settings);
  ~SGD1VarUpdateOp() override;

  static InIndex getSlr1InIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  /// That of the learning rate, if it is not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

  const OptimizerValue initSlr1;  // scaled learning rate
};

}  // namespace popart

#pragma GCC visibility pop

#endif
