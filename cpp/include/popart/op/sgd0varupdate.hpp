// SGD without momentum. After popart/op/sgd0varupdate.hpp of PopART 3.
#ifndef popart_op_sgd0varupdate_hpp
#define popart_op_sgd0varupdate_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// A weight's update from its gradient. The compiler adds the operator while it makes the graph of
/// training.
class SGD0VarUpdateOp : public VarUpdateWithUpdaterOp {
 public:
  SGD0VarUpdateOp(const OptimizerValue& initialSlr0, const OptimizerValue& initialWdsf0,
                  const Op::Settings& settings);
  ~SGD0VarUpdateOp() override;

  static InIndex getSlr0InIndex() { return 2; }
  static InIndex getWdsf0InIndex() { return 3; }
  std::unique_ptr<Op> clone() const override;
  /// Those that are not constant.
  std::map<InIndex, TensorId> optimizerInputs() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

  const OptimizerValue initSlr0;   // scaled learning rate
  const OptimizerValue initWdsf0;  // weight decay scale factor
};

}  // namespace popart

#pragma GCC visibility pop

#endif
