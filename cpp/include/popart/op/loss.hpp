// Base class of losses. After popart/op/loss.hpp of PopART 3.
#ifndef popart_op_loss_hpp
#define popart_op_loss_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// A loss, reduced over all elements.
class LossOp : public Op {
 public:
  LossOp(const OperatorIdentifier& opid, const Op::Settings& settings, ReductionType reduction)
      : Op(opid, settings), reduction_(reduction) {}
  ~LossOp() override;

  std::unique_ptr<Op> clone() const override = 0;
  bool isLossOp() const override { return true; }
  ReductionType getReductionType() const { return reduction_; }
  /// "Sum", "Mean" or "NoReduction".
  static std::string reductionTypeToString(ReductionType reduction);
  /// The inverse of reductionTypeToString().
  /// \throws error for any other string
  static ReductionType reductionTypeFromString(const std::string& reduction);

 private:
  ReductionType reduction_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
