// The angle of two coordinates. After popart/op/atan2.hpp of PopART 3.
#ifndef popart_op_atan2_hpp
#define popart_op_atan2_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Atan2Op : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~Atan2Op() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;

 private:
  bool hasLhsInplaceVariant() const override;
  std::unique_ptr<Op> getLhsInplaceVariant() const override;
  OperatorIdentifier getLhsOperatorIdentifier() const override;
};

/// The gradient of input 0, a: g * b / (a^2 + b^2), summed over what was broadcast.
class Atan2Arg0GradOp : public ElementWiseBinaryArg0GradOp {
 public:
  Atan2Arg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~Atan2Arg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// The gradient of input 1, b: -g * a / (a^2 + b^2), summed over what was broadcast.
class Atan2Arg1GradOp : public ElementWiseBinaryArg1GradOp {
 public:
  Atan2Arg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~Atan2Arg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Overwrites its left input.
class Atan2LhsInplaceOp : public ElementWiseBinaryInplaceLhsOp, public builtin::Origin {
 public:
  explicit Atan2LhsInplaceOp(const Op::Settings& settings);
  ~Atan2LhsInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
